"""The PrivABN paper's task: L1 and L2 errors of answers to random α-way queries (Lan, Hong, Chen, Cai, Wang, 2021).

With N random queries, each for the table of α columns, and T_i(D) the table of the i-th in shares of the rows:

    L1 = (1/N) Σ_i Σ_j |T_i⁽ʲ⁾(D) − T_i⁽ʲ⁾(D̃)|            definition 4, equation (14)
    L2 = (1/N) Σ_i √( Σ_j (T_i⁽ʲ⁾(D) − T_i⁽ʲ⁾(D̃))² )        definition 5, equation (15)

Definition 4 speaks of the j-th row of the dataset. Rows of a synthetic table have no counterparts among the real
ones, and the paper's experiments compare answers to α-way queries, so j runs over the rows of the queried table here
as in definition 5; L1 is then twice the average total variation distance. Shares, not counts: the paper's L2 errors
of about 0.01 can be nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from math import log, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from research._data import load
from understudy._core.randomness import Streams, streams
from understudy.counting import open_counter
from understudy.evaluation import choose_groups
from understudy.methods import BASELINES, flaw_of, read_method
from understudy.methods.printed import adaptive_network, noisy_conditionals
from understudy.models import DrawsRows, Network, NetworkModel
from understudy.privacy import make_budget, make_noise, open_curator
from understudy.rehearsal import rehearse, sample_table
from understudy.schema import Marginal, recode

QUERIES = 200
"""How many the paper asks; where a table has fewer groups of α columns, each is asked for once."""
Floats = npt.NDArray[np.float64]
Shares = Sequence[Floats]


def query_errors(params: Mapping[str, Any], seed: int, folder: Path) -> dict[str, float]:
    """The errors by name: `L1 3-way`, `L2 3-way` and so on, each the mean over the queries.

    Parameters: `dataset`, `method` (a method's word), `epsilon`, `ways` (a list), `noiseless` for a diagnostic, and
    `independent`. Queries are drawn by the seed, the same for all methods. A method that makes a synthetic table is
    measured on one of as many rows as the real one has; in a printed form that leaks, or if `independent`, each row is
    drawn on its own, as the papers do. A baseline is asked for its answers.
    """
    data = load(params["dataset"], folder)
    method = read_method(params["method"])
    budget = make_budget(params["epsilon"])
    learnt = rehearse(data.counter, method, budget, seed=seed, noiseless=params.get("noiseless"))
    if method.name in BASELINES or not isinstance(learnt, DrawsRows):
        return _errors(
            params,
            seed,
            folder,
            lambda asked: [learnt.marginal(marginal, errors=False).probabilities for marginal in asked],
        )
    independent = params.get("independent", False) or flaw_of(method) is not None
    return _errors_of_rows(params, seed, folder, learnt, independent=independent)


def sharper_choices(params: Mapping[str, Any], seed: int, folder: Path) -> dict[str, float]:
    """The same errors of PrivABN as printed, but with 1/n for the sensitivity of information, as equation (13) has it.

    Parameters: `dataset`, `k` (most parents, or none), `epsilon`, `ways`.
    """
    data = load(params["dataset"], folder)
    domain, n, epsilon = data.counter.domain, data.table.n, params["epsilon"] / 2
    curator = open_curator(
        data.counter, budget=make_budget(params["epsilon"]), noise=make_noise(seed=seed), no_guarantee=True
    )
    coins = Streams(seed).get("privabn", "coins")

    def choose(weights: Floats) -> int:
        return int((weights + coins.gumbel(size=weights.size)).argmax())

    root = int(coins.integers(len(domain)))
    times = log(n) + (n - 1) * log(n / (n - 1))
    nodes = adaptive_network(curator, root, choose, epsilon * times, k=params["k"])
    conditionals = noisy_conditionals(curator, nodes, 2 * len(domain) / (n * epsilon), coins)
    model = NetworkModel(Network(domain, nodes), conditionals, recode(domain, "hierarchical"), (), n)
    return _errors_of_rows(params, seed, folder, model, independent=True)


def _errors_of_rows(
    params: Mapping[str, Any], seed: int, folder: Path, model: DrawsRows, *, independent: bool
) -> dict[str, float]:
    """The errors of as many rows as the real table has."""
    n = load(params["dataset"], folder).table.n
    drawn = open_counter(sample_table(model, n, Streams(seed), independent=independent))
    return _errors(params, seed, folder, lambda asked: [counts / drawn.n for counts in drawn.count(asked)])


def _errors(
    params: Mapping[str, Any], seed: int, folder: Path, answer: Callable[[list[Marginal]], Shares]
) -> dict[str, float]:
    found = {}
    for way in params["ways"]:
        asked, truth = _truth(params["dataset"], folder, way, seed)
        found[f"L1 {way}-way"], found[f"L2 {way}-way"] = mean_errors(truth, answer(asked))
    return found


def mean_errors(truth: Shares, answers: Shares) -> tuple[float, float]:
    """The L1 and the L2 error: of each answer, then their mean.

    >>> mean_errors([np.array([0.5, 0.5, 0.0])], [np.array([0.25, 0.5, 0.25])])
    (0.5, 0.3535533905932738)
    """
    gaps = [np.abs(real - answer) for real, answer in zip(truth, answers, strict=True)]
    return float(np.mean([gap.sum() for gap in gaps])), float(np.mean([sqrt((gap * gap).sum()) for gap in gaps]))


@lru_cache(maxsize=8)
def _truth(dataset: str, folder: Path, way: int, seed: int) -> tuple[list[Marginal], list[Floats]]:
    """The queries of a repetition and their true answers, kept for the methods that are asked them next."""
    data = load(dataset, folder)
    coins = streams(seed).get("experiments", "queries", str(way))
    asked = [Marginal.of(*group) for group in choose_groups(len(data.table.domain), way, QUERIES, coins).groups]
    return asked, [counts / data.table.n for counts in data.counter.count(asked)]
