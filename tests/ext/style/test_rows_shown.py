"""Rows and findings as people read them: the score first, golds quoted, the remedy whole, in any width, of any kind."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import qa_frame
from qa_frame.ext.style.rows_shown import quote_several
from qa_frame.terminal import columns_of
from tests.browser import BROWSERS, Browser, find_browser
from tests.ext.explain.test_explanation_shown import JUPYTERLAB, NASTY

SOURCE = {"pred": "response", "gold": "answers"}
KINDS = {"pandas": lambda frame: frame, "polars": pl.from_pandas, "arrow": pa.Table.from_pandas}


@pytest.fixture(scope="module")
def sample():
    return qa_frame.sample().drop(columns="human")


def in_width(styled, width):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("qa_frame.ext.style.styled_table.text_width", lambda: width)
        return str(styled)


@pytest.mark.needs("audit")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("width", [60, 80, 100])
@pytest.mark.thorough
def test_the_remedy_is_whole(sample, kind, width):
    found = qa_frame.audit(KINDS[kind](sample), **SOURCE)
    table = qa_frame.audit(sample, **SOURCE)
    styled = qa_frame.style(found)
    text = in_width(styled, width)
    assert max(map(columns_of, text.split("\n"))) <= width
    for row in table.to_dict("records"):
        block = next(part for part in re.split(r"\n(?=\w)", text) if part.startswith(f"{row['finding']} "))
        assert block.split()[:2] == [row["finding"], str(row["count"])]
        assert "".join(block.split()).endswith("".join(row["remedy"].split())) or kind != "pandas"
    assert styled.cells["remedy"] == list(found["remedy"].to_pylist() if kind == "arrow" else found["remedy"])
    assert styled.below == ["remedy"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("width", [60, 80, 100])
def test_the_worst_rows(sample, kind, width):
    scored = qa_frame.score(KINDS[kind](sample), "response", "answers", metrics=["em", "f1"])
    found = qa_frame.worst(scored, 4, metric="f1")
    frame = found if kind == "pandas" else found.to_pandas()
    styled = qa_frame.style(found)
    assert next(iter(styled.cells)) == "f1"
    assert styled.cells["f1"] == [f"{value:.3f}" for value in frame["f1"]]
    for golds, shown in zip(frame["answers"], styled.cells["answers"], strict=True):
        assert shown == " and ".join(filter(None, [", ".join(f"'{each}'" for each in golds[:-1]), f"'{golds[-1]}'"]))
    assert ("row" in styled.cells) == (kind == "pandas")
    if kind == "pandas":
        assert styled.cells["row"] == [str(label) for label in found.index]
    text = in_width(styled, width)
    lines = text.split("\n")
    assert max(map(columns_of, lines)) <= width
    assert lines[0].split()[0] == "F1"
    assert sum(line.startswith("  response") for line in lines) == 4
    squeezed = "".join(text.split())
    for response in frame["response"].dropna():
        assert "'" + "".join(response.split()) + "'" in squeezed
    assert "Left out: 15 rows without a score." in text


@pytest.mark.parametrize("kind", KINDS)
def test_what_changed(sample, kind):
    new, old = (sample[sample["model"] == name].reset_index(drop=True) for name in ("lynx-70b", "heron-7b"))
    found = qa_frame.changed(
        qa_frame.score(KINDS[kind](new), **SOURCE, metrics="f1"),
        qa_frame.score(KINDS[kind](old), **SOURCE, metrics="f1"),
        question="question_id",
    )
    styled = qa_frame.style(found)
    assert list(styled.cells)[:3] == ["f1", "f1_other", "diff"]
    assert styled.headings["f1_other"] == ("", "F1 other")
    assert styled.cells["diff"][0] == "1.000"
    if kind != "polars":
        assert re.search(r"\d+ of 115 rows changed\.", styled.note)


def test_columns_that_do_not_fit_stand_below(sample):
    scored = sample.qa.score("response", "answers", metrics="all")
    text = in_width(qa_frame.style(scored.qa.worst(2)), 60)
    assert max(map(columns_of, text.split("\n"))) <= 60
    assert re.search(r"^  chrF  +0\.\d{3}$", text, re.MULTILINE)


@pytest.mark.needs("explain")
@pytest.mark.parametrize("text", NASTY.values(), ids=NASTY)
def test_nasty_texts_are_escaped_and_bounded(text):
    rows = {
        "response": [text, None],
        "answers": [[text[:500], "<b>"], []],
        text[:30] or "x": [text, "y"],
        "f1": [0.5, 1],
    }
    frame = pd.DataFrame(rows, index=[text[:100], "b"])
    frame.attrs["qa_chosen"] = {"metric": "f1", "n_not_scored": "<b>", "n_changed": 1}  # somebody else's
    styled = qa_frame.style(frame)
    html, printed = styled._repr_html_(), in_width(styled, 80)
    for shown in (html, printed, styled.to_markdown(), styled.to_latex()):
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", shown)
    assert set(re.findall(r"<(\w+)", html)) <= {"div", "table", "thead", "tbody", "tr", "th", "td", "p"}
    assert "javascript" not in html
    assert len(html.encode()) < 40_000
    assert max(map(columns_of, printed.split("\n"))) <= 80


def test_many_rows_and_columns_are_bounded(sample):
    many = pd.concat([sample] * 9, ignore_index=True).assign(**{f"x{place}": place for place in range(60)})
    many["f1"] = np.arange(len(many))
    many["response"] = "word " * 500
    styled = qa_frame.style(many)
    assert styled.note == "The first 50 of 3,240 rows. Not shown: 37 more columns."
    assert len(styled.cells["f1"]) == 50
    assert len(styled.cells) == 31  # with the label of the row
    assert len(styled._repr_html_()) < 300_000


def test_arguments_for_summaries_are_refused(sample):
    with pytest.raises(
        qa_frame.errors.UnknownOptionError,
        match="within and columns are of use for a table of summary alone; leave them out",
    ):
        qa_frame.style(sample, columns="dataset", within="model")


def test_repeated_columns_and_other_values():
    frame = pd.DataFrame([[1, 2, ["a", None], {"x": 1}]], columns=["f1", "f1", "answers", "meta"])
    styled = qa_frame.style(frame)
    assert styled.cells == {"f1": ["1"], "row": ["0"], "answers": ["'a' and '(null)'"], "meta": ["{'x': 1}"]}
    named = frame.rename_axis("row")
    assert list(qa_frame.style(named.assign(row=3)).cells)[:2] == ["f1", "row_"]


@pytest.mark.needs("audit", "explain")
@pytest.mark.thorough
def test_tables_in_a_dark_jupyterlab(sample, tmp_path):
    """Texts begin at the left, numbers end at the right, no colour is set, and what is wide scrolls."""
    program = find_browser()
    if program is None:
        pytest.skip(f"none of {', '.join(BROWSERS)} is installed")
    scored = sample.qa.score("response", "answers")
    tables = {
        "rows": qa_frame.style(scored.qa.worst(3)),
        "audit": qa_frame.style(sample.qa.audit(**SOURCE)),
        "wide": qa_frame.style(scored.qa.summary(["model", "dataset"]), columns="dataset"),
    }
    parts = "".join(
        f'<div id="{name}" class="jp-RenderedHTMLCommon">{table._repr_html_()}</div>' for name, table in tables.items()
    )
    page = f'<!doctype html><meta charset="utf-8"><body style="width: 500px; background: #111; color: #eee">{parts}'
    path = tmp_path / "page.html"
    path.write_text(f"{page}<style>{JUPYTERLAB}</style>", "utf-8")
    browser = Browser(program, str(tmp_path / "profile"))
    try:
        browser.open(path.as_uri())
        sides = browser.value(
            "Object.fromEntries([...document.querySelectorAll('[id]')].map(part => [part.id, "
            "[...part.querySelectorAll('tbody tr:first-child td')].map(cell => getComputedStyle(cell).textAlign)]))"
        )
        colours = browser.value(
            "[...new Set([...document.querySelectorAll('td')].map(cell => getComputedStyle(cell).color))]"
        )
        scrolls = browser.value(
            "[...document.querySelectorAll('[id] > div')].map(box => "
            "[box.scrollWidth > box.clientWidth, box.getBoundingClientRect().width <= 500])"
        )
    finally:
        browser.close()
    for name, table in tables.items():
        assert sides[name] == ["right" if each in table.numbers else "left" for each in table.cells]
    assert colours == ["rgb(238, 238, 238)"]
    assert scrolls == [[True, True]] * 3


def test_several_texts_are_quoted_and_the_others_counted():
    assert quote_several(["a", "b", "c"]) == "'a', 'b' and 'c'"
    assert quote_several(["a"]) == "'a'"
    assert quote_several(["a", "b", "c"], most=1) == "'a' and 2 more"
    assert quote_several([]) == ""
