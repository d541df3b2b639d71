"""How independent tasks are done at once: in worker processes or threads, and under a progress bar.

Other rooms use `jobs.py`. `pool.py` hands the tasks of one call to worker processes and takes the results,
`workers.py` starts, keeps and ends these processes, and `worker_main.py` has the loop of one of them, and the outcomes
of tasks.

loky, of joblib, was tried in the place of these processes. It took 62 lines less, needed three private names of loky to
end without a trace after Ctrl-C, and failed where the system gives no more processes, while ours go on with fewer.
"""
