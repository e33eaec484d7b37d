"""From a table to a published model: read, charge, fit, and write down what was promised."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from typing import Literal, TypeAlias

from understudy._api._doubts import noisy_columns, rows_of, warnings_of
from understudy._api._protection import protection_lines
from understudy._api._rows import declared_rows, one_by_one, refuse_dropping
from understudy._api._settings import RunSettings
from understudy._api._unit import refuse_other_rows, refuse_unit, rule_of
from understudy._core.errors import OptionError
from understudy._core.memory import memory_ceiling, take_room_of_libraries
from understudy._core.randomness import Streams
from understudy._core.receipts import charges_noted
from understudy.counting import Counter, on_server, open_counter
from understudy.methods import flaw_of, models_made
from understudy.models import Model, Saves, knows_no_relation, why_not_releasable
from understudy.numbers import fine_schema, numbers_share, resolve_numbers
from understudy.privacy import Charge, Curator, LedgerWithReceipts, NoiseLevel, PrivacyTerms, open_curator
from understudy.release import ChargeLine, LedgerNote, PublicField, PublishedModel, Statement, describe_domain
from understudy.schema import Schema
from understudy.tables import Source

Progress: TypeAlias = Callable[[str, int, int], None]


def fit_model(
    source: Source, settings: RunSettings, *, progress: Progress | None = None, note: str = ""
) -> PublishedModel:
    """Read the table, charge the ledger, fit the model."""
    # The synthetic table has the original's column order, whatever order the schema was written in.
    settings = replace(settings, schema=settings.schema.in_order_of(source.names))
    with charges_noted(), memory_ceiling(settings.options.memory):
        curator = open_run(source, settings, progress=progress, note=note)
        coins = None if settings.options.seed is None else Streams(settings.options.seed)
        schema, inner = numbers_first(curator, settings.schema)
        model = settings.method.fit(inner, streams=coins, progress=progress)
        if not isinstance(model, Saves) or why_not_releasable(type(model)) is not None:
            said = " or ".join(kind.__name__ for kind in models_made(settings.method))
            raise OptionError(
                f"'{settings.method.name}' made a {type(model).__name__} and had said that it makes a {said}, so "
                "nothing can be published. Mend its `makes`."
            )
        return PublishedModel(schema, model, _statement(source, settings, schema, curator, inner, model))


def numbers_first(curator: Curator, schema: Schema) -> tuple[Schema, Curator]:
    """The schema with bins in place of automatic ones, and the curator that a method is to ask.

    A part of the budget goes into finding them; the rest is the method's.
    """
    share = numbers_share(schema)
    if not share:
        return schema, curator
    resolved = resolve_numbers(curator, schema, share=share)
    rest = curator.part(1 - resolved.share, what="the method")
    return resolved.schema, rest.recoded(resolved.recoding)


def open_run(source: Source, settings: RunSettings, *, progress: Progress | None = None, note: str = "") -> Curator:
    """Read the table, see to it that no unit counts for more than its bound, charge the ledger."""
    if progress is not None:
        progress("reading the table", 0, 1)
    terms = settings.terms
    refuse_unit(terms.unit, settings.schema, source.names)
    counter = _counter(source, settings, progress)
    take_room_of_libraries()
    return open_curator(
        counter,
        budget=terms.budget,
        neighbours=terms.neighbours,
        unit=terms.unit,
        ledger=None if settings.ledger is None else LedgerWithReceipts(settings.ledger),
        noise=settings.noise,
        noiseless=settings.noiseless,
        no_guarantee=settings.as_printed,
        method=settings.method.name,
        note=note,
    )


def _counter(source: Source, settings: RunSettings, progress: Progress | None) -> Counter:
    """The rows, as they are to count: those that break what is declared are treated as the schema says."""
    schema, terms = settings.schema, settings.terms
    refuse_dropping(schema, terms)
    fine = fine_schema(schema)
    return open_counter(
        source,
        fine,
        unit=rule_of(terms.unit, settings.options.seed),
        declared=declared_rows(schema, fine, dropping=not terms.public_rows),
        check_rows=partial(refuse_other_rows, settings.groups),
        engine=settings.options.engine,
        pull=settings.options.pull,
        memory=settings.options.memory,
        master=settings.options.master,
        progress=progress,
    )


def _statement(
    source: Source, settings: RunSettings, schema: Schema, curator: Curator, inner: Curator, model: Model
) -> Statement:
    terms, entry = settings.terms, curator.ledger_entry
    budget = terms.budget
    flaw = flaw_of(settings.method)
    steps = _steps(curator, inner)
    noisy = noisy_columns(schema, model, steps, terms.unit.parts)
    return Statement(
        dataset=settings.schema.name,
        created=datetime.now(UTC).date().isoformat(),
        version=version("understudy"),
        method=settings.method.name,
        options=settings.method.describe(model.domain, model.n, inner.terms),
        epsilon=budget.epsilon,
        delta=budget.delta,
        mu_squared=budget.mu_squared,
        neighbours=terms.neighbours.value,
        unit=terms.unit.sentence,
        n_rows=rows_of(model, terms.unit.parts),
        n_public=terms.public_rows,
        public=tuple(
            PublicField(name=field.name, what=describe_domain(field), origin=field.origin)
            for field in settings.schema.fields
        ),
        charges=tuple(_line(charge, terms) for charge in steps),
        noise=_noise_words(settings),
        seeded=settings.options.seed is not None,
        diagnostic=settings.options.diagnostic,
        ledger=None if entry is None else LedgerNote(dataset=entry.dataset, head=entry.hash),
        warnings=tuple(warnings_of(settings, steps, model, noisy)),
        noisy_columns=noisy.names,
        no_relations=knows_no_relation(model),
        as_printed=None if flaw is None else flaw.sentence,
        protection=protection_lines(curator.protection, settings.schema, terms),
        declared=_declared(settings.schema),
        broken_rows=settings.schema.broken_rows if settings.schema.dependencies else None,
        max_rows=terms.unit.max_rows,
        bounding=None if terms.unit.column is None else terms.unit.bounding,
        counted=_where_counted(source, settings),
    )


def _declared(schema: Schema) -> tuple[str, ...]:
    """What is said of every row, and where that leaves something open, who filled it in."""
    left_open = {rule.text: "" if known is None else "where it is not declared, " for rule, known in schema.open_maps}
    noted = {
        text: f" ({where}which value follows was learnt with noise, and may be another than in the real table)"
        for text, where in left_open.items()
    }
    return tuple(one.text + noted.get(one.text, "") for one in schema.dependencies)


def _where_counted(source: Source, settings: RunSettings) -> Literal["on its server", "pulled"] | None:
    if source.server is None:
        return None
    options, fine = settings.options, fine_schema(settings.schema)
    needed = one_by_one(settings.schema, settings.terms)
    there = on_server(source, fine.domain, engine=options.engine, pull=options.pull, one_by_one=needed)
    return "on its server" if there else "pulled"


def _steps(curator: Curator, inner: Curator) -> tuple[Charge, ...]:
    """All that was asked: of a run within the run its steps, not their sum."""
    return curator.charges if inner is curator else (*curator.charges[:-1], *inner.charges)


def _line(charge: Charge, terms: PrivacyTerms) -> ChargeLine:
    pure = terms.budget.pure
    return ChargeLine(
        what=charge.what,
        mechanism=charge.mechanism,
        cost=charge.epsilon if pure else charge.mu_squared,
        unit="epsilon" if pure else "mu_squared",
        tables=charge.n_tables,
        candidates=charge.n_candidates,
        noise="" if charge.noise is None else _level_words(charge.noise, terms.unit.parts),
    )


def _level_words(level: NoiseLevel, parts: int) -> str:
    """In rows, though what was measured may be parts of them.

    >>> from fractions import Fraction
    >>> _level_words(NoiseLevel(kind="balanced", scale=Fraction(9), shape=Fraction(3, 4)), 1)
    'variance σ² = 9 per cell on average'
    """
    if level.kind == "none":
        return "none"
    if level.kind == "laplace":
        return f"scale b = {float(level.scale / parts):.6g} per cell"
    average = " on average" if level.kind in ("knorm", "balanced") else ""
    return f"variance σ² = {float(level.scale / parts**2):.6g} per cell{average}"


def _noise_words(settings: RunSettings) -> str:
    if settings.as_printed:
        seed = "" if settings.options.seed is None else f", seeded with {settings.options.seed}"
        return f"as the paper prints it, which is not enough{seed}"
    if settings.options.seed is not None:
        return f"a generator seeded with {settings.options.seed} (a rehearsal)"
    source = "OpenDP" if type(settings.noise).__name__.startswith("OpenDP") else "exact integer samplers"
    return f"{source}, fed by the operating system's cryptographic generator"
