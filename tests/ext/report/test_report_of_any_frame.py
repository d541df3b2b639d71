"""A report of any groups and texts, made in any thread."""

from __future__ import annotations

import json
import re
import warnings
from concurrent.futures import ThreadPoolExecutor

import pandas as pd
import pytest

import qa_frame
from qa_frame.errors import hearing_warnings, warn
from qa_frame.ext.report import embedded_rows
from tests.ext.report.test_report import reported, rows_of, texts_of


@pytest.fixture(autouse=True)
def none_explained(monkeypatch):
    """Explanations take time."""
    monkeypatch.setattr(embedded_rows, "MOST_EXPLAINED", 0)


def frame_of(groups, n=20):
    """Each group answers n questions; each has other answers."""
    rows = [
        (group, place, "yes" if place < 4 * number else "no", ["yes"])
        for number, group in enumerate(groups, start=1)
        for place in range(n)
    ]
    frame = pd.DataFrame(rows, columns=["model", "id", "response", "answers"])
    frame["model"] = pd.Series([row[0] for row in rows], dtype=object)
    return frame


def made(frame, folder, **settings):
    settings = {"by": "model", "question": "id", "metrics": "f1", "overwrite": True, **settings}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", qa_frame.errors.IntervalWarning)
        return reported(frame, folder / "r.html", **settings).read_text("utf-8")


GROUPS = {
    "a number and its text": ([1, "1", "x"], {"1", "1 (1)", "x"}),
    "tuples": ([("a", 1), ("b", 2)], {"a, 1", "b, 2"}),
    "frozensets": ([frozenset({1}), frozenset({2})], {"frozenset({1})", "frozenset({2})"}),
    "True beside text": ([True, "x"], {"True", "x"}),
    "numbers": ([10, 9, 2.5], {"10", "9", "2.5"}),
}


@pytest.mark.parametrize("name", GROUPS)
@pytest.mark.parametrize("key", ["model", "dataset"])
def test_each_group_has_a_label_and_figures_of_its_own(tmp_path, name, key):
    groups, expected = GROUPS[name]
    frame = frame_of(groups)
    if key == "dataset":
        frame = pd.concat([frame.rename(columns={"model": "dataset"}).assign(model=model) for model in "xy"])
        page = made(frame, tmp_path, within="dataset")
        labels = rows_of(page)["dataset"]["texts"]
    else:
        page = made(frame, tmp_path)
        labels = rows_of(page)["groups"]
    assert len(labels) == len(set(labels)) == len(groups)
    assert set(labels) == expected
    for number in range(1, len(groups) + 1):
        assert f"{100 * 4 * number / 20:.1f} [" in texts_of(page)


def test_the_matrix_has_both_signs(tmp_path):
    page = made(frame_of([1, "1"]), tmp_path)
    assert {"+20.0", "−20.0"} <= set(re.findall(r"[+−]\d+\.\d", texts_of(page)))


@pytest.mark.thorough
def test_long_names_and_texts_are_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(embedded_rows, "MOST_EXPLAINED", 40)
    name = "N" * 300_000
    frame = frame_of([f"{name}a", f"{name}b"]).assign(dataset=f"{name}d")
    frame["id"] = [f"{name}{place}" for place in frame["id"]]
    frame.loc[0, "response"] = "word " * 100_000
    frame["answers"] = [
        ["gold " * 100_000] if place in {1, 21} else golds for place, golds in enumerate(frame["answers"])
    ]
    page = made(frame, tmp_path, within="dataset")
    assert len(page) < 300_000
    rows = rows_of(page)
    assert len(json.dumps(rows)) < 600_000
    assert len(set(rows["groups"])) == 2
    assert len(rows["question"]["texts"]) == 20
    place = rows["row"].index(0)
    assert rows["response"][place].endswith(" … (400,000 more characters)")
    assert rows["golds"][rows["row"].index(1)][0].endswith(" … (400,000 more characters)")
    assert set(rows["explained"]) == {str(each) for each in range(2, 40) if each != 21}


@pytest.mark.thorough
def test_reports_in_threads_are_alike_and_leave_warnings_alone(tmp_path):
    few = qa_frame.sample().groupby("model").tail(20)

    def listened():
        """The filters of warnings, but for those that pandas and its kin set for a moment, in several threads at once."""
        theirs = (UserWarning, DeprecationWarning)
        kept = [each for each in warnings.filters if each[1] is not None or each[2] not in theirs]
        return kept, warnings.showwarning

    before = listened()

    def report(number):
        settings = {"question": "question_id", "metrics": ["f1", "em"], "title": "T"}
        return reported(few, tmp_path / str(number) / "r.html", "model", **settings).read_text("utf-8")

    for number in range(4):
        (tmp_path / str(number)).mkdir()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", qa_frame.errors.IntervalWarning)
        heard = listened()
        with ThreadPoolExecutor(3) as pool:
            pages = list(pool.map(report, range(4)))
        assert listened() == heard
    assert listened() == before
    assert len({"".join(re.findall("<svg.*?</svg>", page, re.DOTALL)) for page in pages}) == 1
    assert all("in a script without spaces" in texts_of(page) for page in pages)


def test_warnings_of_other_threads_are_given():
    """What one thread collects, no other one loses."""
    with hearing_warnings() as heard, ThreadPoolExecutor(1) as pool:
        with pytest.warns(qa_frame.errors.PlotWarning, match="elsewhere"):
            pool.submit(warn, "elsewhere", qa_frame.errors.PlotWarning).result()
        warn("here", qa_frame.errors.PlotWarning)
    assert heard == {"here": qa_frame.errors.PlotWarning}


@pytest.mark.parametrize(("argument", "names"), [("by", ["model", "dataset"]), ("by", []), ("cluster", ["a", "b"])])
def test_one_column_makes_groups_and_one_clusters(tmp_path, argument, names):
    frame = qa_frame.sample().assign(a=1, b=2)
    scored = frame.qa.score("response", "answers", metrics="f1")
    settings = {"by": "model", "question": "question_id", argument: names}
    with pytest.raises(qa_frame.errors.UnknownOptionError, match=f"^{argument} names .* a report takes one"):
        scored.qa.report(tmp_path / "report.html", **settings)


@pytest.mark.thorough
def test_an_index_may_have_a_name_twice(tmp_path):
    scored = qa_frame.sample().qa.score("response", "answers", metrics="f1")
    numbers = range(len(scored))
    scored.index = pd.MultiIndex.from_arrays([numbers, numbers], names=["i", "i"])
    scored.qa.report(tmp_path / "report.html", by="model", question="question_id")
    assert (tmp_path / "report.html").stat().st_size > 10_000
