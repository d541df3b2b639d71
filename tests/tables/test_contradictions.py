"""No row of a comparison contradicts itself, whatever the options of the call are."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import qa_frame
from qa_frame.parallel import jobs
from qa_frame.stats import contrasts, p_function, permutation
from tests.benchmarks.decisions import contradictions_of, random_call

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("seed", range(5))
def test_random_calls(seed):
    random = np.random.default_rng([seed, 7])
    for _ in range(15):
        frame, settings = random_call(random)
        compared = qa_frame.compare(frame, "model", **settings)
        found = contradictions_of(compared, settings)
        assert not any(found.values()), (settings, found)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.thorough
def test_threads_and_the_order_of_rows_change_no_bit_and_batches_nothing(seed, monkeypatch):
    random = np.random.default_rng([seed, 8])
    for _ in range(6):
        frame, settings = random_call(random)
        settings["baseline"] = None  # which some dataset may lack
        expected = qa_frame.compare(frame, "model", **settings)
        with monkeypatch.context() as changed:
            changed.setattr(jobs, "_count_processors", lambda: 5)
            changed.setattr(permutation, "_ELEMENTS", 1000)
            found = qa_frame.compare(frame.sample(frac=1, random_state=seed), "model", **settings)
            pd.testing.assert_frame_equal(found, expected, check_exact=True)
            changed.setattr(p_function, "_MEANS", 1000)
            changed.setattr(contrasts, "_SUMS", 1000)
            found = qa_frame.compare(
                frame, "model", **settings
            )  # sums of fewer pairs at once are rounded in another way
            pd.testing.assert_frame_equal(found, expected, rtol=1e-12, atol=1e-14)


def test_contradictions_are_seen():
    settings = {"ci": 0.95, "margin": 0.02}
    row = {
        "metric": "em",
        "diff": 0.08,
        "diff_lo": 0.01,
        "diff_hi": 0.15,
        "p": 0.03,
        "p_adj": 0.03,
        "verdict": "better",
    }
    row |= {"p_noninferior": 0.01, "p_equivalent": 0.9, "tost_lo": 0.02, "tost_hi": 0.14}
    assert not any(contradictions_of(pd.DataFrame([row]), settings).values())
    for wrong in (
        {"diff_lo": -0.01},
        {"p_noninferior": 0.06},
        {"tost_lo": -0.03},
        {"tost_lo": 0.09},
        {"verdict": "worse"},
    ):
        assert any(contradictions_of(pd.DataFrame([row | wrong]), settings).values()), wrong


def documents(wins=(3, 1, 1, 1, 1, 1, 0, 0)):
    """Eight documents of 25 questions, of which the new model is right on some where the old one is wrong."""
    rows = []
    for document, n_won in enumerate(wins):
        for place in range(25):
            right = {"old": place >= 12, "new": place >= 12 or place < n_won}
            rows += [(model, f"{document}-{place}", document, is_right) for model, is_right in right.items()]
    frame = pd.DataFrame(rows, columns=["model", "question", "document", "is_right"])
    return frame.assign(response=np.where(frame["is_right"], "x", "y"), answers=[["x"]] * len(frame))


@pytest.mark.parametrize("margin", [0, 0.01])
def test_what_is_better_is_as_good(margin):
    scored = documents().qa.score("response", "answers", metrics="em")
    options = {"baseline": "old", "cluster": "document", "margin": margin}
    (row,) = scored.qa.compare("model", "question", **options).to_dict("records")
    assert (row["diff"], row["p"], row["verdict"]) == (pytest.approx(0.04), 0.03125, "better")
    names = ["diff_lo", "diff_hi", "p_noninferior", "tost_lo", "tost_hi"]
    assert [round(row[name], 3) for name in names] == [0.004, 0.081, 0.016, 0.009, 0.071]


def test_diff_is_inside_the_interval_of_a_margin():
    """Four questions, of which one has a smaller difference; at a low level."""
    frame = pd.DataFrame({"model": ["a", "b"] * 4, "q": np.repeat(range(4), 2), "f1": [1, 0, 1, 0, 1, 0, 0.5, 0]})
    row = frame.qa.compare("model", "q", margin=0.1, ci=0.8).iloc[0]
    assert row["diff"] == 0.875
    assert [round(row[name], 2) for name in ("tost_lo", "tost_hi")] == [0.41, 0.94]


def test_what_is_as_good_is_corrected_for_the_number_of_pairs():
    random = np.random.default_rng(3)
    frame = pd.DataFrame({"q": np.arange(200), "old": (random.random(200) < 0.7).astype(float)})
    for place in range(6):
        frame[f"new{place}"] = np.where(random.random(200) < 0.06, 1 - frame["old"], frame["old"])
    long = frame.melt("q", var_name="model", value_name="em")
    options = {"baseline": "old", "margin": 0.05, "n_resamples": 2000}
    holm, alone = (long.qa.compare("model", "q", correction=each, **options) for each in ("holm", "none"))
    assert (holm["p_noninferior"] >= alone["p_noninferior"]).all()
    assert (holm["tost_lo"] <= alone["tost_lo"]).all()
    assert holm["p_noninferior"].max() > alone["p_noninferior"].max()
    sorted_p = np.sort(alone["p_noninferior"])
    expected = np.minimum(np.maximum.accumulate(sorted_p * np.arange(6, 0, -1)), 1)
    np.testing.assert_allclose(np.sort(holm["p_noninferior"]), expected, rtol=1e-12)
