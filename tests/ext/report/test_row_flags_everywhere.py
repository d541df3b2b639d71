"""What makes the scores of groups say less is said in the same words by all that reads these rows."""

from __future__ import annotations

import re
import warnings

import pandas as pd
import pytest

import qa_frame
from qa_frame.scoring.row_flag_warnings import GROUP_CHECKS

pytestmark = pytest.mark.usefixtures("without_pictures")

SOURCE = {"pred": "response", "gold": "answers"}
LENGTHY = "As everyone who has ever been there will tell you, the answer to this question is without any doubt Lisbon."
N = 40


def rows_of(model: str, response: str | None = "Lisbon", answers: list[str] | None = None, end: str = "stop"):
    golds = ["Lisbon"] if answers is None else answers
    return [(model, q, response if q % 2 else "Oslo", golds, end) for q in range(N)]


def all_null(model: str):
    return [(name, q, None, golds, end) for name, q, _, golds, end in rows_of(model)]


WRONG = {
    "n_null": (all_null("b"), {}, "100 % of b's answers are missing predictions (a: 0 %)"),
    "n_no_gold": (rows_of("b", answers=[]), {}, "100 % of b's answers have no gold, and so no score (a: 0 %)"),
    "n_not_extracted": (
        rows_of("b", "x"),
        {"extract": re.compile("Lisbon|Oslo")},
        "50 % of b's answers are missing predictions, as extract= finds no answer in them (a: 0 %)",
    ),
    "n_truncated": (
        rows_of("b", end="length"),
        {},
        "100 % of b's answers were cut off at a limit of length, so that scores say what fitted in, not what would",
    ),
    "gold_in_longer_answer": (
        rows_of("b", LENGTHY),
        {},
        "50 % of b's answers contain a gold and at least twice as many other words (a: 0 %)",
    ),
}
"""For each check: the rows of model b, the rules of the call, and what is said."""


def told(call):
    """The warnings of a call, without the page that they name."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [str(each.message).partition("; see ")[0] for each in caught]


@pytest.mark.needs("audit")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("check", WRONG)
def test_all_say_the_same_of_the_same_rows(check, tmp_path):
    assert {each.count for each in GROUP_CHECKS} >= {*WRONG}
    of_b, rules, said = WRONG[check]
    frame = pd.DataFrame([*rows_of("a"), *of_b], columns=["model", "q", "response", "answers", "finish_reason"])
    scored = frame.qa.score(**SOURCE, metrics=["em", "f1"], **rules)
    page = tmp_path / "report.html"
    report = {} if check == "n_no_gold" else {"question": "q"}
    calls = {
        "summary": lambda: scored.qa.summary("model"),
        "audit": lambda: scored.qa.audit("model"),
        "report": lambda: scored.qa.report(page, "model", **report),
        "Pool": lambda: qa_frame.Pool("model", metrics=["em", "f1"]).update(scored).summary(),
    }
    if check != "n_no_gold":  # of which no questions are paired
        calls["compare"] = lambda: scored.qa.compare("model", "q")
    for name, call in calls.items():
        assert [text for text in told(call) if text.startswith(said)], name
    html = page.read_text("utf-8").replace("&#39;", "'").replace("\u00a0%", " %")
    assert said in re.search(r'<p class="verdict">(.*?)</p>', html, re.DOTALL).group(1)
    assert html.count(said) == 1  # and not again among the warnings
    of_b = frame[frame["model"] == "b"]
    if check in {"n_null", "n_no_gold", "n_not_extracted"}:
        alone = said.replace("b's answers", "the answers").removesuffix(" (a: 0 %)")
        assert [text for text in told(lambda: of_b.qa.score(**SOURCE, metrics="em", **rules)) if alone in text]


PSEUDO_UNITS = {"Москва": "Москва", "Moscow": "Москва", "東京": "Tokyo", "Paris": "Paris", "Привет": "x"}
UNCUT = {"上海。": "上海", "答案是上海": "上海", "Paris": "Paris", "北京": "上海"}
OF_TEXTS = {
    "joined_golds": ({"response": ["a"] * 4, "answers": ["a;b", "c;d", "e;f", "g"]}, {}, "joined-golds", 3),
    "written_lists": ({"response": ["a"] * 5, "answers": ["['a', 'b']"] * 2 + ["g"] * 3}, {}, "written-lists", 2),
    "gold_without_ngrams": (
        {"response": [*PSEUDO_UNITS] * 3, "answers": [*PSEUDO_UNITS.values()] * 3},
        {"metrics": "rouge_l"},
        "unseen-scripts",
        6,
    ),
    "uncut_script": ({"response": [*UNCUT], "answers": [*UNCUT.values()]}, {"metrics": "f1"}, "uncut-scripts", 2),
    "no_option": (
        {"response": ["A"] * 4, "answers": ["A", "A", "B", "E"], "options": [["x", "y"]] * 4},
        {"metrics": "em", "extract": "choice", "choices": "options"},
        "golds-beyond-the-options",
        1,
    ),
}
"""For each finding that a warning tells, too: a frame, the settings of the call, the heading, and the rows."""


@pytest.mark.needs("audit")
@pytest.mark.parametrize("check", OF_TEXTS)
def test_warnings_and_audit_count_the_same_rows(check):
    columns, settings, heading, n = OF_TEXTS[check]
    frame = pd.DataFrame(columns)
    with pytest.warns(
        UserWarning,
        match=f'( {n} of {len(frame)} |{100 * n / len(frame):.0f} % of the answers).*see "{heading.replace("-", " ").capitalize()}" on the page "Warnings"',
    ):
        frame.qa.score(**SOURCE, **settings)
    assert frame.qa.audit(**SOURCE, **settings).set_index("finding").loc[check, "count"] == n
