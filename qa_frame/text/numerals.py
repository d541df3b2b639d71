"""Numbers as people write them: signs, fractions, powers, Chinese numerals, and the digits of any script.

They are those that inspect finds in `match(numeric=True)`, with its oddities: a lone "点" is 0.
What a single character is as a number, the Unicode of the Python that runs says, as there: a lone "兆" is 10**12, and
10**6 from Python 3.13 on.
"""

from __future__ import annotations

import contextlib
import math
import re
import unicodedata
from collections.abc import Callable, Iterator
from itertools import pairwise

_MINUS, _PLUS = "-−﹣－", "+＋﹢"
_CHINESE_MINUS, _CHINESE_PLUS = "负負", "正"
_SIGNS = _MINUS + _CHINESE_MINUS + _PLUS + _CHINESE_PLUS
_GAPS = "，﹐、٬ \xa0\u202f\u2009\u2007\u2008'’ʼ＇"
_DIGITS = {character: digit for digit, same in enumerate(
    ("零〇○", "一壹幺", "二贰貳两兩", "三叁參", "四肆", "五伍", "六陆陸", "七柒", "八捌", "九玖")
) for character in same}  # fmt: skip
_TENS = {"廿": 20, "卅": 30, "卌": 40}
_UNITS = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1000, "仟": 1000}
_LARGE_UNITS = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8, "兆": 10**12}
_HAS_UNIT = re.compile(f"[{''.join((*_TENS, *_UNITS, *_LARGE_UNITS))}]")
_IS_CHINESE = re.compile(f"[{''.join((*_DIGITS, *_TENS, *_UNITS, *_LARGE_UNITS))}点點负負正]")
_CHINESE_POINT = re.compile("[点點．.]")

_SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_POWER = re.compile(rf"(.*?\S)\s*((?:[⁻⁺]|(?<![{_SUPERSCRIPTS}]))[{_SUPERSCRIPTS}]+)[\s{re.escape(_GAPS)}]*", re.DOTALL)
_POWER_DIGITS = str.maketrans(f"{_SUPERSCRIPTS}⁻⁺", "0123456789-+")

_AROUND_NUMBERS = "!?:;()[]{}'\"`"
_NO_NUMBER = re.compile(r"[^0-9\x80-\U0010ffff]*")


NUMBER_MARKS = ((r"\\([$,£€*_])", r"\1"), (r"[$,£€*_]", ""), (r"\.(?=\D|$)", ""))
"""The marks that do not belong to a number: pairs of a pattern and its replacement."""


def numbers_in(text: str) -> Iterator[str]:
    """Yield the words of a text that are numbers, in order, each written in five significant digits."""
    for word in without_number_marks(text).split():
        if not _NO_NUMBER.fullmatch(word):
            value = read_number(word.strip(_AROUND_NUMBERS))
            if value is not None:
                yield format(value, ".5g")


def number_of(text: str) -> str | None:
    """Return the number that a text is, in five significant digits; None for any other text."""
    value = read_number(without_number_marks(text.strip()).strip(_AROUND_NUMBERS))
    return None if value is None else format(value, ".5g")


def without_number_marks(text: str) -> str:
    """Return the text without marks of currency, thousands and emphasis, and full stops that no digit follows."""
    for pattern, by in NUMBER_MARKS:
        text = re.sub(pattern, by, text)
    return text


def read_number(text: str) -> float | None:
    """Return the finite number that a text is; None for any other text."""
    try:
        value = _first_reading(text, float, _read_with_sign)
    except (ValueError, ArithmeticError):
        return None
    return value if math.isfinite(value) else None


def _first_reading(text: str, *readers: Callable[[str], float]) -> float:
    """Return the number that the first reader finds which can read the text; ValueError where none can."""
    for read in readers:
        with contextlib.suppress(ValueError):
            return read(text)
    raise ValueError(text)


def _read_with_sign(text: str) -> float:
    """Return the number of a text that may have signs in front and a power behind.

    ValueError for any other text, as from all functions below; OverflowError where a power is too large.
    """
    text, place, sign = text.strip(), 0, 1
    while place < len(text) and (text[place] in _SIGNS or text[place].isspace()):
        sign = -sign if text[place] in _MINUS + _CHINESE_MINUS else sign
        place += 1
    text = text[place:]
    if len(text) == 1 and unicodedata.numeric(text, None) is not None:
        return sign * unicodedata.numeric(text)
    power = _POWER.fullmatch(text)
    if power is None:
        return sign * _read_with_fraction(text)
    return math.pow(sign * _read_with_fraction(power[1]), int(power[2].translate(_POWER_DIGITS)))


def _read_with_fraction(text: str) -> float:
    """Return the number of a text without a sign that may end with one fraction, as "2½"."""
    fractions = [place for place, character in enumerate(text) if 0 < unicodedata.numeric(character, 0) < 1]
    if not fractions:
        return _read_whole(text.strip())
    place, *others = fractions
    if others or not all(map(_is_gap, text[place + 1 :])):
        raise ValueError(text)
    whole = text[:place].strip()
    return (_read_whole(whole) if whole else 0.0) + unicodedata.numeric(text[place])


def _read_whole(text: str) -> float:
    """Return the number that a text is, in digits of any script or in Chinese; ValueError for none."""
    of_chinese = (_read_chinese,) if _IS_CHINESE.search(text) else ()
    of_character = (unicodedata.numeric,) if len(text) == 1 else ()
    return _first_reading(text, *of_chinese, _read_digits, *of_character)


def _read_digits(text: str) -> float:
    """Return the number of digits of any script, perhaps with gaps, a decimal point and an exponent behind "e"."""
    written = ""
    for before, character in pairwise(f" {text}"):
        if character in "eE":
            written += "e"
        elif before in "eE" and character in _MINUS + _PLUS:
            written += "-" if character in _MINUS else "+"
        elif character in ".٫．":
            written += "."
        elif not _is_gap(character):
            written += str(_digit_of(character))
    return float(written)


def _read_chinese(text: str) -> float:
    """Return the number that a Chinese numeral stands for; ValueError for another text."""
    whole, *fraction = _CHINESE_POINT.split("".join(text.split()), maxsplit=1)
    digits = str(_read_units(whole)) if _HAS_UNIT.search(whole) else "".join(str(_digit_of(digit)) for digit in whole)
    return float(f"0{digits}.{''.join(str(_digit_of(digit)) for digit in ''.join(fraction))}")


def _read_units(text: str) -> int:
    """Return the whole number of Chinese numerals with words for ten, hundred and so on."""
    total = part = digit = 0
    for character in text:
        if character in _TENS:
            part += _TENS[character]
        elif character in "零〇○":
            pass
        elif character in _UNITS:
            part, digit = part + (digit or 1) * _UNITS[character], 0
        elif character in _LARGE_UNITS:
            total, part, digit = total + (part + digit) * _LARGE_UNITS[character], 0, 0
        else:
            digit = _digit_of(character)
    return total + part + digit


def _digit_of(character: str) -> int:
    """Return the value of a digit of any script; ValueError for another character."""
    digit = unicodedata.digit(character, _DIGITS.get(character))
    if digit is None:
        raise ValueError(character)
    return digit


def _is_gap(character: str) -> bool:
    return character in _GAPS or character.isspace()
