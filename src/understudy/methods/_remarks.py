"""What readers of a statement should know of a model in which nothing depends on anything."""

from __future__ import annotations

from understudy.models import HasNetwork, Model, knows_no_relation

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


def if_unmeasured(model: Model) -> tuple[str, ...]:
    """A sentence, if no noisy table of several columns is behind the model: else nothing.

    What is declared of rows ties columns together whatever was measured, so the model's own edges do not tell.

    >>> import numpy as np
    >>> from understudy.models import CliqueTree, TreeMeasurement, TreeModel
    >>> from understudy.schema import Attribute, Domain
    >>> domain = Domain((Attribute(name="sex", size=2), Attribute(name="smokes", size=2)))
    >>> tree, half = CliqueTree((2, 2), ((0, 1),), (-1,), (np.full((2, 2), 0.25),)), np.array([4.0, 5.0])
    >>> column = TreeMeasurement(marginal=(0,), values=half, variance=1.0, interaction=False)
    >>> len(if_unmeasured(TreeModel(domain, 9, tree=tree, measurements=[column])))
    1
    """
    if not knows_no_relation(model):
        return ()
    but = "but for what is declared of rows, " if model.domain.rules else ""
    return (f"no relation between columns was measured: {but}they were published as independent of each other.",)
