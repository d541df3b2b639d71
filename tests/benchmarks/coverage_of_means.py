"""How often 95 % intervals of means hold the truth, and how wide they are: `python -m tests.benchmarks.coverage_of_means`.

A row per design: the share of draws in which the interval holds the truth, and its mean width, for the package, for
Student's t, and for Wilson's interval with the effective sample size; then the share of draws that are warned of. The
last lines sum up each kind of design. The rule is its own mirror image, so that 0 and 1 are one side. `--exact` counts out scores of 0 and 1 over all possible results.

Student's t is that of the CR2 variance for clusters, Satterthwaite's for datasets, and Welch's for different questions. The designs of clusters and
datasets, the populations of `FRESH` and the seed had no part in choosing the rule.
"""

from __future__ import annotations

import argparse
import math
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from qa_frame.stats.estimates import FEW_CLUSTERS, is_carried_by_few
from qa_frame.stats.intervals import (
    Spread,
    StudentInterval,
    clip_bounds,
    measure_unit_sizes,
    student_interval,
    unit_bounds,
)

LEVEL, HOLDS, SEED = 0.95, 0.93, 2027

Draw = Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]
Population = tuple[Draw, float]
"""How scores are drawn, and their mean."""


@dataclass(frozen=True)
class Design:
    """The bounds of a design by method, shape (2, draws) each. warned: the share of draws."""

    kind: str
    name: str
    layout: str
    truth: float
    bounds: dict[str, np.ndarray]
    warned: float = 0.0

    def held(self, method: str) -> float:
        low, high = self.bounds[method]
        return float(((low <= self.truth + 1e-12) & (self.truth - 1e-12 <= high)).mean())

    def width(self, method: str) -> float:
        least = -1 if self.kind == "different questions" else 0
        return float(np.ptp(np.clip(self.bounds[method], least, 1), axis=0).mean())

    def beside_narrowest(self, method: str) -> float:
        """The width beside the narrowest that holds."""
        widths = [self.width(each) for each in self.bounds if self.held(each) >= HOLDS]
        return self.width(method) / min(widths, default=math.nan)


# --- rows and questions with samples


def mix(shares: Sequence[float], parts: Sequence[tuple[float, float]]) -> Population:
    """Shares of parts, each uniform from low to high."""
    lows, highs = np.array(parts, float).T

    def draw(random: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        kind = np.searchsorted(np.cumsum(shares)[:-1], random.random(shape))
        return lows[kind] + (highs - lows)[kind] * random.random(shape)

    return draw, float(np.dot(shares, (lows + highs) / 2))


def right(share: float) -> Population:
    return mix([1 - share, share], [(0, 0), (1, 1)])


def beta(a: float, b: float) -> Population:
    return lambda random, shape: random.beta(a, b, shape), a / (a + b)


def narrow(mean: float, sd: float) -> Population:
    return lambda random, shape: mean + sd * np.clip(random.normal(size=shape), -3, 3), mean


USUAL = {
    "50 % right": right(0.5),
    "90 % right": right(0.9),
    "99 % right": right(0.99),
    "97 % at 1, .5 % below .3": mix([0.97, 0.025, 0.005], [(1, 1), (0.9, 1), (0, 0.3)]),
    "90 % zeros, others graded": mix([0.9, 0.1], [(0, 0), (0, 1)]),
    "as sentence BLEU": mix([0.9, 0.08, 0.02], [(0, 0.05), (0.05, 0.4), (0.4, 1)]),
    "as ANLS": mix([0.80, 0.12, 0.08], [(1, 1), (0.5, 1), (0, 0)]),
    "as F1": mix([0.3, 0.3, 0.4], [(0, 0), (1, 1), (0.1, 0.9)]),
    "graded, of any size": beta(0.6, 0.6),
}
FRESH = {
    "3 % right": right(0.03),
    "Beta(.5, 5)": beta(0.5, 5),
    "Beta(.1, 2)": beta(0.1, 2),
    "Beta(2, .2)": beta(2, 0.2),
    "Beta(20, 3)": beta(20, 3),
    "Beta(.05, .05)": beta(0.05, 0.05),
    "98 % at 0, 2 % of .4 to .6": mix([0.98, 0.02], [(0, 0), (0.4, 0.6)]),
    "95 % at 1, 4 % of .5 to 1, 1 % at 0": mix([0.95, 0.04, 0.01], [(1, 1), (0.5, 1), (0, 0)]),
}
NARROW = {
    "near .8, sd .06": narrow(0.8, 0.06),
    "near .5, sd .06": narrow(0.5, 0.06),
    "near .7, sd .1": narrow(0.7, 0.1),
    "near .9, sd .03": narrow(0.9, 0.03),
}
RARE, SMALL = "rare 0 among narrow grades", "a small dataset among sure ones"
ALIKE = "graded, clusters of like rows"
"""Kinds of designs that no rule for narrow intervals can hold in often enough."""

HARD = {"99 % near .9, 1 % at 0": mix([0.99, 0.01], [(0.88, 0.92), (0, 0)])}
"""Before a 0 is drawn, it looks as narrow grades do."""

GRADES = {"grades 1 to 5, scaled": mix([0.02, 0.03, 0.05, 0.1, 0.8], [(place / 4, place / 4) for place in range(5)])}
"""Student's t covers as often where they are not scaled, and that is what they then have."""

CHANCES = {"alike .5": None, "Beta(.3, .3)": (0.3, 0.3), "Beta(8, .4)": (8, 0.4), "saturated": (1.9, 0.05)}
PASSES = ((4, 1), (4, 2), (16, 4), (64, 1), (64, 16))


def rows(n_draws: int) -> Iterator[Design]:
    random = np.random.default_rng(SEED)
    kinds = {"rows": USUAL | FRESH, "narrow grades": NARROW, RARE: HARD, "grades": GRADES}
    for kind, populations in kinds.items():
        for name, (draw, truth) in populations.items():
            for n in (20, 50, 200, 500):
                yield Design(kind, name, f"{n} rows", truth, of_rows(draw(random, (n_draws, n))))


def samples(n_draws: int) -> Iterator[Design]:
    random = np.random.default_rng(SEED)
    for name, parts in CHANCES.items():
        for k, j in PASSES:
            by_count = np.array([1 - math.comb(k - right, j) / math.comb(k, j) for right in range(k + 1)])
            law = stats.binom(k, 0.5) if parts is None else stats.betabinom(k, *parts)
            truth = float(law.pmf(np.arange(k + 1)) @ by_count)
            for n in (20, 50, 200):
                chance = 0.5 if parts is None else random.beta(*parts, (n_draws, n))
                scores = by_count[random.binomial(k, chance, (n_draws, n))]
                yield Design("samples", f"pass@{j} of {k}, {name}", f"{n} questions", truth, of_rows(scores))


def of_rows(scores: np.ndarray) -> dict[str, np.ndarray]:
    n = np.full(len(scores), float(scores.shape[1]))
    return methods(scores.mean(axis=1), Spread(sem(scores) ** 2, n - 1, n, n))


def sem(scores: np.ndarray) -> np.ndarray:
    return np.asarray(stats.sem(scores, axis=1))


def methods(value: np.ndarray, spread: Spread) -> dict[str, np.ndarray]:
    student = StudentInterval(value, value, spread.variance, spread.df).bounds(LEVEL)
    n_eff = np.where(spread.variance > 1e-24, value * (1 - value) / np.maximum(spread.variance, 1e-300), spread.n_units)
    ours = unit_bounds(value, spread, spread.n_rows, LEVEL)
    wilson = wilson_bounds(value, n_eff, stats.t.ppf((1 + LEVEL) / 2, spread.df))
    return {"ours": np.stack(ours), "t": np.stack(student), "Wilson": wilson}


def wilson_bounds(share: np.ndarray, n: np.ndarray, quantile: np.ndarray) -> np.ndarray:
    shrink = quantile**2 / n
    half = np.sqrt(share * (1 - share) * shrink + shrink**2 / 4) / (1 + shrink)
    middle = (share + shrink / 2) / (1 + shrink)
    return np.stack([middle - half, middle + half])


# --- clusters


LAYOUTS = {
    "6 of 30": [30] * 6,
    "12 of 40": [40] * 12,
    "30 of 8": [8] * 30,
    "60 of 100": [100] * 60,
    "50 of 1 to 50": [*range(1, 51)],
    "40, lognormal": np.ceil(20 * np.exp(stats.norm.ppf((np.arange(40) + 0.5) / 40))).astype(int).tolist(),
    "300, lognormal": np.ceil(8 * np.exp(1.5 * stats.norm.ppf((np.arange(300) + 0.5) / 300))).astype(int).tolist(),
    "200 of 900 / i": [900 // place for place in range(1, 201)],
    "1000 of 5000 / i": [5000 // place for place in range(1, 1001)],
    "3 of 300, 30 of 10": [300] * 3 + [10] * 30,
    "800, 60 of 2": [800] + [2] * 60,
}


def clusters(n_draws: int) -> Iterator[Design]:
    random = np.random.default_rng(SEED)
    for layout, sizes in LAYOUTS.items():
        for share in (0.03, 0.4, 0.7, 0.9, 0.97, 0.995):
            for icc in (0.05, 0.2):
                value, spread = in_clusters(random, share, icc, sizes, n_draws)
                warned = float(is_warned(value, spread, len(sizes), are_shares=True).mean())
                yield Design("clusters", f"{share:.1%} right, icc {icc}", layout, share, methods(value, spread), warned)


def in_clusters(
    random: np.random.Generator, share: float, icc: float, sizes: Sequence[int], n_draws: int
) -> tuple[np.ndarray, Spread]:
    n = np.array(sizes, float)
    of_cluster = random.beta(share * (1 / icc - 1), (1 - share) * (1 / icc - 1), (n_draws, len(n)))
    sums = random.binomial(n.astype(int), of_cluster).astype(float)
    value = sums.sum(axis=1) / n.sum()
    units = measure_unit_sizes(np.broadcast_to(n, sums.shape))
    return value, units.spread((sums - value[:, None] * n) / n.sum())


def graded_clusters(n_draws: int) -> Iterator[Design]:
    """Six of ten rows copy the first one of their cluster."""
    random = np.random.default_rng(SEED)
    for name in ("as sentence BLEU", "as ANLS", "as F1"):
        draw, truth = USUAL[name]
        for n, size in ((15, 50), (60, 20), (100, 5)):
            scores = draw(random, (n_draws, n, size))
            scores = np.where(random.random(scores.shape) < 0.6, scores[:, :, :1], scores)
            value, sizes = scores.mean(axis=(1, 2)), np.full((n_draws, n), float(size))
            spread = measure_unit_sizes(sizes).spread((scores.sum(axis=2) - value[:, None] * size) / (n * size))
            warned = float(is_warned(value, spread, n, are_shares=False).mean())
            yield Design(ALIKE, name, f"{n} of {size}", truth, methods(value, spread), warned)


def is_warned(value: np.ndarray, spread: Spread, n_clusters: int, *, are_shares: bool) -> np.ndarray:
    """Whether `summary` warns, by the rules of `estimates`. are_shares: whether scores are 0 and 1."""
    is_few = (spread.n_units < FEW_CLUSTERS - 1e-6) | (spread.n_units * 4 < n_clusters)
    return np.asarray(is_few | is_carried_by_few(value, spread, np.full(len(value), are_shares)))


# --- datasets


MMLU = [
    *(
        100,
        135,
        152,
        265,
        144,
        100,
        100,
        100,
        173,
        102,
        100,
        235,
        114,
        145,
        378,
        126,
        100,
        310,
        203,
        100,
        165,
        198,
        193,
    ),
    *(
        390,
        270,
        238,
        151,
        545,
        216,
        204,
        237,
        223,
        131,
        121,
        108,
        163,
        112,
        103,
        234,
        100,
        783,
        346,
        895,
        306,
        311,
        324,
    ),
    *(282, 1534, 272, 612, 110, 245, 201, 100, 166, 171, 100),
]
DATASETS = {
    "57 as MMLU": MMLU,
    "27 of 250": [250] * 27,
    "25 of 40": [40] * 25,
    "6 of 200": [200] * 6,
    "4 of 15": [15] * 4,
    "30 and 60": [30, 60],
    "4, 40 and 400": [4, 40, 400],
    "2 and 50": [2, 50],
    "10 of 15 to 700": np.geomspace(15, 700, 10).astype(int).tolist(),
}
Placed = Callable[[float], Population]
"""From the place of a dataset, from 0 to 1, to its population."""
SCORES: dict[str, Placed] = {
    "70 % right": lambda _: right(0.7),
    "97 % right": lambda _: right(0.97),
    "99.5 % right": lambda _: right(0.995),
    "50 to 99 % right": lambda place: right(0.5 + 0.49 * place),
    "99 to 50 % right": lambda place: right(0.99 - 0.49 * place),
    "1 to 20 % right": lambda place: right(0.01 + 0.19 * place),
    "as F1": lambda _: USUAL["as F1"],
    "narrow, .9 to .6": lambda place: narrow(0.9 - 0.3 * place, 0.04),
}


def datasets(n_draws: int) -> Iterator[Design]:
    random = np.random.default_rng(SEED)
    for layout, sizes in DATASETS.items():
        for name, placed in SCORES.items():
            populations = [placed(place) for place in np.linspace(0, 1, len(sizes)).tolist()]
            yield Design("datasets", name, layout, *of_datasets(random, populations, sizes, n_draws))
    for k, n, size in ((5, 12, 8), (12, 10, 6), (3, 25, 12)):
        for share in (0.6, 0.93, 0.985):
            for icc in (0.1, 0.25):
                sides = [in_clusters(random, share, icc, [size] * n, n_draws) for _ in range(k)]
                value = np.stack([side[0] for side in sides])
                parts = (np.stack([getattr(side[1], name) for side in sides]) for name in Spread.__slots__)
                found = over_datasets(value, Spread(*parts))
                yield Design(
                    "datasets", f"{share:.1%} right, icc {icc}", f"{k} of {n} clusters of {size}", share, found
                )
    for k in (4, 8, 20):
        for parts in ((8, 2), (19, 1), (1, 9)):
            shares = random.binomial(40, random.beta(*parts, (n_draws, k))) / 40
            spread = of_units = np.full(n_draws, float(k))
            spread = Spread(shares.var(axis=1, ddof=1) / k, of_units - 1, of_units, of_units * 40)
            found = methods(shares.mean(axis=1), spread)
            yield Design("drawn datasets", f"Beta{parts}", f"{k} of 40 rows", parts[0] / sum(parts), found)


def small_datasets(n_draws: int) -> Iterator[Design]:
    random = np.random.default_rng(SEED)
    for n in (2, 4, 6, 10, 20):
        populations, sizes = [right(0.3), *[right(0.99)] * 10], [n, *[30] * 10]
        found = of_datasets(random, populations, sizes, n_draws)
        yield Design(SMALL, "30 % right, the others 99 %", f"{n}, and ten of 30", *found)


def of_datasets(
    random: np.random.Generator, populations: Sequence[Population], sizes: Sequence[int], n_draws: int
) -> tuple[float, dict[str, np.ndarray]]:
    """The mean of the means of datasets, and its bounds by method."""
    scores = (draw(random, (n_draws, n)) for (draw, _), n in zip(populations, sizes, strict=True))
    value, variance = np.stack([(each.mean(axis=1), sem(each) ** 2) for each in scores], axis=1)
    n = np.broadcast_to(np.array(sizes, float)[:, None], value.shape)
    return float(np.mean([mean for _, mean in populations])), over_datasets(value, Spread(variance, n - 1, n, n))


def over_datasets(value: np.ndarray, spread: Spread) -> dict[str, np.ndarray]:
    """Bounds of means over datasets that count alike. value, and what the spread has: shape (datasets, draws)."""
    k = len(value)

    def add_up(values: np.ndarray) -> np.ndarray:
        return values.sum(axis=0)

    shares = np.full(value.shape, 1 / k)
    parts = (1 / spread.n_units) / (1 / spread.n_units).sum(axis=0)
    moved = student_interval(value, spread, spread.n_rows, parts).add_up(shares, add_up)
    plain = StudentInterval(value, value, spread.variance, spread.df).add_up(shares, add_up)
    n_eff = np.where(
        plain.variance > 1e-24, plain.value * (1 - plain.value) / np.maximum(plain.variance, 1e-300), np.nan
    )
    kish = k**2 / (1 / spread.n_units).sum(axis=0)
    wilson = wilson_bounds(plain.value, np.where(np.isnan(n_eff), kish, n_eff), stats.t.ppf((1 + LEVEL) / 2, plain.df))
    ours = clip_bounds(moved.bounds(LEVEL), 1.0)
    return {"ours": np.stack(ours), "t": np.stack(plain.bounds(LEVEL)), "Wilson": wilson}


# --- groups on different questions


SIDES: dict[str, tuple[Population, Population]] = {
    "97 % right, both": (right(0.97), right(0.97)),
    "3 % right, both": (right(0.03), right(0.03)),
    "50 % right, both": (right(0.5), right(0.5)),
    "80 % and 55 % right": (right(0.8), right(0.55)),
    "as BLEU, and steady": (beta(0.3, 2.7), beta(6, 54)),
    "as F1, both": (USUAL["as F1"], USUAL["as F1"]),
    "Beta(2, .2), and Beta(20, 3)": (beta(2, 0.2), beta(20, 3)),
    "narrow, and as F1": (narrow(0.6, 0.05), USUAL["as F1"]),
}


def different_questions(n_draws: int) -> Iterator[Design]:
    """Differences of two groups. Where both means are the same, p is below .05 where the interval does not hold 0."""
    random = np.random.default_rng(SEED)
    for name, sides in SIDES.items():
        for sizes in ((5, 5), (10, 30), (30, 10), (40, 40), (150, 60)):
            scores = [draw(random, (n_draws, n)) for (draw, _), n in zip(sides, sizes, strict=True)]
            truth = sides[0][1] - sides[1][1]
            value, variance = np.stack([(each.mean(axis=1), sem(each) ** 2) for each in scores], axis=1)
            n = np.broadcast_to(np.array(sizes, float)[:, None], value.shape)
            spread, signs = Spread(variance, n - 1, n, n), np.array([[1.0], [-1.0]])
            pairs = student_interval(value, spread, n), StudentInterval(value, value, variance, n - 1)
            bounds = [np.stack(each.add_up(signs, lambda both: both.sum(axis=0)).bounds(LEVEL)) for each in pairs]
            yield Design("different questions", name, f"{sizes}", truth, dict(zip(("ours", "t"), bounds, strict=True)))


# --- 0 and 1, counted out


def least_coverage(n: int, shares: np.ndarray) -> float:
    """The least coverage of means of n scores of 0 and 1, over all possible results, for these true shares."""
    hits = np.arange(n + 1.0)
    value, rows = hits / n, np.full(n + 1, float(n))
    low, high = unit_bounds(value, Spread(value * (1 - value) / (n - 1), rows - 1, rows, rows), rows, LEVEL)
    worst = 1.0
    for some in np.array_split(shares, max(1, len(shares) * n // 2_000_000)):
        holds = (low <= some[:, None] + 1e-12) & (some[:, None] - 1e-12 <= high)
        worst = min(worst, float((stats.binom.pmf(hits, n, some[:, None]) * holds).sum(axis=1).min()))
    return worst


def exact() -> Iterator[list[str]]:
    yield ["scores of 0 and 1", "least %, shares below .1", "shares of .1 to .5", "share of .17 / n"]
    yield ["---", "---:", "---:", "---:"]
    for n in (5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000):
        rare = np.geomspace(0.001 / n, 0.1, 1500)
        parts = (rare, np.linspace(0.1, 0.5, 1500), np.array([0.17 / n]))
        yield [f"{n} rows", *(f"{100 * least_coverage(n, shares):.1f}" for shares in parts)]


# --- the table


PARTS = {
    "rows": rows,
    "samples": samples,
    "clusters": clusters,
    "graded_clusters": graded_clusters,
    "datasets": datasets,
    "small_datasets": small_datasets,
    "different_questions": different_questions,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a Markdown table; returns the exit status."""
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=5000, help="of each design; the error of a coverage is 0.3 points")
    parser.add_argument("--what", nargs="*", default=[*PARTS], choices=[*PARTS])
    parser.add_argument("--exact", action="store_true", help="scores of 0 and 1 alone, counted out")
    options = parser.parse_args(arguments)
    if options.exact:
        for cells in exact():
            write_row(cells)
        return 0
    write_row(["kind", "scores", "layout", "truth", "ours: held %, width", "t", "Wilson", "warned %"])
    write_row(["---"] * 4 + ["---:"] * 4)
    designs = []
    for what in options.what:
        for design in PARTS[what](options.draws):
            cells = [f"{100 * design.held(method):.1f}, {design.width(method):.4f}" for method in design.bounds]
            head = [design.kind, design.name, design.layout, f"{design.truth:.4f}"]
            write_row([*head, *cells, f"{100 * design.warned:.0f}"])
            designs.append(design)
    sys.stdout.write("\n")
    for cells in summed_up(designs):
        write_row(cells)
    return 0


def summed_up(designs: Sequence[Design]) -> Iterator[list[str]]:
    yield [
        "kind",
        "designs",
        "method",
        "mean %",
        "least %",
        "least unwarned %",
        "below 93 unwarned",
        "width / narrowest",
    ]
    yield ["---"] * 3 + ["---:"] * 5
    for kind in dict.fromkeys(design.kind for design in designs):
        of_kind = [design for design in designs if design.kind == kind]
        for method in of_kind[0].bounds:
            held = np.array([100 * design.held(method) for design in of_kind])
            unwarned = held[[design.warned <= 0.5 for design in of_kind]]
            ratios = np.array([design.beside_narrowest(method) for design in of_kind])
            widths = f"mean {np.nanmean(ratios):.2f}, most {np.nanmax(ratios):.2f}, above 1.3: {(ratios > 1.3).sum()}"
            least = [f"{held.mean():.1f}", f"{held.min():.1f}", f"{unwarned.min(initial=100):.1f}"]
            yield [kind, str(len(of_kind)), method, *least, str((unwarned < 100 * HOLDS).sum()), widths]


def write_row(cells: Sequence[str]) -> None:
    sys.stdout.write(f"| {' | '.join(cells)} |\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main())
