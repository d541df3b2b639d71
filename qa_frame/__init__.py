"""Score question-answering results where they live: whole dataframe columns, every system's own numbers by name.

    import qa_frame                                            # registers df.qa on pandas frames
    scored = df.qa.score(pred="response", gold="answers")
    scored.qa.summary(by="model")

Each `df.qa.x(...)` is `qa_frame.x(df, ...)`, which takes polars frames and Arrow tables, too. How it works is best read
from `qa_frame/scoring/pipeline.py`. The public names stand in `qa_frame/__init__.pyi`.
"""

import sys
from itertools import pairwise
from pathlib import PurePath

import lazy_loader

from qa_frame.extensions import public_names
from qa_frame.version import __version__ as __version__

_homes = public_names(__file__)
__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    {name for name, home in _homes.items() if not home},
    {home: [name for name, other in _homes.items() if other == home] for home in _homes.values() if home},
)


def _is_command() -> bool:
    """Return whether this process is the command `qa-frame`, which answers `--help` without pandas."""
    program = PurePath(sys.argv[0] if sys.argv else "")
    is_script = program.stem == "qa-frame" and program.suffix in {"", ".exe"}
    return is_script or (program.name == "-m" and ("-m", "qa_frame") in pairwise(sys.orig_argv))


if not _is_command():
    from qa_frame import accessor  # noqa: F401  (frames have `qa` once it is imported)
