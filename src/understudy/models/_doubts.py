"""What a model cannot tell: columns that noise outweighs, and relations that nobody measured."""

from __future__ import annotations

from collections.abc import Sequence
from math import pi, sqrt

import numpy as np

from understudy.models._inference import Floats
from understudy.models._protocol import HasNetwork, KnowsNoise, KnowsTables, Model, NoisyColumn
from understudy.models._tree_values import TreeMeasurement, Within

_MEAN_ABS = sqrt(2 / pi)  # of a normal variable, in standard deviations


def columns_off(model: Model) -> tuple[float | None, ...]:
    """Which part of all rows noise alone is expected to put into wrong values, column by column; None: not known.

    A value is off by the mean size of its noise, or if that is less by the whole of its count, as values that do not
    stand out from noise are evened out.

    >>> from understudy.models import JointModel
    >>> from understudy.schema import Attribute, Domain
    >>> columns_off(JointModel(Domain((Attribute(name="sex", size=2),)), 9, np.array([0.5, 0.5])))
    (None,)
    """
    if not isinstance(model, KnowsNoise):
        return (None,) * len(model.domain)
    found = (model.noisy_column(a) for a in range(len(model.domain)))
    return tuple(None if one is None else part_off(*one) for one in found)


def part_off(counts: Floats, variance: float) -> float:
    """Half of the sum of what noise of this variance does to counts, over their total.

    >>> round(part_off(np.full(10, 100.0), 400.0), 3), part_off(np.full(10, 100.0), 1e9), part_off(np.ones(1), 9.0)
    (0.08, 0.5, 0.0)
    """
    known = np.maximum(counts, 0.0)
    if known.size < 2:
        return 0.0
    total = float(known.sum())
    return float(np.minimum(_MEAN_ABS * sqrt(variance), known).sum()) / 2 / total if total else 0.5


def knows_no_relation(model: Model) -> bool:
    """Whether no noisy table of several columns is behind a model of several; False where that is not known.

    >>> from understudy.models import NetworkModel, Network, Node
    >>> from understudy.schema import Attribute, Domain, recode
    >>> domain = Domain((Attribute(name="sex", size=2), Attribute(name="smokes", size=2)))
    >>> alone = Network(domain, (Node(0), Node(1)))
    >>> knows_no_relation(NetworkModel(alone, ([0.5, 0.5], [0.8, 0.2]), recode(domain, "vanilla"), (), 100))
    True
    """
    if len(model.domain) < 2:
        return False
    if isinstance(model, KnowsTables) and model.scopes:
        return all(len(scope) < 2 for scope in model.scopes)
    return isinstance(model, HasNetwork) and model.network.degree == 0


def spelt_out_column(
    a: int, measurements: Sequence[TreeMeasurement], within: Sequence[Within | None]
) -> NoisyColumn | None:
    """The measured counts of a column, those of merged values spread over the values that share them."""
    measured = next((one for one in measurements if one.marginal == (a,)), None)
    if measured is None:
        return None
    rare = within[a]
    counts = measured.values if rare is None else measured.values[rare.codes] * rare.shares
    return counts, measured.variance
