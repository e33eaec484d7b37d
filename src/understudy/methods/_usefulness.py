"""θ-usefulness: how large a table may be before its noise drowns it (Lemma 4.8 and section 5.2 of PrivBayes).

A table is θ-useful if its average cell, n / cells, is at least θ times the noise's mean size. That depends on
public quantities alone (the domain, n, the budget), so nothing is spent on it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from understudy.privacy import NoiseLevel
from understudy.schema import Domain

NoiseFor = Callable[[Fraction], NoiseLevel]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableLimits:
    """How large tables may be. `degree` fixes the number of parents (Algorithm 2); else `cells` bounds each table.

    >>> TableLimits(degree=None, cells=100).room_for_parents(7)
    14
    """

    degree: int | None
    cells: int

    def room_for_parents(self, child_size: int) -> int:
        """Most configurations the parents of a child of this size may have."""
        return self.cells // child_size


# No table has more cells than this, whatever the budget would allow: half a gigabyte of counts.
LARGEST_TABLE = 1 << 26


def largest_useful_table(n: int, noise: NoiseLevel, theta: Fraction) -> int:
    """Most cells a θ-useful table may have.

    >>> largest_useful_table(1000, NoiseLevel(kind="laplace", scale=Fraction(10)), Fraction(4))
    25
    """
    useful = n / (theta * noise.mean_abs) if noise.mean_abs > 0 else float(n)
    return int(min(useful, LARGEST_TABLE))


def useful_degree(domain: Domain, n: int, theta: Fraction, share: Fraction, noise_for: NoiseFor) -> int:
    """The largest k for which d − k tables over k + 1 binary attributes are θ-useful; 0 if none is (Lemma 4.8).

    >>> from understudy.schema import Attribute
    >>> domain = Domain(tuple(Attribute(name=str(i), size=2) for i in range(16)))
    >>> noise_for = lambda share: NoiseLevel(kind="laplace", scale=2 / share)     # ε = 1, replace-one
    >>> useful_degree(domain, 21_574, Fraction(4), Fraction(7, 10), noise_for)
    6
    """
    d = len(domain)
    fits = [k for k in range(1, d) if 2 ** (k + 1) <= largest_useful_table(n, noise_for(share / (d - k)), theta)]
    return max(fits, default=0)
