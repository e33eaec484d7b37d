"""How a run would count its rows, and in how many passes: from public figures, for plans."""

from __future__ import annotations

from dataclasses import replace

from understudy._api._rows import one_by_one
from understudy.counting import CountingPlan, on_server, plan_counting
from understudy.methods import Auto, Method, Plan
from understudy.numbers import fine_schema
from understudy.options import PlanOptions
from understudy.privacy import PrivacyTerms
from understudy.schema import Domain, Schema
from understudy.tables import Source, open_source

_SECONDS_OF_CELL = 2.5e-8  # read, encoded and counted once more, in a file of texts; numbers take half as long


def with_counting(
    found: Plan, options: PlanOptions, schema: Schema, terms: PrivacyTerms, source: object = None
) -> Plan:
    """The plan, with the engine that would count and the passes that it would take. Of a source its size is asked."""
    opened, finely = None if source is None else open_source(source), fine_schema(schema)
    fine = finely.domain
    counting = plan_counting(
        fine,
        found.rows,
        later=schema.domain,
        engine=_engine(opened, fine, options, one_by_one(schema, terms)),
        memory=options.memory,
        units=terms.unit.column is not None,
        server=None if opened is None else opened.server,
        schema=finely,
    )
    if counting.engine == "memory":
        return replace(found, engine="memory", passes=1)
    most = _most_passes if counting.queries is None else _most_queries
    passes = most(found, options.method, counting, schema, terms)
    again = (passes or 1) - 1 if counting.engine == "stream" else 0
    return replace(
        found,
        engine=counting.engine,
        engine_because=counting.because,
        memory_bytes=min(found.memory_bytes, counting.most_bytes or found.memory_bytes),
        seconds=found.seconds + again * found.rows * len(fine) * _SECONDS_OF_CELL,
        passes=passes,
        pass_bytes=None if opened is None else opened.n_bytes,
    )


def _engine(source: Source | None, domain: Domain, options: PlanOptions, needed: bool) -> str:
    """The engine that was asked for, or that a source brings along."""
    if source is None:
        return options.engine
    if on_server(source, domain, engine=options.engine, pull=options.pull, one_by_one=needed):
        return "database"
    return "spark" if options.engine == "auto" and source.frame is not None else options.engine


def _chosen(found: Plan, method: Method, schema: Schema, terms: PrivacyTerms) -> str:
    return method.choose(schema.domain, found.rows, terms.budget)[0].name if isinstance(method, Auto) else method.name


def _most_queries(
    found: Plan, method: Method, counting: CountingPlan, schema: Schema, terms: PrivacyTerms
) -> int | None:
    """Queries of a database, each of which goes over all rows: those that check cells, then those of the method."""
    checks, pairs, triples = counting.queries or (0, 0, 0)
    checks += len(schema.dependencies)
    name = _chosen(found, method, schema, terms)
    if name == "independent":
        return checks
    binary = all(attribute.size <= 2 for attribute in schema.domain)
    return checks + pairs + (triples if binary else 0) if name == "adaptive" else None


def _most_passes(
    found: Plan, method: Method, counting: CountingPlan, schema: Schema, terms: PrivacyTerms
) -> int | None:
    """The first, one more where a column tells units apart, and those that the method needs beside."""
    name = _chosen(found, method, schema, terms)
    first = 1 if terms.unit.column is None else 2
    if name == "independent":
        return first
    if name == "adaptive" and (counting.pairs_first or counting.pairs_at_once):
        # pairs; of two-valued columns triples too; and what is declared of rows
        binary = all(attribute.size <= 2 for attribute in schema.domain)
        return first + (not counting.pairs_first) + binary + len(schema.dependencies)
    if name == "jtree" and (counting.pairs_first or counting.pairs_at_once):
        return first + (not counting.pairs_first) + 1  # pairs to choose from, and then the cliques of those chosen
    if found.score is not None and len(found.candidates_per_choice) > 0:
        return first + len(found.candidates_per_choice) + 1
    return None
