"""`understudy plan` and `understudy publish`."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from understudy.cli._files import completeness, read_rows
from understudy.cli._interrupts import INTERRUPTS
from understudy.cli._options import split_method_options, takes
from understudy.cli._show import counted, make_table, progress_bars, say, say_aside, say_json, say_table
from understudy.demo import bundled
from understudy.options import MethodFlags, OutlookOptions, PublishOptions

if TYPE_CHECKING:
    from understudy.release import Release, Statement

_SCHEMA = typer.Option(None, "--schema", "-s", help="Its schema file (YAML or JSON): what is public about it.")
_OPTION = typer.Option(
    None, "--option", help="Any option of the method, as name=value; may be given several times. See 'methods NAME'."
)
_JSON = typer.Option(False, "--json", help="Print the result as JSON, and nothing else.")


@takes(OutlookOptions, MethodFlags)
def plan(
    source: str | None = typer.Argument(
        None,
        help="The table, to count its rows where that is public (replace-one); or 'demo'; or leave out with --rows.",
    ),
    schema: Path | None = _SCHEMA,
    rows: int | None = typer.Option(
        None, "--rows", parser=read_rows, metavar="INTEGER", help="Number of rows; then none is counted."
    ),
    *,
    given: dict[str, Any],
    option: list[str] | None = _OPTION,
    as_json: bool = _JSON,
) -> None:
    """Dry run: what publishing would give at each ε. Spends nothing, touches no private value."""
    from understudy._api import plan as make_plan
    from understudy.cli._show_plan import show_plan

    found = make_plan(source, schema=schema, rows=rows, **split_method_options(given, option))
    if as_json:
        say_json(found.to_dict())
    else:
        show_plan(found)


@takes(PublishOptions, MethodFlags)
def publish(
    source: str = typer.Argument(
        ...,
        help="The private table: CSV (also .gz), Parquet, Arrow; 'visits/*.parquet'; clinic.db?table=visits; "
        "postgresql://…?table=visits; or 'demo' or 'demo-visits'.",
    ),
    schema: Path | None = _SCHEMA,
    *,
    given: dict[str, Any],
    option: list[str] | None = _OPTION,
    as_json: bool = _JSON,
) -> None:
    """Publish a table: a synthetic table, a model and a privacy statement, in one folder."""
    from understudy._api import publish as make_release

    if bundled(source) is not None and Path(source).is_file():
        say_aside(f"Note: '{source}' is a bundled table. For the file of that name here, write ./{source}.")
    options = with_epsilon(split_method_options(given, option), source)
    out = Path(options.get("out", "release"))
    INTERRUPTS.outcome = completeness(out, f"the release in {out} is complete.")
    with progress_bars(quiet=as_json) as progress:
        release = make_release(source, schema=schema, progress=progress, **options)
    _tell_release(release, as_json=as_json)


def _tell_release(release: Release, *, as_json: bool) -> None:
    if as_json:
        say_json(_release_json(release))
    else:
        _show_release(release)


def with_epsilon(options: dict[str, Any], source: str | None) -> Any:
    """The options with a budget among them: only bundled tables have one of their own."""
    from understudy._core.errors import OptionError

    if "epsilon" not in options and bundled(source) is None:
        raise OptionError("how much may be revealed? Give a privacy budget, such as --epsilon 1.")
    return {"epsilon": 1} | options


def _release_json(release: Release) -> dict[str, Any]:
    return {
        "out": str(release.path),
        "synthetic": str(release.synthetic),
        "files": [str(path) for path in release.files],
        "rows": release.n_rows,
        "charged": release.statement.ledger is not None,
        "ledger": _ledger_words(release.statement),
        "statement": release.statement.to_dict(),
    }


def _ledger_words(statement: Statement) -> str:
    """Who keeps account of the release: a sentence, as nobody else will remember."""
    if statement.ledger is not None:
        return f"Charged to '{statement.ledger.dataset}' in the ledger."
    if statement.stamp:
        return "Nothing was charged: this is no release."
    return (
        "No ledger: nobody keeps account of this release. Every further one of the same rows adds to its ε, unseen. "
        "With --ledger budget.db --cap 3 all are added up and none goes beyond the cap."
    )


WHAT = {
    "model.understudy": "the model: sample more rows, ask it questions",
    "README.md": "for readers: its uses, how to load it, how to cite it",
    "privacy.json": "the privacy statement, for machines",
    "PRIVACY.md": "the privacy statement, in plain words: read this first",
    "network.svg": "a drawing of what depends on what",
    "protection.svg": "a drawing of who is protected how much against which change",
    "croissant.json": "a dataset card (Croissant) that carries ε",
}


def _show_release(release: Release) -> None:
    statement = release.statement
    delta = f", δ = {float(statement.delta):g}" if statement.delta else ""
    say(f"Published '{statement.dataset}' at ε = {float(statement.epsilon):g}{delta} into {release.path}/")
    if statement.stamp:
        say(f"*** {statement.stamp}: do not publish this folder. ***")
    else:
        say(f"Promise: {statement.promise.meaning}")
    if "because" in statement.options:
        say(f"Method: {statement.options['chosen']}, since {statement.options['because']}.")
    table = make_table("file", "what it is")
    for path in release.files:
        what = (
            counted(release.n_rows, "synthetic row", "synthetic rows")
            if path == release.synthetic
            else WHAT.get(path.name, "")
        )
        table.add_row(path.name, what)
    say_table(table)
    for warning in statement.warnings:
        say(f"Warning: {warning}")
    if statement.trusted_drafts:
        drafts = counted(len(statement.trusted_drafts), "drafted field was", "drafted fields were")
        say(f"Warning: {drafts} trusted; the statement says so.")
    if not statement.stamp:
        say(_ledger_words(statement))
    first = release.model.schema.fields[-1].name
    question = first if first.isidentifier() else f"'{first}'"
    if statement.stamp is None and statement.promise.stricter():
        say(statement.promise.stricter())
    say(f"Read {release.path / 'PRIVACY.md'} first. Then try:")
    say(f"  understudy query {shlex.quote(str(release.path / 'model.understudy'))} {shlex.quote(question)}")
