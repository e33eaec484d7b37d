"""The column that tells units apart: whose row is whose. It is read, never encoded, and never published."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from understudy._core.errors import TableError, did_you_mean
from understudy.schema import Schema
from understudy.tables._columns import column_faults
from understudy.tables._objects import Column, Mixed

_SHOWN = 5
_WHOLE = 2.0**53  # doubles beyond it have no exact integer to be compared with


class UnitReader:
    """Collects the unit of every row, batch by batch.

    Two cells name one unit if they read the same: texts without the spaces around them, 12 like 12.0 and "12". Reading
    two units as one would only protect more.

    >>> reader = UnitReader("patient", missing=["", "NA"])
    >>> reader.append(pa.array(["a", "b ", "a"]))
    >>> reader.codes().tolist()
    [0, 1, 0]
    """

    def __init__(self, name: str, *, missing: Iterable[str] = ("",)) -> None:
        self.name = name
        self._missing = pa.array(sorted({text.strip() for text in missing} | {""}), pa.large_string())
        self._chunks: list[pa.Array] = []

    def column_faults(self, names: Sequence[str], schema: Schema) -> list[str]:
        """What is wrong with a table's column names, where one of them is the unit's and not the schema's."""
        if self.name in schema.names:
            return [unit_in_schema(self.name)]
        faults = column_faults([name for name in names if name != self.name], schema)
        there = names.count(self.name)
        if there > 1:
            return [*faults, f"column name '{self.name}' appears {there} times. Column names must differ."]
        return faults if there else [*faults, no_unit_column(self.name, names, schema)]

    def append(self, column: Column) -> None:
        """Take the next batch."""
        self._chunks.append(unit_texts(column, self.name))

    def faults(self) -> list[str]:
        """What is wrong with the rows: that some name no unit."""
        texts = pa.chunked_array(self._chunks, type=pa.large_string())
        without = pc.or_kleene(pc.is_null(texts), pc.is_in(texts, value_set=self._missing))
        found = np.flatnonzero(pc.fill_null(without, True).to_numpy())
        return [_without_unit(self.name, found, len(texts))] if len(found) else []

    def codes(self) -> npt.NDArray[np.int64]:
        """A number for each row, the same for rows of one unit."""
        encoded = pc.dictionary_encode(pa.chunked_array(self._chunks, type=pa.large_string()))  # one dictionary for all
        parts = [chunk.indices.to_numpy() for chunk in encoded.chunks]
        return np.concatenate([np.empty(0, dtype=np.int64), *parts], dtype=np.int64)


def unit_in_schema(name: str) -> str:
    """Why a unit column cannot be a field of the schema, and what to do.

    >>> unit_in_schema("id")[:44]
    "column 'id' tells units apart, and the schem"
    """
    return (
        f"column '{name}' tells units apart, and the schema declares it as a field: it would be published. A unit "
        "column never is. Take it out of the schema's fields."
    )


def no_unit_column(name: str, names: Sequence[str], schema: Schema) -> str:
    """What to say of a unit column that the table does not have; its other names only if they fit the schema.

    >>> schema = Schema.from_dict({"fields": [{"name": "sex", "type": "boolean"}]})
    >>> no_unit_column("patient", ["sex", "patients"], schema)
    "the table has no column 'patient' to tell units apart. Did you mean 'patients'? Known: 'sex', 'patients'."
    """
    said = f"the table has no column '{name}' to tell units apart."
    known = 2 * len(set(names) & set(schema.names)) >= len(schema.names)  # else they may be the cells of a private row
    return f"{said} {did_you_mean(name, names)}" if known else said


def unit_texts(column: Column, name: str) -> pa.Array:
    """The cells of a unit column as texts that can be compared, whatever their type; missing ones are null.

    >>> unit_texts(pa.array([12.0, None, 1.5]), "id").to_pylist(), unit_texts(pa.array([12]), "id").to_pylist()
    (['12', None, '1.5'], ['12'])
    """
    if isinstance(column, Mixed):
        texts = np.full(len(column), None, dtype=object)
        for rows, cells in column.parts:
            texts[rows] = unit_texts(cells, name).to_numpy(zero_copy_only=False)
        return pa.array(texts, pa.large_string())
    if pa.types.is_dictionary(column.type):
        return unit_texts(column.dictionary, name).take(column.indices)
    if pa.types.is_floating(column.type):
        return _texts_of_doubles(column.cast(pa.float64()))
    try:
        texts = column.cast(pa.large_string())
    except pa.ArrowException:
        raise TableError(
            f"column '{name}' cannot tell units apart: its cells are of the type {column.type}. Give each row a number "
            "or a text."
        ) from None
    if pa.types.is_decimal(column.type):  # 12 and 12.00 are one number, written with two scales
        texts = pc.replace_substring_regex(texts, r"(\.\d*?)0+$", r"\1")
        return pc.replace_substring_regex(texts, r"\.$", "")
    return pc.utf8_normalize(pc.utf8_trim_whitespace(texts), form="NFC")


def _texts_of_doubles(column: pa.Array) -> pa.Array:
    values = column.to_numpy(zero_copy_only=False)
    whole = np.isfinite(values) & (np.abs(values) < _WHOLE)
    whole[whole] = values[whole] == np.floor(values[whole])
    as_whole = pa.array(np.where(whole, values, 0.0).astype(np.int64)).cast(pa.large_string())
    texts = pc.if_else(pa.array(whole), as_whole, column.cast(pa.large_string()))
    return pc.if_else(pa.array(np.isnan(values)), pa.scalar(None, pa.large_string()), texts)


def _without_unit(name: str, found: npt.NDArray[np.int64], n_rows: int) -> str:
    if len(found) == n_rows:
        return f"column '{name}' tells units apart, and it is empty. Name the column that says whose row is whose."
    rows = ", ".join(str(row + 1) for row in found[:_SHOWN].tolist()) + (", …" if len(found) > _SHOWN else "")
    one = len(found) == 1
    return (
        f"column '{name}' tells units apart, and {len(found):,} row{' has' if one else 's have'} no value there (row"
        f"{'' if one else 's'} {rows}). Say whose {'it is' if one else 'they are'} (a unit that nobody knows may have "
        f"a value of its own), or leave {'it' if one else 'them'} out of the table."
    )
