"""One file to share: ranks, pictures, rows and how they were made.

Imports annotation, audit, explain and plot.
"""
