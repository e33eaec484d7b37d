"""`plan`: what a run would do, from schema, number of rows and budget alone. Spends nothing."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import log
from typing import Any, Unpack

from understudy import demo
from understudy._api._arguments import PlanAndMethodArguments
from understudy._api._counting_plan import with_counting
from understudy._api._options import read_arguments, takes
from understudy._api._outlook import ASSUMED, Planned, outlooks, same_bins
from understudy._api._promised import refuse_promises
from understudy._api._settings import budget_of, demo_source, refuse_idle_master
from understudy._api._unit import refuse_unit, unit_of
from understudy._core.errors import OptionError, TableError
from understudy._core.machine import slowness, waiting
from understudy._core.numbers import exact_number, whole_number
from understudy.methods import Auto, Plan, PromisePlan, expected_error, method_named, refuse_unpublishable
from understudy.numbers import BEYOND_SHARE
from understudy.options import DEFAULT_DELTA, OutlookOptions
from understudy.privacy import Neighbours, PrivacyTerms
from understudy.release import Promise
from understudy.schema import Schema, SchemaLike, read_schema, refuse_drafts
from understudy.tables import open_source

_RELATIONS = (Neighbours.ADD_REMOVE, Neighbours.REPLACE_ONE)


@takes(OutlookOptions)
def plan(
    source: object = None,
    *,
    schema: SchemaLike | None = None,
    rows: int | None = None,
    **options: Unpack[PlanAndMethodArguments],
) -> Plan:
    """What publishing would give at each ε of a list: errors, pairs that are kept, odds, time; and what it would do.

    Reads no private value. `rows` says how many rows there are; without it the rows of `source` are counted, and
    nothing else. Where that number is private (add-remove neighbours, which is the default, or units of several rows)
    `rows` must be given, and a guess will do. `outlook` has a line for each `epsilon`, a list or a single number;
    everything else is of the one that is nearest to 1. `promises` has what that ε would give under other promises, by
    the same method.
    Options that are not listed are the method's, such as `k=2`.

    >>> found = plan(schema={"fields": [{"name": "a", "type": "boolean"}]}, epsilon=[1, 2], rows=1000)
    >>> [(line.epsilon, round(line.guess, 2)) for line in found.outlook]
    [(1.0, 0.73), (2.0, 0.88)]
    """
    asked = read_arguments(OutlookOptions, options)
    _refuse_none_or_twice(asked.epsilon)
    unit, _ = unit_of(asked)
    budget = budget_of(min(asked.epsilon, key=lambda epsilon: abs(log(exact_number(epsilon)))), asked.delta)
    terms = PrivacyTerms(budget=budget, neighbours=Neighbours(asked.neighbours), unit=unit)
    refuse_unpublishable(asked.method)
    refuse_idle_master(asked)
    table, declared = demo_source(source, schema) if source is not None or schema is None else (None, schema)
    known = read_schema(declared)
    refuse_drafts(known, trust_draft=True)
    refuse_unit(terms.unit, known)
    refuse_promises(known, asked.method)
    asked.method.check(known.domain, terms)
    if rows is None:
        _refuse_to_count(terms, public=demo.bundled(source) is not None)
    opened = None if table is None else open_source(table)
    if rows is None:
        rows = count_rows(opened)
    planned = Planned(method=asked.method, schema=known, terms=terms, n=whole_number(rows, "rows", least=1))
    found = planned.dry_run()
    found = with_counting(found, asked, known, terms, opened)
    lines = outlooks(planned, asked.epsilon)
    foretold = any(line.column_error is not None for line in lines)
    return replace(
        found,
        notes=(
            *found.notes,
            *_beside_spikes(known),
            *_kept(known),
            *(same_bins(planned, asked.epsilon) if foretold else ()),
        ),
        epsilon=float(terms.budget.epsilon),
        promise=_in_words(terms),
        promises=_promises(planned, found),
        outlook=lines,
        wall_seconds=found.seconds * slowness() * waiting(),
        assumed=ASSUMED if any(line.pair_error is not None for line in lines) else "",
    )


def _beside_spikes(schema: Schema) -> tuple[str, ...]:
    """What finding bins may take beside what is planned, which only noisy counts will tell."""
    if not any(field.automatic for field in schema.fields):
        return ()
    return (
        "Where a column shows a single value alone, the rows beside it are looked for with up to "
        f"{float(BEYOND_SHARE):.0%} more of the budget, which the errors do not reckon with.",
    )


def _kept(schema: Schema) -> tuple[str, ...]:
    """What every row will keep, and what becomes of real ones that do not."""
    if not schema.dependencies:
        return ()
    listed = "; ".join(one.text for one in schema.dependencies)
    becomes = {"refuse": "refused", "drop": "left out", "mend": "mended"}[schema.broken_rows]
    kept = f"Kept in every row: {listed}. Real rows that break it are {becomes} (brokenRows)."
    learnt = list(dict.fromkeys(rule.text for rule, _ in schema.open_maps))
    if not learnt:
        return (kept,)
    return (
        kept,
        f"Which value follows in {'; '.join(learnt)} is learnt with noise where no map says it; by default that takes "
        "2 to 20 % of the budget from relations. A map of all combinations saves it.",
    )


def _refuse_none_or_twice(epsilons: tuple[Any, ...]) -> None:
    if not epsilons:
        raise OptionError("there is no epsilon to plan for. Give one, or several such as 0.5,1,5.")
    exact = [exact_number(epsilon) for epsilon in epsilons]
    for epsilon in exact:
        if exact.count(epsilon) > 1:
            raise OptionError(f"epsilon {float(epsilon):g} is given twice. Give each once.")


def _refuse_to_count(terms: PrivacyTerms, *, public: bool) -> None:
    """A plan reads nothing private; the rows of a bundled table are no secret."""
    if terms.unit.column is not None or not (public or terms.public_rows):
        raise OptionError(
            "the number of rows that count is private here (with add-remove neighbours, or units of several rows), "
            "or takes a look at the unit column, so a plan does not look it up. Give a guess: --rows N (rows=N)."
        )


def _in_words(terms: PrivacyTerms) -> str:
    budget, unit = terms.budget, terms.unit
    promise = Promise(
        epsilon=budget.epsilon,
        delta=budget.delta,
        neighbours=terms.neighbours.value,
        n_public=terms.public_rows,
        max_rows=unit.max_rows,
        bounding=None if unit.column is None else unit.bounding,
        unit=unit.words,
    )
    return promise.meaning


def _promises(planned: Planned, chosen: Plan) -> tuple[PromisePlan, ...]:
    """What the same ε would give under each relation, with a δ and without: the weakest promise first."""
    if not chosen.noise_mean:
        return ()
    terms, asked = planned.terms, planned.terms.budget
    if isinstance(planned.method, Auto):  # noise of other tables, by another method, could not be compared
        method, _ = planned.method.choose(planned.domain, chosen.rows, asked)
        planned = replace(planned, method=method_named(method.name))
    lines = []
    for delta, relation in product((asked.delta or exact_number(DEFAULT_DELTA), Fraction(0)), _RELATIONS):
        same = delta == asked.delta and relation is terms.neighbours
        other = replace(terms, budget=budget_of(asked.epsilon, delta), neighbours=relation)
        try:
            noise = chosen.noise_mean if same else replace(planned, terms=other).dry_run().noise_mean
        except OptionError:  # what the method cannot do under this promise
            noise = None
        error = None if noise is None else expected_error(chosen.largest_useful_table, noise, chosen.rows)
        lines.append(
            PromisePlan(
                epsilon=float(asked.epsilon),
                delta=float(delta),
                neighbours=relation.value,
                noise_mean=noise,
                expected_error=error,
                chosen=same,
            )
        )
    return tuple(lines)


def count_rows(source: object) -> int:
    """Number of rows of a file or dataframe, without looking at values.

    >>> from understudy import demo
    >>> count_rows(demo.table_path())
    5912
    """
    if source is None:
        raise OptionError("a plan needs the number of rows: name the table, or give --rows N (rows=N).")
    opened = open_source(source)
    if opened.n_rows is not None:
        return opened.n_rows
    if opened.server is not None:
        return opened.server.n_rows()
    if not opened.names:
        raise TableError("the table has no columns. Name the table that the schema is about.")
    # One column suffices, and its cells are counted, not looked at.
    return sum(len(columns[0]) for columns in opened.batches(opened.names[:1]))
