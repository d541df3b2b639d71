"""Test inversion: means over the questions whose signs a draw keeps, and over those whose signs it flips."""

from __future__ import annotations

import numpy as np

from qa_frame.stats.permutation import InvertedTest


def test_the_least_means_are_those_over_kept_and_over_swapped_questions():
    random, n_least = np.random.default_rng(3), 12
    differences = random.normal(0.4, 1.0, (2, 9)) * [[1], [-1]]
    signs = np.hstack([np.ones((9, 1)), random.choice([-1.0, 1.0], (9, 40))])  # the first draw flips nothing
    shifts, sides = np.ones((1, 9)), np.sign(differences.sum(axis=1))
    inverted_test = InvertedTest(np.arange(2), differences.sum(axis=1), shifts, np.zeros(2, int))
    found = inverted_test.means(differences @ signs, shifts @ signs, n_least)
    for each, of_pair in zip(found, differences * sides[:, None], strict=True):
        parts = [of_pair[chosen] for kept in signs.T > 0 for chosen in (kept, ~kept)]
        means = sorted(part.mean() if part.size else -np.inf for part in parts)
        np.testing.assert_allclose(np.sort(each), means[:n_least], rtol=1e-12)
    np.testing.assert_array_equal(inverted_test.bounds(found, 3), [*(sides * found.max(axis=1)), np.nan])
