"""Parties with a miner and without one: how far off the parameters of a known network are at the same ε.

An Asia-like network over three parties. With a miner every party randomises all its columns at ε. Without one only
cross parents are randomised, and parameters get central noise: at ε for what is sent and 1 for the noise (same ε
sent), at half of ε each (same ε in all), or without noise, as the paper prints it.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from benchmarks._report import Line, Options, main
from understudy._core.randomness import Streams, SystemBytes
from understudy.privacy import make_budget, open_curator
from understudy.randomize import Inbox, PartyColumns, Plan, UnmixedCounts, cross, plan
from understudy.randomize._draw import BlockDraw, Words
from understudy.randomize._own import as_it_is
from understudy.randomize._own_tables import OwnTables
from understudy.schema import Domain, Marginal, Schema
from understudy.tables import Table

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


def columns_of(made: Plan, codes: Codes) -> PartyColumns:
    table = Table(made.schema.domain, tuple(codes[name] for name in made.schema.names))
    return PartyColumns(made, table, np.stack([np.arange(N), np.zeros(N)], axis=1).astype(np.uint64))


def published(made: Plan, codes: Codes) -> PartyColumns:
    words, sent = Words(SystemBytes()), {}
    for block in made.blocks:
        true = [codes[name].astype(np.uint8) for name in block.columns]
        sent |= dict(zip(block.columns, BlockDraw(block)(true, words), strict=True))
    return columns_of(made, sent)


def families(domain: Domain, names: tuple[str, ...]) -> list[Marginal]:
    return [Marginal.of(*(domain.index(each) for each in (*PARENTS[name], name))) for name in names]


def with_miner(codes: Codes, epsilon: Fraction) -> Codes:
    inbox = Inbox([published(plan(schema_of(party), epsilon=epsilon), codes) for party in HOLDERS])
    tables = UnmixedCounts(inbox).fitted(families(inbox.domain, tuple(PARENTS)))
    return {
        name: table / np.maximum(table.sum(axis=-1, keepdims=True), 1e-9)
        for name, table in zip(PARENTS, tables, strict=True)
    }


def without_miner(codes: Codes, sent: Fraction, central: Fraction | None) -> Codes:
    exchange, files = cross(PARENTS, {party: schema_of(party) for party in HOLDERS}), {}
    for party in exchange.parties:
        if party.sent:
            files[party.name] = published(plan(schema_of(party.name), epsilon=sent, columns=party.sent), codes)
    found = {}
    for party in exchange.parties:
        names = HOLDERS[party.name]
        mine = columns_of(as_it_is(party.name, schema_of(party.name)), codes)
        inbox = Inbox([mine, *(files[sender] for sender in party.receives)])
        tables = OwnTables(UnmixedCounts(inbox), frozenset(range(len(names))), families(inbox.domain, names))
        curator = open_curator(tables, budget=make_budget(central or 1), noiseless=None if central else "all")
        found |= {name: one.probabilities for name, one in zip(names, tables.measure(curator), strict=True)}
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
    for seed in range(runs):
        codes = rows(seed)
        found.setdefault("miner", []).append(error(with_miner(codes, epsilon)))
        for way, sent, central in (
            ("same ε sent", epsilon, Fraction(1)),
            ("same ε in all", epsilon / 2, epsilon / 2),
            ("exact", epsilon, None),
        ):
            found.setdefault(way, []).append(error(without_miner(codes, sent, central)))
    means = {way: float(np.mean(errors)) for way, errors in found.items()}
    return Line(
        f"no miner, ε = {float(epsilon):g} a party: mean error of a parameter, {runs} runs",
        f"same ε sent {means['same ε sent']:.4f}, same ε in all {means['same ε in all']:.4f}",
        f"miner {means['miner']:.4f}; no miner, exact (no guarantee) {means['exact']:.4f}",
        means["miner"] / means["same ε in all"],
    )


if __name__ == "__main__":
    main(run)
