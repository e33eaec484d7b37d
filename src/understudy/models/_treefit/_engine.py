"""A distribution p ∝ exp Σθ over a junction tree, brought into agreement with noisy tables.

It minimises n·log Σexp Σθ − ⟨θ, y⟩ + ½ Σ b‖θ‖² over the potentials θ, one for each cell y that was measured: of all
distributions over n rows whose tables are within noise of what was measured, the one that assumes least. A table's
potentials are solved for exactly while all others rest (`_kernels.sweep`), so there is no step size, and negative y are
fine; with b → 0 it is iterative proportional fitting. Of a table measured as an interaction, the lower effects are
taken from the model itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

import numpy as np
import numpy.typing as npt

from understudy.models._inference import Floats, Ints
from understudy.models._tree_values import CliqueTree
from understudy.models._treefit import _kernels
from understudy.models._treefit._pairs import pair_tables
from understudy.models._treefit._structure import Attributes, Cliques, make_cliques

Places = npt.NDArray[np.int32]
_MAPS_KEPT = 1 << 26  # places, 4 bytes each: a quarter of a GiB


@dataclass(eq=False)
class FittedTable:
    """A noisy table over sorted attributes, what its potentials cost (`ridge`, b), and the potentials found so far.

    >>> FittedTable((0,), np.array([3.0, 1.0]), ridge=0.1).potentials.tolist()
    [0.0, 0.0]
    """

    attributes: Attributes
    values: Floats
    ridge: float
    interaction: bool = False
    fixed: bool = False
    """Whether the potentials stay as they are, whatever the values."""
    potentials: Floats = field(default_factory=lambda: np.empty(0))

    def __post_init__(self) -> None:
        if self.potentials.size != self.values.size:
            self.potentials = np.zeros(self.values.size)


class TreeFit:
    """Tables measured so far, and the junction tree fitted to them. Tables are counts and sum to about `total`.

    >>> fit = TreeFit([2, 2], total=10.0)
    >>> fit.add(FittedTable((0,), np.array([6.0, 4.0]), ridge=1e-9))
    >>> fit.add(FittedTable((0, 1), np.array([[1.0, -1.0], [-1.0, 1.0]]), ridge=1e-9, interaction=True))
    >>> fit.improve(sweeps=20)
    >>> fit.pair_tables([(0, 1)])[0, 1].round(3).tolist()
    [[4.0, 2.0], [1.0, 3.0]]
    """

    def __init__(self, sizes: Sequence[int], *, total: float) -> None:
        self.sizes, self.total = np.array(sizes, dtype=np.int64), total
        self.tables: list[FittedTable] = []
        self._maps: dict[tuple[Attributes, Attributes], Places] = {}
        self._state: _State | None = None

    def add(self, table: FittedTable) -> None:
        """Take one more table into account."""
        self.tables.append(table)
        self._state = None

    def touch(self) -> None:
        """Say that values or ridge of a table have changed."""
        self._state = None

    def shape(self, attributes: Attributes) -> tuple[int, ...]:
        """The sizes of some attributes."""
        return tuple(int(self.sizes[a]) for a in attributes)

    @property
    def cells(self) -> int:
        """Cells of all cliques."""
        return int(self._built().starts[-1])

    def improve(self, *, sweeps: int) -> None:
        """Go through all tables so many times."""
        state = self._built()
        _kernels.sweep(
            state.beliefs, state.starts, state.parents, state.maps, state.up, state.down, state.separators,
            state.separator_starts, state.tour, state.of_clique, state.clique_tables, state.table_starts,
            state.table_maps, state.potentials, state.values, state.ridges, state.shapes,
            self.total, sweeps,
        )  # fmt: skip
        for table, first, last in zip(self.tables, state.table_starts, state.table_starts[1:], strict=False):
            table.potentials = state.potentials[first:last]

    def pair_tables(self, wanted: Sequence[tuple[int, int]]) -> dict[tuple[int, int], Floats]:
        """The model's tables of these pairs of attributes, the smaller number first, as counts."""
        state = self._built()
        beliefs = [
            state.beliefs[first:last].reshape(self.shape(clique))
            for clique, first, last in zip(state.cliques.members, state.starts, state.starts[1:], strict=False)
        ]
        return pair_tables(state.cliques, beliefs, wanted)

    def to_tree(self) -> CliqueTree:
        """The distribution as it is, calibrated anew."""
        self._state = None  # rounding errors of many sweeps are left behind
        state = self._built()
        beliefs = []
        for clique, first, last in zip(state.cliques.members, state.starts, state.starts[1:], strict=False):
            belief = state.beliefs[first:last].reshape(self.shape(clique))
            beliefs.append(belief / belief.sum())
        sizes = tuple(self.sizes.tolist())
        return CliqueTree(sizes, state.cliques.members, state.cliques.parents, tuple(beliefs))

    def _built(self) -> _State:
        if self._state is None:
            self._state = self._build()
        return self._state

    def _build(self) -> _State:
        """Cliques for the tables there are, and calibrated beliefs that follow from their potentials."""
        cliques = make_cliques(self.sizes, [table.attributes for table in self.tables])
        if sum(len(places) for places in self._maps.values()) > _MAPS_KEPT:
            self._maps.clear()
        packed = _Packed()
        members, parents = cliques.members, cliques.parents
        cells = [prod(self.shape(clique)) for clique in members]
        shared = [tuple(a for a in m if p >= 0 and a in members[p]) for m, p in zip(members, parents, strict=True)]
        up = [packed.add(self._map(m, s)) if p >= 0 else 0 for m, p, s in zip(members, parents, shared, strict=True)]
        down = [packed.add(self._map(members[p], s)) if p >= 0 else 0 for p, s in zip(parents, shared, strict=True)]
        homes = _homes(members, cells, [table.attributes for table in self.tables])
        table_maps = [packed.add(self._map(members[h], t.attributes)) for h, t in zip(homes, self.tables, strict=True)]
        in_order = sorted((t for t, table in enumerate(self.tables) if not table.fixed), key=lambda t: homes[t])
        shapes = np.ones((len(self.tables), 4), dtype=np.int64)
        for row, table in zip(shapes, self.tables, strict=True):
            if not table.fixed:
                row[: len(table.attributes)], row[3] = self.shape(table.attributes), table.interaction
        state = _State(
            cliques=cliques,
            starts=np.cumsum([0, *cells]),
            parents=np.array(parents),
            up=np.array(up),
            down=np.array(down),
            separator_starts=np.cumsum([0, *(prod(self.shape(s)) for s in shared)]),
            tour=_tour(parents),
            of_clique=np.searchsorted(
                np.array([homes[t] for t in in_order], dtype=np.int64), np.arange(len(cells) + 1)
            ),
            clique_tables=np.array(in_order, dtype=np.int64),
            table_starts=np.cumsum([0, *(table.values.size for table in self.tables)]),
            table_maps=np.array(table_maps, dtype=np.int64),
            potentials=np.concatenate([np.empty(0), *(table.potentials for table in self.tables)]),
            values=np.concatenate([np.empty(0), *(table.values.reshape(-1) for table in self.tables)]),
            ridges=np.array([table.ridge for table in self.tables], dtype=np.float64),
            shapes=shapes,
            maps=packed.all(),
        )
        state.calibrate(homes, self.total)
        return state

    def _map(self, clique: Attributes, part: Attributes) -> Places:
        """Where in a table over some of a clique's attributes each of its cells belongs."""
        found = self._maps.get((clique, part))
        if found is None:
            shape = np.array(self.shape(clique), dtype=np.int64)
            strides, step = np.zeros(len(clique), dtype=np.int64), 1
            for a in reversed(part):
                strides[clique.index(a)] = step
                step *= int(self.sizes[a])
            found = np.empty(int(shape.prod()), dtype=np.int32)
            _kernels.index_map(shape, strides, found)
            self._maps[clique, part] = found
        return found


class _Packed:
    """Index maps one behind the other."""

    def __init__(self) -> None:
        self._maps: list[Places] = []
        self._length = 0

    def add(self, places: Places) -> int:
        self._maps.append(places)
        self._length += len(places)
        return self._length - len(places)

    def all(self) -> Places:
        return np.concatenate([np.empty(0, dtype=np.int32), *self._maps])


@dataclass(eq=False, kw_only=True)
class _State:
    """The flat arrays that the kernels work on."""

    cliques: Cliques
    starts: Ints
    parents: Ints
    up: Ints
    down: Ints
    separator_starts: Ints
    tour: Ints
    of_clique: Ints
    clique_tables: Ints
    table_starts: Ints
    table_maps: Ints
    potentials: Floats
    values: Floats
    ridges: Floats
    shapes: Ints
    maps: Places
    beliefs: Floats = field(default_factory=lambda: np.empty(0))
    separators: Floats = field(default_factory=lambda: np.empty(0))

    def calibrate(self, homes: Sequence[int], total: float) -> None:
        """Beliefs from potentials, in logarithms until they are scaled."""
        self.beliefs, self.separators = np.zeros(self.starts[-1]), np.empty(self.separator_starts[-1])
        for t, home in enumerate(homes):
            mine = self.beliefs[self.starts[home] : self.starts[home + 1]]
            places = self.maps[self.table_maps[t] : self.table_maps[t] + len(mine)]
            mine += self.potentials[self.table_starts[t] : self.table_starts[t + 1]][places]
        _kernels.calibrate(
            self.beliefs, self.starts, self.parents, self.maps, self.up, self.down, self.separators,
            self.separator_starts, total,
        )  # fmt: skip


def _homes(members: Sequence[Attributes], cells: Sequence[int], scopes: Sequence[Attributes]) -> list[int]:
    """For each table the smallest clique that holds it."""
    smallest_first = sorted(range(len(members)), key=lambda c: cells[c])
    holding: dict[int, list[int]] = {}
    for c in smallest_first:
        for a in members[c]:
            holding.setdefault(a, []).append(c)
    held = [frozenset(clique) for clique in members]
    return [next(c for c in holding[scope[0]] if held[c].issuperset(scope)) for scope in scopes]


def _tour(parents: Sequence[int]) -> Ints:
    """Through all trees, along every edge down and up once.

    >>> _tour([-1, 0, 0, -1]).tolist()
    [0, 1, 0, 2, 0, 3]
    """
    children: list[list[int]] = [[] for _ in parents]
    for c, p in enumerate(parents):
        if p >= 0:
            children[p].append(c)
    found: list[int] = []
    stack = [(c, 0) for c in range(len(parents) - 1, -1, -1) if parents[c] < 0]
    while stack:
        c, done = stack.pop()
        found.append(c)
        if done < len(children[c]):
            stack.append((c, done + 1))
            stack.append((children[c][done], 0))
    return np.array(found, dtype=np.int64)
