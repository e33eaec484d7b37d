"""Exact integer noise and exact private choice, from an injected source of bytes.

Scales are fractions. Where one does not fit the kernels' 64-bit integers it is rounded, always towards more noise.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np

from understudy._core.errors import InternalError, OptionError
from understudy._core.randomness import ByteSource, SeededBytes, SystemBytes
from understudy.privacy import _integers, _kernels
from understudy.privacy._lattice_noise import draw_together
from understudy.privacy._levels import GAUSSIAN_ROOM, LAPLACE_ROOM, gaussian_level, gaussian_parameters, laplace_level
from understudy.privacy._selection import choose_exponential, choose_permute_and_flip
from understudy.privacy._values import Counts
from understudy.privacy._word_stream import WordStream

NoiseSource: TypeAlias = Literal["exact", "opendp"]
_COUNT_ROOM = 1 << 61  # counts and noise below this cannot overflow a sum
_TOO_SMALL = "This budget is so small that noisy counts exceed 64 bits. Raise epsilon."


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

    def together(self, tables: Sequence[Counts], decay: Fraction, *, balanced: bool) -> list[Counts]:
        """Tables plus noise with probability ∝ exp(−decay · the largest norm among them), see `_lattice_noise`."""
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
        if t >= LAPLACE_ROOM:
            return self._slowly(counts, lambda: _integers.draw_laplace(t, s, self._stream))
        return self._fast(_kernels.add_laplace, counts, np.uint64(t), np.uint64(s))

    def gaussian(self, counts: Counts, variance: Fraction) -> Counts:
        """Counts plus discrete Gaussian noise."""
        t, m, b = gaussian_parameters(gaussian_level(variance).scale)
        if t > GAUSSIAN_ROOM:
            return self._slowly(counts, lambda: _integers.draw_gaussian(t, m, b, self._stream))
        return self._fast(_kernels.add_gaussian, counts, np.uint64(t), np.uint64(m), np.uint64(b))

    def together(self, tables: Sequence[Counts], decay: Fraction, *, balanced: bool) -> list[Counts]:
        """Tables plus noise of one draw."""
        with self._stream.lock:
            drawn = draw_together([table.size for table in tables], decay, self._stream, balanced=balanced)
        if any(abs(value) >= _COUNT_ROOM for noise in drawn for value in noise):
            raise OptionError(_TOO_SMALL)
        return [
            table + np.array(noise, dtype=np.int64).reshape(table.shape)
            for table, noise in zip(tables, drawn, strict=True)
        ]

    def permute_and_flip(self, scores: Counts, rate: Fraction) -> int:
        """Index chosen by permute-and-flip."""
        with self._stream.lock:
            return choose_permute_and_flip(scores, rate, self._stream)

    def exponential(self, scores: Counts, rate: Fraction) -> int:
        """Index chosen by the exponential mechanism."""
        with self._stream.lock:
            return choose_exponential(scores, rate, self._stream)

    def _fast(self, kernel: Any, counts: Counts, *parameters: np.uint64) -> Counts:
        flat = np.ascontiguousarray(counts, dtype=np.int64).reshape(-1)
        out = np.empty_like(flat)
        done, stream = 0, self._stream
        with stream.lock:
            while done < flat.size:
                done, stream.position, status = kernel(flat, out, done, *parameters, stream.buffer, stream.position)
                if status == _kernels.GAVE_UP:
                    raise InternalError("A noise value beyond every bound was drawn, which should never be seen.")
                if status == _kernels.OUT_OF_WORDS:
                    stream.refill()
        return out.reshape(counts.shape)

    def _slowly(self, counts: Counts, draw: Any) -> Counts:
        with self._stream.lock:
            noisy = [int(count) + draw() for count in np.asarray(counts).reshape(-1)]
        if any(abs(value) >= _COUNT_ROOM for value in noisy):
            raise OptionError(_TOO_SMALL)
        return np.array(noisy, dtype=np.int64).reshape(counts.shape)


class OpenDPNoise:
    """Noise by the OpenDP library (extra `opendp`). Choices stay with our exact samplers, as OpenDP's take floats.

    So does the noise of tables asked together, which OpenDP does not have.

    OpenDP takes a scale as a double, read exactly; we hand it the next double at or above ours.
    """

    name = "OpenDP's discrete samplers; for choices and K-norm noise exact samplers fed by the operating system"
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

    def together(self, tables: Sequence[Counts], decay: Fraction, *, balanced: bool) -> list[Counts]:
        """Tables plus noise of one draw; OpenDP has none of this shape."""
        return self._choices.together(tables, decay, balanced=balanced)

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
