"""One function a call. Each takes any frame and gives back the same kind of frame.

A function here checks its arguments, hands them on, and computes nothing itself. `df.qa` is made of these functions.
"""
