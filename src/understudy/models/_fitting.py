"""From noisy tables to the conditional tables of a network. Post-processing only: it reads what was paid for.

Four steps. Overlapping tables are made to agree on what they share (each shared marginal becomes the average of
its noisy versions, weighted by their precision). Each table is drawn towards what its margins say, as far as noise may
explain the difference (`_shrinkage`). It is projected onto the simplex of its total: the nearest table without
negative cells, which cuts the noise off empty cells where clipping would keep half of it. Then each family's table is
conditioned. Each step was chosen by measurement: `benchmarks/fitting.py`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from understudy.models._shrinkage import shrink
from understudy.models._simplex import project_to_simplex
from understudy.models._structure import Network, Node
from understudy.privacy import Measurement
from understudy.schema import Axis, Domain, Marginal, project, regroup

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

ROUNDS = 3
# Agreement costs one pass over each table for each marginal it shares; beyond this many cells only the smallest
# shared marginals are kept, which are also the most precise.
LARGEST_WORK = 20_000_000


def fit_conditionals(network: Network, measurements: Sequence[Measurement], n: int) -> list[Floats]:
    """One conditional table per node, shaped (*parent sizes, child size), from the measured tables.

    Every family must be nested in some measured table. A parent configuration left without mass gets the child's
    overall distribution.

    >>> from fractions import Fraction
    >>> from understudy.privacy import NoiseLevel
    >>> from understudy.schema import Attribute
    >>> domain = Domain((Attribute(name="a", size=2), Attribute(name="b", size=2)))
    >>> noisy = Measurement(marginal=Marginal.of(0, 1), counts=np.array([[6, -1], [0, 5]]),
    ...                     noise=NoiseLevel(kind="laplace", scale=Fraction(1)))
    >>> network = Network(domain, (Node(child=0, parents=()), Node(child=1, parents=(Axis(0),))))
    >>> [table.round(2).tolist() for table in fit_conditionals(network, [noisy], 10)]
    [[0.55, 0.45], [[1.0, 0.0], [0.0, 1.0]]]
    """
    return conditionals_from(network, measurements, consistent_tables(measurements, network.domain, n))


def fit_clipped(network: Network, measurements: Sequence[Measurement], n: int) -> list[Floats]:
    """The same as Algorithm 1 of PrivBayes prints it: each table by itself, negative cells to 0, then conditioned.

    Tables that overlap may disagree, and no cell is drawn towards anything.

    >>> fit_clipped(Network(Domain(()), ()), [], 5)
    []
    """
    return conditionals_from(network, measurements, [np.maximum(m.counts, 0).astype(np.float64) for m in measurements])


def conditionals_from(network: Network, measurements: Sequence[Measurement], tables: Sequence[Floats]) -> list[Floats]:
    """The conditionals of a network, from processed tables in the order of the measurements.

    >>> conditionals_from(Network(Domain(()), ()), [], [])
    []
    """
    return [_conditional(joint) for joint in family_tables(network, measurements, tables)]


def family_tables(network: Network, measurements: Sequence[Measurement], tables: Sequence[Floats]) -> list[Floats]:
    """Each node's joint table, parents first, summed out of the smallest processed table that holds it.

    >>> family_tables(Network(Domain(()), ()), [], [])
    []
    """
    marginals = [m.marginal for m in measurements]
    holders: dict[int, list[int]] = {}
    for j, marginal in enumerate(marginals):
        for attribute in marginal.attributes:
            holders.setdefault(attribute, []).append(j)
    return [_family(node, holders[node.child], marginals, tables, network.domain) for node in network.nodes]


def consistent_tables(measurements: Sequence[Measurement], domain: Domain, n: int) -> list[Floats]:
    """The measured tables, non-negative, with total n, and in agreement where they overlap.

    >>> consistent_tables([], Domain(()), 5)
    []
    """
    pooled = [m.counts.astype(np.float64).ravel() for m in measurements]
    if any(m.noise.variance > 0 for m in measurements):
        overlaps = _overlaps(measurements, domain)
        for overlap in overlaps:
            _agree(pooled, overlap)
        plausible = _plausible(pooled, overlaps, float(n))
        shrunk = [
            shrink(_shaped(noisy, m), _shaped(guess, m), _variance(m), float(n)).ravel()
            for noisy, guess, m in zip(pooled, plausible, measurements, strict=True)
        ]
        pooled = _plausible(shrunk, overlaps, float(n))
    return [_shaped(table, m) for table, m in zip(pooled, measurements, strict=True)]


def _plausible(tables: Sequence[Floats], overlaps: Sequence[_Overlap], total: float) -> list[Floats]:
    """Without negative counts, and in agreement but for what the last projection moved."""
    found = list(tables)
    for _ in range(ROUNDS if overlaps else 1):
        for overlap in overlaps:
            _agree(found, overlap)
        found = [project_to_simplex(table, total) for table in found]
    return found


def _variance(measurement: Measurement) -> float | Floats:
    """The noise's variance: one number, or one per cell where the noise is unequal."""
    return measurement.variances() if measurement.factors else float(measurement.noise.variance)


def _shaped(flat: Floats, measurement: Measurement) -> Floats:
    return flat.reshape(measurement.counts.shape)


@dataclass(frozen=True, slots=True)
class _Overlap:
    """A marginal that several tables share: which tables, where their cells go, and how far each is trusted.

    `weights` has one row per member and one column per shared cell, or one for all. `shares` says how a difference is
    spread over a member's cells: None for evenly, else in proportion to their noise.
    """

    members: tuple[int, ...]
    cells: tuple[Ints, ...]
    weights: Floats
    size: int
    shares: tuple[Floats | None, ...]


def _agree(tables: list[Floats], overlap: _Overlap) -> None:
    """Give all members the same version of the shared marginal, spreading each difference over its cells."""
    versions = [
        np.bincount(cells, weights=tables[j], minlength=overlap.size)
        for j, cells in zip(overlap.members, overlap.cells, strict=True)
    ]
    average = (overlap.weights * np.stack(versions)).sum(axis=0)
    for j, cells, version, shares in zip(overlap.members, overlap.cells, versions, overlap.shares, strict=True):
        if shares is None:
            spread = np.bincount(cells, minlength=overlap.size)
            tables[j] = tables[j] + ((average - version) / spread)[cells]
        else:
            tables[j] = tables[j] + (average - version)[cells] * shares


def _overlaps(measurements: Sequence[Measurement], domain: Domain) -> list[_Overlap]:
    marginals = [m.marginal for m in measurements]
    n_cells = [m.counts.size for m in measurements]
    holders: dict[int, set[int]] = defaultdict(set)
    for j, marginal in enumerate(marginals):
        for attribute in marginal.attributes:
            holders[attribute].add(j)
    found: list[_Overlap] = []
    work = 0
    for shared in _shared_marginals(marginals, holders, domain):
        nearby = set.intersection(*(holders[a] for a in shared.attributes))
        members = tuple(j for j in sorted(nearby) if marginals[j].refines(shared))
        work += sum(n_cells[j] for j in members)
        if work > LARGEST_WORK:
            break
        size = shared.n_cells(domain)
        cells = tuple(_cell_map(marginals[j], shared, domain) for j in members)
        noise = [_summed_noise(measurements[j], mapped, size) for j, mapped in zip(members, cells, strict=True)]
        precision = 1 / np.stack(np.broadcast_arrays(*(total for total, _ in noise)))
        shares = tuple(share for _, share in noise)
        found.append(_Overlap(members, cells, precision / precision.sum(axis=0), size, shares))
    return found


def _summed_noise(measurement: Measurement, cells: Ints, size: int) -> tuple[Floats, Floats | None]:
    """The variance of the shared marginal's cells, and each cell's part in it where the noise is unequal."""
    if not measurement.factors:
        return np.array([measurement.counts.size / size * max(measurement.noise.variance, 1e-9)]), None
    variances = np.maximum(measurement.variances().ravel(), 1e-9)
    total: Floats = np.bincount(cells, weights=variances, minlength=size).astype(np.float64)
    return total, variances / total[cells]


def _shared_marginals(marginals: Sequence[Marginal], holders: dict[int, set[int]], domain: Domain) -> list[Marginal]:
    """What any two tables share, small before large: agreeing on a part first keeps it when the whole agrees."""
    pairs = {pair for tables in holders.values() for pair in combinations(sorted(tables), 2)}
    shared = {_intersection(marginals[i], marginals[j]) for i, j in pairs}
    return sorted(shared, key=lambda m: (len(m.axes), m.n_cells(domain), m.axes))


def _intersection(one: Marginal, other: Marginal) -> Marginal:
    levels = dict(other.axes)
    common = (Axis(a.attribute, max(a.level, levels[a.attribute])) for a in one.axes if a.attribute in levels)
    return Marginal(tuple(sorted(common)))


def _cell_map(source: Marginal, target: Marginal, domain: Domain) -> Ints:
    """Flat cell of the source table → flat cell of the target table it is summed into."""
    position = {axis.attribute: axis for axis in target.axes}
    strides: dict[int, int] = {}
    stride = 1
    for axis in reversed(target.axes):
        strides[axis.attribute] = stride
        stride *= domain.size(axis)
    cells = np.zeros((1,) * 0, dtype=np.int64)
    for axis in source.axes:
        along = np.zeros(domain.size(axis), dtype=np.int64)
        if axis.attribute in position:
            along = regroup(domain, axis, position[axis.attribute]) * strides[axis.attribute]
        cells = cells[..., None] + along
    return cells.ravel()


def _family(
    node: Node, holders: Sequence[int], marginals: Sequence[Marginal], tables: Sequence[Floats], domain: Domain
) -> Floats:
    """A node's joint table out of one of `holders`, the tables that have its child among their attributes."""
    family = node.marginal
    holding = [j for j in holders if marginals[j].refines(family)]
    smallest = min(holding, key=lambda j: tables[j].size)
    return project(tables[smallest], marginals[smallest], family, domain).astype(np.float64)


def _conditional(joint: Floats) -> Floats:
    mass = joint.sum(axis=-1, keepdims=True)
    overall = joint.reshape(-1, joint.shape[-1]).sum(axis=0)
    overall = overall / overall.sum() if overall.sum() > 0 else np.full(len(overall), 1 / len(overall))
    return np.where(mass > 0, joint / np.where(mass > 0, mass, 1.0), overall)
