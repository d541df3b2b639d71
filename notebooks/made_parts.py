"""The parts of the site's pages that are made from the package itself, so that they cannot become outdated.

A page asks for a part by a line such as `<!-- made: settings squad2 -->`; `MADE` lists the kinds. The part follows in
the file, up to `<!-- end -->`, for those who read the pages where the code is kept. `python notebooks/made_parts.py`
writes these parts anew. With `--check` it writes nothing, and fails if one is outdated. What only a site can show, such
as pictures and docstrings, is made when Sphinx builds the site. The pages are plain Markdown, whose examples are tested
by `pytest --doctest-glob`.
"""

import argparse
import ast
import contextlib
import doctest
import importlib
import inspect
import io
import json
import re
import shlex
import sys
import textwrap
import warnings
from itertools import pairwise
from pathlib import Path

import click
import pandas as pd

import qa_frame
from qa_frame.ext.shell.commands import COMMANDS, Commands, commands
from qa_frame.rules.listing import title_of_family
from qa_frame.rules.parts import FAMILIES, IN_WORDS
from qa_frame.rules.signature import all_settings, changed_settings, describe
from qa_frame.scoring.call_rules import DEFAULTS
from qa_frame.text.specification import Text

MARK = re.compile(r"^<!-- made: (\w+)([^>]*?)\s-->$(?:\n(?:(?!<!-- (?!end)).*\n)*?<!-- end -->$)?", re.MULTILINE)
ONLY_ON_SITE = re.compile(
    r"^```\{(?:toctree|eval-rst)\}\n.*?^```\n?|^!\[.*\)$|<a id=\"[^\"]*\"></a>", re.MULTILINE | re.DOTALL
)
LINK_ON_SITE = re.compile(r"\{py:\w+\}(`.*?`)|\[(`[^]]*`)\]\(functions/.*?\)")
PICTURE_OF_README = re.compile(
    '<picture><source media="[^"]*" srcset="(?P<dark>[^"]*)">'
    '<img src="(?P<light>[^"]*)" alt="(?P<alt>[^"]*)" width="(?P<width>[^"]*)"></picture>'
)
NAMED_PAGE = re.compile(r'\bpage "([^"]*)"')
AFTER_EXAMPLES = re.compile(r"\n\n```$", re.MULTILINE)
"""The tests need an empty line below the examples of a block, which readers do not."""
NOTEBOOKS = Path(__file__).parent
PICTURES = NOTEBOOKS / "made"
FUNCTIONS = NOTEBOOKS / "pages" / "reference" / "functions"

TUTORIALS = ["quickstart", "error_analysis", "conventions", "statistics", "reproduce"]
"""The notebooks in the order of learning. Others come last."""

STEPS_IN_WORDS = {
    "lower": "lower-cased",
    "casefold": "case folded",
    "upper": "upper-cased",
    "strip": "white space at both ends cut",
    "collapse_spaces": "white space collapsed",
    "nfkc": "in the form NFKC",
    "nfd": "in the form NFD",
    "delete_ascii_punctuation": "ASCII punctuation deleted",
    "delete_punctuation": "all Unicode punctuation deleted",
    "delete_ascii_punctuation_outside_floats": "ASCII punctuation deleted but in numbers",
    "strip_marks": "white space and ASCII punctuation at both ends cut",
    "keep_a_z_0_9": "all but a-z and 0-9 become spaces",
    "stem": "stemmed (Porter)",
    "floats": "numbers as floats",
    "finite_floats": "numbers as floats, ASCII punctuation of other words deleted",
    "split_jieba": "words by jieba",
    "distinct_words": "each word once",
    "space(ascii_punctuation)": "ASCII punctuation becomes spaces",
}
SPLITS_IN_WORDS = {
    "none": "as one text",
    "words": "cut at white space",
    "spaces": "cut at each space",
    "characters": "each character a token",
    "characters_without_space": "each character but white space a token",
    "sentences": "cut at white space, ends of sentences kept",
    "unicode_words": "words by Unicode's rules",
    "unicode_characters": "characters by Unicode's rules",
    "13a": "sacrebleu's 13a tokens",
    "13a-hf": "13a tokens as HF evaluate cuts them",
    "treebank": "Penn Treebank tokens",
    "mixed_cjk": "Chinese characters and other words",
    "mixed_cjk_jieba": "Chinese characters and jieba's words",
}
"""Steps and splits in words. Those without words are shown by their names."""

SHOWN_WORDS, SHOWN_CHARACTERS = 5, 20
"""Longer lists of words or characters are only counted."""

EXAMPLES = pd.DataFrame(
    {
        "prediction": [
            "The Seine.", "the river Seine in Paris", "It is 3,14", "yes\nBecause it rains.",
            "A", "", "Rouen", "state-of-the-art",
        ],
        "golds": [["Seine"], ["river Seine", "the Seine"], ["3.14"], ["Yes"], ["A"], [""], [], ["state of the art"]],
    }
)  # fmt: skip
"""Texts on which conventions differ. The site shows each convention's scores of them."""


def fill_marks(app, docname, source):  # noqa: ARG001  (the arguments that Sphinx gives)
    """Put the made parts into a page. An unknown mark, or one that names what is not there, fails the build."""
    page = source[0]
    if MARK.search(page):
        page = MARK.sub(lambda mark: made_part(mark, source[0]), page)
    source[0] = AFTER_EXAMPLES.sub("\n```", on_site(page))


def with_parts(page):
    """Return a page with its parts as they are now, less what only a site can show."""

    def part(mark):
        asked = mark[0].partition("-->")[0] + "-->"
        text = "" if mark[1] in MADE_WITH_SPHINX else ONLY_ON_SITE.sub("", made_part(mark, page)).strip()
        text = LINK_ON_SITE.sub(lambda link: link[1] or link[2], text)
        return f"{asked}\n\n{text}\n\n<!-- end -->" if text else asked

    return MARK.sub(part, page)


def made_part(mark, page):
    """Return the Markdown for one mark of a page."""
    kind, argument = mark[1], mark[2].strip()
    if kind == "picture":
        return picture(argument, page[: mark.start()])
    return MADE[kind](*argument.split())


# --- tables


def table(titles, rows):
    """Return a table in Markdown."""
    lines = [titles, ["---"] * len(titles), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def code(value):
    """Return a value as code, in a table's cell; its text in full, marks and spaces too."""
    text = str(value)
    fence = "``" if "`" in text else "`"
    return f"{fence} {text} {fence}" if "`" in text else f"`{text}`"


def names_as_code(names):
    return " ".join(map(code, names))


def contents(*pages):
    """Return a table of contents that only the sidebar shows."""
    return "\n".join(["```{toctree}", ":hidden:", "", *pages, "```"])


# --- the front


def opening():
    """Return the beginning of the README, with its links and pictures as they are seen from the front page."""
    readme = (NOTEBOOKS.parent / "README.md").read_text(encoding="utf-8")
    text = readme.partition("<!-- opening -->")[2].partition("<!-- end of opening -->")[0].strip()
    return text.replace("notebooks/", "")


def on_site(page):
    """Return a page with the pictures of the README as its theme shows them: those for dark screens on dark pages."""
    return PICTURE_OF_README.sub(
        lambda found: "".join(
            f'<img src="_static/{path}" alt="{found["alt"]}" width="{found["width"]}" class="only-{scheme}">'
            for path, scheme in ((found["light"], "light"), (found["dark"], "dark"))
        ),
        page,
    )


def sample_report(home=""):
    """Return a link to the report of the sample, which `write_sample_report` makes. home: the way to the front page."""
    return f'<p><a href="{home}_static/sample_report.html"><b>Open a sample report</b></a></p>'


def write_sample_report(app):
    """Write the report that the front page leads to."""
    scored = qa_frame.sample().qa.score("response", "answers", metrics=["em", "f1", "contains"])
    path = Path(app.outdir) / "_static" / "sample_report.html"
    path.parent.mkdir(parents=True, exist_ok=True)
    scored.qa.report(path, by="model", question="question_id", overwrite=True)


def index(*entries):
    """Return entries of the site's index, which its search puts first. In an entry, `_` stands for a space."""
    return as_rst(".. index:: " + ", ".join(f"! {entry.replace('_', ' ')}" for entry in entries))


# --- tutorials


def tutorials():
    """Return a table of the notebooks in the order of learning, with the first paragraph of each, and the contents."""
    places = {name: place for place, name in enumerate(TUTORIALS)}
    paths = sorted(NOTEBOOKS.glob("*.ipynb"), key=lambda path: (places.get(path.stem, len(places)), path.stem))
    rows = []
    for path in paths:
        title, first = "".join(json.loads(path.read_text(encoding="utf-8"))["cells"][0]["source"]).split("\n\n")[:2]
        rows.append([f"[{title.removeprefix('# ')}](../{path.name})", first.replace("\n", " ")])
    return table(["notebook", "what it is about"], rows) + "\n\n" + contents(*(f"../{path.stem}" for path in paths))


# --- conventions


def conventions_table():
    """Return a table of the conventions of each family."""
    groups = {}
    for name, convention in qa_frame.conventions.items():
        row = [f"[`{name}`]({name}.md)", convention.follows, convention.differs]
        groups.setdefault(convention.family, []).append(row)
    titles = ["convention", "follows", "in short"]
    return "\n\n".join(f"## {title_of_family(family)}\n\n{table(titles, rows)}" for family, rows in groups.items())


def conventions_contents():
    return contents(*qa_frame.conventions)


def settings(name):
    """Return what a convention follows, scores and sets, and how that differs from the default convention."""
    convention = qa_frame.conventions[name]
    default = next(iter(qa_frame.conventions.values()))
    defined = [metric for metric, described in qa_frame.metrics.items() if name in described.conventions]
    facts = (
        f"- It follows: {convention.follows}\n- In short: {convention.differs}\n"
        f"- It scores by default: {names_as_code(convention.metrics)}\n- All its metrics: {names_as_code(defined)}"
    )
    own = settings_in_words(convention)
    if convention is default:
        head = "## Settings"
        compared = table(["setting", code(name)], [[each, own[each]] for each in changed_in_words(convention)])
    else:
        usual = settings_in_words(default)
        rows = [[each, usual[each], own[each]] for each in own if each in usual and usual[each] != own[each]]
        rows += [[each, "no rule", own[each]] for each in changed_in_words(convention) if each not in usual]
        head = f"## Differences from `{default.name}`"
        compared = table(["setting", code(default.name), code(name)], rows) if rows else "None in what it scores."
        lacking = [
            each for each in FAMILIES if getattr(convention, each) is None and getattr(default, each) is not None
        ]
        left_out = ["chrf++" if each == "chrf_pp" else each for each in lacking]  # as metrics have it
        compared += f"\n\nIt has no rule for {names_as_code(left_out)}." if left_out else ""
    *signature, _version = convention._signature_parts()  # noqa: SLF001  (a part may hold the bar between parts)
    lines = "\n".join(f"- {code(part)}" for part in signature)
    return f"{facts}\n\n{head}\n\n{compared}\n\n" + folded("The signature, which names every setting", lines)


def folded(title, text):
    """Return Markdown that a reader opens by a click."""
    return f"<details><summary>{title}</summary>\n\n{text}\n\n</details>"


def settings_in_words(convention, chosen=all_settings):
    """Return each setting of a convention in words, by the name of its family and of its field."""
    found = {}
    for family in FAMILIES:
        rule = getattr(convention, family)
        if rule is not None:
            found |= {f"`{family}`: {name}": in_words(each) for name, each in chosen(rule).items()}
    for name, setting in chosen(convention).items():
        if name not in {*FAMILIES, *IN_WORDS, "name"}:
            is_name = not isinstance(setting, str) or setting.isidentifier()
            found[name] = code(setting if is_name else repr(setting) if setting else "none")
    return found


def changed_in_words(convention):
    """Return the settings that are not at their defaults, in the same way."""
    return settings_in_words(convention, changed_settings)


def in_words(setting):
    """Return a setting in words, as `lower-cased, without ASCII punctuation, as words`."""
    if not isinstance(setting, Text):
        return code(describe(setting) or "none")
    steps = [step_in_words(step) for step in setting.steps]
    split = describe(setting.split)
    return ", ".join([*steps, SPLITS_IN_WORDS.get(split, f"cut by {code(split)}")])


def step_in_words(step):
    """Return one step of a text's rule in words, or its name as code where it has none."""
    shown = describe(step)
    kind, _, argument = shown.partition("(")
    if shown in STEPS_IN_WORDS:
        return STEPS_IN_WORDS[shown]
    if kind == "replace":
        return f"{code(step.pattern)} becomes {code(repr(step.by))}"
    if kind in {"blank", "drop"}:
        words = [code(word) for word in step.words]
        return "without " + (" ".join(words) if len(words) <= SHOWN_WORDS else f"{len(words)} words")
    if kind in {"delete", "space"}:
        few = len(argument) <= SHOWN_CHARACTERS
        which = code(argument.removesuffix(")")) if few else f"{len(step.characters)} characters"
        return f"{which} {'deleted' if kind == 'delete' else 'become spaces'}"
    return code(shown)


def scores(name):
    """Return the scores of the example texts under a convention, beside those of the default one."""
    default = next(iter(qa_frame.conventions))
    own = qa_frame.conventions[name].metrics
    shown = [metric for metric in own if metric in qa_frame.conventions[default].metrics] or list(own)
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", qa_frame.errors.ScoringWarning
        )  # of golds without words, which are shown on purpose
        frames = {
            each: EXAMPLES.qa.score("prediction", "golds", metrics=shown, convention=each, append=False)
            for each in dict.fromkeys((name, default))
        }
    rows = [
        [code(repr(prediction)), code(golds), *(cell(frames, metric, place, name, default) for metric in shown)]
        for place, (prediction, golds) in enumerate(zip(EXAMPLES["prediction"], EXAMPLES["golds"], strict=True))
    ]
    note = "" if name == default else f" Where `{default}` gives another score, it stands in brackets."
    return f"`nan` is a row that cannot be scored.{note}\n\n" + table(["prediction", "golds", *map(code, shown)], rows)


ANSWERS = (
    ("Chinese", "答案是上海。", "上海"),
    ("Chinese", "北京市", "北京"),
    ("Japanese", "東京です。", "東京"),
    ("Korean", "서울에서", "서울"),
    ("Thai", "คำตอบคือกรุงเทพฯ", "กรุงเทพฯ"),
    ("Arabic", "في القاهرة", "القاهرة"),
    ("Hindi", "नई दिल्ली।", "नई दिल्ली"),
    ("Russian", "«Война и мир»", "Война и мир"),
    ("German", "Die Elbe.", "Elbe"),
    ("German", "im Jahr 1990", "1990"),
)
"""Answers of several languages, and golds."""


def languages(*names):
    """Return the F1 of answers of several languages under these conventions."""
    answers = pd.DataFrame(ANSWERS, columns=["language", "response", "gold"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", qa_frame.errors.ScoringWarning)  # of what the page is about
        for name in names:
            answers[name] = answers.qa.score("response", "gold", metrics="f1", convention=name, append=False)["f1"]
    rows = ([*row[:3], *(f"{score:.2f}".replace("1.00", "**1**") for score in row[3:])] for row in answers.to_numpy())
    return table(["language", "response", "gold", *map(code, names)], rows)


def cell(frames, metric, place, name, default):
    own, usual = (f"{frames[each][metric].iloc[place]:.3g}" for each in (name, default))
    return own if own == usual else f"**{own}** ({usual})"


# --- metrics


def sources_of_metrics():
    """Return a table of the sources of the metrics, each with its metrics."""
    by_source = {}
    for name, metric in qa_frame.metrics.items():
        by_source.setdefault(metric.source, []).append(name)
    return table(["metrics", "source"], [[names_as_code(names), source] for source, names in by_source.items()])


# --- the command line


COMMAND_EXAMPLES = {
    "score": "runs/*.jsonl -o scored.parquet",
    "summary": '"logs/*.eval" --by model --ci 0.95',
    "compare": "old.jsonl new.jsonl --fail-if-worse f1=0.02",
    "audit": "run.csv --fail-if-found",
    "report": "runs/*.jsonl -o report.html",
    "convert": "logs/*.jsonl -o rows.parquet",
    "conventions": "drop",
    "demo": "",
}
"""What follows a command's name in an example of it."""


def each_command():
    """Yield the name, the command and the context of each."""
    context = click.Context(commands, info_name="qa-frame")
    for name in COMMANDS:
        command = Commands.get_command(commands, context, name)
        yield name, command, click.Context(command, parent=context, info_name=name, terminal_width=80)


def commands_table():
    """Return a table of the commands with an example of each."""
    rows = []
    for name, command, context in each_command():
        command.make_parser(context).parse_args(shlex.split(COMMAND_EXAMPLES[name]))  # an unknown option is an error
        rows.append([code(f"qa-frame {name} {COMMAND_EXAMPLES[name]}".strip()), command.get_short_help_str(limit=200)])
    return table(["command", "what it does"], rows)


def commands_help():
    """Return what `--help` of each command prints, below the command's name."""
    return "\n\n".join(
        f"## {name}\n\n```text\n{command.get_help(context)}\n```" for name, command, context in each_command()
    )


# --- docstrings


def notes(module):
    """Return a module's docstring, its indented lines as code."""
    text = inspect.getdoc(importlib.import_module(module)).replace("::\n", ":\n") + "\n"
    blocks = re.compile(r"(?:^    .*\n\n*)+", re.MULTILINE)
    return blocks.sub(lambda block: f"```python\n{textwrap.dedent(block[0]).strip()}\n```\n\n", text).strip()


def reference(*rooms):
    """Return a table of all public names that are defined in these rooms of the package, and the contents."""
    names = [name for name in public_names() if room_of(name) in rooms]
    if not names:
        raise LookupError(f"no public name is defined in {rooms}")
    rows = (
        [f"[`{name}`](functions/{name}.md)" if has_page(name) else place_of(name), *paragraphs(name)[:1]]
        for name in names
    )
    pages = contents(*(f"functions/{name}" for name in names if has_page(name)))
    return table(["name", "what it is"], rows) + "\n\n" + pages


def errors_table():
    """Return a table of the errors and warnings: when each is raised, and what to do."""
    names = [name for name in public_names() if room_of(name) == "errors" and inspect.isclass(find(name))]
    return table(["name", "when", "what to do"], ([place_of(name), *paragraphs(name)[:2]] for name in names))


def place_of(name):
    """Return a public name that has no page, with a place in the table, to which links may lead."""
    return f'<a id="qa_frame.{name}"></a>{code(name)}'


def write_reference(app):  # noqa: ARG001  (the argument that Sphinx gives)
    """Write a page for each public name that has one, before Sphinx looks for pages."""
    FUNCTIONS.mkdir(exist_ok=True)
    pages = {FUNCTIONS / f"{name}.md": page_of(name) for name in public_names() if has_page(name)}
    for path in {*FUNCTIONS.glob("*.md")} - pages.keys():
        path.unlink()
    for path, page in pages.items():
        if not path.exists() or path.read_text(encoding="utf-8") != page:  # else Sphinx would read it again
            path.write_text(page, encoding="utf-8")


def has_page(name):
    """Whether a public name has a page of its own: functions and classes, but not errors, which are one table."""
    value = find(name)
    return (inspect.isfunction(value) or inspect.isclass(value)) and room_of(name) != "errors"


def page_of(name):
    """Return the reference page of a public name; that of a picture begins with an example of it."""
    parts = [f"# {name.strip('_')}", directive(name)]
    if name.startswith("plot."):
        parts.insert(1, picture(name, inspect.getdoc(find(name)), paragraphs(name)[0]))
    return "\n\n".join(parts)


def public_names():
    """Return all public names, in which a function of a module follows that module, as `plot.summary`."""
    for name in sorted(qa_frame.__all__, key=str.lower):
        yield name
        value = find(name)
        if inspect.ismodule(value):
            yield from (f"{name}.{each}" for each in names_of_module(value) if each not in qa_frame.__all__)


def names_of_module(module):
    """Return the public names of a module: those that it lists, or else the classes that it defines."""
    classes = (each for each, value in vars(module).items() if inspect.isclass(value) and each[0] != "_")
    return getattr(module, "__all__", None) or sorted(
        each for each in classes if vars(module)[each].__module__ == module.__name__
    )


def find(name):
    """Return what has this public name."""
    found = qa_frame
    for part in name.split("."):
        found = getattr(found, part)
    return found


def paragraphs(name):
    """Return the paragraphs of what is written on a public name, each in one line."""
    value, home = find(name), home_of(name)
    if type(value).__module__.startswith("qa_frame."):
        value = type(value)
    if inspect.ismodule(value) or inspect.isfunction(value) or inspect.isclass(value):
        text = inspect.getdoc(value)
    else:
        text = documented(home).get(name.rpartition(".")[2], "") if home in sys.modules else ""
    return [" ".join(paragraph.split()) for paragraph in text.split("\n\n")]


def room_of(name):
    """Return the room, or the folder of `ext/`, in which a public name is defined, as "tables" or "audit"."""
    if name.startswith("plot."):
        return "plot"
    _, room, *inside = home_of(name).split(".")
    return inside[0] if room == "ext" else room


def home_of(name):
    """Return the module in which a public name is defined."""
    value = find(name)
    if inspect.ismodule(value):
        return value.__name__
    if inspect.isfunction(value) or inspect.isclass(value):
        return value.__module__
    last = name.rpartition(".")[2]
    for module_name, module in sorted(sys.modules.items()):
        if module_name.startswith("qa_frame.") and value is vars(module).get(last) and last in documented(module_name):
            return module_name
    return f"qa_frame.{name.strip('_')}"


def documented(module_name):
    """Return the constants of a module with what is written below each of them."""
    body = ast.parse(Path(sys.modules[module_name].__file__).read_text(encoding="utf-8")).body
    pairs = [(node, below.value) for node, below in pairwise(body) if isinstance(below, ast.Expr)]
    return {
        target.id: inspect.cleandoc(text.value)
        for node, text in pairs
        if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(text, ast.Constant)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }


def directive(name):
    """Return what shows the docstring of a function or a class."""
    module, _, last = f"qa_frame.{name}".rpartition(".")
    return class_of(module, last) if inspect.isclass(find(name)) else function_of(module, last)


def as_rst(text):
    return f"```{{eval-rst}}\n{text}\n```"


def members(module, *names):
    """Return the docstrings of these classes or functions of a module, which `qa_frame` does not export."""
    describe_name = {True: class_of, False: function_of}
    return "\n\n".join(f"### {name}\n\n{describe_name[name[0].isupper()](module, name)}" for name in names)


def function_of(module, name):
    return as_rst(f".. autofunction:: {module}.{name}")


def class_of(module, name):
    """Return a class's docstring with those of its methods, but for methods that are functions of the package."""
    found = getattr(importlib.import_module(module), name)
    own = [each for each, value in vars(found).items() if not each.startswith("_") and is_own(value, found)]
    return as_rst(f".. autoclass:: {module}.{name}" + (f"\n   :members: {', '.join(own)}" if own else ""))


def is_own(member, owner):
    if isinstance(member, property):
        member = member.fget
    return inspect.isfunction(member) and member.__module__ == owner.__module__


# --- types

RULES_HOME = "qa_frame.scoring.call_rules"
"""The module whose names the types of `DEFAULTS` are written with."""


def add_types(app, what, name, value, options, lines):  # noqa: ARG001, PLR0917  (the arguments that Sphinx gives)
    """Write the type of each parameter behind its name, as the signature has it."""
    try:
        parameters = inspect.signature(value).parameters
    except (TypeError, ValueError):
        return
    section = ""
    for place, line in enumerate(lines):
        if place and re.fullmatch("-{3,}", line):
            section = lines[place - 1]
        names = line.replace("*", "").split(", ")
        if section in {"Parameters", "Attributes"} and parameters.keys() >= {*names}:
            home = value.__module__
            if home.startswith("qa_frame.engines"):
                home = "qa_frame.tables.summary"  # whose arguments engines take
            if names[0] in DEFAULTS:
                home = RULES_HOME
            types = {spelled_out(str(parameters[each].annotation), home) for each in names}
            if len(types) == 1 and not types & {"Any", "By"}:  # which say nothing
                lines[place] = f"{line} : {types.pop()}"


def link_pages(app, what, name, value, options, lines):  # noqa: ARG001, PLR0917  (the arguments that Sphinx gives)
    """Link the pages that a docstring names by their titles. An unknown one raises KeyError."""
    stems = {title_of(path): path.stem for path in (NOTEBOOKS / "pages").glob("*.md")}
    lines[:] = [
        NAMED_PAGE.sub(lambda found: f"page :doc:`{found[1]} </pages/{stems[found[1]]}>`", line) for line in lines
    ]


def title_of(page):
    """Return the title of a page."""
    return page.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")


def spelled_out(annotation, module):
    """Return a type in which the package's own short names of types, such as `Metrics`, are what they stand for.

    The names of all metrics or conventions, which take many lines, are text.
    """
    source = Path(importlib.import_module(module).__file__).read_text(encoding="utf-8")

    def meaning(found):
        if found[0] in {"MetricName", "ConventionName"}:
            return "str"
        short = re.search(rf"^{found[0]}(?:: TypeAlias)? = (.*[|\[].*)$", source, re.MULTILINE)
        home = re.search(rf"^ *from (qa_frame[\w.]*) import [^\n]*\b{found[0]}\b", source, re.MULTILINE)
        if short:
            return spelled_out(re.sub('^"|"$', "", short[1]), module)
        return spelled_out(found[0], home[1]) if home else found[0]

    return re.sub(r"(?<![\w.\"'])[A-Z]\w+", meaning, annotation)


# --- pictures

DARK_GROUND = dict.fromkeys(("figure.facecolor", "axes.facecolor", "savefig.facecolor"), "#14181e")
"""The colour of the theme's dark pages."""


def picture(name, above, alternative=""):
    """Draw what the examples above the mark leave in `ax`, for light and for dark pages, and return both pictures."""
    import matplotlib as mpl  # noqa: PLC0415  (the tests read this module without it)

    mpl.use("agg")
    from matplotlib import pyplot as plt  # noqa: PLC0415

    PICTURES.mkdir(exist_ok=True)
    shown = []
    for scheme, style in {"light": {}, "dark": plt.style.library["dark_background"] | DARK_GROUND}.items():
        namespace = {}
        with contextlib.redirect_stdout(io.StringIO()), mpl.rc_context({**style, "backend": "agg"}):
            for example in doctest.DocTestParser().get_examples(above):
                exec(compile(example.source, f"<{name}>", "single"), namespace)  # noqa: S102  (our own page)
            ax = namespace["ax"]
            ax.figure.savefig(PICTURES / f"{name}-{scheme}.png", dpi=110, bbox_inches="tight")
            plt.close("all")
        text = " ".join((alternative or ax.get_title() or ax.get_xlabel() or name).split())
        shown.append(f"```{{image}} /made/{name}-{scheme}.png\n:alt: {text}\n:class: only-{scheme}\n```")
    return "\n\n".join(shown)


MADE = {
    "commands_help": commands_help,
    "commands_table": commands_table,
    "contents": contents,
    "errors_table": errors_table,
    "index": index,
    "languages": languages,
    "conventions_contents": conventions_contents,
    "conventions_table": conventions_table,
    "members": members,
    "notes": notes,
    "opening": opening,
    "reference": reference,
    "sample_report": sample_report,
    "scores": scores,
    "settings": settings,
    "sources_of_metrics": sources_of_metrics,
    "tutorials": tutorials,
}
"""What a mark may ask for, besides `picture NAME`."""

MADE_WITH_SPHINX = {"index", "members", "picture", "sample_report"}
"""The kinds of parts of which a file shows nothing."""


def main():
    parser = argparse.ArgumentParser(description="Write the made parts of the pages anew.")
    parser.add_argument("--check", action="store_true", help="fail if a part is outdated, and write nothing")
    check, outdated = parser.parse_args().check, []
    for path in sorted(NOTEBOOKS.rglob("*.md")):
        page = path.read_text(encoding="utf-8")
        made = page if FUNCTIONS in path.parents else with_parts(page)
        if made != page:
            outdated.append(str(path.relative_to(NOTEBOOKS.parent)))
            if not check:
                path.write_text(made, encoding="utf-8")
    if check and outdated:
        print(*outdated, "have outdated parts; run python notebooks/made_parts.py", sep="\n")
    return int(check and bool(outdated))


if __name__ == "__main__":
    sys.exit(main())
