"""Tables as CSV files, packed or not."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from understudy.schema import Field, Schema, directives
from understudy.tables._moments import clock_of_column, has_zone

_CSV_ROWS = 1 << 16
_MOST_EXACT = 10.0**15  # with 15 digits after the point, still a decimal number of Arrow's


class CsvWriter:
    """Writes a header line and rows, each cell in the form that its field declares."""

    def __init__(self, path: Path, schema: Schema, metadata: Mapping[str, str], delimiter: str) -> None:
        self._fields, self._delimiter = schema.fields, delimiter
        packed = path.name.lower().endswith(".gz")
        self._raw = path.open("wb")
        # No name and no time inside: the same rows give the same bytes.
        self._stream: Any = gzip.GzipFile("", "wb", 6, self._raw, 0) if packed else self._raw
        header = delimiter.join(_quoted(field.name, delimiter) for field in schema.fields)
        self._stream.write((header + "\n").encode())

    def write(self, batch: pa.RecordBatch) -> None:
        """Append these rows."""
        for start in range(0, batch.num_rows, _CSV_ROWS):
            self._stream.write(self._lines(batch.slice(start, _CSV_ROWS)))

    def _lines(self, batch: pa.RecordBatch) -> pa.Buffer:
        texts = [_texts(batch.column(field.name), field, self._delimiter) for field in self._fields]
        if len(texts) == 1:  # an empty line would be taken for no row at all
            texts = [pc.if_else(pc.equal(texts[0], ""), '""', texts[0])]
        texts[-1] = pc.binary_join_element_wise(texts[-1], "\n", "")
        # A fresh array of texts lies end to end in memory: its buffer is the file's next bytes.
        return pc.binary_join_element_wise(*texts, self._delimiter).buffers()[2]

    def close(self) -> None:
        """Write what is left."""
        try:
            self._stream.close()
        finally:
            self._raw.close()


def _texts(column: pa.Array, field: Field, delimiter: str) -> pa.Array:
    """A decoded column as CSV cells."""
    form = field.form
    quoted = partial(_quoted, delimiter=delimiter)
    if field.type == "string":
        texts = column
        if any(quoted(text) != text for text in [*(str(c.value) for c in field.categories), field.other_text]):
            encoded = pc.dictionary_encode(column)
            texts = pa.array([quoted(text) for text in encoded.dictionary.to_pylist()], pa.string())
            texts = texts.take(encoded.indices)
    elif field.type == "boolean":
        texts = pc.if_else(column, quoted(form.true_values[0]), quoted(form.false_values[0]))
    elif field.type in ("date", "datetime"):
        texts = moment_texts(column, field)
        if any(mark in (form.format or "") for mark in (delimiter, '"')):
            texts = pa.array([None if text is None else quoted(text) for text in texts.to_pylist()], pa.string())
    else:
        texts = _digits(column, field)
        if form.decimal_char != "." and field.type == "number":
            texts = pc.replace_substring(texts, ".", form.decimal_char)
            if form.decimal_char == delimiter:
                texts = pc.if_else(
                    pc.match_substring(texts, delimiter), pc.binary_join_element_wise('"', texts, '"', ""), texts
                )
    return pc.fill_null(texts, quoted(field.missing_texts[0] if field.missing_texts else ""))


def _digits(column: pa.Array, field: Field) -> pa.Array:
    """Numbers with as many digits after the point as the field declares, if that is the same number."""
    texts = column.cast(pa.string())
    decimals = field.properties.get("decimals")
    if not decimals:
        return texts
    near = pc.if_else(pc.less_equal(pc.abs(column), _MOST_EXACT), column, 0.0)
    padded = near.cast(pa.decimal128(38, int(decimals))).cast(pa.string())
    plain = pc.invert(pc.match_substring(padded, "E"))  # Arrow writes 0.0000001 as 1E-7
    same = pc.equal(pc.if_else(plain, padded, "nan").cast(pa.float64()), column)
    return pc.if_else(same, padded, texts)


def moment_texts(column: pa.Array, field: Field) -> pa.Array:
    """Decoded dates or datetimes as texts of the field's format.

    >>> schema = Schema.from_dict({"fields": [{"name": "day", "type": "date", "format": "%d.%m.%Y",
    ...     "constraints": {"minimum": "2020-01-01", "maximum": "2020-12-31"}}]})
    >>> moment_texts(pa.array([18262, None], pa.int32()).cast(pa.date32()), schema["day"]).to_pylist()
    ['01.01.2020', None]
    """
    pattern = field.form.format
    if has_zone(column.type):
        clock = pa.array(clock_of_column(column, column.type.tz), mask=column.is_null().to_numpy(zero_copy_only=False))
        column = clock.cast(pa.timestamp("us"))
    if pattern is None and field.type == "date":
        return column.cast(pa.string())
    pattern = pattern or "%Y-%m-%dT%H:%M:%S"
    whole = column if field.type == "date" else column.cast(pa.timestamp("s"), safe=False)
    if set(directives(pattern)) <= frozenset("YmdHMS"):
        return pc.strftime(whole, format=pattern)
    return pa.array([None if m is None else m.strftime(pattern) for m in column.to_pylist()], pa.string())


def _quoted(text: str, delimiter: str) -> str:
    if any(mark in text for mark in (delimiter, *'"\r\n')) or text != text.strip():
        return '"' + text.replace('"', '""') + '"'
    return text
