"""The rewards of Search-R1."""

from __future__ import annotations

from qa_frame.rules.families import squad
from qa_frame.rules.parts import Convention

SEARCH_R1 = Convention(
    name="search_r1",
    follows="Search-R1 verl/utils/reward_score/qa_em.py",
    differs="only EM and contains, with the same rules",
    source="PeterGriffinJin/Search-R1 verl/utils/reward_score/qa_em.py, 2025-02-28",
    metrics=("em", "contains"),
    exact=squad.SQUAD.exact,
    contains=squad.SQUAD.contains,
)
