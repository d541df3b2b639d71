"""What a release says of itself: one version everywhere, the same requirements for pip and conda, pinned workflows."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

import qa_frame

ROOT = Path(__file__).parents[1]
CHECKS = ROOT / ".ci" / "release.py"

pytestmark = pytest.mark.skipif(not CHECKS.exists(), reason="these are files of the repository, which the sdist lacks")


@pytest.fixture(scope="module")
def release():
    spec = importlib.util.spec_from_file_location("release", CHECKS)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_changelog_the_citation_and_the_version_agree(release):
    assert release.faults(f"v{qa_frame.__version__}", "qa-frame/qa_frame") == []
    assert "**[scores]**" in release.notes(f"v{qa_frame.__version__}")


def test_another_tag_and_another_repository_are_refused(release):
    assert release.faults(f"v{qa_frame.__version__}", "another/one") == [
        "the Repository of pyproject.toml is https://github.com/qa-frame/qa_frame, not https://github.com/another/one"
    ]
    assert [fault.partition(" is ")[0] for fault in release.faults("v9.9.9", "qa-frame/qa_frame")] == [
        "the version of qa_frame/version.py",
        "the version of CITATION.cff",
        "the date of CITATION.cff",
        "CHANGELOG.md has no section '## 9.9.9 - YYYY-MM-DD'",
    ]


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
    wanted = {command for command in wanted if " -m pip install " not in command} - {"actionlint"}
    assert len(wanted) > 10
    assert wanted - entries == set()
