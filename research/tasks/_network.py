"""The quality of a chosen network by itself: the sum of the mutual information of its families, in the real table."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from research._data import load
from understudy.counting import Counter
from understudy.models import HasNetwork, InformationScore
from understudy.privacy import make_budget
from understudy.rehearsal import rehearse


def network_information(params: Mapping[str, Any], seed: int, folder: Path) -> dict[str, float]:
    """Σ I(X; parents) in bits, as `information`; the network's degree; and the CPU seconds of learning it.

    Parameters: `dataset`, `method`, `epsilon`, and `noiseless` ("selection" for a network chosen without noise).
    """
    data = load(params["dataset"], folder)
    begun = time.process_time()
    budget = make_budget(params["epsilon"])
    model = rehearse(data.counter, params["method"], budget, seed=seed, noiseless=params.get("noiseless"))
    seconds = time.process_time() - begun
    assert isinstance(model, HasNetwork), "only networks have families"
    return {
        "information": information_of(model, data.counter.recoded(model.recoding)),
        "degree": float(model.network.degree),
        "cpu_seconds": seconds,
    }


def information_of(model: HasNetwork, counter: Counter) -> float:
    """The sum of mutual information over a network's families, in the counter's table."""
    score, n = InformationScore(), counter.n
    families = [node for node in model.network.nodes if node.parents]
    total = 0.0
    for node in families:
        [table] = counter.count([node.marginal])
        # the family's axes are the parents and then the child; the score wants the child first
        flat = table.reshape(-1, table.shape[-1]).T[None]
        total += float(score(flat.copy(), n)[0]) / score.scale(n) / n
    return total
