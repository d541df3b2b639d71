"""Tables for papers: the figures of the summary, marks that are justified, texts that are shown as they are."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from matplotlib.figure import Figure

import qa_frame
from qa_frame.ext.style.styled_table import escape_latex, escape_markdown
from qa_frame.tables.visible import number

NASTY = "a|b_c & <script>*x* $y$ {z} \\ 50% #1 ^ ~ [l](u) `c` _i_ &amp;"


@pytest.fixture(scope="module")
def scored():
    return qa_frame.sample().qa.score("response", "answers", metrics=["em", "f1", "recall"])


@pytest.fixture(scope="module")
def compared(scored):
    return scored.qa.compare("model", "question_id", n_resamples=500)


@pytest.mark.parametrize("convert", [None, pl.from_pandas, pa.Table.from_pandas])
@pytest.mark.parametrize("long", [False, True])
def test_cells_hold_the_figures(scored, convert, long):
    data = scored if convert is None else convert(scored)
    styled = qa_frame.style(qa_frame.summary(data, "model", ci=0.95, long=long))
    expected = scored.qa.summary("model", ci=0.95)
    cells = {
        name: [
            f"{value:.3f} [{low:.3f}, {high:.3f}]"
            for value, low, high in expected[[name, f"{name}_lo", f"{name}_hi"]].to_numpy()
        ]
        for name in ("em", "f1", "recall")
    }
    if long:
        assert styled.cells["value"] == [each for row in zip(*cells.values(), strict=True) for each in row]
        assert styled.cells["metric"] == list(cells) * 3
    else:
        assert {name: styled.cells[name] for name in cells} == cells
        assert styled.cells["n"] == ["115"] * 3
        assert styled.marks == {"em": ["", "best", ""], "f1": ["", "best", ""], "recall": ["", "best", ""]}
    assert "em_lo" not in styled.cells


def test_intervals_and_digits(scored):
    table = scored.qa.summary("model", ci=0.95, percent=True)
    row = table.loc["lynx-70b"]
    without = scored.qa.summary("model", percent=True)
    assert qa_frame.style(without, digits=2).cells["f1"][1] == f"{row['f1']:.2f}"
    assert not {"n", "n_rows"} & qa_frame.style(table, counts=False).cells.keys()


def test_what_is_not_significantly_lower_is_underlined(scored, compared):
    styled = qa_frame.style(scored.qa.summary("model"), compared=compared)
    p = compared.set_index(["metric", "a", "b"])["p_adj"]
    assert p["recall", "lynx-70b", "otter-chat"] > 0.05 > p["f1", "lynx-70b", "otter-chat"]
    assert styled.marks == {"em": ["", "best", ""], "f1": ["", "best", ""], "recall": ["", "best", "close"]}
    assert "recall" in compared["metric"].tolist()
    strict = compared.copy()
    strict.attrs["qa_compare"] = compared.attrs["qa_compare"] | {"ci": 1 - 1e-9}
    nothing = qa_frame.style(scored.qa.summary("model"), compared=strict)
    assert nothing.marks["f1"] == ["close", "best", "close"]
    turned = compared.rename(columns={"a": "b", "b": "a"}).assign(diff=-compared["diff"])
    assert qa_frame.style(scored.qa.summary("model"), compared=turned).marks == styled.marks
    in_polars = qa_frame.compare(pl.from_pandas(scored), "model", "question_id", n_resamples=500)
    assert qa_frame.style(scored.qa.summary("model"), compared=in_polars).marks == styled.marks


def test_lower_by_hand():
    """Not lower at all, no pair with a p, and significantly lower."""
    table = pd.DataFrame({"f1": [0.5, 0.4, 0.4, 0.4]}, index=pd.Index(["a", "b", "c", "d"], name="model"))
    rows = [("f1", "a", "b", -0.1, 0.001), ("f1", "a", "c", np.nan, np.nan), ("f1", "d", "a", -0.1, 0.01)]
    compared = pd.DataFrame(rows, columns=["metric", "a", "b", "diff", "p_adj"]).assign(diff_lo=0.0, diff_hi=0.0)
    assert qa_frame.style(table, compared=compared).marks["f1"] == ["best", "close", "", ""]


def test_a_pair_that_is_not_there(scored, compared):
    table = scored.qa.summary("model")
    with pytest.raises(qa_frame.errors.PairingError, match=r"no row of metric 'em' for .*lynx.* without a baseline"):
        qa_frame.style(table, compared=compared[compared["a"] != "heron-7b"])
    only_f1 = qa_frame.style(table, compared=compared[compared["metric"] == "f1"])
    assert only_f1.marks["recall"] == ["", "best", ""]


def test_bounds_within_the_margin_have_the_digits_of_figures(scored):
    judged = scored.qa.compare("model", "question_id", metrics="f1", margin=0.1)
    for name in ("tost_lo", "tost_hi"):
        assert qa_frame.style(judged, digits=2).cells[name] == [number(value, ".2f") for value in judged[name]]


def test_a_bound_just_below_0_keeps_its_minus(compared):
    row = compared.head(1).assign(diff=0.031, diff_lo=-0.0003, diff_hi=0.062)
    assert qa_frame.style(row).cells["diff"] == ["0.031 [−0.000, 0.062]"]
    assert qa_frame.style(row.assign(diff_lo=0.0)).cells["diff"] == ["0.031 [0.000, 0.062]"]


@pytest.mark.parametrize("margin", [None, 0.1])
def test_what_decides_a_comparison_stands_first(scored, margin):
    compared = scored.qa.compare("model", "question_id", metrics="f1", n_resamples=200, margin=margin)
    names = [*qa_frame.style(compared).cells]
    assert names[:6] == ["metric", "a", "b", "diff", "p_adj", "verdict"]
    assert sorted([*names, "diff_lo", "diff_hi"]) == sorted(compared.columns)
    by_hand = compared.drop(columns="verdict")
    by_hand.attrs = {}
    assert [*qa_frame.style(by_hand).cells][:5] == names[:5]


def test_best_within_keys(scored):
    table = scored.qa.summary(["dataset", "model"], metrics="f1")
    styled = qa_frame.style(table, within="dataset")
    assert "n" in styled.cells
    best = table["f1"] == table.groupby("dataset")["f1"].transform("max")
    assert [mark == "best" for mark in styled.marks["f1"]] == best.tolist()
    assert sum(best) == 2
    with pytest.raises(
        qa_frame.errors.UnknownOptionError, match="within='datset' is not a key of the table; did you mean 'dataset'"
    ):
        qa_frame.style(table, within="datset")


def test_equals_are_all_best_and_one_alone_is_not(scored):
    table = pd.DataFrame({"model": ["a", "b", "c"], "f1": [0.5, 0.5, np.nan]})
    styled = qa_frame.style(table)
    assert styled.marks["f1"] == ["best", "best", ""]
    assert styled.cells["f1"] == ["0.500", "0.500", "-"]
    assert qa_frame.style(scored.qa.summary()).marks == {}
    assert qa_frame.style(table, bold=False).marks == {}


class Cells(HTMLParser):
    """The texts of cells, and the tags that are there."""

    def __init__(self, html):
        super().__init__()
        self.rows, self.tags = [], set()
        self.feed(html)

    def handle_starttag(self, tag, _attrs):
        self.tags.add(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in {"td", "th"}:
            self.rows[-1].append("")

    def handle_data(self, data):
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data


def test_html(scored, compared):
    renamed = scored.assign(model=scored["model"].replace("heron-7b", NASTY))
    found = Cells(qa_frame.style(renamed.qa.summary("model"), counts=False)._repr_html_())
    assert [row[0] for row in found.rows] == [
        "model",
        NASTY,
        "lynx-70b",
        "otter-chat",
    ]
    assert found.tags == {"table", "thead", "tbody", "tr", "th", "td", "b", "p", "div"}
    html = qa_frame.style(scored.qa.summary("model"), compared=compared)._repr_html_()
    assert html.count("<b>") == 3
    assert html.count("<u>") == 1


def test_markdown(scored, compared):
    text = qa_frame.style(scored.qa.summary("model"), compared=compared, counts=False).to_markdown()
    head, rule, *rows, blank, note = text.splitlines()
    assert (blank, note) == ("", "Bold: the highest. Underlined: not significantly lower (adjusted p ≥ 0.05).")
    assert len({len(line) for line in (head, rule, *rows)}) == 1
    assert set(rule) == set("|-:")
    assert re.findall(r"\*\*(.*?)\*\*", rows[1]) == ["0.435", "0.724", "0.756"]
    assert re.findall("<u>(.*?)</u>", text) == ["0.755"]
    renamed = scored.assign(model=scored["model"].replace("heron-7b", NASTY))
    (row,) = [
        line for line in qa_frame.style(renamed.qa.summary("model")).to_markdown().splitlines() if "script" in line
    ]
    assert len(re.findall(r"(?<!\\)\|", row)) == len(re.findall(r"(?<!\\)\|", head)) + 4  # the counts


def test_latex(scored, compared):
    text = qa_frame.style(scored.qa.summary("model"), compared=compared, counts=False).to_latex()
    lines = text.splitlines()
    assert lines[0] == r"\begin{tabular}{lrrr}"
    assert [lines[1], lines[3], lines[-2], lines[-1]] == [r"\toprule", r"\midrule", r"\bottomrule", r"\end{tabular}"]
    assert lines[5] == r"lynx-70b & \textbf{0.435} & \textbf{0.724} & \textbf{0.756} \\"
    assert lines[6].endswith(r"\underline{0.755} \\")
    bracket = pd.DataFrame({"model": ["[a]", "b"], "f1": [0.1, 0.2]})
    assert r"{}[a] &" in qa_frame.style(bracket).to_latex()


def test_escaping():
    assert escape_latex("a|b_c & 50% $x$ #1 {y} ^~\\ <>") == (
        r"a\textbar{}b\_c \& 50\% \$x\$ \#1 \{y\} \textasciicircum{}\textasciitilde{}\textbackslash{} "
        r"\textless{}\textgreater{}"
    )
    assert escape_latex("a--b---c -1 ''q'' `x`") == r"a-{}-b-{}-{}-c -1 '{}'q'{}' \`{}x\`{}"
    assert escape_markdown("a|b_c & _i_ *x* `c` <b> [l](u) ~s~ \\ &lt;") == (
        r"a\|b_c & \_i\_ \*x\* \`c\` \<b> [l\](u) \~s\~ \\ \&lt;"
    )


@pytest.mark.filterwarnings("ignore::qa_frame.errors.IntervalWarning")
def test_text_fits_100_columns(scored):
    long = scored.assign(model=scored["model"] + "-with-a-name-that-is-far-too-long-for-a-column" * 2)
    printed = str(qa_frame.style(long.qa.summary(["model", "dataset"], ci=0.95)))
    assert max(map(len, printed.splitlines())) <= 100
    row = scored.qa.summary(["model", "dataset"], ci=0.95).loc[("lynx-70b", "explain")]
    assert f"{row['f1']:.3f} [{row['f1_lo']:.3f}, {row['f1_hi']:.3f}]" in printed
    wide = pd.DataFrame({"model": ["模型一", "b"], "f1": [0.25, 0.5]})
    head, rule, first, *_ = str(qa_frame.style(wide)).splitlines()
    assert (rule, first) == ("------  ------", "模型一  0.250")
    assert head == "model       F1"


@pytest.mark.needs("annotation")
def test_other_tables(scored, compared):
    styled = qa_frame.style(compared)
    assert styled.marks == {}
    assert styled.cells["p"][0] == "<0.001" or float(styled.cells["p"][0]) >= 0.001
    written = "{diff:.3f} [{diff_lo:.3f}, {diff_hi:.3f}]".format(**compared.iloc[0])
    assert styled.cells["diff"][0] == written.replace("-", "−")
    agreed = scored.qa.agreement()
    assert list(qa_frame.style(agreed).cells)[:4] == ["metric", "n", "n_not_used", "human_mean"]
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="of use for a table of summary alone"):
        qa_frame.style(agreed, compared=compared)
    assert str(qa_frame.style(scored.qa.summary("model").iloc[:0])).startswith("model")


# --- which columns are figures


def test_columns_of_the_users_own_are_no_figures(scored):
    table = scored.qa.summary("model", ci=0.95)
    plain = qa_frame.style(table)
    table["rank"], table["size"] = [3, 1, 2], [7.0, 70.25, 0.034]
    table.insert(0, "price", [1.5, 20.0, 3.0])
    for more in (table, table.reset_index(), pa.Table.from_pandas(table)):
        styled = qa_frame.style(more)
        assert styled.marks == plain.marks
        assert styled.cells["f1"] == plain.cells["f1"]
        assert styled.cells["rank"] == ["3", "1", "2"]
        assert styled.cells["size"] == ["7", "70.25", "0.034"]
    percent = scored.qa.summary("model", percent=True).assign(size=[7.0, 70.25, 0.034])
    assert qa_frame.style(percent).cells["size"] == ["7", "70.25", "0.034"]
    assert qa_frame.style(percent).cells["f1"] == ["20.6", "72.4", "33.9"]
    assert "rank" in qa_frame.style(table, counts=False).cells


def test_figures_above_1_that_are_not_in_percent(scored):
    graded = scored.assign(grade=np.arange(len(scored)) % 5 + 1)
    styled = qa_frame.style(graded.qa.summary("model", metrics=["f1", "grade"]))
    assert styled.cells["f1"] == ["0.206", "0.724", "0.339"]
    assert styled.cells["grade"] == ["3.000"] * 3


def test_in_polars_figures_are_known_by_their_names_or_bounds(scored):
    table = qa_frame.summary(pl.from_pandas(scored), "model", percent=True)
    more = table.with_columns(size=pl.Series([7.0, 70.25, 0.034]))
    assert qa_frame.style(more).marks.keys() == {"em", "f1", "recall"}
    assert qa_frame.style(more).cells["f1"] == ["20.6", "72.4", "33.9"]


@pytest.mark.needs("plot")
@pytest.mark.filterwarnings("ignore::qa_frame.errors.IntervalWarning")
@pytest.mark.parametrize("name", ["n_words", "n_f1", "value", "metric", "lo", "p"])
def test_names_of_the_users_metrics_mean_nothing(name):
    metric = qa_frame.PairMetric(name, lambda preds, _: [len(pred.split()) / 7 for pred in preds])
    scored = qa_frame.sample().qa.score("response", "answers", metrics=["f1", metric])
    plain = scored.rename(columns={name: "own"})
    columns = plain.attrs["qa_scored"]["columns"]
    columns["own"] = {**columns.pop(name), "metric": "own"}
    for form in ({"ci": 0.95}, {"ci": 0.95, "long": True}, {}):
        tables = [frame.qa.summary("model", **form) for frame in (scored, plain)]
        styled, expected = map(qa_frame.style, tables)
        column = "value" if "long" in form else name
        assert styled.cells[column] == expected.cells[column if "long" in form else "own"]
        assert styled.marks[column] == expected.marks[column if "long" in form else "own"]
        assert name in qa_frame.style(tables[0], counts=False).cells or "long" in form
        drawn = [qa_frame.plot.summary(table, ax=Figure().subplots()) for table in tables]
        points, others = ([line.get_xydata().tolist() for line in ax.lines] for ax in drawn)
        assert points == others


def test_figures_of_the_users_own_do_not_decide_what_is_in_percent(scored):
    graded = scored.assign(grade=np.arange(len(scored)) % 5 + 1)
    for long in (False, True):
        table = graded.qa.summary("model", metrics=["f1", "grade"], ci=0.95, long=long)
        noted = qa_frame.style(table).cells
        assert qa_frame.style(pl.from_pandas(table if long else table.reset_index())).cells == noted


def test_a_stream_is_read_once(scored):
    table = pa.Table.from_pandas(scored.qa.summary("model").reset_index())
    assert qa_frame.style(table.to_reader()).cells == qa_frame.style(table).cells
    rows = pa.Table.from_pandas(scored)
    assert qa_frame.style(rows.to_reader()).cells == qa_frame.style(rows).cells


@pytest.mark.needs("plot")
@pytest.mark.parametrize("convert", [None, pl.from_pandas, pa.Table.from_pandas])
def test_scored_rows_are_no_table_of_results(scored, convert):
    data = scored if convert is None else convert(scored)
    with pytest.raises(qa_frame.errors.ColumnTypeError, match=r"360 rows .* qa_frame\.style\(qa_frame\.summary\(data"):
        qa_frame.plot.summary(data)
    assert qa_frame.style(data).note == "The first 50 of 360 rows."


@pytest.mark.parametrize(
    "note", [None, {}, {"kind": "summary"}, {"kind": 3, "keys": [], "figures": [], "percent": 1}, 7]
)
def test_a_note_of_somebody_elses_is_passed_over(scored, note):
    table = scored.qa.summary("model")
    plain = qa_frame.style(table).marks
    table.attrs["qa_table"] = note
    assert qa_frame.style(table).marks == plain


# --- tables of ranks, of power, and of margins


@pytest.mark.parametrize("convert", [None, pl.from_pandas, pa.Table.from_pandas])
def test_ranks_have_whole_bounds(compared, convert):
    table = compared.qa.ranks()
    styled = qa_frame.style(table if convert is None else convert(table))
    assert styled.cells["rank"] == [f"{row.rank} [{row.rank_lo}, {row.rank_hi}]" for row in table.itertuples()]
    assert styled.cells["mean"] == [f"{mean:.3f}" for mean in table["mean"]]
    assert not {"rank_lo", "rank_hi"} & styled.cells.keys()
    assert styled.note.startswith("In brackets: the ranks that a group may have")


def test_the_note_on_ranks_says_the_level_of_the_tests(compared):
    styled = qa_frame.style(compared.qa.ranks(ci=0.99))
    assert styled.note == "In brackets: the ranks that a group may have, by differences with adjusted p < 0.01."


@pytest.mark.needs("power")
@pytest.mark.parametrize("convert", [None, pl.from_pandas])
def test_power_has_figures_and_counts(convert):
    table = qa_frame.power(difference=[0.02, 0.05], sd=0.5)
    styled = qa_frame.style(table if convert is None else convert(table))
    assert styled.cells["difference"] == ["0.020", "0.050"]
    assert styled.cells["n"] == [str(n) for n in table["n"]]
    assert styled.cells["ci"] == ["0.95", "0.95"]


@pytest.mark.parametrize("convert", [None, pl.from_pandas])
def test_margins_have_the_digits_of_figures(scored, convert):
    table = scored.qa.compare("model", "question_id", metrics="f1", n_resamples=200, margin=0.1)
    cells = qa_frame.style(table if convert is None else convert(table)).cells
    for name in ("mdd", "tost_lo", "tost_hi"):
        assert cells[name] == [number(value, ".3f") for value in table[name]]
    written = ["<0.001" if p < 0.001 else f"{p:.3f}" for p in table["p_equivalent"]]
    assert cells["p_equivalent"] == written


@pytest.mark.parametrize("convert", [None, pl.from_pandas])
def test_a_group_of_nulls_has_the_same_name_in_every_layout(scored, convert):
    unknown = scored.assign(model=scored["model"].where(scored["model"] != "lynx-70b"))
    data = unknown if convert is None else convert(unknown)
    plain = qa_frame.style(qa_frame.summary(data, by="model"))
    spread = qa_frame.style(qa_frame.summary(data, by=["model", "dataset"]), columns="dataset")
    assert plain.cells["model"] == spread.cells["model"] == ["heron-7b", "otter-chat", "(null)"]
