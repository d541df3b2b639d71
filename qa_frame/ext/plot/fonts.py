"""Fonts for names in any script: a font of this machine that has the letters which the chosen one lacks."""

from __future__ import annotations

import unicodedata
import warnings
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias

from qa_frame.errors import MissingPackageError, PlotWarning, plural, warn
from qa_frame.terminal import columns_of

Axes: TypeAlias = Any
"""`matplotlib.axes.Axes`. matplotlib is an extra, so no module imports it before it is needed."""

_DRAWN_OTHERWISE = ("Color Emoji", "LastResort", "Last Resort")
"""Fonts of coloured bitmaps, which matplotlib cannot draw, and fonts that have a box for every character."""


def require_matplotlib() -> Any:
    """Return the class of Axes; MissingPackageError if matplotlib is not installed."""
    try:
        from matplotlib import axes  # noqa: PLC0415  (an extra, and slow to import)
    except ImportError as error:
        raise MissingPackageError(
            'qa_frame.plot needs matplotlib, which is not installed; pip install "qa-frame[plot]"'
        ) from error
    return axes.Axes


def with_fonts(ax: Axes) -> Axes:
    """Return the axes, each text with further fonts for the characters that its own font lacks.

    Such are Chinese, Japanese and Korean names, and emoji. Where no font of the machine has a character, there is one
    warning, and not one of matplotlib's for each character.
    """
    from matplotlib import get_cachedir, rcParams  # noqa: PLC0415  (an extra)
    from matplotlib.font_manager import findfont, fontManager  # noqa: PLC0415
    from matplotlib.text import Text  # noqa: PLC0415

    absent: set[str] = set()
    for text in ax.findobj(Text):
        unusual = frozenset(filter(_is_unusual, text.get_text()))
        lacking = _find_lacking(unusual, findfont(text.get_fontproperties())) if unusual else unusual
        if lacking:
            families, left = _find_families(lacking, len(fontManager.ttflist))
            text.set_fontfamily([*text.get_fontfamily(), *families])
            absent |= left
    if absent and rcParams["svg.fonttype"] != "none":  # such text has the fonts of those who look at it
        warn(
            f"no font of this machine has {plural(len(absent), 'character')} of this picture, such as "
            f"{min(absent)!r}, and boxes stand for them; install a font that has them, such as Noto Sans CJK for "
            "Chinese, Japanese and Korean (Debian: apt install fonts-noto-cjk), remove matplotlib's list of fonts, "
            f"{Path(get_cachedir()) / 'fontlist-*.json'}, which may be older, and start Python anew",
            PlotWarning,
        )
        warnings.filterwarnings("ignore", r"Glyph \d+ .* missing from", UserWarning)  # one for each, when it is drawn
    return ax


SIZE = "small"
"""The size of all words in pictures, as matplotlib calls it."""

_WIDTH_OF_LETTER = 0.58
"""The share of the size that a letter of the usual font takes on average."""


def inches(text: str) -> float:
    """Return about how many inches wide the widest line of a text is. A Chinese letter is as wide as two others."""
    require_matplotlib()
    from matplotlib.font_manager import FontProperties  # noqa: PLC0415

    points = float(FontProperties(size=SIZE).get_size_in_points())
    return max(map(columns_of, text.split("\n"))) * _WIDTH_OF_LETTER * points / 72


def _is_unusual(character: str) -> bool:
    """Return whether a font may lack a character. Signs without a picture, such as line feeds, need no font."""
    return not character.isascii() and unicodedata.category(character)[0] not in "CZM"


def _find_lacking(characters: frozenset[str], path: str) -> frozenset[str]:
    """Return the characters that a font lacks; all of them if it cannot be read or drawn."""
    from matplotlib.ft2font import FT2Font  # noqa: PLC0415

    try:
        font = FT2Font(path)
    except (OSError, RuntimeError):
        return characters
    if not font.scalable:
        return characters
    return frozenset(each for each in characters if not font.get_char_index(ord(each)))


@lru_cache(maxsize=256)
def _find_families(lacking: frozenset[str], n_fonts: int) -> tuple[tuple[str, ...], frozenset[str]]:  # noqa: ARG001
    """Return the families that have these characters between them, upright fonts first, and the characters left.

    n_fonts: how many fonts matplotlib knows, so that the cache does not hide new ones.
    """
    from matplotlib.font_manager import fontManager  # noqa: PLC0415

    families: list[str] = []
    fonts = sorted(fontManager.ttflist, key=lambda font: (font.style != "normal", "Sans" not in font.name, font.name))
    for font in fonts:
        if not lacking:
            break
        if font.name in families or any(mark in font.name for mark in _DRAWN_OTHERWISE):
            continue
        left = _find_lacking(lacking, font.fname)
        if left < lacking:
            families, lacking = [*families, font.name], left
    return tuple(families), lacking
