"""`compare`: methods, budgets and seeds held against one real table. Rehearsals only: no ledger is ever touched."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import TypeVar

from understudy._api._arguments import Number
from understudy._api._compare_runs import Bench, Task, split_references
from understudy._api._comparison import Comparison, Run
from understudy._api._fit import Progress
from understudy._api._settings import (
    SchemaLike,
    demo_source,
    read_neighbours,
    read_schema,
    read_ways,
    refuse_drafts,
)
from understudy._core.errors import OptionError
from understudy._core.numbers import whole_number
from understudy.counting import open_counter
from understudy.methods import Method, label_method, read_method, usual_methods
from understudy.privacy import Budget, PrivacyTerms, make_budget
from understudy.rehearsal import RunStore, check_folder
from understudy.schema import Domain
from understudy.tables import open_source, read_table

STAGE = "comparing"
_Item = TypeVar("_Item")


def compare(
    source: object,
    *,
    schema: SchemaLike | None = None,
    methods: Sequence[str | Method] | None = None,
    epsilons: Sequence[Number] = (0.1, 0.4, 1.6),
    seeds: int | Sequence[int] = 5,
    delta: Number | None = None,
    neighbours: str = "replace-one",
    ways: Sequence[int] = (2, 3),
    out: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """How far synthetic tables are from the real one, for methods × budgets × seeds.

    Every run is a rehearsal: seeded, so that it can be repeated, and never charged to a ledger. Its table is the one
    that `publish` with that seed would write. The error is the average total variation distance over all tables of
    `ways` columns; beside it stand what a fresh sample of real rows would get, and what
    independent columns would get. What comes out was computed from the real table: keep it private.

    Args:
        source: a file, a pandas, polars or pyarrow table, or the word "demo".
        schema: what is declared about the table. Drafts will do, since nothing is published.
        methods: names, with options after colons (`"privbayes:k=2"`), or methods themselves; all there are by default.
            A method as its paper prints it (`"privabn-as-printed"`) is labelled as without a guarantee.
        epsilons: budgets.
        seeds: how many runs each method gets at each budget, or the seeds themselves.
        delta: (ε, δ) with Gaussian noise.
        neighbours: "replace-one" or "add-remove".
        ways: how many columns the tables have that are compared: any of 1 to 4.
        out: a folder that keeps every finished run, so that a comparison that was broken off goes on where it was, and
            gets the table (CSV, JSON), the figure and a page. Without it nothing is written.
        progress: called with what is being done, how much of it is done, and how much there is.

    >>> import pyarrow as pa
    >>> table = pa.table({"a": ["x", "y", "y", "y"] * 50, "b": ["x", "y", "x", "y"] * 50})
    >>> schema = {"fields": [{"name": name, "categories": ["x", "y"]} for name in "ab"]}
    >>> found = compare(table, schema=schema, methods=["independent", "uniform"], epsilons=[1], seeds=2, ways=[2])
    >>> found.table.column_names
    ['method', 'epsilon', 'measure', 'mean', 'low', 'high', 'fresh_sample', 'independent_columns', 'runs']
    """
    table, declared = demo_source(source, schema)
    wanted = read_schema(declared)
    refuse_drafts(wanted, trust_draft=True)
    asked = _check(wanted.domain, methods, epsilons, seeds, delta, neighbours)
    widths = read_ways(ways, len(wanted.domain))
    _refuse_wider_than_answered(asked.methods, widths)
    folder = None if out is None else Path(out)
    if folder is not None:
        check_folder(folder)
    if progress is not None:
        progress("reading the table", 0, 1)
    opened = open_source(table)
    wanted = wanted.in_order_of(opened.names)
    bench = Bench(schema=wanted, table=read_table(opened, wanted), ways=widths)
    runs, references = _run_all(bench, asked.tasks, RunStore.open(folder), progress)
    found = _comparison(bench, asked, runs, references, opened.kind)
    if folder is not None:
        found.save(folder)
    return found


def _comparison(bench: Bench, asked: _Asked, runs: list[Run], references: dict[str, float], kind: str) -> Comparison:
    return Comparison(
        dataset=bench.schema.name,
        rows=bench.table.n,
        columns=len(bench.table.domain),
        version=str(bench.setting["version"]),
        neighbours=asked.tasks[0].neighbours.value,
        delta=asked.budgets[0].delta,
        methods=tuple(label_method(method) for method in asked.methods),
        epsilons=tuple(budget.epsilon for budget in asked.budgets),
        seeds=asked.seeds,
        scopes={f"{way}-way": chosen.scope for way, chosen in bench.groups.items()},
        fresh_sample=split_references(references, "fresh sample"),
        independent_columns=split_references(references, "independent columns"),
        runs=tuple(runs),
        kind=kind,
    )


def _run_all(
    bench: Bench, tasks: Sequence[Task], store: RunStore, progress: Progress | None
) -> tuple[list[Run], dict[str, float]]:
    """Every run that the store does not have, and the references; all of them, in order."""
    left = [task for task in tasks if bench.key(task) not in store.values]
    if bench.key(None) not in store.values:
        store.add(bench.key(None), {**bench.setting, "run": "references"}, bench.references())
    counter = open_counter(bench.table)
    for done, task in enumerate(left):
        if progress is not None:
            progress(STAGE, done, len(left))
        begun = time.perf_counter()
        values = bench.run(task, counter)
        seconds = round(time.perf_counter() - begun, 3)
        store.add(bench.key(task), {**bench.setting, **task.facts, "seconds": seconds}, values)
    if progress is not None and left:
        progress(STAGE, len(left), len(left))
    runs = [
        Run(method=task.label, epsilon=task.budget.epsilon, seed=task.seed, values=store.values[bench.key(task)])
        for task in tasks
    ]
    return runs, store.values[bench.key(None)]


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """What is to be compared, checked."""

    methods: tuple[Method, ...]
    budgets: tuple[Budget, ...]
    seeds: tuple[int, ...]
    tasks: tuple[Task, ...]


def _check(
    domain: Domain,
    methods: Sequence[str | Method] | None,
    epsilons: Sequence[Number],
    seeds: int | Sequence[int],
    delta: Number | None,
    neighbours: str,
) -> _Asked:
    """Refuse whatever can be refused before the table is opened."""
    words = [methods] if isinstance(methods, str) else usual_methods(domain) if methods is None else list(methods)
    recipes = [read_method(word) if isinstance(word, str) else word for word in words]
    numbers = [epsilons] if isinstance(epsilons, str | int | float | Fraction) else list(epsilons)
    budgets = sorted((make_budget(number, delta) for number in numbers), key=lambda budget: budget.epsilon)
    if isinstance(seeds, str) or not isinstance(seeds, Sequence):
        repeats = list(range(whole_number(seeds, "seeds", least=1)))
    else:
        repeats = [whole_number(seed, "seeds") for seed in seeds]
    _refuse_none_or_twice("method", recipes, label_method)
    _refuse_none_or_twice("epsilon", budgets, lambda budget: f"{float(budget.epsilon):g}")
    _refuse_none_or_twice("seed", repeats, str)
    relation = read_neighbours(neighbours)
    for method, budget in product(recipes, budgets):
        method.check(domain, PrivacyTerms(budget=budget, neighbours=relation))
    tasks = tuple(
        Task(method=method, budget=budget, neighbours=relation, seed=seed)
        # seeds outermost: broken off half-way, every method has been tried at every budget
        for seed, budget, method in product(repeats, budgets, recipes)
    )
    return _Asked(methods=tuple(recipes), budgets=tuple(budgets), seeds=tuple(repeats), tasks=tasks)


def _refuse_wider_than_answered(methods: Sequence[Method], ways: Sequence[int]) -> None:
    """A baseline that measures tables of so many columns has no answer for wider ones."""
    for method in methods:
        answered = getattr(method, "ways", None) if method.name in ("laplace", "fourier") else None
        if answered is not None and answered < max(ways):
            columns = f"{answered} column{'s' * (answered != 1)}"
            raise OptionError(
                f"'{label_method(method)}' answers tables of at most {columns}, and tables of {max(ways)} are to be "
                f"compared. Say {method.name}:ways={max(ways)}, or compare --ways up to {answered}."
            )


def _refuse_none_or_twice(what: str, items: Sequence[_Item], name: Callable[[_Item], str]) -> None:
    if not items:
        raise OptionError(f"there is nothing to compare: no {what} was given. Give at least one.")
    names = [name(item) for item in items]
    for word in names:
        if names.count(word) > 1:
            raise OptionError(f"{what} {word} is given twice. Give each once.")
