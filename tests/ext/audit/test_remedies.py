"""What remedies are chosen by: the language of the texts."""

from __future__ import annotations

import pytest

from qa_frame.ext.audit.remedies import language_of


@pytest.mark.parametrize(
    ("texts", "language"),
    [
        (["上海", "北京 GDP"], "zh"),
        (["東京です", "大阪"], "ja"),
        (["パリ"], "ja"),
        (["서울", "부산 KTX"], "ko"),
        (["नई दिल्ली"], "hi"),
        (["القاهرة"], "ar"),
        (["Москва", "Elbe"], None),
        (["1990", "!"], None),
        ([], None),
    ],
)
def test_the_language_of_most_letters(texts, language):
    assert language_of(texts) == language
