"""Contingency tables asked straight from a model, against the real ones: no sampling error. Private to the holder."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
import numpy.typing as npt

from understudy._core.errors import OptionError, UserError
from understudy._core.randomness import Rng
from understudy.counting import open_counter
from understudy.evaluation._counts import Columns
from understudy.evaluation._pair import Pair, Progress
from understudy.models import Model
from understudy.schema import Marginal

Floats = npt.NDArray[np.float64]

# A larger table takes the model longer than it is worth here.
_MOST_CELLS = 1 << 18


class ModelTables:
    """A model held against the real table of a pair, whose domain may have codes that the model does not know."""

    def __init__(self, pair: Pair, model: Model) -> None:
        known = {attribute.name: i for i, attribute in enumerate(model.domain)}
        sizes = [field.size for field in pair.schema.fields]
        if any(name not in known for name in pair.names) or any(
            model.domain[known[name]].size != size for name, size in zip(pair.names, sizes, strict=True)
        ):
            raise OptionError(
                "the model has other columns than the schema, or other codes. Give the schema it came with."
            )
        self._model, self._places, self._sizes = model, [known[name] for name in pair.names], sizes
        self._counter = open_counter(pair.real) if pair.whole is None else pair.whole[0]

    def distances(self, groups: Sequence[Columns], most: int, rng: Rng, progress: Progress | None = None) -> Floats:
        """The total variation distance for each group of columns; NaN where the model was not asked.

        It is asked for no more than `most`, drawn at random, and for none that is too large for it to answer.
        """
        found = np.full(len(groups), np.nan)
        asked = [i for i, columns in enumerate(groups) if prod(self._sizes[a] for a in columns) <= _MOST_CELLS]
        if len(asked) > most:
            asked = np.sort(rng.choice(asked, size=most, replace=False)).tolist()
        for done, i in enumerate(asked):
            if progress is not None:
                progress("asking the model", done, len(asked))
            distance = self._distance(groups[i])
            found[i] = np.nan if distance is None else distance
        return found

    def _distance(self, columns: Columns) -> float | None:
        try:
            asked = Marginal.of(*(self._places[a] for a in columns))
            answer = self._model.marginal(asked, errors=False).probabilities
        except UserError:  # too tangled a network for this table
            return None
        shares = self._counter.count([Marginal.of(*columns)])[0] / self._counter.n
        inner = shares[tuple(slice(self._sizes[a]) for a in columns)]
        beyond = shares.sum() - inner.sum()  # codes that the schema does not have: the model gives them nothing
        return float(np.abs(inner - answer).sum() + beyond) / 2
