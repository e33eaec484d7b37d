"""From passes over rows to a counter of them: the end of opening, for every engine that never holds the rows."""

from __future__ import annotations

from understudy.counting._known import KnownTables, first_tables
from understudy.counting._opening import Opening
from understudy.counting._pass_counter import PassCounter, PassLog
from understudy.counting._passes import Passes
from understudy.counting._room import room_for_tables
from understudy.schema import Marginal


def open_passes(
    passes: Passes,
    opening: Opening,
    *,
    n_rows: int,
    n: int | None = None,
    known: KnownTables | None = None,
    cells_at_once: int | None = None,
) -> PassCounter:
    """A counter over rows that were checked; an engine ends its opening with this.

    Args:
        passes: the rows, as they are declared.
        opening: what the engine was told.
        n_rows: the rows that a pass goes over, for the progress.
        n: the rows that count, with `known`, the tables of `first_tables` where the pass that checked the cells
            counted them as well. Without these, a pass of its own does, still before anything is charged.
        cells_at_once: the most cells of one pass, where that is less than what there is memory for.
    """
    room = room_for_tables(opening.memory)
    room = room if cells_at_once is None else min(room, cells_at_once)
    log = PassLog(n_rows=n_rows, cells_at_once=room, progress=opening.progress)
    if n is None or known is None:
        marginals = first_tables(passes.domain, log.cells_at_once)
        told = log.another() if opening.schema is not None else (lambda done: None)  # codes are as good as checked
        all_rows, *tables = passes.tables([Marginal.of(), *marginals], told)
        n, known = int(all_rows), KnownTables.of(passes.domain, marginals, tables)
    return PassCounter(passes, known, n=n, log=log)
