"""Round numbers, at which people cut: a bin that begins at one is cut by fewer of the questions that come later."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

STEPS: tuple[int, ...] = tuple(
    part * 10**power for power in range(19) for part in (1, 2, 5) if part * 10**power < 2**63
)
"""Steps that people count in."""
HEAP_STEPS: tuple[int, ...] = tuple(
    sorted({part * 10**power for power in range(19) for part in (1, 5, 25) if part * 10**power < 2**63})
)
"""Steps to whose multiples people round what they tell: one beyond another is always a multiple of 1, 5 or 25."""


def round_at(points: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """How round each number is: the place in 1, 2, 5, 10, 20, 50, … of the last that divides it.

    >>> round_at(np.array([7, 8, 25, 30, 2000, 0])).tolist()
    [0, 1, 2, 3, 10, 56]
    """
    found = np.zeros(len(points), dtype=np.int64)
    for place, step in enumerate(STEPS):
        found[points % step == 0] = place
    return found
