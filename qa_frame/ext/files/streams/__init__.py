"""Files of rows that are read and written in a stream, piece by piece: Parquet and JSON Lines.

`inputs.py` finds the files. `scoring_tasks.py` and `summary_pieces.py` are the work on one file. `destinations.py` says
where scored rows go, and whether they stand there already, as `sidecar.py` knows of JSON lines. `parquet_output.py`
and `replacement.py` write.
"""
