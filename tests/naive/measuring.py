"""What measures are made of, by dictionaries and fractions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction


def naive_number_keys(keys: Sequence[int]) -> list[int]:
    """Each key's number, in order of first appearance."""
    numbers: dict[int, int] = {}
    return [numbers.setdefault(key, len(numbers)) for key in keys]


def naive_share_differences(a: Sequence[int], b: Sequence[int], n: int, m: int) -> tuple[Fraction, Fraction]:
    """Σ |a/n − b/m| and Σ (a/n − b/m)²."""
    differences = [Fraction(x, n) - Fraction(y, m) for x, y in zip(a, b, strict=True)]
    return sum(map(abs, differences), Fraction(0)), sum((d * d for d in differences), Fraction(0))
