"""Published results: every row and every mean as the projects' own scorers have them."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import qa_frame  # noqa: F401 (registers df.qa)

DATA = Path(__file__).parents[3] / "shared" / "data"

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the published results are not part of the project")


def scored(file: str, metrics: list[str]) -> pd.DataFrame:
    return pd.read_parquet(DATA / file).qa.score(pred="response", gold="answers", metrics=metrics)


@pytest.fixture(scope="module")
def openqa_eval() -> pd.DataFrame:
    return scored("openqa_eval.parquet", ["em", "f1"])


@pytest.fixture(scope="module")
def evouna() -> pd.DataFrame:
    return scored("evouna.parquet", ["em", "contains"])


def assert_as_official(results: pd.DataFrame, metrics: list[str], *, n_rows: int) -> None:
    assert len(results) == n_rows
    for metric in metrics:
        differs = (results[metric] - results[f"official_{metric}"]).abs().gt(1e-12) | results[metric].isna()
        assert not differs.any(), results[differs].head().to_string()


def test_openqa_eval_row_by_row(openqa_eval: pd.DataFrame):
    assert_as_official(openqa_eval, ["em", "f1"], n_rows=43_324)


def test_evouna_row_by_row(evouna: pd.DataFrame):
    assert_as_official(evouna, ["em", "contains"], n_rows=24_788)


def test_evouna_keeps_golds_that_are_empty(evouna: pd.DataFrame):
    has_empty_gold = evouna["answers"].map(lambda golds: "" in list(golds))
    assert has_empty_gold.sum() == 10
    assert evouna.loc[has_empty_gold, "contains"].eq(1.0).all()  # nothing is part of everything, as officially


@pytest.mark.parametrize(
    ("model", "em", "f1"),
    [("FiD", 46.48, 53.69), ("EMDR2", 51.47, 59.46), ("R2D2", 52.35, 59.03), ("DPR", 40.91, 47.78)],
)
def test_openqa_eval_means(openqa_eval: pd.DataFrame, model: str, em: float, f1: float):
    nq_open = openqa_eval[openqa_eval["dataset"] == "NQ-open"]
    means = nq_open.qa.summary(by="model", percent=True).loc[model]
    assert means.round(2).to_dict() == {"n": 3610, "n_rows": 3610, "n_missing": 0, "n_no_gold": 0, "em": em, "f1": f1}


@pytest.mark.filterwarnings("ignore:.*times as long as the gold:qa_frame.errors.ScoringWarning")
def test_evouna_means(evouna: pd.DataFrame):
    means = evouna.qa.summary(by=["dataset", "model"], percent=True).loc[("NQ", "gpt4")]
    assert means[["n_rows", "em", "contains"]].round(2).to_dict() == {"n_rows": 3020, "em": 0.0, "contains": 61.79}
