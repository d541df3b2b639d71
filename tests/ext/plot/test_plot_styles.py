"""Plots in styles, sizes and scripts that are not matplotlib's own: all is to be seen, nothing collides."""

from __future__ import annotations

import itertools

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib import font_manager, ft2font
from matplotlib import pyplot as plt
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure

from qa_frame import plot
from qa_frame.ext.plot import drawing
from qa_frame.tables.visible import isolate

mpl.use("Agg")

SUMMARY = pd.DataFrame(
    {"model": ["a", "b", "c"], "n": 9, "em": [0.1, 0.5, 0.9], "em_lo": [0.0, 0.4, 0.8], "em_hi": [0.2, 0.6, 1.0]}
)
COMPARED = pd.DataFrame(
    {
        "metric": ["em", "em", "f1"], "a": ["heron-7b", "heron-7b", "heron-7b"], "b": ["lynx-70b", "otter", "otter"],
        "n": 9, "diff": [-0.5, 0.1, 0.2], "diff_lo": [-0.6, -0.05, 0.1], "diff_hi": [-0.4, 0.3, 0.3],
        "p": 0.1, "p_adj": [0.01, 0.2, 0.3], "wins": 1, "ties": 1, "losses": 7, "mean_a": 0.1, "mean_b": 0.6,
    }
)  # fmt: skip
BY_TWO = pd.DataFrame(
    {"model": ["a", "a", "b", "b"], "dataset": ["x", "y", "x", "y"], "n": 9, "em": [0.5, 0.54, 0.7, np.nan]}
)
SCORED = pd.DataFrame({"model": ["a", "a", "b"] * 5, "em": [0, 0.1, 0.3, 0.5, 1] * 3})

STYLES = ("dark_background", "default", "ggplot", "seaborn-v0_8-darkgrid", "Solarize_Light2")


def contrast(colour, other):
    """WCAG's ratio of contrast, from 1 to 21."""
    lights = []
    for parts in map(to_rgb, (colour, other)):
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        lights.append(0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] + 0.05)
    return max(lights) / min(lights)


def colour_at(ax, x, y):
    """The pixel at a place of the axes, in the units of the data."""
    FigureCanvasAgg(ax.figure).draw()
    column, row = ax.transData.transform((x, y))
    pixels = np.asarray(ax.figure.canvas.buffer_rgba())
    return to_hex(pixels[pixels.shape[0] - 1 - round(row), round(column), :3] / 255)


def collide(labels):
    boxes = sorted((label.get_window_extent() for label in labels if label.get_text()), key=lambda box: box.x0)
    return any(left.x1 >= right.x0 for left, right in itertools.pairwise(boxes))


@pytest.mark.parametrize("style", STYLES)
def test_bands_grid_and_markers_follow_the_style(style):
    with plt.style.context(style):
        ax = Figure().subplots()
        plot.compare(COMPARED.assign(p_adj=0.5), ax=ax)
        ground = to_hex(ax.get_facecolor())
        shown = [tick for tick in ax.get_xticks() if tick < ax.get_xlim()[1]]
        x = np.mean(shown[-2:])  # between two lines of the grid
        assert contrast(colour_at(ax, x, 1.45), ground) < 1.4
        assert colour_at(ax, x, 0.47) == ground
        assert not any(line.get_visible() for line in ax.get_ygridlines())
        assert contrast(ax.get_xgridlines()[0].get_color(), ground) < 1.7
        markers = [line for line in ax.lines if line.get_marker() in drawing.MARKERS]
        assert {to_hex(line.get_markerfacecolor()) for line in markers if line.get_markerfacecolor() == ground}
        assert min(contrast(line.get_color(), ground) for line in markers) > 2
        assert min(contrast(text.get_color(), ax.figure.get_facecolor()) for text in ax.get_legend().get_texts()) > 4.5


@pytest.mark.parametrize("style", STYLES)
def test_the_last_colour_is_seen_on_dark_axes(style):
    with plt.style.context(style):
        ax = Figure().subplots()
        table = pd.DataFrame({f"m{place}": [place / 10] for place in range(7)})
        plot.summary(table, ax=ax)
        assert min(contrast(line.get_color(), ax.get_facecolor()) for line in ax.lines) > 1.7


@pytest.mark.parametrize("style", STYLES)
def test_figures_of_a_map_are_read(style):
    with plt.style.context(style):
        ax = Figure().subplots()
        plot.heatmap(BY_TWO, "em", ax=ax)
        assert [text.get_text() for text in ax.texts] == ["0.50", "0.54", "0.70", "–"]
        for text in ax.texts:
            column, row = text.get_position()
            assert contrast(text.get_color(), colour_at(ax, column + 0.3, row + 0.3)) >= 4.5
        (drawn,) = ax.images
        assert drawn.get_clim() == (0.5, 0.7)
        assert colour_at(ax, 0.3, 0.3) != colour_at(ax, 1.3, 0.3)


def test_colours_of_a_map_have_a_range():
    ax = Figure().subplots()
    plot.heatmap(BY_TWO.assign(em=0.5), "em", ax=ax)
    np.testing.assert_allclose(ax.images[0].get_clim(), (0.45, 0.55))


@pytest.mark.thorough
@pytest.mark.parametrize("style", STYLES)
def test_shares_are_read(style):
    with plt.style.context(style):
        ax = Figure().subplots()
        plot.distribution(SCORED, "em", by="model", ax=ax)
        bars = [bar for bars in ax.containers for bar in bars if bar.get_width()]
        away = [np.abs(np.subtract(to_rgb(bar.get_facecolor()), to_rgb(ax.get_facecolor()))).max() for bar in bars]
        assert min(away) > 0.15
        every = [bar for bars in ax.containers for bar in bars]
        for text, bar in zip(ax.texts, every, strict=True):
            x, y = bar.get_x() + bar.get_width() / 2, bar.get_y() + 0.05
            assert not text.get_text() or contrast(text.get_color(), colour_at(ax, x, y)) >= 4.5


@pytest.mark.parametrize("draw", [lambda ax: plot.summary(SUMMARY, ax=ax), lambda ax: plot.compare(COMPARED, ax=ax)])
@pytest.mark.parametrize("shift", [1, 0.1, 100])
def test_a_column_of_a_paper(draw, shift, monkeypatch):
    """3.3 inches: neither ticks nor texts collide, and none is cut off."""
    for table in (SUMMARY, COMPARED):
        for name in table.filter(regex="^em|^diff").columns:
            monkeypatch.setitem(table, name, table[name] * shift)
    ax = Figure(figsize=(3.3, 2.4), layout="constrained").subplots()
    draw(ax)
    FigureCanvasAgg(ax.figure).draw()
    assert not collide(ax.get_xticklabels())
    low, high = ax.get_xlim()
    assert sum(low <= tick <= high for tick in ax.get_xticks()) >= 2
    texts = [ax.xaxis.label, *ax.get_yticklabels(), *(ax.get_legend().get_texts() if ax.get_legend() else [])]
    for text in texts:
        box = text.get_window_extent()
        assert box.x0 >= 0
        assert box.x1 <= ax.figure.bbox.width


# --- scripts

ARABIC, HEBREW = "نموذج", "מודל"


def test_names_from_right_to_left_are_isolated():
    assert isolate(ARABIC) == f"\u2068{ARABIC}\u2069"
    assert isolate("heron-7b") == "heron-7b"


@pytest.mark.skipif(not hasattr(ft2font, "__libraqm_version__"), reason="this matplotlib draws from left to right only")
def test_names_from_right_to_left_turn_nothing_around():
    """The first of two names has the ink of its own letters at the left end."""
    named = {"heron-7b": ARABIC}
    ax = Figure().subplots()
    plot.compare(COMPARED.replace(named), ax=ax)
    assert ax.get_yticklabels()[0].get_text() == f"\u2068{ARABIC}\u2069 − lynx-70b"
    plot.distribution(SCORED.replace({"a": HEBREW}), "em", by="model", ax=ax)
    assert f"\u2068{HEBREW}\u2069 (10 of 10 scored)" in [label.get_text() for label in ax.get_yticklabels()]
    alone, both = (drawn(text) for text in (ARABIC, f"\u2068{ARABIC}\u2069 − lynx"))
    assert np.array_equal(alone, both[:, : alone.shape[1]])
    turned = drawn(f"{ARABIC} − lynx")
    assert not np.array_equal(alone, turned[:, : alone.shape[1]])


def drawn(text):
    """The pixels of a text, from its first column with ink on."""
    figure = Figure(figsize=(4, 0.5))
    figure.text(0.1, 0.5, text)
    FigureCanvasAgg(figure).draw()
    ink = np.asarray(figure.canvas.buffer_rgba())[..., 0] < 128
    columns = np.flatnonzero(ink.any(axis=0))
    return ink[:, columns[0] : columns[-1] + 1]


def test_letters_that_the_font_lacks_are_of_another_font():
    """Computer Modern has no Cyrillic letters, as the usual fonts have no Chinese ones."""
    with mpl.rc_context({"font.family": "cmr10", "axes.formatter.use_mathtext": True}):
        ax = Figure().subplots()
        plot.summary(SUMMARY.replace({"a": "Модель"}), ax=ax)
        named, other = ax.get_yticklabels()[:2]
        (added,) = named.get_fontfamily()[1:]
        font = ft2font.FT2Font(font_manager.findfont(added))
        assert all(font.get_char_index(ord(letter)) for letter in "Модель")
        assert other.get_fontfamily() == ["cmr10"]
        FigureCanvasAgg(ax.figure).draw()  # a letter without a picture would give a warning, which is an error in tests
