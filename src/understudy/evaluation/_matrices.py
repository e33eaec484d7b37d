"""One number for every pair of columns, in both tables: what a heat map shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class AssociationMatrices:
    """How strongly each pair of columns hangs together, in the order of `names`. Private.

    NaN where that is not defined, and on the diagonal of what was left out.

    >>> one = AssociationMatrices(name="Spearman", names=("age",), real=np.ones((1, 1)), synthetic=np.zeros((1, 1)))
    >>> one.difference.tolist()
    [[-1.0]]
    """

    name: str
    names: tuple[str, ...]
    real: Floats
    synthetic: Floats

    def __post_init__(self) -> None:
        self.real.setflags(write=False)
        self.synthetic.setflags(write=False)

    @property
    def difference(self) -> Floats:
        """Synthetic minus real."""
        return self.synthetic - self.real

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {
            "measure": self.name,
            "columns": list(self.names),
            "real": self.real.tolist(),
            "synthetic": self.synthetic.tolist(),
        }
