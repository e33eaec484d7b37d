"""Where to put the boxes of a layered drawing, after Sugiyama, Tagawa and Toda (1981).

Four steps: give every box a layer, so that all edges point down; break long edges with points in the layers they
cross; order each layer so that few edges cross; place it so that edges run straight. Nothing is random: a network
is drawn the same way every time.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, sqrt
from typing import TypeAlias

Edge: TypeAlias = tuple[int, int]

_SWEEPS = 24
_MOST_TO_SWAP = 1500  # boxes and bends: in larger drawings single exchanges cost seconds and are not seen


@dataclass(frozen=True, slots=True)
class Layout:
    """Centre of each box, and the points each edge passes between its ends; `layers` counts rows of boxes."""

    x: Mapping[int, float]
    layer: Mapping[int, int]
    bends: Mapping[Edge, tuple[tuple[float, int], ...]]
    width: float
    n_layers: int


def lay_out(nodes: Sequence[int], edges: Sequence[Edge], widths: Mapping[int, float], *, gap: float) -> Layout:
    """Lay out a directed acyclic graph; `nodes` must come parents first.

    >>> layout = lay_out([0, 1, 2], [(0, 1), (0, 2)], {0: 50.0, 1: 50.0, 2: 50.0}, gap=10.0)
    >>> [layout.layer[v] for v in (0, 1, 2)], layout.x[0] == (layout.x[1] + layout.x[2]) / 2
    ([0, 1, 1], True)
    """
    layer = _layers(nodes, edges, widths)
    graph = _with_bends(nodes, edges, layer, widths)
    rows = _order(graph)
    x = _place(graph, rows, gap)
    left = min((x[v] - graph.width[v] / 2 for v in graph.width), default=0.0)
    right = max((x[v] + graph.width[v] / 2 for v in graph.width), default=0.0)
    bends = {edge: tuple((x[v] - left, graph.layer[v]) for v in chain) for edge, chain in graph.chains.items()}
    return Layout({v: x[v] - left for v in nodes}, layer, bends, right - left, len(rows))


def _layers(nodes: Sequence[int], edges: Sequence[Edge], widths: Mapping[int, float]) -> dict[int, int]:
    """Each node as high as its parents and the room in a layer allow, then pulled towards its children."""
    parents: dict[int, list[int]] = {v: [] for v in nodes}
    children: dict[int, list[int]] = {v: [] for v in nodes}
    for a, b in edges:
        parents[b].append(a)
        children[a].append(b)
    # about twice as wide as high, since a layer is higher than a box is wide
    room = max(4, ceil(1.5 * sqrt(len(nodes))))
    layer: dict[int, int] = {}
    used: dict[int, int] = {}
    for v in nodes:
        row = max((layer[p] + 1 for p in parents[v]), default=0)
        while used.get(row, 0) >= room:
            row += 1
        layer[v] = row
        used[row] = used.get(row, 0) + 1
    for v in reversed(nodes):
        lowest = min((layer[c] - 1 for c in children[v]), default=layer[v])
        for row in range(lowest, layer[v], -1):
            if len(children[v]) > len(parents[v]) and used.get(row, 0) < room:
                used[layer[v]] -= 1
                used[row] = used.get(row, 0) + 1
                layer[v] = row
                break
    filled = {row: i for i, row in enumerate(sorted({*layer.values()}))}
    return {v: filled[row] for v, row in layer.items()}


@dataclass(frozen=True, slots=True)
class _Graph:
    """The graph with long edges broken: every link joins neighbouring layers. Bends have numbers above the nodes'."""

    layer: dict[int, int]
    width: dict[int, float]
    up: dict[int, list[int]]
    down: dict[int, list[int]]
    chains: dict[Edge, list[int]]

    def is_bend(self, v: int) -> bool:
        return self.width[v] == 0.0

    def space(self, a: int, b: int, gap: float) -> float:
        """Least distance of two neighbours' centres: two lines may run closer than a line and a box."""
        return (self.width[a] + self.width[b]) / 2 + (gap / 2 if self.is_bend(a) and self.is_bend(b) else gap)


def _with_bends(
    nodes: Sequence[int], edges: Sequence[Edge], layer: Mapping[int, int], widths: Mapping[int, float]
) -> _Graph:
    graph = _Graph(dict(layer), dict(widths), {v: [] for v in nodes}, {v: [] for v in nodes}, {})
    fresh = max(nodes, default=-1) + 1
    for a, b in edges:
        chain = []
        for row in range(layer[a] + 1, layer[b]):
            graph.layer[fresh], graph.width[fresh] = row, 0.0
            graph.up[fresh], graph.down[fresh] = [], []
            chain.append(fresh)
            fresh += 1
        graph.chains[a, b] = chain
        path = [a, *chain, b]
        for high, low in pairwise(path):
            graph.down[high].append(low)
            graph.up[low].append(high)
    return graph


def _order(graph: _Graph) -> list[list[int]]:
    """Rows ordered by the mean place of their neighbours, down and up in turn; the best order seen is kept."""
    rows: list[list[int]] = [[] for _ in range(max(graph.layer.values(), default=-1) + 1)]
    for v in sorted(graph.layer):
        rows[graph.layer[v]].append(v)
    best, fewest = [list(row) for row in rows], _crossings(graph, rows)
    seen: set[tuple[bool, tuple[int, ...]]] = set()
    for sweep in range(_SWEEPS):
        downwards = sweep % 2 == 0
        before = downwards, tuple(v for row in rows for v in row)
        if before in seen:  # from here on, what has been seen would come again
            break
        seen.add(before)
        neighbours = graph.up if downwards else graph.down
        sequence = rows[1:] if downwards else rows[-2::-1]
        place = {v: (i + 0.5) / len(row) for row in rows for i, v in enumerate(row)}
        for row in sequence:
            key = {v: _mean([place[w] for w in neighbours[v]], place[v]) for v in row}
            row.sort(key=lambda v: (key[v], place[v]))
            place.update({v: (i + 0.5) / len(row) for i, v in enumerate(row)})
        if len(graph.layer) <= _MOST_TO_SWAP:
            _swap_neighbours(graph, rows)
        crossings = _crossings(graph, rows)
        if crossings < fewest:
            best, fewest = [list(row) for row in rows], crossings
    return best


def _swap_neighbours(graph: _Graph, rows: list[list[int]]) -> None:
    """Exchange adjacent boxes wherever that saves crossings."""
    place = {v: i for row in rows for i, v in enumerate(row)}
    for row in rows:
        improved = True
        while improved:
            improved = False
            for i in range(len(row) - 1):
                a, b = row[i], row[i + 1]
                saved = sum(
                    _pair_crossings(side[a], side[b], place) - _pair_crossings(side[b], side[a], place)
                    for side in (graph.up, graph.down)
                )
                if saved > 0:
                    row[i], row[i + 1] = b, a
                    place[a], place[b] = i + 1, i
                    improved = True


def _pair_crossings(left: list[int], right: list[int], place: Mapping[int, int]) -> int:
    return sum(place[v] > place[w] for v in left for w in right)


def _crossings(graph: _Graph, rows: list[list[int]]) -> int:
    total = 0
    for row, below in pairwise(rows):
        place = {v: i for i, v in enumerate(below)}
        seen: list[int] = []
        for v in row:
            ends = sorted(place[w] for w in graph.down[v])
            total += sum(len(seen) - bisect_right(seen, end) for end in ends)
            for end in ends:
                insort(seen, end)
    return total


def _place(graph: _Graph, rows: list[list[int]], gap: float) -> dict[int, float]:
    """Horizontal places: each row drawn towards its neighbours' means, as near as the widths allow."""
    x: dict[int, float] = {}
    for row in rows:
        edge = 0.0
        for v in row:
            x[v] = edge + graph.width[v] / 2
            edge += graph.width[v] + gap
        for v in row:
            x[v] -= (edge - gap) / 2
    for sweep in range(_SWEEPS):
        last = sweep >= _SWEEPS - 4
        downwards = sweep % 2 == 0
        for row in rows if downwards else rows[::-1]:
            wanted, weights = [], []
            for v in row:
                near = graph.up[v] + graph.down[v] if last else (graph.up[v] if downwards else graph.down[v])
                wanted.append(_mean([x[w] for w in near], x[v]))
                # a bend that moves makes a long edge wobble: hold it to its line harder than a box
                straight = graph.is_bend(v) and any(graph.is_bend(w) for w in near)
                weights.append(8.0 if straight else 2.0 if graph.is_bend(v) else 1.0)
            spaces = [
                (graph.width[a] + graph.width[b]) / 2
                + (gap if not graph.is_bend(a) or not graph.is_bend(b) else gap / 2)
                for a, b in pairwise(row)
            ]
            x.update(zip(row, _spread(wanted, weights, spaces), strict=True))
    return x


def _spread(wanted: Sequence[float], weights: Sequence[float], spaces: Sequence[float]) -> list[float]:
    """The places nearest to those wanted (least squares) that keep the order and the spaces: isotonic regression."""
    shift = [0.0]
    for space in spaces:
        shift.append(shift[-1] + space)
    blocks: list[tuple[float, float, int]] = []
    for want, weight, offset in zip(wanted, weights, shift, strict=False):
        mean, total, count = want - offset, weight, 1
        while blocks and blocks[-1][0] > mean:
            other, other_total, other_count = blocks.pop()
            mean = (mean * total + other * other_total) / (total + other_total)
            total, count = total + other_total, count + other_count
        blocks.append((mean, total, count))
    flat = [mean for mean, _, count in blocks for _ in range(count)]
    return [mean + offset for mean, offset in zip(flat, shift, strict=False)]


def _mean(values: Sequence[float], default: float) -> float:
    return sum(values) / len(values) if values else default
