"""How rows are looked at: each attribute made from one of theirs, by a lookup of its codes."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from understudy.counting import _kernels as kernels
from understudy.counting._rows import Rows
from understudy.schema import Codes, Domain, Recoding
from understudy.tables import code_type

Lookup = npt.NDArray[np.int64]
_NOTHING = np.empty(0, dtype=np.uint8)


@dataclass(frozen=True, eq=False)
class View:
    """Attributes as they are asked for, and what each is made from; however many recodings lie between, one lookup.

    >>> from understudy.schema import Attribute, recode
    >>> domain = Domain((Attribute(name="sex", size=2), Attribute(name="age", size=3)))
    >>> view = View.of(domain).recoded(recode(domain, "binary"))
    >>> [(source, lookup.tolist()) for source, lookup in view.made_from]
    [(0, [0, 1]), (1, [0, 0, 1]), (1, [0, 1, 0])]
    >>> rows = Rows((np.array([1, 0]), np.array([2, 1])), 2)
    >>> [column.tolist() for column in view.rows(rows, [0, 2]).columns]
    [[1, 0], [], [0, 1]]
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

    def rows(self, rows: Rows, attributes: Collection[int]) -> Rows:
        """Some rows as they are looked at; columns that are not among these attributes are empty."""
        columns: list[Codes] = [_NOTHING] * len(self.domain)
        for a in attributes:
            codes, lookup = rows.columns[self.made_from[a][0]], self._narrow[a]
            if lookup is None:
                columns[a] = codes
            else:
                columns[a] = np.empty(len(codes), dtype=lookup.dtype)
                kernels.look_up(lookup, codes, columns[a])
        return Rows(tuple(columns), rows.n, rows.weights)

    @cached_property
    def _narrow(self) -> tuple[Codes | None, ...]:
        """The lookups as narrow codes; None where codes stay what they are."""
        return tuple(
            None if np.array_equal(lookup, np.arange(len(lookup))) else lookup.astype(code_type(attribute.size))
            for (_, lookup), attribute in zip(self.made_from, self.domain, strict=True)
        )
