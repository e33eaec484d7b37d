"""Every kernel of noise and choice against its slow twin: the same words give the same results, to the last word."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.naive import noise as naive
from tests.naive.noise import Words
from understudy._core.randomness import SeededBytes
from understudy.privacy import _kernels
from understudy.privacy._rounded import normal_cells

# words as they come, and those near the ends, where rejection and its rounding happen
EDGES = st.one_of(st.integers(0, 5), st.integers(2**64 - 5, 2**64 - 1), st.sampled_from([2**32, 2**63, 2**63 - 1]))
word_lists = st.builds(
    lambda first, seed, size: (first + SeededBytes(seed).words(300).tolist())[:size],
    st.lists(EDGES, max_size=6),
    st.integers(0, 10**6),
    st.one_of(st.just(300), st.integers(0, 20)),
)
small = st.integers(1, 2**20)


def wide(bits):
    """Numbers of up to so many bits, all alike likely: Hypothesis itself prefers the small ones of a range."""
    return st.integers(0, 10**6).map(lambda seed: max(1, int(SeededBytes(seed).words(1)[0]) >> (64 - bits)))


def u(*numbers):
    return tuple(np.uint64(number) for number in numbers)


def arrays(words):
    return np.array(words, dtype=np.uint64)


def slow(draw, words):
    """A draw with the position behind it, or the status that kernels report instead."""
    stream = Words(words)
    try:
        return draw(stream), stream.position
    except naive.Ended:
        return None, naive.OUT_OF_WORDS
    except naive.GaveUp:
        return None, naive.GAVE_UP


def same(fast, expected):
    value, position = fast
    assert position == expected[1]
    assert position < 0 or int(value) == int(expected[0])


@given(m=st.one_of(small, wide(64), st.just(2**63)), words=word_lists)
def test_a_uniform_number_is_its_twins(m, words):
    same(_kernels.below(*u(m), arrays(words), 0), slow(lambda w: naive.naive_below(m, w), words))


# from 2^62 on, the second round has no room for y·k in 63 bits
@given(y=st.one_of(small, wide(63)), part=st.fractions(0, 1), words=word_lists)
def test_a_flip_by_a_fraction_is_its_twins(y, part, words):
    x = int(y * part)
    same(_kernels.flip_exp_fraction(*u(x, y), arrays(words), 0), slow(lambda w: naive.naive_flip(x, y, w), words))


@given(words=word_lists)
def test_a_flip_by_one_is_its_twins(words):
    same(_kernels.flip_exp_one(arrays(words), 0), slow(naive.naive_flip_one, words))


@given(steps=st.integers(0, 6), words=word_lists)
def test_a_flip_by_steps_is_its_twins(steps, words):
    expected = slow(lambda w: naive.naive_flip_steps(steps, w), words)
    same(_kernels.flip_exp_steps(*u(steps), arrays(words), 0), expected)


@given(t=st.one_of(small, wide(40)), s=st.one_of(small, wide(40)), words=word_lists)
def test_laplace_noise_is_its_twins(t, s, words):
    same(_kernels.draw_laplace(*u(t, s), arrays(words), 0), slow(lambda w: naive.naive_laplace(t, s, w), words))


@given(counts=st.lists(st.integers(-(2**40), 2**40), max_size=30), seed=st.integers(0, 10**6), size=st.integers(0, 900))
def test_noisy_counts_are_their_twins_also_where_words_run_out(counts, seed, size):
    words = SeededBytes(seed).words(size)
    out = np.zeros(len(counts), dtype=np.int64)
    found = _kernels.add_laplace(np.array(counts, dtype=np.int64), out, 0, *u(7, 3), words, 0)
    done, position, status = naive.naive_noisy(lambda w: naive.naive_laplace(7, 3, w), counts, Words(words))
    assert found == (len(done), position, status)
    assert out[: len(done)].tolist() == done


variances = st.one_of(
    st.fractions(min_value=Fraction(1, 100), max_value=10, max_denominator=1000),
    st.fractions(min_value=10, max_value=10**12, max_denominator=1000),
)


@given(
    variance=variances,
    parts=st.lists(st.fractions(min_value=Fraction(-1, 2), max_value=Fraction(1, 2), max_denominator=64), max_size=8),
    seed=st.integers(0, 10**6),
    first=st.lists(EDGES, max_size=3),
    size=st.integers(0, 12),
)
@settings(max_examples=60)
def test_rounded_noise_is_its_twins_wherever_it_is_certain(variance, parts, seed, first, size):
    words = arrays((first + SeededBytes(seed).words(20).tolist())[:size])
    out, whole = np.zeros(len(parts), dtype=np.int64), np.arange(len(parts), dtype=np.int64)
    done, position, status = _kernels.add_gaussian(
        whole, np.array([float(part) for part in parts]), 0.0, out, 0, math.sqrt(variance), *normal_cells(), words, 0
    )
    assert done == position  # a word for each
    stream = Words([*words.tolist(), *SeededBytes(seed + 1).words(40).tolist()])
    slow = [i + naive.naive_rounded(part, variance, stream) for i, part in enumerate(parts[:done])]
    assert stream.position == position
    assert out[:done].tolist() == slow
    if done < len(parts):
        assert status == (_kernels.OUT_OF_WORDS if position == len(words) else _kernels.UNCERTAIN)


@pytest.mark.parametrize("z", [0.001, 0.3, 0.99, 1.7, 2.5, 3.3, 4.9, 6.0, 7.2, 7.99])
def test_the_error_of_doubles_is_below_its_bound(z):
    """With σ = 2^40 a rounding tells z to 2^−41: words around the place are decided on as the twin does, or left."""
    decided = 0
    for variance in (Fraction(1 << 60), Fraction(1 << 80)):
        tail = int(naive.naive_tail(Fraction(z)) * (1 << 64))
        for word in [tail + step for step in range(-3, 4)]:
            out = np.zeros(1, dtype=np.int64)
            done, *_ = _kernels.add_gaussian(
                out.copy(), np.zeros(1), 0.0, out, 0, math.sqrt(variance), *normal_cells(), arrays([word]), 0
            )
            decided += done
            if done:
                assert out[0] == naive.naive_rounded(Fraction(0), variance, Words([word]))
    assert decided > 0 or z > 3


rates = st.tuples(st.one_of(small, wide(62)), st.one_of(small, wide(62)))
gaps = st.one_of(st.integers(0, 40), wide(64))


@given(gap=gaps, rate=rates, words=word_lists)
def test_a_flip_by_a_gap_is_its_twins(gap, rate, words):
    expected = slow(lambda w: naive.naive_flip_gap(gap, *rate, w), words)
    same(_kernels.flip_gap(*u(gap, *rate), arrays(words), 0), expected)


@given(
    scores=st.lists(st.integers(0, 60), min_size=1, max_size=12),
    rate=st.tuples(st.integers(1, 40), st.integers(1, 40)),
    seed=st.integers(0, 10**6),
    size=st.integers(0, 300),
)
def test_choices_are_their_twins_also_where_words_run_out(scores, rate, seed, size):
    below = [max(scores) - score for score in scores]
    words, array = SeededBytes(seed).words(size), np.array(below, dtype=np.uint64)
    order = np.arange(len(below))
    winner, left, position, status = _kernels.permute_and_flip(array, order, len(below), *u(*rate), words, 0)
    found = (winner, order[:left].tolist(), position, status)
    assert found == naive.naive_permute_and_flip(below, list(range(len(below))), *rate, Words(words))
    assert _kernels.exponential(array, *u(*rate), words, 0) == naive.naive_exponential(below, *rate, Words(words))


def test_a_choice_that_accepts_nobody_gives_up_as_its_twin_does():
    words = SeededBytes(1).words(500)
    order = np.arange(2)
    found = _kernels.permute_and_flip(arrays([400, 400]), order, 2, *u(1, 1), words, 0)
    expected = naive.naive_permute_and_flip([400, 400], [0, 1], 1, 1, Words(words))
    assert (found[0], found[2], found[3]) == (expected[0], expected[2], naive.GAVE_UP)
