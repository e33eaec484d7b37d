"""Rules between columns that the first rows keep: suggestions for a person who knows, never declared by a draft.

All pairs of columns are looked at, however many there are: a thousand rows refute nearly all of them at once, and only
what is left is held against every row at hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from textwrap import wrap

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from understudy.schema import Field, Schema, word_set, write_yaml
from understudy.tables._identifiers import words_of
from understudy.tables._parse import parse
from understudy.tables._seen import SAMPLE, Column

_ENOUGH = 100
_MOST_VALUES = 1000
_MOST_RULES = 12
_MOST_BY_CHANCE = 5
_ROWS_PER_VALUE = 10
_FIRST_ROWS = 1000
_EXPECTED = 0.05
"""Numbers are asked about if at least so many rows would be out of order, were they put together at random."""
_LOWER = word_set("min minimum low lower start begin from first before opening gross")
_UPPER = word_set("max maximum high upper end stop to last after closing")
_UNNAMED = 0.25
"""The same of numbers whose names share no word."""
_ASKED = "  # by definition, or by chance in these rows?"
_MOST_NAMED = 12
_WIDTH = 110
_Cells = Mapping[str, pa.Array]


@dataclass(frozen=True)
class _Order:
    """Two columns of which one is never larger in these rows; by chance perhaps, where no name or type says why."""

    lower: str
    upper: str
    expected: float
    by_chance: bool

    @property
    def line(self) -> str:
        """As a schema file has it."""
        asked = _ASKED if self.by_chance else ""
        return f"- {{lower: {_quoted(self.lower)}, upper: {_quoted(self.upper)}}}{asked}"

    @property
    def short(self) -> str:
        """In a sentence."""
        return f"{_quoted(self.lower)} ≤ {_quoted(self.upper)}"

    @property
    def rank(self) -> tuple[bool, float]:
        """The likelier first."""
        return not _share_a_word(self.lower, self.upper), -self.expected


@dataclass(frozen=True)
class _Determined:
    """Two columns of which one has the same value wherever the other has the same."""

    by: str
    column: str

    @property
    def line(self) -> str:
        """As a schema file has it."""
        return f"- {{determines: [{_quoted(self.by)}], column: {_quoted(self.column)}}}"

    @property
    def short(self) -> str:
        """In a sentence."""
        return f"{_quoted(self.by)} → {_quoted(self.column)}"


def likely_rules(columns: list[Column], schema: Schema) -> list[str]:
    """Lines of a schema file's `dependencies` that no row at the top of the table breaks, and what is left out of them.

    >>> days = [f"2023-01-{i % 28 + 1:02}" for i in range(200)]
    >>> column = lambda name, texts: Column(name=name, rows=200, sample=[pa.array(texts)])
    >>> schema = Schema.from_dict({"fields": [{"name": name, "type": "date", "bins": 2, "constraints":
    ...     {"minimum": "2023-01-01", "maximum": "2023-02-28"}} for name in ("admitted", "discharged")]})
    >>> likely_rules([column("admitted", days), column("discharged", ["2023-02-01"] * 200)], schema)
    ['- {lower: admitted, upper: discharged}']
    """
    rows = min(max((column.rows for column in columns), default=0), SAMPLE)
    if rows < _ENOUGH:
        return []
    joined = {column.name: pa.concat_arrays(column.sample) for column in columns}
    kept = {name: cells for name, cells in joined.items() if len(cells) == rows}
    fields = [field for field in schema.fields if field.name in kept]
    first = np.unique(np.linspace(0, rows - 1, _FIRST_ROWS).astype(np.int64))
    orders, determined = _orders(fields, kept, first), _determined(fields, kept, first)
    rules: list[_Order | _Determined] = [*(one for one in orders if not one.by_chance), *determined]
    asked = _without_implied([one for one in orders if one.by_chance])
    listed = [one.line for one in (*rules[:_MOST_RULES], *asked[:_MOST_BY_CHANCE])]
    return listed + _also([one.short for one in (*rules[_MOST_RULES:], *asked[_MOST_BY_CHANCE:])])


def _also(rules: list[str]) -> list[str]:
    """What holds as well, in short: nobody is to think that there is nothing else."""
    if not rules:
        return []
    others = [f"{len(rules) - _MOST_NAMED:,} others"] if len(rules) > _MOST_NAMED else []
    return wrap(f"These rows keep more: {', '.join([*rules[:_MOST_NAMED], *others])}.", _WIDTH)


def _orders(fields: list[Field], cells: _Cells, first: npt.NDArray[np.int64]) -> list[_Order]:
    """Pairs of numbers or moments of which one is never larger."""
    numbers = [field for field in fields if field.bins is not None]
    few = {field.name: _values(field, cells[field.name].take(pa.array(first))) for field in numbers}
    every: dict[str, npt.NDArray[np.float64]] = {}
    found = []
    for one, other in combinations(numbers, 2):
        a, b = few[one.name], few[other.name]
        if (a > b).any() and (a < b).any():
            continue
        moments = [field.type in ("date", "datetime") for field in (one, other)]
        if any(moments) and one.type != other.type:
            continue
        for field in (one, other):
            if field.name not in every:
                every[field.name] = _values(field, cells[field.name])
        a, b = every[one.name], every[other.name]
        both = np.isfinite(a) & np.isfinite(b)
        a, b = a[both], b[both]
        if len(a) < _ENOUGH or (a == b).all() or ((a > b).any() and (a < b).any()):
            continue
        (low, lows), (high, highs) = ((one, a), (other, b)) if (a <= b).all() else ((other, b), (one, a))
        named = _named_as_ends(one.name, other.name) or _named_as_ends(other.name, one.name)
        expected, least = _out_of_order(lows, highs), _EXPECTED if _share_a_word(low.name, high.name) else _UNNAMED
        if all(moments) or named or expected >= least:
            found.append(_Order(low.name, high.name, expected, by_chance=not (all(moments) or named)))
    return found


def _out_of_order(lows: npt.NDArray[np.float64], highs: npt.NDArray[np.float64]) -> float:
    """The share of rows whose lower number would be the larger one, were both put together at random.

    Ages are below incomes in every row, and whoever's they are: that is no rule worth a question.
    """
    return float(np.searchsorted(np.sort(highs), lows).mean() / len(highs))


def _without_implied(orders: list[_Order]) -> list[_Order]:
    """The orders that do not follow from two others, the likelier first."""
    pairs = {(one.lower, one.upper) for one in orders}
    middle = {name for pair in pairs for name in pair}
    kept = [
        one for one in orders if not any((one.lower, name) in pairs and (name, one.upper) in pairs for name in middle)
    ]
    return sorted(kept, key=lambda one: one.rank)


def _share_a_word(one: str, other: str) -> bool:
    """Whether two names have a word in common."""
    return not set(words_of(one)).isdisjoint(words_of(other))


def _named_as_ends(low: str, high: str) -> bool:
    """Whether two names say that they are the ends of one thing, such as `min_temp` and `max_temp`."""
    first, second = words_of(low), words_of(high)
    lows, highs = [w for w in first if w in _LOWER], [w for w in second if w in _UPPER]
    rest = [w for w in first if w not in _LOWER] == [w for w in second if w not in _UPPER]
    return len(lows) == len(highs) == 1 and rest


def _values(field: Field, cells: pa.Array) -> npt.NDArray[np.float64]:
    parsed = parse(cells, field)
    values = np.asarray(parsed.values, dtype=np.float64)
    special = np.isin(values, [float(one.value) for one in field.special])
    return np.where(parsed.missing | parsed.wrong | special, np.nan, values)


def _determined(fields: list[Field], cells: _Cells, first: npt.NDArray[np.int64]) -> list[_Determined]:
    """Pairs of columns of few values of which one follows from the other, and not by way of a third."""
    seen = {field.name: _codes(cells[field.name]) for field in fields if field.bins is None}
    named = {name: codes for name, codes in seen.items() if codes is not None}
    if not named:
        return []
    names, few = list(named), np.column_stack([codes[first] for codes, _ in named.values()])
    sizes = np.array([size for _, size in named.values()])
    found: list[tuple[str, str]] = []
    for at, one in enumerate(names):
        codes, size = named[one]
        ordered = few[np.argsort(few[:, at], kind="stable")]
        together = ordered[1:, at] == ordered[:-1, at]
        refuted = (ordered[1:][together] != ordered[:-1][together]).any(axis=0)
        for other in (names[i] for i in np.flatnonzero(~refuted & (sizes <= size)) if i != at):
            image = np.zeros(size, dtype=np.int64)
            image[codes] = named[other][0]
            if (other, one) not in found and (image[codes] == named[other][0]).all():
                found.append((one, other))
    known = set(found)
    return [
        _Determined(one, other)
        for one, other in found
        if not any((one, x) in known and (x, other) in known for x in names)
    ]


def _codes(cells: pa.Array) -> tuple[npt.NDArray[np.int16], int] | None:
    """The different texts of the rows by number, missing ones too; None where they could not show a rule."""
    encoded = pc.dictionary_encode(cells, null_encoding="encode")
    codes = encoded.indices.to_numpy(zero_copy_only=False)
    counts = np.bincount(codes)
    shown = len(codes) >= _ROWS_PER_VALUE * len(counts) and len(counts) <= _MOST_VALUES
    varied = len(counts) > 2 or (len(counts) == 2 and counts.min() >= 2 * _ROWS_PER_VALUE)
    kept = shown and varied and np.sort(counts)[:-1].sum() >= 2 * _ROWS_PER_VALUE
    return (codes.astype(np.int16), len(counts)) if kept else None


def _quoted(name: str) -> str:
    """The name as YAML has it."""
    return write_yaml([name]).strip()[1:-1]
