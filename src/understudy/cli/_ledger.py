"""`understudy ledger`: what was spent on which data set, and how much may be."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from understudy.cli._show import counted, make_table, say, say_json, say_table

if TYPE_CHECKING:
    from fractions import Fraction

    from understudy.privacy import Account

app = typer.Typer(
    help="Look at a budget ledger, or change a cap.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
_LEDGER = typer.Argument(..., help="The ledger file, such as budget.db.")
_JSON = typer.Option(False, "--json", help="Print the result as JSON, and nothing else.")


@app.callback()
def _group() -> None:
    """Look at a budget ledger, or change a cap."""


@app.command()
def show(
    ledger: Path = _LEDGER,
    dataset: str | None = typer.Option(None, "--dataset", help="Only this data set."),
    as_json: bool = _JSON,
) -> None:
    """Show what was spent, entry by entry, and what is left."""
    from understudy.privacy import read_ledger

    found = read_ledger(ledger)
    if dataset is not None:
        dataset = found.account(dataset).dataset
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
        kind = {"open": "opened, cap", "cap": "cap changed to", "charge": "charge"}.get(entry.kind, "release")
        epsilon = "no bound" if entry.kind == "unbounded" else _number(entry.epsilon)
        table.add_row(entry.time[:19], entry.dataset, kind, epsilon, delta, entry.method)
    say_table(table)
    for account in accounts:
        releases = counted(account.n_charges, "release", "releases")
        say(
            f"{account.dataset}: ε {_number(account.spent)} of {_number(account.cap)} spent in {releases} "
            f"({account.neighbours.value}, {account.unit.whom}), {_number(account.remaining)} left"
            f"{_delta_words(account)}."
        )
        if account.n_unbounded:
            without = counted(account.n_unbounded, "release", "releases")
            say(f"{account.dataset}: {without} beside these had no bound at all: ε does not tell what they reveal.")


@app.command()
def cap(
    ledger: Path = _LEDGER,
    dataset: str = typer.Option(..., "--dataset", help="The data set whose cap is changed."),
    cap: str = typer.Option(..., "--cap", help="Most ε that may ever be spent on it, from now on."),
    delta_cap: str | None = typer.Option(None, "--delta-cap", help="Most δ. Default: as it is."),
    note: str | None = typer.Option(None, "--note", help="Why, or who agreed; kept in the entry."),
    as_json: bool = _JSON,
) -> None:
    """Change a data set's cap, as an entry of its own: what was spent and what the cap was stay on record."""
    from understudy.privacy import SQLiteLedger, read_ledger

    found = read_ledger(ledger)
    before = found.account(dataset)
    entry = SQLiteLedger(ledger, dataset=before.dataset).change_cap(cap, delta_cap=delta_cap, note=note or "")
    account = read_ledger(ledger).account(before.dataset)
    if as_json:
        say_json({**_account_json(account), "cap_before": str(before.cap), "hash": entry.hash})
        return
    say(f"{account.dataset}: cap ε {_number(before.cap)} changed to {_number(account.cap)}{_delta_words(account)}.")
    say(f"ε {_number(account.spent)} is spent, {_number(account.remaining)} left. Entry: {entry.hash}")


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
        say(f"{ledger}: {counted(len(found.entries), 'entry', 'entries')}, chain intact. Head: {found.head}")


def _account_json(account: Account) -> dict[str, Any]:
    return {
        "dataset": account.dataset,
        "neighbours": account.neighbours.value,
        "unit": account.unit.whom,
        "cap": str(account.cap),
        "spent": str(account.spent),
        "remaining": str(account.remaining),
        "delta_cap": None if account.delta_cap is None else str(account.delta_cap),
        "delta_spent": str(account.delta_spent),
        "charges": account.n_charges,
        "unbounded": account.n_unbounded,
    }


def _delta_words(account: Account) -> str:
    if account.delta_cap is None:
        return f"; δ {_number(account.delta_spent)} in all, without a cap" if account.delta_spent else ""
    return f"; δ {_number(account.delta_spent)} of {_number(account.delta_cap)}"


def _number(value: Fraction | None) -> str:
    return "" if value is None else f"{float(value):g}"
