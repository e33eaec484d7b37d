"""`understudy randomize cross`, `own` and `assemble`: parties that learn one network together without a miner."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from understudy.cli._show import make_table, say, say_json, say_table

if TYPE_CHECKING:
    from understudy.randomize import Cross, CrossParty

_JSON = typer.Option(False, "--json", help="Print the result as JSON, and nothing else.")
_STRUCTURE = typer.Option(..., "--structure", help="The network's links: a BIF file, the same for every party.")


def cross(
    structure: Path = _STRUCTURE,
    party: list[str] = typer.Option(
        ..., "--party", metavar="NAME=SCHEMA", help="A party and its schema file; once for each party."
    ),
    public: list[str] | None = typer.Option(
        None, "--public", help="Columns that are not sensitive and are sent as they are, separated by commas."
    ),
    as_json: bool = _JSON,
) -> None:
    """Work out who must send which columns to whom, so that everyone can learn its own variables. Reads no table."""
    from understudy.randomize import cross as work_out

    schemas = read_parties(party)
    found = work_out(structure, schemas, public=split_names(public))
    if as_json:
        commands = {one.name: _commands(one, schemas[one.name], structure) for one in found.parties}
        say_json({**found.to_dict(), "commands": commands})
        return
    _show(found, schemas, structure)


def read_parties(given: Sequence[str]) -> dict[str, Path]:
    """Parties and their schema files from NAME=SCHEMA.

    >>> read_parties(["hospital=hospital.schema.yaml"])
    {'hospital': PosixPath('hospital.schema.yaml')}
    """
    from understudy._core.errors import OptionError

    found: dict[str, Path] = {}
    for text in given:
        name, sign, path = text.partition("=")
        if not sign or not name.strip() or not path.strip():
            raise OptionError(f"'{text}' names no party and schema. Write them as hospital=hospital.schema.yaml.")
        if name.strip() in found:
            raise OptionError(f"party '{name.strip()}' is named twice. Give each party once.")
        found[name.strip()] = Path(path.strip())
    return found


def split_names(given: Sequence[str] | None) -> list[str]:
    """Names from options that may be repeated, and may have several separated by commas.

    >>> split_names(["age, sex", "zip"]), split_names(None)
    (['age', 'sex', 'zip'], [])
    """
    return [name.strip() for text in given or () for name in text.split(",") if name.strip()]


def _show(found: Cross, schemas: dict[str, Path], structure: Path) -> None:
    table = make_table("party", "local variables", "cross variables", "sends", "receives")
    for party in found.parties:
        table.add_row(
            party.name,
            ", ".join(party.local) or "-",
            ", ".join(party.cross) or "-",
            _exchange(party.sends, "to"),
            _exchange(party.receives, "from"),
        )
    say_table(table)
    for step in found.steps():
        say(step)
    for party in found.parties:
        if party.unused:
            say(f"{party.name}: {', '.join(party.unused)} not in the structure: neither sent nor learnt.")
    for party in found.parties:
        say()
        say(f"{party.name} runs, with budgets and a key column of its own:")
        for command in _commands(party, schemas[party.name], structure):
            say(f"  {command}")
    say()
    say("Then anybody who has all parameters makes the model of them:")
    say(f"  understudy randomize assemble inbox/*.parameters.json --structure {_quoted(structure)} --out study/")


def _exchange(columns: object, word: str) -> str:
    assert isinstance(columns, dict)
    return "; ".join(f"{', '.join(names)} {word} {party}" for party, names in columns.items()) or "-"


def _commands(party: CrossParty, schema: Path, structure: Path) -> list[str]:
    """What a party types, in order. Budgets and the key are its own to choose."""
    name, commands = party.name, []
    if party.sent:
        plan, out = _quoted(f"{name}.plan.yaml"), _quoted(f"outbox/{name}.parquet")
        public = f" --public {_quoted(','.join(party.public))}" if party.public else ""
        epsilon = " --epsilon 1" if party.sensitive else ""
        commands += [
            f"understudy randomize plan --schema {_quoted(schema)} --columns {_quoted(','.join(party.sent))}{public}"
            f"{epsilon} --party {_quoted(name)} -o {plan}",
            f"understudy randomize apply {_quoted(f'{name}.csv')} --plan {plan} --key person_id -o {out}",
            f"# send {out} to {' and '.join(party.sends)}",
        ]
    if party.local or party.cross:
        inbox = "".join(f" {_quoted(f'inbox/{sender}.parquet')}" for sender in party.receives)
        key = " --key person_id" if party.receives else ""
        commands += [
            f"understudy randomize own {_quoted(f'{name}.csv')}{inbox} --schema {_quoted(schema)} --party "
            f"{_quoted(name)} --structure {_quoted(structure)}{key} --epsilon 1 "
            f"-o {_quoted(f'outbox/{name}.parameters.json')}",
            f"# send outbox/{name}.parameters.json to everybody",
        ]
    return commands


def _quoted(text: object) -> str:
    return shlex.quote(str(text))
