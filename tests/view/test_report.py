"""`report`: what the page holds, as data and as HTML. `test_report_in_chromium` looks at it in a browser."""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import itertools
import json
import re
import sys
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import qa_frame

pytestmark = pytest.mark.filterwarnings("ignore::qa_frame.IntervalWarning")

SETTINGS = {"by": "model", "on": "question_id", "within": "dataset", "metrics": ["em", "f1"], "n_explained": 4}


@pytest.fixture(scope="module")
def sample():
    return qa_frame.sample()


def rows_of(page):
    packed = re.search(r'<script type="application/gzip" id="packed">([^<]*)</script>', page).group(1)
    return json.loads(gzip.decompress(base64.b64decode(packed)))


def texts_of(page):
    """The text that a reader sees, without styles and scripts."""

    class Reader(HTMLParser):
        def __init__(self):
            super().__init__()
            self.hidden, self.seen = 0, []

        def handle_starttag(self, tag, attrs):  # noqa: ARG002
            self.hidden += tag in {"style", "script"}

        def handle_endtag(self, tag):
            self.hidden -= tag in {"style", "script"}

        def handle_data(self, data):
            if not self.hidden:
                self.seen.append(data)

    reader = Reader()
    reader.feed(page)
    return " ".join(" ".join(reader.seen).split())


@pytest.fixture(scope="module")
def page(sample, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    assert qa_frame.report(sample, path, **SETTINGS) == path
    return path.read_text("utf-8")


def test_it_says_what_the_functions_say(page, sample):
    told = texts_of(page)
    scored = sample.qa.score("response", "answers", metrics=["em", "f1"])
    for name, row in scored.qa.summary("model", ci=0.95, percent=True).iterrows():
        figure = f"{row['f1']:.1f} [{row['f1_lo']:.1f}, {row['f1_hi']:.1f}]"
        assert f"{name} " in told
        assert figure in told
    compared = scored.qa.compare("model", ["dataset", "question_id"])
    for pair in compared[compared["metric"] == "f1"].to_dict("records"):
        for sign in (1, -1):
            assert f"{100 * sign * pair['diff']:+.1f}*" in told
    for (dataset, _), row in scored.qa.summary(["dataset", "model"], ci=0.95, percent=True).iterrows():
        assert f"{row['em']:.1f} [{row['em_lo']:.1f}, {row['em_hi']:.1f}]" in told
        assert dataset in told
    audited = sample.qa.audit(pred="response", gold="answers", metrics=["em", "f1"])
    for hazard in audited.to_dict("records"):
        assert f"{hazard['hazard']} {hazard['count']} {100 * hazard['share']:.1f} %" in told
    assert scored.attrs["qa_scored"]["f1"]["signature"] in told
    assert re.search(
        r"lynx-70b has the highest f1: \S+ \[\S+, \S+\]\. By f1 it is surely better than all others\.", told
    )
    assert "Other metrics" not in told


def test_its_first_sentence_says_whom_other_metrics_prefer(tmp_path):
    rows = [("a", "Lisbon"), ("b", "It is Lisbon, as all know.")] * 30
    frame = pd.DataFrame(rows, columns=["model", "response"]).assign(answers="Lisbon", q=np.repeat(np.arange(30), 2))
    frame.loc[:5, "response"] = ["Rome", "It is Lisbon."] * 3
    source = {"pred": "response", "gold": "answers", "metrics": ["f1", "em", "recall", "contains"]}
    page = qa_frame.report(frame, tmp_path / "r.html", "model", on="q", n_explained=0, **source)
    assert "Other metrics have another first: b by recall, b by contains." in texts_of(page.read_text("utf-8"))


def test_it_holds_all_rows_as_they_are(page, sample):
    held = rows_of(page)
    scored = sample.qa.score("response", "answers", metrics=["em", "f1"])
    assert sorted(held["row"]) == list(range(len(sample)))
    for at, place in enumerate(held["row"]):
        row = scored.iloc[place]
        assert held["groups"][held["group"][at]] == row["model"]
        assert held["response"][at] == (None if pd.isna(row["response"]) else row["response"])
        assert held["golds"][at] == (
            None if row["answers"] is None else [gold for gold in row["answers"] if gold is not None]
        )
        assert held["text"]["texts"][held["text"]["codes"][at]] == row["question"]
        for name in ("em", "f1"):
            expected = None if np.isnan(row[name]) else pytest.approx(row[name], abs=1e-4)
            assert held["scores"][name][at] == expected


def test_rows_of_one_question_stand_side_by_side(page):
    codes = rows_of(page)["question"]["codes"]
    assert sum(a != b for a, b in itertools.pairwise(codes)) == len(set(codes)) - 1


def test_explanations_are_those_of_explain(page, sample):
    explained = rows_of(page)["explained"]
    assert len(explained) == SETTINGS["n_explained"]
    for place, told in explained.items():
        own = qa_frame.explain(sample, position=int(place), pred="response", gold="answers", metrics=["em", "f1"])
        assert told == own._repr_html_().partition("</style>")[2]


def test_hazards_lead_to_their_rows(page, sample):
    held = rows_of(page)
    audited = sample.qa.audit(pred="response", gold="answers")
    counts = dict(zip(audited["hazard"], audited["count"], strict=True))
    for code, name in enumerate(held["hazards"]):
        assert sum(code in found for found in held["found"]) == counts[name]
        assert f'href="#rows?hazard={name}"' in page


def test_the_policy_allows_its_own_script_alone(page):
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    assert len(scripts) == 1
    digest = base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page).group(1)
    assert f"script-src &#39;sha256-{digest}&#39;" in policy.replace("'", "&#39;")
    assert policy.startswith("default-src 'none'")
    assert not re.search(r'(?:src|href)="(?!#)', page)


@pytest.mark.parametrize("kind", [pl.from_pandas, lambda frame: pa.Table.from_pandas(frame, preserve_index=False)])
def test_every_kind_of_frame_gives_the_same_page(page, sample, kind, tmp_path):
    made = qa_frame.report(kind(sample), tmp_path / "report.html", **SETTINGS)
    assert made.read_text("utf-8") == page


def test_the_order_of_rows_and_the_index_change_no_figure(sample, page, tmp_path):
    shuffled = sample.sample(frac=1, random_state=3)
    made = qa_frame.report(shuffled, tmp_path / "report.html", **SETTINGS).read_text("utf-8")
    part = slice(page.index('id="leaderboard"'), page.index('id="hazards"'))
    assert made[made.index('id="leaderboard"') : made.index('id="hazards"')] == page[part]


HOSTILE = "</script><script>alert(1)</script>\"'&<img src=x onerror=alert(1)>\u202eabc\x00{{ 7 * 7 }}"


def test_hostile_texts_stay_texts(tmp_path):
    rows = pd.DataFrame(
        {
            "model": [HOSTILE, "b"],
            "id": [HOSTILE, HOSTILE],
            "dataset": [HOSTILE, HOSTILE],
            "question": [HOSTILE, HOSTILE],
            "response": [HOSTILE, "x"],
            "answers": [[HOSTILE], [HOSTILE]],
        }
    )
    made = qa_frame.report(rows, tmp_path / "r.html", "model", on="id", within="dataset", title=HOSTILE)
    page = made.read_text("utf-8")
    assert page.count("<script") == 2
    assert "<img" not in page
    assert "49" not in re.findall(r"<title>(.*?)</title>", page, re.DOTALL)[0]
    held = rows_of(page)
    assert HOSTILE in held["response"]
    assert not any("<img" in told or "<script" in told for told in held["explained"].values())


def test_rows_that_do_not_fit_are_said(sample, tmp_path):
    whole = qa_frame.report(sample, tmp_path / "whole.html", **{**SETTINGS, "n_explained": 0})
    size = len(re.search(r'id="packed">([^<]*)<', whole.read_text("utf-8")).group(1))
    made = qa_frame.report(sample, tmp_path / "part.html", **{**SETTINGS, "n_explained": 0}, max_bytes=size // 2)
    page = made.read_text("utf-8")
    held = rows_of(page)
    assert 40 < len(held["row"]) < 300
    assert f"{len(held['row'])} of 360 rows are here" in texts_of(page)
    kept = sample.qa.score("response", "answers", metrics="f1")["f1"].iloc[sorted(held["row"])]
    assert (kept == 0).sum() > 20
    assert (kept == 1).sum() > 3
    with pytest.raises(qa_frame.UnknownOptionError, match="max_bytes=10 holds not even one row"):
        qa_frame.report(sample, tmp_path / "none.html", **SETTINGS, max_bytes=10)
    assert not (tmp_path / "none.html").exists()


def test_without_questions_there_are_no_pairs(sample, tmp_path):
    rows = sample.drop(columns=["question_id", "question", "dataset"])
    page = qa_frame.report(rows, tmp_path / "r.html", "model", metrics="em", n_explained=0).read_text("utf-8")
    assert 'id="pairs"' not in page
    assert 'id="datasets"' not in page
    assert rows_of(page)["question"] is None


def test_several_samples_of_a_question(sample, tmp_path):
    rows = pd.concat([sample, sample.assign(response="Paris")[sample["dataset"] == "facts"]], ignore_index=True)
    settings = {"samples": "question_id", "within": "dataset", "metrics": ["em", "f1"], "n_explained": 0}
    page = qa_frame.report(rows, tmp_path / "r.html", "model", **settings).read_text("utf-8")
    told = texts_of(page)
    scored = rows.qa.score("response", "answers", metrics=["em", "f1"])
    keys = ["dataset", "question_id"]
    for _, row in scored.qa.summary("model", samples=keys, ci=0.95, percent=True).iterrows():
        assert f"{row['f1']:.1f} [{row['f1_lo']:.1f}, {row['f1_hi']:.1f}]" in told
    compared = scored.qa.compare("model", samples=keys)
    assert all(f"{100 * diff:+.1f}" in told for diff in compared[compared["metric"] == "f1"]["diff"])
    assert "duplicate_rows" not in told
    with pytest.raises(qa_frame.UnknownOptionError, match="on and samples are both given"):
        qa_frame.report(rows, tmp_path / "r2.html", "model", on="question_id", **settings)


def test_one_group(sample, tmp_path):
    one = sample[sample["model"] == "lynx-70b"]
    page = qa_frame.report(one, tmp_path / "r.html", **SETTINGS).read_text("utf-8")
    assert 'id="pairs"' not in page
    assert "highest f1" not in texts_of(page)


def test_files_are_listed_with_their_digests(sample, tmp_path):
    path = tmp_path / "rows.jsonl"
    sample.to_json(path, orient="records", lines=True)
    read = qa_frame.read_results(path)
    page = qa_frame.report(read, tmp_path / "r.html", **SETTINGS).read_text("utf-8")
    assert hashlib.sha256(path.read_bytes()).hexdigest() in page
    path.unlink()
    again = qa_frame.report(read, tmp_path / "r.html", overwrite=True, **SETTINGS).read_text("utf-8")
    assert "(not there any more)" in again


def test_warnings_are_given_and_told(sample, tmp_path):
    few = sample.groupby("model").tail(40)
    with pytest.warns(qa_frame.IntervalWarning):
        page = qa_frame.report(few, tmp_path / "r.html", "model", metrics="f1").read_text("utf-8")
    assert "intervals may hold less often" in texts_of(page)


def figures_of(page):
    return page[page.index('id="leaderboard"') : page.index('id="hazards"')]


@pytest.mark.parametrize(
    "rules",
    [
        {"convention": "drop"},
        {"convention": "coqa", "missing": "null", "extract": ["after_think", re.compile(r"(\w+)"), "boxed|all"]},
        {"convention": "squad2", "reduce": "best", "best_by": "em"},
        {"reduce": np.mean},
    ],
    ids=lambda rules: next(iter(rules.values())),
)
def test_a_scored_frame_keeps_its_scores_and_rules(sample, tmp_path, rules):
    scored = sample.qa.score("response", "answers", metrics=["em", "f1"], **rules)
    settings = {name: value for name, value in SETTINGS.items() if name != "metrics"}
    own = qa_frame.report(scored, tmp_path / "own.html", **settings).read_text("utf-8")
    anew = qa_frame.report(sample, tmp_path / "anew.html", **SETTINGS, **rules).read_text("utf-8")
    assert figures_of(own) == figures_of(anew)
    assert rows_of(own) == rows_of(anew)
    assert scored.attrs["qa_scored"]["f1"]["signature"] in texts_of(own)
    arrow = qa_frame.score(pa.Table.from_pandas(sample), "response", "answers", metrics=["em", "f1"], **rules)
    assert figures_of(qa_frame.report(arrow, tmp_path / "arrow.html", **settings).read_text("utf-8")) == figures_of(own)


def test_scores_that_are_changed_are_shown_as_they_are(sample, tmp_path):
    scored = sample.qa.score("response", "answers", metrics=["em", "f1"])
    scored["f1"] = np.where(scored["model"] == "heron-7b", 0.75, scored["f1"])
    page = qa_frame.report(scored, tmp_path / "r.html", "model", metrics="f1", n_explained=0).read_text("utf-8")
    assert "75.0 [" in texts_of(page)
    assert list(rows_of(page)["scores"]) == ["f1"]


def test_own_metrics_of_a_scored_frame_are_shown(sample, tmp_path):
    length = qa_frame.PairMetric("length", lambda preds, _: [min(len(pred) / 9, 1) for pred in preds])
    scored = sample.qa.score("response", "answers", metrics=["f1", length])
    page = qa_frame.report(scored, tmp_path / "r.html", "model", on="question_id", n_explained=1).read_text("utf-8")
    assert list(rows_of(page)["scores"]) == ["f1", "length"]
    expected = scored.qa.summary("model", ci=0.95, percent=True).loc["lynx-70b", "length"]
    assert f"{expected:.1f} [" in texts_of(page)


def scored_twice(sample):
    one = sample.qa.score("response", "answers", metrics="em")
    return one.qa.score("response", "answers", metrics="f1", convention="drop")


MYSTERIES = {
    "no notes": (lambda sample: pl.from_pandas(sample.qa.score("response", "answers")), {}, "'em' how they were made"),
    "prefix": (lambda sample: sample.qa.score("response", "answers", prefix="my_"), {}, "'my_em' how they were made"),
    "two rules": (scored_twice, {}, r"\['em', 'f1'\] were made by different rules"),
    "others": (lambda sample: sample.qa.score("response", "answers"), {"convention": "drop"}, "leave them out"),
    "lacking": (
        lambda sample: sample.qa.score("response", "answers"),
        {"metrics": "chrf"},
        "metrics='chrf' is not among",
    ),
    "own rules": (
        lambda sample: sample.qa.score("response", "answers", reduce=lambda scores: scores[-1]),
        {},
        "the rules that made the scores have no names here",
    ),
}


@pytest.mark.parametrize("name", MYSTERIES)
def test_scores_of_unknown_rules_are_refused_and_can_be_made_anew(sample, tmp_path, name):
    make, settings, message = MYSTERIES[name]
    frame, settings = make(sample), {"by": "model", "n_explained": 0, **settings}
    with pytest.raises(qa_frame.UnknownOptionError, match=message):
        qa_frame.report(frame, tmp_path / "r.html", **settings)
    path = qa_frame.report(frame, tmp_path / "r.html", pred="response", gold="answers", **settings)
    anew = qa_frame.report(sample, tmp_path / "anew.html", **settings)
    assert figures_of(path.read_text("utf-8")) == figures_of(anew.read_text("utf-8"))


def test_rules_of_ones_own_are_given_again(sample, tmp_path):
    def last(scores):
        return scores[-1]

    scored = sample.qa.score("response", "answers", metrics="f1", reduce=last)
    page = qa_frame.report(scored, tmp_path / "r.html", "model", reduce=last, n_explained=0).read_text("utf-8")
    assert scored.attrs["qa_scored"]["f1"]["signature"] in texts_of(page)
    assert "reduce=reduce" in texts_of(page)


CALLS = {
    "all": {
        "on": ["question_id"],
        "within": ["dataset"],
        "metrics": ("em", "f1", "recall", "contains", "rouge_l", "bleu", "chrf", "rouge_1", "rouge_2"),
        "convention": "squad2",
        "reduce": np.mean,
        "missing": "null",
        "extract": [re.compile(f"({'x' * 300}|.*)", re.DOTALL), "boxed|all"],
        "metric": "recall",
        "title": "What <we> “found”: \n 'so' " * 9,
        "cluster": "question_id",
        "correction": "bh",
        "ci": np.float64(0.9),
        "seed": 3,
        "max_bytes": 9_000,
        "n_explained": 2,
    },
    "samples": {"samples": pd.Index(["question_id"]), "convention": qa_frame.conventions["drop"], "n_explained": 0},
    "defaults": {"metrics": "f1", "seed": np.int64(0), "n_explained": np.int32(1)},
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("is_scored", [False, True])
def test_the_call_on_the_page_makes_the_page_again(sample, tmp_path, monkeypatch, name, is_scored):
    rules = {key: CALLS[name][key] for key in CALLS[name].keys() & {"convention", "reduce", "missing", "extract"}}
    data = sample.qa.score("response", "answers", metrics="all", **rules) if is_scored else sample
    page = qa_frame.report(data, tmp_path / "r.html", "model", **CALLS[name]).read_text("utf-8")
    call = html.unescape(re.search(r"<dt>call</dt><dd><code>(.*?)</code>", page, re.DOTALL).group(1))
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    again = eval(call, {"qa_frame": qa_frame, "data": data, "re": re})
    assert again.read_text("utf-8") == page


def test_nothing_is_left_of_a_page_that_cannot_be_moved(sample, tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.replace", refuse)
    with pytest.raises(qa_frame.ResultWriteError, match=r"r.html cannot be written: Permission denied"):
        qa_frame.report(sample, tmp_path / "r.html", "model", metrics="em", n_explained=0)
    assert list(tmp_path.iterdir()) == []


WRONG = {
    "by": ({"by": "modle"}, qa_frame.ColumnNotFoundError, "by='modle' is not a column"),
    "samples": ({"on": None, "samples": "id"}, qa_frame.ColumnNotFoundError, "samples='id' is not a column"),
    "on": ({"on": "id"}, qa_frame.ColumnNotFoundError, "on='id' is not a column"),
    "twice": ({"on": "dataset", "within": None}, qa_frame.PairingError, r"360 rows share their \['model', 'dataset'\]"),
    "cluster": ({"cluster": "nope"}, qa_frame.ColumnNotFoundError, "cluster='nope' is not a column"),
    "metric": ({"metric": "bleu"}, qa_frame.UnknownOptionError, "metric='bleu' is not known"),
    "size": ({"max_bytes": 0}, qa_frame.UnknownOptionError, "max_bytes=0"),
    "explained": ({"n_explained": -1}, qa_frame.UnknownOptionError, "n_explained=-1"),
    "title": ({"title": 3}, qa_frame.UnknownOptionError, "title=3 is not text"),
    "pred": ({"pred": "nope"}, qa_frame.ColumnNotFoundError, "pred='nope' is not a column"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_arguments(sample, tmp_path, name):
    settings, error, message = WRONG[name]
    with pytest.raises(error, match=message):
        qa_frame.report(sample, tmp_path / "r.html", **{**SETTINGS, **settings})
    assert list(tmp_path.iterdir()) == []


def test_no_rows(sample, tmp_path):
    with pytest.raises(qa_frame.UnknownOptionError, match="data has no rows, so there is nothing to report"):
        qa_frame.report(sample.iloc[:0], tmp_path / "r.html", **SETTINGS)


def test_clusters_need_not_be_shown(sample, tmp_path):
    clustered = sample.assign(document=sample["question_id"].str[:6])
    path = qa_frame.report(clustered, tmp_path / "r.html", **SETTINGS, cluster="document")
    scored = clustered.qa.score("response", "answers", metrics="f1")
    row = scored.qa.summary("model", ci=0.95, cluster="document", percent=True).loc["lynx-70b"]
    assert f"{row['f1']:.1f} [{row['f1_lo']:.1f}, {row['f1_hi']:.1f}]" in texts_of(path.read_text("utf-8"))


def test_names_in_any_script_give_no_warning(sample, tmp_path):
    """Text stays text in the pictures, so what matplotlib's font lacks is not missed."""
    named = sample.assign(model=sample["model"].replace({"heron-7b": "モデル & <b> 😀"}))
    page = qa_frame.report(named, tmp_path / "r.html", **SETTINGS).read_text("utf-8")
    assert "モデル &amp; &lt;b&gt; 😀" in page
    assert "Glyph" not in page


def test_the_remedies_for_samples_work(sample, tmp_path):
    twice = pd.concat([sample, sample])
    settings = SETTINGS | {"metrics": "em", "n_explained": 0}
    message = r"720 rows share their \['model', 'dataset', 'question_id'\] with another, first rows 0, 1, 2"
    with pytest.raises(qa_frame.PairingError, match=message) as caught:
        qa_frame.report(twice, tmp_path / "r.html", **settings)
    keys = (
        re.search(r"df.drop_duplicates\((.*?)\)", str(caught.value)).group(1).strip("[]").replace("'", "").split(", ")
    )
    once = qa_frame.report(twice.drop_duplicates(keys), tmp_path / "once.html", **settings).read_text("utf-8")
    assert 'id="pairs"' in once
    assert "give samples= in place of on=" in str(caught.value)
    samples = settings | {"on": None, "samples": settings["on"]}
    assert 'id="pairs"' in qa_frame.report(twice, tmp_path / "every.html", **samples).read_text("utf-8")


def test_rows_that_cannot_be_grouped(sample, tmp_path):
    with pytest.raises(qa_frame.UnknownOptionError, match="no rows"):
        qa_frame.report(sample.head(0), tmp_path / "r.html", **SETTINGS)
    with pytest.raises(qa_frame.ColumnNotFoundError, match="'model' is null in 120 of 360 rows"):
        qa_frame.report(sample.replace({"model": {"heron-7b": None}}), tmp_path / "r.html", **SETTINGS)


def test_levels_of_the_index_are_told_the_way(sample, tmp_path):
    indexed = sample.set_index(["model", "question_id"])
    with pytest.raises(qa_frame.ColumnNotFoundError, match=r"by='model' is a level of the index.*df.reset_index\(\)"):
        qa_frame.report(indexed, tmp_path / "r.html", **SETTINGS)
    assert qa_frame.report(indexed.reset_index(), tmp_path / "r.html", **SETTINGS).exists()


def test_scores_take_the_place_of_no_key(sample, tmp_path):
    named = sample.rename(columns={"model": "f1"})
    with pytest.raises(qa_frame.ColumnOverwriteError, match="the column 'f1' has the name of a metric"):
        qa_frame.report(named, tmp_path / "r.html", **SETTINGS | {"by": "f1"})
    assert qa_frame.report(named, tmp_path / "r.html", **SETTINGS | {"by": "f1", "metrics": "em"}).exists()


def test_a_file_that_is_there_stays(sample, tmp_path):
    path = tmp_path / "r.html"
    path.write_text("mine")
    with pytest.raises(qa_frame.ResultWriteError, match="is there already"):
        qa_frame.report(sample, path, **SETTINGS)
    assert path.read_text() == "mine"
    with pytest.raises(qa_frame.ResultWriteError, match="is a folder"):
        qa_frame.report(sample, tmp_path, **SETTINGS)
    with pytest.raises(qa_frame.ResultWriteError, match="cannot be written"):
        qa_frame.report(sample, path / "r.html", **SETTINGS)
    assert qa_frame.report(sample, path, overwrite=True, **SETTINGS) == path
    assert [each.name for each in tmp_path.iterdir()] == ["r.html"]


def test_the_options_of_choices_are_read(tmp_path):
    rows = {"question_id": [1, 2] * 2, "model": ["a", "a", "b", "b"], "answers": [["A"], ["B"]] * 2}
    rows |= {"response": ["The answer is Paris", "B", "A", "Rome"], "options": [["Paris", "Rome"]] * 4}
    frame = pd.DataFrame(rows)
    scored = frame.qa.score("response", "answers", metrics="em", extract="choice", choices="options")
    assert scored["em"].tolist() == [1.0] * 4
    anew = {"metrics": "em", "extract": "choice", "choices": "options"}
    for name, made, settings in (("scored", scored, {}), ("anew", frame, anew)):
        path = made.qa.report(tmp_path / f"{name}.html", by="model", on="question_id", **settings)
        assert "choices:&#39;options&#39;" in path.read_text("utf-8")


@pytest.mark.parametrize(("package", "extra"), [("jinja2", "report"), ("matplotlib", "plot")])
def test_a_package_that_is_not_installed_is_named(sample, tmp_path, monkeypatch, package, extra):
    monkeypatch.setitem(sys.modules, package, None)  # as where it is not installed
    with pytest.raises(qa_frame.MissingPackageError, match=rf'pip install "qa-frame\[{extra}\]"'):
        qa_frame.report(sample, tmp_path / "report.html", **SETTINGS)
