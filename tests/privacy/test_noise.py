"""Every sampler against its exact distribution; a wrong twin at 0.7 and 1.3 of the scale must be caught.

Seeds are fixed, so results repeat. For a fresh seed each "fits" test would fail with probability FALSE_ALARM.
"""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.audit_tools import categories_p_value, fit_p_value, gaussian_pmf, laplace_pmf
from tests.privacy.small import PlainCounter, binary
from understudy._core.errors import InternalError, OptionError
from understudy._core.randomness import SeededBytes
from understudy.privacy import ExactNoise, OpenDPNoise, _integers, make_budget, make_noise, open_curator
from understudy.privacy._levels import LAPLACE_ROOM, gaussian_level, laplace_level
from understudy.privacy._rounded import round_up_close
from understudy.privacy._word_stream import WordStream

FALSE_ALARM = 1e-4
N = 60_000
LAPLACE = [Fraction(1, 5), Fraction(2, 3), Fraction(1), Fraction(7, 2), Fraction(40), Fraction(123_457, 1_000)]
GAUSSIAN = [Fraction(1, 9), Fraction(1, 2), Fraction(1), Fraction(10, 3), Fraction(400), Fraction(54_321, 10)]


class FixedWords:
    """The same endless sequence of words, however it is cut into blocks."""

    private = False

    def __init__(self, seed: int) -> None:
        self._words = SeededBytes(seed).words(400_000)
        self._used = 0

    def words(self, count):
        self._used += count
        assert self._used <= len(self._words)
        return self._words[self._used - count : self._used]


def zeros(n=N):
    return np.zeros(n, dtype=np.int64)


@pytest.mark.parametrize("scale", LAPLACE, ids=str)
def test_laplace_noise_has_its_exact_distribution(scale):
    assert fit_p_value(ExactNoise(SeededBytes(11)).laplace(zeros(), scale), laplace_pmf(float(scale))) > FALSE_ALARM


@pytest.mark.parametrize("factor", [Fraction(7, 10), Fraction(13, 10)], ids=str)
@pytest.mark.parametrize("scale", LAPLACE, ids=str)
def test_laplace_noise_of_a_wrong_scale_is_caught(scale, factor):
    wrong = ExactNoise(SeededBytes(12)).laplace(zeros(), scale * factor)
    assert fit_p_value(wrong, laplace_pmf(float(scale))) < FALSE_ALARM


@pytest.mark.parametrize("variance", GAUSSIAN, ids=str)
def test_gaussian_noise_has_its_exact_distribution(variance):
    values = ExactNoise(SeededBytes(13)).gaussian(zeros(), variance)
    assert fit_p_value(values, gaussian_pmf(float(variance))) > FALSE_ALARM


@pytest.mark.parametrize("factor", [Fraction(49, 100), Fraction(169, 100)], ids=str)
@pytest.mark.parametrize("variance", GAUSSIAN, ids=str)
def test_gaussian_noise_of_a_wrong_scale_is_caught(variance, factor):
    wrong = ExactNoise(SeededBytes(14)).gaussian(zeros(), variance * factor)
    assert fit_p_value(wrong, gaussian_pmf(float(variance))) < FALSE_ALARM


def test_far_tails_come_as_often_as_they_should():
    # 2 million draws at scale 2: beyond 24 lie 2·10^6 · 2e^{-12.5}/(1+e^{-1/2}) ≈ 9.3; Poisson tails at 10^-4: 1 … 24
    values = ExactNoise(SeededBytes(15)).laplace(zeros(2_000_000), Fraction(2))
    expected = 2_000_000 * 2 * math.exp(-12.5) / (1 + math.exp(-0.5))
    assert expected == pytest.approx(9.28, abs=0.01)
    assert 1 <= (abs(values) > 24).sum() <= 24


@pytest.mark.parametrize(
    ("x", "y"), [(0, 1), (1, 1), (1, 3), (999, 1000), ((1 << 62) - 5, 1 << 62), (1 << 61, 1 << 62)]
)
def test_the_kernel_and_python_flip_the_same_coins(x, y):
    from understudy.privacy import _kernels

    words = SeededBytes(3).words(20_000)
    stream = WordStream(FixedWords(3))
    position, heads = 0, 0
    for _ in range(2_000):
        hit, position = _kernels.flip_exp_fraction(np.uint64(x), np.uint64(y), words, position)
        assert bool(hit) == _integers.flip_exp_fraction(x, y, stream)
        heads += hit
    exact = math.exp(-x / y)
    assert abs(heads - 2_000 * exact) <= 4.5 * math.sqrt(2_000 * exact * (1 - exact))


def draws(kind, parameter, block, n=400):
    noise = ExactNoise(SeededBytes(0))
    noise._stream = WordStream(FixedWords(5), block=block)
    return getattr(noise, kind)(zeros(n), parameter)


@pytest.mark.parametrize(
    ("kind", "parameter"), [("laplace", Fraction(9, 4)), ("laplace", Fraction(40)), ("gaussian", Fraction(7, 3))]
)
def test_where_a_block_of_words_ends_changes_nothing(kind, parameter):
    whole = draws(kind, parameter, 100_000)
    for block in (1, 2, 7, 64):
        assert (draws(kind, parameter, block) == whole).all()


@given(scale=st.fractions(min_value=Fraction(1, 50), max_value=10**6, max_denominator=10**6), seed=st.integers(0, 9))
@settings(max_examples=60)
def test_laplace_kernel_equals_its_slow_twin_word_for_word(scale, seed):
    noise = ExactNoise(SeededBytes(0))
    noise._stream = WordStream(FixedWords(seed))
    stream = WordStream(FixedWords(seed))
    slow = [_integers.draw_laplace(scale.numerator, scale.denominator, stream) for _ in range(50)]
    assert noise.laplace(zeros(50), scale).tolist() == slow


@given(variance=st.fractions(min_value=Fraction(1, 50), max_value=10**9, max_denominator=10**6), seed=st.integers(0, 9))
@settings(max_examples=60)
def test_gaussian_kernel_equals_its_slow_twin_word_for_word(variance, seed):
    noise = ExactNoise(SeededBytes(0))
    noise._stream = WordStream(FixedWords(seed))
    stream = WordStream(FixedWords(seed))
    slow = [round_up_close(stream.next(), variance, stream, square=Fraction(0), sign=1) for _ in range(50)]
    assert noise.gaussian(zeros(50), variance).tolist() == slow


@given(scale=st.fractions(min_value=Fraction(1, 10**15), max_value=10**14, max_denominator=10**30))
def test_scales_are_only_ever_rounded_up_and_by_a_hair(scale):
    used = laplace_level(scale).scale
    assert used >= scale
    assert laplace_level(used).scale == used
    assert used < LAPLACE_ROOM or used == scale
    if scale >= Fraction(1, LAPLACE_ROOM - 1) and scale < 1 << 20:
        assert used <= scale * (1 + Fraction(1, 1 << 37))
        assert max(used.numerator, used.denominator) < LAPLACE_ROOM


@given(variance=st.fractions(min_value=Fraction(1, 10**6), max_value=10**18, max_denominator=10**30))
def test_variances_are_never_rounded(variance):
    assert gaussian_level(variance).scale == variance


@pytest.mark.parametrize("scale", [Fraction(1 << 41), Fraction((1 << 45) + 1, 3)], ids=str)
def test_scales_beyond_the_kernels_are_drawn_in_python_integers(scale):
    values = ExactNoise(SeededBytes(21)).laplace(zeros(3_000), scale)
    # the absolute value of a Laplace over its scale is exponential: quartiles at ln(4/3), ln 2, ln 4
    cells = np.searchsorted([math.log(4 / 3), math.log(2), math.log(4)], abs(values) / float(scale))
    assert categories_p_value(np.bincount(cells, minlength=4).tolist(), [0.25] * 4) > FALSE_ALARM


@pytest.mark.parametrize("variance", [Fraction(1 << 54), Fraction(1 << 100)], ids=str)
def test_variances_beyond_the_kernels_are_drawn_with_more_digits(variance):
    values = ExactNoise(SeededBytes(22)).gaussian(zeros(3_000), variance) / math.sqrt(variance)
    inside = [int((abs(values) < 0.6744897501960817).sum())]
    assert categories_p_value([inside[0], 3_000 - inside[0]], [0.5, 0.5]) > FALSE_ALARM


def test_noise_that_would_not_fit_64_bits_is_refused():
    with pytest.raises(OptionError, match="exceed 64 bits"):
        ExactNoise(SeededBytes(1)).laplace(zeros(20), Fraction(1 << 62))
    with pytest.raises(OptionError, match="exceed 64 bits"):
        ExactNoise(SeededBytes(1)).gaussian(zeros(20), Fraction(1 << 126))


@pytest.mark.parametrize("scale", [Fraction(0), Fraction(-1)])
def test_a_scale_of_zero_or_less_is_never_drawn_from(scale):
    for add in (make_noise(seed=1).laplace, make_noise(seed=1).gaussian):
        with pytest.raises(InternalError, match="above 0"):
            add(zeros(1), scale)


def test_counts_keep_their_shape_and_large_counts_do_not_overflow():
    counts = np.full((2, 3), 1 << 52, dtype=np.int64)
    noisy = make_noise(seed=4).laplace(counts, Fraction(5))
    assert noisy.shape == (2, 3)
    assert (abs(noisy - counts) < 1_000).all()
    assert make_noise(seed=4).gaussian(zeros(0), Fraction(5)).size == 0


def test_a_seed_repeats_the_noise_and_the_system_does_not():
    assert (
        make_noise(seed=9).laplace(zeros(50), Fraction(9)) == make_noise(seed=9).laplace(zeros(50), Fraction(9))
    ).all()
    assert (make_noise().laplace(zeros(50), Fraction(9)) != make_noise().laplace(zeros(50), Fraction(9))).any()


def test_noise_from_another_source_is_refused_with_a_sentence():
    with pytest.raises(OptionError, match="must be 'exact' or 'opendp'"):
        make_noise("numpy")
    with pytest.raises(OptionError, match="cannot be seeded"):
        make_noise("opendp", seed=3)


def test_opendp_draws_from_the_same_distributions():
    # OpenDP cannot be seeded, so this one test may fail by chance, with probability 2·10^-9
    noise = make_noise("opendp")
    assert isinstance(noise, OpenDPNoise)
    assert noise.private
    assert fit_p_value(noise.laplace(zeros(20_000), Fraction(7, 3)), laplace_pmf(7 / 3)) > 1e-9
    assert noise.permute_and_flip(np.array([0, 10_000]), Fraction(1)) == 1
    assert noise.exponential(np.array([0, 10_000]), Fraction(1)) == 1


def test_opendp_is_refused_where_there_is_a_delta():
    noise = make_noise("opendp")
    with pytest.raises(OptionError, match="must have a pure budget"):
        noise.gaussian(zeros(3), Fraction(2))
    with pytest.raises(OptionError, match="must have a pure budget"):
        noise.gaussian_on_grid(zeros(3), zeros(3) + 2, Fraction(2), Fraction(1))
    counter = PlainCounter(binary(2), [(0, 1)] * 3)
    with pytest.raises(OptionError, match="must have a pure budget"):
        open_curator(counter, budget=make_budget(1, "1e-9"), noise=noise)


def test_opendp_and_ours_agree_cell_by_cell():
    ours = Counter(ExactNoise(SeededBytes(31)).laplace(zeros(20_000), Fraction(3, 2)).tolist())
    theirs = Counter(make_noise("opendp").laplace(zeros(20_000), Fraction(3, 2)).tolist())
    # each difference has standard deviation at most √(2·20,000·¼) = 100; 8 of them leave 1 in 10^15
    assert all(abs(ours[x] - theirs[x]) < 800 for x in range(-9, 10))


def test_noise_levels_know_their_moments():
    for level, pmf in (
        (laplace_level(Fraction(5, 2)), laplace_pmf(2.5)),
        (gaussian_level(Fraction(9, 4)), gaussian_pmf(2.25)),
        (gaussian_level(Fraction(900)), gaussian_pmf(900)),
        (gaussian_level(Fraction(1, 16)), gaussian_pmf(0.0625)),
        (gaussian_level(Fraction(24)), gaussian_pmf(24)),
        (gaussian_level(Fraction(26)), gaussian_pmf(26)),
    ):
        assert level.mean_abs == pytest.approx(sum(abs(x) * pmf(x) for x in range(-500, 501)), rel=1e-5)
        assert level.variance == pytest.approx(sum(x * x * pmf(x) for x in range(-500, 501)), rel=1e-6)
