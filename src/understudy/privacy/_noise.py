"""Exact integer noise and exact private choice, from an injected source of bytes.

Scales are fractions. Where one does not fit the kernels' 64-bit integers it is rounded, always towards more noise.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from understudy._core.errors import InternalError, OptionError
from understudy._core.randomness import ByteSource, SeededBytes, SystemBytes
from understudy.privacy import _integers, _kernels
from understudy.privacy._lattice_noise import draw_together
from understudy.privacy._levels import LAPLACE_ROOM, gaussian_level, laplace_level
from understudy.privacy._peeling import choose_several
from understudy.privacy._rounded import normal_cells, round_up_close
from understudy.privacy._selection import choose_exponential, choose_permute_and_flip
from understudy.privacy._values import Counts
from understudy.privacy._word_stream import WordStream

NoiseSource: TypeAlias = Literal["exact", "opendp"]
_COUNT_ROOM = 1 << 61  # counts and noise below this cannot overflow a sum
_TOO_SMALL = "This budget is so small that noisy counts exceed 64 bits. Raise epsilon."
_DOUBLES_ROOM = 2.0**45  # of σ: beyond, doubles leave most roundings uncertain
_NO_DELTA = (
    "Noise 'opendp' must have a pure budget: OpenDP's Gaussian noise is discrete, and the accounting with a delta is "
    "proven for rounded Gaussian noise. Use delta 0, or noise 'exact'."
)


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
        """Counts plus Gaussian noise of this σ², cell by cell, rounded to the nearest whole numbers."""
        ...

    def gaussian_on_grid(self, numbers: Counts, squares: Counts, variance: Fraction, grid: Fraction) -> Counts:
        """numbers/√squares plus Gaussian noise of this σ², rounded to steps of the grid: how many."""
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

    def several(self, scores: Counts, rate: Fraction, number: int) -> Counts:
        """Different indices chosen one after the other by the exponential mechanism."""
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
    """Discrete Laplace (Canonne, Kamath, Steinke 2020) and rounded Gaussian noise, exact, fed by a source of bytes.

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
        return f"exact samplers fed by {origin}"

    def laplace(self, counts: Counts, scale: Fraction) -> Counts:
        """Counts plus discrete Laplace noise."""
        scale = laplace_level(scale).scale
        t, s = scale.numerator, scale.denominator
        if t >= LAPLACE_ROOM:
            return self._slowly(counts, lambda: _integers.draw_laplace(t, s, self._stream))
        return self._fast(_kernels.add_laplace, counts, np.uint64(t), np.uint64(s))

    def gaussian(self, counts: Counts, variance: Fraction) -> Counts:
        """Counts plus Gaussian noise, rounded."""
        flat = np.ascontiguousarray(counts, dtype=np.int64).reshape(-1)
        nothing = Fraction(0)
        noisy = self._round_all(flat, np.zeros(flat.size), 0.0, variance, lambda _: (nothing, 1))
        return noisy.reshape(counts.shape)

    def gaussian_on_grid(self, numbers: Counts, squares: Counts, variance: Fraction, grid: Fraction) -> Counts:
        """numbers/√squares plus Gaussian noise, rounded to the grid."""
        flat, under = (np.ascontiguousarray(given, dtype=np.int64).reshape(-1) for given in (numbers, squares))
        near = flat / (np.sqrt(under) * float(grid))
        far = float(np.abs(near).max(initial=0.0))
        if far >= _COUNT_ROOM:
            raise InternalError("Counts are too large for noise on so fine a grid.")

        def rest(place: int) -> tuple[Fraction, int]:
            """What is beyond the whole steps is decided on with all digits: the square of the number itself."""
            return Fraction(int(flat[place]) ** 2, int(under[place])) / grid**2, -1 if flat[place] < 0 else 1

        whole = np.rint(near).astype(np.int64)
        # four operations in doubles, each of which is off by 2^−53 of the number at most
        noisy = self._round_all(whole, near - whole, far * 2.0**-50, variance / grid**2, rest, exact=True)
        return noisy.reshape(numbers.shape)

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

    def several(self, scores: Counts, rate: Fraction, number: int) -> Counts:
        """Different indices chosen one after the other by the exponential mechanism."""
        with self._stream.lock:
            return choose_several(scores, rate, number, self._stream)

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

    def _round_all(
        self,
        whole: Counts,
        fraction: npt.NDArray[np.float64],
        slack: float,
        variance: Fraction,
        exactly: Callable[[int], tuple[Fraction, int]],
        *,
        exact: bool = False,
    ) -> Counts:
        """Roundings of whole + fraction + noise, where doubles leave no doubt; else of what `exactly` says.

        That is the square of a number's size, and its sign: beyond `whole` or, with `exact`, in place of it.
        """
        out, done, stream, cells = np.empty_like(whole), 0, self._stream, normal_cells()
        if gaussian_level(variance).scale >= _COUNT_ROOM**2:
            raise OptionError(_TOO_SMALL)
        deviation = math.sqrt(variance)
        kernel = _kernels.add_gaussian if deviation < _DOUBLES_ROOM else _leave_to_digits
        with stream.lock:
            while done < whole.size:
                done, stream.position, status = kernel(
                    whole, fraction, slack, out, done, deviation, *cells, stream.buffer, stream.position
                )
                if status == _kernels.OUT_OF_WORDS:
                    stream.refill()
                elif status == _kernels.UNCERTAIN:
                    square, sign = exactly(done)
                    noise = round_up_close(stream.next(), variance, stream, square=square, sign=sign)
                    noisy = noise if exact else int(whole[done]) + noise
                    if abs(noisy) >= _COUNT_ROOM:
                        raise OptionError(_TOO_SMALL)
                    out[done] = noisy
                    done += 1
        return out

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
        """Refused: OpenDP's Gaussian is discrete, which costs more than a rounded one (proof.md, section 1)."""
        raise OptionError(_NO_DELTA)

    def gaussian_on_grid(self, numbers: Counts, squares: Counts, variance: Fraction, grid: Fraction) -> Counts:
        """Refused, as above."""
        raise OptionError(_NO_DELTA)

    def together(self, tables: Sequence[Counts], decay: Fraction, *, balanced: bool) -> list[Counts]:
        """Tables plus noise of one draw; OpenDP has none of this shape."""
        return self._choices.together(tables, decay, balanced=balanced)

    def permute_and_flip(self, scores: Counts, rate: Fraction) -> int:
        """Index chosen by permute-and-flip."""
        return self._choices.permute_and_flip(scores, rate)

    def exponential(self, scores: Counts, rate: Fraction) -> int:
        """Index chosen by the exponential mechanism."""
        return self._choices.exponential(scores, rate)

    def several(self, scores: Counts, rate: Fraction, number: int) -> Counts:
        """Different indices chosen one after the other by the exponential mechanism."""
        return self._choices.several(scores, rate, number)

    def _add(self, make: Any, metric: Any, counts: Counts, scale: float) -> Counts:
        domain = self._domains.vector_domain(self._domains.atom_domain(T="i64"))
        noisy = make(domain, metric, scale=scale)(np.asarray(counts).reshape(-1).tolist())
        return np.array(noisy, dtype=np.int64).reshape(counts.shape)


def refuse_discrete_gaussian(noise: Noise, *, pure: bool) -> None:
    """Refuse OpenDP's noise for a run with a δ, before anything is charged.

    >>> refuse_discrete_gaussian(make_noise(), pure=False)
    """
    if isinstance(noise, OpenDPNoise) and not pure:
        raise OptionError(_NO_DELTA)


def _leave_to_digits(whole: Counts, *arguments: Any) -> tuple[int, int, int]:
    """In place of the kernel: every rounding is uncertain."""
    done, words, position = arguments[3], arguments[-2], arguments[-1]
    return done, position, _kernels.UNCERTAIN if position < len(words) else _kernels.OUT_OF_WORDS


def _double_above(number: Fraction) -> float:
    double = float(number)
    return double if Fraction(double) >= number else math.nextafter(double, math.inf)
