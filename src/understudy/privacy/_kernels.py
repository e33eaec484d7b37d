"""Exact samplers over 64-bit words, in 64-bit integers; in doubles with a proven error where it says so.

Every kernel reads `words` from `position` on. A draw that runs out of words reports the position where that draw
*began*, and nothing of it is kept; the caller appends fresh words behind the old ones and calls again. So a result is
a function of the infinite word sequence alone, and where one buffer ends cannot bias it (proof.md, section 3).

Parameters are bounded by the callers: see `_noise.py` and `_selection.py`. `position` −1 means "out of words", −2
"gave up": an event of probability below e^−500, upon which the callers raise.
"""

# mypy: allow-untyped-defs
from __future__ import annotations

import numpy as np

from understudy._core.compiling import kernel

_ZERO = np.uint64(0)
_ONE = np.uint64(1)
_WIDE = np.uint64(1 << 63)
_LAST = np.uint64((1 << 64) - 1)
OUT_OF_WORDS = -1
GAVE_UP = -2
_MOST_STEPS = 1 << 20  # of a geometric variable; e^−2^20
UNCERTAIN = -3
_BELOW_TOP = np.uint64((1 << 63) - 1)
_CELLS_PER_UNIT = 64
_GUIDED = 53
_ROUNDINGS = 2.0**-50  # of the last few operations in doubles


@kernel()
def below(m, words, position):
    """A uniform integer in 0 … m − 1, by rejection: (integer, next position)."""
    while position < words.shape[0]:
        word = words[position]
        position += 1
        # the first 2^64 mod m words are refused, so that a multiple of m is left; a word of m or more is never one
        if word >= m or word >= (_LAST % m + _ONE) % m:
            return word % m, position
    return _ZERO, OUT_OF_WORDS


@kernel()
def flip_exp_fraction(x, y, words, position):
    """True with probability exp(−x/y), for 0 ≤ x ≤ y < 2^63 (Canonne, Kamath, Steinke 2020, Algorithm 1)."""
    k = _ONE
    while True:
        if y < _WIDE // k:
            draw, position = below(y * k, words, position)
            hit = draw < x
        else:  # y·k has no room: true with probability 1/k and x/y, each on its own
            draw, position = below(k, words, position)
            hit = draw == _ZERO
            if hit and position >= 0:
                draw, position = below(y, words, position)
                hit = draw < x
        if position < 0:
            return False, position
        if not hit:
            return (k & _ONE) == _ONE, position
        k += _ONE


@kernel()
def flip_exp_one(words, position):
    """True with probability 1/e. The first round of the algorithm always succeeds, so it starts at the second."""
    k = np.uint64(2)
    while True:
        draw, position = below(k, words, position)
        if position < 0:
            return False, position
        if draw != _ZERO:
            return (k & _ONE) == _ONE, position
        k += _ONE


@kernel()
def flip_exp_steps(steps, words, position):
    """True with probability exp(−steps), for a whole number of steps."""
    while steps > _ZERO:
        hit, position = flip_exp_one(words, position)
        if position < 0 or not hit:
            return False, position
        steps -= _ONE
    return True, position


@kernel()
def draw_laplace(t, s, words, position):
    """A discrete Laplace integer, probability ∝ exp(−|x|·s/t), for t, s < 2^40 (Algorithm 2)."""
    while True:
        u, position = below(t, words, position)
        if position < 0:
            return 0, position
        hit, position = flip_exp_fraction(u, t, words, position)
        if position < 0:
            return 0, position
        if not hit:
            continue
        steps = 0
        while True:
            hit, position = flip_exp_one(words, position)
            if position < 0:
                return 0, position
            if not hit:
                break
            steps += 1
            if steps > _MOST_STEPS:
                return 0, GAVE_UP
        size = np.int64((u + t * np.uint64(steps)) // s)
        sign, position = below(np.uint64(2), words, position)
        if position < 0:
            return 0, position
        if sign == _ZERO:
            return size, position
        if size != 0:  # minus zero is refused, or zero would come twice as often as it should
            return -size, position


@kernel()
def add_laplace(counts, out, done, t, s, words, position):
    """Fill `out[done:]` with counts plus noise: (how many are done, position, status)."""
    while done < counts.shape[0]:
        noise, after = draw_laplace(t, s, words, position)
        if after < 0:
            return done, position, after
        out[done] = counts[done] + noise
        done += 1
        position = after
    return done, position, 0


@kernel()
def add_gaussian(
    whole, fraction, slack, out, done, deviation, bounds, guide, centres, slopes, powers, errors, words, position
):
    """Fill `out[done:]` with roundings of whole + fraction + σz: (how many are done, position, status).

    Floating point, with a bound on its error (proof.md, section 3.4): a rounding that is not certain is UNCERTAIN, and
    left to the caller, with nothing of its word used up.
    """
    last = bounds.shape[0] - 1
    while done < whole.shape[0]:
        if position >= words.shape[0]:
            return done, position, OUT_OF_WORDS
        word = words[position]
        tail = np.int64(word & _BELOW_TOP)
        if tail < bounds[last]:
            return done, position, UNCERTAIN
        leading = tail >> _GUIDED
        cell, end = guide[leading + 1], guide[leading] + 1
        while end - cell > 1:  # bounds[cell] > tail ≥ bounds[end]
            middle = (cell + end) >> 1
            if tail < bounds[middle]:
                cell = middle
            else:
                end = middle
        step = (np.float64(centres[cell] - tail) - 0.5) * slopes[cell]
        z = 0.0
        for k in range(powers.shape[1] - 1, -1, -1):
            z = (z + powers[cell, k]) * step
        z += (cell + 0.5) / _CELLS_PER_UNIT
        negative = word > _BELOW_TOP
        part = -fraction[done] if negative else fraction[done]
        near = part + deviation * z + 0.5
        rounded = np.floor(near)
        margin = deviation * errors[cell] + slack + (abs(near) + 1.0) * _ROUNDINGS
        if near - rounded <= margin or rounded + 1.0 - near <= margin:
            return done, position, UNCERTAIN
        out[done] = whole[done] + (-np.int64(rounded) if negative else np.int64(rounded))
        done += 1
        position += 1
    return done, position, 0


@kernel()
def flip_gap(gap, p, q, words, position):
    """True with probability exp(−gap·p/q), for p, q ≤ 2^62.

    gap·p/q is split into a whole part and a remainder by long division over the bits of `gap`, as the product may
    need 128 bits. A whole part of 2^62 or more is left at 2^62: no sequence of words is that lucky.
    """
    whole_p, rest_p = p // q, p % q
    whole = _ZERO
    rest = _ZERO
    most = np.uint64(1 << 60)
    for bit in range(63, -1, -1):
        if whole >= most:
            break
        whole = whole + whole
        rest = rest + rest
        if rest >= q:
            rest -= q
            whole += _ONE
        if (gap >> np.uint64(bit)) & _ONE:
            whole += whole_p
            rest += rest_p
            if rest >= q:
                rest -= q
                whole += _ONE
    hit, position = flip_exp_steps(whole, words, position)
    if position < 0 or not hit:
        return False, position
    return flip_exp_fraction(rest, q, words, position)


@kernel()
def permute_and_flip(gaps, order, left, p, q, words, position):
    """Look at candidates in random order until one is accepted: (winner or −1, how many are left, position, status).

    `order[:left]` holds those not yet looked at; a candidate is drawn from it, and swapped out when refused.
    """
    while left > 0:
        pick, after = below(np.uint64(left), words, position)
        if after < 0:
            return -1, left, position, after
        candidate = order[np.int64(pick)]
        hit, after = flip_gap(gaps[candidate], p, q, words, after)
        if after < 0:
            return -1, left, position, after
        position = after
        if hit:
            return candidate, left, position, 0
        left -= 1
        order[np.int64(pick)] = order[left]
    return -1, left, position, GAVE_UP


@kernel()
def exponential(gaps, p, q, words, position):
    """Draw candidates uniformly until one is accepted: (winner or −1, position, status)."""
    while True:
        pick, after = below(np.uint64(gaps.shape[0]), words, position)
        if after < 0:
            return -1, position, after
        hit, after = flip_gap(gaps[np.int64(pick)], p, q, words, after)
        if after < 0:
            return -1, position, after
        position = after
        if hit:
            return np.int64(pick), position, 0
