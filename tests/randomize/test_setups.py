"""The paper's two setups beside each other: without a miner fewer columns are randomised, so parameters are better."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from tests.randomize.setup_one import HOLDERS, PARENTS, conditionals, rows, schema_of
from understudy._core.randomness import SeededBytes, Streams
from understudy.privacy import make_budget, make_noise, open_curator
from understudy.randomize import Inbox, PartyColumns, Plan, UnmixedCounts, plan
from understudy.randomize._draw import BlockDraw, Words
from understudy.randomize._own import as_it_is
from understudy.randomize._own_tables import OwnTables
from understudy.schema import Domain, Marginal, Schema
from understudy.tables import Table

N, RUNS, LOCAL, CENTRAL = 5_000, 4, 2, 1
SENT = {"travel": ["tub"], "clinic": ["lung", "bronc"]}
Codes = dict[str, np.ndarray]


def columns_of(made: Plan, codes: Codes) -> PartyColumns:
    table = Table(made.schema.domain, tuple(codes[name] for name in made.schema.names))
    return PartyColumns(made, table, np.stack([np.arange(N), np.zeros(N)], axis=1).astype(np.uint64))


def published(made: Plan, codes: Codes, words: Words) -> PartyColumns:
    sent = {}
    for block in made.blocks:
        true = [codes[name].astype(np.uint8) for name in block.columns]
        sent |= dict(zip(block.columns, BlockDraw(block)(true, words), strict=True))
    return columns_of(made, sent)


def families(domain: Domain, names: tuple[str, ...]) -> list[Marginal]:
    return [Marginal.of(*(domain.index(each) for each in (*PARENTS[name], name))) for name in names]


def with_a_miner(codes: Codes, words: Words) -> dict[str, np.ndarray]:
    """Setup II: every column is randomised."""
    inbox = Inbox([published(plan(schema_of(party), epsilon=LOCAL), codes, words) for party in HOLDERS])
    tables = UnmixedCounts(inbox).fitted(families(inbox.domain, tuple(PARENTS)))
    return {
        name: table / table.sum(axis=-1, keepdims=True).clip(1e-9) for name, table in zip(PARENTS, tables, strict=True)
    }


def without_a_miner(codes: Codes, words: Words, seed: int) -> dict[str, np.ndarray]:
    """Setup I: cross parents are, with the same ε; counts of true columns get noise."""
    sent = [
        published(plan(schema_of(party), epsilon=LOCAL, columns=names), codes, words) for party, names in SENT.items()
    ]
    noise, found = make_noise(seed=seed), {}
    for party, names in HOLDERS.items():
        mine = columns_of(as_it_is(party, Schema.from_dict(schema_of(party))), codes)
        inbox = Inbox([mine, *(sent if party == "imaging" else [])])
        tables = OwnTables(UnmixedCounts(inbox), frozenset(range(len(names))), families(inbox.domain, names))
        learnt = tables.measure(open_curator(tables, budget=make_budget(Fraction(CENTRAL)), noise=noise))
        found |= {name: one.probabilities for name, one in zip(names, learnt, strict=True)}
    return found


def error(found: dict[str, np.ndarray]) -> float:
    truth = conditionals()
    return float(np.mean(np.concatenate([abs(found[name] - truth[name]).ravel() for name in PARENTS])))


def test_at_the_same_local_epsilon_parameters_are_better_without_a_miner() -> None:
    """Mean absolute errors of 4 seeded runs: about 0.018 and 0.052, so the factor 2 asked for here leaves room."""
    miner, no_miner = 0.0, 0.0
    for run in range(RUNS):
        codes, words = rows(N, Streams(run).get("people")), Words(SeededBytes(run))
        miner += error(with_a_miner(codes, words))
        no_miner += error(without_a_miner(codes, words, seed=run))
    assert no_miner < 0.5 * miner
