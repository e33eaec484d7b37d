"""The file of groups: Parquet, stamped as private, readable by nobody else, and never inside a release.

Columns `row` (from 0), `group`, and for recognised groups `linked` and `degree`, two lists of equal length. The key
`understudy` of the file's metadata says what it is. Files made by hand, with columns `row` and `group` only, are
declared groups, and need a bound. A file may be a stranger's: it is checked in full.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from understudy._core.drafts import draft_of
from understudy._core.errors import OptionError, OutputError, TableError
from understudy._core.files import as_output_error, exists
from understudy.correlate._groups import Groups
from understudy.correlate._links import Links
from understudy.tables import Mixed, open_source

FORMAT = "understudy-groups/1"
_KEY = b"understudy"
_MOST_BYTES = 1 << 20  # of metadata: names of columns, no rows
_OWNER_ONLY = 0o600
_STATEMENT = "privacy.json"
_WARNING = "Private: computed from the real table. Do not publish."


def write_groups(path: str | Path, groups: Groups) -> None:
    """Write groups to a Parquet file that nobody else may read; refused inside a release.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as home:
    ...     write_groups(Path(home, "groups.parquet"), Groups(of_row=np.array([0, 0, 1]), max_rows=2))
    ...     read_groups(Path(home, "groups.parquet")).of_row.tolist()
    [0, 0, 1]
    """
    from pyarrow import parquet

    out = Path(path)
    if out.suffix.lower() not in (".parquet", ".pq"):
        raise OptionError(f"'{out}' is no name for a file of groups: they are written as Parquet. End it in .parquet.")
    refuse_release_folder(out)
    table = _as_table(groups)
    with as_output_error(out), draft_of(out) as draft:
        draft.chmod(_OWNER_ONLY)  # while it is empty
        parquet.write_table(table, draft, compression="zstd")
        draft.replace(out)


def refuse_release_folder(out: Path) -> None:
    """Refuse to write what is private into a folder that is published.

    >>> refuse_release_folder(Path("groups.parquet"))
    """
    for folder in Path(os.path.realpath(out)).parents:
        if exists(folder / _STATEMENT):
            raise OutputError(
                f"'{out}' would lie in a release ('{folder.name}' holds a {_STATEMENT}), and what records belong "
                "together is private. Write it somewhere else."
            )


def _as_table(groups: Groups) -> pa.Table:
    columns: dict[str, Any] = {"row": np.arange(groups.n_rows, dtype=np.int64), "group": groups.of_row}
    if groups.links is not None:
        offsets = pa.array(groups.links.indptr, pa.int64())
        columns["linked"] = pa.LargeListArray.from_arrays(offsets, pa.array(groups.links.indices)).cast(
            pa.list_(pa.int64())
        )
        columns["degree"] = pa.LargeListArray.from_arrays(offsets, pa.array(groups.links.degrees)).cast(
            pa.list_(pa.float32())
        )
    said = {
        "format": FORMAT,
        "kind": "groups",
        "origin": groups.origin,
        "max_rows": groups.max_rows,
        "threshold": groups.threshold,
        "fields": list(groups.fields),
        "private": True,
        "note": _WARNING,
    }
    return pa.table(columns).replace_schema_metadata({_KEY: json.dumps(said).encode()})


def read_groups(path: Any, *, n_rows: int | None = None, max_rows: int | None = None) -> Groups:
    """The groups in a file (or an open table), checked: every row in one group, no group over the bound.

    Args:
        path: a file of `understudy correlate`, or a CSV or Parquet file with columns `row` (from 0) and `group`.
        n_rows: how many rows the table has. The file must name each of them once.
        max_rows: the declared most rows of a group. Default: the bound that the file states.

    >>> groups = read_groups(pa.table({"row": [1, 0, 2], "group": ["b", "a", "a"]}), max_rows=2)
    >>> groups.of_row.tolist(), groups.origin
    ([0, 1, 0], 'declared')
    """
    source = open_source(path)
    name = f"the groups file '{source.path}'" if source.path is not None else "the table of groups"
    said = _said(source.metadata, name)
    wanted = _wanted(source.names, name, linked=said.origin == "recognised")
    batches = list(source.batches(wanted))
    columns = {word: [batch[i] for batch in batches] for i, word in enumerate(wanted)}
    rows = _row_numbers(columns["row"], name)
    order = _order(rows, n_rows, name)
    links = None
    if "linked" in columns:
        links = _links(columns["linked"], columns["degree"], order, name)
    bound = said.max_rows if max_rows is None else max_rows
    if bound is None:
        raise OptionError(
            f"{name} states no bound on the rows of a group, as it was made by hand. Declare one with max_rows "
            "(--max-rows): it must come from knowledge of how the table was made, not from the file."
        )
    try:
        return Groups(
            of_row=_group_numbers(columns["group"], name)[order],
            max_rows=bound,
            origin=said.origin,  # type: ignore[arg-type]  # checked there
            links=links,
            threshold=said.threshold,
            fields=said.fields,
        )
    except TableError as error:
        raise TableError(f"{name}: {error}") from None


@dataclass(frozen=True, kw_only=True)
class _Said:
    """What a file says about itself; a file made by hand says nothing."""

    origin: str = "declared"
    max_rows: int | None = None
    threshold: float | None = None
    fields: tuple[str, ...] = ()


def _said(metadata: Any, name: str) -> _Said:
    text = metadata.get(_KEY)
    if text is None:
        return _Said()
    try:
        if len(text) > _MOST_BYTES:
            raise ValueError
        found = json.loads(text)
        if found["kind"] != "groups" or found["format"] != FORMAT:
            raise ValueError
        bound, threshold, fields = found["max_rows"], found["threshold"], found["fields"]
        sound = (
            found["origin"] in ("recognised", "declared")
            and type(bound) is int
            and bound >= 1
            and (threshold is None or (isinstance(threshold, int | float) and 0 < threshold <= 1))
            and isinstance(fields, list)
            and all(isinstance(field, str) for field in fields)
        )
        if not sound:
            raise ValueError
    except (ValueError, KeyError, TypeError, RecursionError):
        raise TableError(
            f"{name} is not a file of groups, or one of another version. Make it again with 'understudy correlate'."
        ) from None
    return _Said(origin=found["origin"], max_rows=bound, threshold=threshold, fields=tuple(fields))


def _wanted(names: tuple[str, ...], name: str, *, linked: bool) -> list[str]:
    expected = ["row", "group", *(["linked", "degree"] if linked else [])]
    required = expected[:2]
    missing = [word for word in required if word not in names]
    unknown = [word for word in names if word not in expected]
    if missing or unknown or len(set(names)) != len(names) or len(names) not in (2, len(expected)):
        found = ", ".join(f"'{word}'" for word in names[:12])
        raise TableError(f"{name} must have the columns 'row' and 'group' and no others. It has {found}.")
    return [word for word in expected if word in names]


def _row_numbers(parts: list[Any], name: str) -> npt.NDArray[np.int64]:
    wrong = TableError(f"{name}: its column 'row' must hold whole numbers, the first row being 0.")
    if not parts:
        return np.empty(0, dtype=np.int64)
    found = []
    for part in parts:
        if isinstance(part, Mixed) or part.null_count:
            raise wrong
        plain = part.dictionary_decode() if pa.types.is_dictionary(part.type) else part
        try:
            numbers = plain.cast(pa.int64())
        except pa.ArrowException:
            raise wrong from None
        found.append(numbers.to_numpy(zero_copy_only=False))
    return np.concatenate(found)


def _order(rows: npt.NDArray[np.int64], n_rows: int | None, name: str) -> npt.NDArray[np.int64]:
    """Where in the file each row of the table stands."""
    n = len(rows) if n_rows is None else n_rows
    if n == 0 or len(rows) == 0:
        raise TableError(f"{name} names no rows." if len(rows) == 0 else f"{name} is for a table that has no rows.")
    outside = (rows < 0) | (rows >= n)
    table = f"the table has {n:,} rows" if n_rows is not None else f"it has {n:,} lines"
    advice = "Each row must be named once, from 0 on."
    if not outside.any():
        times = np.bincount(rows, minlength=n)
        if (times > 1).any():
            raise TableError(f"{name} names row {int(np.argmax(times > 1)):,} more than once: groups overlap. {advice}")
        if (times == 0).any():
            first = int(np.argmax(times == 0))
            raise TableError(f"{name} does not cover the table: row {first:,} has no group. {advice}")
        order: npt.NDArray[np.int64] = np.argsort(rows, kind="stable")
        return order
    raise TableError(f"{name} does not fit the table: it names row {int(rows[outside][0]):,}, and {table}. {advice}")


def _group_numbers(parts: list[Any], name: str) -> npt.NDArray[np.int64]:
    """Numbers for groups, whatever words the file has for them."""
    known: dict[Any, int] = {}
    found = []
    for part in parts:
        if isinstance(part, Mixed) or part.null_count:
            raise TableError(f"{name}: its column 'group' has empty cells, or cells of several types.")
        if pa.types.is_nested(part.type):
            raise TableError(f"{name}: its column 'group' holds no plain numbers or words.")
        coded = part if pa.types.is_dictionary(part.type) else part.dictionary_encode()
        words = coded.dictionary.to_pylist()
        if None in words or "" in words:
            raise TableError(f"{name}: its column 'group' has empty cells, or cells of several types.")
        numbers = np.array([known.setdefault(word, len(known)) for word in words], dtype=np.int64)
        found.append(numbers[coded.indices.to_numpy(zero_copy_only=False)])
    return np.concatenate(found)


def _links(linked: list[Any], degree: list[Any], order: npt.NDArray[np.int64], name: str) -> Links:
    wrong = TableError(f"{name}: its links do not fit its rows. It was changed after it was made: make it again.")
    lengths, indices, degrees = [], [], []
    for rows, values in zip(linked, degree, strict=True):
        for part, kind in ((rows, pa.int64()), (values, pa.float32())):
            of_lists = not isinstance(part, Mixed) and pa.types.is_list(part.type) and part.type.value_type == kind
            if not of_lists or part.null_count or part.flatten().null_count:
                raise wrong
        if not rows.value_lengths().equals(values.value_lengths()):
            raise wrong
        lengths.append(rows.value_lengths().to_numpy(zero_copy_only=False))
        indices.append(rows.flatten().to_numpy(zero_copy_only=False))
        degrees.append(values.flatten().to_numpy(zero_copy_only=False))
    if not np.array_equal(order, np.arange(len(order))):
        raise wrong  # as written, rows are in their order
    indptr = np.concatenate([[0], np.cumsum(np.concatenate(lengths))])
    try:
        return Links(indptr, np.concatenate(indices), np.concatenate(degrees))
    except ValueError:
        raise wrong from None
