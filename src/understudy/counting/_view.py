"""How rows are looked at: each attribute made from one of theirs, by a lookup of its codes."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from understudy.counting._batch import Axes
from understudy.counting._rows import Rows
from understudy.schema import Codes, Domain, Recoding

Lookup = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class View:
    """Attributes as they are asked for, and what each is made from; however many recodings lie between, one lookup.

    >>> from understudy.schema import Attribute, recode
    >>> domain = Domain((Attribute(name="sex", size=2), Attribute(name="age", size=3)))
    >>> view = View.of(domain).recoded(recode(domain, "binary"))
    >>> [(source, lookup.tolist()) for source, lookup in view.made_from]
    [(0, [0, 1]), (1, [0, 0, 1]), (1, [0, 1, 0])]
    >>> staged = np.empty(2, dtype=np.uint8)
    >>> view.rows(Rows((np.array([1, 0]), np.array([2, 1])), 2)).stage(2, Axes.of(view.domain), 0, staged)
    >>> staged.tolist()
    [0, 1]
    """

    domain: Domain
    made_from: tuple[tuple[int, Lookup], ...]
    """For each attribute the one of the rows that it is made from, and what each of its codes becomes."""

    @classmethod
    def of(cls, domain: Domain) -> View:
        """The rows as they are."""
        return cls(domain, tuple((a, np.arange(attribute.size)) for a, attribute in enumerate(domain)))

    def recoded(self, recoding: Recoding) -> View:
        """The same rows through one more public map of the codes."""
        made = []
        for part in recoding.parts:
            source, lookup = self.made_from[part.source]
            made.append((source, np.asarray(part.lookup, dtype=np.int64)[lookup]))
        return View(recoding.target, tuple(made))

    def sources(self, attributes: Collection[int]) -> set[int]:
        """The attributes of the rows that these are made from."""
        return {self.made_from[a][0] for a in attributes}

    def rows(self, rows: Rows) -> Rows:
        """Some rows as they are looked at. Nothing is copied: codes are mapped where kernels take them in anyway."""
        return replace(rows, lookups=self)

    def along(self, axis: int, axes: Axes) -> tuple[int, Codes | None]:
        """The column of the rows that an axis is made from, and how; None where codes stay what they are."""
        if axis not in self._found:
            source, lookup = self.made_from[axes.attribute[axis]]
            codes = axes.lookup(axis)[lookup]
            self._found[axis] = source, None if np.array_equal(codes, np.arange(len(codes))) else codes
        return self._found[axis]

    @cached_property
    def _found(self) -> dict[int, tuple[int, Codes | None]]:
        return {}
