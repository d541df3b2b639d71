"""The extensions: one folder per feature, with its function, its statistics, its picture and its command.

Each folder can be deleted. `qa_frame/extensions.py` says which are there; the core imports none of them. An extension
imports the core, and of other extensions only those that the docstring of its `__init__.py` names.
"""
