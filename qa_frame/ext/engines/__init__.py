"""`qa` on the frames of other engines. `import polars, qa_frame`, in this order, is enough for polars::

    import qa_frame.engines.polars  # df.qa, lf.qa: where polars is imported last
    import qa_frame.engines.dask  # ddf.qa
    from qa_frame.engines import spark  # spark.score(sdf, ...), spark.summary

The scores and summaries are those of `qa_frame.score` and `qa_frame.summary`, to the last bit. An engine's `score` is
lazy: errors of arguments, names and types come at the call, and rows are scored when the engine runs. Only columns of
texts are read for it, and filters on other columns come first where the engine pushes them down, as polars and Spark
do. Its `summary` runs the engine: each part of the rows becomes sums, and workers merge these. A check that needs many
rows, such as whether golds are lists that were written out as text, is made for each part on its own.
The warnings of `qa_frame.score` about doubtful texts need all rows, and an engine does not give them: `audit` some
thousand rows that you have collected.
A polars frame that is changed forgets which columns it was scored from: `n_missing` and `n_no_gold` of its scores are
then null.

These engines need no module, as they read and write Arrow. The recipes take columns `model`, `response`, `answers`.

DuckDB: a relation is a frame, and DuckDB reads the scores from the variable::

    import duckdb, qa_frame

    results = duckdb.sql(
        "SELECT model, response, answers FROM 'results.parquet'"
    )
    scored = qa_frame.score(results, "response", "answers")
    means = duckdb.sql(
        "SELECT model, avg(f1) AS f1 FROM scored GROUP BY model ORDER BY model"
    ).fetchall()

DuckDB, more rows than memory holds: batch by batch into a Pool::

    import duckdb, pyarrow as pa, qa_frame

    results = duckdb.sql(
        "SELECT model, response, answers FROM 'results.parquet'"
    )
    pool = qa_frame.Pool(by="model")
    for batch in pa.RecordBatchReader.from_stream(results):
        pool.update(qa_frame.score(batch, "response", "answers"))
    summary = pool.summary(ci=0.95)

Hugging Face datasets, all rows at once::

    import datasets, qa_frame

    results = datasets.load_dataset(
        "parquet", data_files="results.parquet", split="train"
    )
    scored = datasets.Dataset(
        qa_frame.score(results.with_format("arrow")[:], "response", "answers")
    )

Hugging Face datasets, batch by batch::

    import datasets, qa_frame

    results = datasets.load_dataset(
        "parquet", data_files="results.parquet", split="train"
    )
    scored = results.with_format("arrow").map(
        lambda table: qa_frame.score(table, "response", "answers"),
        batched=True,
        batch_size=10_000,
    )
"""
