"""Result files: the logs of evaluation harnesses as frames, and files of any size, scored in a stream.

The public functions are `read_results`, `score_files`, `summary_files` and `compare_files`. All find files
(`paths.py`), tell their formats (`formats.py`) and open them (`open_files.py`, then `json_lines.py`,
`parquet_files.py`, `csv_rows.py` or `zips.py`).

`read_results.py`: a file → its records (`records.py`) → the harness that wrote them (`recognise.py`, `harnesses/`) →
rows (`record_fields.py`) → Arrow (`batches.py`). Parquet with plain columns skips the records.

`score_files.py` and `summary_files.py` read pieces of files (`inputs.py`), which workers score. `outputs.py` says where
scored rows go, and whether they stand there already. `compare_files.py` reads the scores of such pieces into a frame.
"""
