"""The forms of transition matrices, how they are asked for, and what is refused."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy import UserError
from understudy.randomize import Matrix, Response, TransitionMatrix, invariant_matrix, make_block
from understudy.randomize._forms import response_within
from understudy.randomize._matrix import LARGEST_DENOMINATOR
from understudy.randomize._odds import epsilon_above, epsilon_below, odds_below
from understudy.schema import Schema


def columns(*sizes: int) -> list[Any]:
    fields = [{"name": f"c{i}", "categories": [f"v{j}" for j in range(size)]} for i, size in enumerate(sizes)]
    return list(Schema.from_dict({"fields": fields}).fields)


def matrix_of(asked: Any, *sizes: int) -> TransitionMatrix:
    found = make_block(columns(*sizes), asked).matrix
    assert found is not None
    return found


@given(st.fractions(min_value="1/1000", max_value=40, max_denominator=10**6), st.integers(2, 1 << 22))
def test_the_odds_of_an_epsilon_never_exceed_it(epsilon: Fraction, size: int) -> None:
    """By exact arithmetic: γ is compared with e^ε from its series, summed in fractions until the rest is known."""
    response = response_within(size, epsilon)
    gamma = response.amplification
    assert gamma is not None
    assert response.denominator <= LARGEST_DENOMINATOR
    assert gamma <= series_below(epsilon)
    assert math.log(gamma) >= float(epsilon) - 1e-6 * min(1, float(epsilon)) - 1e-12 * float(epsilon)
    charged = epsilon_above(gamma)
    assert charged is not None
    assert charged <= epsilon


def series_below(epsilon: Fraction) -> Fraction:
    """A partial sum of the exponential series is below e^ε; this one by less than a part in 2^60."""
    total, term, n = Fraction(1), Fraction(1), 0
    while term * 10**25 > total or n < 3 * epsilon:
        n += 1
        term = Fraction(math.floor(term * epsilon / n * 2**200), 2**200)
        total += term
    return total * (1 + Fraction(1, 10**20))


@pytest.mark.parametrize("written", ["1.1", "0.5", "0.7", "1", "2", "0.05", "4", "12.25"])
@pytest.mark.parametrize("size", [2, 9, 4096])
def test_what_is_charged_is_at_most_the_epsilon_that_was_asked_for(written: str, size: int) -> None:
    charged = epsilon_above(matrix_of(f"epsilon={written}", size).amplification)
    assert charged is not None
    assert Fraction(written) - Fraction(1, 10**9) <= charged <= Fraction(written)


@given(st.fractions(min_value=1, max_value=10**9, max_denominator=10**9))
def test_logarithms_are_rounded_to_their_sides(gamma: Fraction) -> None:
    above, below = epsilon_above(gamma), epsilon_below(gamma)
    with localcontext() as context:
        context.prec = 40
        true = Fraction((Decimal(gamma.numerator) / Decimal(gamma.denominator)).ln())
    assert above is not None
    assert below - Fraction(1, 10**30) <= true <= above + Fraction(1, 10**30)
    assert above - below <= Fraction(1, 10**9)
    if gamma > 1:
        assert odds_below(min(below, Fraction(40))) <= gamma


def test_the_formulas_of_the_forms() -> None:
    assert matrix_of("gamma=3", 2) == Response(2, Fraction(3, 4))
    assert matrix_of("p=1/4", 2) == Response(2, Fraction(3, 4))
    assert matrix_of({"p": 0.15}, 3) == Response(3, Fraction(7, 10))
    assert matrix_of("p=0.1/0.25", 2) == Matrix.of([["0.9", "0.1"], ["0.25", "0.75"]])
    assert matrix_of({"p": [0.1, "1/4"]}, 2) == matrix_of("p=1/10 1/4", 2)
    assert matrix_of("p=0.1/0.05", 3) == Matrix.of(
        [["0.85", "0.1", "0.05"], ["0.05", "0.85", "0.1"], ["0.1", "0.05", "0.85"]]
    )
    assert matrix_of("groups=v0 v2|v1; p=0.2", 3) == Matrix.of([["0.8", 0, "0.2"], [0, 1, 0], ["0.2", 0, "0.8"]])
    assert matrix_of("none", 3).unchanged
    assert matrix_of("matrix=0.9 0.1|0.3 0.7", 2) == Matrix.of([["0.9", "0.1"], ["0.3", "0.7"]])
    assert matrix_of(np.array([[0.9, 0.1], [0.3, 0.7]]), 2) == Matrix.of([["0.9", "0.1"], ["0.3", "0.7"]])


@pytest.mark.parametrize("asked", ["epsilon=1", "gamma=3", "p=0.3", "p=0.1/0.2", "invariant=0.8", "matrix=1|1", "none"])
def test_a_column_with_one_value_is_left_as_it_is(asked: str) -> None:
    assert matrix_of(asked, 1) == Response(1, Fraction(1))


@pytest.mark.parametrize("size", [2, 3, 10, 60])
@pytest.mark.parametrize("keep", ["0.8", "0.3", "1"])
def test_an_invariant_matrix_leaves_shares_as_they_are(size: int, keep: str) -> None:
    counts = [(7 * i * i) % 101 + 1 for i in range(size)]
    matrix = invariant_matrix(counts, Fraction(keep))
    assert matrix.denominator <= LARGEST_DENOMINATOR
    for to in range(size):
        published = sum(n * matrix.rows[true][to] for true, n in enumerate(counts))
        assert abs(published - counts[to]) <= sum(counts) * Fraction(1, 2**59)
    # the definition, as two matrices in doubles: P, and the way back by Bayes' rule
    step = Response(size, Fraction(keep)).dense
    shares = np.array(counts) / sum(counts)
    back = (shares[:, None] * step).T / (shares @ step)[:, None]
    np.testing.assert_allclose(matrix.dense, step @ back, atol=1e-13)


def test_an_invariant_matrix_can_be_unmixed_where_nobody_has_a_value() -> None:
    assert invariant_matrix([1000, 0, 500], Fraction(4, 5)).invertible


@pytest.mark.parametrize(
    ("asked", "sizes", "words"),
    [
        ("p=0.5", (2,), "singular"),
        ("p=1/3", (3,), "singular"),
        ("p=0.3/0.7", (2,), "singular"),
        ("p=0.4999999999", (2,), "singular, or so near to it"),
        ("matrix=0.5 0.5|0.5 0.5", (2,), "singular"),
        ("invariant=1/3", (3,), "singular"),
        ("matrix=0.9 0.2|0.3 0.7", (2,), "row 1 of the matrix adds up to 1.1"),
        ("matrix=1/3 1/3 1/3|1 0 0", (3,), "2 rows, and there are 3 values"),
        ("matrix=0.9 0.1|0.3 0.7", (3,), "2 rows, and there are 3 values"),
        ("matrix=1.1 -0.1|0 1", (2,), "below 0"),
        ("matrix=a b|c d", (2,), "needs a number"),
        ("matrix=no-such.csv", (2,), "there is no matrix file"),
        ("p=0.6", (3,), "from 0 to 1/2"),
        ("p=0.1/0.2", (4,), "for two or three values"),
        ("p=0.7/0.4", (3,), "p1 . p2 is at most 1"),
        ("p=2/1.5", (2,), "from 0 to 1"),
        ("p=0.1 0.2 0.3", (3,), "one probability or two"),
        ("p=0.1234567890123456789012", (2,), "too many digits"),
        ("gamma=1", (2,), "gamma must be above 1"),
        ("epsilon=0", (2,), "epsilon must be above 0"),
        ("epsilon=-1", (2,), "epsilon must be above 0"),
        ("epsilon=50", (2,), "more than 40"),
        ("epsilon=nan", (2,), "needs a number"),
        ("epsilon=1; gamma=2", (2,), "exactly one of"),
        ("epsilon", (2,), "cannot be read as a matrix"),
        ("", (2,), "exactly one of"),
        ("epsilom=1", (2,), "Did you mean 'epsilon'"),
        ("groups=v0|v1; epsilon=1", (2,), "goes with p"),
        ("groups=v0 v1|v2; p=0.1", (4,), "leave out 'v3'"),
        ("groups=v0 v1|v1; p=0.1", (2,), "twice"),
        ("groups=v0|w; p=0.1", (2,), "'w' that is not declared"),
        ("groups=v0 v1|v2 v3; p=0.1", (2, 2), "values of one column"),
        ("invariant=0.8; distribution=0.5 0.4", (2,), "add up to 1"),
        ("invariant=0.8; distribution=0 1", (2,), "shares above 0"),
        ("invariant=1.2", (2,), "from 0 to 1"),
        ({"p": None}, (2,), "needs a number"),
        ({"groups": 3, "p": 0.1}, (2,), "lists of values"),
        ({"matrix": 3}, (2,), "list of rows"),
        ([["0.9", "0.1"], 3], (2,), "list of rows"),
    ],
)
def test_what_makes_no_sense_is_told_in_a_sentence(asked: Any, sizes: tuple[int, ...], words: str) -> None:
    with pytest.raises(UserError, match=words) as caught:
        make_block(columns(*sizes), asked)
    assert str(caught.value).startswith("c0")


def test_labels_with_blanks_are_quoted() -> None:
    fields = [{"name": "x", "categories": ["far away", "near; by", "c"]}]
    block = make_block(Schema.from_dict({"fields": fields}).fields, "groups='far away' c|\"near; by\"; p=0.2")
    assert block.matrix == Matrix.of([["0.8", 0, "0.2"], [0, 1, 0], ["0.2", 0, "0.8"]])


WANTED = Matrix.of([["0.8", "0.1", "0.1"], ["0.2", "0.7", "0.1"], ["0.05", "0.15", "0.8"]])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("m.csv", "0.8,0.1,0.1\n0.2,0.7,0.1\n0.05,0.15,0.8\n"),
        ("m.csv", "0.8;0.1;0.1\n\n0.2;0.7;0.1\n0.05;0.15;0.8\n"),
        ("m.csv", "v0,v1,v2\n0.8,0.1,0.1\n0.2,0.7,0.1\n0.05,0.15,0.8\n"),
        ("m.csv", ",v2,v0,v1\nv1,0.1,0.2,0.7\nv0,0.1,0.8,0.1\nv2,0.8,0.05,0.15\n"),
        ("m.csv", "v2,0.8,0.15,0.05\nv1,0.1,0.7,0.2\nv0,0.1,0.1,0.8\n"),
        ("m.yaml", "[[0.8, 0.1, 1/10], [0.2, 0.7, 0.1], [0.05, 0.15, 0.8]]"),
        ("m.yaml", "{v2: [0.8, 0.15, 0.05], v1: [0.1, 0.7, 0.2], v0: [0.1, 0.1, 0.8]}"),
        ("m.json", '{"v0": {"v0": 0.8, "v2": 0.1, "v1": 0.1}, "v1": [0.2, 0.7, 0.1], "v2": [0.05, 0.15, 0.8]}'),
    ],
)
def test_a_matrix_is_read_from_a_file_and_put_in_the_declared_order(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    block = make_block(columns(3), f"matrix={path}")
    assert block.matrix == WANTED
    assert block.asked == f"matrix={name}"


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("m.csv", b"v0,v1,w\n0.8,0.1,0.1\n0.2,0.7,0.1\n0.05,0.15,0.8\n", "labels of the matrix"),
        ("m.csv", b"0.8,0.1\n0.2,0.7,0.1\n0.05,0.15,0.8\n", "row 1 of the matrix has 2 entries"),
        ("m.csv", b"v0,v1,v2\n0.8,0.1\n0.2,0.7,0.1\n0.05,0.15,0.8\n", "does not have 3 entries"),
        ("m.csv", b"\xff\xfe\x00", "not UTF-8"),
        ("m.csv", b"", "0 rows"),
        ("m.yaml", b"3", "list of rows"),
        ("m.yaml", b"{v0: 1, v1: 2}", "rows"),
        ("m.json", b"[[", "not valid YAML"),
    ],
)
def test_a_matrix_file_that_is_none_is_told_in_a_sentence(tmp_path: Path, name: str, data: bytes, words: str) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(UserError, match=words):
        make_block(columns(3), f"matrix={path}")
