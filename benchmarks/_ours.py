"""understudy's side of the comparisons: from codes to a model and back to codes."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from benchmarks._data import Codes, Encoded, find, schema_path
from benchmarks._report import Stopwatch
from understudy._core.randomness import Streams
from understudy.counting import MemoryCounter
from understudy.methods import PrivABN, PrivBayes
from understudy.models import NetworkModel
from understudy.privacy import make_budget, make_noise, open_curator
from understudy.schema import Schema
from understudy.tables import Table, read_table

STRICT: dict[str, Any] = {"delta": 0, "neighbours": "replace-one"}
"""The promise of all figures that name no other."""


@cache
def load_table(name: str) -> Table:
    """One of the benchmark's tables under its own schema, taxonomies included."""
    path = find(name, ".csv", ".csv.gz")
    if path is None:
        raise FileNotFoundError(f"no table '{name}' in the data folder: set UNDERSTUDY_DATA")
    return read_table(path, Schema.load(schema_path(name)))


def stack(table: Table) -> Codes:
    """The table's codes as one matrix."""
    return np.stack([column.astype(np.int64) for column in table.columns], axis=1)


def sizes(table: Table) -> list[int]:
    """Number of codes of each column."""
    return [attribute.size for attribute in table.domain]


def fit(table: Table, *, epsilon: float, seed: int, method: PrivBayes | PrivABN | None = None) -> NetworkModel:
    """A seeded fit (a rehearsal): the same mechanisms, the same noise, repeatable."""
    curator = open_curator(MemoryCounter(table), budget=make_budget(epsilon, None), noise=make_noise(seed=seed))
    return (method or PrivBayes()).fit(curator, streams=Streams(seed))


def sample(model: NetworkModel, n: int, *, seed: int) -> Codes:
    """Rows of the model, as one matrix of codes."""
    batches = [np.stack(columns, axis=1) for columns in model.sample_codes(n, streams=Streams(seed))]
    return np.concatenate(batches).astype(np.int64)


def publish(table: Encoded, *, epsilon: float, seed: int, **promise: Any) -> tuple[float, Codes]:
    """CPU seconds and synthetic rows of PrivBayes, from a pandas table to a pandas table: what peers are put beside."""
    import pandas as pd

    import understudy as us

    frame, schema = pd.DataFrame(table.codes, columns=list(table.columns)), us.Schema.load(schema_path(table.name))
    estimator = us.PrivBayes(epsilon=epsilon, seed=seed, **STRICT | promise)
    with Stopwatch() as watch:
        synthetic: Any = estimator.fit(frame, schema).sample(table.n, seed=seed)
    return watch.seconds, synthetic[list(table.columns)].to_numpy().astype(np.int64)
