"""What a comparison decides, in words: better, worse, as good, equivalent or undecided.

The words are made here alone, for tables, reports, pictures and the command line.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

BETTER, WORSE, AS_GOOD, EQUIVALENT, UNDECIDED = "better", "worse", "as good", "equivalent", "undecided"


def verdicts_of(compared: pd.DataFrame, alpha: float) -> list[str]:
    """Return the verdict on `a` of each row of a comparison, at this level.

    A margin says which differences do not matter, so that *equivalent* goes before *better* and *worse*. Then those go
    by `p_adj`; *as good* is not worse by the margin or more.
    """
    diff, p = (compared[name].to_numpy(np.float64) for name in ("diff", "p_adj"))
    said = np.where(p < alpha, np.where(diff > 0, BETTER, WORSE), UNDECIDED)
    if "p_noninferior" in compared:
        not_worse, same = (compared[name].to_numpy(np.float64) for name in ("p_noninferior", "p_equivalent"))
        said = np.where((said == UNDECIDED) & (not_worse < alpha), AS_GOOD, said)
        said = np.where(same < alpha, EQUIVALENT, said)
    found: list[str] = said.tolist()
    return found
