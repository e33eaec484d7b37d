"""`understudy randomize cross`, `own` and `assemble`: parties that learn one network together without a miner."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from understudy.cli._show import counted, make_table, progress_bars, say, say_json, say_table

if TYPE_CHECKING:
    from understudy.randomize import Cross, CrossParty, Piece

_JSON = typer.Option(False, "--json", help="Print the result as JSON, and nothing else.")
_SECRET = typer.Option(
    None, "--secret-file", help="The parties' secret. Default: the environment variable UNDERSTUDY_SECRET."
)
_OTHER = typer.Option(
    None, "--other", metavar="NAME=SCHEMA", help="Another party's schema, so that messages say who holds what."
)
_STRUCTURE = typer.Option(
    ..., "--structure", help="The network's links (BIF, or YAML: 'ill: [smokes, age]'), the same for every party."
)


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
    from understudy.randomize import split_names

    schemas = read_parties(party)
    found = work_out(structure, schemas, public=[name for text in public or [] for name in split_names(text)])
    if as_json:
        commands = {one.name: _commands(one, schemas[one.name], structure) for one in found.parties}
        say_json({**found.to_dict(), "commands": commands})
        return
    _show(found, schemas, structure)


def own(
    source: str = typer.Argument(..., help="The party's own table: CSV (also .gz) or Parquet. It stays where it is."),
    received: list[Path] | None = typer.Argument(None, help="Randomised files with the cross parents others sent."),
    schema: Path = typer.Option(..., "--schema", "-s", help="The table's schema file."),
    structure: Path = _STRUCTURE,
    party: str = typer.Option(..., "--party", help="The party's name, as in its plan."),
    out: Path = typer.Option(..., "--out", "-o", help="The parameters file to write, for the others."),
    epsilon: str | None = typer.Option(None, "--epsilon", help="Budget of the noise in all parameters together."),
    key: str | None = typer.Option(
        None, "--key", help="The column that says who a row is about; needed with received files."
    ),
    secret_file: Path | None = _SECRET,
    study: str = typer.Option("", "--study", help="Name of the study, as in 'apply'."),
    duplicates: str = typer.Option("refuse", "--duplicates", help="Keys with several rows: refuse, or drop them all."),
    other: list[str] | None = _OTHER,
    ledger: Path | None = typer.Option(
        None, "--ledger", help="Where it is charged. Default: beside the table, TABLE.ledger.db."
    ),
    dataset: str | None = typer.Option(None, "--dataset", help="The table's name there. Default: the party's."),
    cap: str | None = typer.Option(
        None, "--cap", help="Most ε that may ever be spent on the table; needed on first use of --ledger."
    ),
    no_guarantee: bool = typer.Option(
        False, "--no-guarantee", help="Share exact parameters, as the paper prints it: no noise and no promise."
    ),
    seed: int | None = typer.Option(None, "--seed", help="A rehearsal with seeded noise: NOT PRIVATE."),
    trust_draft: bool = typer.Option(False, "--trust-draft", help="Take drafted fields of the schema as declared."),
    overwrite: bool = typer.Option(False, "--overwrite", help="Replace the file if it is there."),
    as_json: bool = _JSON,
) -> None:
    """Learn your own variables from your own table and what others sent; write parameters that you may share."""
    from understudy.randomize import own as learn_own
    from understudy.randomize import read_secret

    with progress_bars(quiet=as_json) as progress:
        piece = learn_own(
            source,
            received or [],
            structure=structure,
            schema=schema,
            party=party,
            out=out,
            epsilon=epsilon,
            key=key,
            secret=read_secret(secret_file) if received else None,
            study=study,
            duplicates=duplicates,  # type: ignore[arg-type]  # checked there
            others=read_parties(other or []),
            ledger=ledger,
            dataset=dataset,
            cap=cap,
            no_guarantee=no_guarantee,
            seed=seed,
            trust_draft=trust_draft,
            overwrite=overwrite,
            progress=progress,
        )
    _show_piece(piece, out, as_json=as_json)


def assemble(
    files: list[Path] = typer.Argument(..., help="The parameters files of all parties."),
    structure: Path = _STRUCTURE,
    out: Path = typer.Option(..., "--out", "-o", help="Folder for the study: model, parameters, privacy letter."),
    name: str = typer.Option("", "--name", help="Name of the study in its statement. Default: the schemas' names."),
    overwrite: bool = typer.Option(False, "--overwrite", help="Replace the folder if it is there."),
    as_json: bool = _JSON,
) -> None:
    """Make one model of all parties' parameters, with one privacy statement. Reads no table, and costs nothing."""
    from understudy.randomize import assemble as put_together
    from understudy.release import number_above

    study = put_together(files, structure=structure, out=out, name=name, overwrite=overwrite)
    statement = study.statement
    if as_json:
        listed = [str(path) for path in study.files]
        say_json({"out": str(out), "files": listed, "statement": statement.to_dict(), "notes": list(study.notes)})
        return
    if statement.stamp:
        say(f"*** {statement.stamp}: do not publish this folder. ***")
    say(f"One model of {counted(len(study.parameters), 'variable', 'variables')} in {out}/.")
    if statement.private:
        say(f"For one person, all parties together: ε = {number_above(statement.epsilon)}.")
    for note in (*statement.warnings, *study.notes):
        say(f"Note: {note}")
    say(f"Read {out / 'PRIVACY.md'} first. Then try:")
    say(f"  understudy sample {_quoted(out / 'model.understudy')} -n 1000 -o joint.csv")


def _summary(piece: Piece) -> dict[str, Any]:
    """All that the file says but the tables and the schema."""
    left_out = ("schema", "variables", "received", "format")
    return {
        **{key: value for key, value in piece.to_dict().items() if key not in left_out},
        "variables": [
            {
                "name": variable.name,
                "parents": list(variable.parents),
                "rows": variable.rows,
                "largest_error": float(variable.errors.max()),
            }
            for variable in piece.variables
        ],
        "received": [
            {"party": one.plan.party, "plan": one.plan.fingerprint, "columns": list(one.plan.schema.names)}
            for one in piece.received
        ],
    }


def _show_piece(piece: Piece, out: Path, *, as_json: bool) -> None:
    from understudy.release import number_above

    if as_json:
        say_json({"out": str(out), **_summary(piece)})
        return
    if piece.stamp:
        say(f"*** {piece.stamp}: do not share {out}. ***")
    table = make_table("variable", "given", "people", "largest error", right=("people", "largest error"))
    for variable in piece.variables:
        given = ", ".join(variable.parents) or "-"
        table.add_row(variable.name, given, f"{variable.rows:,}", f"{variable.errors.max():.3f}")
    say_table(table)
    if piece.epsilon is not None:
        tables = counted(piece.tables, "table", "tables")
        say(f"Central noise at ε = {number_above(piece.epsilon)} for {piece.unit}, over {tables}: {piece.noise}.")
        say("What you sent to others in randomised form comes on top, and all other parties' do too.")
    if piece.ledger is not None:
        say(f"Charged to '{piece.ledger[0]}' in the ledger.")
    say(f"Wrote {out}: probabilities and error bars, no rows." + ("" if piece.stamp else " Send it to everybody."))


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
        commands += [
            f"understudy randomize own {_quoted(f'{name}.csv')}{inbox} --schema {_quoted(schema)} --party "
            f"{_quoted(name)} --structure {_quoted(structure)} --key person_id --epsilon 1 "
            f"-o {_quoted(f'outbox/{name}.parameters.json')}",
            f"# send outbox/{name}.parameters.json to everybody",
        ]
    return commands


def _quoted(text: object) -> str:
    return shlex.quote(str(text))
