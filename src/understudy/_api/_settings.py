"""What a run was asked to do, checked as far as it can be before any row is read or budget spent."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from understudy import demo
from understudy._core.errors import OptionError, SchemaError, did_you_mean
from understudy._core.numbers import whole_number
from understudy.methods import Method, flaw_of, method_named, refuse_unpublishable
from understudy.privacy import Budget, Ledger, Neighbours, Noise, SQLiteLedger, make_budget, make_noise
from understudy.schema import Schema

Number: TypeAlias = Any  # whatever make_budget reads exactly: int, float, str, Decimal, Fraction
SchemaLike: TypeAlias = "Schema | str | os.PathLike[str] | Mapping[str, Any]"
Diagnostic: TypeAlias = Literal["no-privacy", "best-network", "best-marginals"]
MOST_WAYS = 4
_NOISELESS: Mapping[str, Literal["all", "selection", "tables"]] = {
    "no-privacy": "all",
    "best-network": "selection",
    "best-marginals": "tables",
}


@dataclass(frozen=True, kw_only=True)
class RunSettings:
    """Everything about a run but the table itself."""

    schema: Schema
    method: Method
    budget: Budget
    neighbours: Neighbours
    noise: Noise
    ledger: Ledger | None
    seed: int | None
    diagnostic: str | None
    unit: str

    @property
    def noiseless(self) -> Literal["all", "selection", "tables"] | None:
        """Which answers a diagnostic run takes without noise."""
        return None if self.diagnostic is None else _NOISELESS[self.diagnostic]

    @property
    def guarantee(self) -> bool:
        """Whether the run will be private."""
        return self.diagnostic is None and self.noise.private and not self.as_printed

    @property
    def as_printed(self) -> bool:
        """Whether the method runs as its paper prints it, without a guarantee."""
        return flaw_of(self.method) is not None


def check_run(
    *,
    schema: SchemaLike,
    epsilon: Number,
    delta: Number | None = None,
    method: str | Method = "privbayes",
    neighbours: str = "replace-one",
    ledger: Ledger | str | os.PathLike[str] | None = None,
    dataset: str | None = None,
    cap: Number | None = None,
    delta_cap: Number | None = None,
    seed: int | None = None,
    noise: str = "exact",
    trust_draft: bool = False,
    diagnostic: str | None = None,
    unit: str = "one row",
    no_guarantee: bool = False,
    options: Mapping[str, Any] | None = None,
) -> RunSettings:
    """Check every option, the schema and the ledger's cap; nothing private is touched.

    >>> check_run(schema={"fields": [{"name": "a", "type": "boolean"}]}, epsilon=0)
    Traceback (most recent call last):
    understudy._core.errors.OptionError: The 'epsilon' parameter must be a number above 0. Got 0 instead.
    """
    budget = make_budget(epsilon, delta)
    relation = read_neighbours(neighbours)
    if "name" in (options or {}):
        raise OptionError("there is no option 'name'. A method is named with 'method', a data set with 'dataset'.")
    recipe = _method(method, options or {})
    refuse_unpublishable(recipe)
    _refuse_unaware(recipe, no_guarantee=no_guarantee)
    if diagnostic is not None and diagnostic not in _NOISELESS:
        raise OptionError(f"there is no diagnostic '{diagnostic}'. {did_you_mean(diagnostic, _NOISELESS)}")
    seed = None if seed is None else whole_number(seed, "seed")
    noise_source = make_noise(noise, seed=seed)  # type: ignore[arg-type]  # it checks the word itself
    declared = read_schema(schema)
    refuse_drafts(declared, trust_draft=trust_draft)
    recipe.check(declared.domain, budget, relation)
    settings = RunSettings(
        schema=declared,
        method=recipe,
        budget=budget,
        neighbours=relation,
        noise=noise_source,
        ledger=_ledger(ledger, dataset or declared.name, dataset=dataset, cap=cap, delta_cap=delta_cap),
        seed=seed,
        diagnostic=diagnostic,
        unit=unit,
    )
    _check_cap(settings)
    return settings


def _method(method: str | Method, options: Mapping[str, Any]) -> Method:
    if isinstance(method, str):
        return method_named(method, **options)
    if options:
        raise OptionError(
            f"'{next(iter(options))}' is an option of a method that is given by name. Make it part of the method."
        )
    return method


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


def read_schema(schema: SchemaLike) -> Schema:
    """A schema from a schema, a file or a mapping.

    >>> read_schema({"name": "t", "fields": [{"name": "a", "type": "boolean"}]}).names
    ('a',)
    """
    if isinstance(schema, Schema):
        return schema
    if isinstance(schema, Mapping):
        return Schema.from_dict(schema)
    if isinstance(schema, str | os.PathLike):
        return Schema.load(Path(schema))
    raise OptionError(f"schema must be a Schema, a path or a mapping. Got {type(schema).__name__} instead.")


def refuse_drafts(schema: Schema, *, trust_draft: bool) -> None:
    """Refuse fields whose domain was read off a table, unless told to trust them."""
    drafts = schema.draft_fields
    if drafts and not trust_draft:
        listed = ", ".join(f"'{name}'" for name in drafts[:8]) + (", …" if len(drafts) > 8 else "")
        plural = "field is still a draft" if len(drafts) == 1 else "fields are still drafts"
        raise SchemaError(
            f"{len(drafts)} {plural} ({listed}): their domains are guesses, read off the private table or missing, and "
            "publishing under a domain read off the data voids the guarantee. Review each, put in what is public "
            "knowledge, and set 'origin: declared'; or pass --trust-draft (trust_draft=True), and the privacy "
            "statement will say so."
        )
    schema.domain  # noqa: B018  # raises here if a draft still lacks its domain


def demo_source(source: object, schema: SchemaLike | None) -> tuple[object, SchemaLike]:
    """The bundled table for the word "demo", anything else as it is. A file that is called demo is `./demo`.

    >>> demo_source("demo", None)[0].name
    'demo.csv.gz'
    """
    if isinstance(source, str) and source == "demo":
        return demo.table_path(), demo.schema_path() if schema is None else schema
    if schema is None:
        raise OptionError(
            "a schema is needed: what is public about the table must be declared. Make a draft to review with "
            "'understudy schema draft', then pass it with --schema (schema=…)."
        )
    return source, schema


def read_ways(ways: Sequence[int] | Any, n_columns: int) -> tuple[int, ...]:
    """How many columns the tables to compare have, of a table with so many.

    >>> read_ways([3, 2], 15)
    (2, 3)
    """
    listed = list(ways) if isinstance(ways, Iterable) and not isinstance(ways, str) else [ways]
    found = sorted({whole_number(way, "ways", least=1) for way in listed})
    if not found:
        raise OptionError("ways must name at least one number of columns, such as 2 and 3.")
    most = min(MOST_WAYS, n_columns)
    if found[-1] > most:
        raise OptionError(
            f"tables of {found[-1]} columns cannot be compared: "
            + (f"the table has {n_columns}." if n_columns < MOST_WAYS else f"{MOST_WAYS} is the most.")
            + f" Choose ways from 1 to {most}."
        )
    return tuple(found)


def read_neighbours(word: str) -> Neighbours:
    """The relation of this name.

    >>> read_neighbours("add-remove").public_rows
    False
    """
    if isinstance(word, Neighbours):
        return word
    words = [relation.value for relation in Neighbours]
    if word not in words:
        raise OptionError(f"neighbours must be one of {', '.join(words)}. Got {word!r} instead.")
    return Neighbours(word)


def _ledger(
    ledger: Ledger | str | os.PathLike[str] | None,
    name: str,
    *,
    dataset: str | None,
    cap: Number | None,
    delta_cap: Number | None,
) -> Ledger | None:
    if ledger is None:
        if dataset is not None or cap is not None or delta_cap is not None:
            raise OptionError("a dataset name or a cap means something in a ledger only. Name one: --ledger budget.db.")
        return None
    if isinstance(ledger, str | os.PathLike):
        return SQLiteLedger(ledger, dataset=name, cap=cap, delta_cap=delta_cap)
    options = {"dataset": dataset, "cap": cap, "delta_cap": delta_cap}
    given = [word for word, value in options.items() if value is not None]
    if given:
        raise OptionError(
            f"the ledger given is an object with a dataset and caps of its own, so {' and '.join(given)} would have no "
            "effect. Name them where the ledger is made, or pass the path of a ledger file."
        )
    return ledger


def _check_cap(settings: RunSettings) -> None:
    """Refuse a run over the cap before anything runs; the charge itself checks again."""
    check = getattr(settings.ledger, "check", None)
    if check is not None and settings.guarantee:
        budget = settings.budget
        check(epsilon=budget.epsilon, delta=budget.delta, neighbours=settings.neighbours)
