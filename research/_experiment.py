"""What an experiment is: runs, panels to draw them in, and results to decide sentences by."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Any, Literal, TypeAlias

Paper: TypeAlias = Literal["PrivBayes", "PrivABN", "HPPrivBayes", "PRAM-BN", "Correlated release", "Soundness"]


@dataclass(frozen=True, kw_only=True)
class Run:
    """One computation: a task with its parameters, and which line and point of which panels its values belong to.

    Two runs with the same task, parameters and seed are the same computation, in whatever figure they appear.

    >>> Run(series="PrivBayes", x=0.1, seed=0, task="marginals", params={"dataset": "nltcs"}).group
    ''
    """

    series: str
    x: float
    seed: int
    task: str
    params: Mapping[str, Any]
    group: str = ""
    """Which panels it is for, where a figure has panels of several tables or settings."""
    places: Mapping[str, tuple[str, float]] = field(default_factory=dict)
    """For values that belong elsewhere on the axis: under which measure, and where, by the name the task gives them."""

    @property
    def line(self) -> str:
        """Which line of which panels it is a point of, in words."""
        return ", ".join(part for part in (self.group, self.series) if part)

    @property
    def method(self) -> tuple[str, str]:
        """What is put to which task, whatever its options: runs that one change of the code would change together."""
        return method_of(self.task, self.params)

    def place(self, name: str) -> tuple[str, float]:
        """The measure and the place on the axis of a value that the task gives.

        >>> run = Run(series="a", x=1, seed=0, task="queries", params={}, places={"L2 4-way": ("L2", 4)})
        >>> run.place("L2 4-way"), run.place("L1 4-way")
        (('L2', 4), ('L1 4-way', 1))
        """
        return self.places.get(name, (name, self.x))


def method_of(task: str, params: Mapping[str, Any]) -> tuple[str, str]:
    """The task, and the method that is put to it without its options.

    >>> method_of("marginals", {"method": "privbayes:k=2", "epsilon": 1.0}), method_of("pairs", {"columns": 50})
    (('marginals', 'privbayes'), ('pairs', ''))
    """
    return task, str(params.get("method", "")).partition(":")[0]


@dataclass(frozen=True, kw_only=True)
class Panel:
    """One set of axes: a measure of the runs of one group."""

    title: str
    measure: str
    y: str
    group: str = ""
    log_y: bool = False
    level: float | None = None
    """A level that is drawn across it."""
    level_words: str = "level"
    """What the legend calls the level, before its number."""
    x: str = ""
    """What its axis shows, where that is not what the experiment's does; a space for nothing, where names say it."""
    joined: bool = True
    """Whether points of a line are joined: not where the places on the axis are only numbers of things."""
    most: float | None = None
    """What no value can exceed, though an interval may."""
    series: tuple[str, ...] = ()
    """Which lines it has; all without. More than six are drawn in several panels."""
    names: Mapping[float, str] | Mapping[int, str] = field(default_factory=dict)
    """What is written at places of its axis. Where every place has a name, they stand side by side, evenly."""


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A number of a paper's table: where it is among the values of the runs, and what the paper prints."""

    series: str
    measure: str
    x: float
    printed: float | None = None


@dataclass(frozen=True, kw_only=True)
class Scale:
    """How much to compute: the number of repetitions, and whether the run is a quick one."""

    seeds: int
    quick: bool


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """A figure or table of a paper, as something that can be run."""

    name: str
    paper: Paper
    where: str
    title: str
    x: str
    datasets: tuple[str, ...]
    runs: Callable[[Scale], list[Run]]
    panels: tuple[Panel, ...]
    quick_seeds: int = 3
    full_seeds: int = 100
    quick_words: str = ""
    """What the quick form saves beside repetitions."""
    quick_lighter: bool = False
    """Whether runs of the quick form are themselves cheaper, and not only fewer."""
    log_x: bool = True
    columns: int = 0
    """How many panels stand side by side; without, as many as fit."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """What the legend calls lines that have another name among the values."""
    note: str = ""
    """What a reader of the figure must know beside its title."""
    cells: Mapping[str, Mapping[str, Cell]] = field(default_factory=dict)
    """Of a table of numbers without chance, instead of panels: its rows by name, each with its columns by name."""

    def scale(self, *, quick: bool, seeds: int | None = None) -> Scale:
        """How much to compute, in the quick form or as the paper did it."""
        return Scale(seeds=seeds or (self.quick_seeds if quick else self.full_seeds), quick=quick)


Point: TypeAlias = tuple[str, str, str, float]  # group, series, measure, x


class NothingRunError(LookupError):
    """A rule asks for a point that no run has values of."""


@dataclass(frozen=True)
class Results:
    """The values of all runs of an experiment, by point.

    >>> results = Results.of([(Run(series="a", x=1.0, seed=s, task="t", params={}), {"error": s / 10}) for s in (0, 2)])
    >>> results.mean("error", "a", 1.0), results.xs("error", "a"), results.seeds
    (0.1, [1.0], 2)
    """

    points: Mapping[Point, Sequence[float]] = field(default_factory=dict)
    numbers: Mapping[Point, Sequence[int]] = field(default_factory=dict)
    """The seeds of a point's values, in their order; without, 0 and up."""

    @classmethod
    def of(cls, done: Sequence[tuple[Run, Mapping[str, float]]]) -> Results:
        """Collect the values of finished runs."""
        return cls.gather(
            ((run.group, run.series, *run.place(name)), run.seed, value)
            for run, values in done
            for name, value in values.items()
        )

    @classmethod
    def gather(cls, values: Iterable[tuple[Point, int, float]]) -> Results:
        """Collect values by their point, each with its seed."""
        points: dict[Point, list[float]] = {}
        numbers: dict[Point, list[int]] = {}
        for point, seed, value in values:
            points.setdefault(point, []).append(value)
            numbers.setdefault(point, []).append(seed)
        return cls(points, numbers)

    def by_seed(self, measure: str, series: str, x: float, group: str = "") -> dict[int, float]:
        """The value of each seed at a point, their mean where a seed has several; none if nothing was run there.

        >>> Results.gather([(("", "a", "error", 1.0), seed, seed / 10) for seed in (4, 2)]).by_seed("error", "a", 1.0)
        {4: 0.4, 2: 0.2}
        """
        point = (group, series, measure, x)
        values = self.points.get(point, ())
        each: dict[int, list[float]] = {}
        for seed, value in zip(self.numbers.get(point, range(len(values))), values, strict=True):
            each.setdefault(seed, []).append(value)
        return {seed: sum(some) / len(some) for seed, some in each.items()}

    @property
    def seeds(self) -> int:
        """The most repetitions that a point has."""
        return max(map(len, self.points.values()), default=0)

    def series(self, measure: str, group: str = "") -> list[str]:
        """The lines of a panel, in the order of the runs."""
        return list(dict.fromkeys(s for g, s, m, _ in self.points if (g, m) == (group, measure)))

    def xs(self, measure: str, series: str, group: str = "") -> list[float]:
        """The places on the axis where a line has values."""
        return sorted({x for g, s, m, x in self.points if (g, s, m) == (group, series, measure)})

    def values(self, measure: str, series: str, x: float, group: str = "") -> Sequence[float]:
        """The values at a point, one for each repetition; none if nothing was run there."""
        return self.points.get((group, series, measure, x), ())

    def mean(self, measure: str, series: str, x: float, group: str = "") -> float:
        """Their mean.

        Raises:
            NothingRunError: if nothing was run there.
        """
        values = self._some(measure, series, x, group)
        return sum(values) / len(values)

    def standard_error(self, measure: str, series: str, x: float, group: str = "") -> float:
        """The standard error of the mean; 0 for a single value, of which nothing is known.

        Raises:
            NothingRunError: if nothing was run there.
        """
        values = self._some(measure, series, x, group)
        if len(values) < 2:
            return 0.0
        mean = sum(values) / len(values)
        return sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1) / len(values))

    def _some(self, measure: str, series: str, x: float, group: str) -> Sequence[float]:
        if not (values := self.values(measure, series, x, group)):
            place = ", ".join(part for part in (group, measure, series) if part)
            raise NothingRunError(f"Nothing was run for {place} at {x:g}")
        return values
