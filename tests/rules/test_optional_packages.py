"""Packages that only some conventions need: loaded where they are needed, once, and without a word."""

from __future__ import annotations

import logging
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import qa_frame
from qa_frame import Convention, conventions
from qa_frame.rules import Exact, Text
from qa_frame.text import chinese, segments, steps, tokenisers

PACKAGE = Path(qa_frame.__file__).parent


def score_one(convention: object, **options: object) -> pd.DataFrame:
    frame = pd.DataFrame({"pred": ["a cat"], "golds": [["cat"]]})
    return frame.qa.score("pred", "golds", convention=convention, append=False, **options)


@pytest.fixture
def fresh_loading():
    """Nothing is loaded before, nor kept after."""
    caches = (
        chinese._make_cutter,
        segments._load_package,
        steps._porter_stem,
        tokenisers.compile_text,
        steps.step_rule,
    )
    for cache in caches:
        cache.cache_clear()
    yield
    for cache in caches:
        cache.cache_clear()


@pytest.mark.thorough
@pytest.mark.usefixtures("fresh_loading")
def test_without_jieba(monkeypatch):
    score_one("mindformers")  # that it was there before changes nothing
    monkeypatch.setitem(sys.modules, "jieba", None)
    with pytest.raises(ImportError, match=re.escape('pip install "qa-frame[zh]"')):
        score_one("mindformers")
    score_one("squad")


@pytest.mark.thorough
@pytest.mark.usefixtures("fresh_loading")
def test_without_jieba_most_conventions_give_every_score(monkeypatch):
    monkeypatch.setitem(sys.modules, "jieba", None)
    for name, convention in conventions.items():
        if "jieba" not in convention.signature:
            score_one(name, metrics="all")


@pytest.mark.usefixtures("fresh_loading")
@pytest.mark.parametrize("name", ["unicode", "characters"])
def test_without_the_boundaries_of_unicode(monkeypatch, name):
    score_one(name)
    monkeypatch.setitem(sys.modules, "unicode_segmentation_rs", None)
    with pytest.raises(ImportError, match=re.escape('pip install "qa-frame[unicode]"')):
        score_one(name)
    score_one(name, metrics=["chrf", "anls"])


@pytest.mark.thorough
@pytest.mark.usefixtures("fresh_loading")
def test_without_nltk(monkeypatch):
    for module in ["nltk", *(name for name in sys.modules if name.startswith("nltk."))]:
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=re.escape('pip install "qa-frame[stem]"')):
        score_one(Convention(name="own", exact=Exact(text=Text(("stem",)))))
    for name, convention in conventions.items():
        if "stem" not in convention.signature or convention.exact is not None:  # no em is of stems
            score_one(name, metrics="all" if "stem" not in convention.signature else "em")


@pytest.mark.thorough
def test_jieba_loads_quietly(tmp_path):
    """Without a word, though its source is compiled anew, and every warning is an error."""
    script = (
        "import sys, pandas as pd, qa_frame; df = pd.DataFrame({'p': ['我爱 Beijing'], 'g': ['我爱']}); "
        f"df.qa.score('p', 'g', metrics='em'); sys.pycache_prefix = {str(tmp_path)!r}; "
        "print(df.qa.score('p', 'g', convention='mindformers')['f1'][0])"
    )
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        cwd=PACKAGE.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    assert (run.stdout.split(), run.stderr) == (["0.6666666666666666"], "")


@pytest.mark.thorough
@pytest.mark.usefixtures("fresh_loading")
def test_jieba_loads_once_for_all_threads(monkeypatch, caplog):
    jieba = pytest.importorskip("jieba")
    made = []

    class Counted(jieba.Tokenizer):
        def __init__(self) -> None:
            made.append(self)
            super().__init__()

    monkeypatch.setattr(jieba, "Tokenizer", Counted)
    caplog.set_level(logging.DEBUG)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: chinese.cut_piece("hello world"), range(8)))
    assert found == [["hello", " ", "world"]] * 8
    assert len(made) == 1
    assert not [record for record in caplog.records if record.name == "jieba"]


@pytest.mark.thorough
def test_several_threads_of_the_callers_score_at_once():
    words = ["我爱", "北京", "Beijing", "the", "天安门", "3.5%", "hello ", "，", "\n", " cat ", " "]
    rng = np.random.default_rng(9)
    texts = ["".join(rng.choice(words, size=size)) for size in rng.integers(0, 12, size=200)]
    frame = pd.DataFrame({"pred": texts, "golds": [[gold, gold[:3]] for gold in reversed(texts)]})

    def f1(name: str) -> list[float]:
        return frame.qa.score("pred", "golds", metrics="f1", convention=name)["f1"].to_list()

    names = ["mindformers", "squad"] * 6
    alone = {name: f1(name) for name in set(names)}
    assert all(len(set(scores)) > 5 for scores in alone.values())
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(f1, names)) == [alone[name] for name in names]
