"""What printed forms give away, and that repaired ones are not caught: audits of the code here."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from research._data import load
from research.tasks.leaks import AUDITS, conditional_loss, epsilon_lower_bound, star_loss, threshold_loss
from research.tasks.leaks._audit import Remembered
from understudy._core.randomness import streams
from understudy.counting import open_counter
from understudy.models import HasNetwork
from understudy.privacy import make_budget
from understudy.rehearsal import rehearse
from understudy.tables import Table


def audit(params: Mapping[str, Any], seed: int, folder: Path) -> dict[str, float]:
    """The ε that trials prove on the worst pair of tables, as `proved`, beside the ε of the run, `claimed`.

    Parameters: `row` of the soundness review, `as_printed`, `trials`.
    """
    found = AUDITS[params["row"]]
    hits = found.hits(as_printed=params["as_printed"], trials=params["trials"], seed=seed + 1)
    return {
        "proved": epsilon_lower_bound(*hits, params["trials"]),
        "claimed": found.claimed,
        "hits": float(hits[0]),
        "other hits": float(hits[1]),
    }


def star(params: Mapping[str, Any], seed: int, folder: Path) -> dict[str, float]:
    """The exact loss of PrivABN's printed tables on a star, as `loss`. Parameters: `rows`, `columns`, `epsilon`."""
    return {"loss": star_loss(params["rows"], params["columns"], params["epsilon"])}


def threshold(params: Mapping[str, Any], seed: int, folder: Path) -> dict[str, float]:
    """The loss of JTree's printed test of pairs in one event, as `loss`. Parameters: `columns`, `epsilon`."""
    return {"loss": threshold_loss(params["columns"], params["epsilon"])}


def real_records(params: Mapping[str, Any], seed: int, folder: Path) -> dict[str, float]:
    """The exact loss of PrivABN's printed tables if a real record is replaced by another real one.

    `median loss`, `worst loss` and the share of records `beyond` the ε claimed, over `records` drawn at random, in the
    network of one run. Parameters: `dataset`, `method`, `epsilon`, `records`.
    """
    data = load(params["dataset"], folder)
    model = rehearse(data.counter, params["method"], make_budget(params["epsilon"]), seed=seed)
    assert isinstance(model, HasNetwork), "PrivABN makes networks"
    table, nodes = data.table, model.network.nodes
    coins = streams(seed).get("experiments", "leaks", "records")
    losses = []
    for here, there in coins.integers(0, table.n, (params["records"], 2)).tolist():
        columns = [column.copy() for column in table.columns]
        for column in columns:
            column[here] = column[there]
        other = Remembered(open_counter(Table(table.domain, tuple(columns))))
        losses.append(
            conditional_loss(
                Remembered(data.counter), other, nodes, epsilon=params["epsilon"], columns=len(table.domain)
            )
        )
    return {
        "median loss": float(np.median(losses)),
        "worst loss": float(np.max(losses)),
        "beyond": float(np.mean(np.array(losses) > params["epsilon"])),
    }
