"""Tables that nothing was tuned on, made when they are first asked for: from a package's data, or drawn from a seed."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np

from benchmarks._data import write_codes
from benchmarks._made import binary_table, mixed_table
from benchmarks._peers import problem_with
from benchmarks.peers.setup import BENCH, PEERS

FOLDER = BENCH / "unseen"
TITLES = {
    "flights": "flights, 13 columns of up to 3,323 values, 336,776 rows",
    "military": "military, 6 columns, 1,414,593 rows",
    "diamonds": "diamonds, 10 mixed columns, 53,940 rows",
    "abortion": "a questionnaire (GSS), 17 columns, 64,814 rows",
    "caravan": "caravan, 86 columns of categories, 5,822 rows",
    "loans": "loans, 53 mixed columns, 10,000 rows",
    "binary500": "made: 500 binary columns, 100,000 rows",
    "mixed48": "made: 48 mixed columns, three of 1,300 values, 50,000 rows",
}
MADE = {
    "binary500": lambda: binary_table(100_000, 500, seed=7),
    "mixed48": lambda: mixed_table(50_000, seed=7),
}


def table_path(name: str) -> Path:
    """The table's file, made if it is not there; its schema is beside it."""
    path = FOLDER / f"{name}.csv"
    if not path.exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        _draw(name) if name in MADE else _take()
    return path


def schema_path(name: str) -> Path:
    """The schema of a table that has been made."""
    return FOLDER / f"{name}.schema.json"


def _draw(name: str) -> None:
    columns, schema = MADE[name]()
    schema_path(name).write_text(json.dumps(schema))
    names = tuple(field["name"] for field in schema["fields"])
    write_codes(FOLDER / f"{name}.csv", names, np.stack([column.astype(np.int64) for column in columns], axis=1))


def _take() -> None:
    problem = problem_with("tables")
    if problem is not None:
        raise FileNotFoundError(f"the package with the tables cannot be installed: {problem}")
    script = Path(__file__).parent / "peers" / PEERS["tables"].script
    subprocess.run([PEERS["tables"].python, script, "--out", FOLDER], check=True)
