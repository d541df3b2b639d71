"""A pandas `groupby` as `data`: its keys are `by`, and its `sort`, `dropna` and `observed` hold."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import qa_frame
from qa_frame.errors import ColumnTypeError, UnknownOptionError

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.fixture(scope="module")
def scored() -> pd.DataFrame:
    return qa_frame.sample().qa.score("response", "answers", metrics=["em", "f1"])


CALLS: list[tuple[str, dict[str, Any]]] = [
    ("summary", {"ci": 0.95}),
    ("summary", {"ci": 0.95, "long": True}),
    ("compare", {"question": "question_id"}),
    ("worst", {"n": 3}),
    pytest.param("audit", {"question": "question_id"}, marks=pytest.mark.needs("audit")),
    pytest.param("agreement", {}, marks=pytest.mark.needs("annotation")),
    pytest.param("human_mean", {}, marks=pytest.mark.needs("annotation")),
    pytest.param("item_analysis", {"question": "question_id"}, marks=pytest.mark.needs("items")),
]  # type: ignore[list-item]


@pytest.mark.parametrize(("function", "arguments"), CALLS)
@pytest.mark.parametrize("by", ["model", ["model", "dataset"]])
def test_its_keys_are_by(scored: pd.DataFrame, function: str, arguments: dict[str, Any], by: Any) -> None:
    call = getattr(qa_frame, function)
    assert_frame_equal(call(scored.groupby(by), **arguments), call(scored, by=by, **arguments))
    assert_frame_equal(call(data=scored.groupby(by), **arguments), call(scored, by=by, **arguments))


def test_its_keys_may_be_columns(scored: pd.DataFrame) -> None:
    """What pandas makes of `as_index` changes nothing."""
    for by in ("model", ["model", "dataset"]):
        table = qa_frame.summary(scored.groupby(by, as_index=False))
        assert_frame_equal(table, qa_frame.summary(scored, by=by))


@pytest.mark.parametrize("name", ["f1", None])
def test_a_groupby_of_one_column(scored: pd.DataFrame, name: str | None) -> None:
    with pytest.raises(UnknownOptionError, match=f"give that of all columns, and metrics={name!r}"):
        qa_frame.summary(scored["f1"].rename(name).groupby(scored["model"]))


@pytest.mark.parametrize("long", [False, True])
def test_sort(scored: pd.DataFrame, *, long: bool) -> None:
    rows = scored.iloc[::-1]
    table = qa_frame.summary(rows.groupby(["model", "dataset"], sort=False), long=long)
    keys = table[["model", "dataset"]] if long else table.index.to_frame()
    found = keys.drop_duplicates().to_numpy().tolist()
    assert found == rows[["model", "dataset"]].drop_duplicates().to_numpy().tolist()
    in_order = qa_frame.summary(rows, by=["model", "dataset"], long=long)
    assert_frame_equal(table.sort_index(), in_order.sort_index())
    assert table.attrs == in_order.attrs


@pytest.mark.needs("annotation")
def test_sort_of_a_table_with_metrics_in_its_index(scored: pd.DataFrame) -> None:
    table = qa_frame.agreement(scored.iloc[::-1].groupby("model", sort=False))
    assert table.index.tolist() == [
        (model, metric) for model in scored["model"].iloc[::-1].unique() for metric in ("em", "f1")
    ]


def test_rows_stay_in_the_order_of_their_scores(scored: pd.DataFrame) -> None:
    rows = scored.iloc[::-1]
    assert_frame_equal(qa_frame.worst(rows.groupby("model", sort=False)), qa_frame.worst(rows, by="model"))


@pytest.mark.parametrize("dropna", [True, False])
def test_dropna(scored: pd.DataFrame, *, dropna: bool) -> None:
    rows = scored.assign(model=scored["model"].where(scored["model"] != "lynx-70b"))
    table = qa_frame.summary(rows.groupby("model", dropna=dropna))
    assert_frame_equal(table, qa_frame.summary(rows, by="model", dropna=dropna))
    assert len(table) == 3 - dropna
    # Of a comparison, too: without the keys that are null, no error of them.
    if dropna:
        assert len(qa_frame.compare(rows.groupby("model"), question="question_id", metrics="f1")) == 1


@pytest.mark.parametrize("observed", [True, False])
def test_observed(scored: pd.DataFrame, *, observed: bool) -> None:
    rows = scored.assign(model=scored["model"].astype("category").cat.add_categories(["unused"]))
    table = qa_frame.summary(rows.groupby("model", observed=observed))
    assert_frame_equal(table, qa_frame.summary(rows, by="model", observed=observed))
    assert ("unused" in table.index) is not observed


def test_keys_that_are_no_names_of_columns(scored: pd.DataFrame) -> None:
    wanted = qa_frame.summary(scored, by="model")
    indexed = scored.set_index("model")
    several = scored.set_index(["dataset", "model"])
    for grouped in (
        scored.groupby(scored["model"]),
        scored.groupby(pd.Grouper(key="model")),
        indexed.groupby(level=0),
        indexed.groupby(level="model"),
        indexed.groupby("model"),
        several.groupby(level=1),
        several.groupby(pd.Grouper(level="model")),
    ):
        assert_frame_equal(qa_frame.summary(grouped), wanted)


@pytest.mark.parametrize(
    "key",
    [
        lambda rows: rows["model"].str[0],
        lambda rows: rows["model"].str[0].to_numpy(),
        lambda rows: dict.fromkeys(rows.index[:100], "a"),
        lambda rows: pd.Index(rows["model"].str[0]),
        lambda _: lambda row: row % 2,
    ],
)
def test_keys_without_a_name_need_a_column(scored: pd.DataFrame, key: Any) -> None:
    grouped = scored.groupby(key(scored))
    with pytest.raises(UnknownOptionError, match="add the values as a column, and group by that"):
        qa_frame.summary(grouped)
    remedied = scored.assign(group=grouped.ngroup().to_numpy()).groupby("group")
    assert qa_frame.summary(remedied)["n_rows"].sum() <= len(scored)


def test_an_index_level_without_a_name_needs_a_column(scored: pd.DataFrame) -> None:
    with pytest.raises(UnknownOptionError, match="neither a column nor a named level"):
        qa_frame.summary(scored.groupby(level=0))
    # The level would be taken for the column of its name.
    shadowed = scored.set_index(scored["model"].str[0].rename("model"))
    with pytest.raises(UnknownOptionError, match="neither a column nor a named level"):
        qa_frame.summary(shadowed.groupby(level="model"))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda groups: qa_frame.summary(groups, by="dataset"), "by='dataset' stands beside a groupby"),
        (lambda groups: qa_frame.summary(groups, "dataset"), "by='dataset' stands beside a groupby"),
        (lambda groups: qa_frame.compare(groups, "question_id"), "as in question='question_id'"),
        (lambda groups: qa_frame.summary(groups, dropna=False), "dropna=False stands beside a groupby"),
        (
            lambda groups: qa_frame.summary(groups[["em", "f1"]]),
            r"give that of all columns, and metrics=\['em', 'f1'\]",
        ),
        (lambda groups: qa_frame.summary(groups["em"]), "give that of all columns, and metrics='em'"),
    ],
)
def test_what_it_says_itself_is_no_argument(scored: pd.DataFrame, call: Any, message: str) -> None:
    with pytest.raises(UnknownOptionError, match=message):
        call(scored.groupby("model"))


def test_other_arguments_are_checked_as_ever(scored: pd.DataFrame) -> None:
    with pytest.raises(TypeError, match="did you mean 'metrics'"):
        qa_frame.summary(scored.groupby("model"), metrcs="f1")  # type: ignore[call-arg]


def test_functions_of_rows_name_the_frame(scored: pd.DataFrame) -> None:
    groups = scored.groupby("model")
    with pytest.raises(ColumnTypeError, match=r"this takes no groups: give the frame, which is data\.obj"):
        qa_frame.score(groups, "response", "answers")
    again = qa_frame.score(groups.obj, "response", "answers", metrics=["em", "f1"])
    assert_frame_equal(again, scored)
