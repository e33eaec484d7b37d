"""How far apart two columns in a declared order come out: made stays of people, drawn with and without a look at that.

    python -m benchmarks.lengths

For each kind of stay, over five releases at epsilon 1 of 15,000 rows with dates of a year in bins that are found:
median and 90 % quantile, real, as drawn, and as drawn where dates are only put in order; the Kolmogorov-Smirnov
distance of both from the real lengths, and of the two columns.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from understudy import Adaptive
from understudy._core.randomness import Streams
from understudy.models import DrawsRows
from understudy.tables import decode_batch

ROWS, SEEDS = 15_000, 5
MINUTES = 24 * 60
Floats = npt.NDArray[np.float64]


def made(kind: str, rng: np.random.Generator) -> Floats:
    """Lengths in days."""
    return {
        "days, exponential, mean 1": lambda: np.floor(rng.exponential(1, ROWS)),
        "days, exponential, mean 4": lambda: np.floor(rng.exponential(4, ROWS)),
        "days, lognormal, mean 7": lambda: np.floor(np.exp(rng.normal(np.log(7) - 0.5, 1, ROWS))),
        "days, 7 but for some": lambda: np.round(rng.normal(7, 1, ROWS)).clip(0),
        "days, exponential, mean 30": lambda: np.floor(rng.exponential(30, ROWS)),
        "minutes, gamma, mean 9 hours": lambda: np.floor(rng.gamma(2, 4.5 * 60, ROWS)) / MINUTES,
    }[kind]()


KINDS = (
    "days, exponential, mean 1",
    "days, exponential, mean 4",
    "days, lognormal, mean 7",
    "days, 7 but for some",
    "days, exponential, mean 30",
    "minutes, gamma, mean 9 hours",
)


def schema(*, minutes: bool) -> dict[str, Any]:
    """Ranges alone, and the order."""
    form = {"type": "datetime", "format": "%Y-%m-%dT%H:%M"} if minutes else {"type": "date"}
    ends = ("2019-01-01T00:00", "2020-06-30T00:00") if minutes else ("2019-01-01", "2020-06-30")
    field = {**form, "constraints": {"minimum": ends[0], "maximum": ends[1]}}
    names = ("admitted", "discharged")
    return {
        "fields": [{"name": name, **field} for name in names] + [{"name": "ward", "categories": ["a", "b"]}],
        "dependencies": [{"lower": "admitted", "upper": "discharged"}],
    }


def distance(one: Floats, other: Floats) -> float:
    """Kolmogorov and Smirnov's."""
    at = np.union1d(one, other)
    each = [np.searchsorted(np.sort(values), at, side="right") / len(values) for values in (one, other)]
    return float(np.abs(each[0] - each[1]).max())


def in_days(table: pa.Table | pa.RecordBatch) -> list[Floats]:
    """Both columns as days."""
    found = []
    for name in ("admitted", "discharged"):
        moments = table.column(name).cast(pa.timestamp("us"))
        found.append(np.asarray(moments.to_numpy(zero_copy_only=False)).astype(np.int64) / (MINUTES * 60e6))
    return found


def run(kind: str, seed: int) -> list[float]:
    """Figures of one release."""
    rng, minutes = Streams(seed).get("stays"), kind.startswith("minutes")
    start = rng.integers(0, 365 * MINUTES, ROWS) // (1 if minutes else MINUTES) * (1 if minutes else MINUTES)
    real = np.array([start, start + np.round(made(kind, rng) * MINUTES).astype(np.int64)])
    real = (np.minimum(real, 545 * MINUTES) + 17897 * MINUTES) * 60_000_000
    kinds = pa.timestamp("us") if minutes else pa.date32()
    columns = [pa.array(of).cast(pa.timestamp("us")).cast(kinds) for of in real]
    table = pa.table({"admitted": columns[0], "discharged": columns[1], "ward": rng.choice(["a", "b"], ROWS)})
    model = Adaptive(epsilon=1, seed=seed).fit(table, schema(minutes=minutes)).model_
    if not isinstance(model.model, DrawsRows):
        raise SystemExit("it draws no rows")
    [codes] = model.model.sample_codes(ROWS, streams=Streams(seed), batch_rows=1 << 20)
    tables = [table, model.sample(ROWS, seed=seed, kind="pyarrow")]
    tables.append(decode_batch(model.schema, codes, Streams(seed).get("inside")))
    values = [in_days(one) for one in tables]
    gaps = [upper - lower for lower, upper in values]
    found = [float(np.quantile(gap, q)) for gap in gaps for q in (0.5, 0.9)]
    found += [distance(gaps[0], gap) for gap in gaps[1:]]
    return found + [np.mean([distance(a, b) for a, b in zip(values[0], other, strict=True)]) for other in values[1:]]


def main() -> None:
    """A line for each kind of stay, the mean over releases."""
    for kind in KINDS:
        found = np.mean([run(kind, seed) for seed in range(1, SEEDS + 1)], axis=0)
        real, drawn, ordered = (f"{found[i]:.2f}, {found[i + 1]:.1f}" for i in (0, 2, 4))
        print(f"{kind:30} median, 90 %: real {real}  drawn {drawn}  in order alone {ordered}", end="  ")
        print(
            f"distance of lengths {found[6]:.3f} {found[7]:.3f}  of columns {found[8]:.3f} {found[9]:.3f}", flush=True
        )


if __name__ == "__main__":
    main()
