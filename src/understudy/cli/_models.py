"""Commands on a published model: `sample`, `query`, `export`, `draw`, `show`; and the list of `methods`. All free."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from understudy._core.formats import endings_in_words
from understudy.cli._files import read_rows, refuse_target
from understudy.cli._interrupts import INTERRUPTS
from understudy.cli._show import counted, make_table, progress_bars, say, say_aside, say_json, say_table

_MODEL = typer.Argument(..., help="A model file, such as release/model.understudy.")
_JSON = typer.Option(False, "--json", help="Print the result as JSON, and nothing else.")
_OVERWRITE = typer.Option(False, "--overwrite", help="Replace the file if it is there.")


def sample(
    model: Path = _MODEL,
    out: Path = typer.Option(
        ..., "--out", "-o", help=f"The table to write: {endings_in_words()}; a folder with --partitions."
    ),
    n: int | None = typer.Option(
        None,
        "-n",
        "--rows",
        parser=read_rows,
        metavar="INTEGER",
        help="Number of rows. Default: as many as the original.",
    ),
    where: str | None = typer.Option(None, "--where", help='Conditions, such as "sex=Female, age=30..40".'),
    seed: int | None = typer.Option(None, "--seed", help="Make the sample repeatable. No bearing on privacy."),
    independent: bool = typer.Option(False, "--independent", help="Draw every row on its own (higher variance)."),
    partitions: int | None = typer.Option(
        None, "--partitions", help="Write a folder of so many Parquet files, drawn independently, in constant memory."
    ),
    overwrite: bool = _OVERWRITE,
    as_json: bool = _JSON,
) -> None:
    """Sample rows from a published model. Free: it spends no budget.

    From a rehearsal's or diagnostic's model the file's name gets .NOT-PRIVATE before its ending.
    """
    from understudy._core.files import as_output_error
    from understudy._core.numbers import whole_number
    from understudy.release import check_parts, load_model, refuse_without_room, stamped_path, write_parts, write_table

    loaded = load_model(model)
    for name, number in (("n", n), ("seed", seed)):
        if number is not None:
            whole_number(number, name)
    out = stamped_path(out, loaded.statement)
    if partitions is None:
        refuse_target(out, overwrite=overwrite)
    else:
        check_parts(out, partitions, overwrite=overwrite)
    sampling: dict[str, Any] = {"seed": seed, "where": where, "independent": independent, "n_rows": n}
    with progress_bars(quiet=as_json) as progress, as_output_error(out):
        wanted = loaded.statement.n_rows if n is None else n
        refuse_without_room(out if partitions is None else out.with_name(f"{out.name}.parquet"), loaded.schema, wanted)
        if partitions is None:
            rows = write_table(out, loaded, progress=progress, **sampling)
        else:
            sampling |= {"partitions": partitions, "overwrite": overwrite}
            rows = write_parts(out, loaded, progress=progress, **sampling)
        INTERRUPTS.outcome = f"{out} is complete."
    if as_json:
        parts = {} if partitions is None else {"partitions": partitions}
        say_json({"out": str(out), "rows": rows, **parts, "stamp": loaded.statement.stamp})
        return
    if loaded.statement.stamp:
        say(f"*** {loaded.statement.stamp}: the file's name says so too. ***")
    files = "" if partitions is None else f", in {counted(partitions, 'file', 'files')}"
    say(f"Wrote {counted(rows, 'row', 'rows')} to {out}{files}.")


def query(
    model: Path = _MODEL,
    question: str = typer.Argument(
        ..., help='Such as "income | education=Masters, age=30..40" or "mean(age), share(age > 30) | sex=Female".'
    ),
    as_json: bool = _JSON,
) -> None:
    """Ask a published model for exact probabilities or numbers, with error bars from the noise where known. Free.

    Of numbers: mean, median, quantile(x, 0.9), sd, variance, sum, count, share.
    """
    from understudy.release import load_model

    answer = load_model(model).query(question)
    if as_json:
        say_json(answer.to_dict())
        return
    say(str(answer))
    if answer.has_errors:
        say_aside("Intervals cover the noise, not what the model leaves out.")
    else:
        say_aside("No intervals: how far noise has moved an answer is not known for this model.")


def export(
    model: Path = _MODEL,
    out: Path = typer.Option(..., "--out", "-o", help="The file to write, such as network.bif."),
    overwrite: bool = _OVERWRITE,
    as_json: bool = _JSON,
) -> None:
    """Write the network in the Bayesian Interchange Format (BIF), for bnlearn, pgmpy and others."""
    from understudy._core.files import write_bytes
    from understudy.release import load_model

    loaded = load_model(model)
    refuse_target(out, overwrite=overwrite)
    write_bytes(out, loaded.to_bif().encode())
    _wrote(out, loaded.statement.stamp, as_json=as_json)


def draw(
    model: Path = _MODEL,
    out: Path = typer.Option(Path("network.svg"), "--out", "-o", help="The SVG file to write."),
    overwrite: bool = _OVERWRITE,
    as_json: bool = _JSON,
) -> None:
    """Draw the network as an SVG file."""
    from understudy.release import load_model

    loaded = load_model(model)
    refuse_target(out, overwrite=overwrite)
    loaded.draw(out)
    _wrote(out, loaded.statement.stamp, as_json=as_json)


def show(model: Path = _MODEL, as_json: bool = _JSON) -> None:
    """Show a model's privacy statement."""
    from understudy.release import load_model, privacy_letter

    statement = load_model(model).statement
    if as_json:
        say_json(statement.to_dict())
    else:
        say(privacy_letter(statement).rstrip())


def methods(
    name: str | None = typer.Argument(None, help="A method, to list its options."), as_json: bool = _JSON
) -> None:
    """List the methods that 'publish' can use, and the baselines that 'compare' can use too; or a method's options."""
    from understudy.methods import AS_PRINTED, BASELINES, METHODS

    if name is not None:
        _show_method(name, as_json=as_json)
        return
    found, others, printed = (
        {name: (kind.__doc__ or "").strip().splitlines()[0] for name, kind in kinds.items()}
        for kinds in (METHODS, BASELINES, AS_PRINTED)
    )
    if as_json:
        say_json({**found, **others, **printed})
        return
    for title, kinds in (("method", found), ("baseline", others), ("as printed", printed)):
        table = make_table(title, "what it does")
        for word, what in kinds.items():
            table.add_row(word, what)
        say_table(table)
    say_aside("Baselines are what the papers compare with: for 'compare'. Few of them draw rows that 'publish' needs.")
    say_aside("As printed: methods as in their papers, flaws included. 'publish' wants --no-guarantee for these.")


def _show_method(name: str, *, as_json: bool) -> None:
    from understudy.methods import method_named
    from understudy.options import options_of

    declared = options_of(type(method_named(name)))
    if as_json:
        say_json({one.name: {"help": one.help, "default": one.written} for one in declared})
        return
    table = make_table("option", "default", "what it is")
    for one in declared:
        table.add_row(one.name, one.written, f"{one.help} It must be {one.constraint.words}.")
    say_table(table)


def _wrote(out: Path, stamp: str | None, *, as_json: bool) -> None:
    INTERRUPTS.outcome = f"{out} is complete."
    if as_json:
        say_json({"out": str(out), "stamp": stamp})
        return
    if stamp:
        say(f"*** {stamp} ***")
    say(f"Wrote {out}.")
