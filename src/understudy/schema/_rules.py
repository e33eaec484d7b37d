"""What is declared to hold in every row, as codes: public, and carried by a domain to whoever can keep it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Flags: TypeAlias = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Zeros:
    """Which cells of a table over some attributes, in rising order, are possible at all; `text` says why.

    >>> Zeros((0, 1), np.array([[True, True], [False, True]]), "first ≤ last").possible.sum()
    np.int64(3)
    """

    attributes: tuple[int, ...]
    possible: Flags
    text: str = ""

    def __post_init__(self) -> None:
        if self.possible.ndim != len(self.attributes) or tuple(sorted(set(self.attributes))) != self.attributes:
            raise ValueError("structural zeros are a table over attributes in rising order")
        self.possible.setflags(write=False)

    @property
    def scope(self) -> tuple[int, ...]:
        """The attributes it is about."""
        return self.attributes


@dataclass(frozen=True)
class FollowsFrom:
    """That each combination of some attributes' codes goes with one code of another. Which one is not public.

    >>> FollowsFrom((2, 0), 1, "ward × site → town").scope
    (0, 1, 2)
    """

    by: tuple[int, ...]
    attribute: int
    text: str = ""

    def __post_init__(self) -> None:
        if not self.by or len({*self.by, self.attribute}) != len(self.by) + 1:
            raise ValueError("an attribute follows from one or several others, each named once")

    @property
    def scope(self) -> tuple[int, ...]:
        """The attributes it is about, in rising order."""
        return tuple(sorted((*self.by, self.attribute)))


@dataclass(frozen=True)
class NotInCodes:
    """A rule that no table of codes can say: it would be too large, or codes do not tell.

    >>> NotInCodes((0, 1), "left ≤ arrived").scope
    (0, 1)
    """

    scope: tuple[int, ...]
    text: str = ""


Rule: TypeAlias = Zeros | FollowsFrom | NotInCodes
