"""A model is whatever was learnt of a table, and it is asked for what it can do, never for its class.

Every model answers marginals (`Model`). The rest are abilities, each a protocol of its own: a model may draw rows, draw
itself, show a network, be saved. Error bars are an ability too, told by the answer: an `Estimate` has them or has none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, Self, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt

from understudy._core.randomness import Streams
from understudy.models._posterior import Evidence
from understudy.models._sampling import BATCH_ROWS, Column, Floats
from understudy.models._structure import Network
from understudy.models._uncertainty import Estimate
from understudy.schema import Domain, Marginal, Recoding

Array: TypeAlias = npt.NDArray[Any]  # of float64 or int64: the two types that are ever saved

NoisyColumn: TypeAlias = tuple[Floats, float]
"""Counts of a column's values, and the variance of the noise in one of them."""


@runtime_checkable
class Model(Protocol):
    """What was learnt of a table, in whatever form: it can be asked for marginals, though perhaps not for all."""

    kind: ClassVar[str]
    """The word for models of this form, such as `network`."""

    @property
    def domain(self) -> Domain:
        """The domain of the table that was modelled."""
        ...

    @property
    def n(self) -> int:
        """Number of rows of that table, as published."""
        ...

    def marginal(self, marginal: Marginal, *, evidence: Evidence | None = None, errors: bool = True) -> Estimate:
        """The probabilities of a marginal over its domain, given evidence, with errors from the noise where known."""
        ...


@runtime_checkable
class DrawsRows(Model, Protocol):
    """A model of a whole table: rows can be drawn from it.

    >>> from understudy.models import JointModel, TablesModel
    >>> from understudy.schema import Attribute
    >>> domain, half = Domain((Attribute(name="sex", size=2),)), np.array([0.5, 0.5])
    >>> [isinstance(model, DrawsRows) for model in (JointModel(domain, 9, half), TablesModel(domain, 9, {(0,): half}))]
    [True, False]
    """

    def sample_codes(
        self,
        n: int,
        *,
        streams: Streams,
        evidence: Evidence | None = None,
        independent: bool = False,
        batch_rows: int = BATCH_ROWS,
    ) -> Iterator[list[Column]]:
        """Batches of columns of codes, in column order, `n` rows in all."""
        ...


@runtime_checkable
class DrawsItself(Model, Protocol):
    """A model that can be shown as a picture.

    >>> from understudy.models import JointModel
    >>> from understudy.schema import Attribute
    >>> isinstance(JointModel(Domain((Attribute(name="sex", size=2),)), 9, np.array([0.5, 0.5])), DrawsItself)
    False
    """

    def to_svg(self, *, title: str = "") -> str:
        """A drawing of the model: one standalone SVG."""
        ...


@runtime_checkable
class HasNetwork(Model, Protocol):
    """A model that is a Bayesian network, or can be read as one: it can be exported to tools for networks."""

    @property
    def network(self) -> Network:
        """Which attribute depends on which, over the target of `recoding`."""
        ...

    @property
    def conditionals(self) -> Sequence[Floats]:
        """One table per node of the network: one axis per parent, then the child; rows sum to 1."""
        ...

    @property
    def recoding(self) -> Recoding:
        """The public map between the table's domain and the network's."""
        ...

    def families(self) -> list[Floats]:
        """For each node, the joint distribution of its parents and itself, over the network's own domain."""
        ...


@runtime_checkable
class KnowsTables(Model, Protocol):
    """A model that knows which columns were measured together.

    >>> from understudy.models import JointModel
    >>> from understudy.schema import Attribute
    >>> isinstance(JointModel(Domain((Attribute(name="sex", size=2),)), 9, np.array([0.5, 0.5])), KnowsTables)
    False
    """

    @property
    def scopes(self) -> frozenset[frozenset[int]]:
        """The attributes of each noisy table that it was fitted to; none where they are not known."""
        ...


@runtime_checkable
class KnowsNoise(Model, Protocol):
    """A model that knows how much noise each of its columns was measured with.

    >>> from understudy.models import JointModel
    >>> from understudy.schema import Attribute
    >>> isinstance(JointModel(Domain((Attribute(name="sex", size=2),)), 9, np.array([0.5, 0.5])), KnowsNoise)
    False
    """

    def noisy_column(self, a: int) -> NoisyColumn | None:
        """The counts of a column's values, and the variance of the noise in one; None where it was not measured."""
        ...


@runtime_checkable
class TakesErrors(HasNetwork, Protocol):
    """A network that can be given errors of its parameters, in place of those that follow from measurements.

    >>> from understudy.models import JointModel
    >>> from understudy.schema import Attribute
    >>> isinstance(JointModel(Domain((Attribute(name="sex", size=2),)), 9, np.array([0.5, 0.5])), TakesErrors)
    False
    """

    def with_errors(self, spreads: Sequence[Floats]) -> Self:
        """The same with these standard errors, one table for each of `conditionals`; none: nothing is known of them."""
        ...


class PartsReader(Protocol):
    """The parts of a saved model, from wherever they are read; an array is unpacked when its shape is known."""

    @property
    def document(self) -> Mapping[str, Any]:
        """The plain values: numbers, texts, lists and mappings, as JSON has them. They may be anybody's."""
        ...

    @property
    def names(self) -> frozenset[str]:
        """The names of all arrays there are."""
        ...

    def array(self, name: str, dtype: type[np.float64 | np.int64], shape: Sequence[int]) -> Array:
        """The array of this name; raises ValueError or ModelFileError if it has another type or shape."""
        ...


@dataclass(frozen=True, eq=False)
class Parts:
    """What a model is saved as: one document of plain values, and arrays by name, such as `table-00000`.

    >>> parts = Parts({"n": 3}, {"table-00000": np.array([0.5, 0.5])})
    >>> parts.array("table-00000", np.float64, (2,)).tolist()
    [0.5, 0.5]
    """

    document: Mapping[str, Any]
    arrays: Mapping[str, Array]

    @property
    def names(self) -> frozenset[str]:
        """The names of all arrays there are."""
        return frozenset(self.arrays)

    def array(self, name: str, dtype: type[np.float64 | np.int64], shape: Sequence[int]) -> Array:
        """The array of this name; raises ValueError if it has another type or shape."""
        found = self.arrays.get(name)
        if found is None or found.dtype != dtype or found.shape != tuple(shape):
            raise ValueError(f"the table '{name}' is missing or has another shape than it must")
        return found


@runtime_checkable
class Saves(Model, Protocol):
    """A model that can be saved: it holds only what was paid for or declared, and comes back from its parts.

    >>> from understudy.models import JointModel
    >>> from understudy.schema import Attribute
    >>> domain = Domain((Attribute(name="sex", size=2),))
    >>> parts = JointModel(domain, 9, np.array([0.5, 0.5])).to_parts()
    >>> parts.document, JointModel.from_parts(parts, domain).probabilities.tolist()
    ({'n': 9}, [0.5, 0.5])
    """

    def to_parts(self) -> Parts:
        """All that it takes to make the model again, beside the domain."""
        ...

    @classmethod
    def from_parts(cls, parts: PartsReader, domain: Domain) -> Self:
        """The model again, every value checked before anything is built from it, for parts may come from a stranger.

        Raises ValueError, TypeError, LookupError or ArithmeticError for what `to_parts` cannot have made.
        """
        ...
