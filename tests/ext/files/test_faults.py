"""Damaged files, wrong paths and wrong arguments: each a clear error, or counted."""

from __future__ import annotations

import gzip
import json
import os
import warnings
from pathlib import Path
from random import Random

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import qa_frame
from qa_frame.ext.files import read_results
from qa_frame.ext.files.json_lines import without_lone_surrogates
from tests.ext.files import shapes

GOOD = b'{"pred": "a", "gold": "a"}\n'


def written(tmp_path, content, name="log.jsonl"):
    path = tmp_path / name
    path.write_bytes(content)
    return path


def responses_in(path, **settings):
    return qa_frame.read_results(path, **settings)["response"].tolist()


# --- damaged lines

BAD_LINES = {
    "not JSON": (b'{"pred": a}\n', "line 2: is not valid JSON"),
    "two objects": (b'{"pred": "a", "gold": "a"}{}\n', "line 2: is not valid JSON"),
    "a list": (b"[1, 2]\n", "line 2: is a JSON list, where an object is needed"),
    "not UTF-8": ('{"pred": "é", "gold": "a"}\n'.encode("latin-1"), r"line 2: is not UTF-8 \(byte 10 is 0xe9\)"),
    "nested too deeply": (b'{"pred": ' + b"[" * 100_000 + b"\n", "line 2: is nested too deeply"),
    "no gold": (b'{"pred": "a"}\n', "line 2: has no 'answers', nor another usual name of it"),
    "nested golds": (b'{"pred": "a", "gold": [[["a"]]]}\n', r"line 2: \['a'\] is a list; text"),
    "a name twice": (b'{"pred": "b", "gold": "a", "pred": "a"}\n', "line 2: has the name 'pred' twice"),
    "a name twice inside": (b'{"pred": "b", "gold": "a", "x": [{"y": 1, "y": 1}]}\n', "line 2: has the name 'y' twice"),
    "an object as response": (b'{"pred": {"a": 1}, "gold": "a"}\n', "line 2: {'a': 1} is a dict"),
}


@pytest.mark.parametrize(("line", "message"), BAD_LINES.values(), ids=BAD_LINES)
def test_a_bad_line_is_an_error_or_counted(tmp_path, line, message):
    path = written(tmp_path, GOOD + line + GOOD)
    with pytest.raises(qa_frame.errors.ResultFileError, match=message):
        qa_frame.read_results(path)
    with pytest.warns(qa_frame.errors.ResultFileWarning, match=f"1 record was left out, first {message}"):
        frame = qa_frame.read_results(path, on_bad_lines="warn")
    assert frame["response"].tolist() == ["a", "a"]
    note = frame.attrs["qa_files"][str(path)]
    assert [note[name] for name in ("kind", "rows", "left_out")] == ["plain", 2, 1]
    pd.testing.assert_frame_equal(qa_frame.read_results(path, on_bad_lines="skip"), frame)


def test_the_first_line_may_be_the_bad_one(tmp_path):
    path = written(tmp_path, b'{"pred\n' + GOOD)
    with pytest.raises(qa_frame.errors.ResultFileError, match="line 1: is not valid JSON"):
        qa_frame.read_results(path)
    assert responses_in(path, on_bad_lines="skip") == ["a"]


def test_a_file_that_was_cut_off(tmp_path):
    with pytest.raises(
        qa_frame.errors.ResultFileError, match=r"line 2: .*the file ends here, it may have been cut off"
    ):
        qa_frame.read_results(written(tmp_path, GOOD + b'{"pred": "a", "go'))


def test_no_line_can_be_read(tmp_path):
    path = written(tmp_path, b'{"pred\n{"pred\n')
    for on_bad_lines in ("error", "skip"):
        with pytest.raises(qa_frame.errors.ResultFileError, match="line 1: is not valid JSON"):
            qa_frame.read_results(path, on_bad_lines=on_bad_lines)


@pytest.mark.parametrize("shape", [shapes.lm_eval, shapes.openai_evals, shapes.ruler])
def test_lines_of_harnesses_without_their_names(tmp_path, shape):
    path = shape(tmp_path)
    n_rows = len(qa_frame.read_results(path, on_bad_lines="skip"))
    with path.open("ab") as file:
        file.write(b'{"other": 1}\n{"doc_id": 3, "resps": 7, "pred": {}}\n')
    if shape is not shapes.openai_evals:  # which passes over what is no answer
        with pytest.raises(qa_frame.errors.ResultFileError, match=r"line \d: has no '\w+', as records of the kind '"):
            qa_frame.read_results(path)
    assert len(qa_frame.read_results(path, on_bad_lines="skip")) == n_rows


def test_a_name_twice_in_documents_and_streams(tmp_path):
    """Of two records of one name, as OpenCompass writes them, one would be lost."""
    document = written(tmp_path, b'{"0": {"prediction": "a", "gold": "a"},\n "0": {"prediction": "b"}}', "a.json")
    with pytest.raises(qa_frame.errors.ResultFileError, match=r"a\.json: has the name '0' twice; write the file again"):
        qa_frame.read_results(document)
    twice = b'{"pred": "b", "pred": "a", "gold": "a"}\n'
    lines = written(tmp_path, twice + GOOD, "b.json")
    with pytest.raises(qa_frame.errors.ResultFileError, match=r"b\.json, line 1: has the name 'pred' twice; give on"):
        qa_frame.read_results(lines)
    assert responses_in(lines, on_bad_lines="skip") == ["a"]
    stream = written(tmp_path, GOOD + twice)
    with pytest.raises(qa_frame.errors.ResultFileError, match=r"line 2: has the name 'pred' twice; repair the line"):
        qa_frame.summary_files(stream, pred="pred", gold="gold")
    with pytest.raises(qa_frame.errors.ResultFileError, match=r"line 2: has the name 'pred' twice; repair the line"):
        qa_frame.score_files(stream, tmp_path / "out", pred="pred", gold="gold")


# --- what is not damage


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbf" + GOOD + GOOD,
        GOOD.replace(b"\n", b"\r\n") * 2,
        b"\n\n" + GOOD + b"  \r\n\n" + GOOD + b"\n",
        GOOD + GOOD.rstrip(),
        b'{\n "pred": "a"\n}'.replace(b"\n}", b', "gold": "a"}\n').replace(b"\n ", b" ") * 2,
        GOOD + b'{"pred": "a", "gold": "' + b"x" * 3_000_000 + b'"}\n',
        '{"pred": "a", "gold": "a\u2028b"}\n'.encode() * 2,
    ],
    ids=["BOM", "CRLF", "blank lines", "no last line end", "spaces", "a long line", "U+2028"],
)
def test_lines_that_are_in_order(tmp_path, content):
    assert responses_in(written(tmp_path, content)) == ["a", "a"]


@pytest.mark.parametrize("compress", [gzip.compress, lambda text: pa.compress(text, "zstd", asbytes=True)])
@pytest.mark.parametrize("name", ["log.jsonl.gz", "log"])
def test_compressed_lines(tmp_path, compress, name):
    assert responses_in(written(tmp_path, compress(GOOD * 2000), name)) == ["a"] * 2000


def test_a_compressed_file_that_was_cut_off(tmp_path):
    content = gzip.compress(os.urandom(10_000).hex().encode().join([b'{"pred": "', b'", "gold": "a"}\n']) + GOOD * 9)
    path = written(tmp_path, content[: len(content) // 2], "log.jsonl.gz")
    with pytest.raises(qa_frame.errors.ResultFileError, match=r"cannot be read: .*it may have been cut off"):
        qa_frame.read_results(path)


# --- whole files


@pytest.mark.parametrize("content", [b"", b"\n \n", b"\xef\xbb\xbf"])
def test_empty_files(tmp_path, content):
    with pytest.raises(qa_frame.errors.ResultFileError, match=r"log\.jsonl is empty"):
        qa_frame.read_results(written(tmp_path, content))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("log.json", b"[]"),
        ("log.json", b"{}"),
        ("log.csv", b"pred,gold\n"),
        ("log.jsonl", b'{"spec": {"eval_name": "e"}}'),
    ],
)
def test_files_without_records(tmp_path, name, content):
    with pytest.raises(qa_frame.errors.ResultFileError, match=r"holds no records|has no event"):
        qa_frame.read_results(written(tmp_path, content, name))


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        (shapes.inspect_eval, "is not a whole zip"),
        (shapes.inspect_json, "is not valid JSON"),
        (shapes.helm, "is not valid JSON"),
        (shapes.plain_parquet, "cannot be read"),
        (shapes.plain_feather, "cannot be read"),
    ],
)
def test_files_that_were_cut_off(tmp_path, shape, message):
    path = shape(tmp_path)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(qa_frame.errors.ResultFileError, match=message):
        qa_frame.read_results(path)


def damaged(content, random):
    """The content with some bytes changed, and sometimes cut off."""
    changed = bytearray(content)
    for _ in range(random.randint(1, 4)):
        changed[random.randrange(len(changed))] = random.randrange(256)
    return bytes(changed[: random.choice([len(changed), random.randrange(len(changed))])])


@pytest.mark.filterwarnings("ignore::qa_frame.errors.ResultFileWarning")
@pytest.mark.parametrize("shape", shapes.ALL, ids=lambda shape: shape.__name__)
def test_damage_anywhere_raises_only_errors_of_this_package(tmp_path, shape):
    path = shape(tmp_path)
    content = path.read_bytes()
    random = Random(7)
    messages = []
    for _ in range(20):
        path.write_bytes(damaged(content, random))
        try:
            qa_frame.read_results(path, on_bad_lines=random.choice(["error", "skip"]))
        except qa_frame.QaFrameError as error:
            messages.append(str(error))
    assert messages
    assert all(str(path) in message for message in messages)


def test_files_that_are_no_results(tmp_path):
    for content in (b"a text\n", b"[1, 2]", b'"text"', b"\x00\x01\x02", b"PK\x03\x04 and more"):
        with pytest.raises(qa_frame.errors.ResultFileError):
            qa_frame.read_results(written(tmp_path, content, "log"))
    with pytest.raises(qa_frame.errors.ResultFileError, match="UTF-16"):
        qa_frame.read_results(written(tmp_path, GOOD.decode().encode("utf-16")))
    with pytest.raises(qa_frame.errors.ResultFileError, match="git lfs pull"):
        qa_frame.read_results(written(tmp_path, b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n"))


def test_a_file_that_may_not_be_read(tmp_path, monkeypatch):
    path = written(tmp_path, GOOD)

    def refuse(*_):
        raise PermissionError("no permission")

    monkeypatch.setattr("qa_frame.ext.files.formats.open_binary", refuse)
    with pytest.raises(qa_frame.errors.ResultFileError, match="cannot be read: no permission"):
        qa_frame.read_results(path)


# --- lone surrogates

CUT = rb"""{"pred": "caf\ud83d", "gold": ["caf", "\\ud83d \uDE00"]}
{"pred": "\ud83d\ude00", "gold": ["\ud83d\ude00"]}
{"pred": "a", "gold": ["\ud83d\ud83d"]}
"""


def test_lone_surrogates_are_replaced_and_counted(tmp_path):
    path, out = written(tmp_path, CUT), tmp_path / "out.jsonl"
    document = written(tmp_path, b"[" + b",".join(CUT.splitlines()) + b"]", "log.json")
    columns = {"pred": "pred", "gold": "gold", "metrics": "em", "n_jobs": 1}
    said = r"log\.jsonl: 4 lone surrogates in 2 records \(first line 1\), .*: read as U\+FFFD"
    with pytest.warns(qa_frame.errors.ResultFileWarning, match=said):
        frame = qa_frame.read_results(path)
    with pytest.warns(qa_frame.errors.ResultFileWarning, match="4 lone surrogates in 1 record"):
        pd.testing.assert_frame_equal(qa_frame.read_results(document), frame)
    assert frame["response"].tolist() == ["caf\ufffd", "\U0001f600", "a"]
    assert frame["answers"].tolist() == [["caf", "\\ud83d \ufffd"], ["\U0001f600"], ["\ufffd\ufffd"]]
    assert frame.qa.score("response", "answers", metrics="em")["em"].tolist() == [0.0, 1.0, 0.0]
    with pytest.warns(qa_frame.errors.ResultFileWarning, match=said):
        assert qa_frame.summary_files(path, **columns).loc["all", ["n", "em"]].tolist() == [3, 1 / 3]
    with pytest.warns(qa_frame.errors.ResultFileWarning, match=said):
        qa_frame.score_files(path, out, **columns)
    lines = zip(CUT.splitlines(), out.read_bytes().splitlines(), strict=True)
    assert all(scored.startswith(line[:-1]) for line, scored in lines)


@given(st.lists(st.sampled_from([r"\ud83d", r"\uDBFF", r"\ude00", r"\\", r"\u00e9", r"\n", "ud83d", "x"]), max_size=8))
def test_only_lone_surrogates_are_replaced(parts):
    text = f'"{"".join(parts)}"'.encode()
    read = json.loads(text)
    is_lone = ["\ud800" <= character <= "\udfff" for character in read]
    found, n_lone = without_lone_surrogates(text)
    assert json.loads(found) == "".join(map(lambda lone, each: "\ufffd" if lone else each, is_lone, read))
    assert n_lone == sum(is_lone)


# --- golds that were written out


def test_some_golds_written_out_are_counted(tmp_path):
    lines = [b"""{"pred": "a", "gold": "['a', 'b']"}\n"""] * 2 + [GOOD] * 3
    with pytest.warns(qa_frame.errors.ResultFileWarning, match=r"golds of 2 rows look like lists .*qa_frame\.to_golds"):
        assert len(qa_frame.read_results(written(tmp_path, b"".join(lines)))) == 5


# --- CSV


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"a,b,c\n", "line 3: has 3 fields, where the header has 2"),
        ("é,a\n".encode("latin-1"), r"line 3: is not UTF-8 \(byte 0 is 0xe9\); write the file again in UTF-8"),
        ("b,é\n".encode("latin-1"), r"line 3: is not UTF-8 \(byte 2 is 0xe9\); write the file again in UTF-8"),
        (b'"a"b,c\n', "line 3: is not valid CSV"),
    ],
)
def test_bad_rows_of_csv(tmp_path, line, message):
    path = written(tmp_path, b"pred,gold\na,a\n" + line + b"a,a\n", "log.csv")
    with pytest.raises(qa_frame.errors.ResultFileError, match=message):
        qa_frame.read_results(path)
    assert responses_in(path, on_bad_lines="skip") == ["a", "a"]


def test_a_heading_of_csv_that_is_not_utf8(tmp_path):
    path = written(tmp_path, "pred,gold,é\na,a,a\n".encode("latin-1"), "log.csv")
    with pytest.raises(qa_frame.errors.ResultFileError, match=r"heading is not UTF-8 \(byte 10 is 0xe9\); .* in UTF-8"):
        qa_frame.read_results(path)


def test_csv_with_a_name_twice_and_with_a_long_field(tmp_path):
    with pytest.raises(qa_frame.errors.ResultFileError, match="several columns are named 'pred'"):
        qa_frame.read_results(written(tmp_path, b"pred,gold,pred\na,a,a\n", "log.csv"))
    long = written(tmp_path, b"pred,gold\n" + b"x" * 200_000 + b",a\n", "log.csv")
    assert responses_in(long) == ["x" * 200_000]


# --- paths


def test_missing_files(tmp_path):
    for path in (tmp_path / "no.jsonl", str(tmp_path / "*.jsonl"), [tmp_path / "no.jsonl"], [], tmp_path):
        with pytest.raises(qa_frame.errors.ResultFileNotFoundError):
            qa_frame.read_results(path)
    with pytest.raises(FileNotFoundError):
        qa_frame.read_results("no such file")


@pytest.mark.parametrize("path", [None, 3, [None]])
def test_what_is_no_path(path):
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="is not a path"):
        qa_frame.read_results(path)


@pytest.mark.parametrize("path", ["a\0b", ["a\0b"], Path("a\0b"), "a\0*"])
def test_a_null_character_in_a_path_is_named(path):
    with pytest.raises(qa_frame.errors.UnknownOptionError, match=r"path=.* holds a null character"):
        qa_frame.read_results(path)


def test_a_name_that_is_not_utf_8_is_read(tmp_path):
    path = tmp_path / os.fsdecode(b"x\xff.jsonl")
    try:
        path.write_text(json.dumps({"response": "a", "answers": ["a"]}))
    except OSError:
        pytest.skip("this file system has no such names")
    assert len(qa_frame.read_results(path)) == 1


def test_patterns_lists_and_folders(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a.jsonl", "b.jsonl", "[c].jsonl"):
        written(tmp_path, GOOD, name)
    assert "file" not in qa_frame.read_results(Path("a.jsonl"))
    assert "file" not in qa_frame.read_results("[c].jsonl")
    assert qa_frame.read_results("a*.jsonl")["file"].tolist() == ["a.jsonl"]
    assert qa_frame.read_results(["b.jsonl", Path("a.jsonl"), "*.jsonl"])["file"].tolist() == [
        "b.jsonl",
        "a.jsonl",
        "[c].jsonl",
    ]
    assert len(qa_frame.read_results(tmp_path)) == 3
    assert len(qa_frame.read_results("**/*.jsonl")) == 3


def test_a_folder_tells_what_was_not_read(tmp_path):
    path = shapes.lm_eval(tmp_path)
    shapes.plain_csv(tmp_path)
    for name in ("notes.txt", ".hidden.jsonl", "_part.jsonl"):
        written(tmp_path, b"hello", name)
    frame = qa_frame.read_results(tmp_path, kind="lm_eval")
    assert set(frame["file"]) == {str(path)}
    others = [path.parent / f"results_{shapes.DATE}.json", tmp_path / "results.csv"]
    assert frame.attrs["qa_files_not_read"] == list(map(str, others))
    path.unlink()
    with pytest.raises(qa_frame.errors.ResultFileError, match="no file there is of a known kind"):
        qa_frame.read_results(path.parent)


@pytest.mark.parametrize("named", [{"gold": "y"}, {"pred": "x"}])
@pytest.mark.parametrize("ending", ["parquet", "jsonl"])
def test_a_table_without_the_other_column_is_an_error(tmp_path, named, ending):
    """Such a Parquet file once gave null responses in silence."""
    path = tmp_path / f"run.{ending}"
    frame = pd.DataFrame({"x": ["Seine"], "y": ["Seine"]})
    path.write_text(frame.to_json(orient="records", lines=True)) if ending == "jsonl" else frame.to_parquet(path)
    lacking, argument = ("response", "pred") if "gold" in named else ("answers", "gold")
    said = rf"no record has '{lacking}' or another usual name of it; name it with {argument}=\.\.\., where .* has \['x'"
    for on_bad_lines in ("error", "skip"):
        with pytest.raises(qa_frame.errors.ColumnNotFoundError, match=said):
            qa_frame.read_results(path, **named, on_bad_lines=on_bad_lines)


def test_a_column_named_file_is_kept(tmp_path):
    path = written(tmp_path, b'{"pred": "a", "gold": "a", "file": "own"}\n')
    assert qa_frame.read_results(path)["file_in_file"].tolist() == ["own"]
    assert qa_frame.read_results([path])["file"].tolist() == [str(path)]


# --- arguments


def test_wrong_arguments(tmp_path):
    path = written(tmp_path, GOOD)
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="kind='lm-eval' is not known; did you mean 'lm_eval'"):
        qa_frame.read_results(path, kind="lm-eval")
    with pytest.raises(qa_frame.errors.UnknownOptionError, match=r"kind=\[\] is not known"):
        qa_frame.read_results(path, kind=[])
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="gold=3 is not text"):
        qa_frame.read_results(path, gold=3)
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="on_bad_lines='raise' is not known"):
        qa_frame.read_results(path, on_bad_lines="raise")


NAMED = [
    ({"pred": "Prd"}, r"log.jsonl: pred='Prd' is in no record; did you mean 'pred'\? The first has \['pred', 'gold'\]"),
    ({"gold": "x.golds"}, "gold='x.golds' is in no record\\. The first has"),
]


@pytest.mark.parametrize("on_bad_lines", ["error", "warn", "skip"])
@pytest.mark.parametrize(("given", "message"), NAMED)
def test_a_name_that_no_record_has_is_no_bad_record(tmp_path, given, message, on_bad_lines):
    for path in (written(tmp_path, GOOD * 3), written(tmp_path, b"pred,gold\na,a\n", "log.jsonl.csv")):
        said = message.replace("log.jsonl", path.name)
        with pytest.raises(qa_frame.errors.ColumnNotFoundError, match=said):
            qa_frame.read_results(path, **given, on_bad_lines=on_bad_lines)


def test_records_without_a_name_that_others_have_are_bad(tmp_path):
    path = written(tmp_path, GOOD + b'{"own": "b", "gold": "b"}\n' + GOOD + b'{"own": "c", "gold": "c"}\n')
    with pytest.raises(
        qa_frame.errors.ResultFileError, match=r"line 1: pred='own': there is no 'own' in \['pred', 'gold'\]"
    ):
        qa_frame.read_results(path, pred="own")
    with pytest.warns(qa_frame.errors.ResultFileWarning, match="2 records were left out, first line 1: pred='own'"):
        assert qa_frame.read_results(path, pred="own", on_bad_lines="warn")["response"].tolist() == ["b", "c"]


# --- usual files of other programs


def test_files_that_are_not_utf8_say_what_to_do(tmp_path):
    for name, text in (("log.csv", "pred,gold\nù,a\n"), ("log.jsonl", '{"pred": "ù", "gold": "a"}\n')):
        for encoding, found in (
            ("cp1252", r"line \d: is not UTF-8 .*; write the file again in UTF-8, as `iconv"),
            ("utf-16", "is written in UTF-16; write it again in UTF-8"),
        ):
            with pytest.raises(qa_frame.errors.ResultFileError, match=found):
                qa_frame.read_results(written(tmp_path, text.encode(encoding), name))
    path = written(tmp_path, '{"pred": "ù", "gold": "a"}\n'.encode("utf-16"))
    with pytest.raises(qa_frame.errors.ResultFileError, match="is written in UTF-16; write the file again in UTF-8"):
        qa_frame.summary_files(path, pred="pred", gold="gold")


@pytest.mark.parametrize("mark", [";", "\t", "|"])
@pytest.mark.parametrize("first", ["", "sep={}\n"])
def test_other_marks_between_fields_are_seen(tmp_path, mark, first):
    text = first.format(mark) + f'pred{mark}gold{mark}id\na, b{mark}a{mark}\n"x{mark}y"{mark}""{mark}3\n'
    frame = qa_frame.read_results(written(tmp_path, text.encode(), "log.csv"))
    assert frame["response"].tolist() == ["a, b", f"x{mark}y"]
    assert frame["answers"].tolist() == [["a"], [""]]
    assert frame["question_id"].isna().tolist() == [True, False]


def test_quotes_in_tsv_take_no_rows_with_them(tmp_path):
    lines = ["q\tpred\tgold", "1\ta\ta", '2\t"unclosed\tx', "3\tb\tb", '4\tc d"\tc', "5\te\te"]
    frame = qa_frame.read_results(written(tmp_path, "\n".join(lines).encode(), "log.tsv"))
    assert frame["response"].tolist() == ["a", '"unclosed', "b", 'c d"', "e"]
    frame = qa_frame.read_results(written(tmp_path, "\n".join(lines[:4]).encode(), "cut.tsv"))
    assert frame["response"].tolist() == ["a", '"unclosed', "b"]
    quoted = 'q\tpred\tgold\n1\t"two\nlines"\ta\n2\tb\tb\n'
    assert responses_in(written(tmp_path, quoted.encode(), "quoted.tsv")) == ["two\nlines", "b"]


def test_quotes_of_csv_that_do_not_close_name_their_lines(tmp_path):
    text = 'pred,gold\na,a\n"b,b\nc,c\nd,d\n'
    with pytest.warns(qa_frame.errors.ResultFileWarning, match="its quotes begin in line 3 and take 3 lines"):
        frame = qa_frame.read_results(written(tmp_path, text.encode(), "log.csv"), on_bad_lines="warn")
    assert len(frame) == 1


def test_a_repeated_heading_is_no_row(tmp_path):
    text = "pred,gold\na,a\npred,gold\nb,b\n"
    with pytest.warns(qa_frame.errors.ResultFileWarning, match="repeats its heading 1 time, which are no rows"):
        assert responses_in(written(tmp_path, text.encode(), "log.csv")) == ["a", "b"]


def test_golds_that_numpy_shortened_are_named(tmp_path):
    text = "pred,gold\na,\"['a' 'b' ... 'z']\"\n"
    with pytest.raises(qa_frame.errors.QaFrameError, match="shortened"):
        qa_frame.read_results(written(tmp_path, text.encode(), "log.csv"))


def test_usual_names_in_capital_letters(tmp_path):
    text = b"Response,Answers,MODEL,Own\na,b,m,o\n"
    wrapped = b'{"rows": [{"Response": "a", "Answers": "b", "MODEL": "m", "Own": "o"}]}'
    for path in (written(tmp_path, text, "log.csv"), written(tmp_path, wrapped, "log.json")):
        frame = qa_frame.read_results(path)
        assert frame[["response", "model", "Own"]].to_numpy().tolist() == [["a", "m", "o"]]
        assert frame["answers"].tolist() == [["b"]]
    path = written(tmp_path, text, "log.csv")
    frame = qa_frame.read_results(path, pred="Response", gold="MODEL")
    assert frame[["response", "Own"]].to_numpy().tolist() == [["a", "o"]]
    assert frame["answers"].tolist() == [["m"]]
    kept = qa_frame.read_results(written(tmp_path, b"response,answers,Model,model\na,b,x,y\n", "log.csv"))
    assert kept[["Model", "model"]].to_numpy().tolist() == [["x", "y"]]


# --- blocks


def test_columns_that_change_from_block_to_block(tmp_path, monkeypatch):
    monkeypatch.setattr(read_results, "_ROWS_A_BLOCK", 2)
    monkeypatch.setattr(read_results, "_BLOCKS_A_BATCH", 1)
    values = [1, 2, 3.5, None, None, None, "x", True]
    records = [{"pred": "a", "gold": "a", "n": value} for value in values] + [{"pred": "a", "gold": "a", "late": 1}]
    path = shapes.write_lines(tmp_path / "log.jsonl", records)
    frame = qa_frame.read_results(path)
    assert frame["n"].tolist() == ["1", "2", "3.5", pd.NA, pd.NA, pd.NA, "x", "true", pd.NA]
    assert frame["late"].tolist() == [pd.NA] * 8 + [1]
    assert [len(batch) for batch in read_results.Reading(path).batches()] == [2, 2, 2, 2, 1]
    numbers = shapes.write_lines(tmp_path / "log.jsonl", records[:6])
    assert qa_frame.read_results(numbers)["n"].dtype.pyarrow_dtype == pa.float64()


@pytest.mark.parametrize(
    ("values", "read"),
    [
        (["1.50", "2", "x", ""], ["1.50", "2", "x", pd.NA]),
        (["1.50", "2", '""', "x"], ["1.50", "2", "", "x"]),
        (["1", "2", "3", "007"], ["1", "2", "3", "007"]),
        (["1", "2", "3.5", '""'], [1.0, 2.0, 3.5, pd.NA]),
    ],
)
def test_a_column_of_csv_holds_numbers_or_texts_in_all_blocks(tmp_path, monkeypatch, values, read):
    monkeypatch.setattr(read_results, "_ROWS_A_BLOCK", 2)
    monkeypatch.setattr(read_results, "_BLOCKS_A_BATCH", 1)
    lines = "".join(f"a,b,{value}\n" for value in values)
    frame = qa_frame.read_results(written(tmp_path, f"pred,gold,n\n{lines}".encode(), "log.csv"))
    assert frame["n"].tolist() == read


def test_long_rows_make_small_batches(tmp_path, monkeypatch):
    monkeypatch.setattr(read_results, "_CHARACTERS_A_BATCH", 12)
    path = shapes.write_lines(tmp_path / "log.jsonl", [{"pred": "x" * 6, "gold": "a"}] * 5)
    assert [len(batch) for batch in read_results.Reading(path).batches()] == [2, 2, 1]


def test_an_error_in_a_later_batch_reaches_the_caller(tmp_path):
    path = written(tmp_path, GOOD * 10_000 + b"{\n")
    with pytest.raises(qa_frame.errors.ResultFileError, match="line 10001"):
        qa_frame.read_results(path)


@pytest.mark.parametrize("n_rows", [1, 2, 512])
@pytest.mark.parametrize(
    ("values", "read"),
    [
        ([1, 2.5, 3, 4.0], [1.0, 2.5, 3.0, 4.0]),
        ([1, 2.5, 3.0, "x", -4.0, 1e300], ["1", "2.5", "3", "x", "-4", "1e+300"]),
        ([2**53 + 1, 5, 0.5], ["9007199254740993", "5", "0.5"]),
        ([2**53 + 1, float("nan"), 5.0], ["9007199254740993", pd.NA, "5"]),
        ([2**70, 0.5], [str(2**70), "0.5"]),
    ],
)
def test_numbers_of_several_kinds_in_whatever_blocks(tmp_path, monkeypatch, values, read, n_rows):
    monkeypatch.setattr(read_results, "_ROWS_A_BLOCK", n_rows)
    monkeypatch.setattr(read_results, "_BLOCKS_A_BATCH", 1)
    path = shapes.write_lines(tmp_path / "log.jsonl", [{"pred": "a", "gold": "a", "n": value} for value in values])
    assert qa_frame.read_results(path)["n"].tolist() == read


def test_warnings_are_given_once(tmp_path):
    path = written(tmp_path, b'{"pred": "a", "gold": null}\n')
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert len(qa_frame.read_results(path)) == 1
    assert [str(warning.message).partition(": ")[2] for warning in caught] == [
        "holds no golds, so that its rows cannot be scored"
    ]
