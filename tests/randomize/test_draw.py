"""Published codes have exactly the probabilities of the plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from tests.naive.publishing import Cells, naive_matrix, naive_publish, naive_response
from understudy._core.randomness import SeededBytes, WordArray
from understudy.randomize import Block, Matrix, Response, TransitionMatrix
from understudy.randomize._draw import BlockDraw, MatrixDraw, ResponseDraw, Words

ROWS = 3_000
RESPONSES = [
    Response(2, Fraction(3, 4)),
    Response(2, Fraction(2, 3)),
    Response(2, Fraction(0)),
    Response(3, Fraction(0)),
    Response(5, Fraction(1, 5)),
    Response(7, Fraction(123_456_789, 987_654_321)),
    Response(2, Fraction(2**61 + 1, 2**62)),
    Response(2, Fraction(2**60, 2**61 + 2**60 - 1)),  # a denominator that refuses many words
    Response(70_000, Fraction(1, 3)),  # cells narrower than what a head tells apart
]
MATRICES = [
    Matrix.of([["0.9", "0.1"], ["0.25", "0.75"]]),
    Matrix.of([["1/3", "1/3", "1/3"], [0, "1/2", "1/2"], ["1/7", "6/7", 0]]),
    Matrix.of([[1, 0], [0, 1]]),
    Matrix.of([["0.123456789", "0.876543211"], ["0.5", "0.5"]]),
    Matrix.of([[Fraction(1, 3 * 2**59), 1 - Fraction(1, 3 * 2**59)], [1, 0]]),
]


class Scripted:
    """Words from a list, in the shape of a source."""

    private = False

    def __init__(self, words: Sequence[int]) -> None:
        self._words = iter(words)

    def words(self, count: int) -> WordArray:
        return np.array([next(self._words, 0) for _ in range(count)], dtype=np.uint64)


def _cells(matrix: TransitionMatrix, true: int) -> Cells:
    if isinstance(matrix, Response):
        keep, other = int(matrix.keep * matrix.denominator), int(matrix.other * matrix.denominator)
        return naive_response(true, matrix.values, keep, other)
    return naive_matrix(matrix.weights(true))


def _naive_column(matrix: TransitionMatrix, true: Sequence[int], source: SeededBytes) -> list[int]:
    heads = source.words(-(-len(true) // 4)).view(np.uint16)[: len(true)]

    def words() -> Iterator[int]:
        while True:
            yield from map(int, source.words(1 << 12))

    rest = words()
    return [naive_publish(_cells(matrix, code), int(head), rest) for code, head in zip(true, heads, strict=True)]


@pytest.mark.parametrize("matrix", [*RESPONSES, *MATRICES], ids=str)
def test_the_same_words_publish_the_same_codes_as_whole_numbers_do(matrix: TransitionMatrix) -> None:
    rows = ROWS if matrix.size < 100 else 20
    true = [code % matrix.size for code in range(0, rows * 31, 31)]
    draw = ResponseDraw(matrix) if isinstance(matrix, Response) else MatrixDraw(matrix)
    published = draw(np.array(true, dtype=np.uint32), Words(SeededBytes(5)))
    assert published.tolist() == _naive_column(matrix, true, SeededBytes(5))


@pytest.mark.parametrize("weights", [(1, 1), (3, 1), (2, 1), (5, 0, 2), (1, 4, 6), (10, 3)], ids=str)
def test_every_number_of_few_bits_once_gives_the_weights_exactly(weights: tuple[int, ...]) -> None:
    """All that 7 random bits can be, 3 of them the head; a draw that is refused is drawn anew, so it is left out."""
    seen: Counter[int] = Counter()
    for head, word in product(range(8), range(0, 128, 8)):
        try:
            seen[naive_publish(naive_matrix(weights), head, iter([word]), bits=7, head_bits=3)] += 1
        except StopIteration:
            seen[-1] += 1
    step = 128 // sum(weights)
    assert seen == Counter(
        {code: weight * step for code, weight in enumerate(weights)} | {-1: 128 - step * sum(weights)}
    )


@pytest.mark.parametrize(
    "matrix", [Response(2, Fraction(5, 8)), Response(4, Fraction(1, 256)), MATRICES[2], Matrix.of([["1/4", "3/4"]] * 2)]
)
def test_every_head_once_gives_the_probabilities_exactly(matrix: TransitionMatrix) -> None:
    draw = ResponseDraw(matrix) if isinstance(matrix, Response) else MatrixDraw(matrix)
    every = np.arange(1 << 16, dtype=np.uint16).view(np.uint64).tolist()
    for true in range(matrix.size):
        words = np.random.default_rng(1).integers(0, 1 << 63, 1 << 12).tolist()
        published = draw(np.full(1 << 16, true, dtype=np.uint32), Words(Scripted(every + words)))
        found = [Fraction(int(count), 1 << 16) for count in np.bincount(published, minlength=matrix.size)]
        assert found == pytest.approx(
            [matrix.probability(true, to) for to in range(matrix.size)], abs=matrix.size / 2**16
        )
        if (1 << 16) % matrix.denominator == 0:
            assert found == [matrix.probability(true, to) for to in range(matrix.size)]


def _stretches(matrix: TransitionMatrix, true: int) -> list[tuple[int, int, int]]:
    """Which of the 2⁶⁴ numbers publish which code, worked out from the probabilities alone: (first, end, code)."""
    each = 2**64 // matrix.denominator
    codes = list(range(matrix.size))
    if isinstance(matrix, Response):
        codes = [true, *(code for code in codes if code != true)]
    found, place = [], 0
    for code in codes:
        width = matrix.probability(true, code) * matrix.denominator * each
        assert width.denominator == 1
        found.append((place, place + int(width), code))
        place += int(width)
    assert all(Fraction(end - first, place) == matrix.probability(true, code) for first, end, code in found)
    return found


@pytest.mark.parametrize("matrix", [m for m in (*RESPONSES, *MATRICES) if m.size < 100 and not m.unchanged], ids=str)
def test_stretches_of_numbers_begin_and_end_where_the_probabilities_say(matrix: TransitionMatrix) -> None:
    """All 64 bits at once: the numbers next to every border, given as a head and the word behind it."""
    draw = ResponseDraw(matrix) if isinstance(matrix, Response) else MatrixDraw(matrix)
    for true in range(matrix.size):
        stretches = _stretches(matrix, true)
        after_refusal = next(code for first, end, code in stretches if end > first)  # a word of 0 is the next one
        borders = {border for first, end, _ in stretches for border in (first, end)}
        for number in sorted({border + by for border in borders for by in (-1, 0, 1)} | {2**64 - 1}):
            if 0 <= number < 2**64:
                wanted = [code for first, end, code in stretches if first <= number < end] or [after_refusal]
                script = Scripted([number >> 48, (number << 16) % 2**64 + 0xBEEF, 0])
                assert draw(np.array([true], dtype=np.uint32), Words(script)).tolist() == wanted


def test_words_that_are_refused_are_drawn_anew() -> None:
    matrix = Response(2, Fraction(2, 3))
    last = 2**64 // 3 * 3  # the first number that is refused
    top = (1 << 16) - 1
    heads = top | top << 16 | top << 32 | top << 48
    refused, kept, changed = (last & (2**48 - 1)) << 16, 0, last - 1
    script = [heads, refused, refused, kept, refused, changed, refused, kept, refused, changed]
    if last == 2**64:
        pytest.fail("a denominator that refuses nothing")
    drawn = ResponseDraw(matrix)(np.zeros(4, dtype=np.uint32), Words(Scripted(script)))
    naive = iter(script[1:])
    assert drawn.tolist() == [naive_publish(naive_response(0, 2, 2, 1), top, naive) for _ in range(4)]


def test_a_buffer_that_ends_in_the_middle_of_a_draw_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = RESPONSES[-1]
    true = np.zeros(500, dtype=np.uint32)
    rest = SeededBytes(3).words(4_096)
    results = []
    for block in (4_096, 7, 1):
        monkeypatch.setattr("understudy.randomize._draw._MORE", block)
        results.append(ResponseDraw(matrix)(true, Words(Scripted([*SeededBytes(2).words(125), *rest]))).tolist())
    assert results[0] == results[1] == results[2]


def test_a_block_is_drawn_as_one_value_and_split_again() -> None:
    sizes = (3, 2, 4)
    swap = Matrix.of([[int(to == 23 - row) for to in range(24)] for row in range(24)])
    block = Block(columns=("a", "b", "c"), sizes=sizes, matrix=swap)
    cells = np.arange(24)
    columns = [part.astype(np.uint8) for part in np.unravel_index(cells, sizes)]
    published = BlockDraw(block)(columns, Words(SeededBytes(1)))
    assert np.ravel_multi_index(published, sizes).tolist() == (23 - cells).tolist()
    assert [column.dtype for column in published] == [np.uint8] * 3


def test_a_column_left_alone_takes_no_words() -> None:
    block = Block(columns=("a",), sizes=(3,), matrix=Response(3, Fraction(1)))
    column = np.array([2, 0, 1], dtype=np.uint8)
    assert BlockDraw(block)([column], Words(Scripted([])))[0].tolist() == [2, 0, 1]


def test_system_randomness_agrees_with_the_keep_probability() -> None:
    """Fails by chance less than once in 10⁹ runs: six standard errors."""
    from understudy._core.randomness import SystemBytes

    matrix, n = Response(5, Fraction(2, 3)), 400_000
    published = ResponseDraw(matrix)(np.full(n, 3, dtype=np.uint32), Words(SystemBytes()))
    for to in range(5):
        p = float(matrix.probability(3, to))
        assert abs((published == to).mean() - p) < 6.2 * (p * (1 - p) / n) ** 0.5
