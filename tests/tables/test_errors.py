"""Each error has the class that a caller would expect, and names the argument, what was found, and the remedy."""

from __future__ import annotations

import contextlib
import dataclasses
import datetime as dt
import decimal
import pickle
import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import qa_frame

BUILT_IN = {
    qa_frame.errors.ColumnNotFoundError: KeyError,
    qa_frame.errors.ColumnOverwriteError: ValueError,
    qa_frame.errors.ColumnTypeError: TypeError,
    qa_frame.errors.GoldFormatError: ValueError,
    qa_frame.errors.InvalidTextError: ValueError,
    qa_frame.errors.MissingPackageError: ImportError,
    qa_frame.errors.MissingPredictionError: ValueError,
    qa_frame.errors.PairingError: ValueError,
    qa_frame.errors.PoolMismatchError: ValueError,
    qa_frame.errors.ReductionError: TypeError,
    qa_frame.errors.ResultFileError: ValueError,
    qa_frame.errors.ResultFileNotFoundError: FileNotFoundError,
    qa_frame.errors.ResultWriteError: OSError,
    qa_frame.errors.SampleError: OSError,
    qa_frame.errors.TokeniserError: TypeError,
    qa_frame.errors.UnknownConventionError: KeyError,
    qa_frame.errors.UnknownMetricError: KeyError,
    qa_frame.errors.UnknownOptionError: ValueError,
    qa_frame.errors.OwnMetricError: TypeError,
    qa_frame.errors.VerdictError: ValueError,
    qa_frame.errors.WorkerError: RuntimeError,
}


@pytest.mark.parametrize(("error", "built_in"), BUILT_IN.items(), ids=lambda kind: kind.__name__)
def test_errors_are_also_built_in_ones(error, built_in):
    assert issubclass(error, qa_frame.QaFrameError)
    assert issubclass(error, built_in)


def test_no_error_is_left_out():
    public = {getattr(qa_frame.errors, name) for name in dir(qa_frame.errors) if name.endswith("Error")}
    assert public == {qa_frame.QaFrameError, *BUILT_IN}


@pytest.mark.parametrize("kind", [qa_frame.QaFrameError, *BUILT_IN], ids=lambda kind: kind.__name__)
def test_errors_keep_their_parts_also_when_they_are_pickled(kind):
    made = kind.of("by", "is no column", "give 'b'", value="a b")
    for error in (made, pickle.loads(pickle.dumps(made))):
        assert type(error) is kind
        assert str(error) == "by='a b' is no column; give 'b'"
        parts = (error.argument, error.value, error.head, error.finding, error.remedy)
        assert parts == ("by", "'a b'", "by='a b'", "is no column", "give 'b'")
    assert (kind("x").argument, kind("x").finding, kind("x").remedy) == ("", "", "")


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (("by", "names none", "Columns: []"), "by names none. Columns: []"),
        (("by", ": x is odd", ""), "by: x is odd"),
        (("", "a.jsonl is empty", "write it"), "a.jsonl is empty; write it"),
    ],
)
def test_the_message_is_the_sentence_of_the_parts(parts, message):
    assert str(qa_frame.errors.ResultFileError.of(*parts)) == message


def objects(values):
    return pd.Series(list(values), dtype=object)


LABELS = ("x", "y", "z")


def make_frame(pred=("p", "q"), gold=(["p"], ["q"]), *, index=LABELS):
    """A frame of two rows, or of as many as given, with labels that are not positions."""
    frame = pd.DataFrame({"response": pred if isinstance(pred, pd.Series) else objects(pred)})
    frame["answers"] = gold if isinstance(gold, pd.Series) else objects(gold)
    return frame.set_index(pd.Index(index[: len(frame)]))


@contextlib.contextmanager
def refusing(error, *parts, never=()):
    """Check that this very class is raised, with all these parts in its message, and none that it may never have."""
    with pytest.raises(error) as caught:
        yield
    message = str(caught.value)
    assert type(caught.value) is error
    assert not [part for part in parts if part not in message], message
    assert not [part for part in never if part in message], message


def refuses_pred(error, pred, *parts, index=LABELS, **never):
    frame = make_frame(pred=pred, gold=[["a"]] * len(pred), index=index)
    with refusing(error, "pred='response'", *parts, **never):
        frame.qa.score("response", "answers")


def refuses_gold(error, gold, *parts, index=LABELS, **never):
    frame = make_frame(pred=["a"] * len(gold), gold=gold, index=index)
    with refusing(error, "gold='answers'", *parts, **never):
        frame.qa.score("response", "answers")


# ------------------------------------------------------------------------------------------------------- columns


@pytest.mark.parametrize(
    ("pred", "gold", "parts"),
    [
        pytest.param("respons", "answers", ["pred='respons'", "did you mean 'response'?"], id="pred"),
        pytest.param("response", "answer", ["gold='answer'", "did you mean 'answers'?"], id="gold"),
        pytest.param("Response", "answers", ["pred='Response'", "did you mean 'response'?"], id="case"),
        pytest.param(["response"], "answers", ["pred=['response']", "did you mean 'response'?"], id="list"),
        pytest.param(0, "answers", ["pred=0"], id="position"),
        pytest.param(None, "answers", ["pred=None"], id="none"),
        pytest.param("response", ("qa", "answers"), ["gold=('qa', 'answers')"], id="tuple"),
    ],
)
def test_no_such_column(pred, gold, parts):
    with refusing(qa_frame.errors.ColumnNotFoundError, *parts, "is not a column", "['response', 'answers']"):
        make_frame().qa.score(pred, gold)


def test_no_such_column_and_none_like_it():
    with refusing(qa_frame.errors.ColumnNotFoundError, "pred='zzz'", never=["did you mean"]):
        make_frame().qa.score("zzz", "answers")


@pytest.mark.parametrize("argument", ["pred", "gold"])
def test_column_itself_instead_of_its_name(argument):
    frame = make_frame()
    names = {"pred": "response", "gold": "answers"}
    names[argument] = frame[names[argument]]
    with refusing(qa_frame.errors.ColumnNotFoundError, argument):
        frame.qa.score(**names)


@pytest.mark.parametrize(("argument", "name"), [("pred", "response"), ("gold", "answers")])
def test_name_of_several_columns(argument, name):
    frame = pd.DataFrame([["a", ["a"], "b"]], columns=["response", "answers", name])
    with refusing(qa_frame.errors.ColumnNotFoundError, f"{argument}={name!r}", "2 columns", "rename"):
        frame.qa.score("response", "answers")


@pytest.mark.parametrize(("pred", "gold"), [("em", "answers"), ("response", "em")], ids=["pred", "gold"])
def test_score_column_over_its_source(pred, gold):
    frame = make_frame().rename(columns={pred: "em", gold: "em", "response": pred, "answers": gold})
    argument = "pred" if pred == "em" else "gold"
    with refusing(qa_frame.errors.ColumnOverwriteError, f"{argument}='em'", "prefix", "append=False"):
        frame.qa.score(pred, gold)
    assert frame.qa.score(pred, gold, prefix="qa_")["qa_em"].tolist() == [1.0, 1.0]
    assert frame.qa.score(pred, gold, append=False)["em"].tolist() == [1.0, 1.0]
    assert frame.qa.score(pred, gold, metrics="f1")["f1"].tolist() == [1.0, 1.0]


def test_score_column_over_its_source_with_multiindex_columns():
    frame = make_frame().set_axis(pd.MultiIndex.from_tuples([("em", ""), ("qa", "answers")]), axis=1)
    with refusing(qa_frame.errors.ColumnOverwriteError, "pred=('em', '')", "prefix"):
        frame.qa.score(("em", ""), ("qa", "answers"))


# ------------------------------------------------------------------------------------------------- types of values

NOT_TEXT = {
    "float": (pd.Series([0.5, np.nan]), "double"),
    "datetime": (pd.Series(pd.to_datetime(["2024-01-01", "2024-01-02"])), "timestamp"),
    "timedelta": (pd.Series(pd.to_timedelta([1, 2], unit="s")), "duration"),
    "date": (objects([dt.date(2024, 1, 1)] * 2), "date32"),
    "decimal": (objects([decimal.Decimal("1.5")] * 2), "decimal"),
    "category-of-float": (pd.Series([1.0, 2.5], dtype="category"), "double"),
    "arrow-float": (pd.Series([1, 2], dtype="float32[pyarrow]"), "float"),
}


@pytest.mark.parametrize("name", NOT_TEXT)
def test_predictions_that_are_not_text(name):
    column, found = NOT_TEXT[name]
    refuses_pred(
        qa_frame.errors.ColumnTypeError, column, "holds", found, "text is needed", "qa_frame.to_text(df['response'])"
    )
    assert pd.api.types.is_string_dtype(qa_frame.to_text(pd.Series(column)).dtype)


@pytest.mark.parametrize("name", NOT_TEXT)
def test_golds_that_are_not_text(name):
    column, found = NOT_TEXT[name]
    refuses_gold(
        qa_frame.errors.ColumnTypeError, column, "holds", found, "lists of text", "qa_frame.to_golds(df['answers'])"
    )
    frame = make_frame(pred=["1", "2"]).assign(answers=qa_frame.to_golds(pd.Series(list(column))).array)
    assert frame.qa.score("response", "answers", metrics="em")["em"].count() == pd.Series(column).count()


@pytest.mark.parametrize("values", [["a", 5.5], [4.0, 5.5]])
@pytest.mark.parametrize("function", [qa_frame.normalise, lambda column: qa_frame.extract_answers(column, "boxed")])
def test_remedy_for_numbers_in_one_column(function, values):
    with refusing(qa_frame.errors.ColumnTypeError, "qa_frame.to_text(column)", never=["to_golds"]):
        function(pd.Series(values))
    assert len(function(qa_frame.to_text(pd.Series(values)))) == 2


def test_one_row_of_numbers():
    with refusing(qa_frame.errors.UnknownOptionError, "gold=5 is not text", "give text, a list of texts, or None"):
        qa_frame.score_one(5, 5)


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_remedy_for_whole_numbers_that_nulls_made_floats(kind):
    polars = pytest.importorskip("polars")
    rows = {"response": [2.0, None], "answers": ["2", "3"]}
    frame = pd.DataFrame(rows) if kind == "pandas" else polars.DataFrame(rows)
    with refusing(qa_frame.errors.ColumnTypeError, "holds double", "'2.0' or '2'", "qa_frame.to_text(df['response'])"):
        qa_frame.score(frame, "response", "answers")
    with pytest.raises(qa_frame.errors.ColumnTypeError) as refused:
        qa_frame.score(frame, "response", "answers")
    codes = re.search(r"whole again: (.*) in pandas, (.*) in polars", str(refused.value)).groups()
    made = eval(codes[kind == "polars"], {"df": frame})
    fixed = frame.assign(response=made) if kind == "pandas" else frame.with_columns(made)
    assert list(qa_frame.score(fixed, "response", "answers", metrics="em")["em"]) == [1.0, 0.0]


@pytest.mark.parametrize("key", ["text", "answer"])
def test_dicts_as_predictions(key):
    refuses_pred(
        qa_frame.errors.ColumnTypeError, [{key: "a"}, {key: "b"}], f"struct<{key}: string>", "text is needed", "map("
    )


def test_dicts_without_text_as_golds():
    refuses_gold(qa_frame.errors.ColumnTypeError, [{"value": ["a"]}, {"value": ["b"]}], "value: list", "dict")


@pytest.mark.parametrize(
    "golds", [[[1.0], [2.5]], [[1.5, 2], None], [np.array([1.5]), np.array([2.5])]], ids=["lists", "null", "ndarrays"]
)
def test_lists_of_numbers_as_golds(golds):
    refuses_gold(qa_frame.errors.ColumnTypeError, golds, "holds list<", "qa_frame.to_golds(df['answers'])")


def test_nested_lists_as_golds():
    refuses_gold(qa_frame.errors.ColumnTypeError, [[["a"]], [["b"]]], "list<item: list<item: string>>", never=["str("])


def test_lists_of_numbers_as_predictions():
    predictions = objects([[1, 2], [3]])
    refuses_pred(
        qa_frame.errors.ColumnTypeError, predictions, "list<item: int64>", "qa_frame.to_text(df['response'].str[0]) in"
    )
    frame = make_frame(gold=["1", "2"]).assign(response=qa_frame.to_text(predictions.str[0]).array)
    assert frame.qa.score("response", "answers")["em"].tolist() == [1.0, 0.0]


def test_lists_as_predictions():
    refuses_pred(
        qa_frame.errors.ColumnTypeError,
        [["a"], ["b"]],
        "list<item: string>",
        "text is needed",
        never=["items into strings"],
    )


@pytest.mark.parametrize(
    "golds", [[["a"], "b"], ["b", ("a",)], [None, np.array(["a"]), None, "b"]], ids=["list", "tuple", "ndarray"]
)
def test_lists_and_texts_as_golds(golds):
    index = ("w", "x", "y", "z")[-len(golds) :]
    refuses_gold(
        qa_frame.errors.ColumnTypeError,
        golds,
        "mixes lists and single texts",
        "'" + index[-1] + "'",
        "make all lists",
        index=index,
    )


def test_lists_and_texts_as_predictions():
    refuses_pred(
        qa_frame.errors.ColumnTypeError, [["a"], "b"], "mixes lists and single texts", "'y'", never=["make all lists"]
    )


@pytest.mark.parametrize(
    ("value", "found"),
    [(2.5, "float 2.5"), ({"key": "b"}, "dict {'key': 'b'}"), (object, "type")],
    ids=["float", "dict", "object"],
)
@pytest.mark.parametrize("side", [refuses_pred, refuses_gold])
def test_texts_and_something_else(side, value, found):
    remedy = "take the text out of each dict" if isinstance(value, dict) else "strings"
    remedy = "make each a text first" if value is object else remedy
    side(qa_frame.errors.ColumnTypeError, ["a", value], found, "index label 'y'", remedy)


@pytest.mark.parametrize(
    ("gold", "found", "remedy"),
    [
        (["b", 2.5], "float 2.5", "strings"),
        (("b", 3, object), "type", "make each a text first"),
        (np.array(["b", 2.5], dtype=object), "float 2.5", "strings"),
        ([["b"], "b"], "list ['b']", "make each a flat list of the texts in it"),
    ],
    ids=["list", "tuple", "ndarray", "nested"],
)
def test_lists_of_text_and_something_else(gold, found, remedy):
    refuses_gold(qa_frame.errors.ColumnTypeError, [["a"], gold], found, "index label 'y'", remedy)


@pytest.mark.parametrize(
    "gold",
    [iter(["b"]), range(2), pd.Series(["b"]), np.array([["b"]]), np.array("b")],
    ids=["iterator", "range", "series", "2-d", "0-d"],
)
def test_other_collections_as_golds(gold):
    refuses_gold(qa_frame.errors.ColumnTypeError, [["a"], gold], type(gold).__name__, "index label 'y'")


def test_label_of_a_row_among_many():
    frame = make_frame(pred=["a", 3, True, "a", "a", 3.5, 4.5], gold=[["a"]] * 7, index=(9, 9, 8, 7, 7, 6, 5))
    with refusing(qa_frame.errors.ColumnTypeError, "float 3.5 at index label 6"):
        frame.qa.score("response", "answers")


# ---------------------------------------------------------------------------------------------- lists written out


@pytest.mark.parametrize(
    "text",
    [
        "['a', 'b']",
        '["a"]',
        "['a' 'b']",
        "[]",
        '["it\'s", "b"]',
        "  ['a'] \n",
        "['a'\n 'b']",
        "('a', 'b')",
        "{'text': ['a'], 'answer_start': [3]}",
        '{"text": ["a"], "answer_start": [3]}',
        "{'answer_start': 3, 'text': 'a'}",
        "[{'answer_start': 3, 'text': 'a'}]",
        "{'text': array(['a'], dtype=object)}",
        """["it's" 'b']""",
        "[np.str_('a')]",
        "['a', None]",
        "[1999, 'a']",
    ],
    ids=str.split(
        "python json numpy empty quotes spaces numpy-lines tuple dataset dataset-json dataset-order dataset-list "
        "dataset-numpy numpy-apostrophe numpy-values with-null with-number"
    ),
)
@pytest.mark.parametrize("dtype", ["object", "string", "category"])
def test_lists_written_out(text, dtype):
    golds = pd.Series([text] * 2, dtype=dtype)
    refuses_gold(qa_frame.errors.GoldFormatError, golds, repr(text), "qa_frame.to_golds(df['answers'])", "Parquet")
    assert text not in qa_frame.to_golds(golds)[0]


@pytest.mark.parametrize("written", ["['Paris', 'Paris, France']", """["Paris" "it's"]""", "  ['Paris']"])
@pytest.mark.parametrize(("n", "n_rows", "share"), [(9, 20, "45 %"), (30, 3000, "1 %")])
def test_some_lists_written_out_are_counted(written, n, n_rows, share):
    """The last rows tell, too."""
    frame = pd.DataFrame({"response": ["Paris"] * n_rows, "answers": ["Rome"] * (n_rows - n) + [written] * n})
    said = rf"gold='answers' .* in {n} of {n_rows:,} \({share}\) rows"
    with pytest.warns(qa_frame.errors.GoldFormatWarning, match=said) as warned:
        frame.qa.score("response", "answers", metrics="em")
    code = str(warned[0].message).partition("first: ")[2].partition("; see ")[0]
    frame["answers"] = eval(code, {"df": frame, "qa_frame": qa_frame})
    assert frame.qa.score("response", "answers", metrics="em")["em"].sum() == n


def test_lists_of_numbers_written_out_may_be_answers():
    frame = make_frame(pred=["[0, 1]"] * 2, gold=["[0, 1]", "[1999, 2001]"])
    with pytest.warns(qa_frame.errors.GoldFormatWarning, match="to_golds"):
        scored = frame.qa.score("response", "answers")
    assert scored["em"].tolist() == [1.0, 0.0]


@pytest.mark.parametrize("kind", [set, frozenset])
def test_sets_as_golds_have_no_order(kind):
    frame = make_frame(gold=(["a"], kind({"b", "c"})))
    with refusing(
        qa_frame.errors.ColumnTypeError, "gold='answers'", "holds sets at index label", "map(lambda texts: sorted("
    ):
        frame.qa.score("response", "answers")
    remedied = frame.assign(answers=frame["answers"].map(sorted))
    assert remedied.qa.score("response", "answers")["em"].notna().all()


@pytest.mark.parametrize("end", [")", ", dtype=object)", ", dtype='<U5')"])
def test_arrays_that_numpy_wrote_out_are_golds(end):
    frame = make_frame(gold=[f"array(['Seine', 'Elbe']{end}"] * 2)
    with refusing(qa_frame.errors.GoldFormatError, "gold='answers'", "written out as text", "to_golds(df['answers'])"):
        frame.qa.score("response", "answers")
    assert qa_frame.to_golds(frame["answers"]).tolist() == [["Seine", "Elbe"]] * 2
    assert make_frame(gold=["array", "array (a)"]).qa.score("response", "answers")["em"].notna().all()


def test_lists_written_out_by_csv(tmp_path):
    make_frame(gold=(["a", "b"], [])).to_csv(tmp_path / "results.csv", index=False)
    frame = pd.read_csv(tmp_path / "results.csv")
    with refusing(qa_frame.errors.GoldFormatError, "gold='answers'", "['a', 'b']", "qa_frame.to_golds(df['answers'])"):
        frame.qa.score("response", "answers")
    remedied = frame.assign(answers=qa_frame.to_golds(frame["answers"]))
    assert remedied.qa.score("response", "answers").shape[0] == len(frame)


def test_lists_written_out_with_nulls():
    refuses_gold(qa_frame.errors.GoldFormatError, [None, "['a']", None, "[]", None], "to_golds", index=tuple("abcde"))


@pytest.mark.parametrize(
    "golds",
    [
        ["[sic] 'a'", "[a 'b' c]", "{'a': 1}"],
        ["[sic]", "[...]"],
        ["['a'", "'a']"],
        ["[a] or [b]", "['a'] or b"],
        [["['a']"], ["[]"]],
    ],
    ids=["quotes", "words", "half", "more", "in-lists"],
)
def test_texts_in_brackets_are_golds(golds):
    frame = make_frame(pred=["x"] * len(golds), gold=golds, index=(1, 2, 3))
    assert frame.qa.score("response", "answers")["em"].tolist() == [0.0] * len(golds)


def test_predictions_may_look_like_lists():
    assert make_frame(pred=["['p']", "[]"]).qa.score("response", "answers")["em"].tolist() == [1.0, 0.0]


# --------------------------------------------------------------------------------------------------- invalid text

SURROGATE = "b\ud800"


def invalid_texts(kind, *, value=b"\xff"):
    """An array `["a", invalid, "c"]` of a type of text, which Arrow itself does not check."""
    offsets = np.array([0, 1, 2, 3], dtype=np.int32)
    texts = pa.Array.from_buffers(pa.string(), 3, [None, pa.py_buffer(offsets), pa.py_buffer(b"a" + value + b"c")])
    return texts.dictionary_encode() if pa.types.is_dictionary(kind) else texts.cast(kind)


TEXT_TYPES = {
    "string": pa.string(),
    "large-string": pa.large_string(),
    "string-view": pa.string_view(),
    "binary": pa.binary(),
    "large-binary": pa.large_binary(),
    "dictionary": pa.dictionary(pa.int32(), pa.string()),
}


@pytest.mark.parametrize("side", [refuses_pred, refuses_gold])
@pytest.mark.parametrize(
    "values", [["a", b"\xff"], [b"a", b"caf\xe9"], [None, b"\xff", None]], ids=["among-texts", "latin-1", "and-nulls"]
)
def test_bytes_that_are_not_utf8(side, values):
    side(qa_frame.errors.InvalidTextError, values, "UTF-8", "index label 'y'", "decode")


@pytest.mark.parametrize("side", [refuses_pred, refuses_gold])
@pytest.mark.parametrize("name", TEXT_TYPES)
def test_arrow_text_that_is_not_utf8(side, name):
    column = pd.Series(pd.arrays.ArrowExtensionArray(invalid_texts(TEXT_TYPES[name])))
    side(qa_frame.errors.InvalidTextError, column, "UTF-8", "index label 'y'", "decode")


@pytest.mark.parametrize("name", TEXT_TYPES)
def test_arrow_lists_of_text_that_is_not_utf8(name):
    golds = pa.ListArray.from_arrays([0, 1, 1, 3], invalid_texts(TEXT_TYPES[name]))
    table = pa.table({"response": ["a"] * 3, "answers": golds})
    with refusing(qa_frame.errors.InvalidTextError, "gold='answers'", "row 2"):
        qa_frame.score(table, "response", "answers")


def test_arrow_text_that_is_not_utf8_in_a_later_chunk():
    preds = pa.chunked_array([pa.array(["a", "b"]), invalid_texts(pa.string())])
    table = pa.table({"response": preds, "answers": [["a"]] * 5})
    with refusing(qa_frame.errors.InvalidTextError, "pred='response'", "row 3"):
        qa_frame.score(table, "response", "answers")


def test_bytes_that_are_not_utf8_in_lists():
    refuses_gold(qa_frame.errors.InvalidTextError, [[b"a"], [b"b", b"\xff"]], "UTF-8", "index label 'y'", "decode")


def test_bytes_under_a_null_do_not_matter():
    invalid = invalid_texts(pa.string())
    validity = pa.py_buffer(bytes([0b101]))
    preds = pa.Array.from_buffers(pa.string(), 3, [validity, *invalid.buffers()[1:]])
    table = pa.table({"response": preds, "answers": [["a"], ["b"], ["c"]]})
    assert qa_frame.score(table, "response", "answers")["em"].to_pylist() == [1.0, 0.0, 1.0]


@pytest.mark.parametrize("dtype", ["object", "category"])
@pytest.mark.parametrize("side", [refuses_pred, refuses_gold])
def test_lone_surrogates(side, dtype):
    texts = objects(["a", SURROGATE])
    column = pd.Series(pd.Categorical.from_codes([0, 1], pd.Index(texts))) if dtype == "category" else texts
    side(
        qa_frame.errors.InvalidTextError,
        column,
        "lone surrogate",
        "index label 'y'",
        "encode('utf-16', 'surrogatepass')",
    )


@pytest.mark.parametrize("side", [refuses_pred, refuses_gold])
def test_integers_of_more_digits_than_python_writes(side):
    for values in ([10**5000] * 2, ["a", 10**5000], [[10**5000]] * 2):
        side(qa_frame.errors.ColumnTypeError, objects(values), "int", "index label '", "qa_frame.to_")


class OwnSet(set):
    """A set by another name, which has no order either."""


@pytest.mark.parametrize("side", [refuses_pred, refuses_gold])
def test_sets_of_any_class(side):
    side(qa_frame.errors.ColumnTypeError, objects([OwnSet("ab"), OwnSet("c")]), "holds sets", "sorted")


@pytest.mark.parametrize("kind", [list, tuple, np.array], ids=["list", "tuple", "ndarray"])
def test_lone_surrogates_in_lists(kind):
    golds = [kind(["a"]), kind(["b", SURROGATE])]
    refuses_gold(qa_frame.errors.InvalidTextError, golds, "lone surrogate", "index label 'y'", "U+FFFD")


def test_the_remedy_for_lone_surrogates_runs_as_it_stands():
    """U+FFFD is deleted by no rule, as "?" would be, so that a text that was cut is not right."""
    frame = make_frame(
        pred=objects(["caf\ud83d", None, "a"]), gold=objects([["caf", None], None, ["b\udc80 \ud83d\ude00"]])
    )
    for _ in range(2):
        with pytest.raises(qa_frame.errors.InvalidTextError) as raised:
            frame.qa.score("response", "answers")
        exec(str(raised.value).partition("first: ")[2], {"df": frame})
    assert frame["response"].dropna().tolist() == ["caf\ufffd", "a"]
    assert frame["answers"].tolist() == [["caf", None], None, ["b\ufffd \U0001f600"]]
    assert frame.qa.score("response", "answers")["em"].tolist()[::2] == [0.0, 0.0]


SEQUENCES = {
    "Series": lambda: pd.Series(["a", "b"]),
    "Index": lambda: pd.Index(["a", "b"]),
    "array": lambda: pd.array(["a", "b"]),
    "keys": {"a": 1, "b": 2}.keys,
    "values": {1: "a", 2: "b"}.values,
}


@pytest.mark.parametrize("make", SEQUENCES.values(), ids=SEQUENCES)
def test_sequences_of_other_types_become_golds(make):
    cells = np.empty(2, object)
    cells[0] = make()
    frame = make_frame(gold=pd.Series(cells), index=("x", "y"))
    frame["answers"] = qa_frame.to_golds(frame["answers"])
    assert frame["answers"].tolist() == [["a", "b"], None]


def test_the_remedy_for_arrays_of_two_dimensions_runs():
    cells = np.empty(2, object)
    cells[:] = [np.array([["p"], ["b"]]), None]
    frame = make_frame(gold=pd.Series(cells), index=("x", "y"))
    with refusing(qa_frame.errors.ColumnTypeError, "gold='answers'", "value.ravel().tolist()"):
        frame.qa.score("response", "answers")
    frame["answers"] = frame["answers"].map(lambda value: value.ravel().tolist(), na_action="ignore")
    assert frame.qa.score("response", "answers", metrics="em")["em"].tolist()[0] == 1.0


# -------------------------------------------------------------------------------------------------------- options

UNKNOWN = {
    "metric": ({"metrics": "f2"}, ["metrics='f2'", "did you mean 'f1'?", "'rouge_l'", "'all'"]),
    "metric-in-a-list": ({"metrics": ["em", "rougeL"]}, ["metrics='rougeL'", "did you mean 'rouge_l'?"]),
    "metric-none": ({"metrics": ["em", None]}, ["metrics=None", "'em'"]),
    "no-metric": ({"metrics": []}, ["metrics=[]", "'em'", "'all'"]),
    "no-metric-tuple": ({"metrics": ()}, ["metrics=()", "'em'"]),
    "convention": ({"convention": "sqad"}, ["convention='sqad'", "did you mean 'squad' or 'squad2'?", "lists all"]),
    "convention-none": ({"convention": None}, ["convention=None", "a name from qa_frame.conventions", "a Convention"]),
    "average": ({"reduce": "avg"}, ["reduce='avg'", "did you mean 'mean'?"]),
    "drop": ({"missing": "drop"}, ["missing='drop'", "did you mean 'null'?"]),
    "names-in-a-text": ({"metrics": "em, f1"}, ["give a list: metrics=['em', 'f1']"]),
    "figure": ({"metrics": "corpus_bleu"}, ["figure of all rows", "stats=True).qa.summary(metrics='corpus_bleu')"]),
    "reduce": ({"reduce": "maximum"}, ["reduce='maximum'", "did you mean 'max'?", "'best'", "callable"]),
    "reduce-list": ({"reduce": ["max"]}, ["reduce=['max']", "'best'"]),
    "missing": ({"missing": "nul"}, ["missing='nul'", "did you mean 'null'?", "'zero'", "'raise'"]),
    "missing-none": ({"missing": None}, ["missing=None", "'zero'"]),
    "no-jobs": ({"n_jobs": 0}, ["n_jobs=0", "1 or more", "None"]),
    "jobs-true": ({"n_jobs": True}, ["n_jobs=True", "1 or more"]),
    "jobs-text": ({"n_jobs": "2"}, ["n_jobs='2'", "1 or more"]),
    "jobs-float": ({"n_jobs": 2.0}, ["n_jobs=2.0", "1 or more"]),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_unknown_options(name):
    options, parts = UNKNOWN[name]
    kind = "UnknownConventionError" if name == "convention" else "UnknownOptionError"
    with refusing(getattr(qa_frame.errors, kind), *parts):
        make_frame().qa.score("response", "answers", **options)


def test_convention_of_unknown_rules():
    with refusing(qa_frame.errors.UnknownOptionError, "Convention.overlap: 'sqad'", "Overlap"):
        dataclasses.replace(qa_frame.conventions["squad"], name="mine", overlap="sqad")


@pytest.mark.parametrize("metrics", [["all"], ["em", "all"]], ids=["alone", "with-another"])
def test_all_is_not_one_of_several_metrics(metrics):
    """No message may say: 'all' is not known; did you mean 'all'?"""
    with refusing(qa_frame.errors.UnknownOptionError, "'all'", never=["did you mean 'all'"]):
        make_frame().qa.score("response", "answers", metrics=metrics)


@pytest.mark.parametrize(
    "metrics",
    [(name for name in ["em", "f1"]), np.array(["em", "f1"]), pd.Index(["em", "f1"])],
    ids=["generator", "ndarray", "index"],
)
def test_metrics_in_other_collections(metrics):
    scores = make_frame().qa.score("response", "answers", metrics=metrics, append=False)
    assert list(scores.columns) == ["em", "f1"]


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (None, "None (NoneType)"),
        ("0.5", "'0.5' (str)"),
        (np.array([0.5, 1.0]), "(ndarray)"),
        ([1.0], "[1.0] (list)"),
        (1j, "1j (complex)"),
    ],
    ids=["none", "str", "array", "list", "complex"],
)
def test_callable_that_returns_no_number(value, found):
    def my_reduction(_scores):
        return value

    with refusing(qa_frame.errors.ReductionError, "reduce=my_reduction", found, "one number"):
        make_frame().qa.score("response", "answers", reduce=my_reduction)


@pytest.mark.parametrize(
    ("pred", "parts"),
    [
        pytest.param(["a", None, "c"], ["1 of 3", "index label 'x2';"], id="one"),
        pytest.param([None, "b", np.nan], ["2 of 3", "index labels 'x1', 'x3';"], id="two"),
        pytest.param([None] * 7, ["7 of 7", "'x1', 'x2', 'x3', 'x4', 'x5', ...;"], id="many"),
    ],
)
def test_missing_predictions_where_none_may_be(pred, parts):
    frame = make_frame(pred=pred, gold=[["a"]] * len(pred), index=[f"x{row}" for row in range(1, 8)])
    with refusing(
        qa_frame.errors.MissingPredictionError, "missing='raise'", *parts, "'zero'", "'null'", never=["'x6'"]
    ):
        frame.qa.score("response", "answers", missing="raise")


def test_missing_predictions_where_none_may_be_in_a_table():
    table = pa.table({"response": ["a", None], "answers": [["a"], ["b"]]})
    with refusing(qa_frame.errors.MissingPredictionError, "1 of 2", "row 1;"):
        qa_frame.score(table, "response", "answers", missing="raise")


@pytest.mark.parametrize(
    "data", [["a"], {"response": ["a"]}, "results.parquet", None], ids=["list", "dict", "path", "none"]
)
def test_data_that_is_no_table(data):
    with refusing(qa_frame.errors.ColumnTypeError, type(data).__name__, "Table", "pandas", "polars"):
        qa_frame.score(data, "response", "answers")


# -------------------------------------------------------------------------------------------------------- summary


@pytest.mark.parametrize(
    ("by", "parts"),
    [
        ("modle", ["by='modle'", "did you mean 'model'?"]),
        (["model", "datasets"], ["by='datasets'", "did you mean 'dataset'?"]),
        (("model", "dataset"), ["by=('model', 'dataset')"]),
    ],
    ids=["name", "list", "tuple"],
)
def test_summary_by_unknown_columns(by, parts):
    scored = qa_frame.sample().qa.score("response", "answers")
    with refusing(qa_frame.errors.ColumnNotFoundError, *parts, "Columns: ['question_id', 'model'"):
        scored.qa.summary(by=by)


def test_summary_by_several_columns_of_one_name():
    scored = make_frame().qa.score("response", "answers")
    scored.insert(0, "em", "x", allow_duplicates=True)
    with refusing(qa_frame.errors.ColumnNotFoundError, "by='em'", "2 columns"):
        scored.qa.summary(by="em", metrics="f1")


def test_summary_of_several_score_columns_of_one_name():
    scored = make_frame().qa.score("response", "answers", metrics=["em", "f1"])
    side_by_side = pd.concat([scored, scored.add_prefix("second_")[["second_em"]].set_axis(["em"], axis=1)], axis=1)
    with refusing(qa_frame.errors.ColumnNotFoundError, "'em'", "2 columns", "rename"):
        side_by_side.qa.summary()


@pytest.mark.parametrize(
    ("prefix", "named"), [("", "no score column; score it"), ("qa_", "no score column with prefix='qa_'")]
)
def test_summary_of_an_unscored_frame(prefix, named):
    with refusing(qa_frame.errors.ColumnNotFoundError, named, "score it first", "['response', 'answers']"):
        make_frame().qa.summary(prefix=prefix)


@pytest.mark.parametrize(("pred", "gold"), [("a", "\ud800"), ("\ud800", "a"), ("a", ["b", "\ud800"])])
def test_lone_surrogates_in_one_row(pred, gold):
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="holds a lone surrogate"):
        qa_frame.score_one(pred, gold)
