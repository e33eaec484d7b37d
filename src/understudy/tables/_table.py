"""Tables of codes: what a private table looks like once its values are encoded."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from understudy._core.errors import TableError
from understudy.schema import Codes, Domain


@dataclass(frozen=True, eq=False)
class Table:
    """Rows as one read-only column of codes per attribute, each in the narrowest unsigned type its domain allows.

    A column that already has that type is kept as it is, not copied.

    >>> from understudy.schema import Attribute
    >>> table = Table(Domain((Attribute(name="sex", size=2),)), (np.array([0, 1, 1]),))
    >>> table.n, table.columns[0].dtype.name
    (3, 'uint8')
    """

    domain: Domain
    columns: tuple[Codes, ...]

    def __post_init__(self) -> None:
        if len(self.columns) != len(self.domain):
            raise TableError(
                f"columns given: {len(self.columns)}; attributes that the domain declares: {len(self.domain)}. "
                "Give one column of codes for each attribute."
            )
        columns, faults = [], []
        for attribute, column in zip(self.domain, self.columns, strict=True):
            fault = _fault(attribute.size, column)
            if fault:
                faults.append(f"column '{attribute.name}': {fault}")
            elif len(column) != len(self.columns[0]):
                faults.append(f"column '{attribute.name}' is not as long as column '{self.domain[0].name}'.")
            else:
                columns.append(_narrowed(column, attribute.size))
        if faults:
            raise TableError(*faults)
        object.__setattr__(self, "columns", tuple(columns))

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.columns[0]) if self.columns else 0


def code_type(size: int) -> np.dtype[np.unsignedinteger]:
    """The narrowest unsigned type for codes 0 … size − 1.

    >>> code_type(256).name, code_type(257).name
    ('uint8', 'uint16')
    """
    return np.dtype(np.uint8 if size <= 1 << 8 else np.uint16 if size <= 1 << 16 else np.uint32)


def _narrowed(column: npt.NDArray[np.generic], size: int) -> Codes:
    narrow = np.ascontiguousarray(column, dtype=code_type(size)).view()
    narrow.setflags(write=False)
    return narrow


def _fault(size: int, column: npt.NDArray[np.generic]) -> str | None:
    """What is wrong with a column of codes, if anything; never a code that was read."""
    if column.ndim != 1 or column.dtype.kind not in "ui":
        return "codes must be a one-dimensional array of integers."
    if len(column) and (column.min() < 0 or column.max() >= size):
        return f"it holds codes outside 0 to {size - 1}. Encode it with the schema it belongs to."
    return None
