"""Codes of cells as SQL: the same codes that reading the cells here gives, and the same marks for cells without one.

Three ways, by the types of field and column. Texts are held against the declared ones. Numbers and moments are held
against the ends of bins, which are worked out here so that each comparison is exact in the column's own type. For all
else (`_sql_values.py`) the values that occur are asked for and encoded here, and the server is told the code of each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeAlias

import numpy as np

from understudy.counting._counter import Counts
from understudy.databases import SqlColumn, literal
from understudy.schema import Bins, Field
from understudy.tables import zone_changes

WRONG, OUTSIDE, MISSING = -1, -2, -3
MOST_CASES = 16
"""More values than that are looked up in a hash table."""
_EXACT = 2**53
_HUGE, _TINY = "1.7976931348623157e308", "2.4703282292062328e-324"  # rounded, these are the ends of doubles
Seen: TypeAlias = Counts | None
_TIME0 = datetime(1970, 1, 1)
_TEXTS = frozenset({"text", "varchar", "bpchar", "name", "citext", "uuid"})
_WHOLE, _FLOAT = frozenset({"int2", "int4", "int8"}), frozenset({"float4", "float8"})
_TWO_DAYS = 2 * 24 * 3600 * 10**6


@dataclass(frozen=True, kw_only=True)
class SqlCode:
    """A code as an expression, and what must be joined for it. Negative where a cell has none.

    >>> SqlCode(code="m1.c", joins='LEFT JOIN m AS m1 ON m1.v = "a"').code
    'm1.c'
    """

    code: str
    joins: str = ""


def code_of(field: Field, column: SqlColumn, place: int, seen: Seen = None) -> SqlCode | None:
    """How the server encodes a column by what is declared alone; None where its values must be looked at here.

    `place` tells apart what columns join. `seen` has the rows of each code where they were counted before: what no cell
    has is then not looked for.
    """
    if field.type == "string":
        texts = column.type in _TEXTS or column.category == "E"
        return _declared_texts(field, column, place, seen) if texts else None
    own = (*field.categories, *field.special)
    if len(own) > MOST_CASES:
        return None
    if field.type == "number" and column.type in _WHOLE | _FLOAT | {"numeric"}:
        return SqlCode(code=_number(field, column, seen))
    if field.type in ("integer", "year") and column.type in _WHOLE | _FLOAT | {"numeric"}:
        return _whole(field, column, seen)
    if field.type == "date" and column.type == "date":
        return SqlCode(code=_moment(field, column.place, "date", timedelta(days=1), seen))
    if field.type == "datetime" and (cell := _clock(field, column)) is not None:
        return SqlCode(code=_moment(field, cell, "timestamp", timedelta(microseconds=1), seen))
    return None


def no_value(field: Field) -> tuple[int, int]:
    """The codes of a value that is not declared and of a missing one; marks where there are none.

    >>> from understudy.schema import Schema
    >>> no_value(Schema.from_dict({"fields": [{"name": "sex", "categories": ["F", "M"]}]})["sex"])
    (-2, -3)
    """
    other, missing = field.other_code, field.missing_code
    if missing is None and other is not None and not field.required:
        missing = other
    return OUTSIDE if other is None else other, MISSING if missing is None else missing


def looked_up(cell: str, keys: Mapping[str, int], otherwise: str | None, place: int, *, type: str) -> SqlCode:
    """The code of each of these values, as the server writes them; `otherwise` for all others, if there are any.

    >>> print(looked_up("t.sex", {"F": 0, "M": 1}, "-2", 0, type="text").code)
    CASE t.sex WHEN 'F'::text THEN 0 WHEN 'M'::text THEN 1 ELSE -2 END
    """
    if otherwise is None:
        *_, (last, otherwise) = ((key, str(code)) for key, code in keys.items())
        keys = {key: code for key, code in keys.items() if key != last}
    if not keys:
        return SqlCode(code=otherwise)
    if len(keys) <= MOST_CASES:
        cases = " ".join(f"WHEN {literal(key)}::{type} THEN {code}" for key, code in keys.items())
        return SqlCode(code=f"CASE {cell} {cases} ELSE {otherwise} END")
    values, codes, name = _array(keys, type), _array(map(str, keys.values()), "int4"), f"m{place}"
    joins = f" LEFT JOIN unnest({values}, {codes}) AS {name}(v, c) ON {name}.v = {cell}"
    return SqlCode(code=f"coalesce({name}.c, {otherwise})", joins=joins)


def _array(texts: Iterable[str], kind: str) -> str:
    """Values of one type as SQL has them, each written as a text.

    >>> print(_array(["a", 'b"c'], "text"))
    '{"a","b\\"c"}'::text[]
    """
    escaped = (text.replace("\\", "\\\\").replace('"', '\\"') for text in texts)
    listed = ",".join(f'"{text}"' for text in escaped)
    return f"{literal('{' + listed + '}')}::{kind}[]"


def _occurs(code: int, seen: Seen) -> bool:
    return seen is None or (code >= 0 and bool(seen[code]))


def _declared_texts(field: Field, column: SqlColumn, place: int, seen: Seen) -> SqlCode:
    other, missing = no_value(field)
    keys = {str(category.value): code for code, category in enumerate(field.categories)}
    keys = {
        text: code for text, code in {**keys, **dict.fromkeys(field.missing_texts, missing)}.items() if "\0" not in text
    }
    keys = {text: code for text, code in keys.items() if _occurs(code, seen)}
    if seen is not None:
        keys = dict(sorted(keys.items(), key=lambda key: -seen[key[1]]))  # the most common first
    name = column.place
    rest: str | None = f"CASE WHEN {name} IS NULL THEN {missing} ELSE {other} END"
    if keys and not _occurs(other, seen) and not _occurs(missing, seen):
        rest = None
    # by bytes: a collation of the column's own may take different texts for equal
    return looked_up(f'({name}::text COLLATE "C")', keys, rest, place, type="text")


def _number(field: Field, column: SqlColumn, seen: Seen) -> str:
    """As a double, like every number here."""
    name = column.place
    cell, empty = f"{name}::float8", f"{name} IS NULL"
    if column.type not in _WHOLE:
        empty += f" OR {name} = 'NaN'"
    if column.type == "numeric":  # beyond what a double can hold, the server would refuse
        cell = (
            f"(CASE WHEN {name} > {_HUGE} THEN 'Infinity'::float8 WHEN {name} < -{_HUGE} THEN '-Infinity'::float8 "
            f"WHEN abs({name}) < {_TINY} THEN 0::float8 ELSE {name}::float8 END)"
        )
    ends: list[float] = []
    if field.bins is not None:
        inner = np.array([float(edge) for edge in field.bins.edges[1:-1]])
        # t < v for a double v just if the next double after t is at most v
        ends = (np.nextafter(inner, np.inf) if field.bins.closed == "right" else inner).tolist()
    return _Cases(field, cell, "float8", lambda value: repr(float(value)), seen).written(empty, ends)


def _whole(field: Field, column: SqlColumn, seen: Seen) -> SqlCode | None:
    name = column.place
    bounds = [int(c.value) for c in (*field.categories, *field.special)]
    ends: list[int] = []
    if field.bins is not None:
        ends = [last + 1 for _, last in field.bins.spans[:-1]]
        bounds += [int(field.bins.minimum), int(field.bins.maximum)]
    kind, empty, wrong = "int8", f"{name} IS NULL", None
    if column.type in _FLOAT:
        if any(abs(bound) >= _EXACT for bound in bounds):
            return None
        kind, empty, wrong = "float8", f"{empty} OR {name} = 'NaN'", f"{name} <> floor({name})"
    if column.type == "numeric":
        kind, empty = "numeric", f"{empty} OR {name} = 'NaN'"
        wrong = f"abs({name}) < 1e19 AND {name} <> trunc({name})"  # larger ones stand at the ends of 64 bits
    cases = _Cases(field, f"{name}::{kind}", kind, lambda value: str(int(value)), seen)
    return SqlCode(code=cases.written(empty, ends, wrong))


def _clock(field: Field, column: SqlColumn) -> str | None:
    """What a clock shows, as a timestamp without a zone; None where that has to be found out here."""
    name = column.place
    if column.type == "timestamp":
        return name
    if column.type == "date":
        return f"{name}::timestamp"
    if column.type == "timestamptz" and field.form.timezone is not None and field.bins is not None:
        return f"(({name} AT TIME ZONE 'UTC') + {_ahead(field.form.timezone, field.bins, name)})"
    return None


def _ahead(zone: str, bins: Bins, name: str) -> str:
    """How far a clock is ahead of UTC at a moment: by the rules that are known here, not by those of the server.

    Beyond the range of the bins by more than a day, any clock is outside of it.
    """
    changes, ahead = zone_changes(zone, int(bins.minimum) - _TWO_DAYS, int(bins.maximum) + _TWO_DAYS)
    hours = [f"{micros // 1000} ms" for micros in ahead.tolist()]
    if not len(changes):
        return f"{literal(hours[0])}::interval"
    moments = [f"{(_TIME0 + timedelta(microseconds=change)).isoformat(sep=' ')}+00" for change in changes.tolist()]
    return f"({_array(hours, 'interval')})[width_bucket({name}, {_array(moments, 'timestamptz')})+1]"


def _moment(field: Field, cell: str, kind: str, step: timedelta, seen: Seen) -> str:
    def text(value: Any) -> str:
        moment = _TIME0 + int(value) * step
        return moment.isoformat(sep=" ") if kind == "timestamp" else moment.date().isoformat()

    ends = [] if field.bins is None else [last + 1 for _, last in field.bins.spans[:-1]]
    return _Cases(field, cell, kind, text, seen).written(f"{cell} IS NULL", ends)


@dataclass(frozen=True)
class _Cases:
    """A cell held against values of a field, each of them written as a literal of one type."""

    field: Field
    cell: str
    kind: str
    text: Callable[[Any], str]
    seen: Seen

    def written(self, empty: str, ends: Sequence[Any], wrong: str | None = None) -> str:
        """What is missing, what is wrong, values of their own, what lies outside, bins: in the order of reading.

        Bin i holds what is at or above i of the ends.
        """
        field, (other, missing) = self.field, no_value(self.field)
        cases = [(empty, missing), *([] if wrong is None else [(wrong, WRONG)])]
        start = 0 if field.categories else field.n_main
        for place, category in enumerate((*field.categories, *field.special)):
            cases.append((f"{self.cell} = {self._literal(category.value)}", start + place))
        rest = str(other)
        if field.bins is not None:
            low, high = self._literal(field.bins.minimum), self._literal(field.bins.maximum)
            if field.outside != "clip":
                cases.append((f"{self.cell} < {low} OR {self.cell} > {high}", other))
            rest = f"width_bucket({self.cell}, {_array(map(self.text, ends), self.kind)})" if ends else "0"
        there = " ".join(f"WHEN {when} THEN {code}" for when, code in cases if _occurs(code, self.seen))
        return f"CASE {there} ELSE {rest} END" if there else rest

    def _literal(self, value: Any) -> str:
        return f"{literal(self.text(value))}::{self.kind}"
