"""The pages of the documentation leave out no convention, no metric and no room of the package that users call."""

import ast
import dataclasses
import importlib
import json
import re
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import qa_frame
from tests.rules.test_signature import with_a_new_setting

pytestmark = pytest.mark.whole

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"
PAGES = NOTEBOOKS / "pages"
README = NOTEBOOKS.parent / "README.md"


@pytest.fixture(scope="module")
def made_parts():
    sys.path.insert(0, str(NOTEBOOKS))
    try:
        return importlib.import_module("made_parts")
    finally:
        sys.path.remove(str(NOTEBOOKS))


@pytest.mark.thorough
def test_the_made_parts_of_pages_are_those_of_the_package():
    program = [sys.executable, "-W", "error", NOTEBOOKS / "made_parts.py", "--check"]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_made_part_takes_the_place_of_the_one_before(made_parts):
    below = "<!-- end -->\n\nBelow\n\n<!-- made: picture summary -->\n"
    text = f"# Page\n\n<!-- made: settings squad2 -->\n\nThese words go.\n\n{below}"
    once = made_parts.with_parts(text)
    assert "| no_answer | `False` | `True` |" in once
    assert "These words go." not in once
    assert once.endswith(f"\n\n{below}")
    assert made_parts.with_parts(once) == once


def test_the_reference_says_types_in_full(made_parts):
    found = made_parts.spelled_out("Metrics", "qa_frame.tables.score")
    assert found == 'Iterable[str | PairMetric] | str | Literal["all"] | PairMetric | None'
    lines = ["Score.", "", "Parameters", "----------", "pred, gold", "    Columns.", "missing", "    How nulls count."]
    made_parts.add_types(None, "function", "qa_frame.score", qa_frame.score, None, lines)
    assert lines[4::2] == ["pred, gold : Hashable", 'missing : Literal["zero", "null", "raise"]']


def test_docstrings_name_pages_that_are_there(made_parts):
    """`help` shows a docstring as it stands: a link in it is of no use there, and the title of a page is."""
    titles = {made_parts.title_of(path) for path in PAGES.glob("*.md")}
    named = set()
    for path in Path(qa_frame.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
                text = ast.get_docstring(node) or ""
                assert not re.search(r"\]\((\.|\w+\.md|https?:)", text), (path, node)
                named |= {*made_parts.NAMED_PAGE.findall(text)}
    assert len(named) >= 4
    assert named - titles == set()


def test_the_reference_has_no_private_names(made_parts):
    assert [name for name in made_parts.public_names() if re.search(r"\._[^_]", name)] == []
    assert "_Visible" not in (PAGES / "reference" / "errors.md").read_text("utf-8")


@pytest.mark.thorough
def test_the_pictures_of_the_readme_are_what_its_code_draws():
    for module in ("matplotlib", "jinja2"):
        pytest.importorskip(module)
    program = [sys.executable, "-W", "error", NOTEBOOKS / "front.py", "--check"]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_code_of_the_readme_leads_to_the_warning_that_it_explains(tmp_path, monkeypatch):
    pytest.importorskip("jinja2")
    monkeypatch.chdir(tmp_path)
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("agg")
    page = README.read_text("utf-8")
    (first,) = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    names = {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        exec(first, names)
        plt.close("all")
    said = [str(each.message) for each in caught]
    assert said[0].startswith("16 % of the answers contain a gold and at least twice as many other words. em and f1")
    assert all("answers contain a gold" in each for each in said)
    assert "`score` warns here: 16 % of the answers contain a gold and at least twice as many other words" in page
    assert "people (in this made-up sample) accept 97 % of its answers" in page.replace("\n", " ")
    people = names["df"].groupby("model")["human"].apply(lambda verdicts: verdicts.dropna().mean())
    assert round(100 * people["otter-chat"]) == 97
    means = repr(names["scored"].groupby("model")[["em", "f1"]].mean())
    assert "\n".join(line.rstrip() for line in means.splitlines()) in page
    report = re.sub(r"<[^>]*>", "", (tmp_path / "report.html").read_text("utf-8"))
    assert re.search(r"By recall, lynx-70b leads with .{10,40}: better than heron-7b; undecided against", report)
    assert all(len(line) <= 80 for line in first.splitlines())


@pytest.mark.needs("audit")
def test_the_readme_tells_how_many_rows_of_the_sample_rouge_does_not_see():
    (n,) = re.findall(r"`audit` counts such rows: (\d+) of the sample's", README.read_text("utf-8"))
    findings = qa_frame.sample().qa.audit(pred="response", gold="answers").set_index("finding")
    assert findings.loc["gold_without_ngrams", "count"] == int(n)


def test_an_outdated_output_of_a_notebook_is_found():
    v4 = pytest.importorskip("nbformat").v4
    pytest.importorskip("nbclient")
    run_notebooks = importlib.import_module("tests.run_notebooks")

    def notebook(shown, printed):
        result = v4.new_output("execute_result", {"text/plain": shown, "text/html": f"<b>{printed}</b>"})
        stream = v4.new_output("stream", text=f"{printed} took 1.{len(printed)} s\n")
        return v4.new_notebook(cells=[v4.new_markdown_cell("# f1"), v4.new_code_cell("f1", outputs=[stream, result])])

    assert run_notebooks.outdated(notebook("0.5", "x"), notebook("0.5", "x")) == []
    found = run_notebooks.outdated(notebook("0.5", "x"), notebook("0.6", "x"))
    assert found[0].startswith("the output of this cell is outdated:\nf1")
    assert {"-0.5", "+0.6"} <= set(found)
    assert run_notebooks.outdated(notebook("0.5", "x took 2 s"), notebook("0.5", "x took 20 s")) == []
    assert run_notebooks.outdated(notebook("0.5", "x"), notebook("0.5", "y"))


def marks(path):
    found = re.findall(r"^<!-- made: (.*?)\s-->$", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return [" ".join(mark.split()) for mark in found]


def test_each_convention_has_a_page_and_each_page_a_convention():
    pages = {path.stem for path in (PAGES / "conventions").glob("*.md")}
    assert pages == {*qa_frame.conventions, "composed", "index"}


@pytest.mark.parametrize("name", qa_frame.conventions)
def test_a_page_of_a_convention_has_its_own_settings_an_example_and_its_quirks(name):
    page = PAGES / "conventions" / f"{name}.md"
    text = page.read_text(encoding="utf-8")
    assert marks(page) == [f"settings {name}", f"scores {name}"]
    assert f'convention="{name}"' in text or name == next(iter(qa_frame.conventions))
    for heading in ("## Example", "## Known quirks", "## Scores of the same texts"):
        assert heading in text
    assert "\n>>> " in text


def test_each_convention_is_named_beside_the_call_of_its_tool():
    table = (PAGES / "coming_from.md").read_text(encoding="utf-8").partition("## ")[0]
    named = set(re.findall(r'"(\w+)"', "".join(line.rsplit(" | ", 1)[-1] for line in table.splitlines())))
    assert set(qa_frame.conventions) - named == set()


def test_the_settings_of_a_page_are_all_that_differ_from_the_default(made_parts):
    shown = made_parts.settings("squad2")
    differing = re.findall(r"^\| (\S.*?) \|", shown, re.MULTILINE)
    assert differing == ["setting", "---", "`exact`: empty", "`overlap`: empty", "no_answer"]


@pytest.mark.parametrize("name", qa_frame.conventions)
def test_the_settings_of_a_page_are_all_settings(made_parts, name):
    convention, squad = qa_frame.conventions[name], qa_frame.conventions["squad"]
    shown = made_parts.settings(name)
    differing = {each.strip("`") for each in re.findall(r"^\| ([^|:]*)(?:: \w+)? \|", shown, re.MULTILINE)}
    lacking = "".join(re.findall(r"^It has no rule for (.*)$", shown, re.MULTILINE))
    differing |= {*re.findall(r"`(\w+)`", lacking.replace("chrf++", "chrf_pp"))}
    in_words = {"name", "follows", "differs", "source", "family", "language", "metrics"}
    for field in {field.name for field in dataclasses.fields(convention)} - in_words:
        assert getattr(convention, field) == getattr(squad, field) or field in differing
    fenced = re.findall(r"^- (`+)(.*)\1$", shown.partition("The signature, which")[2], re.MULTILINE)
    parts = [part[1:-1] if len(fence) > 1 else part for fence, part in fenced]
    assert "|".join(parts) == convention.signature.rpartition("|")[0]


@pytest.mark.parametrize("name", ["squad", "hotpotqa"])
def test_a_page_does_not_show_a_new_setting_at_its_default(made_parts, name, monkeypatch):
    shown = made_parts.settings(name)
    widened = {each: with_a_new_setting(qa_frame.conventions[each]) for each in dict.fromkeys(("squad", name))}
    monkeypatch.setattr(qa_frame, "conventions", widened)
    assert made_parts.settings(name) == shown


def test_each_metric_has_a_formula():
    text = (PAGES / "definitions.md").read_text(encoding="utf-8")
    formulas = text.partition("## Formulas")[2].partition("## Empty sides")[0]
    first_cells = re.findall(r"^\| (`.*?`) \| .+ \|$", formulas, re.MULTILINE)
    assert sorted(" ".join(first_cells).replace("`", "").split()) == sorted(qa_frame.metrics)


def test_every_mark_names_a_part_that_can_be_made(made_parts):
    found = [mark.split()[0] for path in NOTEBOOKS.rglob("*.md") for mark in marks(path)]
    assert set(found) == {*made_parts.MADE, "picture"}


def test_each_page_is_in_a_table_of_contents(made_parts):
    listed = {NOTEBOOKS / "index.md"}
    for path in NOTEBOOKS.rglob("*.md"):
        text = path.read_text(encoding="utf-8")
        for kind, *arguments in (mark.split() for mark in marks(path)):
            if kind in {"contents", "conventions_contents", "reference", "tutorials"}:
                text += f"\n{made_parts.MADE[kind](*arguments)}"
        for contents in re.findall(r"^```\{toctree\}\n:hidden:\n\n(.*?)\n```$", text, re.MULTILINE | re.DOTALL):
            listed |= {(path.parent / line).resolve() for line in contents.split()}
    written = {path.resolve().with_suffix("") for path in (*NOTEBOOKS.rglob("*.md"), *NOTEBOOKS.glob("*.ipynb"))}
    with_pages = filter(made_parts.has_page, made_parts.public_names())
    names = {(made_parts.FUNCTIONS / name).resolve() for name in with_pages}
    assert written | names == {path if path in names else path.with_suffix("") for path in listed}


def test_examples_end_with_the_empty_line_that_doctest_needs():
    for path in NOTEBOOKS.rglob("*.md"):
        for block in re.findall(r"^```pycon\n(.*?)^```$", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
            assert block.endswith("\n\n"), (path, block)


COLUMNS = 80
"""The widest line of code that a page shows whole."""


def test_code_of_pages_is_shown_whole():
    pages = [README, *(path for path in NOTEBOOKS.rglob("*.md") if path.parent.name != "functions")]
    wide = [
        (path.name, line)
        for path in pages
        for block in re.findall(r"^```\w*\n(.*?)^```$", path.read_text("utf-8"), re.MULTILINE | re.DOTALL)
        for line in block.splitlines()
        if len(line) > COLUMNS
    ]
    assert wide == []


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_notebooks_show_code_and_texts_whole_and_no_path_of_a_machine(path):
    cells = [cell for cell in json.loads(path.read_text("utf-8"))["cells"] if cell["cell_type"] == "code"]
    printed = [output for cell in cells for output in cell["outputs"] if output["output_type"] == "stream"]
    texts = ["".join(each) for each in (*(cell["source"] for cell in cells), *(output["text"] for output in printed))]
    assert [line for text in texts for line in text.splitlines() if len(line) > COLUMNS] == []
    assert not re.search(r"/(?:tmp|home|root|Users)/", json.dumps(cells))
