"""`understudy answer`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from understudy.cli._files import which_complete
from understudy.cli._interrupts import INTERRUPTS
from understudy.cli._options import takes
from understudy.cli._publish import with_epsilon
from understudy.cli._show import counted, make_table, progress_bars, say, say_aside, say_json, say_table
from understudy.options import AnswerOptions

if TYPE_CHECKING:
    from understudy._api import Answers

REFUSED = 3
_SHOWN = 20
_BESIDE = (".privacy.json", ".PRIVACY.md")


@takes(AnswerOptions)
def answer(
    source: str = typer.Argument(
        ..., help="The private table: CSV (also .gz), Parquet, Arrow; 'visits/*.parquet'; or 'demo'."
    ),
    schema: Path | None = typer.Option(None, "--schema", "-s", help="Its schema file: what is public about it."),
    queries: Path = typer.Option(
        ..., "--queries", "-q", help="The workload: a CSV with a column 'query', or a text with a query a line."
    ),
    *,
    given: dict[str, Any],
    as_json: bool = typer.Option(False, "--json", help="Print the result as JSON, and nothing else."),
) -> None:
    """Answer a workload of queries, each with an error bar, under one privacy budget.

    Queries are counts (age=20..39, sex=Female) and tables (table(age, sex)). Exit code 3: some were refused, as all
    corrections that were paid for were used up.
    """
    from understudy._api import answer as find_answers

    options = with_epsilon(given, source)
    options.setdefault("out", "answers.csv")
    INTERRUPTS.outcome = which_complete(_files(options))
    with progress_bars(quiet=as_json) as progress:
        answers = find_answers(source, queries, schema=schema, progress=progress, **options)
    if as_json:
        say_json(answers.to_dict())
    else:
        _show(answers)
    if answers.answered.refused:
        refused = counted(answers.answered.refused, "query was", "queries were")
        say_aside(f"{refused} refused: corrections were used up. Raise --updates or --threshold, or let auto choose.")
        raise typer.Exit(REFUSED)


def _files(options: dict[str, Any]) -> list[Path]:
    """All that a run may write, under the names with and without NOT-PRIVATE."""
    from understudy.release import Statement, stamped_path

    named = [Path(options[key]) for key in ("model", "sample", "out") if options.get(key) is not None]
    found = list(dict.fromkeys(p for path in named for p in (path, stamped_path(path, Statement.example(seeded=True)))))
    out = Path(options["out"])
    beside = [path.with_name(path.stem + end) for path in found if path.stem.startswith(out.stem) for end in _BESIDE]
    return list(dict.fromkeys([*found, *beside]))


def _show(answers: Answers) -> None:
    statement, rows = answers.statement, answers.rows()
    delta = f", δ = {float(statement.delta):g}" if statement.delta else ""
    say(f"Answered {counted(len(rows), 'query', 'queries')} at ε = {float(statement.epsilon):g}{delta}.")
    if statement.stamp:
        say(f"*** {statement.stamp}: do not publish these files. ***")
    say(f"Strategy: {answers.answered.strategy}, since {answers.answered.because}.")
    if answers.answered.steps:
        say(f"It took {answers.answered.steps}.")
    table = make_table("query", "answer", "95% interval", "how", right=("answer", "95% interval"))
    for row in rows[:_SHOWN]:
        table.add_row(str(row["query"]), _share(row["answer"]), _interval(row), str(row["how"]))
    say_table(table)
    if len(rows) > _SHOWN:
        say(f"… and {len(rows) - _SHOWN:,} more, all in the file.")
    say(f"An interval covers {answers.answered.covers}.")
    for warning in statement.warnings:
        say(f"Warning: {warning}")
    if statement.ledger is not None:
        say(f"Charged to '{statement.ledger.dataset}' in the ledger.")
    say("Wrote " + ", ".join(str(path) for path in answers.files) + ".")


def _share(share: float | None) -> str:
    """In percent, with a digit or two where it is small; the file has all of them."""
    if share is None:
        return ""
    return f"{share:.2%}" if share >= 0.0005 or share < 0.000_000_5 else f"{share:.5%}".rstrip("0%") + "%"


def _interval(row: dict[str, Any]) -> str:
    return "" if row["low"] is None else f"{_share(row['low'])} to {_share(row['high'])}"
