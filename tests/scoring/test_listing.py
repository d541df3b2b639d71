"""The list of metrics."""

from __future__ import annotations

from html import escape

import pytest

import qa_frame
from qa_frame.scoring.metrics import METRICS


def test_the_listing_has_all_metrics_in_their_order():
    assert list(qa_frame.metrics) == list(METRICS)
    assert len(qa_frame.metrics) == len(METRICS)
    for name, found in qa_frame.metrics.items():
        assert found.name == name
        assert found.what
        assert found.source
        assert len(found.what) <= 90
        assert hasattr(qa_frame.conventions["squad"], found.family)
        conventions = qa_frame.conventions.items()
        assert list(found.conventions) == [each for each, rules in conventions if METRICS[name].is_in(rules)]


def test_it_can_be_read():
    printed, html = repr(qa_frame.metrics), qa_frame.metrics._repr_html_()
    for name, found in qa_frame.metrics.items():
        assert f"{name}\n    {found.what}\n    source {found.source}; rule {found.family}\n" in printed
        assert repr(found) in printed
        assert f'<td style="text-align: left">{name}</td>' in html
        assert all(f">{escape(each)}<" in found._repr_html_() for each in (name, found.what, found.family))
    assert max(map(len, printed.splitlines())) <= 100
    assert "'" not in html
    assert qa_frame.metrics._ipython_key_completions_() == list(qa_frame.metrics)


def test_lookup_of_a_metric():
    for kind in (qa_frame.errors.UnknownMetricError, KeyError, qa_frame.errors.UnknownOptionError):
        with pytest.raises(kind, match=r"^name='rougeL' is not known; did you mean 'rouge_l'\? Choose from"):
            qa_frame.metrics["rougeL"]
    assert qa_frame.metrics.get("F1") is None
    assert [] not in qa_frame.metrics
    with pytest.raises(TypeError):
        qa_frame.metrics["f1"] = None
