"""`--fail-under` and `--fail-if-worse`: exit statuses on both sides of a limit, and their reports."""

from __future__ import annotations

import json
import math
import re

import pandas as pd
import pytest

from qa_frame.ext.shell.thresholds import gates_of_margins


@pytest.fixture
def means(folder, run):
    """The mean F1 of each model."""
    rows = json.loads(run("summary", folder / "sample.jsonl", "--by", "model", "--metrics", "f1", "--json").out)
    return {row["model"]: row["f1"] for row in rows}


def gates_in(done):
    """The lines of gates, which come last."""
    lines = [line.removeprefix("qa-frame: ") for line in done.err.splitlines()]
    return lines[len(doubts_in(done)) :]


def doubts_in(done):
    """The warnings, which come first."""
    return [line for line in done.err.splitlines() if re.match(r"qa-frame: \w+Warning: ", line)]


def test_on_both_sides(folder, means, run):
    lowest = min(means.values())
    above = math.nextafter(lowest, 1)
    words = ["summary", folder / "sample.jsonl", "--by", "model", "--metrics", "f1"]
    plain = run(*words)
    assert plain.status == 0
    passed = run(*words, "--fail-under", f"f1={lowest!r}")
    assert (passed.status, passed.out) == (0, plain.out)
    said = [f"--fail-under f1={lowest:g} passed: f1 of {model} is {mean:.6g}" for model, mean in means.items()]
    assert gates_in(passed) == said
    failed = run(*words, "--fail-under", f"f1={above!r}")
    assert (failed.status, failed.out) == (1, plain.out)
    assert gates_in(failed)[0] == "--fail-under f1=0.206354 failed: f1 of heron-7b is 0.206354"
    assert failed.err.count(" passed: ") == len(means) - 1
    assert doubts_in(failed) == doubts_in(plain) != []


@pytest.mark.parametrize(
    "words", [["--long"], ["--by", "model,dataset", "--long", "--ci", "0.95"], ["--by", "dataset"]]
)
def test_other_tables(words, folder, run):
    call = ["summary", folder / "sample.jsonl", *words]
    assert run(*call, "--fail-under", "f1=0").status == 0
    done = run(*call, "--fail-under", "f1=0.99")
    assert done.status == 1
    assert all(line.startswith("--fail-under f1=0.99 failed: f1") for line in gates_in(done))


def test_what_is_not_defined_fails(tmp_path, run):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"response": "a", "answers": []}\n')
    done = run("summary", path, "--fail-under", "f1=0")
    assert done.status == 1
    assert "--fail-under f1=0 failed: f1 is not defined" in done.err


def test_a_limit_inside_the_interval_is_said(folder, run):
    words = ["summary", folder / "lynx-70b.jsonl", "--metrics", "f1", "--ci", "0.95", "--fail-under"]
    inside, below = run(*words, "f1=0.7"), run(*words, "f1=0.6")
    assert (inside.status, below.status) == (0, 0)
    assert gates_in(inside)[0].endswith("; its interval begins at 0.6613, by which --at lower judges")
    assert "interval" not in gates_in(below)[0]
    percent = run(*words, "f1=70", "--percent")
    assert gates_in(percent)[0].endswith("; its interval begins at 66.13, by which --at lower judges")
    assert run(*words, "f1=0.7", "--at", "lower").status == 1


@pytest.mark.parametrize("name", ["bleu4", "f1_lo"])
def test_figures_that_are_not_there(name, folder, run):
    done = run("summary", folder / "sample.jsonl", "--by", "model", "--fail-under", f"{name}=0.1")
    assert done.status == 2
    assert f"--fail-under names {name!r}, which is not among the figures; did you mean " in done.err
    assert "? They are em, f1, recall" in done.err


@pytest.mark.parametrize(("name", "meant"), [("recal", "recall"), ("F1", "f1"), ("n", ""), ("model", ""), ("", "")])
def test_names_that_no_figure_has_are_told_before_anything_is_read(name, meant, run):
    done = run("summary", "not_there.jsonl", "--fail-under", f"{name}=0.1")
    assert (done.status, done.out) == (2, "")
    assert f"--fail-under names {name!r}, which is not among the figures" in done.err
    assert f"did you mean {meant!r}?" * bool(meant) in done.err


def test_metrics_that_are_not_asked_for_are_told_before_anything_is_read(run):
    done = run("summary", "not_there.jsonl", "--metrics", "em", "--fail-under", "f1=0.1")
    assert "--fail-under names 'f1', which is not among the figures. They are em;" in done.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["f1=60"],
            "f1=60 cannot be reached: scores are from 0 to 1, and not in percent; 60 percentage",
        ),
        (["f1=0.6", "--percent"], "f1=0.6 is 0.6 % with --percent, where limits are in percent, too; give f1=60"),
        (["f1=1", "--percent"], "f1=1 is 1 % with --percent"),
        (["f1=0.6", "--percent", "--scored"], "f1=0.6 is 0.6 % with --percent"),
        (["f1=101", "--percent"], "f1=101 cannot be reached: figures are up to 100"),
    ],
)
def test_limits_that_mean_another_unit(words, said, folder, run):
    done = run("summary", folder / "lynx-70b.jsonl", "--fail-under", *words)
    assert (done.status, done.out) == (2, "")
    assert f"--fail-under {said}" in done.err


def test_limits_at_the_ends_of_the_range(tmp_path, run):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"response": "a", "answers": ["a"]}\n')
    for words in (["em=1"], ["em=0"], ["em=100", "--percent"], ["em=0", "--percent"]):
        assert run("summary", path, "--metrics", "em", "--fail-under", *words).status == 0


def test_own_columns_have_any_range(tmp_path, run):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"response": "a", "answers": ["a"], "stars": 4}\n')
    words = ["summary", path, "--metrics", "em,stars", "--fail-under"]
    assert run(*words, "stars=3").status == 0
    assert run(*words, "stars=5").status == 1


def test_figures_of_all_rows_may_stand_beside_a_limit(tmp_path, run):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"response": "Seine", "answers": ["Seine"]}\n')
    words = ["summary", path, "--metrics", "f1,f1_median", "--fail-under"]
    assert run(*words, "f1=0.5", "--fail-under", "f1_median=0.5").status == 0
    assert "f1_median is 1" in run(*words, "f1_median=2").err


def test_margins_of_one_or_more_are_refused(folder, run):
    done = run("compare", folder / "sample.jsonl", "--metrics", "em", "--fail-if-worse", "em=5")
    assert done.status == 2
    assert "--fail-if-worse em=5 is 1 or more, so that em could not fail: scores are from 0 to 1" in done.err
    assert "5 percentage points are 0.05" in done.err
    done = run("compare", folder / "sample.jsonl", "--metrics", "em", "--margin", "5")
    assert "--margin 5 is 1 or more" in done.err


def test_a_new_run_that_lacks_questions_fails(folder, run, tmp_path):
    lines = (folder / "lynx-70b.jsonl").read_text("utf-8").splitlines()
    part = tmp_path / "part.jsonl"
    words = ["compare", folder / "lynx-70b.jsonl", part, "--metrics", "em", "--fail-if-worse", "em=0.5"]
    part.write_text("\n".join(lines[:40]), "utf-8")
    done = run(*words)
    n_old, n_new = (sum(any(json.loads(line)["answers"] or ()) for line in some) for some in (lines, lines[:40]))
    assert done.status == 1
    said = f"part.jsonl has no scored answer to {n_old - n_new} of the {n_old} questions of "
    assert said in done.err
    allowed = math.ceil(100 * (n_old - n_new) / n_old) / 100
    assert (
        f"--fail-if-worse judges the {n_new} that both answered; add the others, or give --allow-missing {allowed:g}"
        in done.err
    )
    assert "is not defined" not in done.err
    allowed = run(*words, "--allow-missing", allowed)  # the remedy
    assert allowed.status == 0
    assert said in allowed.err
    part.write_text("\n".join(lines[1:]), "utf-8")
    assert run(*words).status == 1
    assert run(*words, "--allow-missing", 0.1).status == 0
    part.write_text("\n".join(lines), "utf-8")
    done = run(*words)
    assert (done.status, "has no scored answer to" in done.err) == (0, False)


def test_questions_without_a_score_count_as_lacking(folder, run, tmp_path):
    rows = [json.loads(line) for line in (folder / "lynx-70b.jsonl").read_text("utf-8").splitlines()]
    words = [
        "compare",
        folder / "lynx-70b.jsonl",
        tmp_path / "new.jsonl",
        "--metrics",
        "em",
        "--fail-if-worse",
        "em=0.9",
    ]
    for name, others in (("answers", []), ("response", ["--missing", "null"])):
        new = [row | ({name: None} if place % 2 else {}) for place, row in enumerate(rows)]
        (tmp_path / "new.jsonl").write_text("\n".join(map(json.dumps, new)), "utf-8")
        done = run(*words, *others)
        assert (done.status, "has no scored answer to" in done.err) == (1, True)
        assert run(*words, *others, "--allow-missing", 0.6).status == 0


def test_a_dataset_that_the_new_run_lacks_fails_where_runs_are_compared_inside_datasets(folder, run, tmp_path):
    lines = (folder / "lynx-70b.jsonl").read_text("utf-8").splitlines()
    part = tmp_path / "part.jsonl"
    part.write_text("\n".join(line for line in lines if json.loads(line)["dataset"] == "facts"), "utf-8")
    limit = ["--metrics", "em", "--within", "dataset", "--fail-if-worse", "em=0.5"]
    done = run("compare", folder / "lynx-70b.jsonl", part, *limit)
    assert done.status == 1
    assert re.search(
        "failed: explain, .*lynx-70b.jsonl is compared with nothing, as no new run has rows there", done.err
    )


def test_a_share_that_may_be_missing_is_part_of_a_gate(folder, run):
    words = ["compare", folder / "lynx-70b.jsonl", folder / "otter-chat.jsonl", "--allow-missing"]
    done = run(*words, 0.1)
    assert done.status == 2
    assert "--allow-missing is of use with --fail-if-worse alone" in done.err
    assert run(*words, 1.5, "--fail-if-worse", "em=0.9").status == 2


@pytest.mark.parametrize(("n_right", "n"), [(57, 100), (58, 100), (29, 100), (29, 50), (569, 1000)])
@pytest.mark.parametrize("shape", ["--no-long", "--long"])
def test_a_limit_in_percent_that_is_just_reached(n_right, n, shape, tmp_path, run):
    rows = ({"response": "x" if place < n_right else "y", "answers": ["x"]} for place in range(n))
    (tmp_path / "a.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    words = ["summary", tmp_path / "a.jsonl", "--metrics", "em", "--percent", shape, "--fail-under"]
    limit = 100 * n_right / n
    assert run(*words, f"em={limit!r}").status == 0
    assert run(*words, f"em={math.nextafter(math.nextafter(limit, 101), 101)!r}").status == 1


def test_not_worse_on_both_sides(folder, run):
    files = [folder / "otter-chat.jsonl", folder / "heron-7b.jsonl"]
    words = ["compare", *files, "--metrics", "em,f1"]
    rows = json.loads(run(*words, "--baseline", files[0], "--margin", 0.1, "--json").out)
    (found,) = (row for row in rows if row["metric"] == "f1")
    assert (found["a"], found["b"]) == ("heron-7b.jsonl", "otter-chat.jsonl")
    assert found["diff_lo"] < found["tost_lo"] < -0.1
    assert run(*words, "--fail-if-worse", f"f1={-found['tost_lo'] + 1e-9!r}").status == 0
    done = run(*words, "--fail-if-worse", f"f1={-found['tost_lo'] - 1e-9!r}")
    assert done.status == 1
    assert (
        "f1 of heron-7b.jsonl is 0.133 lower than that of otter-chat.jsonl on 115 questions; the test does" in done.err
    )
    assert f"with one-sided 95 % confidence, it is at most {-found['tost_lo']:.4g} lower\n" in done.err
    assert len(gates_in(done)) == 1


def test_it_agrees_with_the_test_of_the_table(folder, run):
    words = ["compare", folder / "otter-chat.jsonl", folder / "heron-7b.jsonl", "--metrics", "em,f1", "--json"]
    for margin in (0.0, 0.1, 0.2, 0.3):
        done = run(*words, "--fail-if-worse", f"f1={margin}", "--fail-if-worse", "em=0.01")
        p = {row["metric"]: row["p_noninferior"] for row in json.loads(done.out)}
        assert p["em"] < 0.05
        assert done.status == (p["f1"] >= 0.05)


def test_without_a_question_in_common_there_is_nothing_to_judge(tmp_path, run):
    for name, first in (("a", 1), ("b", 3)):
        rows = ({"question_id": first + place, "response": "x", "answers": ["x"]} for place in (0, 1))
        (tmp_path / f"{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    words = ["compare", tmp_path / "a.jsonl", tmp_path / "b.jsonl", "--metrics", "em"]
    done = run(*words)
    assert (done.status, done.err.count("1 of 1 row compares groups that have no question in common")) == (0, 1)
    done = run(*words, "--fail-if-worse", "em=0.02")
    assert done.status == 2
    assert "--fail-if-worse cannot judge b.jsonl against a.jsonl, as they have no question in common" in done.err


def test_margins_that_are_wrong(folder, run):
    words = ["compare", folder / "sample.jsonl", "--metrics", "f1", "--fail-if-worse"]
    done = run(*words, "f1=-0.02")
    assert done.status == 2
    assert "--fail-if-worse f1=-0.02 is below 0; give how much worse is still as good" in done.err
    done = run(*words, "f1=0.02", "--margin", 0.1)
    assert done.status == 2
    assert "--fail-if-worse and --margin both give a margin; leave one out" in done.err
    assert run(*words, "f1=0.7", "--fail-if-worse", "f1=0.02", "--baseline", "otter-chat").status == 1


def test_the_first_file_is_the_old_one(folder, run):
    good, bad = folder / "lynx-70b.jsonl", folder / "heron-7b.jsonl"
    assert run("compare", bad, good, "--fail-if-worse", "f1=0.02").status == 0
    assert run("compare", good, bad, "--fail-if-worse", "f1=0.02").status == 1
    assert run("compare", good, bad, "--fail-if-worse", "f1=0.02", "--baseline", bad).status == 0


@pytest.mark.thorough
def test_the_level_of_the_interval_counts(folder, run):
    words = ["compare", folder / "otter-chat.jsonl", folder / "heron-7b.jsonl", "--metrics", "f1", "--json"]
    bounds = {
        ci: json.loads(run(*words, "--ci", ci, "--fail-if-worse", "f1=0.9").out)[0]["tost_lo"] for ci in (0.6, 0.99)
    }
    margin = -(bounds[0.6] + bounds[0.99]) / 2
    assert run(*words, "--ci", 0.6, "--fail-if-worse", f"f1={margin!r}").status == 0
    assert run(*words, "--ci", 0.99, "--fail-if-worse", f"f1={margin!r}").status == 1


def test_every_other_group_must_pass(folder, run):
    words = ["compare", folder / "sample.jsonl", "--metrics", "em", "--fail-if-worse", "em=0.05"]
    done = run(*words, "--baseline", "heron-7b")
    assert done.status == 1
    results = {line.split(":")[1].split()[2]: line.split(":")[0].split()[-1] for line in gates_in(done)}
    assert results == {"lynx-70b": "passed", "otter-chat": "failed"}


def test_metrics_that_are_not_compared(folder, run):
    done = run("compare", folder / "sample.jsonl", "--metrics", "em", "--fail-if-worse", "f1=0.02")
    assert done.status == 2
    assert "--fail-if-worse f1 is not known. Choose from ['em']" in done.err


def test_a_bound_that_is_not_defined_fails(tmp_path, run):
    for model, response in (("a", "x"), ("b", "y")):
        row = {"question_id": "1", "response": response, "answers": ["x"], "model": model}
        (tmp_path / f"{model}.jsonl").write_text(json.dumps(row) + "\n")
    done = run("compare", tmp_path / "a.jsonl", tmp_path / "b.jsonl", "--metrics", "em", "--fail-if-worse", "em=0.5")
    assert done.status == 1
    assert (
        "on 1 question; these questions do not allow a test, and so cannot exclude that it is lower by 0.5" in done.err
    )


@pytest.mark.parametrize("margin", ["0.02", "0"])
def test_runs_with_the_same_score_on_each_question_pass(margin, folder, run, tmp_path):
    lines = (folder / "lynx-70b.jsonl").read_text("utf-8").splitlines()
    again = tmp_path / "again.jsonl"
    again.write_text("\n".join(lines), "utf-8")
    words = ["compare", folder / "lynx-70b.jsonl", again, "--metrics", "f1", "--fail-if-worse", f"f1={margin}"]
    done = run(*words)
    assert done.status == 0
    assert " passed: f1 of " in done.err
    said = "the two have the same score on each of these questions; on others, "
    assert re.search(said + r"with one-sided 95 % confidence, it is at most 0\.02\d* lower\n", done.err)
    again.write_text("\n".join(lines[1:]), "utf-8")
    assert run(*words).status == 1  # a question without an answer
    again.write_text("\n".join([*lines[1:], json.dumps(json.loads(lines[0]) | {"response": "zzz"})]), "utf-8")
    assert run(*words).status == 1
    assert run(*words[:-2], "--fail-if-worse", "corpus_bleu=0.02", "--stats").status in (1, 2)  # has no ties


@pytest.mark.parametrize("files", [("heron-7b", "lynx-70b"), ("lynx-70b", "heron-7b"), ("sample",)])
def test_a_gate_turns_no_sign(files, folder, run):
    """Each pair that is compared with a gate and without one has the same difference."""
    words = ["compare", *(folder / f"{name}.jsonl" for name in files), "--metrics", "f1"]
    plain, gated = (json.loads(run(*words, *more, "--json").out) for more in ([], ["--fail-if-worse", "f1=0.02"]))
    diffs = {(row["a"], row["b"]): row["diff"] for row in plain}
    assert gated
    assert {(row["a"], row["b"]): row["diff"] for row in gated}.items() <= diffs.items()


def test_columns_that_are_not_there_are_told_with_a_gate_too(folder, run):
    done = run("compare", folder / "sample.jsonl", "--by", "nope", "--metrics", "f1", "--fail-if-worse", "f1=0.1")
    assert (done.status, "--by nope is not a column" in done.err) == (2, True)


# --- lower bounds, means alone and the summary of a step


@pytest.mark.parametrize("shape", ["--no-long", "--long"])
def test_the_lower_bound_of_an_interval_is_a_limit(shape, folder, run):
    words = ["summary", folder / "lynx-70b.jsonl", "--metrics", "f1", "--ci", "0.95", shape]
    table = json.loads(run(*words, "--json").out)[0]
    low = table.get("f1_lo", table.get("lo"))
    assert 0 < low < table.get("f1", table.get("value"))
    assert run(*words, "--fail-under", f"f1={low!r}", "--at", "lower").status == 0
    failed = run(*words, "--fail-under", f"f1={math.nextafter(low, 1)!r}", "--at", "lower")
    assert failed.status == 1
    assert failed.err.endswith(f"failed: the lower bound of f1 is {low:.6g}\n")
    assert run(*words, "--fail-under", f"f1={math.nextafter(low, 1)!r}").status == 0


def test_a_lower_bound_needs_an_interval(folder, run):
    done = run("summary", folder / "lynx-70b.jsonl", "--fail-under", "f1=0.1", "--at", "lower")
    assert done.status == 2
    assert done.out == ""
    assert "--at lower needs the bounds of intervals; give --ci 0.95, too" in done.err


def test_a_lower_bound_of_a_figure_that_has_none(folder, run):
    words = ["--metrics", "f1", "--ci", "0.95", "--by", "model", "--fail-under", "f1_lo=0", "--at", "lower"]
    done = run("summary", folder / "sample.jsonl", *words)
    assert done.status == 2
    assert "--at lower needs bounds, and f1_lo has none; leave --at out" in done.err


@pytest.mark.parametrize(
    ("words", "gate"),
    [
        ("summary --at lower --ci 0.95", "--fail-under"),
        ("compare --allow-missing 0.5", "--fail-if-worse"),
    ],
)
def test_a_gate_that_is_not_there_never_passes(words, gate, folder, run):
    call = [*words.split(), folder / "sample.jsonl"]
    done = run(*call)
    assert done.status == 2
    assert f"is of use with {gate} alone; give a limit, as {gate} f1=0.1, or leave it out" in done.err
    assert run(*call, gate, "f1=0.1").status in {0, 1}


@pytest.mark.parametrize(
    ("row", "margin", "said"),
    [
        ({"diff": 0.015}, 0.01, "0.015 higher than that of old on 90 questions; the test does not exclude that it is l"),
        ({"diff": -0.015}, 0.0, "0.015 lower than that of old on 90 questions; the test does not exclude that it is the"),
        ({"tost_lo": 0.01, "p_noninferior": 0.01}, 0.0, "the test excludes that it is the same or lower: with one-sided 95 %"),
        ({}, 0.02, "it is at most 0.1 lower; so many questions find a difference of 0.15 in about 80 of 100 evaluations"),
        ({"verdict": "worse"}, 0.02, "it is at most 0.1 lower"),
        ({"mdd": math.nan}, 0.02, "it is at most 0.1 lower"),
        ({"tost_lo": math.nan}, 0.02, "the test does not exclude that it is lower by 0.02 or more; so many"),
        ({"diff": 0.0}, 0.02, "f1 of new is the same as that of old"),
    ],
)  # fmt: skip
def test_a_gate_says_what_was_found(row, margin, said):
    common = {"metric": "f1", "a": "new", "b": "old", "n_not_scored": 0, "n_only_b": 0, "tost_lo": -0.1, "mdd": 0.15}
    common |= {"n": 90, "diff": -0.03, "p_noninferior": 0.2, "verdict": "undecided", "ties": 80}
    row = common | row
    (gate,) = gates_of_margins(pd.DataFrame([row]), {"f1": margin}, 0.95, allowed=0)
    assert said in gate.found
    assert gate.passes == (row["p_noninferior"] < 0.05)
    assert ("80 of 100" in gate.found) == (row["verdict"] == "undecided" and not math.isnan(row["mdd"]))
    assert not any(name in gate.found for name in ("tost", "p_", "undecided"))


def test_several_limits_in_one_option(folder, run):
    words = ["summary", folder / "lynx-70b.jsonl", "--metrics", "em,f1", "--fail-under"]
    assert run(*words, "f1=0.1,em=0.1").status == 0
    done = run(*words, "f1=0.1,em=0.9")
    assert (done.status, done.err.count("failed")) == (1, 1)
    for wrong in ("f1", "f1=", "f1=inf", "f1=a", "0.6"):
        done = run(*words, wrong)
        assert (done.status, f"'{wrong}' is not a metric and a number, such as f1=0.6" in done.err) == (2, True), wrong


def test_the_summary_of_a_step_begins_with_the_result(run, tmp_path, monkeypatch):
    shown = tmp_path / "step.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(shown))
    for model, right in (("old|*x*", 18), ("new", 17)):
        rows = (
            {"question_id": place, "response": "x" if place < right else "y", "answers": ["x"]} for place in range(20)
        )
        (tmp_path / f"{model}.jsonl").write_text("\n".join(json.dumps({"model": model} | row) for row in rows))
    files = [tmp_path / "old|*x*.jsonl", tmp_path / "new.jsonl"]
    assert run("compare", *files, "--fail-if-worse", "em=0.02", "--step-summary").status == 1
    first, _, gates, _, gate, _, table, *_ = shown.read_text("utf-8").splitlines()
    assert first == "**failed**: 1 of 1 gate"
    assert gates.split() == ["|", "gate", "|", "result", "|", "found", "|"]
    assert (
        r"| failed | em of new is 0.05 lower than that of old\|\*x\* on 20 questions; the test does not exclude" in gate
    )
    assert table.split() == ["|", *["metric", "|", "a", "|", "b", "|", "diff", "|", "verdict", "|", "mdd"], "|"]
    shown.unlink()
    words = ["summary", *files, "--by", "model", "--ci", "0.95", "--fail-under", "em=0.1,f1=0.2", "--step-summary"]
    assert run(*words).status == 0
    lines = shown.read_text("utf-8").splitlines()
    assert (lines[0], lines[9].split()) == (
        "**passed**: 4 gates",
        ["|", *["model", "|", "n", "|", "EM", "|", "F1"], "|"],
    )
    shown.unlink()
    assert run("summary", *files, "--by", "model", "--step-summary").status == 0
    assert shown.read_text("utf-8").splitlines()[0].count("|") == 7  # six columns


def test_the_summary_of_a_step_is_appended(folder, run, tmp_path, monkeypatch):
    shown = tmp_path / "step.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(shown))
    words = ["summary", folder / "lynx-70b.jsonl", "--metrics", "f1"]
    plain = run(*words)
    assert run(*words, "--step-summary") == plain
    assert run(*words, "--step-summary", "--json").status == 0
    markdown = run(*words, "--markdown").out
    assert shown.read_text("utf-8").count(markdown.strip()) == 2
    monkeypatch.delenv("GITHUB_STEP_SUMMARY")
    done = run(*words, "--step-summary")
    assert done.status == 2
    assert "--step-summary needs the variable GITHUB_STEP_SUMMARY" in done.err


def test_people_see_the_metrics_of_gates(folder, run):
    words = ["compare", folder / "lynx-70b.jsonl", folder / "otter-chat.jsonl", "--fail-if-worse", "f1=0.02"]

    def shown(*more):
        words_of_lines = (line.removeprefix("metric = ").split() for line in run(*words, *more).out.splitlines())
        return {line[0] for line in words_of_lines if line} & {"f1", "em", "bleu"}

    assert shown() == {"f1"}
    assert shown("--metrics", "em,f1") == {"em", "f1"}
    assert {row["metric"] for row in json.loads(run(*words, "--json").out)} > {"f1", "em"}
