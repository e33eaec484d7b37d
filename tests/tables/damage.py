"""Reads damaged Parquet and Arrow files, in a process of its own: python -m tests.tables.damage FIRST LAST.

Prints what became of each kind of file, as JSON. A reader that is not careful dies here, and takes no other test along.
"""

from __future__ import annotations

import io
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

from understudy import Schema, TableError
from understudy.tables import check_table, draft_schema, read_table

_ROWS = 120
TABLE = pa.table(
    {
        "text": [f"v{i % 7}" for i in range(_ROWS)],
        "large": pa.array([f"x{i % 5}" for i in range(_ROWS)], pa.large_string()),
        "coded": pa.array([f"c{i % 3}" for i in range(_ROWS)]).dictionary_encode(),
        "whole": list(range(_ROWS)),
        "part": [i / 3 if i % 5 else None for i in range(_ROWS)],
        "yes": [i % 2 == 0 for i in range(_ROWS)],
        "time": pa.array(range(_ROWS), pa.timestamp("us")),
        "sum": pa.array([Decimal(i) / 4 for i in range(_ROWS)], pa.decimal128(10, 2)),
    }
)
SCHEMA = Schema.from_dict(
    {
        "fields": [
            {"name": "text", "categories": [f"v{i}" for i in range(7)]},
            {"name": "large", "categories": [f"x{i}" for i in range(5)]},
            {"name": "coded", "categories": ["c0", "c1", "c2"]},
            {"name": "whole", "type": "integer", "bins": 4, "constraints": {"minimum": 0, "maximum": _ROWS}},
            {
                "name": "part", "type": "number", "bins": 4,
                "constraints": {"minimum": 0, "maximum": _ROWS, "required": False},
            },
            {"name": "yes", "type": "boolean"},
            {
                "name": "time", "type": "datetime", "bins": 4,
                "constraints": {"minimum": "1970-01-01T00:00:00", "maximum": "1970-01-02T00:00:00"},
            },
            {"name": "sum", "type": "number", "bins": 4, "constraints": {"minimum": 0, "maximum": _ROWS}},
        ]
    }
)  # fmt: skip

ACTS: tuple[Callable[[Path], object], ...] = (
    lambda path: read_table(path, SCHEMA),
    lambda path: check_table(path, SCHEMA),
    draft_schema,
)


def whole_files() -> dict[str, bytes]:
    """The same table in every format, by file name."""
    found = {}
    for packing in ("uncompressed", "lz4"):
        data = io.BytesIO()
        pyarrow.feather.write_feather(TABLE, data, compression=packing, chunksize=50)
        found[f"{packing}.feather"] = data.getvalue()
    data = io.BytesIO()
    with pa.ipc.new_stream(data, TABLE.schema) as stream:
        stream.write_table(TABLE, 50)
    found["stream.arrow"] = data.getvalue()
    for packing in ("none", "snappy"):
        data = io.BytesIO()
        pyarrow.parquet.write_table(TABLE, data, compression=packing, row_group_size=50)
        found[f"{packing}.parquet"] = data.getvalue()
    return found


def damaged(whole: bytes, seed: int) -> bytes:
    """The file cut off, with a piece missing, or with some bytes changed; its first stay, by which it is known."""
    rng, data = np.random.default_rng(seed), bytearray(whole)
    where = int(rng.integers(8, len(data)))
    how = rng.random()
    if how < 0.2:
        return bytes(data[:where])
    if how < 0.3:
        del data[where : where + int(rng.integers(1, 64))]
        return bytes(data)
    for place in rng.integers(8, len(data), size=rng.choice([1, 2, 8, 64])).tolist():
        if rng.random() < 0.5:
            data[place] ^= 1 << int(rng.integers(8))
        else:
            data[place : place + 4] = bytes(rng.choice([0, 127, 255], size=len(data[place : place + 4])).tolist())
    return bytes(data)


def _outcome(act: Callable[[Path], object], path: Path) -> str:
    try:
        act(path)
    except TableError:
        return "refused"
    except Exception as error:  # whatever it is, it is to be counted
        return f"{type(error).__name__}: {error}"
    return "read"


def outcomes(first: int, last: int) -> dict[str, dict[str, int]]:
    """For each kind of file, how many of its damaged copies were read or refused, or raised anything else."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, whole in whole_files().items():
            seen: Counter[str] = Counter()
            path = Path(folder, name)
            for seed in range(first, last):
                path.write_bytes(damaged(whole, seed))
                seen.update(_outcome(act, path) for act in ACTS)
            found[name] = dict(seen)
    return found


if __name__ == "__main__":
    print(json.dumps(outcomes(int(sys.argv[1]), int(sys.argv[2]))))
