"""What a release says of itself: one version everywhere, the same requirements for pip and conda, pinned workflows."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

import qa_frame

ROOT = Path(__file__).parents[1]
CHECKS = ROOT / ".ci" / "release.py"

pytestmark = [
    pytest.mark.whole,
    pytest.mark.skipif(not CHECKS.exists(), reason="these are files of the repository, which the sdist lacks"),
]


@pytest.fixture(scope="module")
def release():
    spec = importlib.util.spec_from_file_location("release", CHECKS)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


REPOSITORY, DATE = "the Repository of pyproject.toml", "CHANGELOG.md has no section"


def test_the_version_and_the_citation_agree_and_the_owner_has_the_rest_to_set(release):
    """A release needs the date, and the address of the repository that it is made from. Nobody has set them yet."""
    found = release.faults(f"v{qa_frame.__version__}", "owner/name")
    assert found == [
        f"{REPOSITORY} is nothing, not https://github.com/owner/name",
        f"{DATE} '## {qa_frame.__version__} - YYYY-MM-DD'",
    ]
    assert "**[scores]**" in release.notes(f"v{qa_frame.__version__}")


def test_another_tag_is_refused(release):
    assert [fault.partition(" is ")[0] for fault in release.faults("v9.9.9", "owner/name")] == [
        "the version of qa_frame/version.py",
        "the version of CITATION.cff",
        REPOSITORY,
        f"{DATE} '## 9.9.9 - YYYY-MM-DD'",
    ]


def test_a_date_and_an_address_that_are_set_are_compared(release, monkeypatch, tmp_path):
    for name in ("qa_frame/version.py", "CITATION.cff", "CHANGELOG.md", "pyproject.toml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text((ROOT / name).read_text("utf-8"), "utf-8")
    version = qa_frame.__version__
    texts = {
        "CHANGELOG.md": f"## {version} - 2030-01-02\n",
        "CITATION.cff": f"version: {version}\ndate-released: 2030-01-02\n",
        "pyproject.toml": '[project.urls]\nRepository = "https://github.com/owner/name"\n',
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, "utf-8")
    monkeypatch.setattr(release, "ROOT", tmp_path)
    assert release.faults(f"v{version}", "owner/name") == []
    (tmp_path / "CITATION.cff").write_text(f"version: {version}\ndate-released: 2030-01-03\n", "utf-8")
    assert release.faults(f"v{version}", "another/one") == [
        "the date of CITATION.cff is 2030-01-03, not 2030-01-02",
        f"{REPOSITORY} is https://github.com/owner/name, not https://github.com/another/one",
    ]


OURS = re.compile(r"\bqa[-_]frame\.\w+\.\w+/|\w\.(com|io|org|net)/[\w./-]*\bqa[-_]frame\b")


def test_no_file_names_an_address_of_ours():
    """Nothing is published. Whoever had such an address would get the reports of users, and serve them anything."""
    for name in ("qa-frame", "qa_frame"):
        assert OURS.search(f"see https://{name}.github.io/pages")
        assert OURS.search(f"https://github.com/owner/{name}")
    folders = ("qa_frame", "tests", "notebooks", ".ci", ".github")
    paths = [path for folder in folders for path in (ROOT / folder).rglob("*")] + [*ROOT.glob("*.*")]
    texts = [path for path in paths if path.is_file() and path.suffix not in {".png", ".parquet", ".pyc", ".zip"}]
    assert len(texts) > 500
    assert [str(path) for path in texts if OURS.search(path.read_text("utf-8", errors="ignore"))] == []


def test_conda_and_pip_require_the_same():
    recipe = (ROOT / ".ci" / "conda" / "recipe.yaml").read_text("utf-8")
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    dependencies = re.search(r"^dependencies = \[(.*)\]$", project, re.MULTILINE)[1]
    asked = {each.replace(">=", " >=") for each in re.findall(r'"(.*?)"', dependencies)}
    python = re.search(r'^requires-python = ">=(.*)"$', project, re.MULTILINE)[1]
    run = recipe.partition("  run:\n")[2].partition("\ntests:")[0]
    assert set(re.findall(r"- (.*)", run)) == asked | {"python >=${{ python_min }}"}
    assert re.search(r'python_min: "(.*)"', recipe)[1] == python
    assert re.search(r'version: "(.*)"', recipe)[1] == qa_frame.__version__


def test_workflows_use_actions_by_digest_and_grant_nothing_by_default():
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        text = path.read_text("utf-8")
        uses = re.findall(r"uses: (.*)", text)
        assert uses
        assert [use for use in uses if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", use)] == []
        assert re.search(r"^permissions:( \{\}|\n  contents: read)$", text, re.MULTILINE)


def test_pre_commit_runs_what_ci_runs():
    hooks = (ROOT / ".pre-commit-config.yaml").read_text("utf-8")
    entries = set(re.findall(r"entry: (.*?)(?:, language.*)?$", hooks, re.MULTILINE))
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8")
    commands = re.findall(r"- run: (.*)", workflow.partition("\n  documentation:\n")[0])  # below: other environments
    wanted = {command.removesuffix(" .").replace(" --check", "").partition(" #")[0].strip() for command in commands}
    wanted = {command for command in wanted if " -m pip install " not in command} - {
        "actionlint",
        ".ci/system.sh",
        "python -m tests.deletion",
    }
    assert len(wanted) > 10
    assert wanted - entries == set()
