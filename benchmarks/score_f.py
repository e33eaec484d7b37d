"""The score F: whole networks at the degrees the paper called slow, and one pair against a plain NumPy programme."""

from __future__ import annotations

import itertools

import numpy as np

from benchmarks._numpy import f_by_numpy
from benchmarks._ours import fit, load_table
from benchmarks._report import Line, Options, Stopwatch, faster, main
from understudy.counting import MemoryCounter
from understudy.methods import PrivBayes
from understudy.models import score_named
from understudy.schema import Marginal

NETWORKS = (("nltcs", 6, "the paper: a few hours"), ("acs", 4, "the paper: about 40 min"))
PAIRS, NUMPY_PAIRS, FASTER = 1000, 20, 10


def run(options: Options) -> list[Line]:
    lines = []
    for name, k, paper in NETWORKS:
        table = load_table(name)
        fit(table, epsilon=1, seed=0, method=PrivBayes(score="F", k=1))  # compiles
        with Stopwatch() as watch:
            fit(table, epsilon=1, seed=0, method=PrivBayes(score="F", k=k, max_candidates=10**9))
        task = f"F, {name}, k = {k}: whole private network, every candidate"
        lines.append(Line(task, f"{watch.seconds:.3g} CPU s", paper))
        lines.append(one_pair(name, k))
    return lines


def one_pair(name: str, k: int) -> Line:
    """CPU time of one score, tables counted beforehand for both."""
    table = load_table(name)
    n, d = table.n, len(table.columns)
    rng = np.random.default_rng(5)
    sets = list(itertools.combinations(range(d), k + 1))
    chosen = [sets[i] for i in rng.choice(len(sets), size=min(PAIRS, len(sets)), replace=False)]
    counts = MemoryCounter(table).count([Marginal.of(*axes) for axes in chosen])
    tables = np.stack([count.reshape(2, -1) for count in counts])
    score = score_named("F")
    score(tables[:1], n)
    with Stopwatch() as ours:
        found = score(tables, n)
    few = tables[:NUMPY_PAIRS]
    with Stopwatch() as numpy:
        plain = [f_by_numpy(one, n) for one in few]
    if plain != found[:NUMPY_PAIRS].tolist():
        raise AssertionError("the two programmes for F disagree")
    each, other = 1e3 * ours.seconds / len(tables), 1e3 * numpy.seconds / len(few)
    return faster(f"F, {name}, k = {k}: one pair", each, other, target=FASTER, what="NumPy programme", unit="CPU ms")


if __name__ == "__main__":
    main(run)
