"""The values of a record → text, golds and plain values."""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Mapping, Sequence
from pathlib import Path
from typing import Any

from qa_frame.checks import suggestion
from qa_frame.errors import show
from qa_frame.files.harnesses.description import Golds, Kind, Texts, Where
from qa_frame.files.open_files import NameNotFoundError, UnusableRecordError
from qa_frame.frames.conversions import NotConvertibleError, golds_of_one, text_of_scalar
from qa_frame.frames.diagnosis import is_null
from qa_frame.frames.names import USUAL_NAMES
from qa_frame.frames.written_lists import read_written

NO_TEXT = "holds log-likelihoods (a multiple-choice or perplexity task) and no generated text to score"
"""Why a record of a task that generates no text is not usable."""

ASKING, ANSWERING = frozenset({"user", "human"}), frozenset({"assistant", "ai", "model"})
"""The roles of those who speak in a chat."""

WRONG_FORM = (KeyError, IndexError, TypeError, AttributeError, ValueError)
"""The errors that come up where a file or a record is not built as its harness builds it."""

_PLAIN_TYPES = {str, int, float, bool}


def as_text(value: Any) -> str | None:
    """Return the text of a text or number; null and NaN are None."""
    if value is None or isinstance(value, str):
        return value
    if type(value) is int:
        return str(value)
    if value != value:  # noqa: PLR0124  (only NaN differs from itself)
        return None
    try:
        return text_of_scalar(value)
    except NotConvertibleError as error:
        raise UnusableRecordError(f"{value!r:.60} {error}") from error


def as_texts(value: Any) -> Texts:
    """Return the texts of a list, or the one text."""
    return [as_text(item) for item in value] if isinstance(value, list) else [as_text(value)]


def as_golds(value: Any) -> Golds | None:
    """Return the golds of a text, number, list or dict with `text`. A text is one gold, whatever it looks like."""
    return [value] if isinstance(value, str) else read_golds(value)


def read_golds(value: Any) -> Golds | None:
    """Return the golds of a text, number, list or dict with `text`. A text may be a list that was written out.

    Where each gold is a list of spans itself, as in DROP, they stay so.
    """
    if isinstance(value, list) and set(map(type, value)) == {str}:
        return value
    if is_null(value):
        return None
    try:
        return golds_of_one(value)
    except NotConvertibleError as error:
        golds = read_written(value) if isinstance(value, str) else value
        if isinstance(golds, list | tuple) and all(isinstance(gold, list | tuple) for gold in golds):
            return [as_texts(list(spans)) for spans in golds]
        raise UnusableRecordError(f"the golds {value!r:.60}: it {error}, or name others with gold=") from error


def read_written_golds(value: Any) -> Golds | None:
    """Return the golds as `as_golds` does, but read a text, or the one text of a list, that is a list written out."""
    alone = value[0] if isinstance(value, list) and len(value) == 1 else value
    return read_golds(alone if str(alone).startswith("[") else value)


def first_of(record: Mapping[str, Any], *names: str) -> Any:
    """Return the first of these values that is there and not null."""
    return next((record[name] for name in names if record.get(name) is not None), None)


def value_at(record: Any, path: str, argument: str) -> Any:
    """Return the value at a path such as `doc.answer.aliases` or `choices.0.text`. argument: what errors call it."""
    if isinstance(record, Mapping) and path in record:
        return record[path]
    name, _, rest = path.partition(".")
    if isinstance(record, Mapping) and name in record:
        found = record[name]
    elif isinstance(record, Sequence) and not isinstance(record, str) and name.isdecimal() and int(name) < len(record):
        found = record[int(name)]
    else:
        names = list(record) if isinstance(record, Mapping) else f"a {type(record).__name__}"
        close = suggestion(name, names) if isinstance(names, list) else "."
        raise NameNotFoundError(
            f"{argument}: there is no {show(name)} in {names!s:.200}",
            f"{argument} is in no record{close} The first has {names!s:.200}; give one of these",
        )
    return value_at(found, rest, argument) if rest else found


def paths_in(record: Any, before: str = "") -> list[str]:
    """Return the paths of texts, numbers and lists of them in a record, as `value_at` takes them."""
    found = []
    for name, value in record.items() if isinstance(record, Mapping) else ():
        if isinstance(value, Mapping):
            found += paths_in(value, f"{before}{name}.")
        elif is_plain(value) or (isinstance(value, list) and all(map(is_plain, value))):
            found.append(f"{before}{name}")
    return found


def finish_reason_of(holder: Any) -> Any:
    """Return why a response ended: from the dict that says it, or from its first choice, as OpenAI and inspect do.

    A list gives a list, and a text is the reason.
    """
    if isinstance(holder, list):
        return [*map(finish_reason_of, holder)]
    if not isinstance(holder, Mapping):
        return holder if isinstance(holder, str) else None
    found = first_of(holder, *USUAL_NAMES["finish_reason"])
    choices = holder.get("choices")
    if found is None and isinstance(choices, list) and choices:
        return finish_reason_of(choices[0])
    return finish_reason_of(found.get("reason") if isinstance(found, Mapping) else found)  # a dict in HELM


def plain_values(values: Any, prefix: str = "", *, but: Container[str] = ()) -> dict[str, Any]:
    """Return the texts, numbers and truth values among the values of a dict, their names with a prefix."""
    if not isinstance(values, dict):
        return {}
    return {prefix + name: value for name, value in values.items() if is_plain(value) and name not in but}


def reader_of(kind: Kind) -> Callable[[Any], tuple[Texts, Golds | None, dict[str, Any]] | UnusableRecordError]:
    """Return the function that takes the responses, the golds and the other columns out of a record of this kind.

    In their place it returns the error that says why a record cannot be used.
    """
    responses = _texts_at(kind.responses) if isinstance(kind.responses, str) else kind.responses
    read, value_of_golds = read_written_golds if kind.reads_written_golds else as_golds, _make_taker(kind.golds)
    golds = kind.golds if callable(kind.golds) else lambda record: read(value_of_golds(record))
    others = kind.columns if callable(kind.columns) else _columns_at(kind.columns)

    def read_record(record: Any) -> tuple[Texts, Golds | None, dict[str, Any]] | UnusableRecordError:
        try:
            return responses(record) or [None], golds(record), others(record)
        except UnusableRecordError as error:
            return error
        except RecursionError:
            return UnusableRecordError("is nested too deeply")
        except KeyError as error:
            return UnusableRecordError(f"has no {error.args[0]!r}, as records of the kind {kind.name!r} have")
        except WRONG_FORM as error:
            found = f"{type(error).__name__}: {error}"
            return UnusableRecordError(f"is not as records of the kind {kind.name!r} are ({found})")

    return read_record


def _texts_at(where: str) -> Callable[[Any], Texts]:
    """Return the function that takes the texts at a place. KeyError if a record has no name with which it begins."""
    begins, take = [path.partition(".")[0] for path in where.split("|")], _make_taker(where)

    def take_texts(record: Any) -> Texts:
        if not any(name in record for name in begins):
            raise KeyError(begins[0])
        return as_texts(take(record))

    return take_texts


def _columns_at(places: Mapping[str, Where]) -> Callable[[Any], dict[str, Any]]:
    """Return the function that takes the columns with these places out of a record."""
    takers = [(name, _make_taker(where), _CONVERTED.get(name)) for name, where in places.items()]

    def take(record: Any) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, take_one, convert in takers:
            value = take_one(record)
            if name.endswith("*"):
                found |= plain_values(value, name[:-1])
            else:
                found[name] = convert(value) if convert else value
        return found

    return take


def _make_taker(where: Where) -> Callable[[Any], Any]:
    if not isinstance(where, str):
        return where
    paths = [path.split(".") for path in where.split("|")]

    def take_one(record: Any) -> Any:
        first = None
        for names in paths:
            found = record
            for name in names:
                found = found.get(name) if isinstance(found, dict) else None
            if found is not None and found != "":
                return found
            first = found if first is None else first
        return first

    return take_one


def json_text(value: Any) -> str | None:
    """Return a value as JSON; text stays as it is, and null and NaN are None."""
    if isinstance(value, str):
        return value
    return None if is_null(value) else json.dumps(value, ensure_ascii=False, default=str)


def is_plain(value: Any) -> bool:
    """Tell whether a value is a text, a number or a truth value."""
    return type(value) in _PLAIN_TYPES


def text_of_content(content: Any) -> str | None:
    """Return the text of a chat message's content: itself, or the text parts of a list, one below the other."""
    if not isinstance(content, list):
        return as_text(content)
    parts = [part for part in content if isinstance(part, Mapping) and str(part.get("type", "text")).endswith("text")]
    found = [part.get("text", part.get("content")) for part in parts]
    texts = [text for text in found if isinstance(text, str)]
    return "\n".join(texts) if texts else None


def text_of_prompt(prompt: Any, roles: frozenset[str] = ASKING) -> str | None:
    """Return the prompt, or the last message of one of the roles in a list of messages, or None."""
    if not isinstance(prompt, list):
        return None if isinstance(prompt, Mapping) else as_text(prompt)
    messages = [message for message in prompt if isinstance(message, Mapping)]
    said = [each for each in messages if str(each.get("role") or each.get("type")).lower() in roles]
    found = [said[-1][name] for name in ("content", "prompt", "parts") if said and name in said[-1]]
    return text_of_content(found[0]) if found and isinstance(found[0], str | list) else None


_CONVERTED: dict[str, Callable[[Any], Any]] = {
    "question_id": as_text,
    "question": text_of_prompt,
    "finish_reason": finish_reason_of,
}
"""What makes the values of these columns of those that stand in a record."""


def named_by_folder(path: Path, *parents: str) -> dict[str, str]:
    """Return the model and the data set of `<parent>/<model>/<dataset>.json`, or `.jsonl`; {} below another folder."""
    folder = path.absolute().parent
    is_written = folder.parent.name in parents
    return {"model": folder.name, "dataset": path.name.partition(".json")[0]} if is_written else {}


def read_sibling(path: Path, name: str) -> Any:
    """Return the JSON document of this name beside a file; an empty dict if it is not there or is damaged."""
    try:
        return json.loads(path.with_name(name).read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
