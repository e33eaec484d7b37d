"""The forms of transition matrices: what each is for, and the exact matrix that it comes to."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm

from understudy._core.errors import OptionError, did_you_mean
from understudy._core.numbers import exact_text
from understudy.randomize._matrix import LARGEST_DENOMINATOR, LARGEST_MATRIX, Matrix, Response, TransitionMatrix
from understudy.randomize._odds import odds_below, short_epsilon

_BITS = 40  # of the weight of each other value: γ is lower than e^ε by one part in 2⁴⁰ at most
_INVARIANT = 1 << 60  # what the weights of an invariant matrix's rows add up to
_FINE = 1 << 160  # parts of an invariant matrix are worked out to this fineness


def response_within(size: int, epsilon: Fraction) -> Response:
    """Randomised response with γ ≤ e^ε, and as near to it as fractions that can be drawn exactly allow.

    Each other value gets the weight 2^m, the true one ⌊e^ε·2^m⌋, from a lower bound of e^ε; of ε, 12 digits count.

    >>> response_within(2, Fraction(1)).amplification <= odds_below(Fraction(1))
    True
    """
    if epsilon <= 0:
        raise OptionError(f"epsilon must be above 0. Got {exact_text(epsilon)}: nothing could be learnt.")
    odds = odds_below(short_epsilon(epsilon))
    each = 1 << min(_BITS, int(LARGEST_DENOMINATOR / (odds + size - 1)).bit_length() - 1)
    kept = int(odds * each)
    return Response(size, Fraction(kept, kept + (size - 1) * each))


def response_of_odds(size: int, gamma: Fraction) -> Response:
    """Randomised response of a given γ: the true value is γ times as likely as each other one.

    >>> response_of_odds(3, Fraction(14, 3)).other
    Fraction(3, 20)
    """
    if gamma <= 1:
        raise OptionError(f"gamma must be above 1. Got {gamma}: at 1 nothing could be learnt.")
    return Response(size, gamma / (gamma + size - 1))


def response_to_others(size: int, p: Fraction) -> Response:
    """Randomised response in which each other value has probability p. A column with one value is left as it is.

    >>> response_to_others(3, Fraction(15, 100)).keep
    Fraction(7, 10)
    """
    if p < 0 or (size - 1) * p > 1:
        raise OptionError(
            f"p is the probability of each other value: with {size:,} values it is from 0 to 1/{max(size - 1, 1):,}. "
            f"Got {p}."
        )
    return Response(size, 1 - (size - 1) * p)


def uneven(size: int, first: Fraction, second: Fraction) -> TransitionMatrix:
    """Two probabilities p1/p2: of two values, how often each flips; of three, of the next value and the one after.

    >>> uneven(2, Fraction(1, 10), Fraction(1, 4)).amplification
    Fraction(15, 2)
    >>> uneven(3, Fraction(1, 10), Fraction(1, 20)).amplification
    Fraction(17, 1)
    """
    for p in (first, second):
        if not 0 <= p <= 1:
            raise OptionError(f"p1/p2 are probabilities, from 0 to 1. Got {p}.")
    if size == 1:
        return Response(1, Fraction(1))
    if size == 2:
        return Matrix(((1 - first, first), (second, 1 - second)))
    if size == 3:
        if first + second > 1:
            raise OptionError(f"of three values, p1 + p2 is at most 1. Got {first + second}.")
        row = (1 - first - second, first, second)
        return Matrix(tuple(row[-shift:] + row[:-shift] for shift in range(3)))
    raise OptionError(f"p1/p2 are for two or three values, and there are {size:,}. Give one p, or the whole matrix.")


def block_diagonal(labels: Sequence[str], groups: Sequence[Sequence[str]], p: Fraction) -> TransitionMatrix:
    """A value becomes each other one of its own group with probability p, and never one of another group.

    >>> block_diagonal("abcd", ["ab", "cd"], Fraction(1, 5)).weights(2)
    (0, 0, 4, 1)
    """
    group_of: dict[str, int] = {}
    for number, group in enumerate(groups):
        for label in group:
            if label not in labels:
                raise OptionError(f"groups name a value '{label}' that is not declared. {did_you_mean(label, labels)}")
            if label in group_of:
                raise OptionError(f"value '{label}' is in the groups twice. Put it in one.")
            group_of[label] = number
    if missing := [label for label in labels if label not in group_of]:
        listed = ", ".join(f"'{label}'" for label in missing[:8]) + (", …" if len(missing) > 8 else "")
        raise OptionError(f"the groups leave out {listed}. Put every declared value in one, alone if need be.")
    if len(labels) > LARGEST_MATRIX:
        raise OptionError(f"groups are for at most {LARGEST_MATRIX:,} values. The column has {len(labels):,}.")
    if len(groups) == 1:
        return response_to_others(len(labels), p)
    members = [[code for code, label in enumerate(labels) if group_of[label] == g] for g in range(len(groups))]
    rows = [[Fraction(0)] * len(labels) for _ in labels]
    for group_members in members:
        inside = response_to_others(len(group_members), p)
        for code in group_members:
            for other in group_members:
                rows[code][other] = inside.keep if other == code else inside.other
    return Matrix(tuple(map(tuple, rows)))


def invariant_matrix(counts: Sequence[Fraction | int], keep: Fraction) -> Matrix:
    """Two-step invariant PRAM (Gouweleeuw and others 1998): R = P·P*, by which shares π stay as they are: πR = π.

    P is randomised response that keeps with probability `keep`; P* leads back by Bayes' rule, as if shares were π.
    What is kept in all is less than `keep`. A value that nobody has counts as if one had it: it could not be un-mixed
    else. Entries are rounded to fractions of 2⁶⁰, and each row still adds up to 1. In R's sdcMicro, `pram` keeps at
    least `pd` in the first step, at random, where `keep` is exact here; its `alpha` then mixes R with the identity
    (alpha·R + (1 − alpha)·I), and 1 is what this is.

    >>> matrix = invariant_matrix([600, 300, 100], Fraction(4, 5))
    >>> published = [sum(n * matrix.rows[true][to] for true, n in enumerate([600, 300, 100])) for to in range(3)]
    >>> [round(float(n), 12) for n in published]
    [600.0, 300.0, 100.0]
    """
    size = len(counts)
    if size > LARGEST_MATRIX:
        raise OptionError(f"an invariant matrix is for at most {LARGEST_MATRIX:,} values. There are {size:,}.")
    step = Response(size, keep)
    scale = lcm(*(Fraction(count).denominator for count in counts))
    shares = [int(count * scale) if count else scale for count in counts]
    total = sum(shares)
    # R[k, l] = π[l]·Σ_m P[k, m]·P[l, m]/λ[m] with λ = πP, and P = a·I + b·J, so the sum is
    # b²·Σ 1/λ[m] + a·b/λ[k] + a·b/λ[l] (+ a²/λ[k] if k = l). In whole numbers: fractions would grow without end.
    arrivals = [step.strength * share + step.other * total for share in shares]
    cross = [int(step.strength * step.other / arrival * _FINE) for arrival in arrivals]
    spread = sum(int(step.other**2 / arrival * _FINE) for arrival in arrivals)
    rows = []
    for k, arrival in enumerate(arrivals):
        through = [spread + cross[k] + back for back in cross]
        through[k] += int(step.strength**2 / arrival * _FINE)
        weights = [share * part for share, part in zip(shares, through, strict=True)]
        rows.append(tuple(Fraction(weight, _INVARIANT) for weight in apportioned(weights, _INVARIANT)))
    return Matrix(tuple(rows))


def apportioned(weights: Sequence[int], total: int) -> list[int]:
    """Whole numbers in proportion to the weights that add up to `total`: the largest remainders are rounded up.

    >>> apportioned([1, 1, 1], 10)
    [4, 3, 3]
    """
    whole = sum(weights)
    parts = [divmod(weight * total, whole) for weight in weights]
    found = [part for part, _ in parts]
    for i in sorted(range(len(parts)), key=lambda i: (-parts[i][1], i))[: total - sum(found)]:
        found[i] += 1
    return found
