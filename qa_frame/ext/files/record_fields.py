"""The values of a record → text, golds and plain values."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Container, Mapping, Sequence
from pathlib import Path
from typing import Any

from qa_frame.ext.files.open_files import NameNotFoundError, UnusableRecordError
from qa_frame.ext.files.records import Golds, Responses, ResultFile, Texts
from qa_frame.frames.conversions import NotConvertibleError, golds_of_one, text_of_scalar
from qa_frame.frames.diagnosis import is_null
from qa_frame.frames.names import USUAL_NAMES
from qa_frame.frames.stringified_lists import ShortenedError, read_written

NO_TEXT = "holds log-likelihoods (a multiple-choice or perplexity task) and no generated text to score"
"""Why a record of a task that generates no text is not usable."""

ASKING, ANSWERING = frozenset({"user", "human"}), frozenset({"assistant", "ai", "model"})
"""The roles of those who speak in a chat."""

_PLAIN_TYPES = {str, int, float, bool}
_TEXTS = ("question_id", "question")
"""The columns that are text whatever a harness writes."""


def as_text(value: Any) -> str | None:
    """Return a text, number, truth value or date as text; None for null and NaN.

    Raise UnusableRecordError for another type.
    """
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
    """Return the items of a list as texts, or one other value as a list of its text."""
    return [as_text(item) for item in value] if isinstance(value, list) else [as_text(value)]


def as_one_response(value: Any) -> Responses:
    """Return a list with the one prediction that a text, a number or a list of spans makes.

    A list of one becomes its item, an empty list becomes None, and a list inside a list of one counts as that list.
    """
    if not isinstance(value, list):
        return [as_text(value)]
    value = value[0] if len(value) == 1 and isinstance(value[0], list) else value
    return [as_texts(value) if len(value) > 1 else next(iter(as_texts(value)), None)]


def as_golds(value: Any) -> Golds | None:
    """Return the golds in a text, number, list or dict with `text`; None for null. A text is always one gold.

    Raise UnusableRecordError for other values.
    """
    return [value] if isinstance(value, str) else read_golds(value)


def read_golds(value: Any) -> Golds | None:
    """Return the golds in a text, number, list or dict with `text`; None for null. A text may be a stringified list.

    Golds that are lists of spans, as in DROP, stay lists. Raise UnusableRecordError for other values.
    """
    if isinstance(value, list) and set(map(type, value)) == {str}:
        return value
    if is_null(value):
        return None
    try:
        return golds_of_one(value)
    except NotConvertibleError as error:
        golds = value
        with contextlib.suppress(ShortenedError):
            golds = read_written(value) if isinstance(value, str) else value
        if isinstance(golds, list | tuple) and all(isinstance(gold, list | tuple) for gold in golds):
            return [as_texts(list(spans)) for spans in golds]
        others = "name others with gold=, as the first of a list by '.0' behind the name"
        raise UnusableRecordError(f"the golds {value!r:.60}: it {error}, or {others}") from error


def read_wrapped_golds(value: Any) -> Golds | None:
    """Return golds as `as_golds` does, except that a stringified list as the only item of a list is read."""
    is_wrapped = isinstance(value, list) and len(value) == 1 and str(value[0]).startswith("[")
    return read_golds(value[0]) if is_wrapped else as_golds(value)


def first_of(record: Mapping[str, Any], *names: str) -> Any:
    """Return the value under the first of these names whose value is not null; None if there is none."""
    return next((record[name] for name in names if record.get(name) is not None), None)


def value_at(record: Any, path: str, argument: str) -> Any:
    """Return the value at a path such as `doc.answer.aliases` or `choices.0.text`; a name may also contain dots itself.

    Raise NameNotFoundError if the record has no such path. argument: the argument that errors name.
    """
    if isinstance(record, Mapping) and path in record:
        return record[path]
    name, _, rest = path.partition(".")
    if isinstance(record, Mapping) and name in record:
        inner = record[name]
    elif isinstance(record, Sequence) and not isinstance(record, str) and name.isdecimal() and int(name) < len(record):
        inner = record[int(name)]
    else:
        names = list(record) if isinstance(record, Mapping) else f"a {type(record).__name__}"
        raise NameNotFoundError(argument, name, names)
    return value_at(inner, rest, argument) if rest else inner


def paths_in(record: Any, before: str = "") -> list[str]:
    """Return the paths, as `value_at` takes them, of the texts, numbers, truth values and lists of these in a record.

    A list of a text and another value, such as `["4", 4]`, gives the path of the text. A list inside a list of one
    counts as that list. before: what each path begins with, such as "doc."; [] is returned for a record that is no
    object.
    """
    paths = []
    for name, value in record.items() if isinstance(record, Mapping) else ():
        items = value if isinstance(value, list) else [value]
        items = items[0] if len(items) == 1 and isinstance(items[0], list) else items
        if isinstance(value, Mapping):
            paths += paths_in(value, f"{before}{name}.")
        elif [type(each) is str for each in items] == [True, False]:
            paths.append(f"{before}{name}.0")
        elif all(map(is_plain, items)):
            paths.append(f"{before}{name}")
    return paths


def finish_reason_of(holder: Any) -> str | None:
    """Return why a response ended; None if it is not said.

    holder: the dict that says it itself or in its first choice.
    """
    if not isinstance(holder, Mapping):
        return None
    reason = first_of(holder, *USUAL_NAMES["finish_reason"])
    choices = holder.get("choices")
    if reason is None and isinstance(choices, list) and choices:
        return finish_reason_of(choices[0])
    reason = reason.get("reason") if isinstance(reason, Mapping) else reason  # in HELM
    return reason if isinstance(reason, str) else None


def plain_values(values: Any, prefix: str = "", *, but: Container[str] = ()) -> dict[str, Any]:
    """Return the texts, numbers and truth values in a dict, with a prefix before their names; {} for another value.

    but: the names to leave out.
    """
    if not isinstance(values, dict):
        return {}
    return {prefix + name: value for name, value in values.items() if is_plain(value) and name not in but}


Where = str | Callable[[Any], Any]
"""The place of a value in a record: a path such as `instance.input.text`, or a function that takes it out."""


def columns(
    *, scores: Where = "", metadata: Where = "", but: Container[str] | None = None, **places: Where
) -> Callable[[Any], dict[str, Any]]:
    """Return the function that takes from a record the values of the columns beside predictions and golds, by column.

    places: by column, the place of its value; a path that is not there gives null. scores, metadata: the places of
    dicts whose plain values become the columns `harness_*` and `metadata_*`. but: if it is given, all plain values of
    the record become columns too, except those with these names.
    """

    def take(record: Any) -> dict[str, Any]:
        """Return the values of a record by column: those of `places`, then scores, metadata and other plain values."""
        values = {column: value_or_null(record, where) for column, where in places.items()}
        values |= {column: as_text(values[column]) for column in _TEXTS if column in values}
        values |= plain_values(value_or_null(record, scores), "harness_")
        values |= plain_values(value_or_null(record, metadata), "metadata_")
        return values if but is None else values | plain_values(record, but=but)

    return take


def value_or_null(record: Any, where: Where) -> Any:
    """Return the value at a path of names in a record, or null if it is not there.

    where: the path, or a function that returns the value.
    """
    if not isinstance(where, str):
        return where(record)
    for name in where.split("."):
        record = record.get(name) if isinstance(record, dict) else None
    return record


def json_text(value: Any) -> str | None:
    """Return a value as JSON; text stays as it is, and null and NaN are None."""
    if isinstance(value, str):
        return value
    return None if is_null(value) else json.dumps(value, ensure_ascii=False, default=str)


def is_plain(value: Any) -> bool:
    """Return whether a value is a text, a number or a truth value."""
    return type(value) in _PLAIN_TYPES


def text_of_content(content: Any) -> str | None:
    """Return the text of a chat message's content: a text itself, or the text parts of a list, one per line.

    None if it has no text. Raise UnusableRecordError for an object.
    """
    if not isinstance(content, list):
        return as_text(content)
    parts = [part for part in content if isinstance(part, Mapping) and str(part.get("type", "text")).endswith("text")]
    values = [part.get("text", part.get("content")) for part in parts]
    texts = [text for text in values if isinstance(text, str)]
    return "\n".join(texts) if texts else None


def text_of_prompt(prompt: Any, roles: frozenset[str] = ASKING) -> str | None:
    """Return a text itself, or the text of the last message with one of the roles in a list of messages; else None."""
    if not isinstance(prompt, list):
        return prompt if isinstance(prompt, str) else None
    messages = [message for message in prompt if isinstance(message, Mapping)]
    of_roles = [each for each in messages if str(each.get("role") or each.get("type")).lower() in roles]
    contents = [of_roles[-1][name] for name in ("content", "prompt", "parts") if of_roles and name in of_roles[-1]]
    return text_of_content(contents[0]) if contents and isinstance(contents[0], str | list) else None


MODEL_AND_DATASET = r"(?P<model>[^/]+)/(?P<dataset>[^/]*?)(?:\.json[^/]*)?"
"""The end of a path such as `<model>/<dataset>.jsonl`."""


def named_by_path(pattern: str) -> Callable[[ResultFile], dict[str, Any]]:
    """Return the function that reads values from a file's path, by the named groups of a pattern; {} for another path.

    pattern: a regular expression for the end of the path, with groups such as `model` and `dataset`.
    """
    names = re.compile(rf".*/{pattern}", re.DOTALL)

    def read(source: ResultFile) -> dict[str, Any]:
        named = names.fullmatch(source.path.absolute().as_posix())
        return named.groupdict() if named else {}

    return read


def read_sibling(path: Path, name: str) -> Any:
    """Return the JSON document `name` that stands beside a file; an empty dict if it is missing or damaged."""
    try:
        return json.loads(path.with_name(name).read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
