"""`understudy ledger`: what was spent on which data set."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from understudy.cli._show import make_table, say, say_json, say_table

if TYPE_CHECKING:
    from fractions import Fraction

app = typer.Typer(
    help="Look at a budget ledger.", no_args_is_help=True, rich_markup_mode=None, pretty_exceptions_enable=False
)
_LEDGER = typer.Argument(..., help="The ledger file, such as budget.db.")
_JSON = typer.Option(False, "--json", help="Print the result as JSON, and nothing else.")


@app.callback()
def _group() -> None:
    """Look at a budget ledger."""


@app.command()
def show(
    ledger: Path = _LEDGER,
    dataset: str | None = typer.Option(None, "--dataset", help="Only this data set."),
    as_json: bool = _JSON,
) -> None:
    """Show what was spent, entry by entry, and what is left."""
    from understudy._core.errors import LedgerError, did_you_mean
    from understudy.privacy import read_ledger

    found = read_ledger(ledger)
    if dataset is not None and dataset not in found.accounts:
        raise LedgerError(f"no dataset '{dataset}' in {ledger}. {did_you_mean(dataset, found.accounts)}")
    entries = [entry for entry in found.entries if dataset in (None, entry.dataset)]
    accounts = [account for name, account in found.accounts.items() if dataset in (None, name)]
    if as_json:
        say_json(
            {
                "accounts": [_account_json(account) for account in accounts],
                "entries": [{**entry.fields(), "hash": entry.hash} for entry in entries],
                "head": found.head,
            }
        )
        return
    table = make_table("time", "dataset", "entry", "ε", "δ", "method", right=("ε", "δ"))
    for entry in entries:
        delta = "" if entry.delta in (None, 0) else _number(entry.delta)
        kind = {"open": "opened, cap", "cap": "cap changed to", "charge": "charge"}[entry.kind]
        table.add_row(entry.time[:19], entry.dataset, kind, _number(entry.epsilon), delta, entry.method)
    say_table(table)
    for account in accounts:
        say(
            f"{account.dataset}: ε {_number(account.spent)} of {_number(account.cap)} spent in {account.n_charges} "
            f"release{'' if account.n_charges == 1 else 's'} ({account.neighbours.value}), "
            f"{_number(account.remaining)} left."
        )


@app.command()
def verify(
    ledger: Path = _LEDGER,
    head: str | None = typer.Option(
        None, "--head", help="A hash from an earlier privacy statement: is it still there?"
    ),
    as_json: bool = _JSON,
) -> None:
    """Check that no entry was changed, removed or moved."""
    from understudy._core.errors import LedgerError
    from understudy.privacy import read_ledger

    found = read_ledger(ledger)
    if head is not None and head not in {entry.hash for entry in found.entries}:
        raise LedgerError(
            f"the hash given is not in {ledger}: the file was rewritten or cut short, or it is another's."
        )
    if as_json:
        say_json({"ledger": str(ledger), "entries": len(found.entries), "head": found.head, "intact": True})
    else:
        say(f"{ledger}: {len(found.entries)} entries, chain intact. Head: {found.head}")


def _account_json(account: Any) -> dict[str, Any]:
    return {
        "dataset": account.dataset,
        "neighbours": account.neighbours.value,
        "cap": str(account.cap),
        "spent": str(account.spent),
        "remaining": str(account.remaining),
        "delta_spent": str(account.delta_spent),
        "charges": account.n_charges,
    }


def _number(value: Fraction | None) -> str:
    return "" if value is None else f"{float(value):g}"
