"""The settings of the documentation's site: `python -m sphinx -W notebooks build/site` makes it."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import made_parts
from docutils import nodes, utils
from docutils.utils.math.latex2mathml import tex2mathml

import qa_frame

project = "qa_frame"
author = "The qa_frame developers"
version = release = qa_frame.__version__

extensions = ["myst_nb", "numpydoc", "sphinx.ext.autodoc"]
default_role = "as_written"  # single backticks in docstrings hold code
smartquotes = False  # which quotes a text has matters here
toc_object_entries = False  # each name has a heading

nb_execution_mode = "off"  # the notebooks are kept executed; tests/run_notebooks.py runs them
nb_merge_streams = True
myst_heading_anchors = 3
myst_enable_extensions = ["dollarmath"]
html_math_renderer = "mathml"  # which browsers show without a script

autodoc_member_order = "bysource"
autodoc_mock_imports = ["pyspark"]  # large, and the site needs its docstrings alone
autodoc_typehints = "none"  # they stand beside each parameter; in signatures they would hide the names
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

html_theme = "pydata_sphinx_theme"
html_title = f"qa_frame {version}"
html_favicon = "favicon.svg"
html_static_path = ["site.css", "site.js", *map(str, sorted(Path(__file__).parent.glob("front-*.png")))]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "navigation_with_keys": False,
    "show_prev_next": False,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_context = {"default_mode": "auto"}  # light or dark as the reader's system has it
html_sidebars = {"index": [], "pages/how_do_i": []}  # pages without others below them
copyright = author  # noqa: A001  (Sphinx calls it so)


def as_written(_name, rawtext, text, _line, _inliner, _options=None, _content=()):
    """Show code with its backslashes, which the usual roles take away."""
    return [nodes.literal(rawtext, utils.unescape(text, restore_backslashes=True))], []


def write_mathml(translator, node):
    """Write a formula as MathML."""
    formula = tex2mathml(node.astext())
    if isinstance(node, nodes.math_block):
        formula = formula.replace("<math ", '<math display="block" ', 1)
    translator.body.append(formula)
    raise nodes.SkipNode


def setup(app):
    """Make the reference, and fill what the `<!-- made: ... -->` marks of pages ask for."""
    app.add_role("as_written", as_written)
    app.add_html_math_renderer("mathml", (write_mathml, None), (write_mathml, None))
    app.connect("builder-inited", made_parts.write_reference)
    app.connect("builder-inited", made_parts.write_sample_report)
    app.connect("source-read", made_parts.fill_marks)
    app.connect("autodoc-process-docstring", made_parts.link_pages, priority=400)
    app.connect("autodoc-process-docstring", made_parts.add_types, priority=400)  # before numpydoc reads them
