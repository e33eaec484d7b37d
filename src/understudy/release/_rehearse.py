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
from understudy._core.randomness import Rng, streams
from understudy.release._card import CardFacts, croissant_card
from understudy.release._letter import privacy_letter
from understudy.release._statement import PublicField, Statement
from understudy.release._write import json_bytes
from understudy.schema import Schema
from understudy.tables import decode_batch, open_writer

_ROWS = 240
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
        each = _bytes_of_row(folder, writing)
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


def _try_texts(writing: Writing) -> None:
    schema = writing.schema
    public = tuple(PublicField(name=field.name, what="", origin=field.origin) for field in schema.fields)
    statement = Statement.example(dataset=schema.name, unit=writing.unit, public=public)
    privacy_letter(statement).encode()
    json_bytes(statement.to_dict())
    json_bytes(schema.to_dict())
    json_bytes(croissant_card(schema, statement, [], Path(f"synthetic.{writing.format}"), writing.facts))


def _bytes_of_row(folder: Path, writing: Writing) -> float:
    """Bytes that one more row takes: the difference between a longer and a shorter table, so that heads cancel out."""
    rng = streams(0).get("rehearsal of the writing")
    long = max(20, min(_ROWS, _CELLS // len(writing.schema.fields)))
    short = long // 4
    return (_bytes_of_table(folder, writing, long, rng) - _bytes_of_table(folder, writing, short, rng)) / (long - short)


def _bytes_of_table(folder: Path, writing: Writing, rows: int, rng: Rng) -> int:
    table = folder / f"rehearsal.{writing.format}"
    codes = [rng.integers(attribute.size, size=rows, dtype=np.uint32) for attribute in writing.schema.domain]
    try:
        with open_writer(table, writing.schema, delimiter=writing.delimiter) as writer:
            writer.write(decode_batch(writing.schema, codes, rng))
        return table.stat().st_size
    finally:
        table.unlink(missing_ok=True)
