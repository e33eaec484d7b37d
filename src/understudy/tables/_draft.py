"""A first schema, guessed from a table. What it holds was read off private rows: it is marked draft until reviewed."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from understudy._core.errors import TableError, did_you_mean
from understudy.schema import DRAFT_MARK, GUESS_MARK, Schema, import_sdv
from understudy.tables._candidates import Candidate
from understudy.tables._crowded import MOST_CROWDED, FineGrid, crowded, has_wide_cells
from understudy.tables._guess import Guess, candidate_of, describe
from understudy.tables._guess_ranges import on_thousands
from understudy.tables._guess_rules import likely_rules
from understudy.tables._read import Progress
from understudy.tables._seen import Column
from understudy.tables._sources import open_source

_HEAD = (
    f"{DRAFT_MARK}every domain below was read off the table, which is private. Publishing from it would void the",
    f"{DRAFT_MARK}guarantee. Put in what is public knowledge: `understudy schema review` asks field by field.",
)


def draft_schema(
    source: Any, *, sdv: str | Path | Mapping[str, Any] | None = None, name: str | None = None,
    unit: str | None = None, progress: Progress | None = None, grid: FineGrid | None = None,
) -> Schema:  # fmt: skip
    """A schema to review: types, categories, ranges and missing values as the table has them.

    Every field is marked `origin: draft`, and `save` writes remarks above each that say what was guessed. Columns that
    tell people apart, or are the same in every row, are left out. With `sdv`, types and date formats come from SDV
    metadata and only the values from the table. The column that tells units apart, `unit`, is left out: it is never
    published. With `grid`, a range that is far wider than where rows lie is remarked on.

    >>> import pyarrow as pa
    >>> schema = draft_schema(pa.table({"sex": ["F", "M", "F"], "age": ["31", "?", "58"]}))
    >>> schema.draft_fields, schema["age"].type, schema["age"].missing_allowed
    (('sex', 'age'), 'integer', True)
    """
    opened = open_source(source)
    if not opened.names:
        raise TableError("the table has no columns. There is nothing to draft a schema from.")
    _check_names(opened.names)
    if unit is not None and unit not in opened.names:
        raise TableError(f"the table has no column '{unit}' to tell units apart. {did_you_mean(unit, opened.names)}")
    hints = _hints(sdv)
    columns = [Column(name=column, hint=hints.get(column)) for column in opened.names if column != unit]
    if not columns:
        raise TableError("the table has no column but that which tells units apart, so there is nothing to publish.")
    rows = 0
    for batch in opened.batches([column.name for column in columns]):
        for column, array in zip(columns, batch, strict=True):
            column.see(array)
        rows += len(batch[0])
        if progress:
            progress(rows)
    if rows == 0:
        raise TableError("the table has a header but no rows, so there is nothing to draft a schema from.")
    return _drafted(columns, name or opened.title or (_title(opened.path) if opened.path else "table"), grid)


def _drafted(columns: list[Column], name: str, grid: FineGrid | None) -> Schema:
    guesses = [describe(column) for column in columns]
    kept = [guess for guess in guesses if guess.left_out is None]
    dropped = [guess for guess in guesses if guess.left_out is not None]
    if not kept:
        raise TableError(*(f"column '{one.raw['name']}': {one.left_out}." for one in dropped), "No column is left.")
    commas = any(guess.raw.get("decimalChar") == "," for guess in kept)
    for column, guess in zip(columns, guesses, strict=True):
        guess.remarks += on_thousands(column, guess.raw, commas=commas)
    content: dict[str, Any] = {"name": name}
    if dropped:
        content["fieldsMatch"] = "subset"
    content |= {"missingValues": [""], "fields": [guess.raw for guess in kept]}
    schema = Schema.from_dict(content)
    if grid is not None:
        for column, guess in zip(columns, guesses, strict=True):
            guess.remarks += [] if guess.left_out else _on_cells(column, schema, grid)
    comments: dict[str, list[str]] = {guess.raw["name"]: _remarks(guess) for guess in kept}
    comments[""] = [*_HEAD, *_left_out(dropped), *_suggested(likely_rules(columns, schema))]
    return Schema.from_dict(content, comments=comments)


def _remarks(guess: Guess) -> list[str]:
    return [GUESS_MARK + remark for remark in guess.remarks]


def _on_cells(column: Column, schema: Schema, grid: FineGrid) -> list[str]:
    """What is to be said of a range that is far wider than where rows lie."""
    field = schema[column.name]
    if not field.automatic or field.bins is None:
        return []
    special = {one.value for one in field.special}
    ends = column.ends[candidate_of(column)]
    low = next((value for value, _ in ends.lowest if value not in special), ends.low)
    high = next((value for value, _ in ends.highest if value not in special), ends.high)
    if high - low > MOST_CROWDED * (field.bins.maximum - field.bins.minimum):
        return []  # and its grid need not be made
    fine = grid(schema.only([column.name]))[column.name]
    if fine.bins is None or not has_wide_cells(field, fine):
        return []
    return list(crowded(fine, *fine.bins.codes(np.array([low, high])).tolist()))


def _left_out(dropped: list[Guess]) -> list[str]:
    """What is said at the top about columns that are not in the draft."""
    return [f"Left out: {_one_line(one.raw['name'])} ({one.left_out})." for one in dropped]


def _check_names(names: Sequence[str]) -> None:
    """Every column has a name, and no two the same.

    >>> _check_names(["age", "age"])
    Traceback (most recent call last):
    understudy._core.errors.TableError: two columns are called 'age', and names must differ. Correct the header first.
    """
    if "" in names:
        raise TableError(
            f"column {names.index('') + 1} has no name. Give it one in the header; if it numbers the rows, as R and "
            "pandas do, write the file without it (row.names = FALSE, index=False)."
        )
    twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
    if twice is not None:
        raise TableError(
            f"two columns are called '{_one_line(twice)}', and names must differ. Correct the header first."
        )


def _one_line(name: str) -> str:
    return "".join(c if c.isprintable() else "\ufffd" for c in name)


def _suggested(rules: list[str]) -> list[str]:
    if not rules:
        return []
    head = "Perhaps these hold for everybody, not just for these rows. Take the # away from those that do:"
    return [head, "dependencies:", *rules]


def _title(path: Path) -> str:
    """What the file is called, without its ending; bytes of it that are no text are left out."""
    return os.fsencode(path.name.split(".")[0]).decode(errors="ignore") or "table"


def _hints(sdv: str | Path | Mapping[str, Any] | None) -> dict[str, Candidate]:
    return {} if sdv is None else {f.name: Candidate(f.type, f.form.format) for f in import_sdv(sdv).fields}
