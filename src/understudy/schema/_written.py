"""Values as people write them in a schema: `01`, `1.50`, `yes` and `2020-01-01` keep their text.

Plain YAML would read them as 1, 1.5, true and a date, and a category `01` would never match the table again. Here a
number remembers how it was written, and the field's type decides which of the two is meant.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

import numpy as np


class WrittenInt(int):
    """A whole number that remembers how it was written, such as `01`."""

    text: str


class WrittenFloat(float):
    """A number that remembers how it was written, such as `1.50`."""

    text: str


def written_text(value: Any) -> str:
    """A scalar as the text a table would hold.

    >>> from understudy.schema._yaml import read_yaml
    >>> written_text(True), written_text(1.5), written_text("x"), written_text(read_yaml("1.50"))
    ('true', '1.5', 'x', '1.50')
    """
    if isinstance(value, WrittenInt | WrittenFloat):
        return value.text
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def plain(value: Any, *, as_text: bool = False) -> Any:
    """The same content as JSON can hold it, without memory of how numbers were written; as texts if `as_text`.

    >>> from understudy.schema._yaml import read_yaml
    >>> plain([read_yaml("01")]), plain([read_yaml("01")], as_text=True), plain((date(2023, 12, 31), np.int64(3)))
    ([1], ['01'], ['2023-12-31', 3])
    """
    if isinstance(value, WrittenInt | WrittenFloat):
        if as_text:
            return value.text
        return int(value) if isinstance(value, WrittenInt) else float(value)
    if as_text and isinstance(value, float):
        return str(value)  # YAML would write 1e+16 as 1.0e+16, which is another text
    if isinstance(value, np.generic | np.ndarray):
        return plain(value.tolist(), as_text=as_text)
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(v, as_text=as_text) for v in value]
    if isinstance(value, Mapping):
        return {written_text(k): plain(v, as_text=as_text or k == "label") for k, v in value.items()}
    if isinstance(value, date | datetime):
        return value.isoformat()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
