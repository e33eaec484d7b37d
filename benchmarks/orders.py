"""What declared orders cost where rows are drawn: a made table of dates and numbers, without and with them.

    python -m benchmarks.orders 1000000

Prints the CPU seconds of drawing rows as a table (the best of three), the speed as a ratio of that without an order,
and the rows that break one.
"""

from __future__ import annotations

import sys
from itertools import pairwise
from time import process_time
from typing import Any

import numpy as np
import pandas as pd

from understudy import Adaptive
from understudy._core.randomness import Streams

ROWS, DATES, REPEATS = 20_000, 5, 3


def chain(*names: str) -> list[tuple[str, str]]:
    """Each no larger than the next."""
    return list(pairwise(names))


ORDERS = {
    "none": [],
    "a pair": chain("t0", "t1"),
    "three in a row": chain("t0", "t1", "t2"),
    "a star": [("t0", f"t{i}") for i in range(1, DATES)],
    "two chains of three": chain("t0", "t1", "t2") + chain("low", "middle", "high"),
    "five in a row": chain(*(f"t{i}" for i in range(DATES))),
    "five in a row and three": chain(*(f"t{i}" for i in range(DATES))) + chain("low", "middle", "high"),
}


def made_frame() -> pd.DataFrame:
    """Dates of a case, each some days after the one before; three numbers in order; a group."""
    rng = Streams(11).get("orders")
    days = np.cumsum([rng.integers(0, 900, ROWS), *(rng.geometric(0.05, ROWS) - 1 for _ in range(DATES - 1))], axis=0)
    days = np.minimum(days, 1460)
    numbers = np.sort(np.minimum(rng.gamma(1.5, 40.0, (3, ROWS)), 1000).round(1), axis=0)
    dates = {f"t{i}": np.datetime64("2019-01-01", "D") + days[i] for i in range(DATES)}
    return pd.DataFrame(
        {
            **dates,
            **dict(zip(("low", "middle", "high"), numbers, strict=True)),
            "group": rng.choice(["a", "b", "c"], ROWS),
        }
    )


def schema(orders: list[tuple[str, str]]) -> dict[str, Any]:
    """Ranges alone, and the orders."""
    day = {"type": "date", "constraints": {"minimum": "2019-01-01", "maximum": "2022-12-31"}}
    number = {"type": "number", "decimals": 1, "constraints": {"minimum": 0, "maximum": 1000}}
    fields: list[dict[str, Any]] = [{"name": f"t{i}", **day} for i in range(DATES)]
    fields += [{"name": name, **number} for name in ("low", "middle", "high")]
    fields += [{"name": "group", "categories": ["a", "b", "c"]}]
    declared = {"dependencies": [{"lower": lower, "upper": upper} for lower, upper in orders]}
    return {"fields": fields, **(declared if orders else {})}


def main() -> None:
    """A line for each set of orders."""
    rows, frame, without = int((sys.argv[1:] or ["1000000"])[0]), made_frame(), 0.0
    for words, orders in ORDERS.items():
        model = Adaptive(epsilon=1, seed=1).fit(frame, schema(orders))
        model.sample(1000, kind="pyarrow")  # compiled, and what is made once is made
        spent = []
        for _ in range(REPEATS):
            begun = process_time()
            drawn = model.sample(rows, kind="pyarrow", seed=1)
            spent.append(process_time() - begun)
        without = without or min(spent)
        columns = {name: drawn.column(name).to_numpy() for name in drawn.column_names[:-1]}
        broken = sum(int((columns[lower] > columns[upper]).sum()) for lower, upper in orders)
        print(f"{words:24} CPU {min(spent):6.2f} s  speed {without / min(spent):.2f}  broken {broken:,}", flush=True)


if __name__ == "__main__":
    main()
