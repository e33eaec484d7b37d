"""Numbers as they are told: exactly, and as people write them."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy._core.numbers import exact_number, exact_text


@pytest.mark.parametrize(
    ("number", "text"),
    [
        ("1.5", "1.5"),
        ("0.05", "0.05"),
        ("-2.25", "-2.25"),
        ("1000000", "1000000"),
        ("0", "0"),
        ("22/7", "22/7"),
        ("0.000000001", "1e-9"),
        ("0.0000125", "1.25e-5"),
    ],
)
def test_amounts_are_told_in_decimals_where_they_have_them(number: str, text: str) -> None:
    assert exact_text(Fraction(number)) == text


@given(number=st.one_of(st.fractions(), st.decimals(allow_nan=False, allow_infinity=False).map(Fraction)))
def test_what_is_told_is_the_number_itself(number: Fraction) -> None:
    if abs(number) < 10**100 and number.denominator < 10**90:
        assert exact_number(exact_text(number)) == number
