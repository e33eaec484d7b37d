"""Published codes drawn from true ones: exactly with the probabilities of the plan, whatever their denominators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from understudy._core.errors import InternalError, OptionError
from understudy._core.randomness import ByteSource, WordArray
from understudy.randomize._kernels import UNDECIDED, draw_matrix, draw_response
from understudy.randomize._matrix import Matrix, Response, TransitionMatrix
from understudy.randomize._plan import Block
from understudy.schema import Codes
from understudy.tables import code_type

BlockCodes: TypeAlias = npt.NDArray[np.uint32]
_SPACE = 1 << 64
_HEADS = 1 << 16
_MORE = 1 << 12  # words: what is asked for beside the heads at a time


class Words:
    """A source's words, each used once: two bytes of them at a time as heads, and whole ones where those do not decide.

    >>> from understudy._core.randomness import SeededBytes
    >>> len(Words(SeededBytes(1)).heads(10))
    10
    """

    def __init__(self, source: ByteSource) -> None:
        self._source = source
        self.waiting: WordArray = np.empty(0, dtype=np.uint64)

    def heads(self, count: int) -> npt.NDArray[np.uint16]:
        """`count` uniform numbers of 16 bits."""
        return self._source.words(-(-count // 4)).view(np.uint16)[:count]

    def drop(self, used: int) -> None:
        """The first `used` words that wait are spent."""
        self.waiting = self.waiting[used:]

    def refill(self) -> None:
        """Put fresh words behind those that wait, which keep their place."""
        self.waiting = np.concatenate([self.waiting, self._source.words(_MORE)])


class ResponseDraw:
    """Draws of randomised response: nothing of the size of the matrix is built.

    >>> from fractions import Fraction
    >>> from understudy._core.randomness import SeededBytes
    >>> draw = ResponseDraw(Response(3, Fraction(0)))
    >>> 1 in draw(np.ones(100, dtype=np.uint32), Words(SeededBytes(1)))
    False
    """

    def __init__(self, matrix: Response) -> None:
        step = _SPACE // matrix.denominator
        keep = int(matrix.keep * matrix.denominator) * step
        width = int(matrix.other * matrix.denominator) * step
        self._decided = _decided_cells(keep, width, matrix.values)
        # a cell that has all of the numbers is decided by every head, so its width is not looked at
        limits = keep, min(width, _SPACE - 1), step * matrix.denominator - 1
        self._limits = np.array(limits, dtype=np.uint64)

    def __call__(self, true: BlockCodes, words: Words) -> BlockCodes:
        """The published codes."""
        out, heads, row = np.empty_like(true), words.heads(len(true)), 0
        while True:
            row, used = draw_response(true, heads, words.waiting, row, self._limits, self._decided, out)
            words.drop(used)
            if row == len(true):
                return out
            words.refill()


class MatrixDraw:
    """Draws from the rows of any matrix, by their cumulative weights.

    >>> from understudy._core.randomness import SeededBytes
    >>> MatrixDraw(Matrix.of([[0, 1], [1, 0]]))(np.array([0, 1, 1], dtype=np.uint32), Words(SeededBytes(1))).tolist()
    [1, 0, 0]
    """

    def __init__(self, matrix: Matrix) -> None:
        step = _SPACE // matrix.denominator
        weights = matrix.table.astype(np.uint64)
        below = weights.cumsum(axis=1) - weights
        drawn = weights > 0  # a cell of no width is never drawn, and its bound might not fit into 64 bits
        self._last = np.uint64(step * matrix.denominator - 1)
        self._begins = np.concatenate([[0], drawn.sum(axis=1).cumsum()])
        self._lower = below[drawn] * np.uint64(min(step, _SPACE - 1))  # of one cell, all of the numbers: times 0
        self._targets = np.nonzero(drawn)[1].astype(np.uint32)

    def __call__(self, true: BlockCodes, words: Words) -> BlockCodes:
        """The published codes."""
        out, heads, row = np.empty_like(true), words.heads(len(true)), 0
        cells = self._last, self._begins, self._lower, self._targets
        while True:
            row, used = draw_matrix(true, heads, words.waiting, row, *cells, out)
            words.drop(used)
            if row == len(true):
                return out
            words.refill()


class BlockDraw:
    """Randomises the columns of one block together.

    >>> from fractions import Fraction
    >>> from understudy._core.randomness import SeededBytes
    >>> block = Block(columns=("a", "b"), sizes=(2, 3), matrix=Response(6, Fraction(1)))
    >>> columns = [np.array([1], dtype=np.uint8), np.array([2], dtype=np.uint8)]
    >>> BlockDraw(block)(columns, Words(SeededBytes(1)))
    [array([1], dtype=uint8), array([2], dtype=uint8)]
    """

    def __init__(self, block: Block) -> None:
        if block.matrix is None:
            raise OptionError(f"the matrix for {' and '.join(block.columns)} is not worked out yet.")
        self._sizes = block.sizes
        self._draw = None if block.matrix.unchanged else _draw_from(block.matrix)
        cells = np.indices(block.sizes, dtype=np.uint32).reshape(len(block.sizes), -1) if self._draw else ()
        self._digits = [digit.astype(code_type(size)) for digit, size in zip(cells, block.sizes, strict=False)]

    def __call__(self, columns: Sequence[Codes], words: Words) -> list[Codes]:
        """The published columns."""
        if self._draw is None:
            return list(columns)
        published = self._draw(block_codes(columns, self._sizes), words)
        return [digit[published] for digit in self._digits]


def block_codes(columns: Sequence[Codes], sizes: Sequence[int]) -> BlockCodes:
    """The cell of each row: mixed radix, the first column slowest.

    >>> block_codes([np.array([0, 1]), np.array([2, 1])], (2, 3)).tolist()
    [2, 4]
    """
    cells = columns[0].astype(np.uint32)
    for column, size in zip(columns[1:], sizes[1:], strict=True):
        cells *= np.uint32(size)
        cells += column.astype(np.uint32, copy=False)
    return cells


def _draw_from(matrix: TransitionMatrix) -> ResponseDraw | MatrixDraw:
    if isinstance(matrix, Response):
        return ResponseDraw(matrix)
    if isinstance(matrix, Matrix):
        return MatrixDraw(matrix)
    raise InternalError(f"no draw for a {type(matrix).__name__}.")


def _decided_cells(keep: int, width: int, values: int) -> npt.NDArray[np.uint32]:
    """For each head the cell that all 64-bit numbers with that head lie in; UNDECIDED where they do not agree."""
    decided = np.full(_HEADS, UNDECIDED, dtype=np.uint32)
    share = _SPACE // _HEADS
    decided[: keep // share] = 0
    if width >= share:  # a narrower cell holds no head whole
        for other in range(values - 1):
            low, high = keep + other * width, keep + (other + 1) * width
            decided[-(-low // share) : high // share] = other + 1
    return decided
