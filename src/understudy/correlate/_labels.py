"""Labelled pairs: two rows, and whether they belong together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from understudy._core.errors import OptionError, TableError
from understudy.correlate._texts import Ints, as_texts
from understudy.tables import Source, open_source

COLUMNS = ("row_a", "row_b", "same")
_TAGS = {
    **dict.fromkeys(("1", "1.0", "true", "yes", "y", "t"), 1),
    **dict.fromkeys(("0", "0.0", "false", "no", "n", "f"), 0),
    **dict.fromkeys(("-1", "-1.0"), -1),
}
_FEWEST = 2


@dataclass(frozen=True, eq=False)
class Labels:
    """Pairs of rows with their tags: 1 they belong together, 0 they do not, −1 they are opposed."""

    first: Ints
    second: Ints
    tags: Ints

    @property
    def n_pairs(self) -> int:
        """How many pairs are labelled."""
        return len(self.tags)


def read_labels(source: Any, *, n_rows: int, keys: pa.Array | None = None) -> Labels:
    """The labelled pairs of a file or a table with the columns row_a, row_b and same.

    Rows are numbers from 0, or, with `keys`, values of the column that those are.

    >>> table = pa.table({"row_a": [0, 0], "row_b": [1, 2], "same": ["yes", "no"]})
    >>> read_labels(table, n_rows=3).tags.tolist()
    [1, 0]
    """
    opened = open_source(source)
    name = f"the labels '{opened.path}'" if opened.path is not None else "the table of labels"
    if set(opened.names) != set(COLUMNS) or len(opened.names) != len(COLUMNS):
        found = ", ".join(f"'{column}'" for column in opened.names[:12])
        raise TableError(f"{name} must have the columns 'row_a', 'row_b' and 'same'. Their columns are {found}.")
    one, other, same = _columns(opened)
    tags = _tags(same, name)
    rows = [_rows(part, name, column, n_rows, keys) for part, column in ((one, "row_a"), (other, "row_b"))]
    return _checked(Labels(rows[0], rows[1], tags), n_rows, name)


def _columns(source: Source) -> list[list[str]]:
    parts: list[list[str]] = [[], [], []]
    for batch in source.batches(list(COLUMNS)):
        for part, column in zip(parts, batch, strict=True):
            part += ["" if cell is None else str(cell).strip() for cell in as_texts(column).to_pylist()]
    return parts


def _tags(words: list[str], name: str) -> Ints:
    for line, word in enumerate(words):
        if word.lower() not in _TAGS:
            raise TableError(
                f"{name}, line {line + 2}: 'same' must be 1 or yes (they belong together), 0 or no (they do not), or "
                "-1 (they are opposed)."
            )
    return np.array([_TAGS[word.lower()] for word in words], dtype=np.int64)


def _rows(words: list[str], name: str, column: str, n_rows: int, keys: pa.Array | None) -> Ints:
    if keys is not None:
        return _rows_by_key(words, name, column, keys)
    found: Ints = np.empty(len(words), dtype=np.int64)
    for line, word in enumerate(words):
        number = int(word) if word.isascii() and word.isdigit() and len(word) < 19 else -1
        if not 0 <= number < n_rows:
            raise TableError(
                f"{name}, line {line + 2}: '{column}' names a row that is not there. Rows of the table are numbers "
                f"from 0 to {n_rows - 1}; to name them by the values of a column, give it with key (--key)."
            )
        found[line] = number
    return found


def _rows_by_key(words: list[str], name: str, column: str, keys: pa.Array) -> Ints:
    values = keys.to_pylist()
    rows: dict[str, int] = {}
    for row, value in enumerate(values):
        if value is None or rows.setdefault(value.strip(), row) != row:
            raise OptionError(
                "the key column has missing values, or values that two rows share. Name another, or none."
            )
    for line, word in enumerate(words):
        if word not in rows:
            raise TableError(f"{name}, line {line + 2}: '{column}' names a record that is not in the key column.")
    return np.array([rows[word] for word in words], dtype=np.int64)


def _checked(labels: Labels, n_rows: int, name: str) -> Labels:
    if labels.n_pairs < _FEWEST:
        raise TableError(f"{name} hold {labels.n_pairs} pairs. At least {_FEWEST} are needed, of both kinds.")
    alone = labels.first == labels.second
    if alone.any():
        raise TableError(f"{name}, line {int(np.argmax(alone)) + 2}: a row is paired with itself.")
    pairs = np.minimum(labels.first, labels.second) * n_rows + np.maximum(labels.first, labels.second)
    distinct, place = np.unique(pairs, return_index=True)
    where = np.searchsorted(distinct, pairs)
    against = labels.tags != labels.tags[place][where]
    if against.any():
        raise TableError(f"{name}, line {int(np.argmax(against)) + 2}: this pair is labelled twice, and differently.")
    kinds: npt.NDArray[np.int64] = np.unique(labels.tags)
    if len(kinds) == 1:
        told = {1: "belong together", 0: "do not", -1: "are opposed"}[int(kinds[0])]
        raise TableError(
            f"all of {name} are of one kind: pairs that {told}. To tell the kinds apart, pairs of both are needed."
        )
    return Labels(labels.first[place], labels.second[place], labels.tags[place])
