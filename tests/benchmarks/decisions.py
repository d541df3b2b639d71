"""How often decisions are right: `python -m tests.benchmarks.decisions --help`.

Questions are drawn from a population that is known, many times. The tables: whether verdict, p, bounds and margin of
random calls of `compare` contradict each other; how often a family of comparisons has an error; how often a model that
is worse by just the margin is called not worse (at the level 0.05); how often intervals of differences hold the truth;
with what power the number of questions that `qa_frame.power` names finds the difference; and how often the ranks of
all models lie in their intervals at once.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

import qa_frame
from qa_frame.stats.contrasts import Contrast, Pairing, Strata, make_contrast
from qa_frame.stats.decisions import Family
from qa_frame.stats.differences import plan_draws
from qa_frame.stats.estimates import FEW_CLUSTERS
from qa_frame.stats.intervals import StudentInterval, measure_unit_sizes
from qa_frame.stats.p_function import PairedPFunction, make_p_function
from qa_frame.stats.permutation import sign_flip_test
from qa_frame.stats.statistic import Mean
from tests.benchmarks.bench_compare import write_row

ALPHA = 0.05
DRAWS = 999
Scores = Any
Draw = Callable[[np.random.Generator, int], Scores]
"""Questions → the scores of two models or more, shape (models, questions)."""


@dataclass(frozen=True)
class Population:
    """Questions of which the difference of two models, and its standard deviation, are known."""

    name: str
    draw: Draw
    difference: float
    sd: float
    per_cluster: int = 1


def p_function_of(contrast: Contrast, *, margin: float | None = None, seed: int = 0) -> PairedPFunction:
    draws = plan_draws(DRAWS, n_tests=1, ci=1 - ALPHA, seed=seed)
    return make_p_function(contrast, sign_flip_test(contrast, draws).p, draws, tail=ALPHA, margin=margin)


def contrast_of_scores(
    scores: Any, first: Any, second: Any, sizes: Sequence[int] = (), strata: Strata | None = None
) -> Contrast:
    """Pairs of rows of scores, shape (groups, questions). sizes: of clusters."""
    n = scores.shape[1]
    starts = np.cumsum(sizes) - sizes if len(sizes) else np.arange(n)
    row_of = np.arange(scores.size).reshape(scores.shape)
    pairing = Pairing(pd.Series(range(len(scores))), first, second, row_of, np.asarray(starts), strata)
    return make_contrast(Mean("f1"), scores.ravel()[None], np.ones(scores.size, np.bool_), pairing)


def contrast_of_differences(drawn: Any, sizes: Sequence[int] = (), strata: Strata | None = None) -> Contrast:
    """Each row of differences as a pair of groups, of which one has the positive, one the negative parts."""
    groups = np.arange(2 * len(drawn)).reshape(2, -1)
    scores = np.concatenate([np.maximum(drawn, 0), np.maximum(-drawn, 0)])
    return contrast_of_scores(scores, *groups, sizes, strata)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one Markdown table a part; returns the exit status."""
    warnings.simplefilter("ignore")
    options = parse(arguments)
    for name in options.what or PARTS:
        header, rows = PARTS[name]
        write_row(header)
        write_row(["---"] + ["---:"] * (len(header) - 1))
        for cells in rows(options):
            write_row(cells)
        print()
    return 0


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", help=f"the tables: of {', '.join(PARTS)}")
    parser.add_argument("--runs", type=int, default=2000, help="of each design; a tenth of them for ranks")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--calls", type=int, default=20_000, help="random calls of compare")
    return parser.parse_args(arguments)


# --- populations


def rates(win: float, loss: float, *, per_cluster: int = 1) -> Population:
    """Scores of 0 and 1 of which each model alone is right with these rates; in clusters, all questions alike."""

    def draw(random: np.random.Generator, n: int) -> Scores:
        drawn = np.repeat(random.random(n), per_cluster)
        both = np.where(np.repeat(random.random(n), per_cluster) < 0.5, 1.0, 0.0)
        is_won, is_lost = drawn < win, (drawn >= win) & (drawn < win + loss)
        return np.stack([np.where(is_won, 1.0, np.where(is_lost, 0.0, both)), np.where(is_lost, 1.0, both * ~is_won)])

    sd = np.sqrt(win + loss - (win - loss) ** 2)
    clusters = f", clusters of {per_cluster}" if per_cluster > 1 else ""
    return Population(f"0/1: wins {win:.0%}, losses {loss:.0%}{clusters}", draw, win - loss, sd, per_cluster)


def graded(difference: float, sd: float) -> Population:
    """Scores of any value whose differences are normal."""

    def draw(random: np.random.Generator, n: int) -> Scores:
        return np.stack([difference + random.normal(0, sd, n), np.zeros(n)])

    return Population(f"graded: difference {difference:g}, sd {sd:g}", draw, difference, sd)


def mostly_zero(more: float, less: float) -> Population:
    """Scores from 0 to 1 that are above 0 with these rates, and then uniform."""

    def draw(random: np.random.Generator, n: int) -> Scores:
        return np.stack([random.random(n) * (random.random(n) < rate) for rate in (more, less)])

    variances = [rate / 3 - (rate / 2) ** 2 for rate in (more, less)]
    return Population(f"above 0: {more:.0%} and {less:.0%}", draw, (more - less) / 2, float(np.sqrt(sum(variances))))


def contrast_of(population: Population, random: np.random.Generator, n: int, runs: int) -> tuple[Contrast, Any]:
    """All runs as pairs of groups, each with questions of its own; and their differences, shape (runs, units)."""
    drawn = [population.draw(random, n) for _ in range(runs)]
    scores = np.concatenate(drawn, axis=0)  # (2 * runs, questions)
    first, n_rows = np.arange(0, 2 * runs, 2), scores.shape[1]
    starts = np.arange(0, n_rows, population.per_cluster)
    pairs = contrast_of_scores(scores, first, first + 1, [population.per_cluster] * len(starts))
    differences = (scores[::2] - scores[1::2]).reshape(runs, len(starts), -1).mean(axis=-1)
    return pairs, differences


# --- margins


def levels(options: argparse.Namespace) -> Iterator[list[str]]:
    populations = [rates(0.02, 0.07), rates(0.1, 0.15), rates(0.3, 0.35), rates(0, 0.05), graded(-0.05, 0.1)]
    populations += [graded(-0.05, 0.4), mostly_zero(0.05, 0.15), mostly_zero(0.02, 0.12)]
    populations += [rates(0.1, 0.15, per_cluster=4)]
    for population in populations:
        for n in (20, 50, 200, 500):
            random = np.random.default_rng(options.seed)
            pairs, differences = contrast_of(population, random, n, options.runs)
            margin = abs(population.difference)
            columns = Family([p_function_of(pairs, margin=margin)], "none", ALPHA).margin_columns(margin)
            is_worse = population.difference < 0
            p = columns["p_noninferior"] if is_worse else columns["p_equivalent"]
            error = differences.std(axis=1, ddof=1) / np.sqrt(differences.shape[1])
            distance = differences.mean(axis=1) * (1 if is_worse else -1) + margin
            plain = np.divide(distance, error, out=np.where(distance > 0, np.inf, -np.inf), where=error > 0)
            shares = [p < ALPHA, columns["p_equivalent"] < ALPHA, stats.t.sf(plain, n - 1) < ALPHA]
            yield [population.name, str(n), *(f"{share.mean():.3f}" for share in shares)]


# --- intervals


ZIPF = [200 // place for place in range(1, 41)]
CLUSTERED = {"8 x 100": [100] * 8, "12 x 50": [50] * 12, "300, 20 x 10": [300] + [10] * 20, "40, Zipf": ZIPF}
FRESH_CLUSTERS = {
    "10 x 30": [30] * 10,
    "25 x 8": [8] * 25,
    "1 to 30": [*range(1, 31)],
    "2 x 150, 30 x 5": [150] * 2 + [5] * 30,
}


def intervals(options: argparse.Namespace) -> Iterator[list[str]]:
    for name, layout, truth, contrast in designs(np.random.default_rng([48, options.seed]), max(2, options.runs // 4)):
        p_function = p_function_of(contrast)
        columns = Family([p_function], "none", ALPHA).difference_columns()
        found = held(columns["diff_lo"], columns["diff_hi"], truth, p_function.p)
        by_t = held(*student(contrast), truth, p_function.p)[:2] if contrast.pairing.strata is None else ["", ""]
        _, n_eff, n_discordant = contrast.units(p_function.error)
        is_warned = (n_eff < FEW_CLUSTERS - 1e-6) | (n_discordant < 7)
        yield [name, layout, *found, *by_t, f"{100 * is_warned.mean():.0f}"]
    yield from of_corpus_bleu(np.random.default_rng([48, options.seed]), max(2, options.runs // 8))


def held(low: Any, high: Any, truth: float, p: Any) -> list[str]:
    is_held = (low <= truth + 1e-9) & (truth - 1e-9 <= high)
    n_contradicting = ((p < ALPHA) != ((low > 0) | (high < 0))).sum()
    return [
        f"{100 * is_held.mean():.1f}",
        f"{(high - low).mean():.3f}",
        f"{100 * (p < ALPHA).mean():.1f}",
        str(n_contradicting),
    ]


def student(contrast: Contrast) -> tuple[Any, Any]:
    """Bounds by Student's t of the CR2 variance."""
    apart = contrast.influence() - contrast.difference[:, None] * contrast.unit_weights
    spread = measure_unit_sizes(contrast.unit_weights).spread(apart / contrast.unit_weights.sum(axis=1, keepdims=True))
    return StudentInterval(contrast.difference, contrast.difference, spread.variance, spread.df).bounds(1 - ALPHA)


def in_clusters(random: np.random.Generator, win: float, loss: float, sizes: Sequence[int], n_draws: int) -> Any:
    """Differences of 1, 0 and -1, whose shares vary from cluster to cluster as an icc of 0.2 says."""
    shares = random.dirichlet(np.maximum([win, loss, 1 - win - loss], 1e-9) * (1 / 0.2 - 1), (n_draws, len(sizes)))
    shares = np.repeat(shares, sizes, axis=1)  # (draws, questions, outcomes)
    kind = random.random(shares.shape[:2])
    return np.where(kind < shares[..., 0], 1.0, np.where(kind < shares[..., 0] + shares[..., 1], -1.0, 0.0))


def designs(random: np.random.Generator, runs: int) -> Iterator[tuple[str, str, float, Contrast]]:
    for layouts, rates_of in (
        (CLUSTERED, ((0.05, 0.01), (0.05, 0.05), (0.2, 0.15))),
        (FRESH_CLUSTERS, ((0.03, 0.03), (0.1, 0.03), (0.35, 0.25))),
    ):
        for layout, sizes in layouts.items():
            for win, loss in rates_of:
                drawn = in_clusters(random, win, loss, sizes, runs)
                yield (
                    f"wins {win:.0%}, losses {loss:.0%}, icc .2",
                    layout,
                    win - loss,
                    contrast_of_differences(drawn, sizes),
                )
    heavy, shares = np.array([1.0, 0.9, 0.02, -0.02, 0.0]), np.array([0.06, 0.06, 0.3, 0.3, 0.28])
    for n in (20, 30, 50, 75, 200, 400):
        drawn = random.choice(heavy, (runs, n), p=shares) * random.choice([1.0, 0.97], (runs, n))
        yield "heavy tails", f"{n} rows", float(heavy @ shares) * 0.985, contrast_of_differences(drawn)
        for win, loss in ((0.08, 0.03), (0, 0.05), (0.2, 0.3), (0.02, 0.02), (0.9, 0.05)):
            drawn = random.choice([1.0, -1.0, 0.0], (runs, n), p=[win, loss, 1 - win - loss])
            yield f"0/1, wins {win:.0%}, losses {loss:.0%}", f"{n} rows", win - loss, contrast_of_differences(drawn)
        drawn = random.beta(0.4, 0.8, (runs, n)) - random.beta(2, 4, (runs, n))
        yield "graded, even", f"{n} rows", 0.0, contrast_of_differences(drawn)
        drawn = 0.05 + 0.05 * random.choice([-1, 1], (runs, n)) * random.beta(1, 3, (runs, n))
        yield "graded, narrow", f"{n} rows", 0.05, contrast_of_differences(drawn)
    for layout, sizes in {
        "20, 100": [20, 100],
        "2 of 1, 500": [1, 500],
        "7 of 15": [15] * 7,
        "12 of 10 to 200": [10, 10, 15, 20, 20, 30, 40, 60, 80, 120, 150, 200],
    }.items():
        k, code = len(sizes), np.repeat(np.arange(len(sizes)), sizes)
        for name, win, loss in (("none", (0.1, 0.1), (0.1, 0.1)), ("one apart", (0.05, 0.4), (0.05, 0.05))):
            wins, losses = np.linspace(*win, k)[code], np.linspace(*loss, k)[code]
            drawn = random.random((runs, len(code)))
            drawn = np.where(drawn < wins, 1.0, np.where(drawn < wins + losses, -1.0, 0.0))
            truth = float((np.linspace(*win, k) - np.linspace(*loss, k)).mean())
            strata = Strata(code, np.full(k, 1 / k))
            yield f"datasets alike, {name}", layout, truth, contrast_of_differences(drawn, strata=strata)


def of_corpus_bleu(random: np.random.Generator, runs: int) -> Iterator[list[str]]:
    """Questions are drawn from the sample, whose figure is the truth. Without a difference, answers change places."""
    scored = qa_frame.sample().qa.score("response", "answers", metrics=["bleu"], stats=True)
    models = ["lynx-70b", "otter-chat"]
    sides = [scored[scored["model"] == model].sort_values("question_id").reset_index(drop=True) for model in models]
    whole = pd.concat(sides).qa.compare("model", "question_id", metrics="corpus_bleu", n_resamples=1)["diff"].iloc[0]
    for swaps in (False, True):
        for n in (50, 150, 400):
            rows = []
            for _ in range(runs):
                chosen = random.integers(0, len(sides[0]), n)
                is_swapped = (random.random(n) < 0.5) & swaps
                frame = pd.concat([side.iloc[chosen].assign(q=np.arange(n)) for side in sides], ignore_index=True)
                turned = np.where(np.tile(is_swapped, 2), np.repeat(models[::-1], n), frame["model"])
                found = frame.assign(model=turned).qa.compare("model", "q", metrics="corpus_bleu", n_resamples=DRAWS)
                rows.append(found[["diff_lo", "diff_hi", "p"]].to_numpy(float)[0])
            low, high, p = np.array(rows).T
            yield [
                f"corpus BLEU{', no difference' * swaps}",
                f"{n} rows",
                *held(low, high, 0.0 if swaps else whole, p),
                "",
                "",
                "",
            ]


# --- families


SCENARIOS: dict[str, Callable[[int], Any]] = {
    "all equal": np.zeros,
    "half equal, half better by .12": lambda k: np.where(np.arange(k) < (k + 1) // 2, 0, 0.12),
    "all worse by the margin": lambda k: np.full(k, -MARGIN),
    "half worse by the margin, half better by .12": lambda k: np.where(np.arange(k) < (k + 1) // 2, -MARGIN, 0.12),
    "all better by .12": lambda k: np.full(k, 0.12),
}
MARGIN = 0.06


def families(options: argparse.Namespace) -> Iterator[list[str]]:
    """Models answer 150 questions, of which the baseline has 70 % right; their answers are correlated."""
    for n_models in (3, 10, 30):
        for name, truths_of in SCENARIOS.items():
            truths = truths_of(n_models - 1)
            random = np.random.default_rng([options.seed, n_models])
            found = [one_family(random, truths) for _ in range(max(1, options.runs // 2))]
            wrong, wrong_margin, power, width, n = np.array(found).T
            shares = [wrong.mean(), wrong_margin.mean(), power.mean()]
            yield [
                str(n_models),
                name,
                *(f"{100 * share:.1f}" for share in shares),
                f"{width.mean():.3f}",
                f"{n.sum():.0f}",
            ]


def one_family(random: np.random.Generator, truths: Any) -> list[float]:
    ease, own = random.normal(size=(1, 150)), random.normal(size=(len(truths) + 1, 150))
    cut = stats.norm.ppf(0.7 + np.concatenate([[0.0], truths]))[:, None]
    scores = (np.sqrt(0.7) * ease + np.sqrt(0.3) * own < cut).astype(float)
    candidates = np.arange(1, len(scores))
    p_function = p_function_of(contrast_of_scores(scores, candidates, np.zeros_like(candidates)), margin=MARGIN)
    family = Family([p_function], "holm", ALPHA)
    columns = family.difference_columns() | family.margin_columns(MARGIN)
    is_said, is_good = columns["p_adj"] < ALPHA, columns["p_noninferior"] < ALPHA
    is_wrong = is_said & (np.sign(p_function.difference) != np.sign(truths))
    clashes = sum(contradictions(columns, p_function.difference, MARGIN, ALPHA).values())
    width = (columns["diff_hi"] - columns["diff_lo"]).mean()
    better = is_said[truths > 0].mean() if (truths > 0).any() else np.nan
    return [is_wrong.any(), (is_good & (truths <= -MARGIN)).any(), better, width, clashes]


# --- random calls


def calls(options: argparse.Namespace) -> Iterator[list[str]]:
    """One row for each kind of contradiction, and how many rows of tables have it."""
    random, total, n_rows, n_refused = np.random.default_rng([options.seed, 48]), pd.Series(dtype=int), 0, 0
    for _ in range(options.calls):
        frame, settings = random_call(random)
        try:
            compared = qa_frame.compare(frame, "model", **settings)
        except qa_frame.errors.QaFrameError:
            n_refused += 1
            continue
        total = total.add(pd.Series(contradictions_of(compared, settings)), fill_value=0)
        n_rows += len(compared)
    yield ["calls", f"{options.calls:,}"]
    yield ["refused", f"{n_refused:,}"]
    yield ["rows of tables", f"{n_rows:,}"]
    yield from ([kind, f"{count:.0f}"] for kind, count in total.items())


def random_call(random: np.random.Generator) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Scores of a few models, and the arguments of a comparison of them."""
    n_models, n_questions = int(random.integers(2, 6)), int(random.integers(3, 50))
    n_datasets, n_samples = int(random.integers(1, 5)), int(random.choice([1, 1, 2, 3]))
    codes = np.arange(n_questions)
    questions = pd.DataFrame({"question": codes, "dataset": codes % n_datasets})
    questions["document"] = [
        f"{dataset}-{code // int(random.integers(1, 20))}"
        for code, dataset in zip(codes, codes % n_datasets, strict=True)
    ]
    models = pd.DataFrame(
        {"model": [f"m{place}" for place in range(n_models)], "gain": random.choice([0, 0.05, 0.3, -0.2], n_models)}
    )
    frame = models.merge(questions, how="cross").merge(pd.DataFrame({"sample": range(n_samples)}), how="cross")
    ease = random.random(n_questions)[frame["question"]] * random.choice([0.2, 1.0, 2.0])
    frame["em"] = (random.random(len(frame)) < ease + frame["gain"]).astype(float)
    frame["f1"] = np.clip(
        np.where(random.random(len(frame)) < 0.6, frame["em"], random.random(len(frame)).round(1)) + frame["gain"] / 5,
        0,
        1,
    )
    frame["grade"] = np.clip(5 * ease + random.normal(0, 1, len(frame)), 0, 5).round()
    if random.random() < 0.3:
        frame.loc[random.random(len(frame)) < 0.05, "f1"] = np.nan
    if random.random() < 0.3:
        frame = frame[random.random(len(frame)) < 0.9]
    return frame.drop(columns=["gain", "sample"]), random_settings(random, n_samples, n_datasets)


def random_settings(random: np.random.Generator, n_samples: int, n_datasets: int) -> dict[str, Any]:
    metrics = list(random.choice(["em", "f1", "grade"], int(random.integers(1, 4)), replace=False))
    margin = [None, float(random.choice([0, 0.01, 0.05, 0.3])), {metrics[0]: 0.1}][random.integers(3)]
    settings: dict[str, Any] = {
        "metrics": metrics,
        "margin": margin,
        "correction": str(random.choice(["holm", "holm", "none"])),
        "ci": float(random.choice([0.8, 0.9, 0.95, 0.99])),
        "n_resamples": [None, 1999, *[9, 59, 99, 499] * 4][random.integers(18)],
        "seed": int(random.integers(5)),
        "baseline": [None, "m0"][random.integers(2)],
        "cluster": [None, None, "document"][random.integers(3)],
    }
    if random.random() < 0.1:
        return settings  # groups on different questions
    settings |= {"question": "question", "samples": n_samples > 1}
    if n_samples > 1 and random.random() < 0.3:
        settings |= {"pass_at": 1, "metrics": ["em"], "margin": None if isinstance(margin, dict) else margin}
    how = random.integers(4)
    if how == 0:
        settings["within"] = "dataset"
    if how == 1:
        given = dict.fromkeys(range(n_datasets), 1 / n_datasets)
        settings |= {"macro": "dataset", "weights": ["equal", "size", given][random.integers(3)]}
        settings["datasets"] = ["fixed", "random"][random.integers(2)]
    return settings


def contradictions_of(compared: pd.DataFrame, settings: dict[str, Any]) -> dict[str, int]:
    """How many rows of a comparison contradict themselves, by kind; unknown figures contradict nothing."""
    alpha, found = round(1 - settings["ci"], 12), dict[str, int]()
    for metric, rows in compared.groupby("metric"):
        margin = settings["margin"].get(metric) if isinstance(settings["margin"], dict) else settings["margin"]
        known = rows[rows["diff_lo"].notna() & rows["p"].notna()].fillna({"p_adj": 1.0})
        columns = {name: known[name].to_numpy(float) for name in known if known[name].dtype.kind == "f"}
        difference = known["diff"].to_numpy(float)
        each = contradictions(columns, difference, margin, alpha)
        each["another verdict"] = sum(known["verdict"] != verdicts(columns, margin))
        found = {kind: found.get(kind, 0) + each.get(kind, 0) for kind in found | each}
    return found


def verdicts(columns: dict[str, Any], margin: float | None) -> list[str]:
    """The verdict that the bounds alone would give."""
    low, high = columns["diff_lo"], columns["diff_hi"]
    verdict = np.where(low > 0, "better", np.where(high < 0, "worse", "undecided"))
    if margin is not None:
        is_good, is_bad = columns["tost_lo"] > -margin, columns["tost_hi"] < margin
        verdict = np.where((verdict == "undecided") & is_good, "as good", verdict)
        verdict = np.where(is_good & is_bad, "equivalent", verdict)
    return verdict.tolist()


def contradictions(columns: dict[str, Any], difference: Any, margin: float | None, alpha: float) -> dict[str, int]:
    """How many pairs contradict themselves, by the kind of contradiction."""
    low, high, p = (columns[name] for name in ("diff_lo", "diff_hi", "p_adj"))
    found = {
        "a star beside 0": (p < alpha) != ((low > 0) | (high < 0)),
        "diff outside": (low > difference) | (high < difference),
    }
    if margin is not None:
        not_worse, same, tost_lo, tost_hi = (
            columns[name] for name in ("p_noninferior", "p_equivalent", "tost_lo", "tost_hi")
        )
        found |= {
            "better, not as good": (p < alpha) & (difference > 0) & (not_worse >= alpha),
            "as good beside its bound": (not_worse < alpha) != (tost_lo > -margin),
            "equivalent beside its bounds": (same < alpha) != ((tost_lo > -margin) & (tost_hi < margin)),
            "diff outside the margin's bounds": (tost_lo > difference) | (tost_hi < difference),
            "as good below the margin": (difference <= -margin) & (not_worse < alpha),
        }
    return {kind: int(each.sum()) for kind, each in found.items()}


# --- power


def powers(options: argparse.Namespace) -> Iterator[list[str]]:
    populations = [rates(0.15, 0.10), rates(0.06, 0.01), rates(0.35, 0.2), graded(0.05, 0.2), graded(0.1, 0.2)]
    populations += [mostly_zero(0.15, 0.05), rates(0.15, 0.05, per_cluster=4)]
    for population in populations:
        planned = qa_frame.power(difference=population.difference, sd=population.sd)
        n = int(planned["n"].iloc[0])
        random = np.random.default_rng(options.seed)
        runs = max(1, min(options.runs, 2_000_000 // (n * population.per_cluster)))
        pairs, differences = contrast_of(population, random, n, runs)
        p_function = p_function_of(pairs, seed=options.seed)
        p = p_function.p
        mdd = (stats.norm.ppf(1 - ALPHA / 2) + stats.norm.ppf(0.8)) * p_function.error.mean()
        plain = stats.ttest_1samp(differences, 0, axis=1)
        reached = [(p < ALPHA) & (pairs.difference > 0), (plain.pvalue < ALPHA) & (plain.statistic > 0)]
        shares = [f"{share.mean():.3f}" for share in reached]
        yield [population.name, str(n), *shares, f"{mdd / population.difference:.2f}"]


# --- ranks


def coverages(options: argparse.Namespace) -> Iterator[list[str]]:
    designs = {
        "6 equal": [0.5] * 6,
        "6 in steps of 4 points": [0.3 + 0.04 * place for place in range(6)],
        "3 and 3 alike, 8 points apart": [0.46] * 3 + [0.54] * 3,
        "one far ahead of 5 equal": [0.8] + [0.4] * 5,
        "12 in steps of 2 points": [0.3 + 0.02 * place for place in range(12)],
    }
    runs = max(1, options.runs // 10)
    for name, ability in designs.items():
        for kind in ("0/1", "graded"):
            for n in (50, 200):
                held = np.array(
                    [ranked(np.random.default_rng([options.seed, run]), ability, kind, n) for run in range(runs)]
                )
                yield [f"{name}, {kind}", str(n), *(f"{share:.3f}" for share in held.mean(axis=0))]


def ranked(random: np.random.Generator, ability: Sequence[float], kind: str, n: int) -> list[float]:
    """Whether all intervals hold at once, by Holm and by percentiles; then the mean share of ranks in an interval."""
    truth = np.array(ability)
    ease = random.normal(0, 0.25, n)
    scores = truth[:, None] + ease + random.normal(0, 0.2, (len(truth), n))
    if kind == "0/1":  # right where a common threshold is passed: the order of means is that of abilities
        scores = (scores > 0.5).astype(float)
    names = [f"{place:02d}" for place in range(len(truth))]
    frame = pd.DataFrame({"model": np.repeat(names, n), "q": np.tile(np.arange(n), len(truth)), "f1": scores.ravel()})
    found = frame.qa.compare("model", "q", metrics="f1", n_resamples=None if kind == "0/1" else 2000).qa.ranks()
    found = found.sort_values("group")
    best, worst = (
        1 + (truth[None] > truth[:, None]).sum(axis=1),
        len(truth) - (truth[None] < truth[:, None]).sum(axis=1),
    )
    drawn = scores[:, random.integers(0, n, (200, n))].mean(axis=-1)  # (models, resamples)
    of_draws = 1 + (drawn[None] > drawn[:, None]).sum(axis=1)
    low, high = np.quantile(of_draws, [ALPHA / 2, 1 - ALPHA / 2], axis=1)
    sides = (found["rank_lo"].to_numpy(), found["rank_hi"].to_numpy()), (low, high)
    held = [float(np.all((each[0] <= best) & (each[1] >= worst))) for each in sides]
    return [*held, *(float((each[1] - each[0] + 1).mean() / len(truth)) for each in sides)]


PARTS = {
    "calls": (("random calls of compare", "count"), calls),
    "families": (
        ("models", "truth", "error of better, %", "error of as good, %", "better found, %", "width", "contradictions"),
        families,
    ),
    "intervals": (
        ("difference", "layout", "held %", "width", "p < .05, %", "contradictions", "t: held %", "width", "warned %"),
        intervals,
    ),
    "levels": (("at the margin", "n", "p_noninferior < .05", "p_equivalent < .05", "plain t"), levels),
    "power": (("design for power .8", "n", "reached", "by a plain t test", "mdd / difference"), powers),
    "ranks": (
        ("models", "n", "ranks: all hold", "percentiles: all hold", "ranks: width", "percentiles: width"),
        coverages,
    ),
}


if __name__ == "__main__":
    sys.exit(main())
