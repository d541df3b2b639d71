"""Pictures in a column of a paper, in a page and on a screen, with names as models have: all texts can be read."""

from __future__ import annotations

import itertools
import re
import warnings
from pathlib import Path as FilePath

import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
import pytest
from matplotlib import pyplot as plt
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.path import Path
from matplotlib.text import Text
from matplotlib.transforms import Affine2D

import qa_frame
from qa_frame import plot
from qa_frame.ext.plot import fonts, labels

mpl.use("Agg")

NAMES = [
    "Qwen/Qwen2.5-72B-Instruct",
    "deepseek-ai/DeepSeek-R1-Distill-Llama-70B",
    "mistralai/Mixtral-8x22B-Instruct-v0.1",
]
DATASETS = ["natural_questions_open", "hotpotqa/distractor-setting"]
WIDTHS = {3.3: 3.2, 12.0: 6.0}
"""The heights of figures by their widths, in inches."""


def answers(names, n_questions=60):
    random = np.random.default_rng(1)
    rows = pd.MultiIndex.from_product([names, range(n_questions)], names=["model", "question_id"])
    frame = rows.to_frame(index=False)
    skill = frame["model"].map({name: 0.3 + 0.4 * place / len(names) for place, name in enumerate(names)})
    em = (random.random(len(frame)) < skill).astype(float)
    f1 = np.where(em == 1, 1, random.random(len(frame)) * (random.random(len(frame)) < 0.6))
    return frame.assign(
        em=em,
        f1=f1,
        dataset=np.take(DATASETS, frame["question_id"] % 2),
        step=frame["question_id"] % 4 * 1000,
        human=random.random(len(frame)) < 0.15 + 0.7 * f1,
        sure=(f1 / 2 + random.random(len(frame)) / 2).round(1),
        pred_len=random.integers(1, 80, len(frame)),
    )


@pytest.fixture(scope="module")
def calls():
    """What draws each picture on axes that are given."""
    frame = answers(NAMES)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        by_model = frame.qa.summary("model", metrics=["em", "f1"], ci=0.95, n_resamples=50)
        by_two = frame.qa.summary(["model", "dataset"], metrics="f1", ci=0.95, n_resamples=50)
        by_step = frame.qa.summary(["model", "step"], metrics="f1", ci=0.95, n_resamples=50)
        compared = frame.qa.compare("model", "question_id", metrics=["em", "f1"], n_resamples=300)
        risks = frame.qa.risk_coverage(confidence="sure", metric="f1", by="model")
    return {
        "summary": lambda ax: plot.summary(by_model, ax=ax),
        "summary by two": lambda ax: plot.summary(by_two, ax=ax),
        "compare": lambda ax: plot.compare(compared, ax=ax),
        "compare by one": lambda ax: plot.compare(compared, "f1", ax=ax),
        "ranks": lambda ax: plot.ranks(compared.qa.ranks(), "f1", ax=ax),
        "distribution": lambda ax: plot.distribution(frame, "f1", "model", ax=ax),
        "risk_coverage": lambda ax: plot.risk_coverage(risks, ax=ax),
        "heatmap": lambda ax: plot.heatmap(by_two, ax=ax),
        "trend": lambda ax: plot.trend(by_step, ax=ax),
    }


def shown_texts(figure):
    """The texts of a figure, without those of ticks beyond the axes."""
    pseudo_units = set()
    for axis in itertools.chain.from_iterable((ax.xaxis, ax.yaxis) for ax in figure.axes):
        low, high = sorted(axis.get_view_interval())
        ticks = [*axis.get_major_ticks(), *axis.get_minor_ticks()]
        beyond = [tick for tick in ticks if not low <= tick.get_loc() <= high]
        pseudo_units |= {label for tick in beyond for label in (tick.label1, tick.label2)}
    texts = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()]
    return [text for text in texts if text not in pseudo_units]


def outline(text, renderer):
    """The box of a text, half a pixel inside; turned where the text is."""
    turned = text.get_rotation()
    if turned % 90:
        text.set_rotation(0)
    box = text.get_window_extent(renderer).padded(-0.5)
    text.set_rotation(turned)
    corners = [(box.x0, box.y0), (box.x1, box.y0), (box.x1, box.y1), (box.x0, box.y1), (box.x0, box.y0)]
    if turned % 90:
        anchor = text.get_transform().transform(text.get_unitless_position())
        corners = Affine2D().rotate_deg_around(*anchor, turned).transform(corners)
    return Path(corners)


def faults(figure):
    """The texts that are outside of the figure, and the pairs that overlap."""
    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw_without_rendering()
    boxes = {text: outline(text, renderer) for text in shown_texts(figure)}
    ends = {text: (box.vertices.min(axis=0), box.vertices.max(axis=0)) for text, box in boxes.items()}
    size = figure.bbox.size
    found = [text.get_text() for text, (low, high) in ends.items() if (low < -1).any() or (high > size + 1).any()]
    for (text, box), (other, another) in itertools.combinations(boxes.items(), 2):
        if box.intersects_path(another, filled=True):
            found.append(f"{text.get_text()} / {other.get_text()}")
    return found


@pytest.mark.needs("abstention")
@pytest.mark.thorough
@pytest.mark.parametrize("width", WIDTHS)
def test_every_text_is_inside_and_none_covers_another(width, calls):
    found = {}
    for name, draw in calls.items():
        figure = Figure(figsize=(width, WIDTHS[width]), layout="constrained")
        draw(figure.subplots())
        found[name] = faults(figure)
    assert {name: texts for name, texts in found.items() if texts} == {}


def test_names_break_behind_separators_alone():
    for name in [*NAMES, f"{NAMES[1]} − {NAMES[2]}"]:
        lines = labels.fit(name, 1.2).split("\n")
        assert len(lines) > 1
        assert all(line[-1] in "/-_−" for line in lines[:-1])
        assert "".join(lines).replace(" ", "") == name.replace(" ", "")
        assert max(map(fonts.inches, lines)) <= 1.2
    assert labels.fit(f"{NAMES[0]} − {NAMES[0]}", 2.5) == f"{NAMES[0]} −\n{NAMES[0]}"
    assert max(map(fonts.inches, labels.fit("模型" * 20, 1.0).split("\n"))) <= 1.0


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore::qa_frame.errors.IntervalWarning")
def test_pictures_of_forty_models():
    frame = answers([f"organisation-{place % 7}/Model-{place:02d}-70B-Instruct" for place in range(40)], 12)
    options = {"by": "model", "question": "question_id", "metrics": "f1", "n_resamples": 20}
    compared = frame.qa.compare(**options)
    with pytest.raises(
        qa_frame.errors.UnknownOptionError,
        match=r"780 rows .* \d\d\d inches high; give fewer, as in table.head.40.*plot.ranks",
    ):
        plot.compare(compared)
    of_thirds = frame.assign(third=frame["question_id"] % 3).qa.summary(["model", "third"], metrics=["em", "f1"])
    with pytest.raises(qa_frame.errors.UnknownOptionError, match=r"120 rows to draw.*; give fewer"):
        plot.summary(of_thirds)
    drawn = [plot.compare(compared.head(40)), plot.ranks(compared.qa.ranks())]
    drawn.append(plot.heatmap(frame.qa.summary(["model", "dataset"], metrics="f1")))
    try:
        for ax in drawn:
            assert faults(ax.figure) == []
            assert max(ax.figure.get_size_inches()) < 25
        assert drawn[0].xaxis.get_major_ticks()[0].label2.get_visible()  # at the top
        few = plot.compare(compared.head(5), ax=Figure().subplots())
        assert not few.xaxis.get_major_ticks()[0].label2.get_visible()
    finally:
        plt.close("all")


def test_names_that_cannot_fit_are_said():
    table = pd.DataFrame({"model": [f"m{place}" for place in range(30)], "n": 9, "em": 0.5})
    with pytest.warns(qa_frame.errors.PlotWarning, match="30 lines of names do not fit into axes of 2.. inches"):
        plot.summary(table, ax=Figure(figsize=(6.4, 3)).subplots())


def test_ranks_have_no_ticks_beyond_the_last():
    compared = answers([f"m{place}" for place in range(9)], 40).qa.compare("model", "question_id", metrics="f1")
    ax = plot.ranks(compared.qa.ranks(), ax=Figure((3.3, 3)).subplots())
    low, high = ax.get_xlim()
    assert all(tick == int(tick) for tick in ax.get_xticks())
    assert [tick for tick in ax.get_xticks() if low <= tick <= high][-1] <= 9


def test_one_warning_for_all_characters_that_no_font_has(monkeypatch):
    monkeypatch.setattr(fonts, "_find_families", lambda lacking, _: ((), lacking))
    table = pd.DataFrame({"model": ["模型", "千问"], "n": 9, "em": [0.1, 0.5]})
    ax = Figure().subplots()
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        plot.summary(table, ax=ax)
        FigureCanvasAgg(ax.figure).draw()
    (said,) = heard
    assert said.category is qa_frame.errors.PlotWarning
    assert "has 4 characters of this picture, such as '千'" in str(said.message)
    pattern = re.search(r"remove matplotlib's list of fonts, (\S+),", str(said.message)).group(1)
    assert list(FilePath(pattern).parent.glob(FilePath(pattern).name))  # matplotlib's own, which it does not renew
    with mpl.rc_context({"svg.fonttype": "none"}):  # the browser's fonts show these
        plot.summary(table, ax=Figure().subplots())


@pytest.mark.needs("style")
def test_what_the_intervals_are_is_said():
    compared = answers(NAMES).qa.compare("model", "question_id", metrics="f1", ci=0.9)
    label = plot.compare(compared, ax=Figure().subplots()).get_xlabel().replace("\n", " ")
    assert label.endswith("; bars: Holm-corrected 90 % intervals")
    assert qa_frame.style(compared).note == "In brackets: Holm-corrected 90 % confidence intervals."
    alone = plot.compare(pl.from_pandas(compared), ax=Figure().subplots())
    assert "bars" not in alone.get_xlabel()


@pytest.mark.needs("abstention")
@pytest.mark.thorough
@pytest.mark.parametrize("width", WIDTHS)
def test_figures_of_ones_own_have_room_for_names(width, calls):
    """They are made without a layout, as `plt.subplots()` makes them."""
    found = {}
    for name, draw in calls.items():
        figure = Figure(figsize=(width, WIDTHS[width]))
        draw(figure.subplots())
        found[name] = faults(figure)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            figure.tight_layout()  # as many do
    assert {name: texts for name, texts in found.items() if texts} == {}


def test_parts_of_figures_have_room_for_names():
    table = pd.DataFrame({"model": NAMES, "n": 9, "em": 0.5})
    figure = Figure(figsize=(10, 3))
    for part in figure.subfigures(1, 2):
        plot.summary(table, ax=part.subplots())
    assert faults(figure) == []


def test_a_figure_that_was_laid_out_stays_so():
    table = pd.DataFrame({"model": NAMES, "n": 9, "em": 0.5})
    adjusted, placed, constrained = Figure(), Figure(), Figure(layout="constrained")
    adjusted.subplots_adjust(left=0.4)
    for ax in (adjusted.subplots(), placed.add_axes((0.4, 0.2, 0.5, 0.7)), constrained.subplots()):
        before = ax.figure.get_layout_engine()
        plot.summary(table, ax=ax)
        assert ax.figure.get_layout_engine() is before


def test_new_figures_have_the_size_that_was_chosen_for_all():
    table = pd.DataFrame({"model": NAMES, "n": 9, "em": 0.5})
    try:
        with mpl.rc_context({"figure.figsize": (5, 3)}):
            assert plot.summary(table).figure.get_size_inches().tolist() == [5, 3]
        assert plot.summary(table).figure.get_size_inches()[0] == 6.4
    finally:
        plt.close("all")
