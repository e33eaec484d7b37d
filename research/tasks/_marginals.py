"""The papers' first task: how far all α-way marginals are from the real ones, by average total variation distance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from research._data import Dataset, load
from research.tasks._fit import rehearse
from understudy._api._compare_runs import sample_table
from understudy._core.randomness import Streams, streams
from understudy.evaluation import choose_groups, joint_counts, total_variation
from understudy.methods import BASELINES, read_method
from understudy.models import DrawsRows, Model
from understudy.schema import Marginal
from understudy.tables import Table

_MOST_TABLES = 20_000  # all there are of up to four columns in every table of the papers


def marginals(params: Mapping[str, Any], seed: int, folder: Path) -> dict[str, float]:
    """Mean total variation distance over all α-way marginals, as `Q2`, `Q3` and so on.

    Parameters: `dataset`, `method` (a method's word), `epsilon`, `ways` (a list), and `exact` for a diagnostic.
    A method that makes a synthetic table is measured on one of as many rows as the real one has; a baseline is asked
    for its answers, as the papers do.
    """
    data = load(params["dataset"], folder)
    method = read_method(params["method"])
    learnt = rehearse(data.counter, method, params["epsilon"], seed, params.get("exact"))
    if method.name in BASELINES or not isinstance(learnt, DrawsRows):
        return {f"Q{way}": _of_answers(data, learnt, way) for way in params["ways"]}
    return of_table(data, sample_table(learnt, data.table.n, Streams(seed)), params["ways"])


def of_table(data: Dataset, synthetic: Table, ways: Sequence[int]) -> dict[str, float]:
    """The distances of a synthetic table."""
    found = {}
    for way in ways:
        groups = _groups(data, way)
        each = [total_variation(*joint.counts) for joint in joint_counts([data.table, synthetic], groups)]
        found[f"Q{way}"] = float(np.mean(each))
    return found


def _of_answers(data: Dataset, answers: Model, way: int) -> float:
    each = []
    for group in _groups(data, way):
        marginal = Marginal.of(*group)
        [real] = data.counter.count([marginal])
        asked = answers.marginal(marginal, errors=False).probabilities
        each.append(float(np.abs(real / data.table.n - asked).sum()) / 2)
    return float(np.mean(each))


def _groups(data: Dataset, way: int) -> Sequence[tuple[int, ...]]:
    coins = streams(0).get("experiments", "marginals", str(way))
    return choose_groups(len(data.table.domain), way, _MOST_TABLES, coins).groups
