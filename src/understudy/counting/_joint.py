"""Counting by wider tables: one pass over the rows serves every table that can be summed out of a wider one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from understudy.counting import _kernels as kernels
from understudy.counting._batch import Axes, Groups, Ints, Tables, cell_counts
from understudy.counting._counter import Counts
from understudy.counting._rows import Rows
from understudy.counting._threads import run

# One thread's block of staged codes (third cache, but a small part of a small table) and its tables of partial counts.
_LEAST_STAGE_BYTES, _STAGE_BYTES, _BLOCKS = 1 << 19, 4 << 20, 8
_MOST_BLOCK = 1 << 18
_SCRATCH_BYTES = 32 << 20
# Below this, splitting the rows costs more in merging than it wins.
_ROWS_WORTH_SPLITTING = 1 << 17
# What looking for groups costs a table: if one group over all axes costs less, it is taken unseen.
_PLAN_NS = 500
# Partial counts, as long as all rows together are not too many for it.
_NARROW: type[np.unsignedinteger] = np.uint32
# Below this much predicted work, threads win too little for the memory that each keeps as its own.
_THREADS_NS = 1e7


@dataclass(frozen=True, eq=False)
class Cover:
    """Which wider table, a group, serves each chosen table. Group g has axes `axes[starts[g]:starts[g+1]]`."""

    chosen: Ints
    owner: Ints
    starts: Ints
    axes: Ints
    ns: float
    zeta: bool

    def __len__(self) -> int:
        return len(self.starts) - 1


def cover(chosen: Ints, tables: Tables, axes: Axes, *, n_rows: int, zeta: bool) -> Cover:
    """Group the chosen tables under wider ones; `zeta` if all their axes have size 2."""
    single = _one_group(chosen, tables, axes, n_rows) if zeta else None
    if single is not None and single.ns < _PLAN_NS * len(chosen):
        return single
    # Wide tables first: they may serve the narrow ones. Stable: callers list related tables side by side.
    order = chosen[np.argsort(-np.diff(tables.starts)[chosen], kind="stable")]
    owner = np.full(len(tables.starts) - 1, -1, dtype=np.int64)
    held = np.empty((len(chosen), len(axes.first)), dtype=np.int32)
    # Looking further ahead finds better groups, but must stay cheap beside the passes it saves.
    window = max(256, n_rows // 64)
    n_groups, ns = kernels.cover(order, tables, axes, n_rows, window, zeta, owner, held)
    group, attribute = np.nonzero(held[:n_groups] >= 0)
    starts = np.zeros(n_groups + 1, dtype=np.int64)
    np.cumsum(np.bincount(group, minlength=n_groups), out=starts[1:])
    if single is not None and single.ns < ns:
        return single
    return Cover(chosen, owner, starts, held[group, attribute].astype(np.int64), ns, zeta)


def _one_group(chosen: Ints, tables: Tables, axes: Axes, n_rows: int) -> Cover | None:
    """All chosen binary tables under one, if they have few axes between them."""
    used = np.zeros(len(axes.size), dtype=bool)
    member = np.zeros(len(tables.starts) - 1, dtype=bool)
    member[chosen] = True
    used[tables.axes[np.repeat(member, np.diff(tables.starts))]] = True
    mine = np.flatnonzero(used)
    width = len(mine)
    if 1 << width > kernels.MOST_CELLS:
        return None
    ns = n_rows * (kernels.tally_ns(1 << width) + kernels.COLUMN_NS * width) + kernels.ZETA_NS * width * (1 << width)
    owner = np.zeros(len(tables.starts) - 1, dtype=np.int64)
    return Cover(chosen, owner, np.array([0, width]), mine, ns, zeta=True)


@dataclass(frozen=True, eq=False)
class _Wave:
    """Groups counted together, over the same staged blocks. `numbers[g]` is the group's number in the cover."""

    numbers: Ints
    groups: Groups
    staged: Ints
    columns: Ints
    strides: npt.NDArray[np.unsignedinteger]
    code_type: type[np.unsignedinteger]
    size: int


def count_by_cover(plan: Cover, rows: Rows, tables: Tables, axes: Axes, out: Counts, *, threads: int) -> None:
    """Fill the chosen tables' places in `out`."""
    threads = threads if plan.ns > _THREADS_NS else 1
    split_rows = threads > 1 and rows.n >= _ROWS_WORTH_SPLITTING
    waves = _waves(plan, axes, rows.n, weighted=rows.weights is not None, share=1 if split_rows else threads)
    if not split_rows:
        run([partial(_count_wave, wave, plan, rows, tables, axes, out) for wave in waves], threads)
        return
    bounds = np.linspace(0, rows.n, threads + 1).astype(np.int64).tolist()
    for wave in waves:
        parts = run(
            [partial(_tally, wave, rows, axes, low, high) for low, high in pairwise(bounds)],
            threads,
        )
        counts = parts[0]
        for part in parts[1:]:
            counts += part
        _prepare(wave, plan, counts)
        chosen, owner = _members(wave, plan)
        shares = [slice(i, None, threads) for i in range(threads)]
        run(
            [partial(_derive, wave, plan, chosen[i], owner[i], tables, axes, counts, out) for i in shares],
            threads,
        )


def _count_wave(wave: _Wave, plan: Cover, rows: Rows, tables: Tables, axes: Axes, out: Counts) -> None:
    counts = _tally(wave, rows, axes, 0, rows.n)
    _prepare(wave, plan, counts)
    _derive(wave, plan, *_members(wave, plan), tables, axes, counts, out)


def _members(wave: _Wave, plan: Cover) -> tuple[Ints, Ints]:
    """The tables that the wave serves, and the position of each one's group in it."""
    place = np.full(len(plan), -1, dtype=np.int64)
    place[wave.numbers] = np.arange(len(wave.numbers))
    owner = place[plan.owner[plan.chosen]]
    return plan.chosen[owner >= 0], owner[owner >= 0]


class CoverTally:
    """The wider tables of a cover, counted over one batch of rows after another."""

    def __init__(self, plan: Cover, axes: Axes, *, n_rows: int, weighted: bool, threads: int) -> None:
        self._plan, self._axes, self._threads = plan, axes, threads
        self._waves = list(_waves(plan, axes, n_rows, weighted=weighted, share=threads))
        self._counts: list[npt.NDArray[Any]] = [np.zeros(wave.size, dtype=_NARROW) for wave in self._waves]
        self._total = 0

    @property
    def n_bytes(self) -> int:
        """Memory of its tables."""
        return sum(counts.nbytes for counts in self._counts)

    def add(self, rows: Rows) -> None:
        """Count another batch."""
        before, self._total = self._total, self._total + _total_weight(rows)
        if _count_type(before) != _count_type(self._total):  # a count may outgrow the narrow type from here on
            self._counts = [counts.astype(np.int64) for counts in self._counts]
        tasks = [
            partial(_tally_into, counts, wave, rows, self._axes, 0, rows.n)
            for wave, counts in zip(self._waves, self._counts, strict=True)
        ]
        run(tasks, self._threads)

    def finish(self, tables: Tables, out: Counts) -> None:
        """Fill the chosen tables' places in `out`; nothing can be added afterwards."""
        for wave in self._waves:
            counts = self._counts.pop(0)
            _prepare(wave, self._plan, counts)
            _derive(wave, self._plan, *_members(wave, self._plan), tables, self._axes, counts, out)


def _waves(plan: Cover, axes: Axes, n_rows: int, *, weighted: bool, share: int) -> Iterator[_Wave]:
    """Portions of groups whose partial counts fit the scratch space; at least `share` of them if there are enough."""
    sizes = axes.size[plan.axes]
    cells = cell_counts(plan.starts, sizes)
    widest = np.maximum.reduceat(np.append(sizes, 1), plan.starts[:-1])
    wide = widest > 256
    large = cells > kernels.MOST_CELLS
    lanes = np.where(cells <= 4096, 4, np.where(cells <= 32768, 2, 1))
    if weighted:
        lanes[:] = 1
    lanes = np.where(4 * cells * lanes > n_rows, 1, lanes)  # few rows: clearing the copies would cost more
    total = cells * lanes
    most = max(1, min(_SCRATCH_BYTES // 4, -(-int(total.sum()) // share)))
    for code_type, index_type, kind in (
        (np.uint8, np.uint16, ~wide & ~large),
        (np.uint8, np.uint32, ~wide & large),
        (np.uint32, np.uint32, wide),
    ):
        numbers = np.flatnonzero(kind)
        portion = (np.cumsum(total[numbers]) - 1) // most
        for part in np.split(numbers, np.flatnonzero(np.diff(portion)) + 1):
            if len(part):
                yield _wave(part, plan, axes, cells[part], lanes[part], code_type, index_type)


def _wave(
    numbers: Ints,
    plan: Cover,
    axes: Axes,
    cells: Ints,
    lanes: Ints,
    code_type: type[np.unsignedinteger],
    index_type: type[np.unsignedinteger],
) -> _Wave:
    lengths = np.diff(plan.starts)[numbers]
    starts = np.zeros(len(numbers) + 1, dtype=np.int64)
    np.cumsum(lengths, out=starts[1:])
    mine = plan.axes[np.arange(starts[-1]) + np.repeat(plan.starts[numbers] - starts[:-1], lengths)]
    staged, columns = np.unique(mine, return_inverse=True)
    bases = np.cumsum(cells * lanes) - cells * lanes
    # The stride of an axis is the number of cells of the axes after it in its group.
    strides = np.empty(len(mine), dtype=np.int64)
    sizes = axes.size[mine]
    for position in range(int(lengths.max(initial=0))):  # a handful: no group has more axes than the widest table
        last = starts[1:] - 1 - position
        have = last >= starts[:-1]
        last = last[have]
        strides[last] = 1 if position == 0 else strides[last + 1] * sizes[last + 1]
    groups = Groups(starts, mine, bases, cells, lanes)
    return _Wave(numbers, groups, staged, columns, strides.astype(index_type), code_type, int((cells * lanes).sum()))


def _tally(wave: _Wave, rows: Rows, axes: Axes, low: int, high: int) -> npt.NDArray[Any]:
    """Partial counts of the wave's groups over rows low … high, in a type that holds those over all rows."""
    counts = np.zeros(wave.size, dtype=_count_type(_total_weight(rows)))
    _tally_into(counts, wave, rows, axes, low, high)
    return counts


def _total_weight(rows: Rows) -> int:
    return rows.n if rows.weights is None else int(rows.weights.sum(dtype=np.int64))


def _count_type(total: int) -> type[np.integer]:
    """What holds a count of so many rows; the wider type is for tables that hardly exist.

    >>> _count_type(2**32 - 1).__name__, _count_type(2**32).__name__
    ('uint32', 'int64')
    """
    return _NARROW if total <= np.iinfo(_NARROW).max else np.int64


def _tally_into(counts: npt.NDArray[Any], wave: _Wave, rows: Rows, axes: Axes, low: int, high: int) -> None:
    """Add rows low … high to the wave's partial counts."""
    row_bytes = max(1, len(wave.staged)) * np.dtype(wave.code_type).itemsize
    stage_bytes = min(_STAGE_BYTES, max(_LEAST_STAGE_BYTES, rows.n * len(rows.columns) // _BLOCKS))
    block = min(high - low, _MOST_BLOCK, max(kernels.STRIP, stage_bytes // row_bytes))
    stage = np.empty((len(wave.staged), block), dtype=wave.code_type)
    index = np.empty(kernels.STRIP, dtype=wave.strides.dtype)
    for start in range(low, high, block or 1):
        n = min(block, high - start)
        for position, axis in enumerate(wave.staged.tolist()):
            rows.stage(axis, axes, start, stage[position, :n])
        if rows.weights is None:
            kernels.tally(stage, n, wave.groups, wave.columns, wave.strides, index, counts)
        else:
            weights = rows.weights[start : start + n]
            kernels.tally_weighted(stage, weights, wave.groups, wave.columns, wave.strides, index, counts)


def _prepare(wave: _Wave, plan: Cover, counts: npt.NDArray[Any]) -> None:
    kernels.merge_lanes(wave.groups, counts)
    if plan.zeta:
        for base, width in zip(wave.groups.bases.tolist(), np.diff(wave.groups.starts).tolist(), strict=True):
            kernels.zeta(width, counts[base : base + (1 << width)])


def _derive(
    wave: _Wave,
    plan: Cover,
    chosen: Ints,
    owner: Ints,
    tables: Tables,
    axes: Axes,
    counts: npt.NDArray[Any],
    out: Counts,
) -> None:
    """Sum the chosen tables out of the wave's groups."""
    derive = kernels.binary_tables if plan.zeta else kernels.project_tables
    derive(chosen, owner, tables, wave.groups, axes, counts, out)
