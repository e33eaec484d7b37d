"""Fit and sample at ε = 1 on Adult (16 bins) and NLTCS: CPU time and 3-way distance against two peers.

All get the same codes and the same declared domains, and sample as many rows as they were given. Imports are not
counted for anyone, nor is our compilation, which has a line of its own. A peer's runs are kept in `.bench/results`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from typing import Any

import numpy as np

from benchmarks._data import ROOT, Encoded, load
from benchmarks._metrics import distances
from benchmarks._ours import STRICT, publish
from benchmarks._peers import PeerRun, run_peer
from benchmarks._report import Line, Options, faster, main

EPSILON = 1.0
TABLES = ("adult_privbayes16", "nltcs")
PEERS: tuple[tuple[str, str, dict[str, object], int], ...] = (  # peer, how to call it, its settings, seeds
    ("datasynthesizer", "DataSynthesizer, correlated, degree 2", {"degree": 2}, 5),
    ("dpmm", "dpmm PrivBayes, δ = 1e-9, its default degree (one parent)", {"degree": 2}, 5),
    ("dpmm", "dpmm PrivBayes, δ = 1e-9, two parents", {"degree": 3}, 1),
)
FASTER = 50
LIKE_DPMM: dict[str, Any] = {"delta": "1e-9", "neighbours": "add-remove"}  # its promise, which is weaker


def run(options: Options) -> list[Line]:
    lines = []
    for name in TABLES:
        lines.extend(compare_one(load(name), options))
    return [*lines, *cold_start()]


def compare_one(table: Encoded, options: Options) -> list[Line]:
    """All lines of one table."""
    n_seeds = 1 if options.quick else 5
    ours = [our_run(table, seed) for seed in range(-1, 5)][1:]  # the first compiles, and is not counted
    seconds, distance = np.mean([run[0] for run in ours]), np.array([run[1] for run in ours])
    like_dpmm = np.array([our_run(table, seed, LIKE_DPMM)[1] for seed in range(5)])
    lines = []
    for peer, label, settings, most in PEERS:
        found = [
            run_peer(peer, table, seed=seed, epsilon=EPSILON, fresh=options.fresh, stored=options.stored, **settings)
            for seed in range(min(n_seeds, most))
        ]
        theirs = [run for run in found if run is not None and run.synthetic is not None]
        if not theirs:
            lines.append(Line(f"speed, {table.name}", f"{seconds:.3g} CPU s", f"{label}: left out"))
            continue
        spent = float(np.mean([run.seconds for run in theirs]))
        task = f"fit and sample, {table.name}, ε = 1"
        lines.append(faster(task, float(seconds), spent, target=FASTER, what=label))
        lines.append(_distance_line(table, label, distance, theirs, "pure ε, replace-one"))
        if peer == "dpmm":
            lines.append(_distance_line(table, label, like_dpmm, theirs, "dpmm's promise"))
    return lines


def _distance_line(table: Encoded, label: str, ours: np.ndarray, theirs: list[PeerRun], promise: str) -> Line:
    tables = [run.synthetic for run in theirs if run.synthetic is not None]
    other = np.array([distances(table.codes, synthetic, table.sizes)[1] for synthetic in tables])
    return Line(
        f"mean 3-way distance, {table.name}, ε = 1 ({promise})",
        f"{ours.mean():.4f} ({ours.min():.4f}–{ours.max():.4f}, {len(ours)} seeds)",
        f"{label}: {other.mean():.4f} ({other.min():.4f}–{other.max():.4f}, {len(other)} seeds)",
        float(other.mean() / ours.mean()),
        "clearly better: every seed of ours below every one of theirs",
        bool(ours.max() < other.min()),
    )


def our_run(table: Encoded, seed: int, promise: dict[str, Any] = STRICT) -> tuple[float, float]:
    """CPU seconds and 3-way distance of one run, from a pandas table to a pandas table."""
    seconds, codes = publish(table, epsilon=EPSILON, seed=abs(seed), **promise)
    return seconds, distances(table.codes, codes, table.sizes)[1]


def cold_start() -> list[Line]:
    """What compilation costs: the first run ever, and the first of a process once the kernels are on disk."""
    with tempfile.TemporaryDirectory() as cache:
        command = [sys.executable, "-c", "from benchmarks.speed import *; print(our_run(load('nltcs'), 0)[0])"]
        environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
        ever, process = (
            float(subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True).stdout)
            for _ in range(2)
        )
    return [
        Line("first run of all on NLTCS, kernels compiled", f"{ever:.3g} CPU s"),
        Line("first run of a process on NLTCS, kernels from disk", f"{process:.3g} CPU s"),
    ]


if __name__ == "__main__":
    main(run)
