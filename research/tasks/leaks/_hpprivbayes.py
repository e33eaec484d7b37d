"""HPPrivBayes: rows 4 to 7 of the soundness review."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from research.tasks.leaks._audit import Audit, Event, Remembered, open_audited, table_of, tied
from understudy._core.randomness import Streams, streams
from understudy.methods import HPPrivBayes
from understudy.methods.printed import (
    PrintedSpec,
    fit_as_printed,
    noisy_tables,
    order_by_information,
    pairwise_information,
    read_split,
    split_groups,
)
from understudy.models import NetworkModel, Node
from understudy.privacy import Curator, make_noise

_SPLIT_EPSILON = Fraction(4, 5)  # ε₁ = 0.2, ε₂ = 0.15, ε₃ = 0.45
_NOTHING = PrintedSpec(sensitive=2, split=read_split(None, None, None, None), k=2, threshold=0.1)
_SPLIT = PrintedSpec(
    sensitive=1, split=read_split(Fraction(1, 4), Fraction(3, 16), Fraction(9, 16), None), k=1, threshold=0.1
)
_ALONE = tuple(Node(a) for a in range(8))


def _seeded(
    happens: Callable[[Curator, Streams], bool], *, printed: bool, epsilon: Fraction | int = 1
) -> Callable[[int], Event]:
    def seeded(seed: int) -> Event:
        noise = make_noise(seed=seed)

        def event(table: Remembered, trial: int) -> bool:
            curator = open_audited(table, noise, no_guarantee=printed, epsilon=epsilon)
            return happens(curator, Streams(1_000_003 * seed + trial))

        return event

    return seeded


# Row 4: which column comes first.
def _root(curator: Curator, coins: Streams) -> bool:
    return order_by_information(pairwise_information(curator))[0] == 0


def _leans_on_first(curator: Curator, coins: Streams) -> bool:
    nodes = HPPrivBayes(k=1).fit(curator, streams=coins).network.nodes
    return nodes[0].child == 0 and nodes[-1].parents[0].attribute == 0


# Row 5: a says much about c, so it is in group A; b is alone in group B; with d − l = k group A has no noise.
def _unique() -> tuple[Remembered, Remembered]:
    coins = streams(0).get("experiments", "leaks", "unique")
    a, b = coins.integers(0, 2, 500), coins.integers(0, 2, 500)
    c = np.where(coins.random(500) < 0.9, a, 1 - a)
    tables = []
    for value in (2, 0):
        a[0] = value
        tables.append(table_of(np.stack([a, b, c], axis=1), (3, 2, 2), sensitive="c"))
    return tables[0], tables[1]


def _appears(model: NetworkModel, coins: Streams) -> bool:
    [columns] = model.sample_codes(500, streams=coins, independent=True)
    return bool((columns[0] == 2).any())


def _appears_as_printed(curator: Curator, coins: Streams) -> bool:
    return _appears(fit_as_printed(curator, _NOTHING), coins)


def _appears_repaired(curator: Curator, coins: Streams) -> bool:
    return _appears(HPPrivBayes(k=2).fit(curator, streams=coins), coins)


# Row 6: a and b have 0.10002 bits in common, or 0.09891 with one record moved; the limit is 0.1.
def _related() -> tuple[Remembered, Remembered]:
    rest = streams(1).get("experiments", "leaks", "related").integers(0, 2, (1000, 6)).tolist()
    tables = []
    for moved in (0, 1):
        cells = [((0, 0), 342 - moved), ((0, 1), 158 + moved), ((1, 0), 158), ((1, 1), 342)]
        pairs = [pair for pair, count in cells for _ in range(count)]
        rows = [(*pair, *others) for pair, others in zip(pairs, rest, strict=True)]
        tables.append(table_of(rows, (2,) * 8, sensitive="b"))
    return tables[0], tables[1]


def _far_off(curator: Curator, coins: Streams) -> bool:
    groups = split_groups(pairwise_information(curator)[1], _SPLIT)
    [exact] = curator.reveal([_ALONE[0].marginal])
    return bool((np.abs(noisy_tables(curator, _ALONE, *groups, _SPLIT)[0] - exact) > 100).any())


def _joins(curator: Curator, coins: Streams) -> bool:
    return HPPrivBayes(companions=1, k=0).fit(curator, streams=coins).network.nodes[-2].child == 0


# Row 7: a value that one person has, or two.
def _rare() -> tuple[Remembered, Remembered]:
    other = streams(2).get("experiments", "leaks", "rare").integers(0, 2, 1000)
    one, two = (
        table_of([(int(i < count), int(b)) for i, b in enumerate(other)], (2, 2), sensitive="a") for count in (1, 2)
    )
    return one, two


def _huge(curator: Curator, coins: Streams) -> bool:
    return abs(int(noisy_tables(curator, _ALONE[:2], [1], [0], _SPLIT)[0][0])) > 100 * 1000


def _off_by_some(curator: Curator, coins: Streams) -> bool:
    model = HPPrivBayes(weights="rare", k=0).fit(curator, streams=coins)
    return abs(int(model.measurements[-1].counts[0]) - 998) > 15


AUDITS = (
    Audit(
        paper="HPPrivBayes",
        row=4,
        what="which column comes first",
        claimed=1.0,
        tables=lambda: tied("c"),
        printed=_seeded(_root, printed=True),
        repaired=_seeded(_leans_on_first, printed=False),
        trials=(5_000, 500),
    ),
    Audit(
        paper="HPPrivBayes",
        row=5,
        what="synthetic rows alone: a value that one person has appears",
        claimed=1.0,
        tables=_unique,
        printed=_seeded(_appears_as_printed, printed=True),
        repaired=_seeded(_appears_repaired, printed=False),
        trials=(1_000, 500),
    ),
    Audit(
        paper="HPPrivBayes",
        row=6,
        what="how far a table is off",
        claimed=0.8,
        tables=_related,
        printed=_seeded(_far_off, printed=True, epsilon=_SPLIT_EPSILON),
        repaired=_seeded(_joins, printed=False, epsilon=_SPLIT_EPSILON),
        trials=(1_000, 400),
    ),
    Audit(
        paper="HPPrivBayes",
        row=7,
        what="how far the common value is off",
        claimed=0.8,
        tables=_rare,
        printed=_seeded(_huge, printed=True, epsilon=_SPLIT_EPSILON),
        repaired=_seeded(_off_by_some, printed=False, epsilon=_SPLIT_EPSILON),
        trials=(5_000, 500),
    ),
)
