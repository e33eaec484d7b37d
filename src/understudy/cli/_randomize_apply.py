"""`understudy randomize secret` and `apply`: a party randomises its columns and writes the file that it sends."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from understudy.cli._files import completeness, refuse_target
from understudy.cli._interrupts import INTERRUPTS
from understudy.cli._show import counted, progress_bars, say, say_json

if TYPE_CHECKING:
    from understudy.randomize import Applied

_JSON = typer.Option(False, "--json", help="Print the result as JSON, and nothing else.")
_OVERWRITE = typer.Option(False, "--overwrite", help="Replace the file if it is there.")


def secret(
    out: Path = typer.Option(..., "--out", "-o", help="The file to write; nobody but you can read it."),
    as_json: bool = _JSON,
) -> None:
    """Make a secret for pseudonyms. The parties share it, out of band; the miner must never have it."""
    from understudy.randomize import write_secret

    refuse_target(out, overwrite=False, replaceable=False)
    write_secret(out)
    INTERRUPTS.outcome = f"{out} is complete."
    if as_json:
        say_json({"out": str(out)})
        return
    say(f"Wrote a new secret to {out}. Give it to the other parties over a channel you trust, never to the miner:")
    say("whoever has it can try out names or numbers until a pseudonym fits.")


def apply(
    table: Path = typer.Argument(..., help="The party's private table: CSV (also .gz), Parquet or Arrow."),
    plan: Path = typer.Option(..., "--plan", "-p", help="The plan file, from `understudy randomize plan`."),
    out: Path = typer.Option(..., "--out", "-o", help="The file to send: .parquet."),
    key: str | None = typer.Option(None, "--key", help="The column that says who a row is about; becomes pseudonyms."),
    secret_file: Path | None = typer.Option(
        None, "--secret-file", help="The parties' secret. Default: the environment variable UNDERSTUDY_SECRET."
    ),
    study: str = typer.Option("", "--study", help="A name that all parties give alike; others get other pseudonyms."),
    duplicates: str = typer.Option("refuse", "--duplicates", help="Keys with several rows: refuse, or drop them all."),
    ledger: Path | None = typer.Option(
        None, "--ledger", help="Where the run is recorded. Default: beside the table, TABLE.ledger.db."
    ),
    dataset: str | None = typer.Option(None, "--dataset", help="The table's name there. Default: the plan's party."),
    cap: str | None = typer.Option(
        None, "--cap", help="Most ε that may ever be spent on the table; needed on first use of --ledger."
    ),
    force: bool = typer.Option(
        False, "--force", help="Randomise the same columns again, though ε adds up with every time."
    ),
    no_guarantee: bool = typer.Option(False, "--no-guarantee", help="Go on though the plan has no finite ε."),
    overwrite: bool = _OVERWRITE,
    as_json: bool = _JSON,
) -> None:
    """Randomise a table's columns as its plan says, once, into the file that is sent."""
    from understudy.randomize import apply as run
    from understudy.randomize import read_secret

    refuse_target(out, overwrite=overwrite)
    shared = None if key is None and secret_file is None else read_secret(secret_file)
    INTERRUPTS.outcome = completeness(out, f"{out} is complete.")
    with progress_bars(quiet=as_json) as progress:
        applied = run(
            table,
            plan,
            out=out,
            key=key,
            secret=shared,
            study=study,
            duplicates=duplicates,  # type: ignore[arg-type]  # checked there
            ledger=ledger,
            dataset=dataset,
            cap=cap,
            force=force,
            no_guarantee=no_guarantee,
            overwrite=overwrite,
            progress=progress,
        )
    if as_json:
        say_json(applied.to_dict())
    else:
        _show(applied)


def _show(applied: Applied) -> None:
    from understudy.release import number_above

    blocks = [block for block in applied.plan.blocks if not (block.matrix and block.matrix.unchanged)]
    alone = len(applied.plan.schema.names) - sum(len(block.columns) for block in blocks)
    epsilon = "without any bound" if applied.epsilon is None else f"ε = {number_above(applied.epsilon)} a record"
    columns = counted(len(applied.plan.schema.names), "column", "columns")
    say(f"Randomised {counted(applied.n_rows, 'row', 'rows')} of {columns} into {applied.out}: {epsilon}.")
    say(
        f"{counted(len(blocks), 'block', 'blocks')} drawn"
        + (f", {counted(alone, 'column', 'columns')} left alone" if alone else "")
        + (
            f", {counted(applied.left_out, 'other column', 'other columns')} of the table not sent"
            if applied.left_out
            else ""
        )
        + "."
    )
    if applied.keyed:
        study = f" for study '{applied.study}'" if applied.study else ""
        say(f"Pseudonyms{study} are in column 'pseudonym', and rows in their order; the key itself is not in the file.")
    else:
        say("There is no key: rows are in the order of the table, and can be joined with nobody's.")
    if applied.dropped:
        say(f"Left out {counted(applied.dropped, 'row', 'rows')} whose key has several.")
    if applied.ledger is None:
        say("Nothing to record: the plan protects nothing, and so spends nothing.")
    elif applied.times > 1:
        total = (
            "there is no bound"
            if applied.total_epsilon is None
            else f"ε = {number_above(applied.total_epsilon)} a record"
        )
        say(
            f"Warning: these columns were randomised {applied.times} times by now, and that adds up: {total} "
            f"for whoever has all files. Recorded for '{applied.dataset}' in {applied.ledger}."
        )
    else:
        say(f"Recorded for '{applied.dataset}' in {applied.ledger}: it will not be randomised again by mistake.")
