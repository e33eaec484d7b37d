"""Private choice among integer scores, exact: permute-and-flip (pure ε) and the exponential mechanism (with a δ)."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from understudy._core.errors import InternalError
from understudy.privacy import _integers, _kernels
from understudy.privacy._values import Counts
from understudy.privacy._word_stream import WordStream

_ROOM = 1 << 62  # kernels take rates p/q with p, q up to this


def choose_permute_and_flip(scores: Counts, rate: Fraction, stream: WordStream) -> int:
    """Index of a candidate; acceptance exp(−rate·(best − score)), candidates looked at in random order.

    The same as adding independent exponential noise of mean 1/rate to each score and taking the largest; costs
    rate · sensitivity of pure ε (proof.md, section 4).

    >>> from understudy._core.randomness import SeededBytes
    >>> choose_permute_and_flip(np.array([0, 900, 5]), Fraction(1), WordStream(SeededBytes(1)))
    1
    """
    gaps, p, q = gaps_of(scores), *round_rate(rate)
    if q > _ROOM or p > _ROOM:
        return _integers.permute_and_flip([int(gap) for gap in gaps], p, q, stream)
    order, left = np.arange(gaps.size), gaps.size
    while True:
        winner, left, stream.position, status = _kernels.permute_and_flip(
            gaps, order, left, np.uint64(p), np.uint64(q), stream.buffer, stream.position
        )
        if status == 0:
            return int(winner)
        if status == _kernels.GAVE_UP:
            raise InternalError("No candidate was accepted, though the best always is.")
        stream.refill()


def choose_exponential(scores: Counts, rate: Fraction, stream: WordStream) -> int:
    """Index of a candidate, drawn with weight exp(rate·score), by rejection.

    Costs (π/8)·(rate · sensitivity)² of μ² (proof.md, section 4).

    >>> from understudy._core.randomness import SeededBytes
    >>> choose_exponential(np.array([0, 900, 5]), Fraction(1), WordStream(SeededBytes(1)))
    1
    """
    gaps, p, q = gaps_of(scores), *round_rate(rate)
    if q > _ROOM or p > _ROOM:
        return _integers.exponential([int(gap) for gap in gaps], p, q, stream)
    while True:
        winner, stream.position, status = _kernels.exponential(
            gaps, np.uint64(p), np.uint64(q), stream.buffer, stream.position
        )
        if status == 0:
            return int(winner)
        stream.refill()


def round_rate(rate: Fraction) -> tuple[int, int]:
    """p, q with p/q ≤ rate: equal if it fits the kernels, else the next smaller that does, by 2^−61 at most.

    >>> round_rate(Fraction(2, 3))
    (2, 3)
    """
    if rate <= 0:
        raise InternalError(f"A selection rate must be above 0, not {rate}.")
    p, q = rate.numerator, rate.denominator
    if (p <= _ROOM and q <= _ROOM) or rate >= _ROOM or rate <= Fraction(1, _ROOM):
        return p, q  # what is out of the kernels' range altogether goes to Python's integers, unrounded
    if rate < 1:
        p = math.floor(rate * _ROOM)
        return p, math.ceil(p / rate)
    q = math.floor(_ROOM / rate)
    return math.floor(q * rate), q


def gaps_of(scores: Counts) -> npt.NDArray[np.uint64]:
    """How far each score lies below the best. Unsigned, as two int64 can be 2^64 apart."""
    if scores.size == 0:
        raise InternalError("There is nothing to choose from.")
    unsigned = np.ascontiguousarray(scores, dtype=np.int64).view(np.uint64)
    gaps: npt.NDArray[np.uint64] = unsigned[int(scores.argmax())] - unsigned
    return gaps
