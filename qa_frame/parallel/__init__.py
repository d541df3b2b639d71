"""How independent parts of work are done at once: in worker processes or threads, and under a progress bar.

`jobs.py` is what other rooms use. `workers.py` starts, feeds and ends worker processes, `serving.py` is what one does,
`memory_files.py` how parts and results get there and back, and `parts.py` what these are.
"""
