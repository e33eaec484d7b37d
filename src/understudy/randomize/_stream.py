"""A table's rows, randomised, in the order in which they are sent.

With a key, rows are put in the order of their pseudonyms within each group of a million: whoever receives the file
learns nothing from the order of a table of up to so many rows, and of a larger one which million a row was in. Without
a key they stay in the order of the table, so that their holder can put them beside it again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np

from understudy.randomize._draw import BlockDraw, Words
from understudy.randomize._file import Rows
from understudy.randomize._keys import Keys
from understudy.randomize._plan import Plan
from understudy.schema import Codes
from understudy.tables import Source, code_batches

Progress: TypeAlias = Callable[[str, int, int], None]
_GROUP = 1 << 20


def randomized_batches(
    opened: Source, plan: Plan, words: Words, keys: Keys | None, progress: Progress | None = None
) -> Iterator[Rows]:
    """The rows as they are published. Keep nothing of them unless all came: faults are told at the end."""
    blocks = [([plan.schema.names.index(name) for name in block.columns], BlockDraw(block)) for block in plan.blocks]
    done = 0
    for part in _grouped(opened, plan, keys):
        published: list[Codes] = list(part.codes)
        for places, draw in blocks:
            for place, column in zip(places, draw([part.codes[i] for i in places], words), strict=True):
                published[place] = column
        done += len(published[0])
        yield _sorted(Rows(published, part.pseudonyms))
        if progress:
            progress("randomising", done, max(opened.n_rows or 0, done))
    if keys is not None:
        keys.finish()


def _grouped(opened: Source, plan: Plan, keys: Keys | None) -> Iterator[Rows]:
    """True codes and pseudonyms, in groups of a million rows."""
    waiting: list[Rows] = []
    for batch in code_batches(opened, plan.schema, beside=[] if keys is None else [keys.column]):
        rows = Rows(batch.codes, None)
        if keys is not None:
            made, kept = keys.add(batch.beside[0])
            rows = Rows(batch.codes if kept is None else [column[kept] for column in batch.codes], made)
        waiting.append(rows)
        # groups end after so many rows, not where batches do: of a text file that would tell how long its lines are
        while sum(len(rows.codes[0]) for rows in waiting) >= _GROUP:
            whole = _joined(waiting)
            yield _part(whole, slice(None, _GROUP))
            waiting = [_part(whole, slice(_GROUP, None))]
    if sum(len(rows.codes[0]) for rows in waiting):
        yield _joined(waiting)


def _part(rows: Rows, some: slice) -> Rows:
    return Rows([column[some] for column in rows.codes], None if rows.pseudonyms is None else rows.pseudonyms[some])


def _joined(parts: list[Rows]) -> Rows:
    if len(parts) == 1:
        return parts[0]
    pseudonyms = [part.pseudonyms for part in parts if part.pseudonyms is not None]
    columns = [np.concatenate(column) for column in zip(*(part.codes for part in parts), strict=True)]
    return Rows(columns, np.concatenate(pseudonyms) if pseudonyms else None)


def _sorted(rows: Rows) -> Rows:
    """By the first eight bytes of the pseudonyms: the few that share them may come in any order."""
    if rows.pseudonyms is None:
        return rows
    order = np.argsort(np.ascontiguousarray(rows.pseudonyms).view(np.uint64)[:, 0])
    return Rows([column[order] for column in rows.codes], rows.pseudonyms[order])
