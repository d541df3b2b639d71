"""Words of languages that a convention may leave out: articles and stop words."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


ARTICLES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "de": _words("ein eine einen einem eines einer der die das den dem des"),
        "en": _words("a an the"),
        "es": _words("un una unos unas el la los las"),
        "fr": _words("un une des le la les l du au aux"),
        "it": _words("un uno una il lo la i gli le l"),
        "nl": _words("de het een"),
        "pt": _words("um uma uns umas o a os as"),
    }
)
"""The articles of a language, by its ISO 639-1 code, lower-case. `de`, `en` and `es` are those of the MLQA script."""

STOP_WORDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "en": _words(
            """
            i me my myself we our ours ourselves you you're you've you'll you'd your yours yourself yourselves he
            him his himself she she's her hers herself it it's its itself they them their theirs themselves what
            which who whom this that that'll these those am is are was were be been being have has had having do
            does did doing a an the and but if or because as until while of at by for with about against between
            into through during before after above below to from up down in out on off over under again further then
            once here there when where why how all any both each few more most other some such no nor not only own
            same so than too very s t can will just don don't should should've now d ll m o re ve y ain aren aren't
            couldn couldn't didn didn't doesn doesn't hadn hadn't hasn hasn't haven haven't isn isn't ma mightn
            mightn't mustn mustn't needn needn't shan shan't shouldn shouldn't wasn wasn't weren weren't won won't
            wouldn wouldn't
            """
        ),
    }
)
"""The stop words of a language, by its ISO 639-1 code, lower-case. `en` are NLTK's."""
