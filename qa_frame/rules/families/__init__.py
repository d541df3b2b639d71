"""The conventions, one module per family: those of one source, or of sources that share their rules.

`qa_frame.rules.listing` finds every module by itself, and lists every `Convention` that a module has by name. So a new
family is a new file, and nothing else. A module that needs a rule of another family imports that module, and not its
conventions, which would else be listed twice.
"""
