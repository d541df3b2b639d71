"""Strata of groups, such as datasets: how much each counts, and which groups lack one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from qa_frame._typing import Datasets, Flags, Floats, Ints, Shares
from qa_frame.errors import UnknownOptionError, show
from qa_frame.stats.grouping import GroupCodes, KeySeries, group_rows, take_keys
from qa_frame.stats.statistic import divide_where

SHARES: tuple[Shares, ...] = ("equal", "size")
DATASETS: tuple[Datasets, ...] = ("fixed", "random")


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each stratum counts in its group.

    Attributes
    ----------
    shares
        `"equal"` for all alike, `"size"` for the share of rows, or the weight of each stratum by its key. A key is a
        value, or a tuple of values where several columns make it.
    are_sampled
        Whether the strata are a sample of all that there may be, so that intervals are about others of their kind.
    """

    shares: Shares | Mapping[Any, float]
    are_sampled: bool = False


EQUAL = Weights("equal")


@dataclass(frozen=True, slots=True)
class GroupStrata:
    """The strata of all groups.

    Attributes
    ----------
    names
        The keys of all strata: those that some group has, and those that have a given weight.
    code
        Which of these each stratum of a group is, int64, shape (strata,).
    group
        The group of each stratum, shape (strata,).
    n_groups
        How many groups there are.
    weights
        How much each stratum counts.
    """

    names: list[Any]
    code: Ints
    group: Ints
    n_groups: int
    weights: Weights

    def shares(self, n: Ints) -> Floats:
        """Return how much each stratum counts in its group, shape (strata,).

        n: the rows of each stratum that a statistic is scored on, shape (strata,).
        """
        shares = self.weights.shares
        if shares == "equal":
            return np.full(len(self.code), 1 / max(1, len(self.names)))
        if isinstance(shares, Mapping):
            return np.array([shares[name] for name in self.names], np.float64)[self.code]
        total = np.bincount(self.group, n, self.n_groups).astype(np.float64)
        return divide_where(n.astype(np.float64), total[self.group], 0.0)

    def find_missing(self, n: Ints) -> Flags:
        """Return whether each group has no scored rows of each stratum, shape (groups, names). n: as for `shares`."""
        lacks = np.ones((self.n_groups, len(self.names)), np.bool_)
        lacks[self.group[n > 0], self.code[n > 0]] = False
        return lacks


def make_strata(keys: KeySeries, group: Ints, n_groups: int, weights: Weights) -> GroupStrata:
    """Return the strata of all groups; UnknownOptionError where `weights` has weights, but not one for every stratum.

    Parameters
    ----------
    keys
        The key of each stratum of each group.
    group, n_groups
        The group of each stratum, and how many groups there are.
    """
    code, first = group_rows(keys, len(group))
    names = GroupCodes(code, take_keys(keys, first)).labels.tolist() if len(group) else []
    names = list_strata(names, weights, keys[0].name if len(keys) == 1 else [key.name for key in keys])
    return GroupStrata(names, code, group, n_groups, weights)


def list_strata(names: list[Any], weights: Weights, level: Any) -> list[Any]:
    """Return the keys of the strata that some group has, and then of those that only have a weight.

    UnknownOptionError where `weights` has weights, but not one for every stratum. names: the keys of the strata that
    some group has. level: the column or columns of strata.
    """
    if not isinstance(weights.shares, Mapping):
        return names
    unknown = [name for name in names if name not in weights.shares]
    if unknown:
        raise UnknownOptionError(
            f"weights have no entry for {show(unknown[0])}, a value of {show(level)}; give one for each of "
            f"{show(names)}, which sum to 1"
        )
    return [*names, *(name for name in weights.shares if name not in names)]
