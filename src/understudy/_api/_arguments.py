"""Keyword arguments as types, for editors and type checkers. Written by `scripts.write_options`."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from os import PathLike
from typing import Literal, Required, TypeAlias, TypedDict

from understudy.methods import Method
from understudy.privacy import Ledger

Number: TypeAlias = "Fraction | float | str | Decimal"


class PlanArguments(TypedDict, total=False):
    """Options of every run."""

    epsilon: Required[Number]
    """Privacy budget: smaller is more private. A number or an exact fraction such as 1/3; the demo takes 1."""
    delta: Number
    """The promise is (ε, δ), with Gaussian noise; keep δ far below 1/rows. 0: pure ε, which is stricter."""
    neighbours: Literal["add-remove", "replace-one"]
    """add-remove hides whether a row is there, and so the number of rows; replace-one hides what a row says, which is
    stricter (the number of rows is public where a unit has one)."""
    unit: str | None
    """Who is protected: the column that tells units apart, with --max-rows; or in words, "one patient", where each has
    one row. Default: one row."""
    max_rows: int | None
    """Most rows that count for one unit, or belong to a group."""
    bounding: Literal["drop", "weigh"]
    """What is done with a unit of more rows. drop: leave out some by chance; weigh: count all, each for less."""
    groups: str | PathLike[str] | None
    """Rows that belong together, as 'understudy correlate' finds them: any --max-rows rows are protected."""
    memory: int | str | None
    """Memory to stay below, such as 2GB. A table that does not fit is streamed. Default: what the machine has."""
    engine: Literal["auto", "memory", "stream", "database", "spark"]
    """How rows are counted: held in memory, streamed in several passes, inside their database, or on a Spark cluster.
    auto: inside their database if they are on a server; else in memory if they fit."""
    pull: bool
    """Rows may leave their database server: they are read from it and counted here where that is faster."""
    master: str | None
    """engine spark: the cluster, such as spark://host:7077, local[2] or, for Spark Connect, sc://host. Default: as
    Spark is configured."""


class RunArguments(PlanArguments, total=False):
    """Options of a fit."""

    ledger: Ledger | str | PathLike[str] | None
    """SQLite file that keeps account of all releases; made on first use."""
    dataset: str | None
    """The table's name in the ledger. Default: the schema's name."""
    cap: Number | None
    """Most ε that may ever be spent on it (on first use)."""
    delta_cap: Number | None
    """Most δ that may ever be spent on it (on first use). Default: recorded, not capped."""
    trust_draft: bool
    """Publish drafted fields; the statement says that the guarantee is conditional."""
    seed: int | None
    """Rehearse: repeatable, stamped NOT PRIVATE, charges nothing."""
    noise: Literal["exact", "opendp"]
    """exact (our samplers), or opendp, which goes with --delta 0."""
    diagnostic: Literal["no-privacy", "best-network", "best-marginals"] | None
    """no-privacy, best-network or best-marginals: an experiment without a guarantee."""
    no_guarantee: bool
    """Needed for a method as printed: the release keeps no promise, is stamped so, and charges nothing."""


class MethodArguments(TypedDict, total=False):
    """The method, and the options that methods have."""

    method: str | Method
    """How to learn the model; 'understudy methods' lists them. auto: by schema, rows and budget."""
    rounds: int | None
    """Most relations to measure. None: by the number of columns and the budget."""
    max_cells: int | None
    """Most cells of the tables that a junction tree works on. None: 100,000; 200,000 where no weighted rows follow:
    two-valued columns, many columns, beyond=no. Fewer where memory is short."""
    beyond: bool
    """Whether rounds go on with weighted rows when few relations still fit the tree. Such a model cannot be exported as
    a network."""
    focus: str | Sequence[str | Sequence[str]] | PathLike[str]
    """Columns whose relations with each other matter most, or tables of several: they are measured first."""
    score: Literal["auto", "I", "F", "R"]
    """I, F or R. auto: F when all attributes are binary (after encoding), else R."""
    encoding: Literal["auto", "hierarchical", "vanilla", "binary", "gray"]
    """How attributes are seen. auto: hierarchical."""
    k: int | None
    """Number of parents of each attribute. None: as many as θ-usefulness allows."""
    theta: Fraction | float | None
    """A table is useful if its average cell is at least this many times the noise. None: 5/4 for blocks, else 4."""
    beta: Fraction | float
    """Share of the budget that goes into choosing the network."""
    max_candidates: int | None
    """Most parent sets considered in one choice; beyond it they are drawn by coins. None: by size of the table."""
    postprocessing: Literal["consistent", "printed"]
    """What is done to noisy tables. consistent: agreement, shrinkage, projection. printed: the paper's, each table by
    itself with negative cells set to 0. Both cost nothing; the paper's is less accurate and has no error bars."""
    variant: Literal["blocks", "drawn", "greedy"]
    """blocks: several attributes per table. drawn: ABN-P, parents drawn by coins. greedy: ABN-G, one by one."""
    stop: bool
    """greedy: let a choice leave off adding parents, where noise would outweigh what they say."""
    sensitive: str | Sequence[str]
    """Columns to be protected best, beside those that the schema declares sensitive."""
    L1: Fraction | float | None
    """Share of the budget that goes into choosing the network. None: 0.3."""
    L2: Fraction | float | None
    """Share for tables of the most sensitive columns. None: as r has it."""
    L3: Fraction | float | None
    """Share for tables of the others. None: as r has it."""
    r: Fraction | float | None
    """L2/L3: what the most sensitive columns may cost, beside the others. None: 1/3."""
    weights: Literal["declared", "rare", "equal"]
    """How values of sensitive columns differ. declared: as the schema says; rare: rare ones are protected better, as a
    noisy table tells; equal: not at all."""
    companions: int
    """How many other columns are made as sensitive as the most sensitive one: those that say most about it, by private
    choice."""
    pairs: int | None
    """How many pairs are chosen, at most. None: as many as cliques have room for, and no more than three for each
    column."""
    ways: int
    """Columns of a table. No marginal over more of them can be answered."""
    clip: Literal["marginals", "table"]
    """Where negative cells are cut off: in each marginal, after summing, so that noise cancels; or in the whole table,
    before, which makes a distribution over rows, but a far worse one where most of its cells are empty."""
    round_epsilon: Fraction | float
    """Budget of one round: there are ε/round_epsilon rounds, rounded down, and at least one."""
    queries: Literal["tables", "cells"]
    """What a round chooses and measures: a whole table, or one cell, as the MWEM paper prints it."""
    replay: bool
    """Whether a round corrects for all measurements so far, many times over; if not, for its own, once, as the MWEM
    paper prints it."""
    result: Literal["last", "average"]
    """The distribution after the last round, or the average of those that rounds begin with, as the MWEM paper prints
    it."""
    view_size: int
    """Columns of a table, at most."""
    strength: int
    """2: any two columns are in a table together. 3: any three."""
    mi_threshold: Fraction | float
    """Columns that have this much mutual information with the sensitive one are sensitive too."""
    phi: Fraction | float
    """Cramér's V from which a pair counts as dependent."""


class PlanAndMethodArguments(MethodArguments, total=False):
    """Options of `plan`."""

    epsilon: Number | Sequence[Number]
    """Privacy budgets to hold beside each other, with commas between them. Smaller is more private."""
    delta: Number
    """The promise is (ε, δ), with Gaussian noise; keep δ far below 1/rows. 0: pure ε, which is stricter."""
    neighbours: Literal["add-remove", "replace-one"]
    """add-remove hides whether a row is there, and so the number of rows; replace-one hides what a row says, which is
    stricter (the number of rows is public where a unit has one)."""
    unit: str | None
    """Who is protected: the column that tells units apart, with --max-rows; or in words, "one patient", where each has
    one row. Default: one row."""
    max_rows: int | None
    """Most rows that count for one unit, or belong to a group."""
    bounding: Literal["drop", "weigh"]
    """What is done with a unit of more rows. drop: leave out some by chance; weigh: count all, each for less."""
    groups: str | PathLike[str] | None
    """Rows that belong together, as 'understudy correlate' finds them: any --max-rows rows are protected."""
    memory: int | str | None
    """Memory to stay below, such as 2GB. A table that does not fit is streamed. Default: what the machine has."""
    engine: Literal["auto", "memory", "stream", "database", "spark"]
    """How rows are counted: held in memory, streamed in several passes, inside their database, or on a Spark cluster.
    auto: inside their database if they are on a server; else in memory if they fit."""
    pull: bool
    """Rows may leave their database server: they are read from it and counted here where that is faster."""
    master: str | None
    """engine spark: the cluster, such as spark://host:7077, local[2] or, for Spark Connect, sc://host. Default: as
    Spark is configured."""


class PublishArguments(RunArguments, MethodArguments, total=False):
    """Options of `publish`."""

    out: str | PathLike[str]
    """The folder to make."""
    overwrite: bool
    """Replace an earlier release in that folder."""
    n: int | None
    """Synthetic rows. Default: as many as the table has, by the number that is published."""
    format: Literal["csv", "parquet"] | None
    """csv or parquet. Default: the input's."""
    license: str | None
    """Licence of the release, for its card."""
    creator: str | None
    """Who publishes it, for its card."""
    url: str | None
    """Where it will be found, for its card."""


class AdaptiveArguments(RunArguments, total=False):
    """Options of `Adaptive`."""

    rounds: int | None
    """Most relations to measure. None: by the number of columns and the budget."""
    max_cells: int | None
    """Most cells of the tables that a junction tree works on. None: 100,000; 200,000 where no weighted rows follow:
    two-valued columns, many columns, beyond=no. Fewer where memory is short."""
    beyond: bool
    """Whether rounds go on with weighted rows when few relations still fit the tree. Such a model cannot be exported as
    a network."""
    focus: str | Sequence[str | Sequence[str]] | PathLike[str]
    """Columns whose relations with each other matter most, or tables of several: they are measured first."""


class PrivBayesArguments(RunArguments, total=False):
    """Options of `PrivBayes`."""

    score: Literal["auto", "I", "F", "R"]
    """I, F or R. auto: F when all attributes are binary (after encoding), else R."""
    encoding: Literal["auto", "hierarchical", "vanilla", "binary", "gray"]
    """How attributes are seen. auto: hierarchical."""
    k: int | None
    """Number of parents of each attribute. None: as many as θ-usefulness allows."""
    theta: Fraction | float
    """A table is useful if its average cell is at least this many times the noise."""
    beta: Fraction | float
    """Share of the budget that goes into choosing the network."""
    max_candidates: int | None
    """Most parent sets considered in one choice; beyond it they are drawn by coins. None: by size of the table."""
    postprocessing: Literal["consistent", "printed"]
    """What is done to noisy tables. consistent: agreement, shrinkage, projection. printed: the paper's, each table by
    itself with negative cells set to 0. Both cost nothing; the paper's is less accurate and has no error bars."""


class PrivABNArguments(RunArguments, total=False):
    """Options of `PrivABN`."""

    variant: Literal["blocks", "drawn", "greedy"]
    """blocks: several attributes per table. drawn: ABN-P, parents drawn by coins. greedy: ABN-G, one by one."""
    score: Literal["auto", "I", "F", "R"]
    """I, F or R. auto: R. Blocks use R only."""
    encoding: Literal["auto", "hierarchical", "vanilla", "binary", "gray"]
    """How attributes are seen. auto: hierarchical."""
    k: int | None
    """Most parents of an attribute. None: as many as are useful."""
    theta: Fraction | float | None
    """A table is useful if its average cell is at least this many times the noise. None: 5/4 for blocks, else 4."""
    beta: Fraction | float
    """Share of the budget that goes into choosing the network; blocks may take less."""
    max_candidates: int | None
    """Most candidates in one choice that coins draw. None: by variant."""
    stop: bool
    """greedy: let a choice leave off adding parents, where noise would outweigh what they say."""


class HPPrivBayesArguments(RunArguments, total=False):
    """Options of `HPPrivBayes`."""

    sensitive: str | Sequence[str]
    """Columns to be protected best, beside those that the schema declares sensitive."""
    L1: Fraction | float | None
    """Share of the budget that goes into choosing the network. None: 0.3."""
    L2: Fraction | float | None
    """Share for tables of the most sensitive columns. None: as r has it."""
    L3: Fraction | float | None
    """Share for tables of the others. None: as r has it."""
    r: Fraction | float | None
    """L2/L3: what the most sensitive columns may cost, beside the others. None: 1/3."""
    weights: Literal["declared", "rare", "equal"]
    """How values of sensitive columns differ. declared: as the schema says; rare: rare ones are protected better, as a
    noisy table tells; equal: not at all."""
    companions: int
    """How many other columns are made as sensitive as the most sensitive one: those that say most about it, by private
    choice."""
    score: Literal["auto", "I", "F", "R"]
    """Score of candidate parents of ordinary columns: I, F or R. auto: F when all are binary, else R."""
    k: int | None
    """Number of parents of each column. None: as many as θ-usefulness allows."""
    theta: Fraction | float
    """A table is useful if its average cell is at least this many times the noise."""
    max_candidates: int | None
    """Most parent sets considered in one choice; beyond it they are drawn by coins. None: by size of the table."""


class AnswerArguments(RunArguments, total=False):
    """Options of `answer`."""

    out: str | PathLike[str] | None
    """The file of answers to write, a CSV."""
    overwrite: bool
    """Replace files that are there."""
    strategy: Literal["auto", "tables", "rounds", "direct", "pmw"]
    """tables, rounds, direct or pmw. auto: chosen by the error to expect, which is public."""
    threshold: Number | None
    """pmw: an answer farther off than this share of the rows is corrected. Default: what noise seldom reaches."""
    rate: Number
    """pmw: how far a correction goes, above 0 and at most 1."""
    updates: int
    """pmw: corrections that are paid for."""
    start: str | Method | None
    """Learn a model first, with this method, and start from it: privbayes. Default: start uniform."""
    start_share: Number
    """Share of the budget for that model."""
    model: str | PathLike[str] | None
    """Also write the model behind the answers, to sample and to query."""
    sample: str | PathLike[str] | None
    """Also write a synthetic table sampled from it."""
    as_published: bool
    """Algorithm 2 of the correlated-release paper as printed, without a guarantee: needs --no-guarantee."""
    theta0: Number
    """as-published: the paper's ϑ₀."""


class EvaluateArguments(TypedDict, total=False):
    """Options of `evaluate`."""

    ways: int | Sequence[int]
    """How many columns the compared tables have: any of 1 to 4."""
    max_tables: int
    """Beyond so many tables of one width, as many are drawn at random."""
    classifiers: bool | None
    """Train classifiers too. Default: if scikit-learn is installed."""
    targets: str | Sequence[str] | None
    """Columns that classifiers predict, with commas between them. Default: up to three with few categories."""
    holdout: object | None
    """Real rows that were not published, to test classifiers on."""
    draws: int
    """Tables to look at, drawn from the model: gives intervals."""
    seed: int
    """Of the fresh sample, the independent columns and all that is drawn here."""
    memory: int | str | None
    """Memory to stay below, such as 2GB. Tables that do not fit are streamed: counted whole, and some rows of each for
    all else. Default: what the machine has."""


class CompareArguments(TypedDict, total=False):
    """Options of `compare`."""

    methods: str | Method | Sequence[str | Method] | None
    """Methods with commas between them, options after colons: privbayes:k=2,uniform. Default: all there are."""
    epsilons: Number | Sequence[Number]
    """Budgets, with commas between them."""
    seeds: int | Sequence[int]
    """Runs of each method at each budget."""
    delta: Number
    """The promise is (ε, δ), with Gaussian noise; keep δ far below 1/rows. 0: pure ε, which is stricter."""
    neighbours: Literal["add-remove", "replace-one"]
    """add-remove hides whether a row is there, and so the number of rows; replace-one hides what a row says, which is
    stricter (the number of rows is public where a unit has one)."""
    unit: str | None
    """Who is protected: the column that tells units apart, with --max-rows; or in words, "one patient", where each has
    one row. Default: one row."""
    max_rows: int | None
    """Most rows that count for one unit, or belong to a group."""
    bounding: Literal["drop", "weigh"]
    """What is done with a unit of more rows. drop: leave out some by chance; weigh: count all, each for less."""
    groups: str | PathLike[str] | None
    """Rows that belong together, as 'understudy correlate' finds them: any --max-rows rows are protected."""
    ways: int | Sequence[int]
    """How many columns the compared tables have: any of 1 to 4."""
    out: str | PathLike[str] | None
    """Folder for results; made, or taken up again. Default: comparison; from Python, nothing is written."""
