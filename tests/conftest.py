"""What all tests share."""

import gc
import locale
import os
import re
import signal
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

# How long an example takes says little while other tests run beside it. CI draws the same examples each time, so that a
# change is judged by itself; runs elsewhere look for new ones.
settings.register_profile(
    "tests",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=bool(os.environ.get("CI")),
)
settings.load_profile("tests")

# Processes that tests start would else compile anew all that they import.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# Packages that were installed without being compiled are compiled when they are first imported. Of the workers that begin
# together, every other one begins with packages that the rest come to later, so that each is compiled once.
if int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) % 2:
    for package in ("nltk", "matplotlib.pyplot", "scipy.stats", "polars", "dask.dataframe"):
        with suppress(ImportError):
            import_module(package)

# A shell that starts pytest in the background makes it ignore Ctrl-C, as would all processes that tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Collecting makes some million objects that stay. Garbage is looked for after that, and not among them.
gc.disable()


def pytest_collection_finish() -> None:
    """Leave out of the search for garbage what was made so far."""
    gc.freeze()
    gc.enable()


MOST_EXAMPLES = int(os.environ.get("QA_FRAME_MOST_EXAMPLES", "5"))
"""The most examples of a property. A property names how many are worth its time where the environment allows more."""

MOST_CASES = int(os.environ.get("QA_FRAME_MOST_CASES", "1"))
"""The most cases of a test outside thorough runs: spread evenly over all, the first one among them.

Thorough runs take the rest. The tests of the whole package, which stand beside this file, take all.
"""


@pytest.hookimpl(tryfirst=True)  # before markers choose
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let no property test take more examples than the environment allows, and no test more cases.

    Tests of features whose folders are not there are skipped.
    """
    from qa_frame import extensions  # noqa: PLC0415

    cases = defaultdict(list)
    for item in items:
        lacking = {name for marker in item.iter_markers("needs") for name in marker.args} - {*extensions.names()}
        if lacking:
            item.add_marker(pytest.mark.skip(f"without qa_frame/ext/{min(lacking)}"))
            continue
        if item.path.parent != Path(__file__).parent:
            cases[item.nodeid.partition("[")[0]].append(item)
        function = getattr(item, "function", None)
        own = getattr(function, "_hypothesis_internal_use_settings", None)
        if own is not None and own.max_examples > MOST_EXAMPLES:
            function._hypothesis_internal_use_settings = settings(own, max_examples=MOST_EXAMPLES)
    for of_one_test in cases.values():
        usual = [item for item in of_one_test if item.get_closest_marker("thorough") is None]
        step = -(-len(usual) // MOST_CASES)
        for place, item in enumerate(usual):
            if place % step:
                item.add_marker("thorough")


WITHOUT_FREE_THREADING = {
    "bleuscore": r"^import bleuscore\b",
    "duckdb": r"^import duckdb\b",
    "polars": r"^(import polars\b|from tests\.engines\.shared import )",
}
"""The packages that a Python without a global lock may lack, as they have no wheels for it, and what imports each."""


class ModuleThatLacks(pytest.Module):
    """A module of tests that imports a package which is not there. It is skipped, and the summary says so."""

    package = ""

    def collect(self) -> list[pytest.Item]:
        pytest.skip(f"{self.package} is not installed")


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Module | None:
    """Leave out the modules that import one of these packages where it is not there."""
    source = module_path.read_text("utf-8")
    for package, imports in WITHOUT_FREE_THREADING.items():
        if re.search(imports, source, re.MULTILINE) and find_spec(package) is None:
            module = ModuleThatLacks.from_parent(parent, path=module_path)
            module.package = package
            return module
    return None


def state_of_the_process() -> dict[str, object]:
    """What one test could leave for the next one, by name."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    return {
        "the current folder": os.getcwd(),  # noqa: PTH109 - for each test
        "the locale": locale.setlocale(locale.LC_ALL),
        "what NumPy does with invalid numbers": np.geterr(),
        "what Ctrl-C does": signal.getsignal(signal.SIGINT),
        "where modules are found": list(sys.path),
        "pyplot's figures": pyplot.get_fignums() if pyplot else [],
        **{name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"},
    }


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    """A test that leaves the process other than it was fails here, and no test elsewhere that happens to come next.

    Packages may set variables of the environment that were not there: they do so when they are first imported.
    """
    before = state_of_the_process()
    yield
    after = state_of_the_process()
    assert {name: (value, after.get(name)) for name, value in before.items() if value != after.get(name)} == {}
