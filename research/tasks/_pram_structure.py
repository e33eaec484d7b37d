"""Structure learnt from randomised columns: section VII-C of the PRAM-BN paper, and real networks beside it."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from math import log
from pathlib import Path
from typing import Any

from research.tasks._pram import inbox_of
from research.tasks._pram_networks import DRAWN, PARTIES, declared, divergence, links_of, rows_of
from research.tasks._pram_randomised import at_epsilon, randomised, symmetric
from understudy._core.errors import TableError, UnderstudyWarning
from understudy.models import HasNetwork, NetworkModel, read_bif
from understudy.randomize import learn

REAL = ("alarm", "insurance")
"""Networks that pgmpy brings along."""
_ETAS = ((0.15, 0.99), (0.25, 0.98), (1.0, 0.97))  # the paper's, by the largest p; beyond 0.30 it has none
_PARTIES = 3


def network_file(name: str) -> Path:
    """The BIF file of a real network, inside the installed pgmpy.

    Raises:
        TableError: if pgmpy is not installed or has no such file.
    """
    spec = find_spec("pgmpy")
    for place in (spec.submodule_search_locations or []) if spec else []:
        for file in Path(place).rglob(f"{name}.bif.gz"):
            return file
    raise TableError(
        f"the network {name.upper()} is read from the package pgmpy, which is not installed or does not have it. "
        "Run: make setup"
    )


@cache
def network_named(name: str) -> NetworkModel:
    """A declared network, or a real one."""
    return read_bif(network_file(name)).to_model() if name in REAL else declared(name)


def parties_of(name: str) -> list[list[str]]:
    """Who holds which columns: as declared, or a third each in the network's order."""
    names = [attribute.name for attribute in network_named(name).domain]
    if name not in REAL:
        return [list(party) for party in PARTIES["figure 3" if name in DRAWN else name]]
    step = -(-len(names) // _PARTIES)
    return [names[start : start + step] for start in range(0, len(names), step)]


def variable_eta(p: float) -> float:
    """The paper's threshold for a level of randomisation.

    >>> [variable_eta(p) for p in (0.05, 0.15, 0.2, 0.3, 0.4)]
    [0.99, 0.99, 0.98, 0.97, 0.97]
    """
    return next(eta for most, eta in _ETAS if p <= most)


@cache
def _clean_links(name: str, rows: int, seed: int, score: str) -> frozenset[tuple[int, int]]:
    """The links that K2 finds in the clean rows: with the Bayesian score and η = 1, or BIC and C* = 1."""
    clean = rows_of(network_named(name), rows, seed)
    given: dict[str, Any] = {"score": "bayes", "eta": 1.0} if score == "bayes" else {"score": "bic", "penalty": 1.0}
    found = learn(inbox_of(clean, parties_of(name), {}), order=[a.name for a in clean.domain], **given)
    assert found.network is not None, "K2 makes networks"
    return links_of(found.network)


def structure(params: Mapping[str, Any], seed: int, folder: Path) -> dict[str, float]:
    """Links `extra` and `missing`, beside K2 on the clean rows, their sum `links in error`, and the `KL` distance.

    Parameters: `network`, `rows`; `p`, or `epsilon` of each column; `method`, a score, and `eta` or `penalty` where
    they are given: a number, or "N/2" for the penalty as printed. `as_if_clean`: un-mixed by nothing.
    """
    name, rows = params["network"], params["rows"]
    truth = network_named(name)
    clean = rows_of(truth, rows, seed)
    sizes = {attribute.name: attribute.size for attribute in clean.domain}
    matrices = {
        column: symmetric(size, params["p"]) if "p" in params else at_epsilon(size, params["epsilon"])
        for column, size in sizes.items()
    }
    given: dict[str, Any] = {"eta": params.get("eta"), "penalty": params.get("penalty")}
    if given["penalty"] == "N/2":
        given["penalty"] = rows / log(rows)  # so that C*·(log N)/2 is N/2
    mixed = randomised(clean, matrices, seed)
    inbox = inbox_of(mixed, parties_of(name), {} if params.get("as_if_clean") else matrices)
    # a prior of one row a cell: without it an empty cell would make the distance infinite
    with warnings.catch_warnings():
        # where little is left of the rows, fits stop short of the most likely counts: remarks say so
        warnings.simplefilter("ignore", UnderstudyWarning)
        found = learn(inbox, order=list(sizes), score=params["method"], prior=1.0, **given)
    assert found.network is not None, "K2 makes networks"
    assert isinstance(found.model, HasNetwork), "K2 makes networks"
    links, right = links_of(found.network), _clean_links(name, rows, seed, params["method"])
    return {
        "extra": float(len(links - right)),
        "missing": float(len(right - links)),
        "links in error": float(len(links ^ right)),
        "KL": round(divergence(truth, found.model), 9),
        "links": float(len(links)),
    }
