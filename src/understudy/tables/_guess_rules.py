"""Rules between columns that the first rows keep: suggestions for a person who knows, never declared by a draft."""

from __future__ import annotations

from itertools import combinations, permutations

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
_MOST_COLUMNS = 40
_MOST_RULES = 12
_ROWS_PER_VALUE = 10
_LOWER = word_set("min minimum low lower start begin from first before opening gross")
_UPPER = word_set("max maximum high upper end stop to last after closing")


def likely_rules(columns: list[Column], schema: Schema) -> list[str]:
    """Lines of a schema file's `dependencies` that no row at the top of the table breaks.

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
    fields = [field for field in schema.fields if field.name in kept][: 2 * _MOST_COLUMNS]
    rules = _orders(fields, kept) + _determined(fields, kept)
    return rules[:_MOST_RULES]


def _orders(fields: list[Field], cells: dict[str, pa.Array]) -> list[str]:
    numbers = [field for field in fields if field.bins is not None]
    values = {field.name: _values(field, cells[field.name]) for field in numbers}
    found = []
    for one, other in combinations(numbers, 2):
        moments = one.type == other.type and one.type in ("date", "datetime")
        if not (moments or _named_as_ends(one.name, other.name) or _named_as_ends(other.name, one.name)):
            continue
        a, b = values[one.name], values[other.name]
        both = np.isfinite(a) & np.isfinite(b)
        if both.sum() < _ENOUGH or (a[both] == b[both]).all():
            continue
        if (a[both] <= b[both]).all():
            found.append((one.name, other.name))
        elif (a[both] >= b[both]).all():
            found.append((other.name, one.name))
    return [f"- {{lower: {_quoted(low)}, upper: {_quoted(high)}}}" for low, high in found]


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


def _determined(fields: list[Field], cells: dict[str, pa.Array]) -> list[str]:
    seen = {field.name: _codes(cells[field.name]) for field in fields[:_MOST_COLUMNS] if field.bins is None}
    named = {name: codes for name, codes in seen.items() if codes is not None}
    found: list[tuple[str, str]] = []
    for one, other in permutations(named, 2):
        (a, n_a), (b, n_b) = named[one], named[other]
        if n_b > n_a or (other, one) in found or any(end == other and (start, one) in found for start, end in found):
            continue
        image = np.zeros(n_a, dtype=np.int64)
        image[a] = b
        if (image[a] == b).all():
            found.append((one, other))
    return [f"- {{determines: [{_quoted(one)}], column: {_quoted(other)}}}" for one, other in found]


def _codes(cells: pa.Array) -> tuple[npt.NDArray[np.int64], int] | None:
    """The different texts of the rows by number, missing ones too; None where they could not show a rule."""
    encoded = pc.dictionary_encode(cells, null_encoding="encode")
    codes = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    counts = np.bincount(codes)
    shown = len(codes) >= _ROWS_PER_VALUE * len(counts) and len(counts) <= _MOST_VALUES
    varied = len(counts) > 2 or (len(counts) == 2 and counts.min() >= 2 * _ROWS_PER_VALUE)
    return (codes, len(counts)) if shown and varied and np.sort(counts)[:-1].sum() >= 2 * _ROWS_PER_VALUE else None


def _quoted(name: str) -> str:
    """The name as YAML has it."""
    return write_yaml([name]).strip()[1:-1]
