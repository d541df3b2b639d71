"""What only the conventions of languages look at equals their twins: articles, marks and words of each language."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import qa_frame
from qa_frame import Convention
from qa_frame.rules import ARTICLES, Exact, Replace, Text
from tests.reference.oracles_of_conventions import common_run
from tests.reference.oracles_of_languages import MLQA_ARTICLES, ORACLES_PER_CONVENTION, cmrc_segments
from tests.strategies import Row, frames

ATOL = 1e-9
OWN = {
    "longbench": ("The ", "cat", "It rains", ". ", ".", "..", "3.14", " . ", "\n"),
    "longbench_zh": ("南京市", "长江大桥", "T恤", "t恤", "，", "。", ".", "《", "》", "3.14%", "Ｆ", "A A"),
    "infinitebench_zh": ("曹操", "刘备", "、", "《", "·", "·", "ＡＢ", "ab", "\u3000", "\x1f", "\n", "1992"),
    "mlqa_ar": ("القاهرة", "قاهرة", "ال", "ا", "ل", "سؤال", "كِتاب", "،", "؟", "١٩", " ", "\u0640"),
    "mlqa_de": ("die ", "Der", "derart", "die-se", "„", "“", "Elbe", "ß", "SS", " einer", "'das'"),
    "mlqa_en": ("the ", "The", "a-b", "“", "”", "‘", "—", "$", "cat", "theory", "an\u0301"),
    "mlqa_es": ("el ", "El", "la", "los-", "¿", "¡", "Niño", "unas", "una's", "é", "del", " "),
    "mlqa_hi": ("नई ", "दिल्ली", "।", "॥", "\u0958", "क\u093c", "१९", "\u200d", " "),
    "mlqa_vi": ("của ", "là", "la\u0300", "Cái", "chiếc", "những", "nhữnga", "Nội", " ", "-là"),
    "mlqa_zh": ("北京", "龥", "龦", "㐀", "。", "《", "hello", "かな", " ", "\u3000", "３"),
    "cmrc2018": ("北京", "。", "…", "……", ".", "Mr. ", "5. rj", "it's", "'a", '"', "cannot", "b. Smith", "\x1f"),
    "korquad": ("서울", "서", "\u1109\u1165", "‘", "’", "《", "〉", "「", "'", "(", "3.1", "B형", " ", "\n", "에서"),
}  # fmt: skip
"""For each convention, pieces of text that its rules treat in different ways."""

names = pytest.mark.parametrize("name", ORACLES_PER_CONVENTION)


def score(name: str, rows: Sequence[Row]) -> pd.DataFrame:
    frame = pd.DataFrame({"pred": [pred for pred, _ in rows], "golds": [golds for _, golds in rows]})
    frame = frame.astype({"pred": "string"})
    metrics = [*ORACLES_PER_CONVENTION[name]]
    return frame.qa.score("pred", "golds", metrics=metrics, convention=name, append=False)


def test_every_convention_has_texts_of_its_own():
    assert OWN.keys() == ORACLES_PER_CONVENTION.keys()


@names
@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_texts_of_the_language(name: str, data: st.DataObject):
    rows = data.draw(frames(pieces=st.sampled_from(OWN[name])))
    found = score(name, rows)
    for metric, oracle in ORACLES_PER_CONVENTION[name].items():
        expected = [max(oracle(pred, gold) for gold in golds) for pred, golds in rows]
        assert found[metric].to_list() == pytest.approx(expected, rel=0, abs=ATOL)


@names
def test_the_language_is_that_of_the_name(name: str):
    languages = {"longbench": "en", "cmrc2018": "zh", "korquad": "ko"}
    assert qa_frame.conventions[name].language == languages.get(name, name[-2:])


# --- articles ---


def test_articles_are_those_of_the_script():
    """Where the script has a list of words; Arabic has a part of a word, and the others have none."""
    for language, pattern in MLQA_ARTICLES.items():
        assert re.sub(r"\\b|[()]", "", pattern).split("|") == [*ARTICLES[language]]
    assert ARTICLES["hi"] == ARTICLES["zh"] == ()


def test_arabic_articles_are_replaced_as_the_documentation_says():
    own = Convention(name="own", exact=Exact(text=Text((Replace("ال", " "),))))
    frame = pd.DataFrame({"pred": ["القاهرة", "في القاهرة", "سؤال"], "golds": ["قاهرة", "في قاهرة", "سؤ"]})
    assert frame.qa.score("pred", "golds", convention=own, append=False)["em"].to_list() == [1.0, 1.0, 1.0]


def test_blanks_of_no_words_change_nothing():
    own = Convention(name="own", exact=Exact(text=Text((qa_frame.rules.Blank(ARTICLES["hi"]),))))
    frame = pd.DataFrame({"pred": ["गंगा नदी", "a"], "golds": ["गंगा  नदी", ""]})
    assert frame.qa.score("pred", "golds", convention=own, append=False)["em"].to_list() == [1.0, 0.0]


# --- long texts ---


@pytest.mark.thorough
def test_a_run_in_ten_thousand_characters():
    pred = "我爱北京天安门，Mr. Smith说it's 3.14。" * 400
    gold = f"{pred[1_000:2_200]}上海"
    segments = cmrc_segments(pred), cmrc_segments(gold)
    common = common_run(segments[1], segments[0])
    precision, recall = common / len(segments[0]), common / len(segments[1])
    assert common > 500
    f1 = 2 * precision * recall / (precision + recall)
    assert score("cmrc2018", [(pred, [gold])])["f1"].to_list() == pytest.approx([f1], rel=0, abs=ATOL)


@pytest.mark.thorough
def test_words_of_jieba_in_ten_thousand_characters():
    pred, gold = "小明硕士毕业于中国科学院计算所，后在日本京都大学深造。" * 400, "南京市长江大桥。" * 900
    for name in ("longbench_zh", "infinitebench_zh", "mlqa_zh"):
        oracle = ORACLES_PER_CONVENTION[name]["f1"]
        rows = [(pred, [gold]), (gold, [pred[:999], gold])]
        expected = [max(oracle(pred, gold) for gold in golds) for pred, golds in rows]
        frame = pd.DataFrame({"pred": [pred for pred, _ in rows], "golds": [golds for _, golds in rows]})
        found = frame.qa.score("pred", "golds", metrics="f1", convention=name, append=False)["f1"]
        assert found.to_list() == pytest.approx(expected, rel=0, abs=ATOL)


def test_empty_texts_have_no_sentence_after_a_step():
    rows = [("", [""]), (" ", [""]), ("", [" "]), (" ", [" "]), ("。", ["。"])]
    assert score("longbench_zh", rows)["rouge_l"].round(6).to_list() == [0.0, 0.0, 0.0, 1.0, 1.0]
