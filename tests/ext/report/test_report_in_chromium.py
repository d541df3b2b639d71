"""A report in headless Chromium: filtered, sorted, opened and followed by links, by keyboard too."""

from __future__ import annotations

import time

import numpy as np
import pandas as pd
import pytest

import qa_frame
from tests.browser import Browser, find_browser

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.filterwarnings("ignore::qa_frame.errors.IntervalWarning"),
    pytest.mark.skipif(find_browser() is None, reason="there is no Chromium"),
]

READY = "document.getElementById('count').textContent"
ROWS = "[...document.querySelectorAll('#list .row')].map(row => [...row.children].map(cell => cell.textContent))"
CONTRAST = """(() => {
  const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = (colour) => {
    const [r, g, b] = parts(colour).map(v => v / 255).map(v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
    return .2126 * r + .7152 * g + .0722 * b;
  };
  const behind = (element) => {
    const drawn = element.closest('svg'), place = element.getBoundingClientRect();
    const [x, y] = [(place.left + place.right) / 2, (place.top + place.bottom) / 2];
    for (const shape of drawn ? [...drawn.querySelectorAll('path, rect')].reverse() : []) {
      const box = shape.getBoundingClientRect();
      const holds = box.left <= x && x <= box.right && box.top <= y && y <= box.bottom && !shape.closest('defs');
      if (holds && getComputedStyle(shape).fill !== 'none') return getComputedStyle(shape).fill;
    }
    for (let each = element; each; each = each.parentElement) {
      const colour = getComputedStyle(each).backgroundColor;
      if (parts(colour).length < 4 || parts(colour)[3] === 1) return colour;
    }
    return 'rgb(255,255,255)';
  };
  const low = [];
  for (const element of document.querySelectorAll('body *:not(script):not(style)')) {
    if (![...element.childNodes].some(node => node.nodeType === 3 && node.textContent.trim())) continue;
    if (!element.checkVisibility() || element.disabled) continue;
    const style = getComputedStyle(element), colour = element.closest('svg') ? style.fill : style.color;
    const [a, b] = [light(colour), light(behind(element))];
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (ratio < 4.5) low.push([element.tagName, element.className, colour, behind(element), ratio]);
  }
  return low;
})()"""
CUT = """[...document.querySelectorAll('.wide, figure')].flatMap(box => {
  const room = box.getBoundingClientRect(), paper = document.documentElement.clientWidth;
  const is_open = getComputedStyle(box).overflowX === 'visible';
  const right = box.querySelector('svg') ? room.right : is_open ? paper : room.left + box.scrollWidth;
  return [...box.querySelectorAll('text, th, td')].filter(each => each.checkVisibility()).filter(each => {
    const own = each.getBoundingClientRect();
    return own.left < room.left - 1 || own.right > right + 1;
  }).map(each => each.textContent);
})"""
"""The texts of tables and pictures that no reader can come to, as they are left or right of where one can scroll."""


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    made = Browser(find_browser(), str(tmp_path_factory.mktemp("profile")))
    yield made
    made.close()


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    scored = qa_frame.sample().qa.score("response", "answers")
    qa_frame.report(scored, path, "model", question="question_id", within="dataset")
    return path.as_uri()


@pytest.fixture
def page(browser, address):
    """Opens the report at a place, and waits for its rows."""

    def show(place="", address=address, scheme="light", width=1400):
        browser.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 500
        )
        browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        browser.open("about:blank")
        browser.open(address + place)
        wait(browser, f"!{READY}.startsWith('Reading')")
        return browser

    yield show
    assert faults(browser) == []


@pytest.fixture(scope="module")
def broad(tmp_path_factory):
    """A report of many groups with long names, and one of all metrics."""
    sample = qa_frame.sample()
    many = [sample.assign(model=sample["model"] + f"-of-some-vendor-{number}") for number in range(12)]
    folder = tmp_path_factory.mktemp("broad")
    settings = {"by": "model", "question": "question_id", "within": "dataset"}
    scored = {"groups": pd.concat(many).qa.score("response", "answers")}
    scored["metrics"] = sample.qa.score("response", "answers", metrics="all")
    return {name: rows.qa.report(folder / f"{name}.html", **settings).as_uri() for name, rows in scored.items()}


def wait(browser, condition):
    end = time.monotonic() + 300
    while not browser.value(condition):
        assert time.monotonic() < end, condition
        time.sleep(0.05)


def faults(browser):
    bad = {"Runtime.exceptionThrown", "Log.entryAdded"}
    asked = [
        event["params"]["request"]["url"]
        for event in browser.events
        if event.get("method") == "Network.requestWillBeSent"
    ]
    return [event for event in browser.events if event.get("method") in bad] + [
        url for url in asked if not url.startswith(("file:", "about:", "blob:", "data:"))
    ]


def choose(browser, name, value):
    browser.value(
        f"(() => {{ const field = document.forms[0].elements[{name!r}]; field.value = {value!r};"
        "field.dispatchEvent(new Event('change', {bubbles: true})); })()"
    )


def press(browser, key, code, text=""):
    for kind in ("keyDown", "keyUp"):
        browser.call(
            "Input.dispatchKeyEvent",
            type=kind,
            key=key,
            code=key,
            windowsVirtualKeyCode=code,
            text=text if kind == "keyDown" else "",
        )


def test_filters(page):
    shown = page()
    assert shown.value(READY).startswith("360 of 360 rows")
    choose(shown, "group", "lynx-70b")
    assert shown.value(READY).startswith("120 of 360 rows")
    choose(shown, "dataset", "facts")
    assert shown.value(READY).startswith("60 of 360 rows")
    choose(shown, "to", "0.5")
    sample = qa_frame.sample().qa.score("response", "answers", metrics="recall")
    mine = sample[(sample["model"] == "lynx-70b") & (sample["dataset"] == "facts") & (sample["recall"] <= 0.5)]
    assert shown.value(READY).startswith(f"{len(mine)} of 360 rows")
    assert {row[3] for row in shown.value(ROWS)} == {
        "(null)" if pd.isna(text) else text or "(empty)" for text in mine["response"]
    }
    shown.value("document.querySelector('button[type=reset]').click()")
    wait(shown, f"{READY}.startsWith('360 of')")


def test_search_looks_at_all_texts(page):
    shown = page("#rows?text=CANBERRA")
    assert shown.value(READY).startswith("3 of 360 rows")


def test_sorting(page):
    shown = page("#rows?sort=lowest&metric=em")
    scores = [row[0] for row in shown.value(ROWS)]
    assert scores == sorted(scores)
    choose(shown, "sort", "highest")
    assert {row[0] for row in shown.value(ROWS)} == {"1.000"}


def test_a_figure_leads_to_its_rows(page):
    shown = page()
    shown.value("document.querySelector('#leaderboard a').click()")
    wait(shown, f"{READY}.startsWith('120 of')")
    address = shown.value("location.hash")
    again = page(address)
    assert again.value(READY).startswith("120 of 360")


def test_a_pair_leads_to_its_questions_side_by_side(page):
    shown = page()
    shown.value("document.querySelector('#pairs td a').click()")
    wait(shown, f"{READY}.startsWith('120 of')")
    shown.value("document.querySelector('#list .row').click()")
    assert shown.value("document.querySelectorAll('.open .side').length") == 2
    names = shown.value("[...document.querySelectorAll('.open .side h3')].map(each => each.textContent)")
    assert names == ["lynx-70b", "otter-chat"]


def test_a_check_leads_to_its_rows(page):
    shown = page()
    shown.value("document.querySelector('#checks a').click()")
    wait(shown, f"!{READY}.startsWith('360 of')")
    assert shown.value("document.forms[0].elements.check.value") == shown.value(
        "document.querySelector('#checks a').textContent"
    )


def test_a_link_names_a_row(page):
    shown = page("#row=200")
    assert "row 200" in shown.value("document.querySelector('.open').textContent")
    assert page("#row=5000").value(READY) == "Row 5000 is not among the rows of this page."


def test_pages_are_turned(page):
    shown = page()
    first = shown.value(ROWS)
    shown.value("document.getElementById('after').click()")
    assert shown.value("document.getElementById('place').textContent") == "page 2 of 8"
    assert shown.value(ROWS) != first
    assert page(shown.value("location.hash")).value("document.getElementById('place').textContent") == "page 2 of 8"


def test_by_keyboard_alone(page):
    shown = page()
    shown.value("document.getElementById('h-rows').focus()")
    for _ in range(60):
        press(shown, "Tab", 9)
        if shown.value("document.activeElement.className") == "row":
            break
    press(shown, "Enter", 13, "\r")
    assert shown.value("document.activeElement.getAttribute('aria-expanded')") == "true"
    press(shown, "Enter", 13, "\r")
    assert shown.value("document.querySelectorAll('.open').length") == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1400])
def test_it_can_be_read(page, scheme, width):
    shown = page("#row=49", scheme=scheme, width=width)
    assert shown.value("document.documentElement.scrollWidth") <= width
    assert shown.value(CONTRAST) == []
    assert shown.value(
        "[...document.querySelectorAll('figure svg')].every(each => each.getAttribute('aria-label').length > 20)"
    )
    assert shown.value("document.querySelectorAll('svg text').length") > 15
    assert shown.value("document.querySelectorAll('svg').length") == 2


@pytest.mark.parametrize("name", ["groups", "metrics"])
@pytest.mark.parametrize(("width", "media"), [(1400, "screen"), (957, "print")])  # A4 at the browser's least scale
def test_nothing_wide_is_cut(page, broad, name, width, media):
    shown = page(address=broad[name], width=width)
    shown.call("Emulation.setEmulatedMedia", media=media)
    try:
        assert shown.value(CUT) == []
        assert shown.value("document.documentElement.scrollWidth") <= width
        tables = "[...document.querySelectorAll('#leaderboard .wide, #datasets .wide')]"
        assert shown.value(f"{tables}.filter(each => each.scrollWidth > each.clientWidth).length") == 0
        assert shown.value(f"{tables}.length") >= 3
    finally:
        shown.call("Emulation.setEmulatedMedia", media="")


@pytest.mark.parametrize("name", ["groups", "metrics"])
def test_a_telephone_shows_pictures_whole_and_large(page, broad, name):
    shown = page(address=broad[name], width=390)
    assert shown.value(CUT) == []
    assert shown.value("[...document.querySelectorAll('figure')].every(each => each.scrollWidth <= each.clientWidth)")
    heights = shown.value(
        "[...document.querySelectorAll('figure text')].map(each => each.getBoundingClientRect().height)"
    )
    assert len(heights) > 15
    assert min(heights) > 10


def test_what_is_wider_than_the_screen_has_a_shade_and_keeps_its_names(page, broad):
    shown = page(address=broad["groups"], width=390)
    assert shown.value("document.documentElement.scrollWidth") <= 390
    shown.value("document.querySelector('#pairs .wide').scrollLeft = 500")
    name, box = (
        shown.value(f"document.querySelector({where!r}).getBoundingClientRect().left")
        for where in ("#pairs tbody th", "#pairs .wide")
    )
    assert name == pytest.approx(box, abs=1)
    assert "gradient" in shown.value("getComputedStyle(document.querySelector('#pairs .wide')).backgroundImage")
    checks = "document.querySelector('#checks .wide')"
    assert shown.value(f"{checks}.scrollWidth <= {checks}.clientWidth")


def test_hostile_texts_and_many_rows(page, tmp_path):
    hostile = (
        "</script><script>document.title='broken'</script><img src=x onerror=\"document.title='broken'\">\u202eabc\x00"
    )
    n = 20_000
    numbers = np.arange(n)
    rows = pd.DataFrame(
        {
            "model": np.where(numbers % 2 == 0, hostile, "قلم"),
            "id": [f"{hostile} {number // 2}" for number in numbers],
            "question": hostile,
            "response": np.where(numbers % 3 == 0, hostile, "x"),
            "answers": [[hostile, "x"]] * n,
        }
    )
    rows.loc[1, "response"] = "long " * 200_000
    scored = rows.qa.score("response", "answers", metrics=["em", "f1"])
    path = qa_frame.report(scored, tmp_path / "r.html", "model", question="id")
    shown = page(address=path.as_uri())
    assert shown.value(READY).startswith("20,000 of 20,000 rows")
    assert shown.value("document.title") == "Results by model"
    shown.value("document.querySelector('#list .row').click()")
    assert shown.value("document.querySelectorAll('.open img, .open script').length") == 0
    assert "⟨U+202E⟩abc␀" in shown.value("document.querySelector('.row .question').textContent")
    choose(shown, "text", "long long")
    assert shown.value(READY).startswith("1 of 20,000")
    assert shown.value("document.documentElement.scrollWidth") <= 1400
    assert shown.value("document.title") == "Results by model"
