"""Multiplicative weights over the table of all possible rows: what MWEM learns by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from understudy.models import all_sums, joint_shape, read_marginal
from understudy.schema import Domain, Marginal

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]

_FARTHEST = 40.0  # probabilities differ by 1 at most; only noise beside a small (or small noisy) n goes beyond
_LINE = 1 << 13  # cells of a line: two of them fit into a core's first cache, or nearly


@dataclass(frozen=True, kw_only=True, eq=False)
class Noted:
    """A noisy marginal as probabilities; `known` are its cells that were measured.

    Lines of it fall into `kinds`: those of one kind have the same cells, `cells[kind]`, one per place of a line.
    """

    values: Floats
    known: npt.NDArray[np.bool_]
    kinds: list[int]
    cells: Ints


class Weights:
    """A probability for each possible row, uniform at first, learnt from noisy marginals.

    The table is kept in lines that fit a cache: an update and the sums that the next one needs are one pass over them.

    >>> from understudy.schema import Attribute
    >>> domain = Domain((Attribute(name="a", size=2), Attribute(name="b", size=3)))
    >>> weights = Weights(domain)
    >>> noted = weights.note(Marginal.of(1), np.array([0.5, 0.5, 0.0]))
    >>> weights.learn([noted], passes=200)
    >>> weights.table.sum(axis=0).round(2).tolist()
    [0.5, 0.5, 0.01]
    """

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        self._axes = {a: i for i, a in enumerate(a for a, attribute in enumerate(domain) if attribute.size > 1)}
        self._shape = joint_shape(domain)
        cut = len(self._shape)
        while cut > 0 and prod(self._shape[cut - 1 :]) <= _LINE:
            cut -= 1
        self._cut = cut
        n_lines, length = prod(self._shape[:cut]), prod(self._shape[cut:])
        self._lines = np.full((n_lines, length), 1 / (n_lines * length))

    @property
    def table(self) -> Floats:
        """The probabilities, one axis per attribute with more than one value."""
        return self._lines.reshape(self._shape)

    def note(self, marginal: Marginal, values: Floats, known: npt.NDArray[np.bool_] | None = None) -> Noted:
        """A noisy marginal, over attributes in rising order, to learn from; `known` if only some of its cells are."""
        strides, stride = {}, 1
        for axis in reversed([self._axes[a] for a in marginal.attributes if a in self._axes]):
            strides[axis], stride = stride, stride * self._shape[axis]
        parts = []
        for low, high in ((0, self._cut), (self._cut, len(self._shape))):
            places = np.zeros(1, dtype=np.int64)
            for axis in range(low, high):
                codes = np.arange(self._shape[axis]) * strides.get(axis, 0)
                places = (places[:, None] + codes).ravel()
            parts.append(places)
        first, kinds = np.unique(parts[0], return_inverse=True)
        return Noted(
            values=values.ravel(),
            known=np.ones(values.size, dtype=np.bool_) if known is None else known.ravel(),
            kinds=kinds.tolist(),
            cells=first[:, None] + parts[1],
        )

    def learn(self, noted: Sequence[Noted], *, passes: int) -> None:
        """Apply the multiplicative update for all of them in turn, so many times over.

        A row's weight grows by exp(½·(measured − current)) for the cell that it falls into, both as probabilities. What
        noise has put far from any probability counts as `_FARTHEST`, so that no update overflows.
        """
        current = self._sums(noted[0])
        for turn in range(passes * len(noted)):
            mine, following = noted[turn % len(noted)], noted[(turn + 1) % len(noted)]
            apart = np.clip(mine.values - current, -_FARTHEST, _FARTHEST)
            change = np.where(mine.known, np.exp(apart / 2), 1.0)
            change /= change @ current
            current = self._multiply(change[mine.cells], mine.kinds, following)

    def _sums(self, noted: Noted) -> Floats:
        sums = np.zeros(noted.cells.shape)
        for line, kind in zip(self._lines, noted.kinds, strict=True):
            sums[kind] += line
        return _by_cell(sums, noted)

    def _multiply(self, factors: Floats, kinds: list[int], following: Noted) -> Floats:
        """Multiply each line by the factors of its kind; the sums that the following update needs."""
        sums = np.zeros(following.cells.shape)
        lines, by_kind, sums_of = list(self._lines), list(factors), list(sums)
        for line, kind, next_kind in zip(lines, kinds, following.kinds, strict=True):
            np.multiply(line, by_kind[kind], out=line)
            np.add(sums_of[next_kind], line, out=sums_of[next_kind])
        return _by_cell(sums, following)


def _by_cell(sums: Floats, noted: Noted) -> Floats:
    found: Floats = np.bincount(noted.cells.ravel(), sums.ravel(), noted.values.size).astype(np.float64, copy=False)
    return found


class Reader:
    """Reads all tables of some groups of attributes, which have as many attributes each, out of a joint table at once.

    >>> from understudy.schema import Attribute
    >>> domain = Domain((Attribute(name="a", size=2), Attribute(name="b", size=2)))
    >>> Reader(domain, [Marginal.of(0), Marginal.of(1)]).read(np.array([[0.1, 0.2], [0.3, 0.4]])).round(3).tolist()
    [0.3, 0.7, 0.4, 0.6]
    """

    def __init__(self, domain: Domain, marginals: Sequence[Marginal]) -> None:
        self._domain, self._marginals = domain, marginals
        self._places: Ints | None = None
        if domain.all_binary:
            attributes = np.array([marginal.attributes for marginal in marginals], dtype=np.int64)
            bits = np.int64(1) << (len(domain) - 1 - attributes)
            places = np.zeros((len(marginals), 1), dtype=np.int64)
            for axis in range(attributes.shape[1]):
                with_and_without = places[:, :, None] + np.stack([0 * bits[:, axis], bits[:, axis]], axis=1)[:, None, :]
                places = with_and_without.reshape(len(marginals), -1)
            self._places = places

    def read(self, table: Floats) -> Floats:
        """All cells of all tables in one row."""
        sums = all_sums(table)
        if self._places is None:
            return np.concatenate([read_marginal(sums, m, self._domain).ravel() for m in self._marginals])
        found = sums.ravel()[self._places]
        for axis in range(found.shape[1].bit_length() - 1):
            parts = found.reshape(-1, 2, 1 << axis)
            parts[:, 0] -= parts[:, 1]
        return found.ravel()
