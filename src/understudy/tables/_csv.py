"""CSV files as batches of texts. Every column is read as text: `None`, `N` and `?` are data."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv

from understudy._core.errors import TableError
from understudy.tables._csv_lines import LineFaults, line_faults, line_of_byte
from understudy.tables._files import TableFile

_DELIMITERS = (",", ";", "\t", "|")
_BLOCK = 1 << 21
_LARGEST_BLOCK = 1 << 27  # rows longer than this are refused, unless two such blocks happen to hold them
_FIRST_BLOCK = 1 << 16
_UNEVEN = re.compile(r"CSV parse error: (Row #\d+: )?Expected \d+ columns, got")


@dataclass(frozen=True, kw_only=True)
class Header:
    """What the start of a CSV file tells: names, delimiter, empty lines before it, and whether anything follows."""

    names: tuple[str, ...]
    delimiter: str
    blank_lines: int
    filled: bool


def read_header(file: TableFile) -> Header:
    """The header of a CSV file."""
    with file.stream() as stream:
        start = file.read(stream, _FIRST_BLOCK)
        while start and b"\n" not in start.replace(b"\r", b"\n") and (more := file.read(stream, _FIRST_BLOCK)):
            start += more
    if not start:
        raise TableError(f"{file.name} is empty: it has no header and no rows.")
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise TableError(f"{file.name} is UTF-16 text, not UTF-8. Save it as CSV UTF-8.")
    text = codecs.getincrementaldecoder("utf-8-sig")("replace").decode(start)
    lines = text.splitlines()
    blank = next((i for i, line in enumerate(lines) if line), None)
    if blank is None or not text.strip():
        raise TableError(f"{file.name} is empty: it has no header and no rows.")
    # The header alone says which mark parts the cells: no row may have a say in how the others are read.
    header, rows = lines[blank], lines[blank + 1 :]
    delimiter = ","
    unquoted = re.sub(r'"[^"]*("|$)', "", header)  # a name may hold any mark between its quotes
    if "," not in unquoted:
        delimiter = max(_DELIMITERS, key=lambda mark: (unquoted.count(mark), mark == ","))
    names = next(csv.reader(io.StringIO(text.lstrip("\r\n"), newline=""), delimiter=delimiter))
    if any("\ufffd" in name for name in names):
        raise _not_utf8(file)
    if any("\0" in name for name in names):
        raise _nul(file)
    if any("\n" in name or "\r" in name for name in names):  # before anybody shows rows as a name
        found = line_faults(file, delimiter=delimiter, cells=len(names), skipped=blank)
        if found.open_line:
            raise _never_closed(file, found.open_line)
    # In a file of one column, an empty line is a row.
    filled = any(rows) or (len(names) == 1 and bool(rows)) or len(start) >= _FIRST_BLOCK
    return Header(names=tuple(names), delimiter=delimiter, blank_lines=blank, filled=filled)


def csv_batches(file: TableFile, header: Header, wanted: Sequence[str]) -> Iterator[list[pa.Array]]:
    """The wanted columns, batch by batch, as texts."""
    if not header.filled:
        return
    last = header.names[-1]
    # A quote that is never closed goes unnoticed in the last column alone; two of a name cannot be read by it.
    seen = list(wanted) if last in wanted or header.names.count(last) > 1 else [*wanted, last]
    end = b""
    try:
        for batch in _batches(file, header, partial(_strict, file, header, seen, len(wanted))):
            if last in seen and len(batch):
                end = batch.column(last)[-1].cast(pa.binary()).as_py()
            columns = [batch.column(name) for name in wanted]
            if any(_holds_nul(column) for column in columns):
                raise _nul(file)
            yield columns
    except _UnevenError:
        raise _uneven(file, header) from None
    suspect = last not in seen or b"\n" in end or b"\r" in end
    if suspect and (line := _faults(file, header).open_line):
        raise _never_closed(file, line)


class _LongRowError(Exception):
    """A row does not fit into two blocks."""


class _UnevenError(Exception):
    """A row has more or fewer cells than the header."""


def _batches(file: TableFile, header: Header, reader: Callable[[int], Any]) -> Iterator[pa.RecordBatch]:
    """All rows, in blocks as large as the longest row needs.

    Where in a block a long row begins depends on the rows before it, so blocks of one size would take it or refuse it
    for their sake.
    """
    block, done = _BLOCK, 0
    while True:
        seen = 0
        try:
            for batch in _blocks(file, header, partial(reader, block)):
                seen += len(batch)
                if seen > done:
                    yield batch.slice(max(len(batch) - (seen - done), 0))
                    done = seen
            return
        except _LongRowError:
            if block >= _LARGEST_BLOCK:
                if line := _faults(file, header).open_line:
                    raise _never_closed(file, line) from None
                raise TableError(
                    f"{file.name}: one row is longer than {block >> 20} MB. Look for a quote too many."
                ) from None
            block *= 8


def _blocks(file: TableFile, header: Header, reader: Callable[[], Any]) -> Iterator[pa.RecordBatch]:
    """All rows in blocks of one size. What is wrong is told in our words: Arrow's may quote a row."""
    try:
        with reader() as blocks:
            yield from blocks
    except pa.ArrowInvalid as error:
        said = str(error)
        if _UNEVEN.match(said):
            raise _UnevenError from None
        if "UTF8" in said:
            raise _not_utf8(file) from None
        if "Empty CSV" in said:
            return
        if "straddl" in said:
            raise _LongRowError from None
        raise TableError(f"{file.name} cannot be read as CSV with the delimiter {header.delimiter!r}.") from None
    except OSError as error:
        raise file.unreadable(error) from None


def _strict(file: TableFile, header: Header, wanted: Sequence[str], n_texts: int, block: int) -> Any:
    """Arrow's reader of some columns, which refuses uneven rows. The first are texts, others bytes as they are."""
    return arrow_csv.open_csv(
        file.stream(),
        read_options=arrow_csv.ReadOptions(block_size=block, skip_rows=header.blank_lines),
        parse_options=_parsing(header),
        convert_options=_converting(wanted, n_texts),
    )


def _parsing(header: Header) -> Any:
    return arrow_csv.ParseOptions(
        delimiter=header.delimiter,
        newlines_in_values=True,
        # In a file of one column, an empty line is a row with a missing value.
        ignore_empty_lines=len(header.names) > 1,
    )


def _converting(wanted: Sequence[str], n_texts: int) -> Any:
    texts = pa.dictionary(pa.int32(), pa.string())
    return arrow_csv.ConvertOptions(
        # Distinct texts and where they stand: less memory, and each text is parsed once a batch.
        column_types={name: texts if i < n_texts else pa.binary() for i, name in enumerate(wanted)},
        include_columns=list(wanted),
        strings_can_be_null=False,
        null_values=[],
    )


def _faults(file: TableFile, header: Header) -> LineFaults:
    return line_faults(file, delimiter=header.delimiter, cells=len(header.names), skipped=header.blank_lines)


def _uneven(file: TableFile, header: Header) -> TableError:
    """The error for rows that have more or fewer cells than the header; costs one pass over the file."""
    found = _faults(file, header)
    if found.open_line:
        return _never_closed(file, found.open_line)
    rows = ", ".join(map(str, found.first))
    cells = "1 cell" if len(header.names) == 1 else f"{len(header.names)} cells"
    many = found.uneven != 1
    count = f"{found.uneven:,} rows do" if many else "1 row does"
    more = ", …" if found.uneven > len(found.first) else ""
    return TableError(
        f"{file.name}: {count} not have {cells} like the header (row{'s' * many} {rows} after the header{more}). Look "
        "for missing or unquoted commas, or for a quote too many."
    )


def _never_closed(file: TableFile, line: int) -> TableError:
    return TableError(
        f"{file.name}: a quote in line {line:,} is never closed, so that all that follows it would be one cell. Close "
        "it; a quote that is part of a text is written twice, in a cell between quotes."
    )


def _holds_nul(column: pa.DictionaryArray) -> bool:
    """Whether a text has a NUL byte in it: looked for in all texts at once, which takes no time."""
    texts = column.dictionary
    if not len(texts):
        return False
    ends = np.frombuffer(texts.buffers()[1], dtype=np.int32)[texts.offset : texts.offset + len(texts) + 1]
    data = texts.buffers()[2]
    return data is not None and b"\0" in memoryview(data)[ends[0] : ends[-1]].tobytes()


def _nul(file: TableFile) -> TableError:
    line = line_of_byte(file, b"\0")
    where = "" if line is None else f" in line {line:,}"
    return TableError(
        f"{file.name} holds a NUL byte{where}, which no text has: it is damaged, or not UTF-8. Write it again as CSV "
        "UTF-8, or take such bytes out, for example with: tr -d '\\000'."
    )


def _not_utf8(file: TableFile) -> TableError:
    """Names the first byte that is not UTF-8; costs one pass over the file."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    position = line = 0
    with file.stream() as stream:
        while block := file.read(stream, _BLOCK):
            held = len(decoder.getstate()[0])
            try:
                decoder.decode(block)
            except UnicodeDecodeError as error:
                position += error.start - held
                line += block[: max(error.start - held, 0)].count(b"\n")
                break
            position += len(block)
            line += block.count(b"\n")
    return TableError(
        f"{file.name} is not UTF-8 text: the byte at position {position} (line {line + 1}) does not belong to it. "
        "Convert the file to UTF-8, for example with: iconv -f WINDOWS-1252 -t UTF-8."
    )
