"""`qa_frame.extract_answers`: a column of responses → a column of their answers."""

from __future__ import annotations

from qa_frame._typing import Column
from qa_frame.api.methods import says_what_fits
from qa_frame.errors import UnknownOptionError
from qa_frame.frames.conversions import as_arrow_column, as_given, read_text_series
from qa_frame.frames.text_columns import read_choices
from qa_frame.text.extraction import Extract, extract_texts, make_steps, require_choice_step


@says_what_fits
def extract_answers(column: Column, extract: Extract, *, choices: Column | None = None) -> Column:
    r"""Take from each response the part that is its answer: what `score(extract=...)` scores.

    Parameters
    ----------
    column
        A pandas or polars Series, or a `pyarrow.Array` or `ChunkedArray`, of text.
    extract
        A name of the table, a pattern from `re.compile`, or a list of these. The steps of a list work one after the
        other, as the filters of lm-evaluation-harness: each is applied to what the one before has found. A step may
        have alternatives, of which the first one that finds an answer counts: names with bars between them, as
        `"boxed|answer_is|all"`, or a list in the list where there is a pattern: `[[re.compile("A: (.*)"), "all"]]`.
        With `all` as the last one, a step that finds no answer gives the whole of the text that it was given.

        ============== ===================================================== =========================================
        name           what is the answer                                    whose rule
        ============== ===================================================== =========================================
        `first_line`   the first line that is not blank                      MindFormers
        `last_line`    the last line that is not blank                       of prompts that ask for such a line
        `after_think`  what follows the last `</think>`, `</thinking>` or    lm-evaluation-harness (`think_end_token`)
                       `</reasoning>`, with or without the tag that begins
                       the thought, or all of a response without tags;
                       where a thought begins after that, it never ended:
                       none
        `answer_tag`   what stands in the last `<answer>...</answer>`;       Search-R1 (`extract_solution`)
                       a tag that is not closed is passed over
        `boxed`        what stands in the last `\boxed{...}`, or without     MATH, Hendrycks et al. 2021
                       any `\boxed` in the last `\fbox{...}`; every `{`      (`last_boxed_only_string`)
                       and `}` counts; if that one is not closed: none
        `answer_is`    the rest of the sentence after the last phrase that   chain of thought, Kojima et al. 2022
                       announces an answer; see Notes; empty: none           (`answer_cleansing`)
        `choice`       the letter from A to J that a response to a           our own; see Notes
                       multiple-choice question chooses, in upper case; if
                       it chooses none, or several: none
        `simple_evals` the letter from A to D behind "Answer:", or the       OpenAI's simple-evals, its multilingual
                       word for it in 16 other languages; else none          list (`MULTILINGUAL_ANSWER_REGEXES`)
        `hashes`       the rest of the line after the last `####`; empty:    GSM8K
                       none
        `untex`        what LaTeX says, as text: `7\text{ km}` is "7 km";    of answers from `boxed`
                       see Notes
        `all`          all of the text                                       the last alternative of a step
        ============== ===================================================== =========================================

        The answer of a pattern is its first match, as in lm-evaluation-harness (`RegexFilter`): the first of its groups
        that holds text, or all of the match if the pattern has no groups. No match: none. For the last match, begin the
        pattern with `(?s:.*)` and put what you want into a group: `re.compile(r"(?s:.*)Answer: (.*)")`.

    choices
        For `choice`: the options' texts of each response, a column of lists of text of any of these kinds, by position.
        The first text of a list is option A. A null stands for options that are not known.

    Returns
    -------
    column
        The same kind of column, of text. Null where the response is null or holds no answer. What each step finds is
        without white space at both ends; a pair of tags or braces with nothing between has the empty text as answer. A
        line ends at a line feed. A pandas Series keeps its index and name.

    Raises
    ------
    UnknownOptionError
        Where `extract` is neither a name of the table nor a pattern nor a list of these, or `choices` is given for
        other steps than `choice`, or has another length.
    ColumnTypeError, InvalidTextError
        Where the column holds something else than text.

    Notes
    -----
    Phrases that announce an answer are "the answer is" (also "my", "final" or "correct" in place of "the") and
    "Answer:", in capital letters and in bold, too. "Answer is" alone is none, as in "which answer is right". A colon
    and line feeds may follow. If the answer begins in bold, it is what is bold. Else it ends with the line, or the
    sentence: at a full stop before a word that is not in lower case, unless the stop is that of an initial or an
    abbreviation ("J. K. Rowling", "Dr. Seuss", "St. Louis", "U.S. Army", "No. 5"). After these, "!" and "?" it ends
    only before a word that often begins a sentence, such as "It" ("the U.S. It is large"). A full stop at its end goes,
    unless there are others in the word ("U.S.").

    `choice` takes the last phrase that says without doubt which letter the answer is: "The answer is (C).", "Answer:
    C", `\boxed{C}`, "I pick C", "C is the correct answer", "The answer isn't A but C", and the word for an answer with
    the letter behind it in some thirty other languages. In doubt is what follows "if", "might" or "I thought", and what
    is asked. Where no phrase says it, the letter counts that the response is or begins with ("C", "C) Paris"); then the
    last one that is called correct, that the last line begins with, that a line ends with ("so it must be C."), that is
    said with doubt; and then the only one that stands in brackets or after "option". It passes over letters that are
    called wrong, the article "A", the pronoun "I", and letters in formulas and names ("E = 5", "B-cells", "J. K.
    Rowling"). A letter in lower case counts in brackets, and before a stop or the end. Full-width and circled letters
    count, and so do the letters by which options are named in Arabic, Bengali, Hebrew, Hindi and Thai, for A to D.
    Cyrillic and Greek letters do not, as they look like other Latin ones. Without `choices`, "The answer is Paris" has
    no letter. With them, it has that of the option whose text is what the response states, or else of the only option
    whose text it has, if it denies nothing. Where thoughts come first, give `["after_think|all", "choice"]`.

    `untex` takes away the commands of styles (`\text`, `\mathrm`, `\mathbf`) with their braces, `$` in pairs, and what
    only sets formulas (`\left`, `\!`). Spaces (`\,`, `\quad`) become a space, between thousands none. `\frac{1}{2}` and
    `\dfrac{1}{2}` become "1/2", with brackets around more than a number or a word; `\%` becomes "%", and `^\circ` "°".
    Other commands stay as they are, and so does a text whose braces do not match.

    The names differ from their sources in this. lm-evaluation-harness does not ask whether a `<think>` follows.
    Search-R1 wants two pairs of tags, as the first is that of its prompt; as there, a pair begins with the first
    `<answer>` after the pair before. Hendrycks wants the brace right after `\boxed`; here white space may stand
    between. Kojima and GSM8K go on to take a number or an option out of what was found; a pattern as the next step of a
    list does that.

    Names take linear time, whatever the text. A pattern takes the time that Python's `re` needs for it.

    Examples
    --------
    >>> import re, pandas as pd, qa_frame
    >>> responses = pd.Series(["<think>2 + 2?</think>\nSo \\boxed{\\frac{8}{2}}.", "<think>2 + 2 is", "4"])
    >>> qa_frame.extract_answers(responses, "after_think").tolist()
    ['So \\boxed{\\frac{8}{2}}.', <NA>, '4']
    >>> qa_frame.extract_answers(responses, ["after_think", "boxed", "untex"]).tolist()
    ['8/2', <NA>, <NA>]
    >>> qa_frame.extract_answers(responses, ["after_think", "boxed|all", "untex"]).tolist()
    ['8/2', <NA>, '4']
    >>> qa_frame.extract_answers(responses, re.compile(r"\d")).tolist()
    ['2', '2', '4']
    >>> chosen = pd.Series(["I pick C because A is wrong", "B) Paris", "A careful look", "Answer: A and D"])
    >>> qa_frame.extract_answers(chosen, "choice").tolist()
    ['C', 'B', <NA>, <NA>]
    >>> options = pd.Series([["Rome", "Paris", "Berlin"]])
    >>> qa_frame.extract_answers(pd.Series(["The answer is Paris."]), "choice", choices=options).tolist()
    ['B']
    """
    steps = make_steps(extract)
    require_choice_step(None if choices is None else "...", steps)
    if not steps:
        raise UnknownOptionError("extract=None takes no part of a response; give a name, a pattern or a list of these")
    texts = read_text_series(column, "extract_answers")
    options = None if choices is None else read_choices(as_arrow_column(choices, "extract_answers"), "choices")
    if options is not None and len(options) != len(texts):
        raise UnknownOptionError(f"choices has {len(options):,} values, and column {len(texts):,}; give one for each")
    answers: Column = as_given(column, extract_texts(texts, steps, options))
    return answers
