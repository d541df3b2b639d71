"""Words of each language that a convention may leave out: articles and stop words.

Both tables are read-only mappings from a language's ISO 639-1 code to its words, in lower case.

Examples
--------
>>> import qa_frame
>>> qa_frame.rules.ARTICLES["en"]
('a', 'an', 'the')
>>> "not" in qa_frame.rules.STOP_WORDS["en"]
True
>>> qa_frame.rules.Text(("lower", qa_frame.rules.Blank(qa_frame.rules.ARTICLES["fr"])))  # a rule for French
Text(steps=('lower', Blank(words=('un', 'une', 'des', 'le', 'la', 'les', 'l', 'du', 'au', 'aux'))), split='words')
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType


def _words_by_language(**words: str) -> Mapping[str, tuple[str, ...]]:
    return MappingProxyType({language: tuple(text.split()) for language, text in words.items()})


ARTICLES = _words_by_language(
    ar="ال",
    de="ein eine einen einem eines einer der die das den dem des",
    en="a an the",
    es="un una unos unas el la los las",
    fr="un une des le la les l du au aux",
    hi="",
    it="un uno una il lo la i gli le l",
    nl="de het een",
    pt="um uma uns umas o a os as",
    vi="của là cái chiếc những",
    zh="",
)
"""The articles of each language. Those of `ar`, `de`, `en`, `es`, `hi`, `vi` and `zh` come from the MLQA script.

Hindi and Chinese have none. What the script has for Vietnamese are classifiers and other function words. The Arabic
article is not a word of its own, but the beginning of one, so `Blank` does not find it. The script replaces it wherever
it stands, as `Replace("ال", " ")` does.
"""

STOP_WORDS = _words_by_language(
    en="""
        i me my myself we our ours ourselves you you're you've you'll you'd your yours yourself yourselves he him his
        himself she she's her hers herself it it's its itself they them their theirs themselves what which who whom this
        that that'll these those am is are was were be been being have has had having do does did doing a an the and but
        if or because as until while of at by for with about against between into through during before after above
        below to from up down in out on off over under again further then once here there when where why how all any
        both each few more most other some such no nor not only own same so than too very s t can will just don don't
        should should've now d ll m o re ve y ain aren aren't couldn couldn't didn didn't doesn doesn't hadn hadn't hasn
        hasn't haven haven't isn isn't ma mightn mightn't mustn mustn't needn needn't shan shan't shouldn shouldn't wasn
        wasn't weren weren't won won't wouldn wouldn't
    """,
)
"""The stop words of each language. Those of `en` are the 179 words of NLTK's list."""
