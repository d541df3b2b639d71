"""Any column of numbers as a metric: pooled, compared and judged as scores are, in any frame."""

from __future__ import annotations

import datetime as dt
import decimal
import fractions
import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import stats

import qa_frame
from tests import kinds

SOURCE = {"pred": "response", "gold": "answers"}
KINDS = kinds.KINDS | {"pyarrow types": lambda frame: frame.convert_dtypes(dtype_backend="pyarrow")}


def as_pandas(found, *keys):
    found = found if isinstance(found, pd.DataFrame) else found.to_pandas()
    return found.set_index([*keys]) if keys and keys[0] in found else found


@pytest.fixture(scope="module")
def judged():
    frame = qa_frame.sample()
    return frame.assign(verdict=frame["human"], grade=np.arange(len(frame)) % 5 + 1)


@pytest.mark.parametrize("kind", KINDS)
def test_a_column_is_pooled_as_its_mean(judged, kind):
    found = as_pandas(qa_frame.summary(KINDS[kind](judged), "model", metrics=["verdict", "grade"], ci=0.95), "model")
    of_model = judged.groupby("model")
    assert found["verdict"].tolist() == of_model["verdict"].mean().tolist()
    assert found["n_verdict"].tolist() == of_model["verdict"].count().tolist()
    for model, grades in of_model["grade"]:
        low, high = stats.t.interval(0.95, len(grades) - 1, grades.mean(), stats.sem(grades))
        assert found.loc[model, ["grade_lo", "grade_hi"]].tolist() == pytest.approx([low, high], rel=1e-10)
    named = judged.assign(em=judged["verdict"].astype("Float64")).qa.summary("model", metrics="em", ci=0.95)
    for end in ("", "_lo", "_hi"):
        assert found[f"verdict{end}"].tolist() == named[f"em{end}"].tolist()


@pytest.mark.needs("files")
def test_pools_files_and_engines(judged, tmp_path):
    expected = judged.qa.score(**SOURCE, stats=True).qa.summary("model", metrics=["verdict", "f1_micro"], ci=0.95)
    scored = judged.qa.score(**SOURCE, metrics="em", stats=True)
    pool = qa_frame.Pool("model", metrics=["verdict", "f1_micro"])
    for start in range(0, len(scored), 100):
        pool.update(scored[start : start + 100])
    pd.testing.assert_frame_equal(pool.summary(ci=0.95), expected, check_exact=True)
    judged.astype({"verdict": object}).to_json(tmp_path / "a.jsonl", orient="records", lines=True)
    judged.to_parquet(tmp_path / "a.parquet")
    for name in ("a.jsonl", "a.parquet"):
        found = qa_frame.summary_files(
            tmp_path / name, "model", metrics=["verdict", "f1_micro"], ci=0.95, n_jobs=1, **SOURCE
        )
        figures = [name for name in expected if not name.startswith("n_")]
        pd.testing.assert_frame_equal(found[figures], expected[figures], check_exact=True, check_dtype=False)
        with pytest.raises(qa_frame.errors.UnknownOptionError, match=rf"{name}: metrics='vredict' .* mean 'verdict'\?"):
            qa_frame.summary_files(tmp_path / name, "model", metrics="vredict", n_jobs=1)


@pytest.mark.needs("files")
def test_files_may_have_other_types_of_the_column(judged, tmp_path):
    judged.to_parquet(tmp_path / "a.parquet")
    judged.astype({"verdict": "Float64", "grade": "float32"}).to_parquet(tmp_path / "b.parquet")
    found = qa_frame.summary_files(tmp_path, metrics=["verdict", "grade"], n_jobs=1)
    assert found["verdict"].item() == judged["verdict"].mean()


@pytest.mark.needs("annotation")
@pytest.mark.parametrize("kind", KINDS)
def test_a_name_that_is_no_column(judged, kind):
    data = KINDS[kind](judged)
    for call in (
        qa_frame.summary,
        qa_frame.agreement,
        lambda *a, **k: qa_frame.compare(*a, "model", "question_id", **k),
    ):
        with pytest.raises(qa_frame.errors.UnknownOptionError, match="'rouge' is not known; did you mean 'rouge_l'"):
            call(data, metrics="rouge")
        with pytest.raises(qa_frame.errors.UnknownOptionError, match="'vedrict' is not known; did you mean 'verdict'"):
            call(data, metrics=["vedrict"])
    with pytest.raises(
        qa_frame.errors.UnknownOptionError, match="metric='vedrict' is not known; did you mean 'verdict'"
    ):
        qa_frame.worst(data, metric="vedrict")
    with pytest.raises(
        qa_frame.errors.UnknownOptionError, match="metrics='rouge' is not known; did you mean 'rouge_l'"
    ):
        qa_frame.Pool(metrics="rouge").update(data)


def test_a_metric_that_is_not_scored_yet():
    scored = qa_frame.sample().qa.score("response", "answers", metrics="em", prefix="my_")
    with pytest.raises(qa_frame.errors.ColumnNotFoundError) as raised:
        scored.qa.summary(metrics="recall", prefix="my_")
    assert (
        "the frame has no score column 'my_recall'; score it first with df.qa.score(pred='response', gold='answers', metrics="
        in (str(raised.value))
    )


def test_a_name_that_the_table_needs_for_something_else(judged):
    with pytest.raises(
        qa_frame.errors.UnknownOptionError, match=r"metrics='n' has the name of another column .* 'my_n'"
    ):
        judged.assign(n=1).qa.summary(metrics="n")
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="metrics='grade_lo'"):
        judged.assign(grade_lo=1).qa.summary(metrics=["grade", "grade_lo"])


REMEDIES = [
    (["0.5", "1", None], [0.5, 1.0, np.nan], pd.to_numeric, r"pandas\.to_numeric\(df\['own'\]\)"),
    (
        pd.to_timedelta(["1s", "2s", None]),
        [1.0, 2.0, np.nan],
        lambda column: column.dt.total_seconds(),
        r"df\['own'\]\.dt\.total_seconds\(\)",
    ),
]


@pytest.mark.parametrize(("values", "numbers", "remedy", "message"), REMEDIES)
def test_what_is_no_number_is_refused_with_a_remedy_that_works(values, numbers, remedy, message):
    frame = pd.DataFrame({"own": values, "f1": [1.0, 0.5, 0.0]})
    for name, data in (("own", frame), ("f1", frame.assign(f1=frame["own"]))):
        with pytest.raises(qa_frame.errors.ColumnTypeError, match=message.replace("own", name)):
            data.qa.summary(metrics=name)
    mended = frame.assign(score=remedy(frame["own"]))
    assert mended["score"].tolist() == pytest.approx(numbers, nan_ok=True)
    assert mended.qa.summary(metrics="score")["score"].item() == np.nanmean(numbers)


@pytest.mark.parametrize(
    "values",
    [
        pd.to_timedelta(["1s", "2s"]),
        pd.array([1, 2], "duration[ms][pyarrow]"),
        pd.to_datetime(["2020", "2021"]),
        np.array(["1", "2"], dtype="timedelta64[s]").astype(object),
        [dt.timedelta(1), dt.timedelta(2)],
        [[1], [2]],
        pd.Categorical(["1", "2"]),
        pd.period_range("2020", periods=2),
    ],
    ids=lambda values: str(getattr(values, "dtype", type(values[0]).__name__)),
)
def test_what_is_no_number(values):
    frame = pd.DataFrame({"own": values})
    for name in ("own", "f1"):
        with pytest.raises(qa_frame.errors.ColumnTypeError, match=f"metrics='{name}' holds"):
            frame.rename(columns={"own": name}).qa.summary(metrics=name)


@pytest.mark.parametrize(
    "values",
    [
        [True, False],
        pd.array([True, False], "boolean"),
        pd.array([1, 0], "Int8"),
        pd.array([1, 0], "bool[pyarrow]"),
        [decimal.Decimal(1), decimal.Decimal(0)],
        pd.array([decimal.Decimal(1), decimal.Decimal(0)], pd.ArrowDtype(pa.decimal128(5, 2))),
        [True, 0.0],
        [fractions.Fraction(1), 0],
        pd.Categorical([1, 0]),
        pd.arrays.SparseArray([1.0, 0.0]),
        np.array([1, 0], np.float16),
    ],
    ids=lambda values: str(getattr(values, "dtype", type(values[0]).__name__)),
)
@pytest.mark.filterwarnings("ignore:The behavior of DataFrame concatenation:FutureWarning")  # of pandas 2
def test_numbers_of_any_type(values):
    frame = pd.DataFrame({"own": pd.Series(values, dtype=getattr(values, "dtype", object))})
    with_null = pd.concat([frame, pd.DataFrame({"own": pd.Series([None], dtype=object)})], ignore_index=True)
    for data, n in ((frame, 2), (with_null, 3)):
        found = data.qa.summary(metrics="own")
        assert found[["n_rows", "n", "own"]].iloc[0].tolist() == [n, 2, 0.5]


@pytest.mark.parametrize(
    "value",
    [2**63, 2**64, -(2**65), 10**400, fractions.Fraction(10**400), decimal.Decimal("1e500"), np.inf],
    ids=["2**63", "2**64", "-2**65", "10**400", "fraction", "decimal", "infinity"],
)
@pytest.mark.parametrize("name", ["f1", "own"])
def test_numbers_that_cannot_be_summed(value, name):
    frame = pd.DataFrame({name: pd.Series([value, 1] * 2, dtype=object), "m": list("aabb"), "q": [1, 2, 1, 2]})
    with pytest.raises(qa_frame.errors.ColumnTypeError, match=f"the scores '{name}' are"):
        frame.qa.summary(metrics=name)
    with pytest.raises(qa_frame.errors.ColumnTypeError, match=f"the scores '{name}' are"):
        frame.qa.compare("m", "q", metrics=name)


@pytest.mark.needs("annotation")
def test_agreement_refuses_infinity_and_takes_large_numbers():
    frame = pd.DataFrame({"own": [2.0**63, 1.0, np.inf], "human": [1, 0, 1]})
    with pytest.raises(qa_frame.errors.ColumnTypeError, match="'own' are infinite in 1 of 3 rows"):
        frame.qa.agreement(metrics="own")
    assert frame[:2].qa.agreement(metrics="own")["auc"].item() == 1


def test_a_signalling_nan_is_not_scored():
    frame = pd.DataFrame({"f1": pd.Series([decimal.Decimal("sNaN"), decimal.Decimal(1)], dtype=object)})
    assert frame.qa.summary()[["n_rows", "n", "f1"]].iloc[0].tolist() == [2, 1, 1]


# --- what `metrics` names is what comes


def figures(table):
    return [name for name in table.columns if pd.api.types.is_float_dtype(table[name])]


@pytest.mark.needs("files")
def test_no_figure_comes_unasked(judged, tmp_path, recwarn):
    assert figures(judged.qa.score(**SOURCE, metrics="em").qa.summary(metrics="em", ci=0.95)) == [
        "em",
        "em_lo",
        "em_hi",
    ]
    scored = judged.qa.score(**SOURCE, metrics=["em", "f1"], stats=True)
    assert figures(scored.qa.summary(metrics="em")) == ["em"]
    assert figures(qa_frame.Pool(metrics="em").update(scored).summary()) == ["em"]
    scored.to_parquet(tmp_path / "a.parquet")
    assert figures(qa_frame.summary_files(tmp_path, metrics="em", n_jobs=1)) == ["em"]
    assert figures(qa_frame.summary_files(tmp_path, metrics="corpus_bleu1", n_jobs=1)) == ["corpus_bleu1"]
    assert scored.qa.compare("model", "question_id", metrics="em", n_resamples=9)["metric"].unique().tolist() == ["em"]
    assert figures(scored.qa.summary()) == ["em", "f1", "corpus_bleu", "f1_micro"]
    assert figures(judged.qa.score(**SOURCE, convention="unicode", stats=True).qa.summary())[-2:] == [
        "corpus_bleu",
        "f1_micro",
    ]
    assert not [each for each in recwarn.list if "gold" not in str(each.message)]  # the flags of the sample


def test_a_pooled_figure_without_statistics(judged):
    scored = judged.qa.score(**SOURCE, metrics="em")
    with pytest.raises(qa_frame.errors.ColumnNotFoundError, match="metrics='corpus_bleu' needs the statistics"):
        qa_frame.Pool(metrics="corpus_bleu").update(scored)


# --- frames that were scored in several ways


@pytest.fixture(scope="module")
def mixed():
    sample = qa_frame.sample()
    one = sample[:30].qa.score(**SOURCE, metrics=["em", "f1"])
    both = pd.concat([one, sample[30:150].qa.score(**SOURCE, metrics="em", convention="helm")])
    return both.drop(columns="qa_rules")  # as frames that were scored by versions which did not mark rows


@pytest.mark.needs("annotation")
@pytest.mark.filterwarnings("ignore::qa_frame.errors.IntervalWarning")  # of so few questions
def test_metrics_over_different_rows_are_warned_of_and_counted(mixed):
    with pytest.warns(
        qa_frame.errors.MixedScoresWarning, match=r"in 1 of 1 groups, first in 'all': em over 150, f1 over 30"
    ):
        found = mixed.qa.summary()
    assert found[["n_rows", "n", "n_f1"]].iloc[0].tolist() == [150, 150, 30]
    assert "n_em" not in found
    with pytest.warns(qa_frame.errors.MixedScoresWarning):
        qa_frame.Pool().update(mixed).summary()
    with pytest.warns(qa_frame.errors.MixedScoresWarning):
        qa_frame.summary(pl.from_pandas(mixed))
    with pytest.warns(qa_frame.errors.MixedScoresWarning, match="f1 over"):
        mixed.qa.compare("model", "question_id")
    with pytest.warns(qa_frame.errors.MixedScoresWarning, match="f1 over"):
        mixed.qa.agreement()


def test_what_is_told_apart_is_not_warned_of(mixed, recwarn):
    told = mixed.assign(rules=["squad"] * 30 + ["helm"] * 120)
    found = told.qa.summary("rules")
    assert found["n_f1"].to_dict() == {"squad": 30, "helm": 0}
    mixed.qa.summary(metrics="em")
    sample = qa_frame.sample().qa.score(**SOURCE, metrics=["em", "f1"])
    sample.assign(judge=np.where(np.arange(360) < 99, 1, None)).qa.summary(metrics=["em", "judge"])
    qa_frame.summary(pl.from_pandas(sample))
    assert not [each for each in recwarn.list if each.category is not qa_frame.errors.ScoringWarning]


# --- what tables say of themselves


@pytest.mark.needs("annotation")
def test_tables_say_what_they_are(judged):
    scored = judged.qa.score(**SOURCE, metrics="em", stats=True)
    with pytest.warns(qa_frame.errors.ScoringWarning, match="percent=True makes 300 of 'grade'"):
        said = scored.qa.summary("model", metrics=["em", "grade", "f1_micro"], percent=True).attrs["qa_table"]
    metrics = {"em": "metric", "grade": "own", "f1_micro": "pooled"}
    form = {"percent": True, "long": False, "level": None}
    assert said == {"kind": "summary", "keys": ["model"], "figures": [*metrics], "metrics": metrics, **form}
    table = qa_frame.summary(pa.Table.from_pandas(scored), "model", metrics="em", long=True, ci=0.9)
    noted = json.loads(table.schema.metadata[b"qa_frame"])["qa_table"]
    assert (noted["figures"], noted["long"], noted["level"]) == (["value"], True, 0.9)
    compared = scored.qa.compare("model", "question_id", metrics="grade", n_resamples=9)
    assert compared.attrs["qa_table"]["kind"] == "compare"
    assert compared.attrs["qa_table"]["metrics"] == {"grade": "own"}
    assert compared.attrs["qa_table"]["level"] == 0.95
    agreed = scored.qa.agreement(metrics="grade")
    assert agreed.attrs["qa_table"]["figures"][:3] == ["human_mean", "metric_mean", "auc"]


def test_a_column_of_ones_own_whose_count_is_another_column_is_refused():
    frame = pd.DataFrame({"f1": [0.5, 1.0, 0.0], "missing": [0.5, None, None]})
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="rename it first"):
        qa_frame.summary(frame, metrics=["f1", "missing"])
    renamed = qa_frame.summary(frame.rename(columns={"missing": "own"}), metrics=["f1", "own"])
    assert renamed[["n", "n_own"]].to_numpy().tolist() == [[3, 1]]
