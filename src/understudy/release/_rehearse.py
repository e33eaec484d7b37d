"""The writing of a release, rehearsed before the charge: does all of it have a form, and a place?

Rows made up from the schema alone go through the writer that the synthetic rows will go through, and whatever texts the
user gave are set into letter, statement and card. What has no form as bytes is refused here, for free; and the made-up
rows show how much room real ones will take.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from understudy._core.errors import OutputError
from understudy._core.formats import FORMATS, ending_of
from understudy._core.randomness import Rng, streams
from understudy.release._about import about_release, declared_facts
from understudy.release._card import croissant_card
from understudy.release._card_facts import CardFacts
from understudy.release._letter import privacy_letter
from understudy.release._statement import Statement
from understudy.release._statement_lines import PublicField
from understudy.release._write import json_bytes
from understudy.schema import Schema
from understudy.tables import decode_batch, open_writer

_ROWS = 240
MANY_ROWS = 100_000  # fewer fit any disk that holds the model
_CELLS = 40_000  # most made-up cells: some milliseconds, and little memory before the table is read
_SPARE = 16 << 20  # bytes for the model and the statement
_DRAWN = 4 << 10  # bytes of drawing and card for each column


@dataclass(frozen=True, slots=True, kw_only=True)
class Writing:
    """What will be written: the schema of the rows, their format, and the texts that only the user can give."""

    schema: Schema
    format: str
    delimiter: str
    unit: str
    facts: CardFacts


def rehearse_writing(folder: Path, writing: Writing, *, n_rows: int | None, n_bytes: int | None = None) -> None:
    """Raise if what will be written has no form, or if the disk has no room for it; leaves nothing in the folder.

    Where the number of rows is not known yet, the synthetic table is taken to be as large as the input's `n_bytes`.
    """
    try:
        _try_texts(writing)
        table = folder / f"rehearsal{FORMATS[writing.format].endings[0]}"
        each = _bytes_of_row(table, writing.schema, writing.delimiter)
    except UnicodeEncodeError as error:
        found = f"U+{ord(error.object[error.start]):04X}"
        raise OutputError(
            f"the release cannot be written: a name, value or text for it holds {found}, which has no place in a text "
            "file (as when a byte is not UTF-8). Nothing was spent. Write it without."
        ) from None
    rows = (n_bytes or 0) if n_rows is None else each * n_rows
    needed = int(rows) + _SPARE + _DRAWN * len(writing.schema.fields)
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise OutputError(
            f"the disk has {free >> 20:,} MiB left where the release would go, and it may need {needed >> 20:,} MiB. "
            "Nothing was spent. Free some space, ask for fewer rows, or choose another --out."
        )


def refuse_without_room(out: Path, schema: Schema, n_rows: int) -> None:
    """Raise if the disk has no room for so many rows in the file `out`; few rows are not asked about."""
    if n_rows < MANY_ROWS:
        return
    trial = out.with_name(f".{out.stem[:40]}.room{ending_of(out.name) or out.suffix}")
    needed = int(_bytes_of_row(trial, schema, ",") * n_rows)
    free = shutil.disk_usage(out.parent).free
    if free < needed:
        raise OutputError(
            f"the disk has {free >> 20:,} MiB left where {out.name} would go, and {n_rows:,} rows may need "
            f"{needed >> 20:,} MiB. Free some space, ask for fewer rows, or name another place."
        )


def _try_texts(writing: Writing) -> None:
    schema = writing.schema
    public = tuple(PublicField(name=field.name, what="", origin=field.origin) for field in schema.fields)
    statement = Statement.example(dataset=schema.name, unit=writing.unit, public=public)
    privacy_letter(statement).encode()
    json_bytes(statement.to_dict())
    json_bytes(schema.to_dict())
    said = declared_facts(schema.properties, writing.facts)
    json_bytes(croissant_card(schema, statement, [], Path(f"synthetic.{writing.format}"), said))
    about_release(schema, statement, table="synthetic.csv", n_rows=0, facts=said).encode()


def _bytes_of_row(table: Path, schema: Schema, delimiter: str) -> float:
    """Bytes that one more row takes: the difference between a longer and a shorter table, so that heads cancel out."""
    rng = streams(0).get("rehearsal of the writing")
    long = max(20, min(_ROWS, _CELLS // len(schema.fields)))
    sizes = [_bytes_of_table(table, schema, delimiter, rows, rng) for rows in (long, long // 4)]
    return (sizes[0] - sizes[1]) / (long - long // 4)


def _bytes_of_table(table: Path, schema: Schema, delimiter: str, rows: int, rng: Rng) -> int:
    codes = [rng.integers(attribute.size, size=rows, dtype=np.uint32) for attribute in schema.domain]
    try:
        with open_writer(table, schema, delimiter=delimiter) as writer:
            writer.write(decode_batch(schema, codes, rng))
        return table.stat().st_size
    finally:
        table.unlink(missing_ok=True)
