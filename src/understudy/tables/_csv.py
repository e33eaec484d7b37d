"""CSV files as batches of texts. Every column is read as text: `None`, `N` and `?` are data."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as arrow_csv

from understudy._core.errors import TableError

_DELIMITERS = (",", ";", "\t", "|")
_BLOCK = 1 << 21
_LARGEST_BLOCK = 1 << 27  # rows longer than this are refused, unless two such blocks happen to hold them
_FIRST_BLOCK = 1 << 16


@dataclass(frozen=True, kw_only=True)
class Header:
    """What the start of a CSV file tells: names, delimiter, empty lines before it, and whether anything follows."""

    names: tuple[str, ...]
    delimiter: str
    blank_lines: int
    filled: bool


def read_header(path: Path) -> Header:
    """The header of a CSV file."""
    with open_bytes(path) as stream:
        start = _read(stream, _FIRST_BLOCK, path)
        while start and b"\n" not in start.replace(b"\r", b"\n") and (more := _read(stream, _FIRST_BLOCK, path)):
            start += more
    if not start:
        raise TableError(f"{path.name} is empty: it has no header and no rows.")
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise TableError(f"{path.name} is UTF-16 text, not UTF-8. Save it as CSV UTF-8.")
    text = codecs.getincrementaldecoder("utf-8-sig")("replace").decode(start)
    lines = text.splitlines()
    blank = next((i for i, line in enumerate(lines) if line), None)
    if blank is None or not text.strip():
        raise TableError(f"{path.name} is empty: it has no header and no rows.")
    # The header alone says which mark parts the cells: no row may have a say in how the others are read.
    header, rows = lines[blank], lines[blank + 1 :]
    delimiter = ","
    unquoted = re.sub(r'"[^"]*("|$)', "", header)  # a name may hold any mark between its quotes
    if "," not in unquoted:
        delimiter = max(_DELIMITERS, key=lambda mark: (unquoted.count(mark), mark == ","))
    names = next(csv.reader(io.StringIO(text.lstrip("\r\n"), newline=""), delimiter=delimiter))
    if any("\ufffd" in name for name in names):
        raise _not_utf8(path)
    # In a file of one column, an empty line is a row.
    filled = any(rows) or (len(names) == 1 and bool(rows)) or len(start) >= _FIRST_BLOCK
    return Header(names=tuple(names), delimiter=delimiter, blank_lines=blank, filled=filled)


def csv_batches(path: Path, header: Header, wanted: Sequence[str]) -> Iterator[list[pa.Array]]:
    """The wanted columns, batch by batch, as texts."""
    broken: list[Any] = []
    for batch in _batches(path, header, wanted, broken, threads=True) if header.filled else ():
        yield [batch.column(name) for name in wanted]
    if broken:
        raise _uneven(path, header, wanted)


class _LongRowError(Exception):
    """A row does not fit into two blocks."""


def _batches(
    path: Path, header: Header, wanted: Sequence[str], broken: list[Any], *, threads: bool
) -> Iterator[pa.RecordBatch]:
    """All rows, in blocks as large as the longest row needs.

    Where in a block a long row begins depends on the rows before it, so blocks of one size would take it or refuse it
    for their sake.
    """
    block, done = _BLOCK, 0
    while True:
        seen = 0
        broken.clear()
        try:
            for batch in _blocks(path, header, wanted, broken, threads=threads, block=block):
                seen += len(batch)
                if seen > done:
                    yield batch.slice(max(len(batch) - (seen - done), 0))
                    done = seen
            return
        except _LongRowError:
            if block >= _LARGEST_BLOCK:
                raise TableError(
                    f"{path.name}: one row is longer than {block >> 20} MB. Look for a quote that is never closed."
                ) from None
            block *= 8


def _blocks(
    path: Path, header: Header, wanted: Sequence[str], broken: list[Any], *, threads: bool, block: int
) -> Iterator[pa.RecordBatch]:
    def skip(row: Any) -> str:
        broken.append(row.number)
        return "skip"

    try:
        with (
            open_bytes(path) as stream,
            arrow_csv.open_csv(
                stream,
                read_options=arrow_csv.ReadOptions(use_threads=threads, block_size=block, skip_rows=header.blank_lines),
                parse_options=arrow_csv.ParseOptions(
                    delimiter=header.delimiter,
                    newlines_in_values=True,
                    invalid_row_handler=skip,
                    # In a file of one column, an empty line is a row with a missing value.
                    ignore_empty_lines=len(header.names) > 1,
                ),
                convert_options=arrow_csv.ConvertOptions(
                    # Distinct texts and where they stand: less memory, and each text is parsed once a batch.
                    column_types={name: pa.dictionary(pa.int32(), pa.string()) for name in header.names},
                    include_columns=list(wanted),
                    strings_can_be_null=False,
                    null_values=[],
                ),
            ) as reader,
        ):
            yield from reader
    except pa.ArrowInvalid as error:
        # Arrow's own message may quote a row, so it is read here and not shown.
        if "UTF8" in str(error):
            raise _not_utf8(path) from None
        if "Empty CSV" in str(error):
            return
        if "straddl" in str(error):
            raise _LongRowError from None
        raise TableError(f"{path.name} cannot be read as CSV with the delimiter {header.delimiter!r}.") from None
    except OSError as error:
        raise unreadable(path, error) from None


def _uneven(path: Path, header: Header, wanted: Sequence[str]) -> TableError:
    """The error for rows that have more or fewer cells than the header."""
    broken: list[Any] = []
    for _ in _batches(path, header, wanted, broken, threads=False):
        pass
    rows = ", ".join(str(number - 1 - header.blank_lines) for number in broken[:5] if number is not None)
    cells = "1 cell" if len(header.names) == 1 else f"{len(header.names)} cells"
    count = f"{len(broken):,} rows do" if len(broken) > 1 else "1 row does"
    return TableError(
        f"{path.name}: {count} not have {cells} like the header (row{'s' * (len(broken) > 1)} {rows} after the header"
        f"{', …' if len(broken) > 5 else ''}). Look for missing or unquoted commas, or a quote that is never closed."
    )


def open_bytes(path: Path) -> Any:
    """The file's bytes, unpacked if it is packed (gzip by its first bytes, others by name)."""
    try:
        with path.open("rb") as probe:
            packed = probe.read(2) == b"\x1f\x8b"
        return pa.input_stream(str(path), compression="gzip" if packed else None)
    except FileNotFoundError:
        raise TableError(f"there is no file {path}.") from None
    except OSError as error:
        raise unreadable(path, error) from None


def unreadable(path: Path, error: OSError) -> TableError:
    """The error for a file the operating system or the unpacker cannot read."""
    reason = error.strerror or "it is damaged or cut off"
    return TableError(f"cannot read {path.name}: {reason}.")


def _read(stream: Any, size: int, path: Path) -> bytes:
    try:
        data: bytes = stream.read(size)
    except OSError as error:
        raise unreadable(path, error) from None
    return data


def _not_utf8(path: Path) -> TableError:
    """Names the first byte that is not UTF-8; costs one pass over the file."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    position = line = 0
    with open_bytes(path) as stream:
        while block := _read(stream, _BLOCK, path):
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
        f"{path.name} is not UTF-8 text: the byte at position {position} (line {line + 1}) does not belong to it. "
        "Convert the file to UTF-8, for example with: iconv -f WINDOWS-1252 -t UTF-8."
    )
