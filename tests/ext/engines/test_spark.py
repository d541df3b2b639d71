"""What is Spark's own: its types, names with dots, batches and functions that are sent to executors."""

from __future__ import annotations

import doctest
import importlib
import threading

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import qa_frame
from tests.ext.engines.shared import TABLE, Spark, records, spark_session

pytestmark = [
    pytest.mark.filterwarnings("ignore::qa_frame.errors.IntervalWarning"),
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
]
METRICS = ["em", "f1"]


@pytest.fixture(scope="module")
def session():
    return spark_session()


@pytest.fixture(scope="module")
def spark():
    spark_session()  # skips the test where there is none
    return importlib.import_module("qa_frame.engines.spark")


def test_the_examples(spark, session):
    found = doctest.testmod(spark, extraglobs={"session": session}, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert found.failed == 0
    assert found.attempted > 0


def test_the_schema_keeps_the_types_of_columns(spark, session):
    schema = "response string not null, answers array<string>, price decimal(9,2), day date, tags map<string,int>"
    frame = session.createDataFrame([("x y", ["x"], None, None, {"x": 1})], schema)
    scored = spark.score(frame, "response", "answers", metrics="f1", stats=True)
    assert scored.schema.fields[:5] == frame.schema.fields
    assert [field.dataType.simpleString() for field in scored.schema.fields[7:9]] == ["double", "bigint"]
    (row,) = scored.collect()
    assert row[:5] == ("x y", ["x"], None, None, {"x": 1})
    assert row.f1 == pytest.approx(2 / 3)


def test_names_with_dots_and_backticks(spark):
    names = {"response": "the.response", "answers": "a`b", "model": "model.name"}
    table = TABLE.select(list(names)).rename_columns(list(names.values()))
    frame = Spark().make(table)
    found = spark.score(frame, "the.response", "a`b", metrics="em", append=False).toArrow()
    assert found["em"].to_pylist() == qa_frame.score(TABLE, "response", "answers", metrics="em")["em"].to_pylist()
    scored = spark.score(frame, "the.response", "a`b", metrics=METRICS)
    found = spark.summary(scored, "model.name", ci=0.9)
    expected = TABLE.to_pandas().qa.score("response", "answers", metrics=METRICS).qa.summary("model", ci=0.9)
    pd.testing.assert_frame_equal(found, expected.rename_axis("model.name"), check_exact=True)


def test_columns_of_one_name(spark):
    """Spark has them. They stay as they are where nobody names them."""
    frame = Spark().make(TABLE.select(["response", "grade", "answers", "model"])).toDF("response", "x", "answers", "x")
    with pytest.raises(qa_frame.errors.ColumnNotFoundError, match="by='x' names 2 columns"):
        spark.summary(frame, "x")
    with pytest.raises(qa_frame.errors.ColumnNotFoundError, match="pred='x' names 2 columns"):
        spark.score(frame, "x", "answers")
    found = spark.score(frame, "response", "answers", metrics="em", append=False).toArrow()
    assert found.equals(qa_frame.score(TABLE, "response", "answers", metrics="em").select(["em"]), check_metadata=False)
    rows = spark.score(frame, "response", "answers", metrics="em").collect()
    assert [(row[1], row[3], row[6]) for row in rows] == list(
        zip(*(column.to_pylist() for column in (TABLE["grade"], TABLE["model"], found["em"])), strict=True)
    )


def test_functions_are_sent_to_the_executors(spark):
    first = [1, 0]

    def own(scores):
        return float(scores[first[1]])

    scored = spark.score(Spark().make(TABLE), "response", "answers", metrics="f1", reduce=own)
    expected = TABLE.to_pandas().qa.score("response", "answers", metrics="f1", reduce=own).qa.summary("model")
    assert records(spark.summary(scored, "model"), has_keys=True) == records(expected, has_keys=True)


def explained(frame, capsys):
    frame.explain()
    return capsys.readouterr().out


def test_columns_and_filters_reach_the_file(spark, session, tmp_path, capsys):
    """Texts alone go to Python, the file gives no column that nobody asks for, and filters come before the scores."""
    pq.write_table(TABLE, tmp_path / "rows.parquet")
    scored = spark.score(session.read.parquet(str(tmp_path)), "response", "answers", metrics=METRICS)
    plan = explained(scored.filter("model = 'lynx-70b'").select("model", "em"), capsys)
    assert "ReadSchema: struct<model:string,response:string,answers:array<string>>" in plan
    assert "PushedFilters: [IsNotNull(model), EqualTo(model,lynx-70b)]" in plan
    assert plan.index("ArrowEvalPython") < plan.index("Filter (isnotnull(model")


def test_each_row_is_scored_once(spark, session):
    """Those that a filter drops before are not scored, and a filter on scores scores none again."""
    scored_rows = session.sparkContext.accumulator(0)

    def own(scores):
        scored_rows.add(1)
        return float(scores[0])

    scored = spark.score(Spark().make(TABLE), "response", "answers", metrics="f1", reduce=own)
    found = scored.filter("f1 > 0.5 and model = 'lynx-70b'").select("f1", "model").collect()
    table = qa_frame.score(TABLE, "response", "answers", metrics="f1", reduce=lambda scores: scores[0]).to_pandas()
    assert len(found) == len(table.query("f1 > 0.5 and model == 'lynx-70b'")) > 0
    assert scored_rows.value == len(table.query("model == 'lynx-70b' and f1 == f1 and response.notna()"))


@pytest.mark.parametrize("n_rows", [1, 7, 10_000])
def test_scores_do_not_depend_on_the_size_of_batches(spark, session, n_rows):
    session.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", n_rows)
    try:
        found = spark.score(Spark().make(TABLE), "response", "answers", stats=True).toArrow()
    finally:
        session.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", 100)
    expected = qa_frame.score(TABLE, "response", "answers", stats=True)
    assert found.select(TABLE.column_names).to_pylist() == TABLE.to_pylist()
    assert found.to_pylist() == expected.to_pylist()


def test_a_task_makes_one_plan(spark):
    """A function is asked once for equal pairs of a task, in whichever batches they are."""

    class NumbersCalls:
        """A metric that returns how many pairs it has been asked for."""

        n_pairs = 0

        def __call__(self, preds, _golds):
            self.n_pairs += len(preds)
            return [self.n_pairs / 1000] * len(preds)

    frame = (
        Spark()
        .make(TABLE.select(["response", "answers"]).slice(0, 1))
        .selectExpr("response", "answers", "explode(sequence(1, 500)) as copy")
        .coalesce(1)
    )
    own = qa_frame.PairMetric("number_of_call", NumbersCalls())
    found = spark.score(frame, "response", "answers", metrics=[own]).toArrow()["number_of_call"].to_pylist()
    assert found == [0.001] * 500


def test_a_question_that_names_several_is_refused_as_in_pandas(spark):
    scored = spark.score(Spark().make(TABLE), "response", "answers", metrics="em").drop("question")
    with pytest.raises(qa_frame.errors.PairingError, match=r"question='dataset' takes rows of different questions"):
        spark.summary(scored, "model", "dataset")


def result_sizes(session):
    """The bytes that the tasks of each stage so far have sent to the driver."""
    context = session.sparkContext
    no_quantiles = context._gateway.new_array(context._jvm.double, 0)
    stages = session._jsparkSession.sparkContext().statusStore().stageList(None, False, False, no_quantiles, None)
    return {stages.apply(at).stageId(): stages.apply(at).resultSize() for at in range(stages.size())}


@pytest.mark.parametrize("options", [{"question": "id"}, {"cluster": "id"}, {"method": "bootstrap", "n_resamples": 5}])
def test_the_driver_gets_the_table_alone(spark, session, options):
    """An executor merges the sums of questions and clusters."""
    rows = pd.DataFrame({"id": [f"question {place}" for place in range(20_000)], "em": [0.0, 1.0] * 10_000})
    before = result_sizes(session)
    found = spark.summary(session.createDataFrame(pa.Table.from_pandas(rows)), metrics="em", ci=0.9, **options)
    pd.testing.assert_frame_equal(found, qa_frame.summary(rows, metrics="em", ci=0.9, **options), check_exact=True)
    assert 0 < sum(size for stage, size in result_sizes(session).items() if stage not in before) < 60_000


def test_warnings_and_errors_of_executors_come_to_the_driver(spark):
    scored = spark.score(Spark().make(TABLE), "response", "answers", metrics="em")
    options = {"question": ["dataset", "question_id"], "by": "dataset"}
    with pytest.warns(qa_frame.errors.IntervalWarning, match="coverage may be below"):
        spark.summary(scored, by="model", cluster="dataset", ci=0.9)
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="pass_at=9 needs that many samples of a question"):
        spark.summary(scored, pass_at=9, **options)


def test_scores_remember_what_they_were_made_from(spark):
    """Spark keeps the metadata of columns through its steps; a column of another name is not the score any more."""
    scored = spark.score(Spark().make(TABLE), "response", "answers", metrics="em")
    scored = spark.score(scored, "response", "question_id", metrics="f1", prefix="of_id_")
    kept = scored.filter("model != 'x'").repartition(3).select("em", "of_id_f1", "response", "answers", "question_id")
    assert spark.summary(kept)[["n_missing", "n_no_gold"]].to_numpy().tolist() == [[8, 15]]
    assert spark.summary(kept, prefix="of_id_")[["n_missing", "n_no_gold"]].to_numpy().tolist() == [[8, 0]]
    assert pd.isna(spark.summary(kept.drop("answers"))["n_missing"]).all()
    renamed = kept.withColumnRenamed("em", "f1")
    assert pd.isna(spark.summary(renamed, metrics="f1")["n_missing"]).all()


def test_months_stay_as_they_are_where_nobody_asks_for_them(spark):
    frame = Spark().make(TABLE).selectExpr("response", "interval '5' month as `a.b`", "model", "answers")
    scored = spark.score(frame, "response", "answers", metrics="em")
    assert [(name, kind) for name, kind in scored.dtypes if name not in {"em", "qa_rules", "qa_flags"}] == frame.dtypes
    assert [row.m for row in scored.selectExpr("cast(`a.b` as string) as m").distinct().collect()] == [
        "INTERVAL '5' MONTH"
    ]
    assert spark.summary(scored, "model")["em"].notna().all()
    with pytest.raises(qa_frame.errors.ColumnTypeError, match=r"'a.b' holds interval month, which Spark cannot give"):
        spark.summary(scored, "a.b")
    with pytest.raises(qa_frame.errors.ColumnTypeError, match=r"sdf\.withColumn\('a.b', sdf\['a.b'\]\.cast\('string'"):
        spark.score(frame, "a.b", "answers")


def test_errors_name_what_a_user_of_spark_can_write(spark):
    frame = Spark().make(TABLE)
    with pytest.raises(
        qa_frame.errors.ColumnNotFoundError, match=r"score it first with spark.score\(sdf, pred="
    ) as told:
        spark.summary(frame, "model")
    assert str(TABLE.column_names) in str(told.value)
    spark.score(frame, pred="response", gold="answers")  # as the error says


def test_functions_that_cannot_be_sent_are_named(spark):
    lock = threading.Lock()
    frame = Spark().make(TABLE)
    own = qa_frame.PairMetric("judge", lambda preds, _golds: [float(bool(lock)) for _ in preds])
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="metrics='judge' cannot be sent to the executors"):
        spark.score(frame, "response", "answers", metrics=["em", own])
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="the function of reduce cannot be sent"):
        spark.score(frame, "response", "answers", metrics="em", reduce=lambda scores: float(bool(lock)) * scores.max())


def test_rows_of_errors_are_said_to_be_of_a_batch(spark):
    frame = Spark().make(TABLE)
    with pytest.raises(Exception, match="Rows are counted from 0 in one batch of Spark, not in the whole frame"):
        spark.score(frame, "response", "answers", metrics="em", missing="raise").collect()


@pytest.mark.parametrize(("name", "options"), [("score", {"pred": "response", "gold": "answers"}), ("summary", {})])
def test_what_is_no_frame_of_spark(spark, name, options):
    with pytest.raises(qa_frame.errors.ColumnTypeError, match="sdf is a Table; give a Spark DataFrame"):
        getattr(spark, name)(pa.table({"response": ["a"], "answers": ["a"]}), **options)
