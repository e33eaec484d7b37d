"""`plan`: what a run would do, from schema, number of rows and budget alone. Spends nothing."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Unpack

from understudy import demo
from understudy._api._arguments import PlanAndMethodArguments
from understudy._api._options import read_arguments, takes
from understudy._api._promised import refuse_promises
from understudy._api._settings import budget_of, demo_source, terms_of
from understudy._api._unit import refuse_unit
from understudy._core.errors import OptionError, TableError
from understudy._core.numbers import exact_number, whole_number
from understudy.methods import Auto, Method, Plan, PromisePlan, expected_error, method_named, refuse_unpublishable
from understudy.options import DEFAULT_DELTA, PlanOptions
from understudy.privacy import Neighbours, PrivacyTerms
from understudy.release import Promise
from understudy.schema import Domain, SchemaLike, read_schema, refuse_drafts
from understudy.tables import open_source

_RELATIONS = (Neighbours.ADD_REMOVE, Neighbours.REPLACE_ONE)


@takes(PlanOptions)
def plan(
    source: object = None,
    *,
    schema: SchemaLike | None = None,
    rows: int | None = None,
    **options: Unpack[PlanAndMethodArguments],
) -> Plan:
    """What publishing would do: candidates, table sizes, memory, time, expected error, coarsened attributes.

    Reads no private value. `rows` says how many rows there are; without it the rows of `source` are counted, and
    nothing else. Where that number is private (add-remove neighbours, which is the default, or units of several rows)
    `rows` must be given, and a guess will do. `promises` has what the same ε would give under other promises,
    by the same method.
    Options that are not listed are the method's, such as `k=2`.

    >>> found = plan(schema={"fields": [{"name": "a", "type": "boolean"}]}, epsilon=1, rows=1000)
    """
    asked = read_arguments(PlanOptions, options)
    method, (terms, _) = asked.method, terms_of(asked)
    refuse_unpublishable(method)
    table, declared = demo_source(source, schema) if source is not None or schema is None else (None, schema)
    known = read_schema(declared)
    refuse_drafts(known, trust_draft=True)
    refuse_unit(terms.unit, known)
    refuse_promises(known, method)
    method.check(known.domain, terms)
    if rows is None:
        _refuse_to_count(terms, public=demo.bundled(source) is not None)
        rows = count_rows(table)
    n = whole_number(rows, "rows", least=1)
    found = dry_run(method, known.domain, n, terms)
    return replace(found, promise=_in_words(terms), promises=_promises(method, known.domain, terms, found))


def dry_run(method: Method, domain: Domain, n: int, terms: PrivacyTerms) -> Plan:
    """What a method would do with n rows under these terms; refuses what could not run."""
    method.check(domain, terms)
    # weighed rows are counted in parts and get as much more noise: the same in rows, and what a plan speaks of is rows
    return method.plan(domain, n, replace(terms, unit=replace(terms.unit, bounding="drop")))


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
    )
    return promise.meaning


def _promises(method: Method, domain: Domain, terms: PrivacyTerms, chosen: Plan) -> tuple[PromisePlan, ...]:
    """What the same ε would give under each relation, with a δ and without: the weakest promise first."""
    if not chosen.noise_mean:
        return ()
    asked = terms.budget
    if isinstance(method, Auto):  # noise of other tables, by another method, could not be compared
        method = method_named(method.choose(domain, chosen.rows, asked)[0].name)
    lines = []
    for delta, relation in product((asked.delta or exact_number(DEFAULT_DELTA), Fraction(0)), _RELATIONS):
        same = delta == asked.delta and relation is terms.neighbours
        other = replace(terms, budget=budget_of(asked.epsilon, delta), neighbours=relation)
        try:
            noise = chosen.noise_mean if same else dry_run(method, domain, chosen.rows, other).noise_mean
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
    if not opened.names:
        raise TableError("the table has no columns. Name the table that the schema is about.")
    # One column suffices, and its cells are counted, not looked at.
    return sum(len(columns[0]) for columns in opened.batches(opened.names[:1]))
