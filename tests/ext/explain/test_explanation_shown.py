"""An explanation as text and as HTML: safe and bounded, whatever the texts hold."""

from __future__ import annotations

import html.parser
import io
import re
import sys

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import qa_frame
from qa_frame.ext.explain.html import MOST_BYTES
from qa_frame.tables.visible import clip
from qa_frame.terminal import columns_of, wrap
from tests.browser import BROWSERS, Browser, find_browser
from tests.strategies import usual_conventions

SOURCE = {"pred": "response", "gold": "answers"}
TAGS = {
    "style",
    "div",
    "p",
    "b",
    "bdi",
    "table",
    "tr",
    "th",
    "td",
    "section",
    "small",
    "i",
    "mark",
    "del",
    "code",
}


class Reader(html.parser.HTMLParser):
    """Collects tags, attributes and the text that a reader sees; raises where tags are not closed in order."""

    def __init__(self):
        super().__init__()
        self.tags, self.attributes, self.seen, self.open = set(), [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += attrs
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.seen.append(data)


def read(shown):
    reader = Reader()
    reader.feed(shown)
    reader.close()
    assert not reader.open
    return reader


def explain(pred, golds, **settings):
    frame = pd.DataFrame({"response": [pred], "answers": [golds]}, index=[settings.pop("label", 0)])
    return frame.qa.explain(frame.index[0], **SOURCE, **settings)


NASTY = {
    "script": "<script>alert('x')</script> </style></div><img src=x onerror=alert(1)>",
    "quotes": '"\'`&amp;&#39; onclick="x"',
    "long": "the answer <b> & so on " * 1_000,
    "one long word": "x" * 50_000,
    "many quotes": '"' * 20_000,
    "right to left": "\u202eabc\u202c \u2067שלום\u2069 مرحبا, 12",
    "emoji": "😀 👩\u200d👧 🏳️\u200d🌈",
    "null": "a\0b\0",
    "control": "\x1b[31mred\x1b[0m \x07 \x85 \u2028 \ufeff \x7f",
    "combining": "\u0301\u0301 e\u0301",
    "wide": "東京都" * 200,
    "lines": "one\ntwo\r\nthree\tfour",
}


def nasty_explanation(text, **settings):
    return explain(text, [text[: len(text) // 2], f"z {text}", "Seine"], label=text[:200], **settings)


@pytest.mark.parametrize("text", NASTY.values(), ids=NASTY)
def test_nasty_texts(text):
    check_shown(nasty_explanation(text, metrics="all"))


@pytest.mark.parametrize("convention", usual_conventions(qa_frame.conventions))
def test_nasty_texts_by_each_convention(convention):
    """One text for all: drawing looks at tokens and scores, whatever rules they are from."""
    check_shown(nasty_explanation("\n".join(text[:300] for text in NASTY.values()), convention=convention))


def check_shown(found):
    shown, text = found._repr_html_(), repr(found)
    reader = read(shown)
    assert len(shown.encode()) <= MOST_BYTES
    assert reader.tags <= TAGS
    assert {name for name, _ in reader.attributes} <= {"class", "dir"}
    for line in (*text.split("\n"), *reader.seen):
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]", line)
    assert max(map(columns_of, text.split("\n"))) <= 100
    assert len(text) < 40_000


@pytest.mark.thorough
def test_as_many_as_there_can_be():
    """All metrics, a hundred golds of long and escaped text, each metric with another winner."""
    golds = [f"{'<&>' * place} w{place} " + "<q> & " * 300 for place in range(100)]
    found = explain("<&> w1 w2 w3 " + "<q> & " * 4_000, golds, metrics="all", label="<" * 10_000)
    check_shown(found)
    assert "more golds" in found._repr_html_()
    assert "more golds" in str(found)
    assert "more character" in found._repr_html_()


def test_what_does_not_fit_is_said(monkeypatch):
    monkeypatch.setattr("qa_frame.ext.explain.html.MOST_BYTES", 7_000)
    found = explain("one two three", ["two three four"], metrics="all")
    shown = found._repr_html_()
    assert len(shown) <= 7_000
    assert re.search(r"… and \d more comparisons", shown)


def test_several_rows_are_folded():
    frame = pd.DataFrame({"response": ["The <Loire>", None], "answers": [["Loire"], ["x"]]}, index=["<a>", "b"])
    shown = frame.qa.explain(["<a>", "b"], metrics=["em", "f1"], **SOURCE)._repr_html_()
    reader = read(shown)
    assert reader.tags <= TAGS | {"details", "summary"}
    assert shown.count("<style>") == 1
    assert shown.count('<details class="qa-explain"><summary>') == 2  # closed
    seen = "".join(reader.seen)
    assert "row '<a>': em 1.000, f1 1.000 'The <Loire>'" in seen
    assert "row 'b': em 0.000, f1 0.000 null" in seen


def test_many_rows_are_bounded(monkeypatch):
    frame = pd.DataFrame({"response": ["The Loire"], "answers": [["Loire"]]})
    several = frame.qa.explain([0] * 23, metrics="em", **SOURCE)
    assert str(several).count("row 0: scored") == 20
    assert str(several).endswith("… and 3 more rows; [20:] has them")
    assert str(several[20:]).count("row 0: scored") == 3
    monkeypatch.setattr("qa_frame.ext.explain.html._MOST_BYTES_OF_ALL", 5_000)
    shown = several._repr_html_()
    n_shown = shown.count("<details")
    assert 1 < n_shown < 23
    assert shown.endswith(f"<p>… and {23 - n_shown} more rows, for which there is no room</p>")


def test_texts_are_isolated_and_marked_as_counted():
    shown = explain("The Loire, שלום", ["loire river"])._repr_html_()
    assert '<td dir="auto"><mark>loire</mark></td>' in shown
    assert '<td dir="auto"><del>river</del></td>' in shown
    assert 'dir="auto"' in shown
    assert "prefers-color-scheme:dark" in shown
    assert "data-jp-theme-light" in shown


def test_tokens_are_apart_where_the_style_is_stripped():
    reader = read(explain("the cat is on a big mat", ["cat on mat", "dog"], metrics="f1")._repr_html_())
    assert "prediction cat is on big mat gold cat  on  mat" in "".join(reader.seen)
    assert "golds[0] 0.750 cat on mat" in "".join(reader.seen)


def test_tokens_stand_above_each_other():
    lines = str(explain("the cat is on a big mat", ["cat on mat"], metrics="f1")).split("\n")
    start = next(place for place, line in enumerate(lines) if line.startswith("  prediction"))
    assert lines[start : start + 3] == [
        "  prediction cat is on big mat",
        "             ===    ==     ===",
        "  gold       cat    on     mat",
    ]


@pytest.mark.parametrize(("terminal", "widest"), [(80, 80), (10, 60), (200, 100)])
def test_text_follows_the_terminal(terminal, widest, monkeypatch, capsys):
    found = explain(
        "the answer is that it is on a very big mat " * 3, ["cat on the mat", "a mat of " * 20], metrics="all"
    )
    with capsys.disabled():
        assert max(map(columns_of, str(found).split("\n"))) <= 100
    monkeypatch.setenv("COLUMNS", str(terminal))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert widest - 12 < max(map(columns_of, str(found).split("\n"))) <= widest


JUPYTERLAB = """:not(.jp-RenderedMarkdown).jp-RenderedHTMLCommon td,
:not(.jp-RenderedMarkdown).jp-RenderedHTMLCommon th,
:not(.jp-RenderedMarkdown).jp-RenderedHTMLCommon tr { text-align: right }
.jp-RenderedHTMLCommon td, .jp-RenderedHTMLCommon th, .jp-RenderedHTMLCommon tr { vertical-align: middle;
padding: 0.5em; line-height: normal; white-space: normal; max-width: none; border: none }"""
"""The rules of tables of JupyterLab 4 (packages/rendermime/style/base.css)."""


@pytest.mark.thorough
def test_cells_in_jupyterlab(tmp_path):
    program = find_browser()
    if program is None:
        pytest.skip(f"none of {', '.join(BROWSERS)} is installed")
    shown = {
        "explain": explain("The Loire", ["loire river", "Seine"])._repr_html_(),
        "metrics": qa_frame.metrics._repr_html_(),
        "convention": qa_frame.conventions["squad"]._repr_html_(),
    }
    parts = "".join(f'<div id="{name}" class="jp-RenderedHTMLCommon">{html}</div>' for name, html in shown.items())
    page = f'<!doctype html><meta charset="utf-8"><body>{parts}<style>{JUPYTERLAB}</style>'
    path = tmp_path / "page.html"
    path.write_text(page, "utf-8")
    browser = Browser(program, str(tmp_path / "profile"))
    try:
        browser.open(path.as_uri())
        sides = browser.value(
            "Object.fromEntries([...document.body.querySelectorAll('[id]')].map(part => [part.id, "
            "[...part.querySelectorAll('td:not(.n), th')].map(cell => getComputedStyle(cell).textAlign)]))"
        )
        numbers = browser.value("[...document.querySelectorAll('td.n')].map(cell => getComputedStyle(cell).textAlign)")
    finally:
        browser.close()
    assert {name: set(found) for name, found in sides.items()} == {name: {"left"} for name in shown}
    assert set(numbers) == {"right"}


def test_a_match_far_behind_is_shown():
    found = explain("so it goes on " * 5_000 + "by the Seine", ["Seine"], metrics=["f1"])
    assert "20,0" in str(found).split("\n  gold  ")[0]  # how many are left out
    assert re.search(r"by seine\n +=====\n", str(found))
    assert "<mark>seine</mark>" in found._repr_html_()


def test_a_token_that_counts_at_another_place():
    found = explain("the cat saw it", ["it saw the cat"], metrics="bleu")
    assert "+it" in str(found)
    assert "+ counts as common" in str(found)
    assert '<mark class="o">+it</mark>' in found._repr_html_()


# --- visible text


@given(st.text(st.characters(exclude_categories=("Cs",))), st.integers(1, 50))
def test_clipped_text(text, most):
    assert columns_of(clip(text, most).partition(" … (")[0]) <= most


def test_what_is_cut_is_counted():
    assert clip("abcdef", 3) == "abc … (3 more characters)"
    assert clip("abcd", 3) == "abc … (1 more character)"
    assert clip("a\nb", 9) == r"a\nb"
    assert clip("a\nb", 9, keep="\n") == "a\nb"


@given(st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp"))), st.integers(8, 40))
def test_wrapped_lines(text, width):
    lines = wrap(text, first="ab: ", then="  ", width=width)
    assert max(map(columns_of, lines)) <= width
    assert "".join(lines).replace(" ", "") == f"ab:{text}".replace(" ", "")


@pytest.mark.needs("audit")
@pytest.mark.parametrize("is_there", [True, False])
def test_it_is_shown_where_standard_output_is_closed(monkeypatch, is_there):
    sample = qa_frame.sample()[:20]
    scored = sample.qa.score("response", "answers")
    shown = [repr(scored.qa.explain(3)), repr(sample.qa.audit("response", "answers"))]
    closed = io.StringIO()
    closed.close()
    monkeypatch.setattr(sys, "stdout", closed if is_there else None)
    assert [repr(scored.qa.explain(3)), repr(sample.qa.audit("response", "answers"))] == shown
