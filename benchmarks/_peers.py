"""Run a peer in its own environment, and remember what it did."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks._data import Codes, Encoded
from benchmarks.peers.setup import BENCH, PEERS, set_up

RESULTS = BENCH / "results"
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}  # spinning is not work


@dataclass(frozen=True)
class PeerRun:
    """One run: CPU seconds by phase, the package's version, its own words on privacy, and its rows."""

    cpu: dict[str, float]
    version: str
    privacy: str
    peak_kb: int
    synthetic: Codes | None

    @property
    def seconds(self) -> float:
        """Fit and sample together: what is compared."""
        return self.cpu.get("fit", 0.0) + self.cpu["sample"]


@cache
def problem_with(name: str) -> str | None:
    """Why a peer cannot run here, told once."""
    problem = set_up(PEERS[name])
    if problem is not None:
        print(f"notice: {name} is left out: {problem}", flush=True)
    return problem


@cache
def installed_version(name: str) -> str:
    """The version that the peer's environment holds."""
    package = PEERS[name].packages[0].split("==")[0]
    code = f"from importlib.metadata import version; print(version({package!r}))"
    return subprocess.run([PEERS[name].python, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def run_peer(
    name: str,
    table: Encoded,
    *,
    seed: int,
    epsilon: float,
    fresh: bool = False,
    stored: bool = False,
    timeout: float = 7200,
    **settings: object,
) -> PeerRun | None:
    """Fit and sample as many rows as the table has; from the store where this very run was made before.

    With `stored` a run that is not there is left out.
    """
    if problem_with(name) is not None:
        return None
    stem = stem_of(name, table, seed=seed, epsilon=epsilon, **settings)
    report, rows = stem.with_name(stem.name + ".json"), stem.with_name(stem.name + ".npz")
    known = report.exists() and rows.exists()
    if stored and not known:
        return None
    if fresh or not known:
        codes, sizes = table.write(BENCH / "tables")
        out = BENCH / "tables" / f"{stem.name}.out.csv"
        options = ["--sizes", sizes, "--epsilon", epsilon, "--seed", seed, "--settings", json.dumps(settings)]
        failed = stem.with_name(stem.name + ".failed")
        failed.unlink(missing_ok=True)
        reason = _execute(name, codes, table.n, out, report, options, timeout)
        if reason is not None:
            failed.write_text(reason)
            return None
        synthetic = np.loadtxt(out, dtype=np.int64, delimiter=",", skiprows=1)
        np.savez_compressed(rows, codes=synthetic.astype(np.uint16))
        out.unlink()
    told = json.loads(report.read_text())
    synthetic = np.load(rows)["codes"].astype(np.int64)
    return PeerRun(told["cpu"], told["version"], told["privacy"], told["peak_kb"], synthetic)


def stem_of(name: str, table: Encoded, *, seed: int, epsilon: float, **settings: object) -> Path:
    """Where a run is kept, but for the ending: everything that decides it is in the name."""
    own = "".join(f"-{key}{value}" for key, value in sorted(settings.items()))
    return RESULTS / f"{name}-{installed_version(name)}{own}-{table.name}-eps{epsilon:g}-seed{seed}"


def why_absent(name: str, table: Encoded, *, seed: int, epsilon: float, **settings: object) -> str:
    """Why there is no such run: the peer cannot be installed, it failed when last tried, or it was never tried."""
    problem = problem_with(name)
    if problem is not None:
        return problem
    stem = stem_of(name, table, seed=seed, epsilon=epsilon, **settings)
    failed = stem.with_name(stem.name + ".failed")
    return failed.read_text() if failed.exists() else "not run"


def run_sampler(bif: Path, *, rows: int, seed: int) -> PeerRun | None:
    """pgmpy's forward sampling from a BIF file; never from the store, since the network is new each time."""
    if problem_with("pgmpy") is not None:
        return None
    report, out = BENCH / "tables" / "pgmpy.json", BENCH / "tables" / "pgmpy.csv"
    if _execute("pgmpy", bif, rows, out, report, ["--seed", seed], 3600) is not None:
        return None
    told = json.loads(report.read_text())
    return PeerRun(told["cpu"], told["version"], told["privacy"], told["peak_kb"], None)


def run_structure(
    table: Encoded, *, order: bool, fresh: bool = False, stored: bool = False
) -> tuple[PeerRun, set[tuple[str, str]]] | None:
    """pgmpy's structure learning from clean codes: what it took, and the links it found; from the store if there."""
    if problem_with("pgmpy") is not None:
        return None
    settings = {"order": order}
    stem = stem_of("pgmpy", table, seed=0, epsilon=float("inf"), structure=True, **settings)
    report = stem.with_name(stem.name + ".json")
    if not report.exists() and stored:
        return None
    if fresh or not report.exists():
        codes, sizes = table.write(BENCH / "tables")
        options: list[object] = ["--sizes", sizes, "--settings", json.dumps(settings)]
        script = "run_pgmpy_structure.py"
        if (
            _execute("pgmpy", codes, table.n, stem.with_suffix(".out"), report, options, 3600, script=script)
            is not None
        ):
            return None
    told = json.loads(report.read_text())
    run = PeerRun(told["cpu"], told["version"], told["privacy"], told["peak_kb"], None)
    return run, {(parent, child) for parent, child in told["links"]}


def _execute(
    name: str,
    codes: Path,
    rows: int,
    out: Path,
    report: Path,
    options: list[object],
    timeout: float,
    *,
    script: str | None = None,
) -> str | None:
    """Run the peer's script; the reason, when it gives no result."""
    peer = PEERS[name]
    report.parent.mkdir(parents=True, exist_ok=True)
    path = Path(__file__).parent / "peers" / (script or peer.script)
    command = [peer.python, path, "--codes", codes, "--rows", rows, "--out", out, "--report", report, *options]
    reason = None
    try:
        done = subprocess.run(
            [str(part) for part in command],
            capture_output=True,
            text=True,
            timeout=timeout,
            env={**os.environ, **ONE_THREAD},
        )
    except subprocess.TimeoutExpired:
        reason = f"no result within {timeout:g} s"
    else:
        if done.returncode:
            reason = f"it failed with: {(done.stderr.strip().splitlines() or ['no message'])[-1]}"
    if reason is not None:
        print(f"notice: {name} is left out: {reason}", flush=True)
    return reason
