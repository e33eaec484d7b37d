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
from understudy.options import MethodFlags, PlanOptions, PublishOptions

if TYPE_CHECKING:
    from understudy.methods import AttributePlan, Plan
    from understudy.release import Release, Statement

_SCHEMA = typer.Option(None, "--schema", "-s", help="Its schema file (YAML or JSON): what is public about it.")
_OPTION = typer.Option(
    None, "--option", help="Any option of the method, as name=value; may be given several times. See 'methods NAME'."
)
_JSON = typer.Option(False, "--json", help="Print the result as JSON, and nothing else.")


@takes(PlanOptions, MethodFlags)
def plan(
    source: str | None = typer.Argument(
        None, help="The table, to count its rows; or 'demo'; or leave out with --rows."
    ),
    schema: Path | None = _SCHEMA,
    rows: int | None = typer.Option(
        None, "--rows", parser=read_rows, metavar="INTEGER", help="Number of rows; then no table is opened at all."
    ),
    *,
    given: dict[str, Any],
    option: list[str] | None = _OPTION,
    as_json: bool = _JSON,
) -> None:
    """Dry run: what publishing would do. Spends nothing, touches no private value."""
    from understudy._api import plan as make_plan

    options = with_epsilon(split_method_options(given, option), source)
    found = make_plan(source, schema=schema, rows=rows, **options)
    if as_json:
        say_json(found.to_dict())
    else:
        _show_plan(found)


@takes(PublishOptions, MethodFlags)
def publish(
    source: str = typer.Argument(
        ..., help="The private table: CSV (also .gz) or Parquet; or the word 'demo' or 'demo-visits'."
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


_WHAT = {
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
            else _WHAT.get(path.name, "")
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


def _show_plan(plan: Plan) -> None:
    relations = plan.score is not None
    names = ("attribute", "values", "largest table", "error", *(("others see it",) if relations else ()))
    table = make_table(*names, right=("values", "largest table", "error"))
    for attribute in plan.attributes:
        table.add_row(
            attribute.name,
            str(attribute.size),
            f"{attribute.largest_table:,} cells" if attribute.largest_table else "none",
            "-" if attribute.expected_error is None else f"{attribute.expected_error:.3f}",
            *((_seen(attribute),) if relations else ()),
        )
    say_table(table)
    shares = ", ".join(f"{share:.0%} {name}" for name, share in plan.shares.items() if share) or "not used"
    if relations:
        degree = "" if plan.degree is None else f"; {plan.degree} parents each"
        say(f"Rows: {plan.rows:,}. Score: {plan.score}{degree}. Budget: {shares}.")
        _show_candidates(plan)
    else:
        say(f"Rows: {plan.rows:,}. Budget: {shares}.")
    noise = f" Noise in a cell: about ±{plan.noise_mean:,.1f}." if plan.noise_mean else ""
    if relations:
        say(f"Largest useful table: {plan.largest_useful_table:,} cells.{noise}")
    elif noise:
        say(noise.strip())
    say(f"Memory: about {plan.memory_bytes / 1e6:,.0f} MB. Time: about {plan.seconds:,.1f} s on one core.")
    if plan.coarsened:
        say("Seen by others in coarser form or not at all: " + ", ".join(plan.coarsened) + ".")
    for note in plan.notes:
        say(note)
    _show_promises(plan)
    error = "Error: expected total variation distance of the largest table, from noise alone. " if noise else ""
    say(f"{error}Nothing was spent.")


def _show_promises(plan: Plan) -> None:
    say(f"Promise: {plan.promise}")
    if not plan.promises:
        return
    cells = f"error of {plan.largest_useful_table:,} cells"
    table = make_table("promise", "neighbours", "noise in a cell", cells, "", right=("noise in a cell", cells))
    for line in plan.promises:
        table.add_row(
            f"(ε, δ = {line.delta:g})" if line.delta else "pure ε (--delta 0)",
            line.neighbours,
            "not by this method" if line.noise_mean is None else f"±{line.noise_mean:,.1f}",
            "-" if line.expected_error is None else f"{line.expected_error:.3f}",
            "chosen" if line.chosen else "",
        )
    say_table(table)
    if plan.method == "auto":
        say("These lines are of one method; under another promise auto may choose another.")


def _seen(attribute: AttributePlan) -> str:
    if attribute.finest_as_parent is None:
        return "not at all" if attribute.size > 1 else "-"
    if attribute.finest_as_parent == 0:
        return "whole"
    return f"in {attribute.levels[attribute.finest_as_parent]} groups"


def _show_candidates(plan: Plan) -> None:
    most = max(plan.candidates_per_choice, default=0)
    candidates = (
        f"at most {most:,}" if most <= plan.max_candidates else f"more than {plan.max_candidates:,}, so drawn by coins"
    )
    say(f"Candidates in one choice: {candidates}; in all {sum(plan.candidates_per_choice):,}.")
