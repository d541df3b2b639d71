"""`report`: what the page holds, as data and as HTML. `test_report_in_chromium` looks at it in a browser."""

from __future__ import annotations

import base64
import dataclasses
import gzip
import hashlib
import html
import inspect
import itertools
import json
import re
import sys
import warnings
from html.parser import HTMLParser
from urllib.parse import urlencode

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import qa_frame
from qa_frame.ext.report import embedded_rows
from qa_frame.ext.report import report as report_module
from qa_frame.ext.report.arguments import ReportArguments
from qa_frame.ext.report.page import load_template
from qa_frame.ext.report.report_data import ANSWER_INSIDE
from tests.scored_first import scored_first


def reported(frame, path, *arguments, **options):
    """The report of a frame, which is scored first where it has no scores."""
    names = list(frame.column_names if isinstance(frame, pa.Table) else frame.columns)
    source = {} if {"em", "f1"} & {*names} else {"pred": "response", "gold": "answers"}
    frame, options = scored_first(frame, source | options)
    return qa_frame.report(frame, path, *arguments, **options)


pytestmark = pytest.mark.filterwarnings("ignore::qa_frame.errors.IntervalWarning")

SETTINGS = {"by": "model", "question": "question_id", "within": "dataset", "metrics": ["em", "f1"]}
MOST_EXPLAINED = 4


@pytest.fixture(autouse=True, scope="module")
def few_explained():
    """Explanations take time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(embedded_rows, "MOST_EXPLAINED", MOST_EXPLAINED)
        yield


@pytest.fixture
def drawn():
    """Asked for by tests of what the pictures show, or of names that pictures may not be able to show."""


@pytest.fixture(autouse=True)
def pictures_that_are_looked_at(request):
    """Pictures are drawn for tests that ask for `page` or `drawn`."""
    if not {"page", "drawn"} & {*request.fixturenames}:
        request.getfixturevalue("without_pictures")


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


def tables_of(page):
    """The tables of a page, as frames of text."""
    found = []
    for table in re.findall("<table.*?</table>", page, re.DOTALL):
        rows = [re.findall("<t[hd].*?</t[hd]>", row, re.DOTALL) for row in re.findall("<tr.*?</tr>", table, re.DOTALL)]
        heads, *cells = [[texts_of(cell) for cell in row] for row in rows]
        found.append(pd.DataFrame(cells, columns=heads))
    return found


@pytest.fixture(scope="module")
def page(sample, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    assert reported(sample, path, **SETTINGS) == path
    return path.read_text("utf-8")


@pytest.mark.parametrize("baseline", [None, "otter-chat"])
def test_it_says_which_difference_so_many_questions_find(sample, tmp_path, baseline):
    scored = sample.qa.score(metrics=["em", "contains"], pred="response", gold="answers")
    question = ["dataset", "question_id"]
    path = qa_frame.report(
        scored, tmp_path / "report.html", by="model", question=question, rank_by="contains", baseline=baseline
    )
    text = texts_of(path.read_text("utf-8"))
    compared = scored.qa.compare("model", question, metrics="contains", baseline=baseline)
    (mdd,) = compared.loc[compared["verdict"] == "undecided", "mdd"]
    n = f"these 115 questions would show a difference of {100 * mdd:.1f} points or more in about 80 of 100 evaluations"
    if baseline is None:
        assert f"leads with 55.7 [46.4, 64.8]: better than heron-7b; undecided against otter-chat ({n})." in text
    else:
        assert f"Compared with otter-chat, heron-7b is worse; lynx-70b is undecided ({n})." in text
        assert "model than otter-chat contains human recall em n lynx-70b undecided 55.7 [46.4, 64.8] " in text


@pytest.mark.parametrize("within", [None, "dataset"])
@pytest.mark.parametrize("samples", [False, True])
def test_each_figure_shows_the_rows_that_it_rests_on(sample, tmp_path, within, samples):
    """People have judged answers to questions without golds, too, and not all others."""
    if samples:
        sample = pd.concat([sample] * 2, ignore_index=True)
    scored = sample.qa.score("response", "answers", metrics=["f1", "em"], missing="null")
    path = tmp_path / "report.html"
    scored.qa.report(path, by="model", question="question_id", samples=samples, within=within)
    found = [table for table in tables_of(path.read_text("utf-8")) if {"human", "n_rows"} <= {*table}]
    assert len(found) == (1 if within is None else 3)
    parts = [scored, *(part for _, part in scored.groupby("dataset"))]
    for table, rows in zip(found, parts, strict=False):
        table = table.set_index("model")  # noqa: PLW2901
        for model, own in rows.groupby("model"):
            counts = table.loc[model].to_dict()
            has_gold = own["answers"].map(lambda golds: any(gold is not None for gold in golds or []))
            assert (counts["n_rows"], counts["n_no_gold"]) == (str(len(own)), str((~has_gold).sum()))
            for metric in ("f1", "em", "human"):
                shown = counts.get(f"n_{metric}", counts.get("n_questions" if samples else "n"))
                assert int(shown) == own.loc[own[metric].notna(), "question_id"].nunique()
            if not samples:
                lacking = (own["response"].isna() & has_gold).sum()
                assert int(counts["n_rows"]) == int(counts["n"]) + lacking + int(counts["n_no_gold"])


@pytest.mark.needs("audit")
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
            assert f"{100 * sign * pair['diff']:+.1f}*".replace("-", "−") in told
    for (dataset, _), row in scored.qa.summary(["dataset", "model"], ci=0.95, percent=True).iterrows():
        assert f"{row['em']:.1f} [{row['em_lo']:.1f}, {row['em_hi']:.1f}]" in told
        assert dataset in told
    audited = sample.qa.audit("model", pred="response", gold="answers", metrics=["em", "f1"])
    for check in audited.to_dict("records"):
        assert f"{check['finding']} {check['count']} {100 * check['share']:.1f} %" in told
    assert scored.attrs["qa_scored"]["scorings"][0]["signature"] in told
    assert re.search(r"By recall, lynx-70b leads with \S+ \[\S+, \S+\]: better than heron-7b; undecided against", told)


def rated():
    """Two models: a gives the answer alone, and is wrong more often; b gives it in a long sentence."""
    long = "As everyone who has ever been there will tell you, the answer to this question is without any doubt {}."
    cities = [f"City{place}" for place in range(40)]
    rows = [("a", city if place > 8 else "Rome", place > 8) for place, city in enumerate(cities)]
    rows += [("b", long.format(city if place > 3 else "Rome"), place > 3) for place, city in enumerate(cities)]
    frame = pd.DataFrame(rows, columns=["model", "response", "rated"])
    frame = frame.assign(answers=cities * 2, q=[*range(40)] * 2)
    return frame.qa.score("response", "answers", metrics=["f1", "em", "recall", "contains"])


def words_of(made):
    """The first paragraph. No line ends before a percent sign, which is not shown here."""
    words = re.search(r'<p class="verdict">(.*?)</p>', made.read_text("utf-8"), re.DOTALL).group(1)
    assert " %" not in words
    return words.replace("\u00a0%", " %")


def first_cells(made):
    """The cells of the leaderboard's first column after the names of the groups."""
    leaderboard = made.read_text("utf-8").partition('<table class="first"')[2].partition("</table>")[0]
    return re.findall(r'<th scope="row">.*?</th>\n<td[^>]*>(.*?)</td>', leaderboard)


def test_its_first_paragraph_says_what_spoils_a_metric_and_ranks_by_another(tmp_path):
    words = words_of(rated().drop(columns="recall").qa.report(tmp_path / "r.html", "model", "q", metrics=["f1", "em"]))
    assert words.startswith(
        "<strong>90 % of b&#39;s answers contain a gold and at least twice as many other words (a: 0 %); f1 and em "
        "count these words against them; recall does not.</strong> Without people’s "
        "verdicts, groups are ranked by recall, which does not count the other words of such answers. By recall, b leads with 90.0 ["
    )
    asked = words_of(rated().qa.report(tmp_path / "f.html", "model", "q", metrics=["f1", "em"], rank_by="f1"))
    assert asked.startswith("<strong>This page is sorted by f1, as rank_by= asks, which does not fit: 90 % of b&#39;s")
    assert asked.strip().endswith("; if answers that hold a gold counted as right, b would be ahead.")
    assert "better" not in asked


def test_a_metric_that_no_longer_can_be_made_does_not_rank(tmp_path):
    scored = rated()[["model", "q", "em", "f1"]]
    words = words_of(scored.qa.report(tmp_path / "r.html", "model", "q"))
    assert "Whether f1 fits these answers is not known, as the frame does not hold the texts." in words
    assert "By f1, a leads" in words


def two_models(row, n=50):
    """Two models, "a" and "b". row: the response and the golds of model 0 or 1 to a question."""
    rows = [(model, q, *row(place, q)) for place, model in enumerate("ab") for q in range(n)]
    return pd.DataFrame(rows, columns=["model", "q", "response", "answers"])


def taking_turns(model, q):
    """Each model is right on the questions on which the other one is wrong."""
    return "x" if (q + model) % 2 else "y", ["x"]


NOT_TRUSTED = {
    "missing": (
        lambda model, q: (None if model and q > 10 else "x" if q % 2 else "y", ["x"]),
        "78 % of b&#39;s answers are missing predictions (a: 0 %).",
    ),
    "no gold at all": (lambda *_: ("x", []), "100 % of the answers have no gold, and so no score."),
    "few golds": (
        lambda _, q: ("y" if q % 20 else "x", [] if q % 10 else ["x"]),
        "90 % of the answers have no gold, and so no score.",
    ),
    "thoughts": (
        lambda *_: ("<think> x? </think> Paris", ["Rome"]),
        "All scores are 0 by f1.</strong> <strong>100 % of the answers fail the check think_tags.",
    ),
    "all wrong": (lambda *_: ("y", ["x"]), "All scores are 0 by f1."),
}


@pytest.mark.filterwarnings("ignore::qa_frame.errors.ScoringWarning", "ignore::qa_frame.errors.PairingWarning")
@pytest.mark.parametrize("name", NOT_TRUSTED)
def test_its_first_sentence_says_why_figures_are_not_to_be_trusted(tmp_path, name):
    row, sentence = NOT_TRUSTED[name]
    scored = two_models(row).qa.score("response", "answers", metrics=["em", "f1"])
    words = words_of(scored.qa.report(tmp_path / "r.html", "model", "q"))
    assert words.startswith(f"<strong>{sentence}</strong>")


def test_nothing_is_said_where_nothing_spoils_the_scores(tmp_path):
    scored = two_models(taking_turns).qa.score("response", "answers", metrics=["em", "f1"])
    words = words_of(scored.qa.report(tmp_path / "r.html", "model", "q"))
    assert words.startswith("By f1, a and b are equal")


def test_where_questions_are_missing_pairs_sort_the_page(tmp_path):
    """b has the easy third of the questions, and the higher mean."""
    frame = two_models(lambda model, q: ("x" if q < 20 - model or q % 5 == 0 else "y", ["x"]), 60)
    scored = frame[(frame["model"] == "a") | (frame["q"] < 20)].qa.score("response", "answers", metrics=["em", "f1"])
    words = words_of(scored.qa.report(tmp_path / "r.html", "model", "q"))
    assert scored.groupby("model")["f1"].mean().idxmax() == "b"
    assert words.startswith("<strong>Of 60 questions, b has answers to 20, a has answers to 60: means are over each")
    assert "By f1, a leads with" in words


@pytest.mark.parametrize("row", [taking_turns, lambda *_: ("x", ["x"])])
def test_equal_groups_are_called_equal(tmp_path, row):
    pair = two_models(row)
    behind = two_models(lambda _, q: ("x" if q < 5 else "y", ["x"]))
    for name, more in {"two": [], "three": [behind[behind["model"] == "a"].assign(model="c")]}.items():
        scored = pd.concat([pair, *more]).qa.score("response", "answers", metrics=["em", "f1"])
        words = words_of(scored.qa.report(tmp_path / f"{name}.html", "model", "q"))
        mean = 100 * scored.loc[scored["model"] == "a", "f1"].mean()
        verdicts = ": a is better than c; undecided against b" if more else ""
        said = rf"By f1, a and b are equal \({mean:.1f} \[.*\]\){verdicts}( \(these .*\))?\."
        assert re.search(said, words)
        assert "leads" not in words


@pytest.mark.parametrize(("margin", "within"), [(0.2, 20), ({"human": 0.2}, 20), ({"f1": 0.01}, None)])
def test_verdicts_of_a_margin_say_it(sample, tmp_path, margin, within):
    scored = sample.qa.score("response", "answers", metrics=["em", "f1"])
    asked = {"margin": margin, "rank_by": "human", "baseline": "lynx-70b"}
    words = words_of(scored.qa.report(tmp_path / "r.html", "model", ["dataset", "question_id"], **asked))
    if within is None:
        assert "within" not in words
    else:
        compared = f"heron-7b is worse; otter-chat is equivalent (within {within} points)"
        assert f"Compared with lynx-70b, {compared}." in words


@pytest.mark.filterwarnings("ignore::qa_frame.errors.ScoringWarning")
@pytest.mark.parametrize("name", ["rated", "human"])
def test_peoples_verdicts_decide_which_metric_leads(tmp_path, name):
    frame = rated().rename(columns={"rated": name})
    human = {"human": "rated"} if name == "rated" else {}
    words = words_of(frame.qa.report(tmp_path / "r.html", "model", "q", **human))
    assert (
        f"People (column {name}) accept 90.0 % of b’s answers and 77.5 % of a’s (80 verdicts: enough to choose a"
        in words
    )
    assert (
        "of the metrics that agree best with these verdicts, recall treats groups most alike (AUC 1.00; em .73)."
        in words
    )
    assert "By recall, b leads with 90.0 [" in words
    asked = words_of(frame.qa.report(tmp_path / "f.html", "model", "q", rank_by="f1", **human))
    assert asked.startswith("<strong>This page is sorted by f1, as rank_by= asks, which does not fit: 90 % of b&#39;s")
    assert "agree best with these verdicts, recall treats groups most alike" in asked
    assert "By f1, a leads" in asked
    assert "better" not in asked


def judged(n=40):
    """Two models, each of which is right on the questions on which the other one is wrong."""
    rows = [(model, q, "x" if (q + place) % 2 else "y", ["x"]) for place, model in enumerate("ab") for q in range(n)]
    frame = pd.DataFrame(rows, columns=["model", "q", "response", "answers"])
    return frame.qa.score("response", "answers", metrics=["f1", "em"])


def test_people_rank_where_no_metric_tells_right_from_wrong(tmp_path):
    scored = judged().assign(human=lambda rows: (rows["q"] // 2 + (rows["model"] == "b")) % 4 > 0)
    words = words_of(scored.qa.report(tmp_path / "r.html", "model", "q"))
    assert "no metric here tells right from wrong (the best is f1, AUC .50): rank by people." in words
    assert "By human, a and b are equal (75.0 [" in words


PEOPLE = {
    "agree": (lambda model, q: model == "a" or q > 30, ": better than all others.", ["1", "2", "3"]),
    "are undecided": (
        lambda model, q: model == "a" or q > 2,
        ": better than c; undecided by people’s verdicts against b.",
        ["1–\u20602", "1–\u20602", "3"],
    ),
    "contradict": (
        lambda model, q: model == "b" or q > 12,
        ": better than c; decided otherwise by people’s verdicts for b.",
        ["1–\u20602", "1–\u20602", "3"],
    ),
}


@pytest.mark.parametrize("name", PEOPLE)
def test_people_are_heard_before_a_group_is_called_better(tmp_path, name):
    """By the scores a is always right, b now and then, and c never. People say so of c."""
    is_right, verdict, ranks = PEOPLE[name]
    rows = [(model, q, "x" if model == "a" or (model == "b" and q > 30) else "y") for model in "abc" for q in range(40)]
    frame = pd.DataFrame(rows, columns=["model", "q", "response"]).assign(answers="x")
    frame["human"] = [model != "c" and is_right(model, q) for model, q, _ in rows]
    scored = frame.qa.score("response", "answers", metrics="f1")
    path = scored.qa.report(tmp_path / "r.html", "model", "q")
    assert words_of(path).strip().endswith(verdict)
    assert first_cells(path) == ranks
    with_baseline = first_cells(scored.qa.report(tmp_path / "b.html", "model", "q", baseline="b"))
    assert with_baseline[0].partition(" ")[0] == {"agree": "better", "contradict": "decided"}.get(name, "undecided")


@pytest.mark.parametrize("asked", [[{"role": "user", "content": "Where?"}], {"text": "Where?"}, {"Where?"}])
def test_questions_of_any_type_are_shown(tmp_path, asked):
    rows = [(model, q, "x", ["x"], asked) for model in "ab" for q in range(8)]
    frame = pd.DataFrame(rows, columns=["model", "q", "response", "answers", "question"])
    scored = frame.qa.score("response", "answers", metrics=["f1", "em"])
    assert rows_of(scored.qa.report(tmp_path / "r.html", "model", "q").read_text("utf-8"))["text"]["texts"] == [
        str(asked)
    ]


@pytest.mark.filterwarnings("ignore::qa_frame.errors.ScoringWarning")
def test_scores_beyond_1_keep_their_units_and_others_are_in_percent(tmp_path):
    frame = rated()
    graded = frame.assign(grade=1 + 4 * frame["rated"])
    metrics = ["recall", "rated", "grade"]
    path = graded.qa.report(tmp_path / "g.html", "model", "q", metrics=metrics, rank_by="grade")
    words = " ".join(texts_of(path.read_text("utf-8")).split())
    assert "Figures are means in percent (" in words
    assert "grade: in their own units)" in words
    assert f"By grade, b leads with {graded.groupby('model')['grade'].mean().max():.1f} [" in words
    assert " 90.0 [" in words  # the mean of `rated` is .9
    surprised = frame.assign(logprob=-1 - 4 * frame["rated"])
    path = surprised.qa.report(tmp_path / "l.html", "model", "q", metrics=["logprob", "recall"], rank_by="logprob")
    words = " ".join(texts_of(path.read_text("utf-8")).split())
    assert "logprob: in their own units)" in words
    assert f"By logprob, a leads with \u2212{-surprised.groupby('model')['logprob'].mean().max():.1f} [\u2212" in words


@pytest.mark.filterwarnings("ignore::qa_frame.errors.ScoringWarning")
def test_any_column_of_numbers_is_a_metric(tmp_path):
    page = rated().qa.report(tmp_path / "r.html", "model", "q", metrics=["em", "rated"]).read_text("utf-8")
    assert list(rows_of(page)["scores"]) == ["recall", "em", "rated"]
    assert "90.0 [" in texts_of(page)
    with pytest.raises(qa_frame.errors.VerdictError, match="human='response' holds string"):
        rated().qa.report(tmp_path / "w.html", "model", "q", human="response")


@pytest.mark.thorough
def test_a_question_that_a_group_has_twice_is_left_out_and_counted(sample, tmp_path):
    twice = pd.concat([sample, sample.iloc[[5]].assign(response="Paris")], ignore_index=True)
    with pytest.warns(
        qa_frame.errors.PairingWarning, match="comparisons leave out 1 question of 120, as a group has sev"
    ):
        told = texts_of(reported(twice, tmp_path / "r.html", **SETTINGS).read_text("utf-8"))
    assert "comparisons leave out 1 question of 120" in told
    rest = sample[sample["question_id"] != sample["question_id"].iloc[5]].qa.score("response", "answers", metrics="f1")
    for diff in rest.qa.compare("model", ["dataset", "question_id"])["diff"]:
        assert f"{100 * diff:+.1f}*".replace("-", "−") in told


@pytest.mark.thorough
def test_what_makes_tables_untrue_stands_open_above_them(sample, tmp_path):
    other = sample.assign(question=sample["question"].where(sample["model"] != "lynx-70b", "Why?"))
    with pytest.warns(qa_frame.errors.PairingWarning, match="takes rows of different questions for one"):
        page = reported(other, tmp_path / "r.html", **SETTINGS).read_text("utf-8")
    assert page.index("takes rows of different questions for one") < page.index('<p class="verdict">')


def test_the_picture_of_differences_says_how_its_intervals_are_corrected(page):
    assert "Differences in recall on the same questions, with Holm-corrected 95 % intervals" in page


def test_a_baseline_is_what_others_are_compared_with(sample, tmp_path):
    settings = SETTINGS | {"baseline": "heron-7b", "margin": 0.02, "macro": "dataset"}
    page = reported(sample, tmp_path / "r.html", **settings).read_text("utf-8")
    told = texts_of(page)
    assert "Compared with heron-7b, all others are better." in told
    scored = sample.qa.score("response", "answers", metrics=["em", "f1"])
    row = scored.qa.summary("model", macro="dataset", ci=0.95, percent=True).loc["lynx-70b"]
    assert f"{row['f1']:.1f} [{row['f1_lo']:.1f}, {row['f1_hi']:.1f}]" in told
    pairs = page[page.index('id="pairs"') : page.index('id="datasets"')]
    assert re.findall(r'<th scope="row"><bdi>(.*?)</bdi>', pairs) == ["lynx-70b", "otter-chat"] * 4
    with pytest.raises(
        qa_frame.errors.UnknownOptionError, match="baseline='heron' is not known; did you mean 'heron-7b'"
    ):
        reported(sample, tmp_path / "w.html", **SETTINGS | {"baseline": "heron"})


@pytest.mark.thorough
@pytest.mark.usefixtures("drawn")
def test_many_groups_and_datasets_have_a_map_and_ranks(sample, tmp_path):
    many = pd.concat([sample.assign(model=sample["model"] + f"-{number}") for number in range(3)])
    page = reported(many, tmp_path / "r.html", **SETTINGS).read_text("utf-8")
    assert "Ranks by recall on the same questions" in page
    table = page[page.index('id="leaderboard"') : page.index('id="pictures"')]
    assert len(re.findall(r'style="--share:[01]\.\d+"', table)) == 9 * sample["dataset"].nunique()
    assert '<section id="pairs" aria-labelledby="h-pairs">' in page


@pytest.mark.thorough
@pytest.mark.usefixtures("drawn")
def test_pairs_of_many_groups_are_folded_and_pictures_are_cut(sample, tmp_path):
    many = pd.concat([sample.assign(model=sample["model"] + f"-{number}") for number in range(8)])
    page = reported(many, tmp_path / "r.html", **SETTINGS | {"metrics": "f1"}).read_text("utf-8")
    pairs = page[page.index('<section id="pairs"') : page.index('<section id="datasets"')]
    assert 'class="folded"' in pairs
    assert "<details open" not in pairs
    assert "individual 95 % intervals: 1 to 12 of 24" in page
    assert "individual 95 % intervals: 13 to 24 of 24" in page


@pytest.mark.thorough
def test_rows_that_differ_most_are_explained(sample, tmp_path, monkeypatch):
    monkeypatch.setattr(embedded_rows, "MOST_EXPLAINED", 60)
    held = rows_of(reported(sample, tmp_path / "r.html", **SETTINGS, rank_by="f1").read_text("utf-8"))
    scored = sample.qa.score("response", "answers", metrics="f1").assign(place=np.arange(len(sample)))
    wide = scored.set_index(["model", "question_id"])[["f1", "place"]].unstack(0)  # noqa: PD010
    first = (wide["f1"].max(axis=1) - wide["f1"].min(axis=1)).idxmax()
    assert {str(int(place)) for place in wide["place"].loc[first]} <= held["explained"].keys()


def test_remedies_are_shown(page):
    checks = page[page.index('id="h-checks"') : page.index('id="rows"')]
    assert re.search(r'<td class="text">[^<]*extract=', html.unescape(checks))


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


@pytest.mark.needs("explain")
def test_explanations_are_those_of_explain(page, sample):
    explained = rows_of(page)["explained"]
    assert len(explained) == MOST_EXPLAINED
    for place, told in explained.items():
        own = qa_frame.explain(sample, int(place), pred="response", gold="answers", metrics=["em", "f1"])
        assert told == own._repr_html_().partition("</style>")[2]


@pytest.mark.needs("audit")
def test_checks_lead_to_their_rows(page, sample):
    held = rows_of(page)
    audited = sample.qa.audit("model", pred="response", gold="answers")
    counts = dict(zip(audited["finding"], audited["count"], strict=True))
    scored = sample.qa.score("response", "answers", metrics=["em", "recall"])
    counts[ANSWER_INSIDE] = ((scored["em"] == 0) & (scored["recall"] == 1)).sum()
    for code, name in enumerate(held["checks"]):
        assert sum(code in failed for failed in held["failed"]) == counts[name]
        assert html.escape(f'href="#rows?{urlencode({"check": name})}"', quote=False) in page
    assert ANSWER_INSIDE in held["checks"]


def test_the_policy_allows_its_own_script_alone(page):
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    assert len(scripts) == 1
    digest = base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page).group(1)
    assert f"script-src &#39;sha256-{digest}&#39;" in policy.replace("'", "&#39;")
    assert policy.startswith("default-src 'none'")
    assert not re.search(r'(?:src|href)="(?!#)', page)


@pytest.mark.thorough
@pytest.mark.parametrize("kind", [pl.from_pandas, lambda frame: pa.Table.from_pandas(frame, preserve_index=False)])
def test_every_kind_of_frame_gives_the_same_page(page, sample, kind, tmp_path):
    made = reported(kind(sample), tmp_path / "report.html", **SETTINGS)
    assert made.read_text("utf-8") == page


@pytest.mark.thorough
def test_the_order_of_rows_and_the_index_change_no_figure(sample, page, tmp_path):
    shuffled = sample.sample(frac=1, random_state=3)
    made = reported(shuffled, tmp_path / "report.html", **SETTINGS).read_text("utf-8")
    part = slice(page.index('id="leaderboard"'), page.index('id="checks"'))
    assert made[made.index('id="leaderboard"') : made.index('id="checks"')] == page[part]


HOSTILE = "</script><script>alert(1)</script>\"'&<img src=x onerror=alert(1)>\u202eabc\x00{{ 7 * 7 }}"


@pytest.mark.usefixtures("drawn")
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
    made = reported(rows, tmp_path / "r.html", "model", question="id", within="dataset", title=HOSTILE)
    page = made.read_text("utf-8")
    assert page.count("<script") == 2
    assert "<img" not in page
    assert "49" not in re.findall(r"<title>(.*?)</title>", page, re.DOTALL)[0]
    held = rows_of(page)
    assert HOSTILE in held["response"]
    assert not any("<img" in told or "<script" in told for told in held["explained"].values())


@pytest.mark.thorough
def test_rows_that_do_not_fit_are_said(sample, tmp_path, monkeypatch):
    whole = reported(sample, tmp_path / "whole.html", **SETTINGS)
    size = len(re.search(r'id="packed">([^<]*)<', whole.read_text("utf-8")).group(1))
    monkeypatch.setattr(embedded_rows, "MOST_BYTES", size // 2)
    made = reported(sample, tmp_path / "part.html", **SETTINGS)
    page = made.read_text("utf-8")
    held = rows_of(page)
    assert 40 < len(held["row"]) < 300
    assert f"{len(held['row'])} of 360 rows are here" in texts_of(page)
    kept = sample.qa.score("response", "answers", metrics="f1")["f1"].iloc[sorted(held["row"])]
    assert (kept == 0).sum() > 20
    assert (kept == 1).sum() > 3
    monkeypatch.setattr(embedded_rows, "MOST_BYTES", 10)
    assert len(rows_of(reported(sample, tmp_path / "one.html", **SETTINGS).read_text("utf-8"))["row"]) == 1


def test_without_questions_there_are_no_pairs(sample, tmp_path):
    rows = sample.drop(columns=["question_id", "question", "dataset"])
    page = reported(rows, tmp_path / "r.html", "model", metrics="em").read_text("utf-8")
    assert 'id="pairs"' not in page
    assert 'id="datasets"' not in page
    assert rows_of(page)["question"] is None


@pytest.mark.thorough
def test_several_samples_of_a_question(sample, tmp_path):
    rows = pd.concat([sample, sample.assign(response="Paris")[sample["dataset"] == "facts"]], ignore_index=True)
    settings = {
        "question": "question_id",
        "samples": True,
        "within": "dataset",
        "metrics": ["em", "f1"],
    }
    page = reported(rows, tmp_path / "r.html", "model", **settings).read_text("utf-8")
    told = texts_of(page)
    scored = rows.qa.score("response", "answers", metrics=["em", "f1"])
    keys = ["dataset", "question_id"]
    for _, row in scored.qa.summary("model", question=keys, ci=0.95, percent=True).iterrows():
        assert f"{row['f1']:.1f} [{row['f1_lo']:.1f}, {row['f1_hi']:.1f}]" in told
    compared = scored.qa.compare("model", question=keys, samples=True)
    assert all(f"{100 * diff:+.1f}".replace("-", "−") in told for diff in compared[compared["metric"] == "f1"]["diff"])
    assert "duplicate_rows" not in told


@pytest.mark.usefixtures("drawn")
def test_one_group(sample, tmp_path):
    one = sample[sample["model"] == "lynx-70b"]
    page = reported(one, tmp_path / "r.html", **SETTINGS).read_text("utf-8")
    assert 'id="pairs"' not in page
    text = texts_of(page)
    assert re.search(r"lynx-70b has a mean (em|f1) of \S+ \[", text)
    assert not any(words in text for words in ("leads with", "Sorted by", "is bold", " rank ", "ranks"))


@pytest.mark.needs("files")
def test_files_are_listed_with_their_digests(sample, tmp_path):
    path = tmp_path / "rows.jsonl"
    sample.to_json(path, orient="records", lines=True)
    read = qa_frame.read_results(path)
    settings = {"by": "model", "metrics": "em"}
    page = reported(read, tmp_path / "r.html", **settings).read_text("utf-8")
    assert hashlib.sha256(path.read_bytes()).hexdigest() in page
    path.write_text("other")  # only what was read counts
    assert reported(read, tmp_path / "r.html", overwrite=True, **settings).read_text("utf-8") == page


@pytest.mark.parametrize(
    "notes",
    [{"/dev/zero": {}}, {"/etc/passwd": None}, {"x": {"sha256": 5}}, ["/dev/zero"], "x", {1: {"sha256": "<b>"}}, None],
    ids=str,
)
def test_files_in_notes_from_elsewhere_are_not_opened(sample, tmp_path, notes):
    noted = sample.copy()
    noted.attrs["qa_files"] = notes
    page = reported(noted, tmp_path / "r.html", "model", metrics="em").read_text("utf-8")
    assert "SHA-256" not in page


def figures_of(page):
    shown = page[page.index('id="leaderboard"') : page.index('id="checks"')]
    return re.sub(r"\n<details><summary>\d+ warnings?<.*?</details>", "", shown, flags=re.DOTALL)


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
    sample = sample.groupby("model").head(40)
    scored = sample.qa.score("response", "answers", metrics=["em", "f1"], **rules)
    settings = {name: value for name, value in SETTINGS.items() if name != "metrics"}
    own = reported(scored, tmp_path / "own.html", **settings).read_text("utf-8")
    anew = reported(sample, tmp_path / "anew.html", **SETTINGS, **rules).read_text("utf-8")
    assert figures_of(own) == figures_of(anew)
    assert rows_of(own) == rows_of(anew)
    assert scored.attrs["qa_scored"]["scorings"][0]["signature"] in texts_of(own)
    arrow = qa_frame.score(pa.Table.from_pandas(sample), "response", "answers", metrics=["em", "f1"], **rules)
    assert figures_of(reported(arrow, tmp_path / "arrow.html", **settings).read_text("utf-8")) == figures_of(own)


def test_scores_that_are_changed_are_shown_as_they_are(sample, tmp_path):
    scored = sample.qa.score("response", "answers", metrics=["em", "f1"])
    scored["f1"] = np.where(scored["model"] == "heron-7b", 0.75, scored["f1"])
    page = reported(scored, tmp_path / "r.html", "model", metrics="f1").read_text("utf-8")
    assert "75.0 [" in texts_of(page)
    assert list(rows_of(page)["scores"]) == ["recall", "f1", "human"]


def scored_twice(sample):
    one = sample.qa.score("response", "answers", metrics="em")
    return one.qa.score("response", "answers", metrics="f1", convention="drop")


def scored_with_prefixes(sample, *prefixes):
    for number, prefix in enumerate(prefixes):
        convention = ["squad", "triviaqa"][number]
        rules = {"pred": "response", "gold": "answers", "metrics": ["em", "f1"], "convention": convention}
        sample = qa_frame.score(sample, prefix=prefix, **rules)
    return sample


PREFIXED = {
    "all": (["x_"], {}, {}),
    "by column": (
        ["x_"],
        {"metrics": ["x_f1", "human"], "rank_by": "x_f1"},
        {"metrics": ["f1", "human"], "rank_by": "f1"},
    ),
    "by metric": (["x_"], {"rank_by": "em", "margin": {"x_em": 0.02}}, {"rank_by": "em", "margin": {"em": 0.02}}),
    "of two": (["x_", "y_"], {"metrics": ["x_em"]}, {"metrics": ["em"]}),
}


@pytest.mark.parametrize(
    ("name", "kind"),
    [*((name, pd.DataFrame) for name in PREFIXED), ("all", pl.from_pandas), ("of two", pa.Table.from_pandas)],
)
def test_scores_with_a_prefix_make_the_same_page(sample, tmp_path, name, kind):
    pages = []
    prefixes, asked, of_metrics = PREFIXED[name]
    for settings, names in ((asked, prefixes), (of_metrics, [""])):
        path = tmp_path / str(len(pages)) / "r.html"
        path.parent.mkdir()
        scored = scored_with_prefixes(kind(sample), *names)
        qa_frame.report(scored, path, "model", ["dataset", "question_id"], **settings)
        pages.append(path.read_text("utf-8"))
    with_prefix, without = (re.sub(r'id="packed">[^<]*<', "<", page) for page in pages)
    assert with_prefix == without
    assert rows_of(pages[0]) == rows_of(pages[1])


@pytest.mark.thorough
def test_scores_without_memory_are_shown_alone(sample, tmp_path):
    """The figures need no rules; explanations and doubtful texts do."""
    scored = sample.groupby("model").head(40).qa.score("response", "answers", metrics=["em", "f1"])
    bare = pl.from_pandas(scored)
    with pytest.warns(qa_frame.errors.MixedScoresWarning, match="how they were made; df.qa.with_scoring_of"):
        page = qa_frame.report(bare, tmp_path / "bare.html", **SETTINGS).read_text("utf-8")
    known = qa_frame.report(qa_frame.with_scoring_of(bare, scored), tmp_path / "known.html", **SETTINGS).read_text(
        "utf-8"
    )
    whole = qa_frame.report(scored, tmp_path / "whole.html", **SETTINGS).read_text("utf-8")
    assert {"recall", *rows_of(page)["scores"]} == {*rows_of(whole)["scores"]}
    assert figures_of(known) == figures_of(whole)


def test_rules_of_ones_own_are_not_remembered(sample, tmp_path):
    scored = sample.qa.score("response", "answers", metrics="f1", reduce=lambda scores: scores[-1])
    with pytest.warns(qa_frame.errors.MixedScoresWarning, match="reduce"):
        page = qa_frame.report(scored, tmp_path / "r.html", "model").read_text("utf-8")
    assert scored.attrs["qa_scored"]["scorings"][0]["signature"] in texts_of(page)


@pytest.mark.parametrize(
    ("make", "settings", "message"),
    [
        (lambda sample: sample, {}, r"score it first with df.qa.score\(pred='response', gold='answers'\)"),
        (
            lambda sample: scored_with_prefixes(sample, "x_", "y_"),
            {},
            r"\['x_em', 'x_f1', 'y_em', 'y_f1'\] have several prefixes; let metrics= name those of one",
        ),
        (scored_twice, {}, r"\['em', 'f1'\] were made by several rules"),
        (lambda sample: sample.qa.score("response", "answers"), {"metrics": "chrf"}, "metrics='chrf' is not among"),
    ],
)
def test_scores_that_are_not_there_or_of_several_rules(sample, tmp_path, make, settings, message):
    with pytest.raises(qa_frame.QaFrameError, match=message):
        qa_frame.report(make(sample), tmp_path / "r.html", "model", **settings)
    assert list(tmp_path.iterdir()) == []


def test_the_page_names_all_settings_that_were_asked_for(sample, tmp_path):
    data = sample.groupby("model").head(12).qa.score("response", "answers", metrics=["em", "f1"])
    asked = {
        "question": ["question_id"],
        "metrics": ("em", "f1"),
        "rank_by": "em",
        "correction": "none",
        "ci": 0.9,
    }
    settings = {"title": "What <we> found", "cluster": "question_id", **asked}
    page = qa_frame.report(data, tmp_path / "r.html", "model", **settings).read_text("utf-8")
    told = html.unescape(re.search(r"<dt>settings</dt><dd><code>(.*?)</code>", page, re.DOTALL).group(1))
    assert told == (
        "by='model', question=['question_id'], metrics=('em', 'f1'), rank_by='em', title='What <we> found', "
        "cluster='question_id', correction='none', ci=0.9"
    )


def test_nothing_is_left_of_a_page_that_cannot_be_moved(sample, tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.replace", refuse)
    with pytest.raises(qa_frame.errors.ResultWriteError, match=r"r.html cannot be written: Permission denied"):
        reported(sample, tmp_path / "r.html", "model", metrics="em")
    assert list(tmp_path.iterdir()) == []


WRONG = {
    "by": ({"by": "modle"}, qa_frame.errors.ColumnNotFoundError, "by='modle' is not a column"),
    "samples": ({"question": None, "samples": True}, qa_frame.errors.UnknownOptionError, "samples=True"),
    "question": ({"question": "id"}, qa_frame.errors.ColumnNotFoundError, "question='id' is not a column"),
    "twice": (
        {"question": "dataset", "within": None},
        qa_frame.errors.PairingError,
        "360 rows share their by='model' and question='dataset'",
    ),
    "cluster": ({"cluster": "nope"}, qa_frame.errors.ColumnNotFoundError, "cluster='nope' is not a column"),
    "rank_by": ({"rank_by": "bleu"}, qa_frame.errors.UnknownOptionError, "rank_by='bleu' is not"),
    "title": ({"title": 3}, qa_frame.errors.UnknownOptionError, "title=3 is not text"),
    "pred": ({"pred": "nope"}, qa_frame.errors.ColumnNotFoundError, "pred='nope' is not a column"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_arguments(sample, tmp_path, name):
    settings, error, message = WRONG[name]
    with pytest.raises(error, match=message):
        reported(sample, tmp_path / "r.html", **{**SETTINGS, **settings})
    assert list(tmp_path.iterdir()) == []


def test_a_frame_without_rows(sample, tmp_path):
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="data has no rows, so there is nothing to report"):
        reported(sample.head(0), tmp_path / "r.html", **SETTINGS)


def test_a_file_that_is_there_stays(sample, tmp_path):
    path = tmp_path / "r.html"
    path.write_text("mine")
    settings = {"by": "model", "metrics": "em"}
    with pytest.raises(qa_frame.errors.ResultWriteError, match="is there already"):
        reported(sample, path, **settings)
    assert path.read_text() == "mine"
    with pytest.raises(qa_frame.errors.ResultWriteError, match="is a folder"):
        reported(sample, tmp_path, **settings)
    with pytest.raises(qa_frame.errors.ResultWriteError, match="cannot be written"):
        reported(sample, path / "r.html", **settings)
    with pytest.raises(qa_frame.errors.ResultWriteError, match=r"cannot be written: .*choose another path"):
        reported(sample, tmp_path / f"{'x' * 400}.html", **settings)
    assert reported(sample, path, overwrite=True, **settings) == path
    assert [each.name for each in tmp_path.iterdir()] == ["r.html"]


def test_a_report_takes_the_place_of_a_report_and_of_no_other_page(sample, tmp_path):
    """So a cell of a notebook can be run again."""
    path, settings = tmp_path / "r.html", {"by": "model", "metrics": "em"}
    first = reported(sample, path, **settings).read_text("utf-8")
    second = reported(sample, path, title="another", **settings).read_text("utf-8")
    assert "<title>another</title>" not in first
    assert "<title>another</title>" in second
    path.write_text("<!doctype html>\n<title>mine, about qa_frame</title>")
    with pytest.raises(qa_frame.errors.ResultWriteError, match="is no report; choose another"):
        reported(sample, path, **settings)


@pytest.mark.parametrize(
    ("settings", "left", "prefix"),
    [
        ({"by": "model", "question": "question_id", "within": "human"}, ["em", "f1"], ""),
        ({"by": "model", "question": "question_id", "within": "f1"}, ["em", "human"], "x_"),
        ({"by": "human"}, ["em", "f1"], "x_"),
        ({"by": "em"}, ["f1", "human"], ""),
    ],
)
@pytest.mark.filterwarnings("ignore::qa_frame.errors.ScoringWarning", "ignore::qa_frame.errors.PairingWarning")
def test_columns_of_verdicts_and_scores_make_groups(sample, tmp_path, settings, left, prefix):
    scored = sample.qa.score("response", "answers", metrics=["em", "f1"], prefix=prefix)
    keys = {name: prefix * (key in {"em", "f1"}) + key for name, key in settings.items()}
    page = qa_frame.report(scored, tmp_path / "r.html", **keys).read_text("utf-8")
    rows = rows_of(page)
    assert [name for name in rows["scores"] if name != "recall"] == left
    assert {"0.0", "1.0", "False", "True"} & {*rows["groups"], *(rows["dataset"] or {"texts": []})["texts"]}
    key = {*keys.values()} & {f"{prefix}em", f"{prefix}f1", "human"}
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="makes the groups, as by= or within= names it"):
        qa_frame.report(scored, tmp_path / "w.html", metrics=[*key], **keys)
    with pytest.raises(qa_frame.errors.UnknownOptionError, match=r"human=.* makes the groups"):
        qa_frame.report(scored, tmp_path / "w.html", human=next(iter(key)), **keys)


@pytest.mark.parametrize("metrics", [None, "judged", ["f1", "judged"]])
def test_scores_without_texts_are_reported(tmp_path, metrics):
    own = pd.DataFrame({"model": list("aabb"), "q": [1, 2] * 2, "f1": [0, 1, 1, 0.5], "judged": [1.0, 0, 1, 1]})
    with warnings.catch_warnings():
        warnings.simplefilter("error", qa_frame.errors.MixedScoresWarning)
        page = qa_frame.report(own, tmp_path / "r.html", "model", "q", metrics=metrics).read_text("utf-8")
    rows, told = rows_of(page), texts_of(page)
    assert [rows[name] for name in ("response", "golds", "explained")] == [None, None, {}]
    assert list(rows["scores"]) == ["f1"] if metrics is None else [metrics] if isinstance(metrics, str) else metrics
    if metrics != "judged":
        assert "Whether f1 fits these answers is not known, as the frame does not hold how the answers were" in told
    assert "Without the texts and the rules of their scoring, audit checks nothing." in told
    with pytest.raises(qa_frame.errors.ColumnNotFoundError, match="or let metrics= name columns of numbers"):
        qa_frame.report(own.drop(columns="f1"), tmp_path / "w.html", "model", "q")
    assert qa_frame.report(own.drop(columns="f1"), tmp_path / "w.html", "model", "q", metrics="judged").exists()


@pytest.mark.usefixtures("drawn")
@pytest.mark.thorough
def test_names_from_right_to_left_stand_before_their_figures(sample, tmp_path):
    """A name that is not isolated would have the figure behind it on its other side."""
    names = dict(zip(sorted(sample["model"].unique()), ["٧٠-نموذج", "سريع 7b", "lynx-70b"], strict=True))
    frame = sample.assign(model=sample["model"].map(names), dataset="بيانات-" + sample["dataset"])
    twice = pd.concat([frame, frame.iloc[[5]].assign(response="Paris")], ignore_index=True)
    with pytest.warns(qa_frame.errors.PairingWarning):
        page = reported(twice, tmp_path / "r.html", **SETTINGS).read_text("utf-8")
    body = re.sub(r"<(style|script).*?</\1>|<th.*?</th>|<bdi>.*?</bdi>|<!--.*?-->", "", page, flags=re.DOTALL)
    texts = re.findall(r">([^<]*[\u0600-\u06ff][^<]*)<", body)
    assert sum("<text" in line for line in page.split(">")) > 0
    assert len(texts) >= 10
    for text in texts:
        assert not re.search("[\u0600-\u06ff]", re.sub("\u2068.*?\u2069", "", text)), text
    assert any("99.1\u00a0% of \u2068سريع 7b\u2069" in text for text in texts)


def test_the_options_of_choices_are_read(tmp_path):
    rows = {"question_id": [1, 2] * 2, "model": ["a", "a", "b", "b"], "answers": [["A"], ["B"]] * 2}
    rows |= {"response": ["The answer is Paris", "B", "A", "Rome"], "options": [["Paris", "Rome"]] * 4}
    frame = pd.DataFrame(rows)
    scored = frame.qa.score("response", "answers", metrics="em", extract="choice", choices="options")
    assert scored["em"].tolist() == [1.0] * 4
    path = scored.qa.report(tmp_path / "report.html", by="model", question="question_id")
    assert "choices:&#39;options&#39;" in path.read_text("utf-8")


@pytest.mark.usefixtures("drawn")
@pytest.mark.parametrize(("package", "extra"), [("jinja2", "report"), ("matplotlib", "plot")])
def test_a_package_that_is_not_installed_is_named(sample, tmp_path, monkeypatch, package, extra):
    monkeypatch.setitem(sys.modules, package, None)  # as where it is not installed
    load_template.cache_clear()
    with pytest.raises(qa_frame.errors.MissingPackageError, match=rf'pip install "qa-frame\[{extra}\]"'):
        reported(sample, tmp_path / "report.html", **SETTINGS)


def test_its_arguments_have_the_defaults_of_the_function():
    """Else the page would say of an argument that it was given, or be silent about one."""
    fields = {each.name: each.default for each in dataclasses.fields(ReportArguments)}
    parameters = inspect.signature(report_module.report).parameters.values()
    shown = {each.name: each.default for each in parameters if each.name not in {"data", "path", "overwrite"}}
    assert list(fields) == list(shown)
    assert {**fields, "by": None} == {**shown, "by": None}
