"""What a measure is: a question about a synthetic table, where reports show its answer, and what it takes to answer it.

A measure is a class in a file of its own and a line in `_measures.py`. It declares a group, a direction and, where it
says again in the terms of another tool or paper what others say, whose terms these are. Reports, pages, tables and
files ask for these, never for a name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from understudy.evaluation._pair import Pair, Progress
from understudy.evaluation._reference import References
from understudy.models import HasNetwork, Model, TreeModel
from understudy.options import MAX_TABLES
from understudy.tables import Table

if TYPE_CHECKING:
    from understudy.evaluation._result import MeasureResult

Direction: TypeAlias = Literal["less", "more", "nearer"]
"""What is better: less, more, or (nearer) neither more nor less than a fresh sample shows."""
Need: TypeAlias = Literal["values", "network", "classifiers"]
"""What not every evaluation has: values beside codes; a model with a network; the time, and the library, to train
classifiers."""


@dataclass(frozen=True)
class Group:
    """Measures that answer one kind of question.

    On the page they stand among the verdicts, or in a section of their own if the group has a heading.

    >>> Group("survival", heading="Survival", lead="Hazard ratios, real and synthetic.").name
    'survival'
    """

    name: str
    heading: str | None = None
    lead: str = ""


VALIDITY_GROUP = Group("validity")
NUMBERS_GROUP = Group("numbers")
TABLES_GROUP = Group("tables")
ASSOCIATIONS_GROUP = Group("associations")
QUERIES_GROUP = Group("queries")
NETWORK_GROUP = Group("network")
DETECTION_GROUP = Group("detection")
LEARNING_GROUP = Group(
    "learning",
    heading="Learning from it",
    lead="Classifiers were trained on synthetic rows and tested on real ones. Beside them: the same trained on real "
    "rows, and on independent columns.",
)


@dataclass(frozen=True, kw_only=True, eq=False)
class MeasureInput:
    """All that a measure may look at. Private: the real table is among it."""

    pair: Pair
    references: References
    model: Model | None = None
    """What the synthetic table was drawn from, if known."""
    ways: Sequence[int] = (1, 2, 3)
    """How many columns the compared tables have."""
    max_tables: int = MAX_TABLES
    """Beyond so many tables of one width, as many are drawn at random."""
    classifiers: bool = True
    """Whether classifiers may be trained."""
    targets: Sequence[str] | None = None
    """Columns that classifiers predict; without, they are chosen."""
    holdout: Table | None = None
    """Real rows that the synthetic table was made without, to test classifiers on."""
    seed: int = 0
    progress: Progress | None = None

    def has(self, need: Need) -> bool:
        """Whether what a measure needs is there."""
        there = {
            "values": self.pair.values is not None,
            # a tree can be read as a network, with parents so many that their tables are mostly chance
            "network": isinstance(self.model, HasNetwork) and self.model.kind != TreeModel.kind,
            "classifiers": self.classifiers,
        }
        return there[need]


class Measure(Protocol):
    """A way to hold a synthetic table against the real one, or a few ways that share their work."""

    @property
    def name(self) -> str:
        """A word or two for the measure; each of its results has a name of its own."""
        ...

    @property
    def group(self) -> Group:
        """The kind of question that it answers."""
        ...

    @property
    def direction(self) -> Direction:
        """What is better: less or more of it."""
        ...

    @property
    def synonym(self) -> str | None:
        """The tool or paper in whose terms it says again what other measures say; shown last and in short."""
        ...

    @property
    def needs(self) -> frozenset[Need]:
        """What must be there for it; where it is not, the measure is left out."""
        ...

    def compute(self, given: MeasureInput) -> Sequence[MeasureResult]:
        """What it finds: one result for each number that a report shows."""
        ...
