"""Fonts for names in any script: a font of this machine that has the letters which the chosen one lacks."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Any, TypeAlias

Axes: TypeAlias = Any
"""`matplotlib.axes.Axes`. matplotlib is an extra, so no module imports it before it is needed."""

_DRAWN_OTHERWISE = ("Color Emoji", "LastResort", "Last Resort")
"""Fonts of coloured bitmaps, which matplotlib cannot draw, and fonts that have a box for every character."""


def with_fonts(ax: Axes) -> Axes:
    """Return the axes, each text with further fonts for the characters that its own font lacks.

    Such are Chinese, Japanese and Korean names, and emoji. Where no font of the machine has a character, matplotlib
    draws a box, and warns.
    """
    from matplotlib.font_manager import findfont, fontManager  # noqa: PLC0415  (an extra)
    from matplotlib.text import Text  # noqa: PLC0415

    for text in ax.findobj(Text):
        unusual = frozenset(filter(_is_unusual, text.get_text()))
        lacking = _without(unusual, findfont(text.get_fontproperties())) if unusual else unusual
        if lacking:
            text.set_fontfamily([*text.get_fontfamily(), *_families_with(lacking, len(fontManager.ttflist))])
            text.set_fontweight("normal")  # many of these fonts have no other, which the log would say
    return ax


def _is_unusual(character: str) -> bool:
    """Whether a font may lack it. Signs without a picture, such as line feeds and joiners, need none."""
    return not character.isascii() and unicodedata.category(character)[0] not in "CZM"


def _without(characters: frozenset[str], path: str) -> frozenset[str]:
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
def _families_with(lacking: frozenset[str], n_fonts: int) -> tuple[str, ...]:  # noqa: ARG001  (fonts may be added)
    """Return the families that have these characters between them: upright fonts of usual weight before others."""
    from matplotlib.font_manager import fontManager  # noqa: PLC0415

    found: list[str] = []
    fonts = sorted(fontManager.ttflist, key=lambda font: (font.style != "normal", "Sans" not in font.name, font.name))
    for font in fonts:
        if not lacking:
            break
        if font.name in found or any(mark in font.name for mark in _DRAWN_OTHERWISE):
            continue
        left = _without(lacking, font.fname)
        if left < lacking:
            found, lacking = [*found, font.name], left
    return tuple(found)
