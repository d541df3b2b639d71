"""What LaTeX says as plain text: each text is made together with what it must become."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qa_frame.extraction.tex import untex

WORDS = st.sampled_from(["Paris", "7", "12.5", "x", "North Pole", "x+1", "-3", "é", "1,000", "a < b"])
STYLES = st.sampled_from([r"\text", r"\textbf", r"\mathrm", r"\mbox", r"\text ", r"\operatorname*", ""])
SPACES = st.sampled_from([r"\,", r"\;", r"\ ", r"\quad ", r"\qquad "])
NOTHING = st.sampled_from([r"\!", r"\left ", r"\right ", r"\(", r"\]", r"\displaystyle "])
KEPT = st.sampled_from([r"\sqrt", "x^", "a_", r"\vec", r"\boxed"])


def bracketed(side: tuple[str, bool]) -> str:
    plain, is_simple = side
    return plain if is_simple else f"({plain})"


def is_simple(word: str) -> bool:
    return word not in {"North Pole", "x+1", "a < b"}


Pair = tuple[str, str, bool]
"""The LaTeX, the plain text, and whether it needs no brackets beside a fraction bar."""
leaves = WORDS.map(lambda word: (word, word, is_simple(word)))


def larger(inner: st.SearchStrategy[Pair]) -> st.SearchStrategy[Pair]:
    return st.one_of(
        st.tuples(STYLES, inner).map(lambda two: (f"{two[0]}{{{two[1][0]}}}", *two[1][1:])),
        st.tuples(KEPT, inner).map(lambda two: (f"{two[0]}{{{two[1][0]}}}", f"{two[0]}{{{two[1][1]}}}", False)),
        st.tuples(st.sampled_from([r"\frac", r"\dfrac", r"\tfrac "]), inner, inner).map(
            lambda three: (
                f"{three[0]}{{{three[1][0]}}}{{{three[2][0]}}}",
                f"{bracketed(three[1][1:])}/{bracketed(three[2][1:])}",
                False,
            )
        ),
        st.tuples(inner, SPACES, inner).map(
            lambda three: (f"({three[0][0]}{three[1]}{three[2][0]})", f"({three[0][1]} {three[2][1]})", False)
        ),
        st.tuples(NOTHING, inner).map(lambda two: (f"({two[0]}{two[1][0]})", f"({two[1][1]})", False)),
        inner.map(lambda one: (f"(${one[0]}$)", f"({one[1]})", False)),
    )


@given(st.recursive(leaves, larger, max_leaves=8))
def test_a_text_becomes_what_it_was_made_for(pair):
    source, plain, _ = pair
    assert untex(source) == plain


@pytest.mark.parametrize(
    ("source", "plain"),
    [
        (r"\text{Paris}", "Paris"),
        (r"7\text{ km}", "7 km"),
        (r"7\,\text{km}", "7 km"),
        (r"\dfrac{1}{2}", "1/2"),
        (r"\frac12", "1/2"),
        (r"\frac1{20}", "1/20"),
        (r"2\frac{1}{2}", "2 1/2"),
        (r"\frac{x+1}{2}", "(x+1)/2"),
        (r"\text{\textbf{Paris}}", "Paris"),
        (r"10{,}000", "10,000"),
        (r"10\,000", "10000"),
        (r"10,\!000", "10,000"),
        (r"1\,2000", "1 2000"),
        (r"50\%", "50%"),
        (r"\$5", "$5"),
        ("$5", "$5"),
        ("$x$ and $y$", "x and y"),
        (r"90^\circ", "90°"),
        (r"90^{\circ}\text{C}", "90°C"),
        (r"\{1, 2\}", "{1, 2}"),
        (r"\sqrt{2}", r"\sqrt{2}"),
        (r"\mathrm{CO}_{2}", "CO_{2}"),
        ("no LaTeX", "no LaTeX"),
        (r"\text{Paris", r"\text{Paris"),
        ("Paris}", "Paris}"),
        ("\\", "\\"),
        ("", ""),
    ],
)
def test_texts_as_they_are_met(source, plain):
    assert untex(source) == plain


@given(st.text(alphabet="ab1 {}$\\^,frac", max_size=30))
def test_any_text_is_taken(text):
    assert isinstance(untex(text), str)
