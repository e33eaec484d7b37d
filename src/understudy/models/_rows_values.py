"""Rows with weights as a value: each row once, in order; packed into words for a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from understudy.models._inference import Floats, Ints
from understudy.models._rowsfit import MOST_VALUES, Codes
from understudy.models._tree_values import TOLERANCE

_WORD = 1 << 62


@dataclass(frozen=True, eq=False)
class WeightedRows:
    """A distribution as rows with weights: `columns` has one line for each attribute, `weights` sum to 1.

    `sizes` are those of the attributes, merged values counted once.

    >>> rows = WeightedRows((2, 3), np.array([[0, 1], [2, 2]], dtype=np.uint16), np.array([0.25, 0.75]))
    >>> rows.packed().tolist()
    [[2, 5]]
    """

    sizes: tuple[int, ...]
    columns: Codes
    weights: Floats

    def __post_init__(self) -> None:
        columns, weights = np.array(self.columns, dtype=np.uint16), np.array(self.weights, dtype=np.float64)
        if columns.ndim != 2 or columns.shape[0] != len(self.sizes) or weights.shape != (columns.shape[1],):
            raise ValueError("rows need a line of codes for each attribute, and a weight each")
        if not weights.size or not (weights >= 0).all() or not abs(float(weights.sum()) - 1) <= TOLERANCE:
            raise ValueError("there must be rows, with weights that are not negative and sum to 1")
        if any(not 0 < size <= MOST_VALUES for size in self.sizes):
            raise ValueError(f"every attribute of rows needs from 1 to {MOST_VALUES:,} values")
        if len(self.sizes) and (columns.max(axis=1) >= np.array(self.sizes)).any():
            raise ValueError("a row holds a code that its attribute does not have")
        for name, array in (("columns", columns), ("weights", weights)):
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    @classmethod
    def of(cls, sizes: Sequence[int], columns: Codes, weights: Floats) -> WeightedRows:
        """From rows with any weights: rows that are alike become one, and they are put in order.

        >>> twice = np.array([[1, 0, 1]], dtype=np.uint16)
        >>> WeightedRows.of((2,), twice, np.array([1.0, 2.0, 1.0])).weights.tolist()
        [0.5, 0.5]
        """
        words = _pack(sizes, columns)
        alone = words[0] if len(words) == 1 else words  # numbers are sorted far sooner than lines of them
        _, first, which = np.unique(alone, axis=-1, return_index=True, return_inverse=True)
        summed = np.bincount(which.reshape(-1), weights=weights)
        live = summed > 0
        return cls(tuple(sizes), columns[:, first[live]], summed[live] / summed.sum())

    @classmethod
    def unpacked(cls, sizes: Sequence[int], words: Ints, weights: Floats) -> WeightedRows:
        """From packed words; raises ValueError if they are none."""
        found: list[Ints] = []
        for group, word in zip(_groups(sizes), words, strict=True):
            shape = [sizes[a] for a in group]
            if word.size and not 0 <= int(word.min()) <= int(word.max()) < prod(shape):
                raise ValueError("a row that is none")
            found += np.unravel_index(word, shape)
        return cls(tuple(sizes), np.array(found, dtype=np.uint16).reshape(len(sizes), -1), weights)

    def packed(self) -> Ints:
        """All codes of a row in as few whole numbers as hold them; one line for each of these."""
        return _pack(self.sizes, self.columns)

    @cached_property
    def rows(self) -> Codes:
        """One line for each row."""
        return np.ascontiguousarray(self.columns.T)

    def __len__(self) -> int:
        return len(self.weights)


def n_words(sizes: Sequence[int]) -> int:
    """How many words a row is packed into.

    >>> n_words((1000,) * 7)
    2
    """
    return len(_groups(sizes))


def _groups(sizes: Sequence[int]) -> list[list[int]]:
    """Attributes that share a word."""
    found: list[list[int]] = []
    cells = _WORD
    for a, size in enumerate(sizes):
        cells *= size
        if cells >= _WORD:
            found.append([])
            cells = size
        found[-1].append(a)
    return found


def _pack(sizes: Sequence[int], columns: Codes) -> Ints:
    words = []
    for group in _groups(sizes):
        word = np.zeros(columns.shape[1], dtype=np.int64)
        for a in group:
            word = word * sizes[a] + columns[a]
        words.append(word)
    return np.array(words, dtype=np.int64).reshape(-1, columns.shape[1])
