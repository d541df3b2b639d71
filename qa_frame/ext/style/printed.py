"""Result tables in pandas that hold long texts, and print them whole."""

from __future__ import annotations

from typing import Any

import pandas as pd

from qa_frame.ext.style.style import style
from qa_frame.tables.result_kinds import result_kinds

_NO_ROWS = "This table lists no finding of the data checks of audit."
"""Rows may also have been taken out of it."""


def printed_whole(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table of `audit` so that it prints as `style` shows it, as pandas would cut each remedy or call."""
    return _TableOfLongTexts(table)


class _TableOfLongTexts(pd.DataFrame):
    """The table of `audit` in pandas.

    What pandas makes of it is of this class, too, and prints as any frame once it lacks a column of an audit.
    """

    @property
    def _constructor(self) -> type[_TableOfLongTexts]:
        return _TableOfLongTexts

    def __repr__(self) -> str:
        if not self._is_whole():
            return super().__repr__()
        return repr(style(self.reset_index(drop=True))) if len(self) else _NO_ROWS

    def _repr_html_(self) -> Any:
        if not self._is_whole():
            return super()._repr_html_()  # type: ignore[misc]
        return style(self.reset_index(drop=True))._repr_html_() if len(self) else f"<p>{_NO_ROWS}</p>"

    def _is_whole(self) -> bool:
        return any(kind.columns <= {*self.columns} for kind in result_kinds().values() if kind.long_texts)
