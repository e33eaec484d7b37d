"""What a run was asked to do, resolved as far as it can be before any row is read or budget spent."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from understudy import demo
from understudy._api._promised import refuse_promises
from understudy._api._unit import refuse_unit, unit_of
from understudy._core.errors import OptionError
from understudy._core.memory import memory_ceiling
from understudy._core.numbers import exact_number
from understudy.methods import Method, flaw_of, refuse_unpublishable
from understudy.options import PlanOptions, RunOptions
from understudy.privacy import (
    Budget,
    Ledger,
    Neighbours,
    Noise,
    PrivacyTerms,
    SQLiteLedger,
    make_budget,
    make_noise,
)
from understudy.schema import Schema, SchemaLike, read_schema, refuse_drafts

if TYPE_CHECKING:
    from understudy.correlate import Groups

_SCHEMA_ENDINGS = (".yaml", ".yml", ".json")
_NOISELESS: Mapping[str, Literal["all", "selection", "tables"]] = {
    "no-privacy": "all",
    "best-network": "selection",
    "best-marginals": "tables",
}


@dataclass(frozen=True, kw_only=True)
class RunSettings:
    """Everything about a run but the table itself: the options, and what they came to."""

    options: RunOptions
    schema: Schema
    method: Method
    terms: PrivacyTerms
    noise: Noise
    ledger: Ledger | None
    groups: Groups | None = None
    """Rows that belong together, as a file has them. Private."""

    @property
    def noiseless(self) -> Literal["all", "selection", "tables"] | None:
        """Which answers a diagnostic run takes without noise."""
        return None if self.options.diagnostic is None else _NOISELESS[self.options.diagnostic]

    @property
    def guarantee(self) -> bool:
        """Whether the run will be private."""
        return self.noiseless is None and self.noise.private and not self.as_printed

    @property
    def as_printed(self) -> bool:
        """Whether the method runs as its paper prints it, without a guarantee."""
        return flaw_of(self.method) is not None


def resolve(options: RunOptions, schema: SchemaLike, *, method: Method | None = None) -> RunSettings:
    """What the options come to. Method, schema and the ledger's cap are checked; nothing private is touched.

    `method` is what runs, if it is not the options' own.

    >>> from understudy.methods import PrivBayes
    >>> fields = [{"name": "a", "type": "boolean"}]
    >>> resolve(RunOptions(epsilon=1, method=PrivBayes()), {"fields": fields}).terms.unit.words
    'one row'
    """
    method = options.method if method is None else method
    terms, groups = terms_of(options)
    refuse_unpublishable(method)
    refuse_idle_master(options)
    _refuse_unaware(method, no_guarantee=options.no_guarantee)
    noise = make_noise(options.noise, seed=options.seed)  # type: ignore[arg-type]  # its declaration knows the words
    declared = read_schema(schema)
    refuse_drafts(declared, trust_draft=options.trust_draft)
    refuse_unit(terms.unit, declared)
    refuse_promises(declared, method)
    with memory_ceiling(options.memory):
        method.check(declared.domain, terms)
    settings = RunSettings(
        options=options,
        schema=declared,
        method=method,
        terms=terms,
        noise=noise,
        ledger=_ledger(options, declared.name),
        groups=groups,
    )
    _check_cap(settings)
    return settings


def terms_of(options: PlanOptions) -> tuple[PrivacyTerms, Groups | None]:
    """Budget, neighbours and unit that the options ask for, and the groups where they name a file of them.

    >>> from understudy.methods import PrivBayes
    >>> terms_of(PlanOptions(epsilon=1, method=PrivBayes(), unit="one person"))[0].unit.sentence
    'one person'
    """
    unit, groups = unit_of(options)
    budget = budget_of(options.epsilon, options.delta)
    return PrivacyTerms(budget=budget, neighbours=Neighbours(options.neighbours), unit=unit), groups


def budget_of(epsilon: Any, delta: Any) -> Budget:
    """The budget that the options ask for: with a δ of 0 a pure one.

    >>> budget_of(1, 0).pure, budget_of(1, 1e-9).pure
    (True, False)
    """
    return make_budget(epsilon, None if exact_number(delta) == 0 else delta)


def refuse_idle_master(options: PlanOptions) -> None:
    """Refuse the address of a cluster where nothing is counted on one.

    >>> from understudy.methods import PrivBayes
    >>> refuse_idle_master(PlanOptions(epsilon=1, method=PrivBayes(), engine="spark", master="local[2]"))
    """
    if options.master is not None and options.engine != "spark":
        raise OptionError(
            f"a master ({options.master}) is the address of a Spark cluster, and the engine is '{options.engine}'. Add "
            "--engine spark (engine='spark'), or leave it out; a Spark DataFrame is counted by its own session."
        )


def _refuse_unaware(method: Method, *, no_guarantee: bool) -> None:
    """A method that keeps no promise runs only for someone who says that none is expected."""
    flaw = flaw_of(method)
    if flaw is not None and not no_guarantee:
        raise OptionError(
            f"'{method.name}' has no privacy guarantee: {flaw.sentence} Read {flaw.where}; then say --no-guarantee "
            "(no_guarantee=True), or choose the repaired method."
        )
    if flaw is None and no_guarantee:
        raise OptionError(
            f"'{method.name}' keeps its guarantee here, so --no-guarantee (no_guarantee=True) has nothing to permit. "
            "It goes with a method as its paper prints it, such as privabn-as-printed."
        )


def demo_source(source: object, schema: SchemaLike | None) -> tuple[object, SchemaLike]:
    """The bundled table for "demo" or "demo-visits", anything else as it is. A file that is called demo is `./demo`.

    >>> demo_source("demo", None)[0].name
    'demo.csv.gz'
    """
    bundled = demo.bundled(source)
    if bundled is not None:
        return bundled[0], bundled[1] if schema is None else schema
    if schema is None:
        if isinstance(source, str | os.PathLike) and os.fspath(source).lower().endswith(_SCHEMA_ENDINGS):
            name = os.fspath(source)
            raise OptionError(
                f"'{name}' is the name of a schema file, and a table is expected in its place. Pass it as "
                f"schema='{name}' (--schema {name})."
            )
        raise OptionError(
            "a schema is needed: what is public about the table must be declared. Make a draft to review with "
            "'understudy schema draft', then pass it with --schema (schema=…)."
        )
    return source, schema


def refuse_ways(ways: Sequence[int], n_columns: int) -> None:
    """Refuse to compare no tables, or tables of more columns than there are.

    >>> refuse_ways([2, 3], 15)
    """
    if not ways:
        raise OptionError("ways must name at least one number of columns, such as 2 and 3.")
    if max(ways) > n_columns:
        raise OptionError(
            f"tables of {max(ways)} columns cannot be compared: the table has {n_columns}. Choose ways from 1 to "
            f"{n_columns}."
        )


def _ledger(options: RunOptions, name: str) -> Ledger | None:
    ledger: Ledger | str | os.PathLike[str] | None = options.ledger
    named = {"dataset": options.dataset, "cap": options.cap, "delta_cap": options.delta_cap}
    given = [word for word, value in named.items() if value is not None]
    if ledger is None:
        if given:
            raise OptionError("a dataset name or a cap means something in a ledger only. Name one: --ledger budget.db.")
        return None
    if isinstance(ledger, str | os.PathLike):
        dataset = options.dataset or name
        return SQLiteLedger(ledger, dataset=dataset, cap=options.cap, delta_cap=options.delta_cap)
    if given:
        raise OptionError(
            f"the ledger given is an object with a dataset and caps of its own, so {' and '.join(given)} would have no "
            "effect. Name them where the ledger is made, or pass the path of a ledger file."
        )
    if not hasattr(ledger, "charge"):
        raise OptionError(f"The 'ledger' parameter must be a path or a ledger. Got {type(ledger).__name__} instead.")
    return ledger


def _check_cap(settings: RunSettings) -> None:
    """Refuse a run over the cap before anything runs; the charge itself checks again."""
    check = getattr(settings.ledger, "check", None)
    if check is not None and settings.guarantee:
        check(settings.terms)
