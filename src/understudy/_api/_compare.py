"""`compare`: methods, budgets and seeds held against one real table. Rehearsals only: no ledger is ever touched."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TypeVar, Unpack

from understudy._api._arguments import CompareArguments
from understudy._api._compare_runs import Bench, Task, split_references
from understudy._api._comparison import Comparison, Run
from understudy._api._fit import Progress
from understudy._api._options import read_options, takes
from understudy._api._promised import refuse_promises
from understudy._api._rows import read_rows
from understudy._api._settings import budget_of, demo_source, refuse_ways
from understudy._api._unit import refuse_other_rows, refuse_unit, unit_of
from understudy._core.errors import OptionError
from understudy.correlate import Groups
from understudy.methods import Method, label_method, read_method, usual_methods
from understudy.options import CompareOptions, MethodFlags, PlanOptions, options_of
from understudy.privacy import Budget, Neighbours, PrivacyTerms, PrivacyUnit
from understudy.rehearsal import RunStore, check_folder
from understudy.schema import Domain, Schema, SchemaLike, read_schema, refuse_drafts
from understudy.tables import Source, open_source

STAGE = "comparing"
_Item = TypeVar("_Item")


@takes(CompareOptions)
def compare(
    source: object,
    *,
    schema: SchemaLike | None = None,
    progress: Progress | None = None,
    **options: Unpack[CompareArguments],
) -> Comparison:
    """How far synthetic tables are from the real one, for methods × budgets × seeds.

    Every run is a rehearsal: seeded, so that it can be repeated, and never charged to a ledger. Its table is the one
    that `publish` with that seed would write. The error is the average total variation distance over all tables of
    `ways` columns; beside it stand what a fresh sample of real rows would get, and what independent columns would get.
    What comes out was computed from the real table: keep it private.

    `source` is a file, a pandas, polars or pyarrow table, or the word "demo". In `schema` drafts will do, since nothing
    is published. `methods` are names, with options after colons (`"privbayes:k=2"`), or methods themselves; one as its
    paper prints it (`"privabn-as-printed"`) is labelled as without a guarantee. `seeds` says how many runs each method
    gets at each budget, or lists the seeds. The folder `out` keeps every finished run, so that a comparison that was
    broken off goes on where it was, and gets the table (CSV, JSON), the figure and a page; without it nothing is
    written. `progress` is called with what is being done, how much of it is done, and how much there is.

    >>> import pyarrow as pa
    >>> table = pa.table({"a": ["x", "y", "y", "y"] * 50, "b": ["x", "y", "x", "y"] * 50})
    >>> schema = {"fields": [{"name": name, "categories": ["x", "y"]} for name in "ab"]}
    >>> found = compare(table, schema=schema, methods=["independent", "uniform"], epsilons=[1], seeds=2, ways=[2])
    >>> found.table.column_names
    ['method', 'epsilon', 'measure', 'mean', 'low', 'high', 'interval', 'fresh_sample', 'independent_columns', 'runs']
    """
    given = read_options(CompareOptions, options)
    table, declared = demo_source(source, schema)
    wanted = read_schema(declared)
    refuse_drafts(wanted, trust_draft=True)
    unit, groups = unit_of(given)
    refuse_unit(unit, wanted)
    asked, widths = _check(wanted.domain, given, unit), tuple(sorted(set(given.ways)))
    refuse_promises(wanted, *asked.methods)
    refuse_ways(widths, len(wanted.domain))
    _refuse_wider_than_answered(asked.methods, widths)
    folder = None if given.out is None else Path(given.out)
    if folder is not None:
        check_folder(folder)
    if progress is not None:
        progress("reading the table", 0, 1)
    opened = open_source(table)
    wanted = wanted.in_order_of(opened.names)
    bench = _bench(opened, wanted, widths, asked.unit, groups)
    runs, references = _run_all(bench, asked.tasks, RunStore.open(folder), progress)
    found = _comparison(bench, asked, runs, references, opened.kind)
    if folder is not None:
        found.save(folder)
    return found


def _bench(source: Source, schema: Schema, ways: tuple[int, ...], unit: PrivacyUnit, groups: Groups | None) -> Bench:
    """The rows, and whose they are where a column tells."""
    refuse_unit(unit, schema, source.names)
    table, units, read = read_rows(source, schema, unit.column, dropping=True)
    if unit.column is None:
        refuse_other_rows(groups, read)
    return Bench(schema=schema, table=table, ways=ways, units=units)


def _comparison(bench: Bench, asked: _Asked, runs: list[Run], references: dict[str, float], kind: str) -> Comparison:
    return Comparison(
        dataset=bench.schema.name,
        rows=bench.table.n,
        columns=len(bench.table.domain),
        version=str(bench.setting["version"]),
        neighbours=asked.tasks[0].terms.neighbours.value,
        unit=asked.unit.sentence,
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
    counter, drawn = None, None
    for done, task in enumerate(left):
        if progress is not None:
            progress(STAGE, done, len(left))
        if counter is None or (bench.units is not None and drawn != task.seed):  # which rows count depends on coins
            counter, drawn = bench.counter(task.terms.unit, task.seed), task.seed
        begun = time.perf_counter()
        values = bench.run(task, counter)
        seconds = round(time.perf_counter() - begun, 3)
        store.add(bench.key(task), {**bench.setting, **task.facts, "seconds": seconds}, values)
    if progress is not None and left:
        progress(STAGE, len(left), len(left))
    runs = [
        Run(method=task.label, epsilon=task.terms.budget.epsilon, seed=task.seed, values=store.values[bench.key(task)])
        for task in tasks
    ]
    return runs, store.values[bench.key(None)]


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """What is to be compared, checked."""

    methods: tuple[Method, ...]
    budgets: tuple[Budget, ...]
    seeds: tuple[int, ...]
    unit: PrivacyUnit
    tasks: tuple[Task, ...]


def _check(domain: Domain, options: CompareOptions, unit: PrivacyUnit) -> _Asked:
    """Refuse whatever can be refused before the table is opened."""
    words = usual_methods(domain) if options.methods is None else options.methods
    recipes = [_read(word) if isinstance(word, str) else word for word in words]
    numbers = (budget_of(number, options.delta) for number in options.epsilons)
    budgets = sorted(numbers, key=lambda budget: budget.epsilon)
    _refuse_none_or_twice("method", recipes, label_method)
    _refuse_none_or_twice("epsilon", budgets, lambda budget: f"{float(budget.epsilon):g}")
    _refuse_none_or_twice("seed", options.seeds, str)
    relation = Neighbours(options.neighbours)
    for method, budget in product(recipes, budgets):
        try:
            method.check(domain, PrivacyTerms(budget=budget, neighbours=relation, unit=unit))
        except OptionError as refused:
            raise OptionError(_as_written_here(str(refused), method.name)) from refused
    tasks = tuple(
        Task(method=method, terms=PrivacyTerms(budget=budget, neighbours=relation, unit=unit), seed=seed)
        # seeds outermost: broken off half-way, every method has been tried at every budget
        for seed, budget, method in product(options.seeds, budgets, recipes)
    )
    return _Asked(methods=tuple(recipes), budgets=tuple(budgets), seeds=options.seeds, unit=unit, tasks=tasks)


def _read(word: str) -> Method:
    try:
        return read_method(word)
    except OptionError as refused:
        raise OptionError(_as_written_here(str(refused), word.partition(":")[0].strip())) from refused


def _as_written_here(message: str, method: str) -> str:
    """The same advice, with options of a method as a comparison takes them: it has no flags of methods.

    >>> _as_written_here("Name some with --sensitive (sensitive=…), or say --delta 0.", "hpprivbayes")
    'Name some with hpprivbayes:sensitive=…, or say --delta 0.'
    >>> _as_written_here("Name the method that is to have it, such as --method adaptive.", "auto")
    'Name the method that is to have it, such as adaptive.'
    """
    known = {flag for one in options_of(CompareOptions) for flag in one.flags}
    for one in (*options_of(MethodFlags), *options_of(PlanOptions)):
        for flag in one.flags:
            if one.name == "method":
                message = message.replace(f"{flag} ", "")
            elif flag.startswith("--") and flag not in known:
                message = re.sub(rf"{flag}\b(?: \({one.name}=…\))?", f"{method}:{one.name}=…", message)
    return message


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
