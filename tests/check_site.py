"""Look at each page of the built documentation in headless Chromium, without any network.

Run as `python -m tests.check_site`, after `python -m sphinx -W notebooks build/site`. It fails if a page logs an error
or asks for anything that is not there or lies outside the site, a link within the site is dead, a picture does not
show or has no text in its place, text is hard to read, light or dark, a page is wider than a phone or a screen, has no
heading or leaves out a level of them, the search does not find what people look for, or a public name is not in the
reference.
`--pictures FOLDER` keeps each page as PNGs. Without Chromium it says so, and checks nothing.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import functools
import http.server
import sys
import tempfile
import threading
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urldefrag, urlsplit

import qa_frame
from tests.browser import BROWSERS, HEIGHT, Browser, find_browser

SITE = Path(__file__).parents[1] / "build" / "site"
WIDTHS = (1400, 390)
SEARCHED = ("recall", "how do I", "macro average", "explain")
FOUND_FIRST = {
    "Which metric should I use?": ("exact match", "em is 0", "letters", "multiple choice", "contains", "rouge"),
    "How do I …?": (
        "yes no", "json", "groupby", "large file", "memory", "slow", "csv", "numbers", "percent", "case", "case sensitive",
        "punctuation", "accents", "missing", "nan", "bleu", "bertscore", "p-value", "significant", "sample size",
    ),
    "Result files of harnesses": ("two machines", "two files", "lm-eval"),
    "RAG: contexts, faithfulness, a judge of your own": ("hallucination", "RAG", "judge", "LLM judge", "timeout"),
    "Several samples, several datasets": ("temperature", "pass@k"),
    "Confidence intervals": ("confidence interval", "wilson"),
    "Why is my number another one?": ("not the same as", "another number"),
    "Which convention for which script": ("arabic", "Chinese"),
    "Engines": ("polars", "spark", "duckdb", "huggingface"),
    "Models that decline to answer": ("refusal", "I don't know"),
    "Tables for papers": ("latex table",),
    "Pictures": ("plot",),
    "Warnings": ("duplicate",),
    "The command line": ("ci gate",),
}  # fmt: skip
"""Pages, each with what people look for who need it: it is among the first that the search finds."""

N_FIRST = 3

WHAT_A_PAGE_HAS = """(async () => {
  await document.fonts.ready;
  for (const image of document.images) { image.loading = 'eager'; await image.decode().catch(() => null); }
  return {
    heading: (document.querySelector('article h1') || {}).innerText || '',
    levels: [...document.querySelectorAll('h1, h2, h3, h4, h5, h6')].map(each => +each.tagName[1]),
    ids: [...document.querySelectorAll('[id]')].map(each => each.id),
    links: [...document.querySelectorAll('a[href]')].map(each => each.href),
    blank: [...document.images].filter(each => each.naturalWidth === 0).map(each => each.src),
    unnamed: [...document.images].filter(each => !each.alt.trim()).map(each => each.src),
    pictures: document.images.length,
  };
})()"""

WHAT_IS_HARD_TO_READ = """(() => {
  const luminance = colour => colour.slice(0, 3).map(part => part / 255)
    .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    .reduce((sum, part, place) => sum + part * [0.2126, 0.7152, 0.0722][place], 0);
  const numbers = text => [...text.match(/[\\d.]+/g).map(Number), 1].slice(0, 4);
  const over = (top, below) => top.slice(0, 3).map((part, place) => part * top[3] + below[place] * (1 - top[3]));
  const ground = element => {
    const layers = [];
    for (let each = element; each; each = each.parentElement) {
      const colour = numbers(getComputedStyle(each).backgroundColor);
      if (colour[3]) layers.push(colour);
      if (colour[3] === 1) break;
    }
    return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255]);
  };
  const found = new Set();
  const texts = document.createTreeWalker(document.querySelector('article') || document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    const isSeen = element.checkVisibility({visibilityProperty: true, opacityProperty: true});
    if (!texts.currentNode.textContent.trim() || !isSeen) continue;
    const below = ground(element), colour = over(numbers(getComputedStyle(element).color), below);
    const [low, high] = [luminance(colour), luminance(below)].sort((a, b) => a - b);
    const contrast = (high + 0.05) / (low + 0.05);
    if (contrast < 4.5) found.add(`${contrast.toFixed(2)}: ${texts.currentNode.textContent.trim().slice(0, 40)}`);
  }
  return [...found];
})()"""

AT_ONCE = """{
  const style = document.createElement('style');
  style.textContent = '* { transition: none !important; animation: none !important }';
  document.head.append(style);
}"""
"""Lets colours change at once, and not gradually."""

SHOWN = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"

WHAT_THE_SEARCH_FINDS = """(async () => {
  for (let tries = 0; tries < 1200; tries++) {
    const found = [...document.querySelectorAll('#search-results li > a')].map(each => each.textContent);
    const status = document.querySelector('.search-summary');
    if (found.length >= 3 || (status && status.innerText.includes('finished'))) return found;
    await new Promise(resolve => setTimeout(resolve, 100));
  }
  return [];
})()"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Say nothing of each request."""


@contextlib.contextmanager
def served(site: Path) -> Iterator[str]:
    """Serve the site on this machine, and give its address."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()


def faults_of_events(browser: Browser, base: str) -> list[str]:
    """What went wrong while a page was shown: errors in the console, requests that failed or left the site."""
    faults = []
    for event in browser.events:
        told = event.get("params", {})
        match event.get("method"):
            case "Runtime.exceptionThrown":
                faults.append(f"error in a script: {told['exceptionDetails']}")
            case "Runtime.consoleAPICalled" if told["type"] == "error":
                faults.append(f"console: {[part.get('value') for part in told['args']]}")
            case "Log.entryAdded" if told["entry"]["level"] == "error":
                faults.append(f"log: {told['entry']['text']} {told['entry'].get('url', '')}")
            case "Network.requestWillBeSent" if not told["request"]["url"].startswith((base, "data:", "blob:")):
                faults.append(f"asks for {told['request']['url']}, which is not of the site")
            case "Network.responseReceived" if told["response"]["status"] >= 400:
                faults.append(f"{told['response']['url']} gives {told['response']['status']}")
    return faults


def look_at(browser: Browser, base: str, page: str) -> tuple[dict[str, Any], list[str]]:
    """Show a page; return what it has, and what is wrong with it."""
    browser.open(base + page)
    found = browser.value(WHAT_A_PAGE_HAS)
    faults = faults_of_events(browser, base)
    faults += [f"the picture {address} does not show" for address in found["blank"]]
    faults += [f"the picture {address} has no text in its place" for address in found["unnamed"]]
    if page not in {"search.html", "genindex.html"} and not found["heading"].strip("# \n"):
        faults.append("has no heading")
    if any(below > above + 1 for above, below in pairwise(found["levels"])):
        faults.append(f"leaves out a level of headings: {found['levels']}")
    return found, faults


def look_at_sizes(browser: Browser, page: str, folder: Path | None) -> list[str]:
    """Return what is wrong with the page in each width, and to those who prefer light or dark; keep pictures of it."""
    faults = []
    browser.value(AT_ONCE)
    for scheme in ("light", "dark"):
        browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        for width in WIDTHS:
            size = {"width": width, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": False}
            browser.call("Emulation.setDeviceMetricsOverride", **size)
            browser.value(SHOWN)
            wider = browser.value("document.documentElement.scrollWidth - window.innerWidth")
            if wider > 0:
                faults.append(f"is {wider} pixels wider than a window of {width}")
            if folder:
                keep_picture(browser, folder / f"{page.removesuffix('.html').replace('/', '-')}-{width}-{scheme}.png")
        faults += [f"is hard to read, {scheme}: {text}" for text in browser.value(WHAT_IS_HARD_TO_READ)]
    return faults


def faults_of_search(browser: Browser, base: str) -> list[str]:
    """What the search does not find, or not among the first."""
    faults = []
    wanted = [(words, page) for page, searched in FOUND_FIRST.items() for words in searched]
    for words, page in [*((words, None) for words in SEARCHED), *wanted]:
        browser.open(f"{base}search.html?q={quote(words)}")
        titles = browser.value(WHAT_THE_SEARCH_FINDS)
        if not titles:
            faults.append(f"search.html: the search finds nothing for {words!r}")
        elif page and not any(title.partition(" > ")[0] == page for title in titles[:N_FIRST]):
            faults.append(f"search.html: {page!r} is not among the first for {words!r}: {titles[:N_FIRST]}")
    return faults


def keep_picture(browser: Browser, path: Path) -> None:
    width, height = browser.value("[window.innerWidth, document.documentElement.scrollHeight]")
    clip = {"x": 0, "y": 0, "width": width, "height": min(height, 12_000), "scale": 1}
    shot = browser.call("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
    path.write_bytes(base64.b64decode(shot["data"]))


def dead_links(pages: dict[str, dict[str, Any]], base: str, site: Path) -> list[str]:
    """The links within the site to a page or a place on it that is not there."""
    dead = []
    for page, found in pages.items():
        for link in sorted(set(found["links"])):
            address, place = urldefrag(link)
            if not address.startswith(base):
                continue
            target = unquote(urlsplit(address).path).lstrip("/") or "index.html"
            if not (site / target).is_file():
                dead.append(f"{page}: {target} is not there")
            elif place and target in pages and unquote(place) not in pages[target]["ids"]:
                dead.append(f"{page}: {target} has no place {place!r}")
    return dead


def missing_names(pages: dict[str, dict[str, Any]]) -> list[str]:
    """The public names without a place of their own on the pages of the reference."""
    places = {place for page, found in pages.items() if "/reference/" in page for place in found["ids"]}
    return [
        f"the reference has no {name}"
        for name in qa_frame.__all__
        if not any(place == f"qa_frame.{name}" or place.startswith(f"qa_frame.{name}.") for place in places)
    ]


def check(site: Path, program: str, folder: Path | None) -> list[str]:
    """Return all that is wrong with the site."""
    names = sorted(str(path.relative_to(site)) for path in site.rglob("*.html") if "_static" not in path.parts)
    faults, pages = [], {}
    with served(site) as base, tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(program, profile)
        try:
            for name in names:
                pages[name], found = look_at(browser, base, name)
                faults += [f"{name}: {fault}" for fault in (*found, *look_at_sizes(browser, name, folder))]
            faults += faults_of_search(browser, base)
        finally:
            browser.close()
        faults += dead_links(pages, base, site)
    faults += missing_names(pages)
    if not sum(found["pictures"] for found in pages.values()):
        faults.append("no page has a picture")
    print(f"{len(pages)} pages, {sum(found['pictures'] for found in pages.values())} pictures, {len(faults)} faults")
    return faults


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pictures", type=Path, help="a folder for pictures of all pages")
    folder = parser.parse_args().pictures
    program = find_browser()
    if program is None:
        print(f"skipped: none of {', '.join(BROWSERS)} is installed, so no page can be looked at")
        return 0
    if not (SITE / "index.html").is_file():
        print(f"{SITE} has no site; make it: python -m sphinx -W notebooks build/site")
        return 1
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
    faults = check(SITE, program, folder)
    print("\n".join(faults))
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
