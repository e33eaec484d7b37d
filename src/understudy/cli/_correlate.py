"""`understudy correlate`: which records belong together. What it shows and writes is private to the holder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from understudy.cli._files import completeness, refuse_target
from understudy.cli._interrupts import INTERRUPTS
from understudy.cli._options import takes
from understudy.cli._show import counted, progress_bars, say, say_json
from understudy.options import CorrelateOptions

if TYPE_CHECKING:
    from understudy.correlate import Correlation


@takes(CorrelateOptions)
def correlate(
    source: str = typer.Argument(..., help="The private table: CSV (also .gz), Parquet or Arrow."),
    *,
    given: dict[str, Any],
    out: Path = typer.Option(
        ..., "--out", "-o", help="The file of groups to write: .parquet. Nobody else can read it."
    ),
    overwrite: bool = typer.Option(False, "--overwrite", help="Replace the file if it is there."),
    as_json: bool = typer.Option(False, "--json", help="Print the result as JSON, and nothing else."),
) -> None:
    """Recognise records that belong together, for --groups of publish and answer. The result is private to you."""
    from understudy.correlate import correlate as recognise
    from understudy.correlate import refuse_release_folder

    refuse_target(out, overwrite=overwrite)
    refuse_release_folder(out)
    INTERRUPTS.outcome = completeness(out, f"{out} is complete.")
    with progress_bars(quiet=as_json) as progress:
        found = recognise(source, progress=progress, **given)
        found.save(out)
    if as_json:
        say_json({"out": str(out), **found.to_dict()})
    else:
        _show(found, out)


def _show(found: Correlation, out: Path) -> None:
    groups = found.groups
    read = "; ".join(f"{letter} {', '.join(names)}" for letter, names in found.fields.items())
    say(f"Read {counted(groups.n_rows, 'row', 'rows')} by these fields: {read}.")
    learnt = "pairs made of the table" if found.n_labels is None else counted(found.n_labels, "label", "labels")
    layers = "–".join(map(str, found.layers))
    say(
        f"Compared {counted(found.n_compared, 'pair', 'pairs')} with a network of {layers}, which learnt from {learnt}."
    )
    sizes = groups.sizes
    several = int((sizes > 1).sum())
    say(
        f"Found {counted(several, 'group', 'groups')} of two and more rows, "
        f"{counted(found.n_linked_rows, 'row', 'rows')} in all, at a degree of {groups.threshold:g} and more."
    )
    if found.largest > groups.max_rows:
        say(
            f"Warning: {found.largest:,} rows hang together, more than the declared bound of {groups.max_rows}. "
            f"{counted(groups.n_cut, 'link was', 'links were')} cut, weakest first: what belongs together beyond the "
            "bound is not protected together. If a person can have more rows, declare so with --max-rows."
        )
    say(f"Groups: {out}, readable by you alone. Protected is any change of up to {groups.max_rows} rows, whichever.")
    say("Private to you: these numbers were computed from the real table. Do not publish them.")
