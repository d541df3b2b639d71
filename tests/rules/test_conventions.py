"""Conventions as data: their signatures, their listing, their errors; statistics; what is loaded only where needed."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import inspect
import logging
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import sacrebleu
from hypothesis import given, settings

import qa_frame
from qa_frame import (
    Blank,
    Bleu,
    Contains,
    Convention,
    Delete,
    Drop,
    Empty,
    Exact,
    Overlap,
    RougeL,
    Text,
    conventions,
)
from qa_frame.scoring.metrics import BLEU_STATISTICS, METRICS, OVERLAP_STATISTICS, STATISTICS
from qa_frame.text import chinese, steps, tokenisers
from tests.reference import kernels as twins
from tests.reference.oracles import mteval_tokens, normalize_answer
from tests.reference.oracles_of_conventions import (
    answer_quality_tokens,
    common_run,
    content_words,
    first_line,
    mixed_segmentation,
    penn_tokens,
    squad2_golds,
)
from tests.strategies import Row, frames

PACKAGE = Path(qa_frame.__file__).parent
WORDS = Text(("lower",))


def own(**rules: object) -> Convention:
    return Convention(name="own", **(rules or {"exact": Exact(text=WORDS)}))


def score_one(convention: object, **options: object) -> pd.DataFrame:
    frame = pd.DataFrame({"pred": ["a cat"], "golds": [["cat"]]})
    return frame.qa.score("pred", "golds", convention=convention, append=False, **options)


# --- signatures


def captured(word: str) -> Callable[[str], list[str]]:
    return lambda text: [part for part in text.split() if part != word]


def of_set(text: str) -> list[str]:
    return [word for word in text.split() if word not in {"alpha", "beta", "gamma", "delta", "epsilon"}]


def with_default(text: str, end: str = ".") -> list[str]:
    return text.split(end)


class Splitter:
    def __init__(self, mark: str) -> None:
        self.mark = mark

    def __call__(self, text: str) -> list[str]:
        return text.split(self.mark)

    def split(self, text: str) -> list[str]:
        return text.split(self.mark)


FUNCTIONS: list[Callable[..., list[str]]] = [
    str.split,
    str.splitlines,
    re.compile("x").split,
    re.compile("y").split,
    captured("a"),
    captured("b"),
    of_set,
    with_default,
    functools.partial(with_default, end=","),
    functools.partial(with_default, end=";"),
    Splitter("a"),
    Splitter("b"),
    Splitter("a").split,
    Splitter("b").split,
    lambda text: text.split("x"),
    lambda text: text.split("y"),
    lambda text: text.rsplit("x"),
    lambda text: [part.strip() for part in text.split("x")],
    lambda text: [part.lower() for part in text.split("x")],
]

TEXTS = [
    Text(),
    *(Text((step,)) for step in steps.STEPS),
    Text(("lower", "nfkc")),
    Text(("nfkc", "lower")),
    *(Text((kind(words),)) for kind in (Blank, Drop) for words in (("a",), ("b",), ("a", "b"), ("a b",), ())),
    Text((Blank(tuple(map(str, range(50)))),)),
    Text((Blank(tuple(map(str, range(51)))),)),
    Text((Delete("ab"),)),
    Text((Delete("a"), Delete("b"))),
    *(Text(split=split) for split in tokenisers.SPLITS if split != "words"),
    *(Text(split=function) for function in FUNCTIONS),
]
EMPTIES = [
    Empty(),
    *(Empty(of=of) for of in ("text", "punctuation")),
    *(Empty(**{side: value}) for side in ("both", "gold", "pred") for value in (0.0, 0.5, 1.0)),
]
VARIANTS: dict[type, dict[str, list[object]]] = {
    Exact: {"text": TEXTS, "empty": EMPTIES},
    Overlap: {"text": TEXTS[:5], "counting": ["multiset", "set", "run"], "empty": EMPTIES},
    Contains: {"text": TEXTS[:5], "empty": EMPTIES},
    RougeL: {
        "text": [Text(split="sentences"), Text(("lower",), "sentences")],
        "counting": ["subsequence", "run", "union"],
        "epsilon": [0.0, 1e-8, 1.0],
        "empty": EMPTIES,
    },
    Bleu: {
        "text": TEXTS[:5],
        "smoothing": ["none", "exp", "floor", "add_k", "least"],
        "smoothing_value": [0.0, 0.1, 1.0],
        "effective_order": [False, True],
        "brevity": [True, False],
        "empty": EMPTIES,
    },
}
FAMILY = {Exact: "exact", Overlap: "overlap", Contains: "contains", RougeL: "rouge_l", Bleu: "bleu"}


def variants_of(rule: type) -> list[object]:
    """The rule with each of its fields at each of its values, the others at their first."""
    first = {field: values[0] for field, values in VARIANTS[rule].items()}
    varied = [{**first, field: value} for field, values in VARIANTS[rule].items() for value in values[1:]]
    return [rule(**first), *(rule(**settings_) for settings_ in varied)]


def all_variants() -> list[Convention]:
    rule = Exact(text=WORDS)
    of_rules = [own(**{FAMILY[kind]: variant}) for kind in VARIANTS for variant in variants_of(kind)]
    of_family = [own(bleu_n=Bleu(text=Text())), own(exact=rule, bleu=Bleu(text=Text()))]
    of_convention = [
        Convention(name="other", exact=rule),
        own(exact=rule, follows="other"),
        own(exact=rule, differs="other"),
        own(exact=rule, metrics=("em",)),
        own(exact=rule, prediction="first_line"),
        own(overlap=Overlap(text=WORDS), no_answer=True),
    ]
    return [*conventions.values(), *of_rules, *of_family, *of_convention]


def test_the_variants_are_of_every_field_of_every_rule():
    for rule, fields in VARIANTS.items():
        assert {field.name for field in dataclasses.fields(rule)} == fields.keys()
    assert VARIANTS.keys() | {Text, Blank, Drop, Delete, Empty, Convention} == {
        kind for kind in vars(qa_frame).values() if inspect.isclass(kind) and kind.__module__ == "qa_frame.conventions"
    }


def test_signatures_differ_for_any_two_different_settings():
    variants = all_variants()
    assert len(variants) > 150
    signatures = Counter(variant.signature for variant in variants)
    assert [signature for signature, times in signatures.items() if times > 1] == []
    assert all("\n" not in signature for signature in signatures)


def test_signatures_are_equal_for_equal_settings():
    for variant, again in zip(all_variants(), all_variants(), strict=True):
        assert variant.signature == again.signature
    made_twice = [own(exact=Exact(text=Text(split=captured("a")))).signature for _ in range(2)]
    assert made_twice[0] == made_twice[1]
    methods = [own(exact=Exact(text=Text(split=Splitter("a").split))).signature for _ in range(2)]
    assert methods[0] == methods[1]


def test_a_function_that_captures_itself_has_a_signature():
    def parts(text: str) -> list[str]:
        return [text] if len(text) < 3 else [*parts(text[:2]), *parts(text[2:])]

    convention = own(exact=Exact(text=Text(split=parts)))
    assert convention.signature == convention.signature
    assert score_one(convention)["em"].to_list() == [0.0]


SCRIPT = """
import qa_frame, functools
from tests.rules.test_conventions import FUNCTIONS
for function in FUNCTIONS:
    print(qa_frame.Convention(name="own", exact=qa_frame.Exact(text=qa_frame.Text(split=function))).signature)
"""


def test_signatures_are_the_same_in_every_process():
    printed = [
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            cwd=PACKAGE.parent,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(PACKAGE.parent)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert len(printed[0].splitlines()) == len(FUNCTIONS)
    assert printed[0] == printed[1]


@pytest.mark.parametrize("name", conventions)
def test_a_signature_names_what_a_reader_looks_for(name):
    convention = conventions[name]
    for part in (f"convention:{name}", f"follows:{convention.follows}", f"qa_frame:{qa_frame.__version__}", "digest:"):
        assert part in convention.signature
    rules = [family for family in FAMILY.values() if getattr(convention, family) is not None]
    assert all(f"|{family}:(" in convention.signature for family in rules)


def test_a_summary_carries_the_signature():
    frame = pd.DataFrame({"pred": ["cat"], "golds": [["cat"]]})
    scored = frame.qa.score("pred", "golds", convention="remem", reduce="mean")
    assert str(scored.qa.summary().attrs["qa"]).count(conventions["remem"].signature) == 1


# --- the listing


def test_the_listing_is_a_mapping_that_cannot_be_changed():
    assert list(conventions) == [convention.name for convention in conventions.values()]
    assert len(conventions) == 7
    with pytest.raises(TypeError):
        conventions["squad"] = conventions["squad2"]
    with pytest.raises(TypeError):
        del conventions["squad"]
    with pytest.raises(dataclasses.FrozenInstanceError):
        conventions["squad"].name = "other"
    with pytest.raises(KeyError):
        conventions["sqad"]
    with pytest.raises(TypeError):
        qa_frame.ARTICLES["en"] = ()
    with pytest.raises(TypeError):
        qa_frame.STOP_WORDS["en"] = ()


def test_the_listing_can_be_read():
    printed, html = repr(conventions), conventions._repr_html_()
    for name, convention in conventions.items():
        assert re.search(rf"^{name}$", printed, re.MULTILINE)
        for part in (convention.follows, convention.differs, " ".join(convention.metrics)):
            assert part in printed
        assert f"<td>{name}</td>" in html
    assert max(map(len, printed.splitlines())) <= 120
    assert html.count("<tr>") == html.count("</tr>") == len(conventions) + 1
    assert "&#x27;" in html  # what HTML would misread is escaped
    assert "'" not in html


def test_stop_words_are_those_of_nltk():
    words = qa_frame.STOP_WORDS["en"]
    digest = "0c98fde29ffc5a2e6d736e91f1af1d22191952a34501cf24a1e44de651946861"
    assert len(words) == len(set(words)) == 179
    assert hashlib.sha256(" ".join(sorted(words)).encode()).hexdigest() == digest


def test_no_room_names_a_convention():
    """But the table of them; the doors may name their default."""
    names = "|".join(name for name in conventions if name != "squad")
    rooms = [PACKAGE / f"{room}.py" for room in ("metrics", "pipeline", "accessor", "arrow", "plan", "batches", "pool")]
    for path in (*rooms, *(PACKAGE / "kernels").glob("*.py"), *(PACKAGE / "text").glob("*.py")):
        source = path.read_text("utf-8")
        assert not re.findall(rf"\b(?:{names})\b", source), path
        without_default = source.replace('convention: str | Convention = "squad"', "")
        assert not re.findall(r"[\"'`]squad[\"'`]", without_default), path


# --- metrics of a convention


@pytest.mark.parametrize("name", conventions)
def test_default_and_all_metrics(name):
    convention = conventions[name]
    known = [metric for metric in METRICS if getattr(convention, METRICS[metric].family) is not None]
    assert list(score_one(name)) == list(convention.metrics)
    assert set(convention.metrics) <= set(known)
    assert list(score_one(name, metrics="all")) == known


@pytest.mark.parametrize("name", conventions)
def test_a_metric_without_a_rule_is_refused(name):
    known = set(score_one(name, metrics="all"))
    for metric in METRICS.keys() - known:
        with pytest.raises(qa_frame.UnknownOptionError) as caught:
            score_one(name, metrics=metric)
        message = str(caught.value)
        assert f"metrics={metric!r} is not part of convention {name!r}" in message
        assert all(repr(other) in message for other in known)


@pytest.mark.parametrize(
    ("rules", "metrics"),
    [
        ({"exact": Exact(text=WORDS)}, ["em"]),
        ({"overlap": Overlap(text=WORDS)}, ["f1", "recall"]),
        ({"bleu_n": Bleu(text=WORDS)}, ["bleu1", "bleu2", "bleu3", "bleu4"]),
        ({"rouge_l": RougeL(text=WORDS), "exact": Exact(text=WORDS)}, ["em", "rouge_l"]),
        ({"exact": Exact(text=WORDS), "overlap": Overlap(text=WORDS), "metrics": ("recall",)}, ["recall"]),
    ],
    ids=["exact", "overlap", "bleu_n", "two", "its own"],
)
def test_default_metrics_of_ones_own_convention(rules, metrics):
    assert list(score_one(own(**rules))) == metrics


def test_a_convention_by_name_is_the_object_of_that_name():
    frame = qa_frame.sample()
    for name, convention in conventions.items():
        by_name = frame.qa.score("response", "answers", convention=name, append=False)
        pd.testing.assert_frame_equal(
            by_name, frame.qa.score("response", "answers", convention=convention, append=False)
        )


# --- what is refused

BAD_FIELDS: dict[str, tuple[Callable[[], object], str]] = {
    "empty": (lambda: Empty(of="nothing"), "Empty.of='nothing'"),
    "overlap": (
        lambda: Overlap(text=WORDS, counting="sets"),
        "Overlap.counting='sets' is not known; did you mean 'set'",
    ),
    "rouge_l": (lambda: RougeL(text=WORDS, counting="lcs"), "RougeL.counting='lcs'"),
    "union": (lambda: RougeL(text=WORDS, counting="union"), "takes Text(split='sentences'), not split='words'"),
    "bleu": (lambda: Bleu(text=WORDS, smoothing="add-k"), "Bleu.smoothing='add-k' is not known; did you mean 'add_k'"),
    "prediction": (lambda: own(exact=Exact(text=WORDS), prediction="last"), "Convention.prediction='last'"),
    "a rule of another family": (lambda: own(exact=Overlap(text=WORDS)), "Convention.exact=Overlap("),
    "a text for a rule": (lambda: own(overlap="words"), "Convention.overlap='words' is not a Overlap, or None"),
    "no rule": (lambda: Convention(name="own"), "Convention 'own' has no rule"),
    "no answer": (lambda: own(exact=Exact(text=WORDS), no_answer=True), "Convention.no_answer needs a rule"),
    "blanked letters": (lambda: Blank("the"), "Blank.words='the' is not a tuple"),
    "dropped letters": (lambda: Drop("the"), "Drop.words='the' is not a tuple"),
    "one step": (lambda: Text("lower"), "Text.steps='lower' is not a tuple"),
    "a step alone": (lambda: Text(Delete("x")), "Text.steps=Delete("),
    "step": (lambda: score_one(own(exact=Exact(text=Text(("lowr",))))), "text.steps='lowr' is not known; did you mean"),
    "split": (lambda: score_one(own(exact=Exact(text=Text(split="word")))), "text.split='word' is not known; did you"),
    "metric": (lambda: score_one(own(exact=Exact(text=WORDS), metrics=("f1",))), "convention.metrics='f1'"),
    "name": (lambda: score_one("mindformer"), "convention='mindformer' is not known; did you mean 'mindformers'"),
    "neither": (lambda: score_one(3), "convention=3 is neither a name from"),
    "best": (lambda: score_one(own(), reduce="best"), "reduce='best' needs F1, for which convention 'own' has no rule"),
}


@pytest.mark.parametrize(("make", "message"), BAD_FIELDS.values(), ids=BAD_FIELDS.keys())
def test_bad_fields(make, message):
    with pytest.raises(qa_frame.UnknownOptionError, match=re.escape(message)):
        make()


def test_steps_and_words_may_be_any_iterable():
    text = Text(["lower", Blank(["a", "the"]), Drop(word for word in "xy")])
    assert text == Text(("lower", Blank(("a", "the")), Drop(("x", "y"))))
    assert score_one(own(exact=Exact(text=text)))["em"].to_list() == [1.0]


# --- what is loaded only where it is needed


@pytest.fixture
def fresh_loading():
    """Nothing is loaded before, nor kept after."""
    caches = (chinese._cutter, steps._porter_stem, tokenisers.compile_text, steps.step_rule)
    for cache in caches:
        cache.cache_clear()
    yield
    for cache in caches:
        cache.cache_clear()


@pytest.mark.usefixtures("fresh_loading")
def test_without_jieba(monkeypatch):
    score_one("mindformers")  # that it was there before changes nothing
    monkeypatch.setitem(sys.modules, "jieba", None)
    with pytest.raises(ImportError, match=re.escape('pip install "qa-frame[zh]"')):
        score_one("mindformers")
    for name in conventions:
        if name != "mindformers":
            score_one(name, metrics="all")


@pytest.mark.usefixtures("fresh_loading")
def test_without_nltk(monkeypatch):
    for module in [name for name in sys.modules if name.partition(".")[0] == "nltk"]:
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=re.escape('pip install "qa-frame[stem]"')):
        score_one(own(exact=Exact(text=Text(("stem",)))))
    for name in conventions:
        score_one(name, metrics="all")


def test_jieba_loads_quietly(tmp_path):
    """Without a word, though its source is compiled anew, and every warning is an error."""
    script = (
        "import sys, pandas as pd, qa_frame; df = pd.DataFrame({'p': ['我爱 Beijing'], 'g': ['我爱']}); "
        f"df.qa.score('p', 'g'); sys.pycache_prefix = {str(tmp_path)!r}; "
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


def test_several_threads_of_the_callers_score_at_once():
    words = ["我爱", "北京", "Beijing", "the", "天安门", "3.5%", "hello ", "，", "\n", " cat ", " "]
    rng = np.random.default_rng(9)
    texts = ["".join(rng.choice(words, size=size)) for size in rng.integers(0, 12, size=400)]
    frame = pd.DataFrame({"pred": texts, "golds": [[gold, gold[:3]] for gold in reversed(texts)]})

    def f1(name: str) -> list[float]:
        return frame.qa.score("pred", "golds", metrics="f1", convention=name)["f1"].to_list()

    names = ["mindformers", "squad"] * 6
    alone = {name: f1(name) for name in set(names)}
    assert all(len(set(scores)) > 10 for scores in alone.values())
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(f1, names)) == [alone[name] for name in names]


# --- statistics

Tokeniser = Callable[[str], list[object]]


def squad_tokens(text: str) -> list[object]:
    return list(normalize_answer(text).split())


def sacrebleu_tokens(text: str) -> list[object]:
    return list(mteval_tokens(text.rstrip()))


def multiset(left: list[object], right: list[object]) -> int:
    return (Counter(left) & Counter(right)).total()


def distinct(left: list[object], right: list[object]) -> int:
    return len(set(left) & set(right))


OVERLAP_TOKENS: dict[str, tuple[Tokeniser, Callable[[list[object], list[object]], int]]] = {
    "squad": (squad_tokens, multiset),
    "squad2": (squad_tokens, multiset),
    "remem": (squad_tokens, multiset),
    "context_bench": (answer_quality_tokens, multiset),
    "continuous_eval": (lambda text: list(content_words(text)), distinct),
    "continuous_eval_docs": (lambda text: list(penn_tokens(text)), distinct),
    "mindformers": (lambda text: list(mixed_segmentation(text)), common_run),
}
BLEU_TOKENS: dict[str, Tokeniser] = {
    "squad": sacrebleu_tokens,
    "squad2": sacrebleu_tokens,
    "remem": lambda text: list(mteval_tokens(text)),
    "continuous_eval": list,
    "continuous_eval_docs": list,
}


def golds_of(name: str, golds: list[str]) -> list[str]:
    counting = squad2_golds(golds)
    return counting if name == "squad2" and (counting != [""] or not golds) else golds


def statistics_of(name: str, pred: str | None, golds: list[str], *, reduce: str, missing: str) -> list[int]:
    """The statistics of one row, by hand."""
    golds = golds_of(name, golds)
    n_statistics = len(OVERLAP_STATISTICS) + (len(BLEU_STATISTICS) if name in BLEU_TOKENS else 0)
    if not golds or (pred is None and missing == "null"):
        return [0] * n_statistics
    pred = first_line(pred or "") if name == "mindformers" else pred or ""
    tokens, common = OVERLAP_TOKENS[name]
    f1 = score_pairs(name, pred, golds)
    winner = golds[0] if reduce == "first" else golds[f1.index(max(f1))]
    found = [common(tokens(winner), tokens(pred)), len(tokens(pred)), len(tokens(winner))]
    if name in BLEU_TOKENS:
        cut = BLEU_TOKENS[name]
        counted = [cut(gold) for gold in (golds[:1] if reduce == "first" else golds)]
        found += twins.clipped_over_golds(cut(pred), counted, orders=4)
        found += [len(cut(pred)), twins.closest_length(cut(pred), counted)]
    return found


def score_pairs(name: str, pred: str, golds: list[str]) -> list[float]:
    """F1 of each gold; equals are equals as the package rounds."""
    frame = pd.DataFrame({"pred": [pred] * len(golds), "gold": golds}, dtype="string")
    return frame.qa.score("pred", "gold", metrics="f1", convention=name)["f1"].to_list()


def rows_with_gaps(rows: list[Row]) -> list[tuple[str | None, list[str]]]:
    return [*rows, (None, rows[0][1]), (rows[0][0], []), ("", ["", *rows[0][1]])]


def with_stats(rows: list[tuple[str | None, list[str]]], name: str, **options: object) -> pd.DataFrame:
    frame = pd.DataFrame({"pred": [pred for pred, _ in rows], "golds": [golds for _, golds in rows]})
    frame = frame.astype({"pred": "string"})
    return frame.qa.score("pred", "golds", convention=name, stats=True, append=False, **options)


@pytest.mark.parametrize("name", conventions)
@settings(deadline=None, max_examples=8)
@given(rows=frames(max_rows=4))
def test_statistics_are_plain_counts(name, rows):
    if name == "continuous_eval":  # without what cuts sentences, which its twin does not do
        rows = [(re.sub("[.?!]", "", pred), [re.sub("[.?!]", "", gold) for gold in golds]) for pred, golds in rows]
    gaps = rows_with_gaps(rows)
    for reduce, missing in (("max", "zero"), ("first", "null"), ("best", "null"), ("mean", "zero")):
        scored = with_stats(gaps, name, reduce=reduce, missing=missing)
        columns = [column for column in scored if column in STATISTICS]
        assert (scored[columns].dtypes == np.int64).all()
        expected = [statistics_of(name, *row, reduce=reduce, missing=missing) for row in gaps]
        assert scored[columns].to_numpy().tolist() == expected


@pytest.mark.parametrize("name", conventions)
def test_statistics_stand_behind_the_scores(name):
    rows = [("a cat", ["cat", "the cat sat"])]
    plain = with_stats(rows, name).drop(columns=list(STATISTICS), errors="ignore")
    pd.testing.assert_frame_equal(plain, score_rows(rows, name))
    columns = list(with_stats(rows, name))
    expected = [*OVERLAP_STATISTICS, *(BLEU_STATISTICS if name in BLEU_TOKENS else ())]
    assert columns == [*plain, *expected]
    prefixed = with_stats(rows, name, prefix="x_")
    assert list(prefixed) == [f"x_{column}" for column in columns]


def score_rows(rows: list[tuple[str | None, list[str]]], name: str) -> pd.DataFrame:
    frame = pd.DataFrame({"pred": [pred for pred, _ in rows], "golds": [golds for _, golds in rows]})
    return frame.qa.score("pred", "golds", convention=name, append=False)


def test_statistics_of_arrow_tables_are_integers():
    table = pa.table({"pred": ["a cat", None], "golds": [["cat"], None]})
    scored = qa_frame.score(table, "pred", "golds", metrics="em", stats=True, append=False)
    assert scored.column_names == ["em", *STATISTICS]
    assert {str(scored.schema.field(name).type) for name in STATISTICS} == {"int64"}
    assert scored.slice(1).to_pylist() == [{"em": None, **dict.fromkeys(STATISTICS, 0)}]


@settings(deadline=None, max_examples=25)
@given(rows=frames(max_rows=4))
def test_statistics_of_a_row_are_those_of_sacrebleu(rows):
    scored = with_stats(rows, "squad")
    for (pred, golds), found in zip(rows, scored[list(BLEU_STATISTICS)].to_numpy().tolist(), strict=True):
        peer = sacrebleu.corpus_bleu([pred], [[gold] for gold in golds], smooth_method="none")
        assert found == [*peer.counts, peer.sys_len, peer.ref_len]
        assert [max(found[4] - order, 0) for order in range(4)] == peer.totals


def corpus_bleu(scored: pd.DataFrame) -> float:
    """From sums alone."""
    total = scored[list(BLEU_STATISTICS)].sum()
    lengths = scored["bleu_pred_len"].to_numpy()
    possible = [np.maximum(lengths - order, 0).sum() for order in range(4)]
    matches = [total[f"bleu_match{order}"] for order in (1, 2, 3, 4)]
    if not all(matches):
        return 0.0
    precisions = np.log(np.array(matches) / np.array(possible)).mean()
    return float(np.exp(min(0.0, 1 - total["bleu_ref_len"] / total["bleu_pred_len"]) + precisions))


@settings(deadline=None, max_examples=25)
@given(rows=frames(max_rows=6))
def test_sums_of_statistics_are_the_corpus_bleu_of_sacrebleu(rows):
    rows = [*rows, ("the cat sat on the mat", ["the cat sat on a mat", "a cat sat on the mat"])]
    most = max(len(golds) for _, golds in rows)
    refs = [[golds[place] if place < len(golds) else None for _, golds in rows] for place in range(most)]
    peer = sacrebleu.corpus_bleu([pred for pred, _ in rows], refs, smooth_method="none")
    assert corpus_bleu(with_stats(rows, "squad")) == pytest.approx(peer.score / 100, rel=0, abs=1e-9)


def test_statistics_of_published_size():
    frame = qa_frame.sample()
    scored = frame.qa.score("response", "answers", stats=True)
    known = frame[
        frame["answers"].map(lambda golds: golds is not None and len([g for g in golds if g is not None]) > 0)
    ]
    golds = known["answers"].map(lambda of_row: [gold for gold in of_row if gold is not None])
    refs = [
        [of_row[place] if place < len(of_row) else None for of_row in golds] for place in range(golds.map(len).max())
    ]
    peer = sacrebleu.corpus_bleu(known["response"].fillna("").to_list(), refs, smooth_method="none")
    assert corpus_bleu(scored) == pytest.approx(peer.score / 100, rel=0, abs=1e-9)
    assert 0.01 < corpus_bleu(scored) < 1
    sums = scored[list(OVERLAP_STATISTICS)].sum()
    assert 0 < 2 * sums["overlap"] / (sums["pred_len"] + sums["gold_len"]) < 1
