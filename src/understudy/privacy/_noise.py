"""Exact integer noise and exact private choice, from an injected source of bytes.

Scales are fractions. Where one does not fit the kernels' 64-bit integers it is rounded, always towards more noise.
"""

from __future__ import annotations

import importlib
import math
from fractions import Fraction
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np

from understudy._core.errors import InternalError, OptionError
from understudy._core.randomness import ByteSource, SeededBytes, SystemBytes
from understudy.privacy import _integers, _kernels
from understudy.privacy._selection import choose_exponential, choose_permute_and_flip
from understudy.privacy._values import Counts, NoiseLevel
from understudy.privacy._word_stream import WordStream

NoiseSource: TypeAlias = Literal["exact", "opendp"]
_LAPLACE_ROOM = 1 << 40  # kernels take t, s below this
_GAUSSIAN_ROOM = 1 << 25  # kernels take t·b, m up to this
_COUNT_ROOM = 1 << 61  # counts and noise below this cannot overflow a sum


class Noise(Protocol):
    """Adds integer noise to integer counts, and chooses among integer scores."""

    @property
    def name(self) -> str:
        """Where the noise comes from, for the privacy statement."""
        ...

    @property
    def private(self) -> bool:
        """Whether nobody can foresee or repeat it."""
        ...

    def laplace(self, counts: Counts, scale: Fraction) -> Counts:
        """Counts plus discrete Laplace noise of this scale, cell by cell."""
        ...

    def gaussian(self, counts: Counts, variance: Fraction) -> Counts:
        """Counts plus discrete Gaussian noise of this σ², cell by cell."""
        ...

    def permute_and_flip(self, scores: Counts, rate: Fraction) -> int:
        """Index chosen by permute-and-flip: acceptance exp(−rate·(best − score))."""
        ...

    def exponential(self, scores: Counts, rate: Fraction) -> int:
        """Index chosen by the exponential mechanism: weight exp(rate·score)."""
        ...


def make_noise(source: NoiseSource = "exact", *, seed: int | None = None) -> Noise:
    """Noise for a release; with a seed, for a rehearsal that is not private.

    >>> make_noise().private, make_noise(seed=7).private
    (True, False)
    """
    if source == "exact":
        return ExactNoise(SystemBytes() if seed is None else SeededBytes(seed))
    if source == "opendp":
        if seed is not None:
            raise OptionError("OpenDP's noise cannot be seeded. Drop the seed, or use noise 'exact'.")
        return OpenDPNoise()
    raise OptionError(f"The 'noise' parameter must be 'exact' or 'opendp'. Got {source!r} instead.")


def laplace_level(scale: Fraction) -> NoiseLevel:
    """The noise level used for this scale: itself where it fits, else the next larger that does.

    >>> laplace_level(Fraction(1, 3)).scale
    Fraction(1, 3)
    """
    if scale <= 0:
        raise InternalError(f"A noise scale must be above 0, not {scale}.")
    return NoiseLevel(kind="laplace", scale=_round_scale(scale))


def gaussian_level(variance: Fraction) -> NoiseLevel:
    """The noise level used for this σ²: itself where it fits, else the next larger that does.

    >>> gaussian_level(Fraction(9, 4)).scale
    Fraction(9, 4)
    """
    if variance <= 0:
        raise InternalError(f"A noise variance must be above 0, not {variance}.")
    rounded, again = variance, _round_variance(variance)
    while rounded != again:  # rounding up may lift √σ² over a whole number, which changes the grid once
        rounded, again = again, _round_variance(again)
    return NoiseLevel(kind="gaussian", scale=rounded)


def _round_scale(scale: Fraction) -> Fraction:
    if max(scale.numerator, scale.denominator) < _LAPLACE_ROOM or scale >= _LAPLACE_ROOM:
        return scale
    if scale <= Fraction(1, _LAPLACE_ROOM - 1):
        return Fraction(1, _LAPLACE_ROOM - 1)
    # below 1 round the denominator down, above 1 the numerator up: either way the fraction grows, by 2^−39 at most
    if scale < 1:
        above = max(1, math.floor(scale * (_LAPLACE_ROOM - 1)))
        return Fraction(above, math.floor(above / scale))
    under = max(1, math.floor((_LAPLACE_ROOM - 2) / scale))
    return Fraction(math.ceil(under * scale), under)


def _gaussian_parameters(variance: Fraction) -> tuple[int, int, int]:
    """t, m, b with t·m/b ≥ variance: equal if the grid has room for it."""
    t = math.isqrt(variance.numerator // variance.denominator) + 1
    room = max(_GAUSSIAN_ROOM // t, 1)
    exact = (variance / t).denominator
    b = exact * (room // exact) if exact <= room else room
    if t > _GAUSSIAN_ROOM:  # not for the kernel, so nothing need be rounded
        b = exact
    return t, math.ceil(variance * b / t), b


def _round_variance(variance: Fraction) -> Fraction:
    t, m, b = _gaussian_parameters(variance)
    return Fraction(t * m, b)


class ExactNoise:
    """The samplers of Canonne, Kamath and Steinke (2020) in integer arithmetic, fed by a source of bytes.

    >>> noise = ExactNoise(SeededBytes(5))
    >>> noise.laplace(np.array([100, 200, 300]), Fraction(2)).tolist() != [100, 200, 300]
    True
    """

    def __init__(self, source: ByteSource) -> None:
        self._stream = WordStream(source)

    @property
    def private(self) -> bool:
        """Whether the bytes come from the operating system."""
        return self._stream.private

    @property
    def name(self) -> str:
        """For the privacy statement."""
        origin = "the operating system's cryptographic generator" if self.private else "a SEED: NOT PRIVATE"
        return f"exact discrete samplers fed by {origin}"

    def laplace(self, counts: Counts, scale: Fraction) -> Counts:
        """Counts plus discrete Laplace noise."""
        scale = laplace_level(scale).scale
        t, s = scale.numerator, scale.denominator
        if t >= _LAPLACE_ROOM:
            return self._slowly(counts, lambda: _integers.draw_laplace(t, s, self._stream))
        return self._fast(_kernels.add_laplace, counts, np.uint64(t), np.uint64(s))

    def gaussian(self, counts: Counts, variance: Fraction) -> Counts:
        """Counts plus discrete Gaussian noise."""
        t, m, b = _gaussian_parameters(gaussian_level(variance).scale)
        if t > _GAUSSIAN_ROOM:
            return self._slowly(counts, lambda: _integers.draw_gaussian(t, m, b, self._stream))
        return self._fast(_kernels.add_gaussian, counts, np.uint64(t), np.uint64(m), np.uint64(b))

    def permute_and_flip(self, scores: Counts, rate: Fraction) -> int:
        """Index chosen by permute-and-flip."""
        return choose_permute_and_flip(scores, rate, self._stream)

    def exponential(self, scores: Counts, rate: Fraction) -> int:
        """Index chosen by the exponential mechanism."""
        return choose_exponential(scores, rate, self._stream)

    def _fast(self, kernel: Any, counts: Counts, *parameters: np.uint64) -> Counts:
        flat = np.ascontiguousarray(counts, dtype=np.int64).reshape(-1)
        out = np.empty_like(flat)
        done = 0
        while done < flat.size:
            done, self._stream.position, status = kernel(
                flat, out, done, *parameters, self._stream.buffer, self._stream.position
            )
            if status == _kernels.GAVE_UP:
                raise InternalError("A noise value beyond every bound was drawn, which should never be seen.")
            if status == _kernels.OUT_OF_WORDS:
                self._stream.refill()
        return out.reshape(counts.shape)

    def _slowly(self, counts: Counts, draw: Any) -> Counts:
        noisy = [int(count) + draw() for count in np.asarray(counts).reshape(-1)]
        if any(abs(value) >= _COUNT_ROOM for value in noisy):
            raise OptionError("This budget is so small that noisy counts exceed 64 bits. Raise epsilon.")
        return np.array(noisy, dtype=np.int64).reshape(counts.shape)


class OpenDPNoise:
    """Noise by the OpenDP library (extra `opendp`); choices stay with our exact samplers, as OpenDP's take floats.

    OpenDP takes a scale as a double, read exactly; we hand it the next double at or above ours.
    """

    name = "OpenDP's discrete samplers, and for choices exact samplers fed by the operating system"
    private = True

    def __init__(self) -> None:
        try:
            self._measurements = importlib.import_module("opendp.measurements")
            self._domains = importlib.import_module("opendp.domains")
            self._metrics = importlib.import_module("opendp.metrics")
            features = importlib.import_module("opendp.mod")
        except ImportError:
            raise OptionError("Noise 'opendp' needs the OpenDP library: pip install 'understudy[opendp]'.") from None
        features.enable_features("contrib")
        self._choices = ExactNoise(SystemBytes())

    def laplace(self, counts: Counts, scale: Fraction) -> Counts:
        """Counts plus OpenDP's discrete Laplace noise."""
        metric = self._metrics.l1_distance(T="i64")
        return self._add(self._measurements.make_laplace, metric, counts, _double_above(scale))

    def gaussian(self, counts: Counts, variance: Fraction) -> Counts:
        """Counts plus OpenDP's discrete Gaussian noise."""
        metric = self._metrics.l2_distance(T="i64")
        scale = math.sqrt(variance)
        while Fraction(scale) ** 2 < variance:
            scale = math.nextafter(scale, math.inf)
        return self._add(self._measurements.make_gaussian, metric, counts, scale)

    def permute_and_flip(self, scores: Counts, rate: Fraction) -> int:
        """Index chosen by permute-and-flip."""
        return self._choices.permute_and_flip(scores, rate)

    def exponential(self, scores: Counts, rate: Fraction) -> int:
        """Index chosen by the exponential mechanism."""
        return self._choices.exponential(scores, rate)

    def _add(self, make: Any, metric: Any, counts: Counts, scale: float) -> Counts:
        domain = self._domains.vector_domain(self._domains.atom_domain(T="i64"))
        noisy = make(domain, metric, scale=scale)(np.asarray(counts).reshape(-1).tolist())
        return np.array(noisy, dtype=np.int64).reshape(counts.shape)


def _double_above(number: Fraction) -> float:
    double = float(number)
    return double if Fraction(double) >= number else math.nextafter(double, math.inf)
