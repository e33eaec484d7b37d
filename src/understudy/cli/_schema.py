"""`understudy schema`: draft, check, review and import what is declared public about a table."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from understudy.cli._files import refuse_target
from understudy.cli._interrupts import INTERRUPTS
from understudy.cli._review import review
from understudy.cli._show import counted, say, say_json
from understudy.databases import shown_source

if TYPE_CHECKING:
    from understudy.schema import Schema
    from understudy.tables import CheckReport

app = typer.Typer(
    help="Draft, review, check or import the schema of a table.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
_TABLE = typer.Argument(
    ..., help="The table: CSV (also .gz), Parquet or Arrow; clinic.db?table=visits; postgresql://…?table=visits."
)
_JSON = typer.Option(False, "--json", help="Print the result as JSON, and nothing else.")
_OVERWRITE = typer.Option(False, "--overwrite", help="Replace the file if it is there.")
NOT_FITTING = 1


@app.command()
def draft(
    table: str = _TABLE,
    out: Path | None = typer.Option(None, "--out", "-o", help="The schema file to write. Default: print it."),
    sdv: Path | None = typer.Option(None, "--sdv", help="SDV metadata (JSON): types and date formats come from there."),
    unit: str | None = typer.Option(None, "--unit", help="The column that tells units apart: left out of the schema."),
    overwrite: bool = _OVERWRITE,
    as_json: bool = _JSON,
) -> None:
    """Draft a schema from a table. Every guess is marked 'origin: draft', for you to review."""
    from understudy._api import draft_schema

    if out is not None:
        refuse_target(out, overwrite=overwrite)
    schema = draft_schema(table, sdv=sdv, unit=unit)
    _give(schema, out, as_json=as_json)
    if out is not None and not as_json:
        say(f"Wrote a draft of {counted(len(schema.fields), 'field', 'fields')} to {out}.")
        for remark in schema.comments:
            if remark.startswith("Left out: "):
                say(remark)
        say("Its bounds and values were read off the private table: keep it to yourself until you have reviewed it.")
        say("For each field put in what is public knowledge and set 'origin: declared': in the file, or with")
        say(f"  understudy schema review {shlex.quote(str(out))} --table {shlex.quote(shown_source(table))}")
        say("Then:")
        beside = "" if unit is None else f" --unit {shlex.quote(unit)}"
        say(f"  understudy schema check {shlex.quote(shown_source(table))} {shlex.quote(str(out))}{beside}")


@app.command()
def check(
    table: str = _TABLE,
    schema: Path = typer.Argument(..., help="The schema file."),
    unit: str | None = typer.Option(
        None, "--unit", help="The column beside those of the schema that tells units apart."
    ),
    show_values: bool = typer.Option(False, "--show-values", help="Show values that do not fit. They are private."),
    as_json: bool = _JSON,
) -> None:
    """Check a table against its schema, cells and rows. What it prints is private to you. Exit code 1: no fit."""
    from understudy._api import check_table
    from understudy.schema import Schema

    declared = Schema.load(schema)
    report = check_table(table, declared, unit=unit, show_values=show_values)
    if as_json:
        say_json({**report.to_dict(), "drafts": list(declared.draft_fields)})
    else:
        _show_report(report, declared, shown_source(table))
    if not report.ok:
        raise typer.Exit(NOT_FITTING)


app.command()(review)


@app.command("import-sdv")
def import_sdv(
    metadata: Path = typer.Argument(..., help="An SDV metadata file (JSON)."),
    out: Path | None = typer.Option(None, "--out", "-o", help="The schema file to write. Default: print it."),
    overwrite: bool = _OVERWRITE,
    as_json: bool = _JSON,
) -> None:
    """Make a draft schema from SDV metadata. It has types but no bounds or categories: those are for you to add."""
    from understudy.schema import import_sdv as read_sdv

    if out is not None:
        refuse_target(out, overwrite=overwrite)
    schema = read_sdv(metadata)
    _give(schema, out, as_json=as_json)
    if out is not None and not as_json:
        say(f"Wrote {counted(len(schema.fields), 'field', 'fields')} to {out}.")
        say("Add bounds and categories, then set 'origin: declared'.")


def _give(schema: Schema, out: Path | None, *, as_json: bool) -> None:
    if out is not None:
        schema.save(out)
        INTERRUPTS.outcome = f"{out} is complete."
    if as_json:
        say_json({"out": None if out is None else str(out), "schema": schema.to_dict()})
    elif out is None:
        say(schema.to_yaml().rstrip())


def _show_report(report: CheckReport, schema: Schema, table: str) -> None:
    for fault in report.faults:
        say(f"- {fault}")
    left = report.broken if report.broken_rows != "refuse" else ()
    for sentence in left:
        say(f"  {sentence}")
    for column in report.columns:
        if column.unused:
            shown = ", ".join(column.unused[:8]) + (", …" if len(column.unused) > 8 else "")
            say(f"  column '{column.name}': no row has {shown}. That is fine if such values are possible.")
        for remark in column.remarks:
            say(f"  column '{column.name}': {remark}")
    drafts = schema.draft_fields
    if report.ok:
        besides = " Which rows break a dependency is private to you: do not publish it." if left else ""
        say(f"{table}: {_fitting(report)} the schema.{besides}")
    else:
        faults = counted(len(report.faults), "thing does", "things do")
        say(f"{table}: {faults} not fit. This list is private to you: do not publish it.")
    if drafts:
        say(
            f"{counted(len(drafts), 'field is still a draft', 'fields are still drafts')}, and publish will refuse "
            f"{'it' if len(drafts) == 1 else 'them'}: {', '.join(drafts[:8])}{', …' if len(drafts) > 8 else ''}."
        )


def _fitting(report: CheckReport) -> str:
    rows = counted(report.n_rows, "row fits", "rows fit")
    return rows if not report.broken or report.broken_rows == "refuse" else f"cell by cell, {rows}"
