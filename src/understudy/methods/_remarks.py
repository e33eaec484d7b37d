"""What readers of a statement should know of a network in which nothing depends on anything."""

from __future__ import annotations

from understudy.models import HasNetwork, Model

TOO_SMALL = (
    "the budget is too small for this many rows and columns to measure any relation between columns: they were "
    "published as independent of each other."
)


def if_independent(model: Model, sentence: str = TOO_SMALL) -> tuple[str, ...]:
    """The sentence, if the model is a network of several columns without an edge: else nothing.

    >>> import numpy as np
    >>> from understudy.models import JointModel
    >>> from understudy.schema import Attribute, Domain
    >>> if_independent(JointModel(Domain((Attribute(name="sex", size=2),)), 9, np.array([0.5, 0.5])))
    ()
    """
    if not isinstance(model, HasNetwork) or len(model.network.nodes) < 2 or model.network.degree > 0:
        return ()
    return (sentence,)
