"""Tables of papers: columns by a key, a mean, headings, and LaTeX that compiles."""

from __future__ import annotations

import re
import shutil
import subprocess

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import qa_frame
from qa_frame.ext.style.layout import heading_of
from qa_frame.ext.style.styled_table import StyledTable
from qa_frame.terminal import columns_of
from tests.ext.style.test_style import NASTY


@pytest.fixture(scope="module")
def scored():
    return qa_frame.sample().qa.score("response", "answers", metrics=["em", "f1", "recall"])


@pytest.fixture(scope="module")
def by_two(scored):
    return scored.qa.summary(["model", "dataset"])


@pytest.mark.parametrize("convert", [None, pl.from_pandas, pa.Table.from_pandas])
def test_columns_by_a_key_are_those_of_pandas(by_two, convert):
    styled = qa_frame.style(by_two if convert is None else convert(by_two.reset_index()), columns="dataset")
    expected = by_two.reset_index().pivot_table(index="model", columns="dataset", values=["em", "f1", "recall"])
    assert styled.cells["model"] == expected.index.tolist()
    assert list(styled.cells)[1:] == [(key, name) for key in ("explain", "facts") for name in ("em", "f1", "recall")]
    for key, name in list(styled.cells)[1:]:
        assert styled.cells[key, name] == [f"{value:.3f}" for value in expected[name, key]]
        best = expected[name, key] == expected[name, key].max()
        assert [mark == "best" for mark in styled.marks[key, name]] == best.tolist()
    assert styled.headings["facts", "f1"] == ("facts", "F1")
    assert set(qa_frame.style(by_two, columns="dataset", counts=True).cells) - set(styled.cells) == {
        (key, name) for key in ("explain", "facts") for name in ("n", "n_rows", "n_missing", "n_no_gold")
    }


def test_figures_that_are_not_there_are_dashes(scored):
    some = scored[(scored["model"] != "heron-7b") | (scored["dataset"] == "facts")]
    styled = qa_frame.style(some.qa.summary(["model", "dataset"], metrics="f1"), columns="dataset")
    assert styled.cells["model"][0] == "heron-7b"
    assert styled.cells["explain", "f1"][0] == "-"
    assert styled.headings["facts", "f1"] == ("F1", "facts")  # one figure spans the columns of all values


def test_the_mean_is_that_of_the_summary_over_datasets(scored, by_two):
    macro = scored.qa.summary("model", macro="dataset", ci=0.95)
    styled = qa_frame.style(by_two, columns="dataset", mean=macro)
    assert list(styled.cells)[-3:] == [("mean", name) for name in ("em", "f1", "recall")]
    for name in ("em", "f1", "recall"):
        row = macro.iloc[1]
        assert styled.cells["mean", name][1] == f"{row[name]:.3f} [{row[f'{name}_lo']:.3f}, {row[f'{name}_hi']:.3f}]"
        assert row[name] == pytest.approx(by_two.loc["lynx-70b", name].mean(), abs=1e-12)
        assert styled.marks["mean", name][1] == "best"
    assert styled.headings["mean", "f1"] == ("Mean", "F1")
    in_polars = qa_frame.style(
        pl.from_pandas(by_two.reset_index()), columns="dataset", mean=pl.from_pandas(macro.reset_index())
    )
    assert in_polars.cells == styled.cells


def test_marks_of_columns_are_those_of_the_pairs_within(scored, by_two):
    compared = scored.qa.compare("model", "question_id", within="dataset", n_resamples=500)
    overall = scored.qa.compare("model", "question_id", macro="dataset", n_resamples=500)
    macro = scored.qa.summary("model", macro="dataset")
    styled = qa_frame.style(by_two, columns="dataset", mean=macro, compared=[compared, overall])
    swapped = qa_frame.style(
        scored.qa.summary(["dataset", "model"]), columns="dataset", mean=macro, compared=[compared, overall]
    )
    assert styled.marks == swapped.marks
    p = compared.set_index(["metric", "a", "b"])["p_adj"]
    assert p["recall", ("explain", "lynx-70b"), ("explain", "otter-chat")] > 0.05
    assert styled.marks["explain", "recall"] == ["", "best", "close"]
    assert styled.marks["explain", "f1"] == ["", "best", ""]
    p = overall.set_index(["metric", "a", "b"])["p_adj"]
    assert p["recall", "lynx-70b", "otter-chat"] > 0.05
    assert styled.marks["mean", "recall"] == ["", "best", "close"]
    with pytest.raises(
        qa_frame.errors.PairingError, match=r"no row of metric 'em' for the groups 'lynx-70b' and 'heron-7b'"
    ):
        qa_frame.style(by_two, columns="dataset", mean=macro, compared=compared)


def test_each_comparison_has_its_own_level(scored):
    """0.05 of one that does not say it, as in polars. Of two, each judges its own figures."""
    compared = scored.qa.compare("model", "question_id", n_resamples=500, metrics="recall", ci=0.01)
    strict = scored.qa.compare("model", "question_id", n_resamples=500, metrics="f1")
    styled = qa_frame.style(scored.qa.summary("model"), compared=[compared, strict])
    p = compared.set_index(["a", "b"])["p_adj"]
    assert 0.05 < p["lynx-70b", "otter-chat"] < 0.99
    assert styled.marks["recall"] == ["", "best", ""]
    assert styled.note.endswith("(adjusted p ≥ 0.05 or 0.99).")
    in_polars = qa_frame.style(scored.qa.summary("model"), compared=pl.from_pandas(compared))
    assert in_polars.marks["recall"] == ["", "best", "close"]


def test_headings():
    said = ["EM", "ROUGE-L", "ROUGE-Lsum recall", "BLEU-4", "BLEU", "chrF++", "Corpus BLEU", "Micro F1", "ANLS"]
    names = ["em", "rouge_l", "rouge_lsum_recall", "bleu4", "bleu", "chrf++", "corpus_bleu", "f1_micro", "anls"]
    assert [heading_of(name, []) for name in names] == said
    assert [heading_of(name, ["em"]) for name in ("em_pass@4", "em_x")] == ["EM pass@4", "EM x"]
    assert [heading_of(name, []) for name in ("emb", "em_pass@4", "f1x", "n")] == ["emb", "em_pass@4", "f1x", "n"]
    assert len({heading_of(name, []) for name in qa_frame.metrics}) == len(qa_frame.metrics)


@pytest.mark.parametrize(
    ("settings", "found"),
    [
        ({"columns": "datset"}, "columns='datset' is not a key of the table; did you mean 'dataset'"),
        ({"columns": ["model", "dataset"]}, "leaves no key for the rows; give a summary by one more key"),
        ({"mean": "macro"}, "give columns too"),
        ({"columns": "dataset", "mean": "by_two"}, r"give summary\(by=\['model'\]"),
        ({"columns": "dataset", "mean": "percent"}, "not both in percent"),
        ({"columns": "dataset", "mean": "bleu"}, "mean has none of the figures of table; give a summary of one of"),
        ({"columns": "dataset", "mean": True}, "mean=True is not a table of results"),
        ({"caption": 3}, "caption=3 is not text"),
    ],
)
def test_what_cannot_be_laid_out(scored, by_two, settings, found):
    tables = {
        "macro": scored.qa.summary("model"),
        "by_two": by_two,
        "bleu": qa_frame.sample()
        .qa.score(pred="response", gold="answers", metrics="bleu")
        .qa.summary("model", metrics="bleu"),
        "percent": scored.qa.summary("model", percent=True),
    }
    if isinstance(settings.get("mean"), str):
        settings = settings | {"mean": tables[settings["mean"]]}
    with pytest.raises(qa_frame.QaFrameError, match=found):
        qa_frame.style(by_two, **settings)


def test_rows_that_would_stand_in_one(scored):
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="needs a wide summary"):
        qa_frame.style(scored.qa.summary(["model", "dataset"], long=True), columns="dataset")
    twice = pd.DataFrame({"model": ["a", "a"], "dataset": ["x", "x"], "f1": [0.1, 0.2]})
    with pytest.raises(qa_frame.errors.PairingError, match="2 rows of 'a' for the columns 'x'"):
        qa_frame.style(twice, columns="dataset")


# --- text and HTML


@given(
    st.lists(st.tuples(st.text(max_size=12), st.lists(st.text(max_size=8), min_size=2, max_size=2)), max_size=9),
    st.sampled_from([60, 80, 100]),
)
def test_text_of_any_headings_fits(columns, width):
    keys = {"key": ["a", "b"]}
    cells = keys | {(over, place): texts for place, (over, texts) in enumerate(columns)}
    styled = StyledTable(
        cells, frozenset(cells) - {"key"}, headings={key: (key[0], "x") for key in cells if key != "key"}
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("qa_frame.ext.style.styled_table.text_width", lambda: width)
        text = str(styled)
    assert max(map(columns_of, text.split("\n"))) <= max(width, 100)
    for part in (styled.to_markdown(), styled.to_latex(), styled._repr_html_()):
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", part)


def test_spanners_stand_above_their_columns(by_two):
    lines = str(
        qa_frame.style(by_two.rename(index={"facts": "a dataset with quite a long name"}), columns="dataset")
    ).splitlines()
    spanners, heads = lines[0], lines[1]
    assert re.search(r"-+ explain -+ +a dataset with quite a long name$", spanners)
    assert len(spanners) == len(heads) - 1  # behind it stands a space
    assert spanners.index("a dataset") < heads.index("EM", heads.index("Recall"))
    html = qa_frame.style(by_two, columns="dataset", caption="<b>")._repr_html_()
    assert html.count('colspan="3"') == 2
    assert "overflow-x:auto" in html
    assert "&lt;b&gt;</caption>" in html


def test_markdown_repeats_what_spans(by_two):
    head, rule, *_ = qa_frame.style(by_two, columns="dataset", caption="a|b").to_markdown().splitlines()[2:]
    names = ["model", *(f"{key} {name}" for key in ("explain", "facts") for name in ("EM", "F1", "Recall"))]
    assert [cell.strip() for cell in head.strip("|").split("|")] == names
    assert set(rule) == set("|-:")


# --- LaTeX


def test_a_float_has_caption_label_and_note(by_two):
    styled = qa_frame.style(by_two, columns="dataset", caption="100 % & more")
    text = styled.to_latex(label="tab:a_1")
    assert text.startswith(
        "\\begin{table}\n\\centering\n\\caption{100 \\% \\& more}\n\\label{tab:a_1}\n\\begin{tabular}"
    )
    assert text.endswith("{\\footnotesize Bold: the highest.\\par}\n\\end{table}\n")
    assert (
        " & \\multicolumn{3}{c}{explain} & \\multicolumn{3}{c}{facts} \\\\\n\\cmidrule(lr){2-4} \\cmidrule(lr){5-7}"
        in text
    )
    for label in ("", "a}b", "a\\b", 3, "tab:é"):
        with pytest.raises(qa_frame.errors.UnknownOptionError, match="is not one of LaTeX"):
            styled.to_latex(label=label)
    with pytest.raises(
        qa_frame.errors.UnknownOptionError, match=r"without a caption, .*; give one, as in qa_frame.style"
    ):
        qa_frame.style(by_two).to_latex(label="tab:a")


def test_wide_floats_are_split():
    table = pd.DataFrame({"model": ["a", "b"]} | {f"metric_number_{place:02d}": [0.5, 0.25] for place in range(12)})
    wide = qa_frame.style(table, caption="wide")
    text = wide.to_latex()
    comment, first, *_ = text.splitlines()
    assert comment == "% Split, as it is 234 letters wide and a line has 70: to_latex(width=234) keeps it whole."
    assert first == "\\begin{table}"
    assert text.count("\\begin{tabular}") == text.count("\\begin{table}") == 4
    assert wide.to_latex(width=160).count("\\begin{tabular}") == 2
    assert wide.to_latex(width=233).count("\\begin{tabular}") == 2
    assert wide.to_latex(width=234).startswith("\\begin{table}\n\\centering")
    assert wide.to_latex(width=234).count("\\begin{tabular}") == 1


def test_long_floats_are_split():
    table = pd.DataFrame({"model": [f"m{place}" for place in range(90)], "f1": np.linspace(0, 1, 90)})
    text = qa_frame.style(table, caption="long").to_latex(label="tab:l")
    assert (text.count("\\caption"), text.count("\\label"), text.count("\\thetable, continued: long")) == (1, 1, 2)
    assert re.findall(r"^(m\d+) &", text, re.MULTILINE) == [f"m{place}" for place in range(90)]
    assert re.findall(r"(m\d+) & \\text(\w+)", text) == [("m89", "bf")]
    assert text.count("Bold: the highest.") == 3


def test_long_names_stand_on_several_lines(scored):
    table = scored.qa.summary("model", ci=0.9).rename(index={"lynx-70b": "a name " * 9 + "b"})
    text = qa_frame.style(table, caption="names").to_latex()
    assert "\\begin{tabular}{p{0.43\\linewidth}r" in text
    assert "a\\newline name" in text


def test_wide_tables_are_split(by_two):
    styled = qa_frame.style(by_two, columns="dataset")
    text = styled.to_latex(width=40)
    parts = text.split("\\medskip")
    assert len(parts) == 2
    for part, key in zip(parts, ("explain", "facts"), strict=True):
        assert "\\begin{tabular}{lrrr}" in part
        assert f"\\multicolumn{{3}}{{c}}{{{key}}}" in part
        assert part.count("lynx-70b") == 1
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="width=3 is not a whole number of 20 or more"):
        styled.to_latex(width=3)


def test_negative_numbers_have_a_minus_in_latex():
    table = pd.DataFrame({"model": ["gpt-4", "b"], "f1": [0.5, -0.25]})
    text = qa_frame.style(table).to_latex()
    assert "gpt-4 & " in text
    assert "b & $-$0.250" in text


PREAMBLE = "\\documentclass{article}\\usepackage{booktabs}\\begin{document}\n"


@pytest.mark.filterwarnings("ignore::qa_frame.errors.IntervalWarning")
def test_latex_compiles(scored, tmp_path):
    program = shutil.which("pdflatex")
    finder = shutil.which("kpsewhich")
    if not (program and finder and subprocess.run([finder, "booktabs.sty"], capture_output=True, check=False).stdout):
        pytest.skip("LaTeX needs pdflatex and booktabs, which are not installed: .ci/system.sh")
    renamed = scored.assign(model=scored["model"].replace("heron-7b", NASTY), dataset=scored["dataset"] + "_100%")
    by_two, macro = (
        renamed.qa.summary(["model", "dataset"], ci=0.9),
        renamed.qa.summary("model", macro="dataset", ci=0.9),
    )
    compared = [
        renamed.qa.compare("model", "question_id", **how) for how in ({"within": "dataset"}, {"macro": "dataset"})
    ]
    wide = qa_frame.style(by_two, columns="dataset", mean=macro, compared=compared, caption=NASTY)
    is_ascii = [isinstance(response, str) and response.isascii() for response in scored["response"]]
    rows = qa_frame.style(scored[is_ascii].qa.worst(3), caption="rows")
    bare = qa_frame.style(by_two)
    many = pd.DataFrame({"model": [f"lab/Model-{place}B" for place in range(90)]} | dict.fromkeys("abcdefghij", 0.123))
    long = qa_frame.style(many, caption="long " * 40)
    texts = [wide.to_latex(label="tab:a"), rows.to_latex(), bare.to_latex(width=70), long.to_latex()]
    (tmp_path / "paper.tex").write_text(PREAMBLE + "\n\n".join(texts) + "See \\ref{tab:a}.\\end{document}\n", "utf-8")
    command = [program, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "paper.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace", check=False)
    assert done.returncode == 0, done.stdout[-3000:]
    assert (tmp_path / "paper.pdf").stat().st_size > 10_000
    assert re.findall(r"Overfull.*|Float too large.*", done.stdout) == []
    if shutil.which("pdftotext"):
        command = ["pdftotext", "-layout", "paper.pdf", "-"]
        seen = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
        for text in ("*x* $y$ {z} \\ 50% #1", "100%", "Recall", "≥ 0.05"):
            assert text in seen
