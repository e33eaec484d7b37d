"""The kinds of model that can be saved, by name. A new kind joins by a line here."""

from __future__ import annotations

from collections.abc import Mapping

from understudy.models._network_model import NetworkModel
from understudy.models._protocol import Model, Saves
from understudy.models._rows_model import RowsModel
from understudy.models._tables import JointModel
from understudy.models._tree_model import TreeModel

KINDS: Mapping[str, type[Saves]] = {model.kind: model for model in (NetworkModel, JointModel, TreeModel, RowsModel)}
"""The kind that a model file names → the class that reads it. A kind's document in the file is called after it."""

_NEEDED = {"cannot be saved": ("to_parts", "from_parts"), "draws no rows": ("sample_codes",)}


def shows_network(model: type[Model]) -> bool:
    """Whether models of this class are networks or can be read as such: `HasNetwork`, asked of the class.

    >>> shows_network(TreeModel), shows_network(JointModel)
    (True, False)
    """
    return callable(getattr(model, "families", None))


def why_not_releasable(model: type[Model]) -> str | None:
    """Why models of this class cannot be published, in a few words; None if they can.

    Asked of the class, so that a run is refused before it is charged.

    >>> from understudy.models import TablesModel
    >>> why_not_releasable(NetworkModel), why_not_releasable(TablesModel)
    (None, 'it cannot be saved and draws no rows')
    """
    lacking = [words for words, names in _NEEDED.items() if not all(callable(getattr(model, n, None)) for n in names)]
    if lacking:
        return "it " + " and ".join(lacking)
    kind = getattr(model, "kind", None)
    return None if KINDS.get(str(kind)) is model else f"no model file can hold its kind, {kind!r}"
