"""Parties with a miner and without one: how far off the parameters of a known network are at the same ε.

An Asia-like network over three parties. With a miner every party randomises all its columns at ε. Without one only
cross parents are randomised, and parameters get central noise: at ε for what is sent and 1 for the noise (same ε
sent), at half of ε each (same ε in all), or without noise, as the paper prints it.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks._report import Line, Options, main
from understudy._core.randomness import SeededBytes, Streams
from understudy.randomize import apply, cross, learn, open_inbox, own, plan
from understudy.schema import Schema

SECRET = "there is nobody behind these rows"
N, RUNS, QUICK_RUNS = 20_000, 10, 2
PARENTS: dict[str, tuple[str, ...]] = {
    "asia": (),
    "smoke": (),
    "tub": ("asia",),
    "lung": ("smoke",),
    "bronc": ("smoke",),
    "either": ("tub", "lung"),
    "xray": ("either",),
    "dysp": ("either", "bronc"),
}
HOLDERS = {"travel": ("asia", "tub"), "clinic": ("smoke", "lung", "bronc"), "imaging": ("either", "xray", "dysp")}
SIZES = dict.fromkeys(PARENTS, 2) | {"bronc": 3}
Codes = dict[str, np.ndarray]


def truth() -> Codes:
    """Probabilities of at least 0.12."""
    rng, found = Streams(11).get("conditionals"), {}
    for name, parents in PARENTS.items():
        drawn = rng.dirichlet(np.ones(SIZES[name]), size=[SIZES[parent] for parent in parents])
        found[name] = 0.12 + drawn * (1 - 0.12 * SIZES[name])
    return found


def rows(seed: int) -> Codes:
    rng, codes = Streams(seed).get("rows"), {}
    for name, table in truth().items():
        chances = np.broadcast_to(table[tuple(codes[parent] for parent in PARENTS[name])], (N, SIZES[name]))
        codes[name] = (rng.random(N)[:, None] > chances.cumsum(axis=1)[:, :-1]).sum(axis=1)
    return codes


def schema_of(party: str) -> Schema:
    fields = [{"name": name, "categories": [str(code) for code in range(SIZES[name])]} for name in HOLDERS[party]]
    return Schema.from_dict({"name": party, "fields": fields})


def table_of(party: str, codes: Codes) -> pa.Table:
    return pa.table({"person": np.arange(N), **{name: codes[name].astype(str) for name in HOLDERS[party]}})


def send(folder: Path, party: str, codes: Codes, seed: int, **plan_options: Any) -> Path:
    """A party's randomised file: seeded, as no person is behind the rows."""
    out = folder / f"{party}.parquet"
    bits = SeededBytes(seed * len(HOLDERS) + list(HOLDERS).index(party))
    made = plan(schema_of(party), **plan_options)
    apply(table_of(party, codes), made, out=out, key="person", secret=SECRET, source_of_bits=bits, overwrite=True)
    return out


def with_miner(folder: Path, codes: Codes, seed: int, epsilon: Fraction) -> Codes:
    files = [send(folder, party, codes, seed, epsilon=epsilon) for party in HOLDERS]
    learned = learn(open_inbox(files), structure=PARENTS)
    return {family.child: family.probabilities for family in learned.families}


def without_miner(folder: Path, codes: Codes, seed: int, sent: Fraction, central: Fraction | None) -> Codes:
    exchange, files = cross(PARENTS, {party: schema_of(party) for party in HOLDERS}), {}
    for party in exchange.parties:
        if party.sent:
            files[party.name] = send(folder, party.name, codes, seed, epsilon=sent, columns=party.sent)
    found = {}
    for number, party in enumerate(exchange.parties):
        piece = own(
            table_of(party.name, codes),
            [files[sender] for sender in party.receives],
            structure=PARENTS,
            schema=schema_of(party.name),
            party=party.name,
            key="person",
            secret=SECRET,
            epsilon=central,
            no_guarantee=central is None,
            seed=None if central is None else seed * len(HOLDERS) + number,
            out=folder / f"{party.name}.json",
            overwrite=True,
        )
        found |= {variable.name: variable.probabilities for variable in piece.variables}
    return found


def error(found: Codes) -> float:
    """Mean absolute error of all probabilities."""
    return float(np.mean(np.concatenate([abs(found[name] - table).ravel() for name, table in truth().items()])))


def run(options: Options) -> list[Line]:
    runs = QUICK_RUNS if options.quick else RUNS
    return [compare(Fraction(epsilon), runs) for epsilon in ("0.5", "1", "2", "4")]


def compare(epsilon: Fraction, runs: int) -> Line:
    """All ways at one ε."""
    found: dict[str, list[float]] = {}
    with TemporaryDirectory() as place:
        folder = Path(place)
        for seed in range(runs):
            codes = rows(seed)
            found.setdefault("miner", []).append(error(with_miner(folder, codes, seed, epsilon)))
            for way, sent, central in (
                ("same ε sent", epsilon, Fraction(1)),
                ("same ε in all", epsilon / 2, epsilon / 2),
                ("exact", epsilon, None),
            ):
                found.setdefault(way, []).append(error(without_miner(folder, codes, seed, sent, central)))
    means = {way: float(np.mean(errors)) for way, errors in found.items()}
    return Line(
        f"no miner, ε = {float(epsilon):g} a party: mean error of a parameter, {runs} runs",
        f"same ε sent {means['same ε sent']:.4f}, same ε in all {means['same ε in all']:.4f}",
        f"miner {means['miner']:.4f}; no miner, exact (no guarantee) {means['exact']:.4f}",
        means["miner"] / means["same ε in all"],
    )


if __name__ == "__main__":
    main(run)
