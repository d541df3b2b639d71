"""The words by which responses in sixteen languages name answers and questions, one line per language.

They are English, Russian and those of MMMLU, the translations of MMLU.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from qa_frame.text.raw_texts import end_of_thought


class Language(NamedTuple):
    """Words of one language in lower case, with bars between them. They may be patterns.

    Attributes
    ----------
    name
        The language, or several that share these words.
    answer
        What announces an answer, as in "Answer: C".
    question
        What heads a question.
    together
        What stands between letters that are named together: "A and C".
    verb
        What stands between the word for an answer and the answer, where words have spaces between them.
    """

    name: str
    answer: str = ""
    question: str = ""
    together: str = ""
    verb: str = ""


_ENGLISH_VERBS = "is|are|be|was|remains|seems to be|appears to be|seems|appears"

LANGUAGES = (
    Language("English", r"answer|ans\.?(?=[\s:])", "question|problem", "and|n?or|through", _ENGLISH_VERBS),
    Language("German", "antwort|lösung", "frage", "und|oder", "ist|lautet|wäre"),
    Language("French", "réponse", "question", "et|ou", "est"),
    Language("Spanish", "respuesta", "pregunta", "y|o|u", "es|sería"),
    Language("Italian", "risposta", "domanda", "e", "è"),
    Language("Portuguese", "resposta", "pergunta|questão", "ou", "é|seria"),
    Language("Russian", "ответ", "вопрос", "и|или", "это|является"),
    Language("Indonesian", "jawaban", "pertanyaan|soal", "dan|atau", "adalah|ialah"),
    Language("Swahili", "jibu", "swali", "na|au", "ni"),
    Language("Yoruba", "ìdáhùn|idahun", "ìbéèrè", "àti", "ni|hi"),
    Language("Chinese", "正确选项|正確選項|答案|答复|答覆|答曰|答", "问题|問題|题目|題目|问|問"),
    Language("Japanese", "答え|回答|解答|正解", "質問"),
    Language("Korean", "정답|답변|답", "질문|문제"),
    Language("Arabic", "الإجابة|الاجابة|إجابة|الجواب|جواب", "السؤال|سؤال", "و|أو", "هي|هو"),
    Language("Hindi", "उत्तर|जवाब", "प्रश्न|सवाल", "और|या"),
    Language("Bengali", "উত্তর", "প্রশ্ন", "এবং|ও|বা"),
)


def any_word(kind: str) -> str:
    """Return a pattern that matches any word of this kind in all languages.

    kind: a field of `Language`. Of two words that begin alike, the longer one comes first.
    """
    words = {word for language in LANGUAGES for word in getattr(language, kind).split("|") if word}
    return "|".join(sorted(words, key=lambda word: (-len(word), word)))


# --- where the next question begins, as base models run on into one

_QUESTIONS = any_word("question")
"""The word for a question, which heads one."""
_HEADING = re.compile(
    r"(?<=[^\s:：])(?<![:：]\*\*)\s*\n(?:\#{1,6}[^\S\n])?[*_]{0,3}(?:Q\d{0,5}[*_]{0,3}(?:[:：]|[.)](?=\s))"
    rf"|(?i:{_QUESTIONS}|{unicodedata.normalize('NFD', _QUESTIONS)})(?:[^\S\n]?\#?\d{{1,5}})?[*_]{{0,3}}[^\S\n]?"
    r"(?:[:：]|[.)](?=\s)|(?=\n|\Z)))"
)
"""A heading may have hashes or marks of bold, and a number: "Question:", "**Question 2**", "### Q2.".

One that a colon announces, or that nothing stands before, begins the question that the text answers.
"""


def before_next_question(text: str) -> str:
    """Return the text up to the heading of the next question, or all of it. Headings in thoughts do not count."""
    end = end_of_thought(text)
    heading = _HEADING.search(text[end:])
    return text[: end + heading.start()] if heading else text
