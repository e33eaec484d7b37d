"""What it brings to ask how many rows lie at round numbers, and what it costs columns that nobody rounded.

    python -m benchmarks.heaps --seeds 61 62 63 64 65 66

The figures of `benchmarks.numbers`, with the question and without it; `benchmarks/peers/make_numbers.py` makes the
tables.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from unittest import mock

from benchmarks.numbers import MADE, ROUND, declared, line, run, tables

ASKED = "understudy.numbers._resolve.may_have_heaps"


def main() -> None:
    """Two lines for each table and kind of range."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, nargs="+", default=[61, 62, 63])
    parser.add_argument("--tables", type=Path, default=MADE)
    parser.add_argument("--only", nargs="+", default=ROUND)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    print("table    range             KS      mean    median  sd      spike", flush=True)
    for name, (table, schema) in tables(asked.tables).items():
        for wide in (False, True) if name in asked.only else ():
            given = declared(schema, wide=wide, even=False)
            runs = [run(table, given, epsilon="1", seed=seed) for seed in asked.seeds]
            with mock.patch(ASKED, return_value=False):
                without = [run(table, given, epsilon="1", seed=seed) for seed in asked.seeds]
            for kind, figures in (("asked", runs), ("without", without)):
                label = f"{name:8} {'×10' if wide else '':5}  {kind:8}"
                print(label, line([list(one.values()) for one in figures]), flush=True)


if __name__ == "__main__":
    main()
