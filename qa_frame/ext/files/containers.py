"""Records that stand one floor down in JSON, or more: lists in an object, and objects of records by their ids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from qa_frame.errors import plural
from qa_frame.ext.files.records import Place, ResultFile
from qa_frame.frames.names import USUAL_NAMES, name_in

_DEEPEST = 2
_SHARED = {*USUAL_NAMES["model"], *USUAL_NAMES["dataset"]}
_OF_A_ROW = {name for names in USUAL_NAMES.values() for name in names} - _SHARED
"""Names of values that records do not take from what stands above them."""

IsRecord = Callable[[Any], bool]


@dataclass(frozen=True, slots=True)
class Group:
    """A list of objects, or an object of records by their ids, that stands inside other JSON.

    Attributes
    ----------
    path
        The names above it.
    items
        Its items by number, or by id.
    beside
        The texts that stand above it, as the model's name. Numbers there are often scores of all rows.
    is_by_id
        Whether the items have ids.
    has_records
        Whether one of its items is a record.
    """

    path: tuple[str, ...]
    items: Mapping[Any, Any]
    beside: dict[str, Any]
    is_by_id: bool
    has_records: bool

    def records(self, keys: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
        """Yield the place and the value of each item. Items that are objects get new values from above the group.

        These are the texts in `beside`, the id as `question_id` (or `record_id`, if the item has an id itself), and
        `keys` joined by dots as `key` (or `key_above`, if the item has a `key`). keys: the names above the group that
        tell its rows from those of other groups.
        """
        of = f" of {'.'.join(keys)!r}" if keys else ""
        for name, item in self.items.items():
            if isinstance(item, dict):
                above = dict(self.beside)
                if keys:
                    above["key_above" if "key" in item else "key"] = ".".join(keys)
                if self.is_by_id:
                    above["record_id" if name_in(item, "question_id") else "question_id"] = name
                item = {**above, **item}  # noqa: PLW2901
            yield f"record {name!r}{of}", item


def groups_in(value: Any, is_record: IsRecord, path: tuple[str, ...] = ()) -> Iterator[Group]:
    """Yield the lists of objects, and the objects of records by their ids, below an object; nothing for another value.

    At most three names lead from `value` to a list. is_record: tells whether a value is a record. path: the names above
    `value`.
    """
    if not isinstance(value, dict):
        return
    beside = {name: each for name, each in value.items() if isinstance(each, str) and name not in _OF_A_ROW}
    inner = value.values()
    if all(isinstance(each, dict) for each in inner) and any(map(is_record, inner)):
        yield Group(path, value, beside, is_by_id=True, has_records=True)
        return
    for name, each in value.items():
        if isinstance(each, list) and any(isinstance(item, dict) for item in each):
            items = dict(enumerate(each, 1))
            yield Group((*path, name), items, beside, is_by_id=False, has_records=any(map(is_record, each)))
        elif len(path) < _DEEPEST:
            for group in groups_in(each, is_record, (*path, name)):
                yield replace(group, beside={**beside, **group.beside})


def objects_in_lists(value: Any) -> list[Any]:
    """Return the records that a value holds: the items of the lists of objects below it, or else the value alone.

    An object of objects that all have the same names, fewer than there are objects, holds records by their ids: these
    objects are returned. A value that is no object, or has anything but lists and objects in it, is one record.
    """
    if not isinstance(value, dict) or any(not isinstance(each, list | dict) for each in value.values()):
        return [value]
    inner = [*value.values()]
    have_same_names = all(isinstance(each, dict) and each.keys() == inner[0].keys() for each in inner)
    if inner and have_same_names and len(inner) > len(inner[0]):
        return inner
    return [item for group in groups_in(value, lambda _: False) for item in group.items.values()] or [value]


def records_below(source: ResultFile, is_record: IsRecord) -> Iterator[tuple[Place, Any]]:
    """Yield the place and the value of each record in or below the values of a file.

    Records are the items of those lists, and of those objects by ids, that hold at least one record. If the file is one
    value with a single such list, this need not hold any. A value with nothing of the kind is yielded itself.
    is_record: tells whether a value is a record. Lists of objects without records are passed over, with a remark.
    """
    are_several = not source.has_one_record
    n_passed = Counter[str]()
    for place, value in source.records():
        groups = [] if is_record(value) else [*groups_in(value, is_record)]
        with_records = [each for each in groups if each.has_records]
        if len(groups) == 1 and not are_several:
            with_records = groups
        if not with_records:
            yield place, value
            continue
        id_name = name_in(value, "question_id")
        above = (str(value[id_name]) if id_name else str(place),) if are_several else ()
        for group in with_records:
            is_only_list = len(with_records) == len(group.path) == 1 and not group.is_by_id
            yield from group.records(above if is_only_list else (*above, *group.path))
        n_passed.update({".".join(each.path): len(each.items) for each in groups if not each.has_records})
    if n_passed:
        passed = ", ".join(f"{plural(n, 'record')} of {name!r}" for name, n in n_passed.items())
        source.remarks.append(f"{passed}: not read, as they have no prediction and gold")
