"""`understudy randomize estimate`: counts with error bars, from the files that parties sent."""

from __future__ import annotations

from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from understudy.cli._show import counted, make_table, printable, progress_bars, say, say_aside, say_json, say_table

if TYPE_CHECKING:
    from understudy.randomize import Inbox, MarginalEstimate


def estimate(
    files: list[Path] = typer.Argument(..., help="The randomised files that the parties sent, or a folder of them."),
    marginal: list[str] | None = typer.Option(
        None, "--marginal", "-m", help="Columns to count together, separated by commas; once for each table."
    ),
    pairs: bool = typer.Option(False, "--pairs", help="All pairs of columns, in one pass over the rows."),
    how: str = typer.Option("unbiased", "--how", help="unbiased (counts may be negative), likelihood, or projected."),
    plan: list[Path] | None = typer.Option(
        None, "--plan", help="A plan that was agreed on; once for each. Files that were made with another are refused."
    ),
    as_json: bool = typer.Option(False, "--json", help="Print the result as JSON, and nothing else."),
) -> None:
    """Estimate the counts of columns that no one has seen together, with error bars. Default: of every column."""
    from understudy.randomize import estimate as estimate_counts
    from understudy.randomize import open_inbox

    with progress_bars(quiet=as_json) as progress:
        inbox = open_inbox(files, plans=plan or (), progress=progress)
        found = estimate_counts(inbox, marginal, how=how, pairs=pairs, progress=progress)  # type: ignore[arg-type]
    if as_json:
        say_json(_document(inbox, found, how))
        return
    for note in inbox.notes:
        say_aside(f"understudy: {printable(note)}")
    for one in found:
        _show(one)
    _show_exposure(inbox)


def _document(inbox: Inbox, found: list[MarginalEstimate], how: str) -> dict[str, object]:
    from understudy.randomize import report

    exposed = _exposed(inbox)
    return {
        "rows": inbox.n,
        "how": how,
        "stamp": _stamp(inbox),
        "epsilon": "infinite" if exposed is None else str(exposed),
        "epsilon_decimal": None if exposed is None else float(_upwards(exposed, 15)),
        "parties": [
            {"party": party.plan.party, "file": party.source, "rows": party.n, "fingerprint": party.plan.fingerprint}
            for party in inbox.parties
        ],
        "marginals": [one.to_dict() for one in found],
        "notes": list(inbox.notes),
        "warnings": list(report(*inbox.plans).warnings),
    }


def _show(one: MarginalEstimate) -> None:
    numbers = "count", "±", "95 % interval"
    table = make_table(*map(printable, one.columns), *numbers, right=numbers)
    for cell in one.cells():
        bounds = f"{cell.low:,.0f} to {cell.high:,.0f}"
        table.add_row(*map(printable, cell.labels), f"{cell.count:,.1f}", f"{cell.standard_error:,.1f}", bounds)
    say(f"{', '.join(one.columns)}: {counted(one.n, 'row', 'rows')}, {one.how}; ± is one standard error")
    say_table(table)
    for note in one.notes:
        say(f"Note: {note}")


def _exposed(inbox: Inbox) -> Fraction | None:
    """ε of whoever is in all files, with what was sent of the same columns before; None: without bound."""
    from understudy.randomize import report

    parts = [report(*inbox.plans).epsilon, *(party.earlier for party in inbox.parties)]
    return None if None in parts else sum((part for part in parts if part is not None), start=Fraction(0))


def _stamp(inbox: Inbox) -> str | None:
    return "; ".join(dict.fromkeys(party.stamp for party in inbox.parties if party.stamp)) or None


def _upwards(number: Fraction, digits: int) -> Decimal:
    """What is shown is never better than what holds."""
    return Context(prec=digits, rounding=ROUND_CEILING).divide(Decimal(number.numerator), Decimal(number.denominator))


def _show_exposure(inbox: Inbox) -> None:
    exposed = _exposed(inbox)
    bound = "ε without bound" if exposed is None else f"ε = {_upwards(exposed, 4):f}"
    one = len(inbox.parties) == 1
    if stamp := _stamp(inbox):
        say(f"*** {printable(stamp)} *** With private randomness the files would promise {bound}, as it is nothing.")
        return
    say(
        f"{'This file exposes whoever is in it' if one else 'These files expose whoever is in all of them'} to {bound}."
    )
