"""The options of a run, each declared once. What a method may be told besides is declared by the method.

From here come the flags of `understudy plan` and `understudy publish`, the keyword arguments of `plan`, `publish` and
the estimators, their checks, and the tables of `docs/cli.md`.
"""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from typing import Any, ClassVar

from understudy._core.formats import FORMATS
from understudy.options._constraints import (
    Anything,
    FilePath,
    Memory,
    Names,
    OneOf,
    Real,
    Several,
    Tables,
    Text,
    Whole,
    YesNo,
)
from understudy.options._declared import Declared, option

LEAST_MEMORY = 800_000_000
"""Bytes: Python, the libraries and what they compile take some 300 MB; batches, tables and a model need room beside."""
DEFAULT_DELTA = 1e-9
"""δ of the promise, where no other is asked for; 0 stands for pure ε."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanOptions(Declared):
    """What a dry run must know: the budget, and how it is to be spent.

    >>> PlanOptions(epsilon="1/3").neighbours
    'add-remove'
    >>> PlanOptions(epsilon=0)
    Traceback (most recent call last):
    understudy._core.errors.OptionError: The 'epsilon' parameter must be a number above 0. Got 0 instead.
    """

    owner: ClassVar[str] = ""

    epsilon: Any = option(
        ...,
        Real(above=0, exact=True),
        help="Privacy budget: smaller is more private. A number or an exact fraction such as 1/3; the demo takes 1.",
        flags=("--epsilon", "-e"),
    )
    delta: Any = option(
        DEFAULT_DELTA,
        Real(at_least=0, below=1, exact=True),
        help="The promise is (ε, δ), with Gaussian noise; keep δ far below 1/rows. 0: pure ε, which is stricter.",
        flags="--delta",
    )
    method: Any = option(
        "auto",
        Anything(typed="str | Method", text=True),
        help="How to learn the model; 'understudy methods' lists them. auto: by schema, rows and budget.",
        flags="--method",
    )
    neighbours: str = option(
        "add-remove",
        OneOf("add-remove", "replace-one"),
        help="add-remove hides whether a row is there, and so the number of rows; replace-one hides what a row says, "
        "which is stricter (the number of rows is public where a unit has one).",
        flags="--neighbours",
    )
    unit: str | None = option(
        None,
        Text(),
        help='Who is protected: the column that tells units apart, with --max-rows; or in words, "one patient", where '
        "each has one row. Default: one row.",
        flags="--unit",
    )
    max_rows: int | None = option(
        None, Whole(at_least=1), help="Most rows that count for one unit, or belong to a group.", flags="--max-rows"
    )
    bounding: str = option(
        "drop",
        OneOf("drop", "weigh"),
        help="What is done with a unit of more rows. drop: leave out some by chance; weigh: count all, each for less.",
        flags="--bounding",
    )
    groups: str | PathLike[str] | None = option(
        None,
        FilePath(),
        help="Rows that belong together, as 'understudy correlate' finds them: any --max-rows rows are protected.",
        flags="--groups",
    )
    memory: Any = option(
        None,
        Memory(at_least=LEAST_MEMORY),
        help="Memory to stay below, such as 2GB. A table that does not fit is streamed. Default: what the machine has.",
        flags="--memory",
    )
    engine: str = option(
        "auto",
        OneOf("auto", "memory", "stream", "database", "spark"),
        help="How rows are counted: held in memory, streamed in several passes, inside their database, or on a Spark "
        "cluster. auto: inside their database if they are on a server; else in memory if they fit.",
        flags="--engine",
    )
    pull: bool = option(
        False,
        YesNo(),
        help="Rows may leave their database server: they are read from it and counted here where that is faster.",
        flags="--pull",
    )
    master: str | None = option(
        None,
        Text(),
        help="engine spark: the cluster, such as spark://host:7077, local[2] or, for Spark Connect, sc://host. "
        "Default: as Spark is configured.",
        flags="--master",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class OutlookOptions(PlanOptions):
    """The same for several budgets, which a plan holds beside each other.

    >>> OutlookOptions(epsilon="1/3").epsilon
    ('1/3',)
    >>> OutlookOptions().epsilon
    (0.1, 0.25, 0.5, 1, 2, 5)
    """

    epsilon: Any = option(
        (0.1, 0.25, 0.5, 1, 2, 5),
        Several(Real(above=0, exact=True), such_as="0.5,1,5"),
        help="Privacy budgets to hold beside each other, with commas between them. Smaller is more private.",
        flags=("--epsilon", "-e"),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions(PlanOptions):
    """What a fit must know besides: who keeps account, and how noise is made.

    >>> RunOptions(epsilon=1, unit="one patient").unit
    'one patient'
    """

    ledger: Any = option(
        None,
        Anything(typed="Ledger | str | PathLike[str]", text=True),
        help="SQLite file that keeps account of all releases; made on first use.",
        flags="--ledger",
    )
    dataset: str | None = option(
        None, Text(), help="The table's name in the ledger. Default: the schema's name.", flags="--dataset"
    )
    cap: Any = option(
        None,
        Real(above=0, exact=True),
        help="Most ε that may ever be spent on it (on first use).",
        flags="--cap",
    )
    delta_cap: Any = option(
        None,
        Real(at_least=0, below=1, exact=True),
        help="Most δ that may ever be spent on it (on first use). Default: recorded, not capped.",
        flags="--delta-cap",
    )
    trust_draft: bool = option(
        False,
        YesNo(),
        help="Publish drafted fields; the statement says that the guarantee is conditional.",
        flags="--trust-draft",
    )
    seed: int | None = option(
        None,
        Whole(),
        help="Rehearse: repeatable, stamped NOT PRIVATE, charges nothing.",
        flags="--seed",
    )
    noise: str = option(
        "exact",
        OneOf("exact", "opendp"),
        help="exact (our samplers), or opendp, which goes with --delta 0.",
        flags="--noise",
    )
    diagnostic: str | None = option(
        None,
        OneOf("no-privacy", "best-network", "best-marginals"),
        help="no-privacy, best-network or best-marginals: an experiment without a guarantee.",
        flags="--diagnostic",
    )
    no_guarantee: bool = option(
        False,
        YesNo(),
        help="Needed for a method as printed: the release keeps no promise, is stamped so, and charges nothing.",
        flags="--no-guarantee",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishOptions(RunOptions):
    """What a release must know besides: where it goes, and what its card says.

    >>> PublishOptions(epsilon=1).out
    'release'
    """

    out: str | PathLike[str] = option("release", FilePath(), help="The folder to make.", flags=("--out", "-o"))
    overwrite: bool = option(False, YesNo(), help="Replace an earlier release in that folder.", flags="--overwrite")
    n: int | None = option(
        None,
        Whole(),
        help="Synthetic rows. Default: as many as the table has, by the number that is published.",
        flags=("--rows", "-n"),
    )
    format: Any = option(None, OneOf(*FORMATS), help=f"{' or '.join(FORMATS)}. Default: the input's.", flags="--format")
    license: str | None = option(None, Text(), help="Licence of the release, for its card.", flags="--license")
    creator: str | None = option(None, Text(), help="Who publishes it, for its card.", flags="--creator")
    url: str | None = option(None, Text(at_most=2000), help="Where it will be found, for its card.", flags="--url")


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodFlags(Declared):
    """Options of methods that have a flag of their own on the command line: those that several methods share, or that
    are asked for most. The method that is chosen reads and checks them; all others are written `--option name=value`.

    >>> MethodFlags(k="2").k
    '2'
    """

    owner: ClassVar[str] = ""

    score: Any = option(None, Anything(text=True), help="Score of candidate parents: auto, I, F or R.", flags="--score")
    encoding: Any = option(
        None,
        Anything(text=True),
        help="How columns are seen: auto, hierarchical, vanilla, binary or gray.",
        flags="--encoding",
    )
    k: Any = option(
        None, Anything(text=True), help="Parents of each column. Default: as many as are useful.", flags=("--k", "-k")
    )
    theta: Any = option(
        None,
        Anything(text=True),
        help="A table is useful if its average cell is θ times the noise; 4 in privbayes.",
        flags="--theta",
    )
    beta: Any = option(
        None, Anything(text=True), help="Share of the budget for choosing the network; 0.3.", flags="--beta"
    )
    max_candidates: Any = option(
        None,
        Anything(text=True),
        help="Most candidates weighed in one choice. Default: by the table's size.",
        flags="--max-candidates",
    )
    sensitive: Any = option(
        None,
        Names(),
        help="hpprivbayes: columns to protect better than others; several times, or joined by commas.",
        flags="--sensitive",
    )
    focus: Any = option(
        None,
        Tables(),
        help="adaptive: columns whose relations matter most, joined by commas; or a file of tables (.txt, .csv).",
        flags="--focus",
    )
