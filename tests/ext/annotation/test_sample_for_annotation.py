"""`sample_for_annotation`: as many rows as asked for, the same ones in any order, and the width that Wilson's interval has."""

import numpy as np
import polars as pl
import pytest

import qa_frame
from qa_frame.errors import UnknownOptionError

SAMPLE = qa_frame.sample()


def test_each_group_has_n_rows_and_they_do_not_depend_on_the_order_of_rows():
    drawn = SAMPLE.qa.sample_for_annotation(7, "model")
    assert drawn.groupby("model").size().tolist() == [7, 7, 7]
    shuffled = SAMPLE.sample(frac=1, random_state=1)
    again = shuffled.qa.sample_for_annotation(7, "model")
    assert sorted(again.index) == list(drawn.index)
    of_polars = qa_frame.sample_for_annotation(pl.from_pandas(SAMPLE), 7, "model")
    assert of_polars["response"].to_list() == [None if isinstance(each, float) else each for each in drawn["response"]]


def test_rows_are_drawn_evenly():
    counts = np.zeros(len(SAMPLE))
    for value in range(40):
        counts[SAMPLE.assign(other=value).qa.sample_for_annotation(36).index] += 1
    assert counts.sum() == 40 * 36
    assert abs(counts.mean() - 4) < 1e-9
    assert counts.std() < 1.3 * np.sqrt(40 * 0.1 * 0.9)  # equal rows share a draw


@pytest.mark.parametrize("width", [0.05, 0.2, 0.5])
def test_the_width_is_that_of_wilsons_interval(width):
    stats = pytest.importorskip("scipy.stats")
    n = SAMPLE.qa.sample_for_annotation(width=width).attrs["qa_drawn"]["n"]
    widths = [np.ptp(list(stats.binomtest(each // 2, each).proportion_ci(0.95, "wilson"))) for each in (n + n % 2,)]
    assert widths[0] == pytest.approx(width, rel=0.02)


@pytest.mark.parametrize(
    "settings", [{}, {"n": 3, "width": 0.1}, {"n": 0}, {"width": 1.0}, {"width": "a"}, {"n": 3, "ci": 2}]
)
def test_a_wrong_argument_is_named(settings):
    with pytest.raises(UnknownOptionError, match=r"n=|width=|ci="):
        SAMPLE.qa.sample_for_annotation(**settings)
