"""`understudy randomize learn`: one network of all parties' columns, from the files that they sent."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from understudy.cli._interrupts import INTERRUPTS
from understudy.cli._show import counted, make_table, printable, progress_bars, say, say_json, say_table

if TYPE_CHECKING:
    from understudy.randomize import Study

_WHAT = {
    "README.md": "what was found, how sure it is, and what not to do: read this first",
    "PRIVACY.md": "the privacy statement, in plain words",
    "privacy.json": "the privacy statement, for machines",
    "model.understudy": "the model: sample rows, ask it questions",
    "parameters.csv": "every probability with its standard error",
    "structure.bif": "the network, for bnlearn, pgmpy and others",
    "network.svg": "a drawing of what depends on what",
}


def learn(
    files: list[Path] = typer.Argument(..., help="The randomised files that the parties sent, or a folder of them."),
    out: Path = typer.Option(..., "--out", "-o", help="The folder to write: model, privacy letter, parameters."),
    structure: Path | None = typer.Option(
        None,
        "--structure",
        help="A network (BIF, or YAML) whose links are taken as they are: only parameters are learnt.",
    ),
    order: str | None = typer.Option(
        None, "--order", help="All columns, separated by commas: parents come before children. Default: learnt."
    ),
    score: str | None = typer.Option(
        None, "--score", help="How links are weighed: likelihood (default), or the paper's bic or bayes."
    ),
    eta: float | None = typer.Option(
        None, "--eta", help="bayes: the paper's threshold. Default: by how strongly the columns were randomised."
    ),
    penalty: float | None = typer.Option(
        None, "--penalty", help="bic: the paper's C*. Default: by how strongly the columns were randomised."
    ),
    max_parents: int | None = typer.Option(None, "--max-parents", help="Most parents of a column. Default: 4."),
    prior: float | None = typer.Option(
        None, "--prior", help="Count that a Dirichlet prior adds to each cell (MAP). Default: 0 (maximum likelihood)."
    ),
    method: str | None = typer.Option(
        None, "--method", help="k2 (default), or any method that 'understudy methods' lists."
    ),
    name: str | None = typer.Option(None, "--name", help="The study's name. Default: the parties'."),
    plan: list[Path] | None = typer.Option(
        None, "--plan", help="A plan that was agreed on; once for each. Files that were made with another are refused."
    ),
    overwrite: bool = typer.Option(False, "--overwrite", help="Replace the folder if it is there."),
    as_json: bool = typer.Option(False, "--json", help="Print the result as JSON, and nothing else."),
) -> None:
    """Learn one network from several parties' randomised columns. Free: it uses only what was sent."""
    from understudy.randomize import learn as learn_network
    from understudy.randomize import open_inbox, split_names, write_study
    from understudy.release import check_output

    check_output(out, overwrite=overwrite)
    given = {
        "structure": structure,
        "order": None if order is None else split_names(order),
        "score": score,
        "eta": eta,
        "penalty": penalty,
        "max_parents": max_parents,
        "prior": prior,
        "method": method,
    }
    asked: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
    with progress_bars(quiet=as_json) as progress:
        inbox = open_inbox(files, plans=plan or (), progress=progress)
        learned = learn_network(inbox, progress=progress, **asked)
        study = write_study(out, learned, name=name, overwrite=overwrite)
        INTERRUPTS.outcome = f"{out} is complete."
    if as_json:
        say_json(_document(study))
    else:
        _show(study)


def _document(study: Study) -> dict[str, Any]:
    return {
        "out": str(study.path),
        "files": [str(path) for path in study.files],
        "rows": study.statement.n_rows,
        "links": [list(link) for link in study.links],
        "notes": list(study.notes),
        "statement": study.statement.to_dict(),
    }


def _show(study: Study) -> None:
    from understudy.release import number_above

    statement = study.statement
    parties = counted(len(statement.parties), "party", "parties")
    say(f"Learnt from {counted(statement.n_rows, 'person', 'people')} of {parties} into {study.path}/")
    if statement.stamp:
        say(f"*** {statement.stamp}: do not publish this folder. ***")
    else:
        say(f"{statement.guarantee}: ε = {number_above(statement.epsilon)} for one person, all parties together.")
    if study.parameters:
        table = make_table("column", "depends on")
        for one in study.parameters:
            table.add_row(printable(one.column), printable(", ".join(one.parents)) or "-")
        say_table(table)
    table = make_table("file", "what it is")
    for path in study.files:
        table.add_row(path.name, _WHAT.get(path.name.replace(".NOT-PRIVATE", ""), ""))
    say_table(table)
    for note in study.notes:
        say(f"Note: {note}")
    name = study.model.schema.fields[-1].name
    assert study.path is not None
    say(f"Read {study.path / 'README.md'} first. Then try:")
    question = name if name.isidentifier() else f"'{name}'"
    say(f"  understudy query {shlex.quote(str(study.path / 'model.understudy'))} {shlex.quote(question)}")
