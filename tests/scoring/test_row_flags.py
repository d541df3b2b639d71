"""Warnings that say, once in a call, what makes scores doubtful."""

from __future__ import annotations

import re
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import qa_frame
from qa_frame.errors import ExtractionWarning, GoldFormatWarning, ScoringWarning
from qa_frame.scoring import batches
from qa_frame.scoring.row_flag_warnings import GROUP_CHECKS, describe_groups
from tests.scored_first import scored_first

SOURCE = {"pred": "response", "gold": "answers"}


def warned(function, *arguments, **settings):
    """The warnings of a call: category and message of each. A frame is scored first, whose warnings are the others."""
    frame = getattr(getattr(function, "__self__", None), "_frame", None)
    with warnings.catch_warnings(record=True) as of_scoring:
        warnings.simplefilter("always")
        if function.__name__ in {"summary", "agreement", "compare"} and settings.keys() & SOURCE.keys():
            first, *arguments = (frame, *arguments) if frame is not None else arguments
            first, settings = scored_first(first, settings)
            function, arguments = getattr(qa_frame, function.__name__), (first, *arguments)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        function(*arguments, **settings)
    return [(each.category, str(each.message)) for each in caught or of_scoring]


def only(found, category, *parts):
    """Check that there is one warning, of this class, with all these parts; return its message."""
    assert [kind for kind, _ in found] == [category], found
    assert all(part in found[0][1] for part in parts), found
    assert "\n" not in found[0][1]
    return found[0][1]


def frame_of(n=40, response="Paris", answers="Paris"):
    return pd.DataFrame({"response": [response] * n, "answers": [answers] * n})


KINDS = {
    "pandas": lambda frame: frame,
    "arrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
    "polars": pl.from_pandas,
}


@pytest.fixture
def chatty():
    """Two models that answer with a phrase, and three that answer with a word, one of them in nine tenths of rows."""
    rows = [
        {"model": model, "question": question, "answers": ["Paris"], "verdict": question % 2, "response": text}
        for model, texts in {
            "a": ["The answer is Paris."],
            "b": ["Paris"],
            "c": ["Paris"] + ["Answer: Paris"] * 9,
        }.items()
        for question in range(40)
        for text in [texts[question % len(texts)]]
    ]
    return pd.DataFrame(rows)


# --------------------------------------------------------------------------------------------------- joined golds


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("sep", "n"), [("|", 21), (";", 21), (" / ", 21), (";", 40)])
@pytest.mark.parametrize("is_list", [False, True])
def test_joined_golds_are_told_with_a_remedy_that_works(kind, sep, n, is_list):
    texts = [f"Paris{sep}City of Paris"] * n + ["Paris"] * (40 - n)
    frame = frame_of().assign(answers=[[text] for text in texts] if is_list else texts)
    found = warned(qa_frame.score, KINDS[kind](frame), **SOURCE, metrics="em")
    message = only(found, GoldFormatWarning, f"{n} of 40", repr(sep))
    (made,) = re.findall(r"cut the column first: (.*); see \"Joined golds\" on the page .*$", message)
    in_polars = eval(made, {"qa_frame": qa_frame, "df": pl.from_pandas(frame)})
    assert in_polars.to_list()[0] == ["Paris", "City of Paris"]
    better = frame.assign(answers=eval(made, {"qa_frame": qa_frame, "df": frame}))
    assert warned(qa_frame.score, better, **SOURCE, metrics="em") == []
    assert qa_frame.score(better, **SOURCE, metrics="em")["em"].mean() == 1.0


@pytest.mark.parametrize(
    "answers",
    [
        ["Paris;Lyon"] * 20 + ["Paris"] * 20,  # no more than half
        [["Paris;Lyon", "Paris"]] * 40,  # several golds
        ["Paris;"] * 40,
        ["Paris/Lyon"] * 40,
    ],
)
def test_golds_that_are_not_joined(answers):
    assert warned(qa_frame.score, frame_of().assign(answers=answers), **SOURCE) == []


def test_golds_that_are_joined_are_told_wherever_they_stand():
    joined = ["a1;b1"] * 6001 + ["Paris"] * 6000
    for texts in (joined, joined[::-1], np.random.default_rng(0).permutation(joined)):
        found = warned(qa_frame.score, frame_of(12001).assign(answers=texts), **SOURCE, metrics="em")
        only(found, GoldFormatWarning, "6,001 of 12,001 (50 %)")


# -------------------------------------------------------------------------------------- golds that become nothing


HOLD = "contain a gold and at least twice as many other words"
NOTHING_LEFT = "have a gold of which no token is left"


@pytest.mark.parametrize("kind", KINDS)
def test_golds_of_which_nothing_is_left_are_told_for_all_metrics_that_they_spoil(kind):
    frame = KINDS[kind](frame_of().assign(answers=[["A"]] * 2 + [["Rome", "the The"]] + [["Paris"]] * 37))
    for metrics, said in (
        (["em", "contains"], "em and contains have"),
        (["prefix", "f1", "contains"], "prefix, f1 and contains have"),
        (["recall"], "recall has"),
        (None, "em, f1, recall and contains have"),
        (["em", "f1", "recall", "precision", "contains"], "em, f1, recall and 2 more have"),
    ):
        found = warned(qa_frame.score, frame, **SOURCE, metrics=metrics)
        only(found, ScoringWarning, f"8 % of the answers {NOTHING_LEFT}. {said} nothing to compare", '"Empty golds"')
    assert warned(qa_frame.score, frame, **SOURCE, metrics=["bleu", "rouge_l"]) == []
    flags = qa_frame.score(frame, **SOURCE, metrics="em")["qa_flags"]
    assert (flags.to_pylist() if kind == "arrow" else [*flags]) == ["gold_without_tokens"] * 3 + [""] * 37


def test_the_remedy_for_letters_works():
    """Of which the rules of SQuAD leave nothing: a right answer has F1 0, and an empty one EM 1."""
    frame = pd.DataFrame({"response": ["A", "B", "(A)", "a", ""] * 4, "answers": "A"})
    before = frame.qa.score(**SOURCE, metrics=["em", "f1"])
    assert before[["em", "f1"]].to_numpy().tolist() == [[1, 0], [0, 0], [1, 0], [1, 0], [1, 0]] * 4
    found = warned(qa_frame.score, frame, **SOURCE, metrics=["em", "f1"])
    (name,) = re.findall("give convention='(.*?)'", only(found, ScoringWarning, NOTHING_LEFT))
    better = frame.qa.score(**SOURCE, metrics=["em", "f1", "recall", "contains"], convention=name)
    assert (
        better[["em", "f1", "recall", "contains"]].to_numpy().tolist()
        == [[1] * 4, [0] * 4, [1] * 4, [1] * 4, [0] * 4] * 4
    )
    assert warned(qa_frame.score, frame, **SOURCE, metrics=["em", "f1"], convention=name) == []


def test_the_sample_is_told_of_golds_in_longer_answers_alone():
    sample = qa_frame.sample()
    only(warned(qa_frame.score, sample, **SOURCE), ScoringWarning, HOLD)
    assert warned(qa_frame.score, sample, **SOURCE, metrics="recall") == []


@pytest.mark.parametrize(("n", "is_told"), [(100, True), (101, False)])
def test_what_concerns_less_than_a_hundredth_of_the_rows_is_not_told(n, is_told):
    others = [["Paris"]] * (n - 1)
    for golds in ([["A"], *others], ["['a', 'b']", *(text for (text,) in others)]):
        found = warned(qa_frame.score, frame_of(n).assign(answers=golds), **SOURCE, metrics="contains")
        assert len(found) == is_told, golds[0]


@pytest.mark.whole
def test_each_warning_ends_with_a_heading_that_a_page_has():
    root = Path(__file__).parents[2]
    code = "".join(path.read_text("utf-8") for path in (root / "qa_frame").rglob("*.py"))
    named = {*re.findall(r'see="([\w#-]+)"', code), *(check.see for check in GROUP_CHECKS)}
    headings = {}
    for path in (root / "notebooks" / "pages").glob("*.md"):
        found = re.findall("^##+ (.*)$", path.read_text("utf-8"), re.MULTILINE)
        headings[path.stem] = {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in found}
    assert named - headings["warnings"] == {each for each in named if "#" in each}
    assert [heading for heading in headings["warnings"] if f'"{heading}"' not in code] == []
    for page, heading in (each.split("#") for each in named if "#" in each):
        assert heading in headings[page]
    for page in {"warnings", *(each.partition("#")[0] for each in named if "#" in each)}:
        title = (root / "notebooks" / "pages" / f"{page}.md").read_text("utf-8").partition("\n")[0]
        assert title.startswith(f"# {page.replace('_', ' ').capitalize()}")


def test_golds_that_mean_no_answer_are_not_told():
    frame = frame_of(answers=[""]).assign(response=["", "Rome"] * 20)
    only(warned(qa_frame.score, frame, **SOURCE, metrics=["em", "f1"]), ScoringWarning, NOTHING_LEFT)
    assert warned(qa_frame.score, frame, **SOURCE, metrics=["em", "f1"], convention="squad2") == []
    assert warned(qa_frame.score, frame.assign(response=None)[:9], **SOURCE) == []
    assert warned(qa_frame.score, frame.assign(answers="A"), **SOURCE, convention="triviaqa_lm_eval") == []


# ------------------------------------------------------------------------------------------ letters of options

CHOICES = {"extract": "choice", "choices": "options"}


def choices_of(golds, n=20):
    frame = pd.DataFrame({"response": ["B", "The answer is C", "A"] * n, "answers": golds * n})
    return frame.assign(options=[["Paris", "Rome", "Oslo"]] * 3 * n)


@pytest.mark.needs("audit")
@pytest.mark.parametrize("kind", ["pandas", "polars"])
@pytest.mark.parametrize("golds", [["Rome", "Oslo", "Paris"], [["1"], ["2"], ["0"]]])
def test_golds_that_are_no_letters_are_told(kind, golds):
    frame = KINDS[kind](choices_of(golds))
    found = warned(qa_frame.score, frame, **SOURCE, **CHOICES, metrics="em")
    only(found, GoldFormatWarning, "gold='answers' has a letter in 0 of 60 rows", '"Golds without letters"')
    assert warned(qa_frame.summary, frame, **SOURCE, **CHOICES, metrics="em") == found
    assert "choice_letters" in list(qa_frame.audit(frame, **SOURCE, **CHOICES)["finding"])  # whose remedy works


@pytest.mark.parametrize("extract", ["choice|all", "choice|answer_is", [["choice", re.compile("Rome")]]])
def test_steps_that_may_give_texts_are_not_told(extract):
    frame = pd.DataFrame({"response": ["Rome", "The answer is Oslo", "(B)"], "answers": ["Rome", "Oslo", "Bern"]})
    found = warned(qa_frame.score, frame, **SOURCE, extract=extract, metrics="em")
    assert GoldFormatWarning not in {kind for kind, _ in found}


def test_lists_of_spans_are_not_told_of_letters():
    frame = pd.DataFrame({"response": ["(B)"] * 3, "answers": [[["a"]], [["d"]], [["B"]]]})
    assert warned(qa_frame.score, frame, **SOURCE, convention="drop", extract="choice") == []


@pytest.mark.parametrize("extract", [["after_think", "choice"], "choice"])
def test_every_step_that_gives_letters_is_told(extract):
    frame = choices_of(["Rome", "Oslo", "Paris"])
    only(warned(qa_frame.score, frame, **SOURCE, extract=extract, metrics="em"), GoldFormatWarning)


@pytest.mark.parametrize(
    "golds", [["B", "C", "A"], ["(B)", "c.", " A "], [["Rome", "B"], ["Oslo", "C"], ["Paris", "A"]], [None, None, None]]
)
def test_golds_among_which_is_a_letter_say_nothing(golds):
    frame = choices_of(golds, 3)  # so few that no golds at all say nothing either
    rules = {"metrics": "em", "convention": "hf_exact_match"}
    assert warned(qa_frame.score, frame, **SOURCE, **CHOICES, **rules) == []
    others = choices_of(["Rome", "Oslo", "Paris"])
    for steps in (None, "answer_is|all", ["choice", "untex"]):
        assert warned(qa_frame.score, others, **SOURCE, extract=steps, metrics="em") == []


@pytest.mark.needs("files")
def test_files_and_pools_tell_of_golds_that_are_no_letters(tmp_path):
    for part, golds in enumerate((["Rome", "Oslo", "Paris"], ["1", "2", "0"])):
        choices_of(golds).to_parquet(tmp_path / f"{part}.parquet")
    found = warned(qa_frame.summary_files, tmp_path, **SOURCE, **CHOICES, metrics="em")
    only(found, GoldFormatWarning, "in 0 of 120 rows")
    choices_of(["B", "C", "A"]).to_parquet(tmp_path / "letters.parquet")
    rules = {"metrics": "em", "convention": "hf_exact_match"}
    found = warned(qa_frame.summary_files, tmp_path, **SOURCE, **CHOICES, **rules)
    only(found, GoldFormatWarning, "none of the options in 120 of 180 (67 %) rows")


def test_a_letter_that_no_sample_has_is_found():
    frame = choices_of(["Rome", "Oslo", "Paris"], 1000)
    frame.loc[1, "answers"] = "C"
    assert warned(qa_frame.score, frame, **SOURCE, extract="choice", metrics="em") == []
    found = warned(qa_frame.score, frame, **SOURCE, **CHOICES, metrics="em")
    only(found, GoldFormatWarning, "none of the options in 2,999 of 3,000 (100 %) rows")


# ------------------------------------------------------------------------------------------- nothing to be scored


@pytest.mark.parametrize("kind", KINDS)
def test_predictions_that_are_all_null(kind):
    frame = frame_of(50).assign(response=pd.Series([None] * 50, dtype="str"))
    found = warned(qa_frame.score, KINDS[kind](frame), **SOURCE)
    only(
        found,
        ScoringWarning,
        "100 % of the answers are missing predictions; is pred= the right column?",
        '"Null predictions"',
    )
    assert warned(qa_frame.score, frame, **SOURCE, missing="null") == found
    assert warned(qa_frame.summary, KINDS[kind](frame), **SOURCE, metrics="em") == found
    some = frame.assign(response=[None] * 49 + ["Paris"])
    assert warned(qa_frame.score, some, **SOURCE) == []


@pytest.mark.parametrize("gold", [None, [], [None]])
def test_golds_that_are_all_null(gold):
    frame = frame_of(50).assign(answers=[gold] * 50, model=["a", "b"] * 25)
    found = warned(qa_frame.score, frame, **SOURCE)
    only(found, ScoringWarning, "100 % of the answers have no gold, and so no score; is gold= the right column?")
    assert warned(qa_frame.summary, frame, **SOURCE, metrics="em") == found
    some = frame.assign(answers=[gold, "Paris"] * 25 if gold is None else [gold, ["Paris"]] * 25)
    assert warned(qa_frame.score, some, **SOURCE) == []
    found = warned(qa_frame.summary, some, "model", **SOURCE, metrics="em")
    only(found, ScoringWarning, "100 % of a's answers have no gold, and so no score (b: 0 %)")
    assert warned(qa_frame.score, frame[:9], **SOURCE) == []
    for function in (qa_frame.score, qa_frame.summary):  # where a list without golds says "no answer"
        assert len(warned(function, frame, **SOURCE, convention="squad2", metrics="em")) == (gold is None)


# ------------------------------------------------------------------------------------------------------ extraction


@pytest.mark.parametrize("kind", KINDS)
def test_responses_without_answer_are_told(chatty, kind):
    frame = KINDS[kind](chatty)
    found = warned(qa_frame.score, frame, **SOURCE, metrics="em", extract=["after_think", "answer_is"])
    only(
        found,
        ExtractionWarning,
        "37 % of the answers are missing predictions, as extract= finds no answer",
        '"No answers"',
    )
    found = warned(qa_frame.score, frame, **SOURCE, metrics="em", extract=re.compile(r"(?:is|:) (\w+)"))
    only(found, ExtractionWarning, "37 % of the answers")
    assert warned(qa_frame.score, frame, **SOURCE, metrics="em", extract=["after_think|all", "answer_is|all"]) == []


def test_a_tenth_is_not_more_than_a_tenth():
    frame = frame_of().assign(response=["Paris"] * 4 + ["Answer: Paris"] * 36)
    assert warned(qa_frame.score, frame, **SOURCE, extract="answer_is") == []
    frame.loc[10, "response"] = "Paris"
    only(warned(qa_frame.score, frame, **SOURCE, extract="answer_is"), ExtractionWarning, "12 % of the answers")


def test_groups_without_answers_are_named(chatty):
    settings = {"metrics": "em", "extract": "answer_is"}
    named = ("100 % of b's answers are missing", "(a: 0 %)", '"No answers"')
    only(warned(qa_frame.summary, chatty, "model", **SOURCE, **settings), ExtractionWarning, *named)
    only(warned(qa_frame.compare, chatty, "model", "question", **SOURCE, **settings), ExtractionWarning, *named)
    with pytest.warns(ExtractionWarning, match="37 % of the answers"):
        scored = chatty.qa.score(**SOURCE, **settings)
    only(warned(scored.qa.summary, "model"), ExtractionWarning, *named)
    only(warned(scored.qa.compare, "model", "question"), ExtractionWarning, *named)
    only(warned(scored.qa.summary), ExtractionWarning, "37 % of the answers are")
    pool = qa_frame.Pool("model")
    for part in (scored[:50], scored[50:]):
        assert warned(pool.update, part) == []
    only(warned(pool.summary), ExtractionWarning, *named)
    with_fallback = chatty.qa.score(**SOURCE, metrics="em", extract="answer_is|all")
    assert warned(with_fallback.qa.compare, "model", "question") == []


@pytest.mark.needs("annotation")
def test_agreement_says_it_too(chatty):
    settings = {"human": "verdict", "metrics": "f1", "extract": "answer_is"}
    only(warned(chatty.qa.agreement, **SOURCE, **settings), ExtractionWarning, "37 % of the answers are")


# ------------------------------------------------------------------------------------- jobs, files, engines, once


def doubtful(n):
    """Rows with joined golds, and a quarter with a gold of which nothing is left."""
    return pd.DataFrame(
        {
            "model": ["a", "b"] * (n // 2),
            "response": ["Paris", "x y"] * (n // 2),
            "answers": [["Paris;Rome"], ["Rome;Paris"], ["Oslo;Paris"], ["A"]] * (n // 4),
        }
    )


SETTINGS = {**SOURCE, "metrics": ["em", "contains"], "extract": "boxed|all"}


def test_jobs_tell_it_once_and_the_same(monkeypatch):
    pytest.importorskip("joblib")
    monkeypatch.setattr(batches, "_ROWS_AT_ONCE", 500)
    frame = doubtful(4000)
    alone = warned(qa_frame.score, frame, **SETTINGS)
    assert {kind for kind, _ in alone} == {GoldFormatWarning, ScoringWarning}
    assert "25 % of the answers have a gold" in alone[1][1]
    assert warned(qa_frame.score, frame, **SETTINGS, n_jobs=2) == alone


@pytest.mark.needs("files")
@pytest.mark.parametrize("ending", ["parquet", "jsonl"])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_files_tell_it_once(tmp_path, ending, n_jobs):
    pytest.importorskip("joblib")
    for name in "ab":
        path = tmp_path / "runs" / f"{name}.{ending}"
        path.parent.mkdir(exist_ok=True)
        frame = doubtful(400)
        frame.to_parquet(path) if ending == "parquet" else frame.to_json(path, orient="records", lines=True)
    settings = {**SETTINGS, "extract": "boxed|hashes", "n_jobs": n_jobs}
    score = (qa_frame.score_files, tmp_path / "runs", tmp_path / "scored")
    found = dict(warned(*score, **{**settings, "extract": None}))
    assert set(found) == {GoldFormatWarning, ScoringWarning}
    assert "600 of 800" in found[GoldFormatWarning]
    assert "25 % of the answers have a gold" in found[ScoringWarning]
    assert warned(*score, **{**settings, "extract": None}) == []  # nothing is scored
    found = warned(qa_frame.score_files, tmp_path / "runs", tmp_path / "others", **settings)
    assert [kind for kind, _ in found] == [GoldFormatWarning, ExtractionWarning]
    assert "100 % of the answers are" in found[1][1]
    found = warned(qa_frame.summary_files, tmp_path / "runs", "model", **settings)
    assert [kind for kind, _ in found] == [GoldFormatWarning, ExtractionWarning]
    assert found[1][1].startswith("100 % of the answers are")


def test_an_error_tells_nothing_else():
    with pytest.raises(qa_frame.errors.MissingPredictionError):  # and no warning, which would be raised here
        frame_of(answers="A").assign(response=None).qa.score(**SOURCE, missing="raise")


# --------------------------------------------------------------------------------------------------- unseen scripts


PSEUDO_UNITS = ["Привет, мир", "今天天气", "สวัสดี", "नमस्ते", "مرحبا", "שלום", "안녕", "٤٢"]


def unseen_frame():
    texts = [*PSEUDO_UNITS, "cat", "The", "…", "", "😀"]
    return pd.DataFrame(
        {"response": [*texts, None, "cat"], "answers": [*([text] for text in texts), ["мир"], ["мир", "cat"]]}
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_script_that_a_metric_does_not_see_is_told_with_a_remedy_that_works(kind):
    frame = KINDS[kind](unseen_frame())
    found = warned(qa_frame.score, frame, **SOURCE, metrics=["rouge_1", "rouge_l"])
    message = only(found, ScoringWarning, f"80 % of the answers {NOTHING_LEFT}. rouge_1 and rouge_l have")
    (name,) = re.findall("give convention='(.*?)'", message)
    seen = qa_frame.score(unseen_frame()[: len(PSEUDO_UNITS)], **SOURCE, metrics="rouge_l", convention=name)
    assert (seen["rouge_l"] == 1.0).all()


@pytest.mark.needs("audit")
def test_an_installation_is_named_only_where_the_package_is_missing(monkeypatch):
    def remedies():
        (told,) = warned(qa_frame.score, unseen_frame(), **SOURCE, metrics="rouge_l")
        findings = qa_frame.audit(unseen_frame(), **SOURCE, metrics="rouge_l").set_index("finding")
        return told[1], findings.loc["gold_without_ngrams", "remedy"]

    assert all("'unicode', which sees every script" in text and "install" not in text for text in remedies())
    monkeypatch.setitem(sys.modules, "unicode_segmentation_rs", None)
    assert all("every script (pip install 'qa-frame[unicode]')" in text for text in remedies())


@pytest.mark.needs("files")
def test_each_call_tells_of_unseen_scripts_once(tmp_path, monkeypatch):
    monkeypatch.setattr(batches, "_ROWS_AT_ONCE", 4)
    frame = pd.concat([unseen_frame().assign(model=name, question=range(15)) for name in "ab"], ignore_index=True)
    settings = {**SOURCE, "metrics": ["em", "rouge_l"]}
    calls = {
        "score": lambda: qa_frame.score(frame, **settings),
        "summary": lambda: qa_frame.summary(qa_frame.score(frame, **settings, stats=True), by="model"),
        "compare": lambda: qa_frame.compare(qa_frame.score(frame, **settings), by="model", question="question"),
    }
    for name, call in calls.items():
        told = [text for _, text in warned(call) if "rouge_l has nothing" in text]
        assert len(told) == (1 if name == "score" else 2), name
        assert "80 % of the answers" in told[0], name
    for part in range(2):
        frame[part::2].to_json(tmp_path / f"{part}.jsonl", orient="records", lines=True)
    for function in (qa_frame.summary_files, qa_frame.score_files):
        places = (tmp_path / "out",) if function is qa_frame.score_files else ()
        told = [
            text
            for _, text in warned(function, str(tmp_path / "*.jsonl"), *places, **settings)
            if "rouge_l has nothing" in text
        ]
        assert len(told) == 1
        assert "80 % of the answers" in told[0]


def test_metrics_that_see_the_script_are_not_named():
    frame = pd.DataFrame({"response": ["мир"], "answers": [["мир"]]})
    assert warned(qa_frame.score, frame, **SOURCE, metrics=["em", "f1", "contains", "bleu", "chrf", "anls"]) == []
    assert warned(qa_frame.score, frame, **SOURCE, convention="characters") == []
    of_all_golds = pd.DataFrame({"response": ["东京"], "answers": [["", "北京"]]})
    assert warned(qa_frame.score, of_all_golds, **SOURCE, metrics="bleu", convention="flashrag") == []


# ------------------------------------------------------------------------------------- scripts without spaces

UNCUT = {
    "上海。": "上海",
    "答案是上海": "上海",
    "上海": "上海市",
    "東京です。": "東京",
    "ニューヨーク。": "ニューヨーク",
    "คำตอบคือกรุงเทพ": "กรุงเทพ",
    "ຄຳຕອບແມ່ນວຽງຈັນ": "ວຽງຈັນ",
    "ចម្លើយភ្នំពេញ": "ភ្នំពេញ",
    "အဖြေရန်ကုန်": "ရန်ကုန်",
}
HONEST = {
    "北京": "上海",  # wrong by any rules
    "上海 ": "上海",  # right
    "スーパーマーケット": "マーケット",  # a word inside another one
    "Paris。": "Paris",
    "Zürich…": "Zürich",
    "서울입니다.": "서울",
    "München": "Münchener",
}


def rows_of(texts):
    return pd.DataFrame({"response": [*texts], "answers": [[text] for text in texts.values()]})


@pytest.mark.parametrize("kind", KINDS)
def test_texts_without_spaces_that_score_0_though_alike_are_told_with_a_remedy_that_works(kind):
    frame = KINDS[kind](rows_of(UNCUT | HONEST))
    found = warned(qa_frame.score, frame, **SOURCE, metrics=["em", "f1"])
    message = only(found, ScoringWarning, "56 % of the answers score 0 though", "em and f1 compare whole runs")
    (name,) = re.findall("give convention='(.*?)'", message)
    assert warned(qa_frame.score, frame, **SOURCE, metrics=["em", "f1"], convention=name) == []
    better = rows_of(UNCUT).qa.score(**SOURCE, metrics=["em", "f1"], convention=name)
    assert (better["f1"] > 0).all()
    assert better["em"].sum() == 2


@pytest.mark.thorough
def test_scores_of_0_that_are_meant_are_not_told():
    assert warned(qa_frame.score, rows_of(HONEST), **SOURCE, metrics=["em", "f1"]) == []
    chinese = rows_of({pred: gold for pred, gold in UNCUT.items() if "上海" in gold})
    for name in ("cmrc2018", "mlqa_zh", "longbench_zh", "infinitebench_zh", "unicode", "characters"):
        assert warned(qa_frame.score, chinese, **SOURCE, convention=name) == [], name
    assert warned(qa_frame.score, chinese, **SOURCE, metrics="contains") == []
    assert warned(qa_frame.score, chinese, **SOURCE, metrics="em", convention="hf_exact_match") == []
    either = pd.DataFrame({"response": ["上海。"], "answers": [["上海", "上海。"]]})
    assert warned(qa_frame.score, either, **SOURCE, metrics=["em", "f1"]) == []


def test_radicals_of_chinese_are_told_though_their_first_byte_is_that_of_quotation_marks():
    frame = rows_of({"“\u2f2d”": "\u2f2d", "“Paris” – é": "Paris"})
    only(warned(qa_frame.score, frame, **SOURCE, metrics=["em"]), ScoringWarning, "50 % of the answers score 0")


def test_small_groups_are_neither_told_nor_named():
    n, n_cut = np.array([40, 40, 4]), np.array([20, 0, 4])
    (sentence,) = describe_groups(["a", "b", "tiny"], {"n_rows": n, "n_truncated": n_cut})
    assert sentence.text.startswith("50 % of a's answers were cut off")
    assert sentence.text.endswith(" (b: 0 %)")
    assert not describe_groups(["a"], {"n_rows": np.array([0]), "n_truncated": np.array([0])})
