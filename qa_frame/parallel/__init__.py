"""How independent parts of work are done at once: in worker processes or threads, and under a progress bar.

`jobs.py` is what other rooms use; `memory_files.py` is how parts and results get to worker processes and back.
"""
