"""The papers' first task: how far all α-way marginals are from the real ones, by average total variation distance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from research._data import Dataset, load
from understudy._core.randomness import Streams, streams
from understudy.evaluation import choose_groups
from understudy.methods import BASELINES, read_method
from understudy.models import DrawsRows
from understudy.privacy import make_budget
from understudy.rehearsal import answer_distances, rehearse, sample_table, table_distances
from understudy.tables import Table

_ASKED = frozenset(BASELINES) | {"uniform"}  # "simply returns a uniform distribution to any marginal query"
_MOST_TABLES = 20_000  # all there are of up to four columns in every table of the papers


def marginals(params: Mapping[str, Any], seed: int, folder: Path) -> dict[str, float]:
    """Mean total variation distance over all α-way marginals, as `Q2`, `Q3` and so on.

    Parameters: `dataset`, `method` (a method's word), `epsilon`, `ways` (a list), `noiseless` for a diagnostic, and
    `independent` where each row is drawn by itself, as the papers do. A method that makes a synthetic table is measured
    on one of as many rows as the real one has; a baseline is asked for its answers, as the papers do.
    """
    data = load(params["dataset"], folder)
    method = read_method(params["method"])
    learnt = rehearse(
        data.counter, method, make_budget(params["epsilon"]), seed=seed, noiseless=params.get("noiseless")
    )
    if method.name in _ASKED or not isinstance(learnt, DrawsRows):
        return {
            f"Q{way}": float(np.mean(answer_distances(data.counter, learnt, _groups(data, way))))
            for way in params["ways"]
        }
    drawn = sample_table(learnt, data.table.n, Streams(seed), independent=params.get("independent", False))
    return of_table(data, drawn, params["ways"])


def of_table(data: Dataset, synthetic: Table, ways: Sequence[int]) -> dict[str, float]:
    """The distances of a synthetic table."""
    return {f"Q{way}": float(np.mean(table_distances(data.table, [synthetic], _groups(data, way)))) for way in ways}


def _groups(data: Dataset, way: int) -> Sequence[tuple[int, ...]]:
    coins = streams(0).get("experiments", "marginals", str(way))
    return choose_groups(len(data.table.domain), way, _MOST_TABLES, coins).groups
