"""The command line: `qa-frame demo` and `qa-frame --version`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import pandas as pd

import qa_frame


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with these arguments, by default those of the process. Returns the exit status."""
    parser = argparse.ArgumentParser(prog="qa-frame", description="Score question-answering results.")
    parser.add_argument("--version", action="version", version=f"qa-frame {qa_frame.__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("demo", help="score the embedded sample and print its summary by model")
    parser.parse_args(arguments)
    return _demo()


def _demo() -> int:
    """Print the sample's summary below the code that makes it."""
    frame = qa_frame.sample()
    scored = frame.qa.score(pred="response", gold="answers")
    with pd.option_context("display.width", 120, "display.max_columns", 20):
        print(f"df = qa_frame.sample()                                    # {len(frame)} rows")
        print('scored = df.qa.score(pred="response", gold="answers")')
        print('scored.qa.summary(by="model", percent=True).round(1)\n')
        print(scored.qa.summary(by="model", percent=True).round(1))
    return 0
