"""Of very many pairs of two-valued columns, those worth measuring: chosen privately, all in one go."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from understudy.privacy import Curator, FarthestParities
from understudy.schema import Domain

Floats = npt.NDArray[np.float64]
Pair = tuple[int, int]

FEW_PAIRS = 300
"""All of so many are measured."""
CHOOSING_SHARE = Fraction(8, 100)

_FOR_EACH_COLUMN, _MOST = 12, 12_000
_PARTS = 16  # of a row: guesses are rounded to them


def how_many(domain: Domain) -> int:
    """Pairs to choose among those of the columns that vary; 0 if all are to be measured.

    >>> from understudy.schema import Attribute
    >>> [how_many(Domain(tuple(Attribute(name=str(i), size=2) for i in range(d)))) for d in (25, 26, 500, 2000)]
    [0, 312, 6000, 12000]
    """
    varied = sum(attribute.size > 1 for attribute in domain)
    return 0 if math.comb(varied, 2) <= FEW_PAIRS else min(_FOR_EACH_COLUMN * varied, _MOST)


def screen(
    curator: Curator, varied: list[int], means: Floats, total: float, *, number: int, share: Fraction
) -> list[Pair]:
    """So many different pairs, likelier those whose parity is far from what independent columns would have.

    `means` are those of the columns' parities, between −1 and 1, as they came out; `total` the number of rows.
    """
    first, second = np.triu_indices(len(varied), 1)
    scale = _PARTS * curator.terms.unit.parts
    guesses = np.rint(means[first] * means[second] * total * scale).astype(np.int64)
    columns = np.array(varied, dtype=np.int64)
    question = FarthestParities(
        first=columns[first],
        second=columns[second],
        guesses=guesses,
        number=min(number, len(first)),
        scale=_PARTS,
        what="choosing relations",
    )
    chosen = np.sort(curator.ask(question, share=share))
    return list(zip(columns[first[chosen]].tolist(), columns[second[chosen]].tolist(), strict=True))
