"""From a table to a published model: read, charge, fit, and write down what was promised."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from math import sqrt
from typing import Literal, TypeAlias

from understudy._api._protection import protection_lines
from understudy._api._rows import declared_rows, refuse_dropping
from understudy._api._settings import RunSettings
from understudy._api._unit import refuse_other_rows, refuse_unit, rule_of
from understudy._core.errors import OptionError
from understudy._core.memory import memory_ceiling
from understudy._core.randomness import Streams
from understudy._core.receipts import charges_noted
from understudy.counting import Counter, on_server, open_counter
from understudy.methods import flaw_of, models_made
from understudy.models import Model, Saves, why_not_releasable
from understudy.numbers import fine_schema, numbers_share, resolve_numbers
from understudy.privacy import Charge, Curator, LedgerWithReceipts, NoiseLevel, PrivacyTerms, open_curator
from understudy.release import ChargeLine, LedgerNote, PublicField, PublishedModel, Statement, describe_domain
from understudy.schema import Schema
from understudy.tables import Source, formula_columns

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
        return PublishedModel(schema, model, _statement(source, settings, curator, inner, model))


def numbers_first(curator: Curator, schema: Schema) -> tuple[Schema, Curator]:
    """The schema with bins in place of automatic ones, and the curator that a method is to ask.

    A part of the budget goes into finding them; the rest is the method's.
    """
    if not any(field.automatic for field in schema.fields):
        return schema, curator
    resolved = resolve_numbers(curator, schema, share=numbers_share(curator.budget))
    rest = curator.part(1 - resolved.share, what="the method")
    return resolved.schema, rest.recoded(resolved.recoding)


def open_run(source: Source, settings: RunSettings, *, progress: Progress | None = None, note: str = "") -> Curator:
    """Read the table, see to it that no unit counts for more than its bound, charge the ledger."""
    if progress is not None:
        progress("reading the table", 0, 1)
    terms = settings.terms
    refuse_unit(terms.unit, settings.schema, source.names)
    counter = _counter(source, settings, progress)
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


def _statement(source: Source, settings: RunSettings, curator: Curator, inner: Curator, model: Model) -> Statement:
    terms, entry = settings.terms, curator.ledger_entry
    budget = terms.budget
    flaw = flaw_of(settings.method)
    statement = Statement(
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
        n_rows=max(1, round(model.n / terms.unit.parts)),
        n_public=terms.public_rows,
        public=tuple(
            PublicField(name=field.name, what=describe_domain(field), origin=field.origin)
            for field in settings.schema.fields
        ),
        charges=tuple(_line(charge, terms) for charge in _steps(curator, inner)),
        noise=_noise_words(settings),
        seeded=settings.options.seed is not None,
        diagnostic=settings.options.diagnostic,
        ledger=None if entry is None else LedgerNote(dataset=entry.dataset, head=entry.hash),
        warnings=(),
        as_printed=None if flaw is None else flaw.sentence,
        protection=protection_lines(curator.protection, settings.schema, terms),
        declared=tuple(one.text for one in settings.schema.dependencies),
        broken_rows=settings.schema.broken_rows if settings.schema.dependencies else None,
        max_rows=terms.unit.max_rows,
        bounding=None if terms.unit.column is None else terms.unit.bounding,
        counted=_where_counted(source, settings),
    )
    return replace(statement, warnings=tuple(_warnings(settings, _steps(curator, inner), model)))


def _where_counted(source: Source, settings: RunSettings) -> Literal["on its server", "pulled"] | None:
    if source.server is None:
        return None
    options, fine = settings.options, fine_schema(settings.schema)
    return "on its server" if on_server(source, fine.domain, engine=options.engine, pull=options.pull) else "pulled"


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


def _rough_rows(charges: Sequence[Charge], parts: int, model: Model) -> str | None:
    """A sentence if the number of rows that is published may be noise for the most part."""
    levels = [charge.noise for charge in charges if charge.what == "rows" and charge.noise is not None]
    off = sqrt(levels[0].variance) / parts if levels else 0.0
    rows = max(1, round(model.n / parts))
    if 2 * off <= rows:
        return None
    return (
        f"the number of rows is private, and the {rows:,} published are mostly noise: they may well be {2 * off:,.0f} "
        "too many or too few. Draw as many as make sense (--rows, n=…), raise epsilon, or make their number public "
        "with neighbours 'replace-one'."
    )


def _warnings(settings: RunSettings, charges: Sequence[Charge], model: Model) -> list[str]:
    found = []
    if (doubt := _rough_rows(charges, settings.terms.unit.parts, model)) is not None:
        found.append(doubt)
    if settings.terms.budget.delta * model.n >= settings.terms.unit.parts:
        found.append(
            "delta is not below 1/rows: a mechanism that publishes a few records in clear would pass. Use a delta far "
            "below 1/rows."
        )
    if settings.terms.budget.epsilon > 10:
        epsilon = float(settings.terms.budget.epsilon)
        found.append(
            f"an epsilon of {epsilon:g} promises next to nothing: what is learnt about a person may change the odds by "
            f"a factor of e to the {epsilon:g}. Budgets up to 1 protect well; up to 10 they still say something."
        )
    if columns := formula_columns(settings.schema):
        listed = ", ".join(f"'{name}'" for name in columns[:5]) + (", …" if len(columns) > 5 else "")
        found.append(
            f"names or categories of {'column' if len(columns) == 1 else 'columns'} {listed} begin like formulas (with "
            "=, +, - or @), and a spreadsheet that opens the synthetic table would run them. Tell its readers to "
            "import it as text, or declare other words."
        )
    found += settings.method.remarks(model)
    if settings.options.seed is not None and settings.ledger is not None:
        found.append("a seeded rehearsal is never charged to a ledger.")
    if settings.as_printed and settings.ledger is not None:
        found.append("a method as printed has no price, so it is never charged to a ledger.")
    return found
