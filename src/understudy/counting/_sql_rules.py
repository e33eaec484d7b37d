"""What is declared of rows, looked at by a server: how many rows have which codes in the columns that it is about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import prod
from typing import NoReturn

import numpy as np

from understudy._core.errors import TableError
from understudy.counting._batch import Ints
from understudy.counting._sql_passes import Grouped, SqlPasses, group_by
from understudy.schema import checks_of
from understudy.tables import DeclaredRows, broken_flags, broken_sentence

_MOST_CASES, _MOST_CELLS = 10_000, 1 << 62


def rows_that_count(passes: SqlPasses, declared: DeclaredRows | None, refuse: Callable[[str], NoReturn]) -> SqlPasses:
    """The same passes over the rows that keep what is declared of them; none of them is to be mended.

    Raises TableError if rows break it and may not; calls `refuse` where the rows themselves are needed.
    """
    if declared is None:
        return passes
    faults, conditions, joins = [], [], []
    dropping = declared.policy == "drop" and declared.dropping
    for dependency, checks in checks_of(declared.fields, declared.dependencies):
        if not checks:
            continue
        places = [place for place, field in enumerate(declared.fields) if field.name in dependency.columns]
        sizes = [declared.fields[place].size for place in places]
        if prod(sizes) >= _MOST_CELLS:
            refuse(f"'{dependency.text}' is about more combinations of values than the server can number")
        parts = [Grouped(passes.codes[p], np.arange(s), s) for p, s in zip(places, sizes, strict=True)]
        codes, counts = group_by(passes.server, passes.table, parts)
        columns = [np.zeros(0, dtype=np.int64)] * len(declared.fields)
        for place, found in zip(places, codes, strict=True):
            columns[place] = found
        broken = broken_flags(columns, checks)
        if not broken.any():
            continue
        if dropping:
            keys = _keys(codes, sizes)[broken]
            if len(keys) > _MOST_CASES:
                refuse(f"rows break '{dependency.text}' in more than {_MOST_CASES:,} ways")
            conditions.append(_not_among(passes, places, sizes, keys))
            joins += [passes.codes[place].joins for place in places]
        else:
            faults.append(broken_sentence(dependency.text, int(counts[broken].sum()), (), declared.policy))
    if faults:
        raise TableError(*faults)
    if not conditions:
        return passes
    return replace(passes, where=" AND ".join(conditions), joins="\n".join(joins))


def _keys(codes: Sequence[Ints], sizes: Sequence[int]) -> Ints:
    keys = np.zeros(len(codes[0]), dtype=np.int64)
    for found, size in zip(codes, sizes, strict=True):
        keys = keys * size + found
    return keys


def _not_among(passes: SqlPasses, places: Sequence[int], sizes: Sequence[int], keys: Ints) -> str:
    written = "0::int8"
    for place, size in zip(places, sizes, strict=True):
        written = f"({written})*{size}+({passes.codes[place].code})"
    return f"({written}) NOT IN ({','.join(map(str, keys.tolist()))})"
