"""Columns that stand in the names of folders, as `visits/year=2024/part-0.parquet`: Hive's way, and Spark's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import pyarrow as pa

from understudy.tables._objects import Column

_NOTHING = "__HIVE_DEFAULT_PARTITION__"


def path_keys(path: Path, root: Path | None = None) -> dict[str, str | None]:
    """The columns that the folders of a file name, below a root, with this file's value; None for a missing one.

    >>> path_keys(Path("visits/year=2024/site=New%20York/0.parquet"), Path("visits"))
    {'year': '2024', 'site': 'New York'}
    """
    below = path.parts[:-1] if root is None else path.parts[len(root.parts) : -1]
    found = (part.partition("=") for part in below)
    return {
        unquote(name): None if value == _NOTHING else unquote(value) for name, mark, value in found if name and mark
    }


def with_keys(
    batches: Any, names: Sequence[str], keys: Mapping[str, str | None], wanted: Sequence[str], rows: int
) -> Iterator[list[Column]]:
    """These columns of a file: those that it has as it has them, the others as its folders say."""
    inside = [name for name in wanted if name in names or name not in keys]
    # where no column of the file is wanted, one tells how many rows there are
    for columns in batches(inside or list(names[:1]), rows):
        n = len(columns[0]) if columns else 0
        own = dict(zip(inside, columns, strict=False))
        yield [own[name] if name in own else _all_alike(keys[name], n) for name in wanted]


def _all_alike(value: str | None, n: int) -> pa.Array:
    if value is None:
        return pa.nulls(n, pa.string())
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(n, dtype=np.int32)), pa.array([value], pa.string()))
