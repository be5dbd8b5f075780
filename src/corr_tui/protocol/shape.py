"""Closed objects: one declaration gives the fields, which of them are required, and the rule of each (§2.1, §5).

A record is a frozen msgspec struct whose fields carry their check in the annotation. `shape_of` reads that
declaration once and returns the check of the whole object, which reports every broken rule with its path. A field
that may be absent is declared `| UnsetType = UNSET`, so that absent and null stay different.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import UNSET, UnsetType

from corr_tui.protocol.errors import Issue, JsonPath
from corr_tui.protocol.scalars import Check, Refusal

Visit = Callable[[object, JsonPath, list[Issue]], None]
"""Adds an issue for every broken rule of a value at a path."""

__all__ = ["UNSET", "Items", "Record", "UnsetType", "shape_of"]


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The base of every closed record; `noun` names it in the code of an unknown field."""


@dataclass(frozen=True, slots=True)
class Items:
    """The bounds of a list of unique values."""

    least: int
    most: int


@cache
def shape_of(record: type[Record]) -> Visit:
    """The check of one closed object: unknown, missing and wrong fields, in the order of the declaration."""
    noun = getattr(record, "noun", "event")
    hints = get_type_hints(record, include_extras=True)
    fields = {field.name: field for field in msgspec.structs.fields(record)}
    visits = {name: _visit(hints[name]) for name in fields}
    required = {name for name, field in fields.items() if field.required}
    known = visits.keys() | {record.__struct_config__.tag_field}

    def visit(value: object, path: JsonPath, issues: list[Issue]) -> None:
        if not isinstance(value, dict):
            issues.append(Issue(path, "object_expected", "must be an object"))
            return
        for name, check in visits.items():
            if name in value:
                check(value[name], (*path, name), issues)
            elif name in required:
                issues.append(Issue((*path, name), f"{name}_required", "is required"))
        for name in value:
            if name not in known:
                issues.append(Issue((*path, name), f"unknown_{noun}_field", "is not a field of this closed object"))

    return visit


def _visit(hint: Any) -> Visit:
    """The check of one field from its annotation."""
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        members = [member for member in get_args(hint) if member not in (UnsetType, NoneType)]
        inner = _visit(members[0]) if len(members) == 1 else _by_kind(members)
        return _or_null(inner) if NoneType in get_args(hint) else inner
    if origin is Annotated:
        base, rule = get_args(hint)
        return _list_of(base, rule) if isinstance(rule, Items) else _scalar(rule)
    return shape_of(hint)


def _scalar(check: Check) -> Visit:
    def visit(value: object, path: JsonPath, issues: list[Issue]) -> None:
        try:
            check(value)
        except Refusal as refusal:
            issues.append(Issue(path, refusal.code, refusal.message))

    return visit


def _or_null(inner: Visit) -> Visit:
    def visit(value: object, path: JsonPath, issues: list[Issue]) -> None:
        if value is not None:
            inner(value, path, issues)

    return visit


def _length(bounds: Items, value: list[object]) -> str:
    return f"must have {bounds.least} to {bounds.most} items, and has {len(value)}"


def _list_of(base: Any, bounds: Items) -> Visit:
    inner = _visit(get_args(base)[0])

    def visit(value: object, path: JsonPath, issues: list[Issue]) -> None:
        if not isinstance(value, list):
            issues.append(Issue(path, "list_expected", "must be a list"))
            return
        if not bounds.least <= len(value) <= bounds.most:
            issues.append(Issue(path, "list_length", _length(bounds, value)))
            return
        for index, item in enumerate(value):
            inner(item, (*path, index), issues)
        for index, item in enumerate(value):
            if item in value[:index]:
                issues.append(Issue((*path, index), "list_not_unique", "must not repeat an earlier item"))

    return visit


def _by_kind(members: list[Any]) -> Visit:
    """One of several objects, told apart by their `kind`."""
    visits = {member.__struct_config__.tag: shape_of(member) for member in members}

    def visit(value: object, path: JsonPath, issues: list[Issue]) -> None:
        if not isinstance(value, dict):
            issues.append(Issue(path, "object_expected", "must be an object"))
            return
        kind = value.get("kind")
        chosen = visits.get(kind) if isinstance(kind, str) else None
        if chosen is None:
            known = ", ".join(visits)
            issues.append(Issue((*path, "kind"), "artifact_kind_unknown", f"must be one of {known}"))
            return
        chosen(value, path, issues)

    return visit
