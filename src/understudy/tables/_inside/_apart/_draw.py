"""Columns in a declared order drawn as far apart as they lie, where that is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from understudy._core.randomness import Rng
from understudy.schema import Edge
from understudy.tables._inside._apart._kernels import Steps, draw_above, draw_parts
from understudy.tables._inside._grids import Floats, Grid, Ints
from understudy.tables._inside._kernels import place_points
from understudy.tables._inside._lengths import CUTS, Length, length_parts, shared_units

_DRAWS = 6  # at most, where several columns bear on one
_FAR = 1 << 60  # beyond all lengths
_GUIDE = 32
_LEAST = 1e-300


@dataclass(frozen=True, eq=False)
class Apart:
    """How far apart columns lie, for pairs of them, each the upper column of one pair at most: above the nearest one.

    The bins of a pair have a line each, numbered on over all pairs from `before` on: of `strata`, how often values lie
    between two of the `CUTS` of the lower column's bin, given the upper one's; of `density`, the same as parts of the
    densest. For each stratum of each line, `cells` has how often a length lies between two of the pair's `lengths`.
    """

    grids: tuple[Grid, ...]
    columns: tuple[int, ...]
    """All of them, the smaller first."""
    pairs: tuple[Edge, ...]
    before: tuple[int, ...]
    lengths: Ints
    strata: Steps
    density: npt.NDArray[np.float32]
    cells: Steps

    @classmethod
    def of(cls, grids: Sequence[Grid], lengths: Mapping[Edge, Length], columns: Sequence[int]) -> Apart:
        """For pairs of columns of which a length is known."""
        pairs = sorted(lengths)
        most = max(len(lengths[pair].weights) for pair in pairs)
        strata, density, cells = [], [], []
        for a, b in pairs:
            for parts in length_parts(grids[a], grids[b], lengths[a, b].ends):
                held = (parts * lengths[a, b].weights).transpose(1, 0, 2)
                dense = held.sum(axis=2)
                strata.append(_steps(dense * np.diff(CUTS)))
                density.append((dense / np.maximum(dense.max(axis=1, keepdims=True), _LEAST)).astype(np.float32))
                cells.append(_steps(np.pad(held, ((0, 0), (0, 0), (0, most - held.shape[2]))).reshape(-1, most)))
        before = np.cumsum([0, *(grids[a].count * grids[b].count for a, b in pairs[:-1])])
        ends = [
            np.pad(lengths[pair].ends, (0, most + 1 - len(lengths[pair].ends)), constant_values=_FAR) for pair in pairs
        ]
        return cls(
            tuple(grids),
            tuple(columns),
            tuple(pairs),
            tuple(before.tolist()),
            np.array(ends, dtype=np.int64),
            _joined(strata),
            np.concatenate(density),
            _joined(cells),
        )

    def draw(self, codes: Ints, ordered: npt.NDArray[np.bool_], rng: Rng, points: Ints) -> None:
        """Fill `points` with grid points for these codes: in order above the nearest column, if not above others."""
        lines = self._lines(codes, ordered)
        strata, state = np.empty_like(codes), new_state(rng)
        for b in self.columns:
            above = [p for p, (lower, _) in enumerate(self.pairs) if lower == b]
            [p] = [p for p, (_, upper) in enumerate(self.pairs) if upper == b] or [-1]
            grid, bears_on = self.grids[b], (self.density, CUTS)
            if p >= 0:
                a = self.pairs[p][0]
                units = np.array(shared_units(self.grids[a], grid))
                draw_above(
                    points[a], strata[a], self.lengths[p], units, lines[p], lines[above], self.cells, *bears_on,
                    codes[b], grid.ends, grid.pieces, _DRAWS, state, points[b], strata[b],
                )  # fmt: skip
                continue
            parts = np.empty(codes.shape[1]) if above else rng.random(codes.shape[1])
            if above:
                draw_parts(lines[above[0]], lines[above[1:]], self.strata, *bears_on, _DRAWS, state, parts, strata[b])
            place_points(codes[b], parts, grid.pieces, points[b])

    def _lines(self, codes: Ints, ordered: npt.NDArray[np.bool_]) -> Ints:
        """For each pair, the line of its bins in each row; -1 where one is in no order."""
        lines = np.full((len(self.pairs), codes.shape[1]), -1)
        for line, before, (a, b) in zip(lines, self.before, self.pairs, strict=True):
            np.copyto(line, before + codes[a] * self.grids[b].count + codes[b], where=ordered[a] & ordered[b])
        return lines


def new_state(rng: Rng) -> npt.NDArray[np.uint64]:
    """Where compiled loops draw from."""
    return rng.integers(0, 1 << 64, size=4, dtype=np.uint64)


def _steps(lines: Floats) -> Steps:
    """Lines of weights as steps from 0 to 1."""
    totals = lines.sum(axis=1, keepdims=True)
    ends = np.pad(np.cumsum(lines / np.where(totals > 0, totals, 1.0), axis=1), ((0, 0), (1, 0)))
    ends[totals[:, 0] > 0, -1] = 1.0  # where rounding left it
    own = np.arange(len(lines))[:, np.newaxis]
    begins = np.searchsorted(
        (np.minimum(ends[:, 1:], 1.0) + own).ravel(), (np.arange(_GUIDE) / _GUIDE + own).ravel(), side="right"
    )
    guide = begins.reshape(-1, _GUIDE) - lines.shape[1] * own
    return Steps(ends.astype(np.float32), np.clip(guide, 0, lines.shape[1] - 1).astype(np.uint8))


def _joined(listed: Sequence[Steps]) -> Steps:
    return Steps(*(np.concatenate(arrays) for arrays in zip(*listed, strict=True)))
