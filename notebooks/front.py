"""Draw the four parts of the README's picture from the code that stands above it, for light and for dark screens.

`python notebooks/front.py` writes `front-scores.png` and the others. With `--check` it writes nothing, and fails if
these do not look as the code draws them now. Chromium shows the parts, with a font that matplotlib brings along, so
that they look alike on every machine. Where there is no Chromium it says so, and does nothing.
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

WIDTH, HEIGHT = 400, 500
"""Pixels of a part, as wide as a phone: four of them stand in a square on a screen, and below each other on a phone."""

SCALE = 2
TITLES = {
    "scores": "Scores beside texts",
    "explain": "Why a row has its scores",
    "means": "Means with intervals",
    "report": "One file to share",
}
SCHEMES = {"": ("light", "white", "#1f2328"), "-dark": ("dark", "#0d1117", "#e6edf3")}
"""The end of a picture's name: what readers prefer, the colour behind the texts, and that of the texts."""

SHOWN = [0, 1, 2, 28, 61, 107, 111]
"""The rows of the sample in the table of scores."""

REPORT_ZOOM = 0.65
SIZES = {
    "height": HEIGHT,
    "inner": (WIDTH - 20) / REPORT_ZOOM,
    "deep": (HEIGHT - 45) / REPORT_ZOOM,
    "zoom": REPORT_ZOOM,
}
FONTS = {"DejaVu Sans": "sans-serif", "DejaVu Sans Mono": "monospace"}
TOLERANCE = 12
"""Root of the mean squared difference of pixels, of 255: versions of Chromium draw letters a little differently."""

PAGE = """<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>{title}</title><style>
html {{ background: {ground}; color: {text}; font: 12px/1.4 sans-serif; color-scheme: {scheme}; }}
body {{ margin: 0; padding: 8px 10px; height: {height}px; overflow: hidden; box-sizing: border-box;
  border: 1px solid #8886; border-radius: 6px; }}
h1 {{ font-size: 14px; margin: 0 0 6px; }}
.scores {{ border-collapse: collapse; width: 100%; }}
.scores :is(th, td) {{ text-align: left; vertical-align: top; padding: 3px 5px; border-bottom: 1px solid #8886; }}
.scores :is(th, td):nth-child(n + 4) {{ text-align: right; }}
.qa-explain.qa-explain.qa-explain.qa-explain :is(th, td) {{ padding-left: 0; padding-right: .6em; }}
iframe {{ border: 0; width: {inner}px; height: {deep}px; transform: scale({zoom}); transform-origin: 0 0; }}
</style><h1>{title}</h1>{body}</html>"""


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
    """Write the four parts of both schemes into a folder."""
    with tempfile.TemporaryDirectory() as work, working_in(work):
        for end, (scheme, ground, text) in SCHEMES.items():
            style = plt.style.library["dark_background"] if scheme == "dark" else {}
            style = {**style, "figure.facecolor": ground, "axes.facecolor": ground, "figure.dpi": 100 * SCALE}
            with mpl.rc_context({**mpl.rcParamsDefault, "backend": "agg", **style}):
                found = {}
                Path("report.html").unlink(missing_ok=True)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", qa_frame.errors.ScoringWarning)  # which the README explains
                    exec(code, found)  # noqa: S102  (our own page)
                figure = plt.gcf()
                figure.set_size_inches((WIDTH - 20) / 100, (HEIGHT - 50) / 100)
                figure.savefig(f"means{end}.png")
                plt.close("all")
            bodies = {
                "scores": table_of(found["scored"]),
                "explain": found["explained"]._repr_html_(),
                "means": f'<img src="means{end}.png" width="{WIDTH - 20}" alt="">',
                "report": '<iframe src="report.html"></iframe>',
            }
            for name, body in bodies.items():
                colours = {"scheme": scheme, "ground": ground, "text": text}
                page = PAGE.format(title=TITLES[name], body=body, **colours, **SIZES)
                Path(f"part-{name}{end}.html").write_text(page, encoding="utf-8")
        show(Path(work), folder)


def table_of(scored):
    """Return some rows with their scores as HTML."""
    shown = scored.loc[SHOWN, ["response", "answers", "em", "f1", "recall"]]
    shown["answers"] = shown["answers"].map(lambda golds: " | ".join(golds[:2]))
    return shown.to_html(classes="scores", border=0, float_format="{:.2f}".format).replace("dataframe ", "")


def show(work, folder):
    """Write what Chromium shows of the pages of a folder."""
    fonts = {name: Path(mpl.get_data_path(), "fonts", "ttf", f"{name.replace(' ', '')}.ttf") for name in FONTS}
    faces = "".join(
        f"@font-face {{ font-family: front-{FONTS[name]}; src: url(data:font/ttf;base64,"
        f"{base64.b64encode(path.read_bytes()).decode()}); }}\n"
        for name, path in fonts.items()
    )
    rules = f"{faces}* {{ font-family: front-sans-serif !important; }}\n"
    rules += ":is(code, pre, kbd, .a td, .a td *) { font-family: front-monospace !important; }\n"
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
                for name in TITLES:
                    browser.open((work / f"part-{name}{end}.html").as_uri())
                    browser.value("document.fonts.ready.then(() => new Promise(done => setTimeout(done, 500)))")
                    shot = browser.call("Page.captureScreenshot")
                    path = folder / f"front-{name}{end}.png"
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
