"""How large a benchmark table is, for the tables in which papers describe their data."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil, log2
from pathlib import Path
from typing import Any

from research._data import load


def sizes(params: Mapping[str, Any], seed: int, folder: Path) -> dict[str, float]:
    """Rows and columns of `dataset`; as `domain`, the logarithm to base 2 of how many rows are possible; and as `bits`,
    how long a row is if each column is written with whole bits, as the binary encoding does.

    There is no chance in it, so that the seed does not matter.
    """
    table = load(params["dataset"], folder).table
    each = [log2(attribute.size) for attribute in table.domain]
    return {
        "rows": float(table.n),
        "columns": float(len(each)),
        "domain": sum(each),
        "bits": float(sum(map(ceil, each))),
    }
