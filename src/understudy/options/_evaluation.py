"""The options of `evaluate` and `compare`, each declared once.

From here come the flags of both commands, the keyword arguments of both functions, their checks, and the tables of
`docs/cli.md`.
"""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from typing import Any, ClassVar

from understudy.options._constraints import Anything, FilePath, Memory, Real, Seeds, Several, Whole, YesNo
from understudy.options._declared import Declared, option, same_as
from understudy.options._run import LEAST_MEMORY, PlanOptions

MAX_TABLES = 20_000
_WAYS = Several(Whole(at_least=1, at_most=4), such_as="2,3")
_HOW_MANY_COLUMNS = "How many columns the compared tables have: any of 1 to 4."


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluateOptions(Declared):
    """What is to be measured on a synthetic table.

    >>> EvaluateOptions(ways=2).ways
    (2,)
    >>> EvaluateOptions(draws=0)
    Traceback (most recent call last):
    understudy._core.errors.OptionError: The 'draws' parameter must be a whole number of at least 1. Got 0 instead.
    """

    owner: ClassVar[str] = ""

    ways: tuple[int, ...] = option((1, 2, 3), _WAYS, help=_HOW_MANY_COLUMNS, flags="--ways")
    max_tables: int = option(
        MAX_TABLES, Whole(at_least=1), help="Beyond so many tables of one width, as many are drawn at random."
    )
    classifiers: bool | None = option(
        None,
        YesNo(),
        help="Train classifiers too. Default: if scikit-learn is installed.",
        flags=("--classifiers", "--no-classifiers"),
    )
    targets: tuple[str, ...] | None = option(
        None,
        Several(Anything(typed="str", text=True)),
        help="Columns that classifiers predict, with commas between them. Default: up to three with few categories.",
        flags="--targets",
    )
    holdout: Any = option(
        None,
        Anything(typed="object", text=True),
        help="Real rows that were not published, to test classifiers on.",
        flags="--holdout",
    )
    draws: int = option(
        1, Whole(at_least=1), help="Tables to look at, drawn from the model: gives intervals.", flags="--draws"
    )
    seed: int = option(
        0, Whole(), help="Of the fresh sample, the independent columns and all that is drawn here.", flags="--seed"
    )
    memory: Any = option(
        None,
        Memory(at_least=LEAST_MEMORY),
        help="Memory to stay below, such as 2GB. Tables that do not fit are streamed: counted whole, and some rows of "
        "each for all else. Default: what the machine has.",
        flags="--memory",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareOptions(Declared):
    """What is to be compared: methods, budgets and seeds, each with each.

    >>> CompareOptions(methods="privbayes", seeds=2).seeds
    (0, 1)
    >>> CompareOptions(epsilons=[0])
    Traceback (most recent call last):
    understudy._core.errors.OptionError: The 'epsilons' parameter must be a number above 0, or several, such as \
0.4,1.6. Got [0] instead.
    """

    owner: ClassVar[str] = ""

    methods: tuple[Any, ...] | None = option(
        None,
        Several(Anything(typed="str | Method", text=True)),
        help="Methods with commas between them, options after colons: privbayes:k=2,uniform. Default: all there are.",
        flags="--methods",
    )
    epsilons: tuple[Any, ...] = option(
        (0.1, 0.4, 1.6),
        Several(Real(above=0, exact=True), such_as="0.4,1.6"),
        help="Budgets, with commas between them.",
        flags="--epsilons",
    )
    seeds: tuple[int, ...] = option(5, Seeds(), help="Runs of each method at each budget.", flags="--seeds")
    delta: Any = same_as(PlanOptions, "delta")
    neighbours: str = same_as(PlanOptions, "neighbours")
    unit: str | None = same_as(PlanOptions, "unit")
    max_rows: int | None = same_as(PlanOptions, "max_rows")
    bounding: str = same_as(PlanOptions, "bounding")
    groups: str | PathLike[str] | None = same_as(PlanOptions, "groups")
    ways: tuple[int, ...] = option((2, 3), _WAYS, help=_HOW_MANY_COLUMNS, flags="--ways")
    out: str | PathLike[str] | None = option(
        None,
        FilePath(),
        help="Folder for results; made, or taken up again. Default: comparison; from Python, nothing is written.",
        flags=("--out", "-o"),
    )
