"""What rules cost and bring: a made table with every kind of dependency, by method, without and with them.

    python -m benchmarks.rules 1 1000000 adaptive privbayes

Prints rows that break a rule, CPU seconds of drawing rows as values (codes alone in brackets), and the total variation
distance of one- and two-column tables from the real ones. The last line of a method has ratios.
"""

from __future__ import annotations

import sys
from itertools import combinations
from time import process_time

import numpy as np
import numpy.typing as npt

from understudy._core.randomness import Streams
from understudy.counting import MemoryCounter
from understudy.methods import METHODS
from understudy.models import DrawsRows
from understudy.privacy import ADD_REMOVE, make_budget, make_noise, open_curator
from understudy.schema import Bins, Codes, Marginal, Schema, checks_of
from understudy.tables import InOrderDraw, Table, decode_batch, find_inside

ROWS, CODES, GROUPS = 20_000, 40, 8
DECLARED = [
    {"missing": "hours", "when": {"age": "..13"}},
    {"impossible": {"sex": "M", "pregnant": "yes"}},
    {"impossible": {"age": ["..13", "60.."], "pregnant": "yes"}},
    {"determines": "code", "column": "group", "map": {f"c{i}": f"g{i * 7 % GROUPS}" for i in range(CODES)}},
    {"lower": "admitted", "upper": "discharged"},
]

Ints = npt.NDArray[np.int64]


def schema(*, declared: bool) -> Schema:
    """Seven columns, with the rules or without."""
    day = {"type": "date", "bins": 24, "constraints": {"minimum": "2023-01-01", "maximum": "2023-12-31"}}
    fields = [
        {"name": "age", "type": "integer", "bins": {"edges": [0, 6, 14, 18, 25, 35, 45, 60, 75, 99], "closed": "left"}},
        {
            "name": "hours",
            "type": "integer",
            "bins": 8,
            "constraints": {"minimum": 0, "maximum": 79, "required": False},
        },
        {"name": "sex", "categories": ["F", "M"]},
        {"name": "pregnant", "categories": ["no", "yes"]},
        {"name": "code", "categories": [f"c{i}" for i in range(CODES)]},
        {"name": "group", "categories": [f"g{i}" for i in range(GROUPS)]},
        {"name": "admitted", **day},
        {"name": "discharged", **day},
    ]
    return Schema.from_dict({"fields": fields, **({"dependencies": DECLARED} if declared else {})})


def made_columns(found: Schema) -> list[Codes]:
    """Rows that keep all rules."""
    rng = Streams(7).get("rules")
    age = np.minimum(rng.gamma(3.0, 13.0, ROWS).astype(np.int64), 99)
    hours = np.clip(rng.normal(36 - np.abs(age - 45) / 4, 9), 0, 79).astype(np.int64)
    sex = rng.integers(0, 2, ROWS)
    pregnant = (sex == 0) & (age >= 18) & (age < 45) & (rng.random(ROWS) < 0.12)
    often = 1 / np.arange(1, CODES + 1)
    code = rng.choice(CODES, ROWS, p=often / often.sum())
    admitted = rng.integers(0, 365, ROWS)
    discharged = np.minimum(admitted + rng.geometric(0.08, ROWS) - 1, 364)
    bins = [field.bins for field in found.fields]
    first = 19358  # 2023-01-01
    columns = [
        _codes(bins[0], age), np.where(age < 14, found.fields[1].size - 1, _codes(bins[1], hours)), sex, pregnant,
        code, code * 7 % GROUPS, _codes(bins[6], admitted + first), _codes(bins[7], discharged + first),
    ]  # fmt: skip
    return [np.asarray(column).astype(np.uint8) for column in columns]


def _codes(bins: Bins | None, values: Ints) -> Ints:
    return values if bins is None else bins.codes(values)


def error(real: Table, drawn: list[Codes]) -> list[float]:
    """Of one- and of two-column tables, on average."""
    found = []
    for width in (1, 2):
        each = []
        for group in combinations(range(len(real.domain)), width):
            shape = [real.domain[a].size for a in group]
            tables = [
                np.bincount(np.ravel_multi_index([c[a] for a in group], shape), minlength=int(np.prod(shape)))
                / len(c[0])
                for c in (real.columns, drawn)
            ]
            each.append(np.abs(tables[0] - tables[1]).sum() / 2)
        found.append(float(np.mean(each)))
    return found


def run(method: str, epsilon: str, rows: int, *, declared: bool) -> list[float]:
    """Broken rows, seconds for values and for codes alone, errors."""
    found, judge = schema(declared=declared), schema(declared=True)
    table = Table(found.domain, tuple(made_columns(found)))
    curator = open_curator(
        MemoryCounter(table), budget=make_budget(epsilon, "1e-9"), neighbours=ADD_REMOVE, noise=make_noise(seed=1)
    )
    model = METHODS[method]().fit(curator, streams=Streams(1))
    if not isinstance(model, DrawsRows):
        raise SystemExit(f"{method} draws no rows")
    inside = find_inside(found, lambda a, b: model.marginal(Marginal.of(a, b), errors=False).probabilities)
    in_order = InOrderDraw.of(found, inside)
    for batch in model.sample_codes(1000, streams=Streams(0)):  # compiled, and what is made once is made
        decode_batch(found, batch, Streams(0).get("values"), in_order=in_order)
    checks = [check for _, listed in checks_of(judge.fields, judge.dependencies) for check in listed]
    broken, decoding = 0, 0.0
    first: list[Codes] = []
    rng, start = Streams(2).get("values"), process_time()
    for batch in model.sample_codes(rows, streams=Streams(2)):
        begun = process_time()
        values = decode_batch(found, batch, rng, in_order=in_order)
        decoding += process_time() - begun
        paused = process_time()
        broken += int(np.any([check.broken(batch) for check in checks], axis=0).sum())
        late = np.asarray(values.column("admitted").cast("int32")) > np.asarray(
            values.column("discharged").cast("int32")
        )
        broken += int(late.sum()) if declared else 0
        first = first or [np.array(column) for column in batch]
        start += process_time() - paused
    spent = process_time() - start
    return [broken, spent, spent - decoding, *error(table, first)]


def main() -> None:
    """Two lines for each method, and their ratios."""
    epsilon, rows, *methods = sys.argv[1:] or ["1", "1000000"]
    for method in methods or ["adaptive", "privbayes", "privabn", "jtree", "independent"]:
        without, with_rules = (run(method, epsilon, int(rows), declared=declared) for declared in (False, True))
        for words, found in (("without", without), ("with", with_rules)):
            broken, values, codes, one, two = found
            print(
                f"{method:12} {words:8} broken {broken:>9,} of {int(rows):,}  CPU {values:6.2f} s ({codes:.2f})  ",
                end="",
            )
            print(f"error {one:.4f} {two:.4f}", flush=True)
        speed = [a / b for a, b in zip(without[1:3], with_rules[1:3], strict=True)]
        print(f"{method:12} {'ratio':8} speed {speed[0]:.2f} ({speed[1]:.2f})  error {with_rules[4] / without[4]:.2f}")


if __name__ == "__main__":
    main()
