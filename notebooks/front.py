"""Draw the picture at the top of the README from the code that stands above it, for light and for dark screens.

`python notebooks/front.py` writes `front.png` and `front-dark.png`. With `--check` it writes nothing, and fails if
these do not look as the code draws them now.
"""

import argparse
import re
import sys
import tempfile
from pathlib import Path

import matplotlib as mpl

mpl.use("agg")

from matplotlib import pyplot as plt
from matplotlib.testing.compare import compare_images
from PIL import Image

import qa_frame

NOTEBOOKS = Path(__file__).parent
README = NOTEBOOKS.parent / "README.md"
DARK = "#0d1117"
STYLES = {
    "front.png": {},
    "front-dark.png": {**plt.style.library["dark_background"], "figure.facecolor": DARK, "axes.facecolor": DARK},
}
DOTS_PER_INCH = 144
TOLERANCE = 12
"""Root of the mean squared difference of pixels, of 255: versions of matplotlib draw letters a little differently."""


def code_of(readme):
    """Return the first block of Python of the README."""
    return re.search(r"^```python\n(.*?)^```$", readme.read_text("utf-8"), re.MULTILINE | re.DOTALL)[1]


def draw(code, style, path):
    """Write the figures that the code makes, from left to right."""
    with mpl.rc_context({**mpl.rcParamsDefault, "backend": "agg", **style}), tempfile.TemporaryDirectory() as folder:
        exec(code, {"qa_frame": qa_frame, "df": qa_frame.sample()})  # noqa: S102  (our own page)
        figures = [plt.figure(number) for number in plt.get_fignums()]
        height = max(figure.get_figheight() for figure in figures)
        parts = []
        for place, figure in enumerate(figures):
            figure.set_figheight(height)
            figure.savefig(Path(folder) / f"{place}.png", dpi=DOTS_PER_INCH)
            parts.append(Image.open(Path(folder) / f"{place}.png").convert("RGB"))
        plt.close("all")
    whole = Image.new("RGB", (sum(part.width for part in parts), parts[0].height))
    for place, part in enumerate(parts):
        whole.paste(part, (sum(before.width for before in parts[:place]), 0))
    whole.quantize(128).save(path, optimize=True)


def outdated(code):
    """Return what differs between the pictures and what the code draws."""
    with tempfile.TemporaryDirectory() as folder:
        for name, style in STYLES.items():
            draw(code, style, Path(folder) / name)
            difference = compare_images(NOTEBOOKS / name, Path(folder) / name, TOLERANCE)
            if difference:
                yield f"{name} is outdated; run python notebooks/front.py\n{difference}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare the pictures with what the code draws")
    code = code_of(README)
    if parser.parse_args().check:
        found = list(outdated(code))
        print("\n".join(found))
        return int(bool(found))
    for name, style in STYLES.items():
        draw(code, style, NOTEBOOKS / name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
