"""The conventions, one module per family: what a user looks for in one place.

`qa_frame.rules.listing` finds every module by itself, and lists every `Convention` that a module has by name. So a new
family is a new file, and nothing else. The docstring of a module names its sources, and its first words are the title
of the family in the documentation. A module that needs a rule of another family imports that module, and not its
conventions, which would else be listed twice.
"""
