"""PrivABN: rows 1 to 3 of the soundness review, and exact losses of its tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from research.tasks.leaks._audit import Audit, Event, Remembered, open_audited, table_of, tied
from understudy._core.randomness import Streams
from understudy.methods import PrivABN, PrivABNAsPrinted
from understudy.methods.printed import noisy_conditionals
from understudy.models import NetworkModel, Node
from understudy.privacy import make_noise
from understudy.schema import Axis

_PRINTED, _REPAIRED = PrivABNAsPrinted(), PrivABN()
_ROWS = 1000


def _lonely() -> tuple[Remembered, Remembered]:
    """One record alone has A = 1, and its B is 1 or 0."""
    rest = [(0, 0)] * 499 + [(0, 1)] * 500
    return table_of([*rest, (1, 1)], (2, 2)), table_of([*rest, (1, 0)], (2, 2))


def _event(
    method: PrivABN | PrivABNAsPrinted, happens: Callable[[NetworkModel, Streams], bool]
) -> Callable[[int], Event]:
    def seeded(seed: int) -> Event:
        noise = make_noise(seed=seed)

        def event(table: Remembered, trial: int) -> bool:
            coins = Streams(1_000_003 * seed + trial)
            curator = open_audited(table, noise, no_guarantee=method is _PRINTED)
            return happens(method.fit(curator, streams=coins), coins)

        return event

    return seeded


def _drawn(model: NetworkModel, coins: Streams) -> tuple[int, int]:
    """How many of 1,000 synthetic rows are (1, 1), and how many (1, 0)."""
    batches = list(model.sample_codes(_ROWS, streams=coins, independent=True))
    a, b = (np.concatenate([batch[i] for batch in batches]) for i in range(2))
    return int(((a == 1) & (b == 1)).sum()), int(((a == 1) & (b == 0)).sum())


def _sixteen(model: NetworkModel, coins: Streams) -> bool:
    ones, zeros = _drawn(model, coins)
    return ones >= 16 and zeros == 0


def _more(model: NetworkModel, coins: Streams) -> bool:
    ones, zeros = _drawn(model, coins)
    return ones > zeros


def _likelier(model: NetworkModel, coins: Streams) -> bool:
    first, second = model.network.nodes
    return first.child == 0 and bool(second.parents) and bool(model.conditionals[1][1, 1] > 0.5)


def _alone(model: NetworkModel, coins: Streams) -> bool:
    third = model.network.nodes[2]
    return third.child == 2 and [axis.attribute for axis in third.parents] == [0]


def _depends(model: NetworkModel, coins: Streams) -> bool:
    return any(node.child == 2 and Axis(0) in node.parents for node in model.network.nodes)


AUDITS = (
    Audit(
        paper="PrivABN",
        row=1,
        what="synthetic rows alone",
        claimed=1.0,
        tables=_lonely,
        printed=_event(_PRINTED, _sixteen),
        repaired=_event(_REPAIRED, _more),
        trials=(5_000, 500),
    ),
    Audit(
        paper="PrivABN",
        row=2,
        what="the model's conditionals",
        claimed=1.0,
        tables=_lonely,
        printed=_event(_PRINTED, _likelier),
        repaired=_event(_REPAIRED, _likelier),
        trials=(5_000, 500),
    ),
    Audit(
        paper="PrivABN",
        row=3,
        what="the network",
        claimed=1.0,
        tables=tied,
        printed=_event(_PRINTED, _alone),
        repaired=_event(_REPAIRED, _depends),
        trials=(3_000, 500),
    ),
)


def conditional_loss(
    one: Remembered, other: Remembered, nodes: Iterable[Node], *, epsilon: float, columns: int
) -> float:
    """How far noise of SDG's scale lets two tables be told apart: Σ ‖P − P′‖₁ / scale, in all conditionals together.

    That is the exact largest log-ratio of the densities of what SDG computes; clipping and scaling come later.
    """
    scale = 2 * columns / (one.n * epsilon / 2)
    tables = []
    for counter in (one, other):
        curator = open_audited(counter, make_noise(seed=0), no_guarantee=True)
        tables.append(noisy_conditionals(curator, list(nodes), 0.0, Streams(0).get("none")))
    return sum(float(np.abs(a - b).sum()) for a, b in zip(*tables, strict=True)) / scale


def star_loss(n: int, columns: int, epsilon: float) -> float:
    """The loss of SDG on a star: one record alone has the root's value 1, and changes all its other values.

    >>> round(star_loss(1000, 4, 0.1), 3)  # n·ε₂·(m − 1)/m with ε₂ = 0.05
    37.5
    """
    rest = np.zeros((n, columns), dtype=np.uint8)
    one, other = rest.copy(), rest.copy()
    one[0], other[0, 0] = 1, 1
    nodes = [Node(0), *(Node(child, (Axis(0),)) for child in range(1, columns))]
    sizes = (2,) * columns
    return conditional_loss(table_of(one, sizes), table_of(other, sizes), nodes, epsilon=epsilon, columns=columns)
