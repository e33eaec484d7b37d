"""One run of the flagship benchmark: a method, ours or a peer's, on a table, in its own process; and its errors."""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations
from math import comb, prod
from pathlib import Path

import numpy as np

from benchmarks import _unseen
from benchmarks._child import Child, Limits, run_child
from benchmarks._data import ROOT, Codes, Encoded, find, schema_path
from benchmarks._ours import sizes, stack
from benchmarks._peers import ONE_THREAD, problem_with
from benchmarks.peers.setup import PEERS
from benchmarks.utility import independent, redrawn
from understudy import demo
from understudy.rehearsal import table_distances
from understudy.schema import Schema
from understudy.tables import Table, read_table

Columns = tuple[int, ...]
FIELD, STRICT = "(ε, δ = 1e-9), add/remove", "pure ε, replace-one"
FLAGS = {
    FIELD: ("--delta", "1e-9", "--neighbours", "add-remove"),
    STRICT: ("--delta", "0", "--neighbours", "replace-one"),
}
MOST, DRAWN = 20_000, 2_000  # tables of one width: all of them up to so many, else so many that are drawn once
DENSE = 1 << 22  # cells of a table that is counted whole


@dataclass(frozen=True)
class Source:
    """A table of the benchmark: its file, its schema, and the width of the tables that decide."""

    name: str
    table: Path
    schema: Path
    width: int = 3

    @cache  # noqa: B019 (a handful of tables, for the life of the process)
    def read(self) -> Table:
        """Its rows, as codes."""
        return read_table(self.table, Schema.load(self.schema))

    def encoded(self) -> Encoded:
        """What a peer gets: the same codes and sizes."""
        table = self.read()
        names = tuple(attribute.name for attribute in table.domain)
        return Encoded(self.name, names, tuple(sizes(table)), stack(table))


def source_of(name: str) -> Source:
    """The table of that name: the demo, one that nothing was tuned on, or one in the data folder."""
    if name == "demo":
        return Source(name, demo.table_path(), demo.schema_path(), 2)
    if name in _unseen.TITLES:
        return Source(name, _unseen.table_path(name), _unseen.schema_path(name))
    path = find(name, ".csv", ".csv.gz")
    if path is None:
        raise FileNotFoundError(f"no table '{name}' in the data folder: set UNDERSTUDY_DATA")
    return Source(name, path, schema_path(name))


@dataclass(frozen=True)
class Contender:
    """A peer's method: its environment, the script that runs it, its settings, and how it is called in a table."""

    peer: str
    script: str
    settings: dict[str, object]
    label: str
    limits: Limits = field(default_factory=Limits)


def _contender(peer: str, script: str, label: str, **settings: object) -> Contender:
    return Contender(peer, script, settings, label)


CONTENDERS = {
    "mbi-mst": _contender("dpsynth", "run_mechanisms.py", "MST (mbi's authors)", method="mst"),
    "mbi-aim": _contender("dpsynth", "run_mechanisms.py", "AIM (mbi's authors)", method="aim"),
    "mbi-aim-more": Contender(
        "dpsynth", "run_mechanisms.py", {"method": "aim", "degree": 3, "max_iters": 2000},
        "AIM (mbi's authors), all 3-way tables, 2,000 iterations a round", Limits(cpu=3600),
    ),
    "dpsynth-mst": _contender("dpsynth", "run_dpsynth.py", "MST (dpsynth)", method="mst"),
    "dpsynth-swift": _contender("dpsynth", "run_dpsynth.py", "SWIFT (dpsynth)", method="swift"),
    "dpsynth-swift-small": _contender(
        "dpsynth", "run_dpsynth.py", "SWIFT (dpsynth), cliques up to 10⁵ cells, rare values merged",
        method="swift", max_clique_size=1e5, compress=True,
    ),
    "dpsynth-swift-pairs": _contender(
        "dpsynth", "run_dpsynth.py", "SWIFT (dpsynth), pairs as its workload", method="swift", degree=2
    ),
    "dpsynth-swift-more": Contender(
        "dpsynth", "run_dpsynth.py", {"method": "swift"}, "SWIFT (dpsynth), an hour", Limits(cpu=3600)
    ),
    "dpsynth-aim-gdp": _contender("dpsynth", "run_dpsynth.py", "AIM-GDP (dpsynth)", method="aim-gdp"),
    "dpmm-mst": _contender("dpmm", "run_dpmm.py", "MST (dpmm)", method="mst"),
    "dpmm-aim": _contender("dpmm", "run_dpmm.py", "AIM (dpmm)", method="aim"),
}  # fmt: skip

REFERENCES = {"fresh-sample": redrawn, "shuffled": independent}
"""No releases: real rows drawn anew, with replacement, and every column shuffled on its own."""


@dataclass(frozen=True)
class Run:
    """A method on a table at an ε, under a promise, with a seed."""

    table: str
    method: str
    epsilon: float
    seed: int
    promise: str = FIELD

    @property
    def ours(self) -> bool:
        return self.method not in CONTENDERS and self.method not in REFERENCES

    @property
    def key(self) -> str:
        """All that decides it; for ours that is the program too."""
        settings = CONTENDERS[self.method].settings if self.method in CONTENDERS else {}
        made = our_code() if self.ours else json.dumps(settings, sort_keys=True)
        return f"{self.table}|{self.method}|{self.promise}|{self.epsilon:g}|{self.seed}|{made}"

    def do(self) -> tuple[Child, dict[str, float]]:
        """Run it, and measure its rows; no errors where it gave none."""
        source = source_of(self.table)
        if self.method in REFERENCES:
            codes = REFERENCES[self.method](source.encoded().codes)
            return Child(0.0, 0.0, 0.0), errors(source, table_of(source, codes))
        with tempfile.TemporaryDirectory() as folder:
            child, rows = (self._ours if self.ours else self._theirs)(source, Path(folder))
            if child.problem is not None or rows is None:
                return child, {}
            return child, errors(source, rows)

    def _ours(self, source: Source, folder: Path) -> tuple[Child, Table | None]:
        command = [sys.executable, "-m", "understudy", "publish", source.table, "--schema", source.schema]
        command += ["--epsilon", self.epsilon, "--method", self.method, *FLAGS[self.promise]]
        command += ["--seed", self.seed, "--out", folder / "release", "--rows", source.read().n, "--format", "csv"]
        # byte code is kept, as that of every installed package is, peers' among them
        env = {"PYTHONPATH": str(ROOT / "src"), "PYTHONDONTWRITEBYTECODE": ""}
        child = run_child(command, limits=Limits(), env=env)
        made = folder / "release" / "synthetic.NOT-PRIVATE.csv"  # seeded: a rehearsal
        return child, read_table(made, Schema.load(source.schema)) if child.problem is None else None

    def _theirs(self, source: Source, folder: Path) -> tuple[Child, Table | None]:
        contender = CONTENDERS[self.method]
        problem = problem_with(contender.peer)
        if problem is not None:
            return Child(0.0, 0.0, 0.0, problem), None
        encoded = source.encoded()
        codes, sizes_file = encoded.write(folder)
        out = folder / "out.csv"
        command = [PEERS[contender.peer].python, Path(__file__).parent / "peers" / contender.script]
        command += ["--codes", codes, "--sizes", sizes_file, "--rows", encoded.n, "--epsilon", self.epsilon]
        command += ["--seed", self.seed, "--out", out, "--report", folder / "report.json"]
        command += ["--settings", json.dumps(contender.settings)]
        child = run_child(command, limits=contender.limits, env=ONE_THREAD)
        if child.problem is not None:
            return child, None
        found = np.loadtxt(out, dtype=np.int64, delimiter=",", skiprows=1)
        return child, table_of(source, found)


def table_of(source: Source, codes: Codes) -> Table:
    """Rows of codes under the source's domain."""
    return Table(source.read().domain, tuple(np.ascontiguousarray(column) for column in codes.T))


@cache
def our_code() -> str:
    """A fingerprint of the program: a run of other code is another run."""
    folder = ROOT / "src" / "understudy"
    files = sorted(folder.rglob("*.py"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:12]


def errors(source: Source, rows: Table) -> dict[str, float]:
    """The mean total variation distance over all 1-way, 2-way and 3-way tables, as far as the source's width."""
    real = source.read()
    widths = range(1, source.width + 1)
    return {f"{k}-way": float(np.mean(distances(real, rows, tables_of(len(real.columns), k)))) for k in widths}


def tables_of(d: int, width: int) -> list[Columns]:
    """All tables of that width; where they are too many, 2,000 that are drawn once for each number of columns."""
    if comb(d, width) <= MOST:
        return list(combinations(range(d), width))
    rng = np.random.default_rng(d)
    return [tuple(sorted(rng.choice(d, size=width, replace=False).tolist())) for _ in range(DRAWN)]


def distances(real: Table, rows: Table, groups: list[Columns]) -> np.ndarray:
    """One distance a group; tables too large to be counted whole are counted where there are rows."""
    sized = sizes(real)
    cells = np.array([prod(sized[c] for c in group) for group in groups])
    found = np.empty(len(groups))
    small = np.flatnonzero(cells <= DENSE)
    if len(small):
        found[small] = table_distances(real, [rows], [groups[i] for i in small])[0]
    for i in np.flatnonzero(cells > DENSE):
        found[i] = sparse_distance(real, rows, groups[i])
    return found


def sparse_distance(real: Table, rows: Table, group: Columns) -> float:
    """Half the L1 distance of shares, over the cells that either table has."""
    sized = sizes(real)

    def places(table: Table) -> np.ndarray:
        place = np.zeros(table.n, dtype=np.int64)
        for c in group:
            place = place * sized[c] + table.columns[c]
        return place

    both = np.concatenate([places(real), places(rows)])
    _, at = np.unique(both, return_inverse=True)
    counts = [np.bincount(part, minlength=at.max() + 1) for part in (at[: real.n], at[real.n :])]
    return float(np.abs(counts[0] / real.n - counts[1] / rows.n).sum() / 2)
