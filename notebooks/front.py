"""Draw the README's picture, the beginning of the report that the code above it writes, for light and dark screens.

`python notebooks/front.py` writes `front-report.png` and `front-report-dark.png`. With `--check` it writes nothing, and
fails if these do not look as the code draws them now. Chromium shows the report, with a font that matplotlib brings
along, so that it looks alike on every machine. Where there is no Chromium it says so, and does nothing.
"""

import argparse
import base64
import contextlib
import os
import re
import sys
import tempfile
import warnings
from pathlib import Path

import matplotlib as mpl

mpl.use("agg")

from matplotlib import pyplot as plt
from matplotlib.testing.compare import compare_images
from PIL import Image

NOTEBOOKS = Path(__file__).parent
README = NOTEBOOKS.parent / "README.md"
sys.path.insert(0, str(NOTEBOOKS.parent))

import qa_frame
from tests.browser import Browser, find_browser

WIDTH, HEIGHT = 400, 467
"""Pixels of the picture, as wide as a phone."""

SCALE = 2
SCHEMES = {"": ("light", "white"), "-dark": ("dark", "#14171b")}
"""The end of a picture's name: what readers prefer, and the colour behind the texts."""

ZOOM = 0.65
SIZES = {"height": HEIGHT, "inner": (WIDTH - 20) / ZOOM, "deep": (HEIGHT - 18) / ZOOM, "zoom": ZOOM}
FONTS = {"DejaVu Sans": "sans-serif", "DejaVu Sans Mono": "monospace"}
TOLERANCE = 12
"""Root of the mean squared difference of pixels, of 255: versions of Chromium draw letters a little differently."""

PAGE = """<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Report</title><style>
html {{ background: {ground}; color-scheme: {scheme}; }}
body {{ margin: 0; padding: 8px 10px; height: {height}px; overflow: hidden; box-sizing: border-box;
  border: 1px solid #8886; border-radius: 6px; }}
iframe {{ border: 0; width: {inner}px; height: {deep}px; transform: scale({zoom}); transform-origin: 0 0; }}
</style><iframe src="report.html"></iframe></html>"""


def code_of(readme):
    """Return the first block of Python of the README."""
    return re.search(r"^```python\n(.*?)^```$", readme.read_text("utf-8"), re.MULTILINE | re.DOTALL)[1]


@contextlib.contextmanager
def working_in(folder):
    """Write files that have no folder into this one."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def draw(code, folder):
    """Write the picture of both schemes into a folder."""
    with tempfile.TemporaryDirectory() as work, working_in(work):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", qa_frame.errors.ScoringWarning)  # which the README explains
            exec(code, {})  # noqa: S102  (our own page)
        plt.close("all")
        for end, (scheme, ground) in SCHEMES.items():
            page = PAGE.format(scheme=scheme, ground=ground, **SIZES)
            Path(f"page{end}.html").write_text(page, encoding="utf-8")
        show(Path(work), folder)


def show(work, folder):
    """Write what Chromium shows of the pages of a folder."""
    fonts = {name: Path(mpl.get_data_path(), "fonts", "ttf", f"{name.replace(' ', '')}.ttf") for name in FONTS}
    faces = "".join(
        f"@font-face {{ font-family: front-{FONTS[name]}; src: url(data:font/ttf;base64,"
        f"{base64.b64encode(path.read_bytes()).decode()}); }}\n"
        for name, path in fonts.items()
    )
    rules = f"{faces}* {{ font-family: front-sans-serif !important; }}\n"
    rules += ":is(code, pre, kbd) { font-family: front-monospace !important; }\n"
    rules += "::-webkit-scrollbar { display: none; }"
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(find_browser(), profile)
        try:
            browser.call("Page.setBypassCSP", enabled=True)
            size = {"width": WIDTH, "height": HEIGHT, "deviceScaleFactor": SCALE, "mobile": False}
            browser.call("Emulation.setDeviceMetricsOverride", **size)
            put = (
                "const style = document.createElement('style'); style.textContent = `%s`; document.head.append(style);"
            )
            on_load = f"addEventListener('DOMContentLoaded', () => {{ {put % rules} }})"
            browser.call("Page.addScriptToEvaluateOnNewDocument", source=on_load)
            for end, (scheme, *_) in SCHEMES.items():
                media = [{"name": "prefers-color-scheme", "value": scheme}]
                browser.call("Emulation.setEmulatedMedia", features=media)
                browser.open((work / f"page{end}.html").as_uri())
                browser.value("document.fonts.ready.then(() => new Promise(done => setTimeout(done, 500)))")
                shot = browser.call("Page.captureScreenshot")
                path = folder / f"front-report{end}.png"
                path.write_bytes(base64.b64decode(shot["data"]))
                Image.open(path).convert("RGB").quantize(64).save(path, optimize=True)
        finally:
            browser.close()


def outdated(code):
    """Return what differs between the pictures and what the code draws."""
    with tempfile.TemporaryDirectory() as folder:
        draw(code, Path(folder))
        for path in sorted(Path(folder).glob("*.png")):
            difference = compare_images(NOTEBOOKS / path.name, path, TOLERANCE)
            if difference:
                yield f"{path.name} is outdated; run python notebooks/front.py\n{difference}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare the pictures with what the code draws")
    code, is_check = code_of(README), parser.parse_args().check
    if find_browser() is None:
        print("skipped: Chromium, which shows the parts, is not installed")
        return 0
    if is_check:
        found = list(outdated(code))
        print("\n".join(found))
        return int(bool(found))
    draw(code, NOTEBOOKS)
    return 0


if __name__ == "__main__":
    sys.exit(main())
