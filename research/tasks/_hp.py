"""The HPPrivBayes paper's measures: how often a machine with radial kernel is right, and how far tables are off."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from research._data import load
from research.svm import education_accuracy, split
from understudy._core.randomness import Streams
from understudy.counting import Counter, open_counter
from understudy.evaluation import choose_groups, joint_counts, some_rows, total_variation
from understudy.methods import HPPrivBayesAsPrinted, read_method
from understudy.methods.printed import mutual_information, value_weights
from understudy.models import DrawsRows, HasNetwork, NetworkModel, fit_clipped
from understudy.privacy import NoisyTables, PrivacyWarning, make_budget, make_noise, open_curator
from understudy.rehearsal import rehearse, sample_table
from understudy.schema import Marginal
from understudy.tables import Table

ORIGINAL = "original"
"""In place of a method: the rows as they are."""
_TRAINING = 2 / 3
_OWN_TEST = 3000  # synthetic rows that a machine trained on others of them is asked about
_MOST_TABLES = 20_000  # all there are of up to three columns
_TABLES_SHARE = Fraction(7, 10)


def radial_accuracy(params: Mapping[str, Any], seed: int, folder: Path) -> dict[str, float]:
    """How often a machine is right that was trained on what a method makes of two thirds of the rows.

    The question: who has a degree (`svm.education_accuracy`). Parameters: `dataset`, `method` (a word, or
    "original"), `epsilon`, `rows` (the most it is trained on), and those of `synthetic_rows`. `accuracy` is that on the
    third of the real rows that was kept apart; `own accuracy` that on other rows of the synthetic table, as in the
    author's program.
    """
    data = load(params["dataset"], folder)
    train, test = split(data.table, seed, training=_TRAINING)
    rows = train if params["method"] == ORIGINAL else synthetic_rows(open_counter(train), params, seed)
    coins = Streams(seed)
    some = some_rows(rows, params["rows"], coins.get("experiments", "radial"))
    own_train, own_test = split(rows, seed + 1, training=_TRAINING)
    own_train = some_rows(own_train, params["rows"], coins.get("experiments", "own train"))
    own_test = some_rows(own_test, _OWN_TEST, coins.get("experiments", "own test"))
    return {
        "accuracy": education_accuracy(some, test, seed=seed),
        "own accuracy": education_accuracy(own_train, own_test, seed=seed),
    }


def cell_distances(params: Mapping[str, Any], seed: int, folder: Path) -> dict[str, float]:
    """How far all α-way marginals of a synthetic table are off, averaged over them.

    Parameters: `dataset`, `method`, `epsilon`, `ways`, and those of `synthetic_rows`. `Q2` is half the sum of the
    cells' differences, as the paper's formula has it; `M2` the largest of them, which the author's program takes.
    """
    data = load(params["dataset"], folder)
    synthetic = synthetic_rows(data.counter, params, seed)
    found = {}
    for way in params["ways"]:
        coins = Streams(0).get("experiments", "all", str(way))
        groups = choose_groups(len(data.table.domain), way, _MOST_TABLES, coins).groups
        joint = [one.counts for one in joint_counts([data.table, synthetic], groups)]
        found[f"Q{way}"] = float(np.mean([total_variation(real, made) for real, made in joint]))
        found[f"M{way}"] = float(np.mean([np.abs(real / real.sum() - made / made.sum()).max() for real, made in joint]))
    return found


def column_sizes(params: Mapping[str, Any], seed: int, folder: Path) -> dict[str, float]:
    """Rows and columns of `dataset`, and how many values each of the columns `names` has, as far as it has them.

    There is no chance in it, so that the seed does not matter. `values 1` is of the first column named.
    """
    del seed
    table = load(params["dataset"], folder).table
    size = {attribute.name: attribute.size for attribute in table.domain}
    each = {f"values {i}": float(size[name]) for i, name in enumerate(params["names"], 1) if name in size}
    return {"rows": float(table.n), "columns": float(len(size)), **each}


def synthetic_rows(counter: Counter, params: Mapping[str, Any], seed: int) -> Table:
    """As many rows as there are, from what a method learns of them with seeded noise.

    With `each table`, the tables of its network are all measured anew, each by itself. With `independent`, each row is
    drawn by itself, as the papers do.
    """
    learnt = rehearse(counter, params["method"], make_budget(params["epsilon"]), seed=seed)
    assert isinstance(learnt, DrawsRows), "only models draw rows"
    if params.get("each table"):
        assert isinstance(learnt, HasNetwork), "only networks have tables"
        learnt = measured_each(counter, learnt, params["epsilon"], seed)
    return sample_table(learnt, counter.n, Streams(seed), independent=params.get("independent", False))


def measured_each(counter: Counter, model: HasNetwork, epsilon: float, seed: int) -> NetworkModel:
    """The same network, with its d tables measured each by itself, instead of the first k as sums of the next one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)
        curator = open_curator(counter, budget=make_budget(epsilon), noise=make_noise(seed=seed + 10_000))
    families = [node.marginal.canonical() for node in model.network.nodes]
    measured = curator.recoded(model.recoding).ask(
        NoisyTables(marginals=families, what="tables of the network"), share=_TABLES_SHARE
    )
    return NetworkModel(model.network, fit_clipped(model.network, measured, model.n), model.recoding, (), model.n)


def printed_noise(params: Mapping[str, Any], seed: int, folder: Path) -> dict[str, float]:
    """The mean size of the noise, in records a cell, that Algorithms 5 and 6 put on tables of group A and of group B.

    `B least` is that of the value of group B with the least.

    Parameters: `dataset`, `method` (HPPrivBayes as printed, as a word), `epsilon`. The scale depends on the child and
    its value only, so no network is needed: the mean is over columns, and within one over its values.
    """
    del seed  # nothing is drawn
    data, method = load(params["dataset"], folder), read_method(params["method"])
    assert isinstance(method, HPPrivBayesAsPrinted), "the scales are those of one method"
    names = [attribute.name for attribute in data.table.domain]
    spec = method.spec(data.table.domain)
    others = [a for a in range(len(names)) if a != spec.sensitive]
    bits = [mutual_information(t) for t in data.counter.count([Marginal.of(spec.sensitive, a) for a in others])]
    group_b = [a for a, one in zip(others, bits, strict=True) if one < spec.threshold]
    epsilon = params["epsilon"]
    scale_a = 2 * (len(names) - spec.k - len(group_b)) / float(spec.split.sensitive * Fraction(str(epsilon)))
    scale_b = 2 * len(group_b) / float(spec.split.others * Fraction(str(epsilon)))
    weights = [value_weights(table) for table in data.counter.count([Marginal.of(a) for a in group_b])]
    each = [np.mean([scale_b / float(w) for w in column if w > 0]) for column in weights]
    least = min(scale_b / float(max(column)) for column in weights)
    return {"A": max(scale_a, 0.0), "B": float(np.mean(each)), "B least": least}
