"""`understudy compare`: methods × budgets × seeds against one real table, as rehearsals."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from understudy.cli._files import refuse_target
from understudy.cli._interrupts import INTERRUPTS
from understudy.cli._options import takes
from understudy.cli._show import Progress, counted, make_table, progress_bars, say, say_json, say_table
from understudy.options import CompareOptions

if TYPE_CHECKING:
    from understudy._api import Comparison


@takes(CompareOptions)
def compare(
    source: str = typer.Argument(
        ..., help="The private table: CSV (also .gz), Parquet, Arrow; 'visits/*.parquet'; or 'demo'."
    ),
    schema: Path | None = typer.Option(None, "--schema", "-s", help="Its schema file (YAML or JSON)."),
    *,
    given: dict[str, Any],
    csv: Path | None = typer.Option(None, "--csv", help="Write the table of results to this CSV file as well."),
    overwrite: bool = typer.Option(False, "--overwrite", help="Replace the file of --csv if it is there."),
    as_json: bool = typer.Option(False, "--json", help="Print the result as JSON, and nothing else."),
) -> None:
    """Compare methods and budgets on a table, as rehearsals: nothing is spent. The result is private to you."""
    from understudy._api import compare as run_comparison
    from understudy._core.files import write_bytes

    if csv is not None:
        refuse_target(csv, overwrite=overwrite, option="--csv")
    out = Path(given.setdefault("out", "comparison"))
    with progress_bars(quiet=as_json, time_left=True) as progress:
        found = run_comparison(source, schema=schema, progress=_noting_what_is_kept(progress, out), **given)
    if csv is not None:
        write_bytes(csv, found.to_csv().encode())
    INTERRUPTS.outcome = f"the comparison in {out} is complete."
    if as_json:
        say_json({"out": str(out), **found.to_dict()})
    else:
        _show(found, out)


def _noting_what_is_kept(progress: Progress, out: Path) -> Progress:
    """The same progress, which also keeps in mind what to tell when the run is interrupted."""
    from understudy._api import STAGE

    def update(stage: str, done: int, total: int) -> None:
        if stage == STAGE:
            INTERRUPTS.outcome = (
                f"{done} of {counted(total, 'run', 'runs')} left to do were done, and are kept in {out}. "
                "Run the same command again to go on from there."
            )
        progress(stage, done, total)

    return update


def _show(found: Comparison, out: Path) -> None:
    from understudy._api import spread_words

    measures = found.measures
    table = make_table("method", "ε", *(f"{name} error" for name in measures), right=("ε",))
    rows = found.rows_of_table()
    for start in range(0, len(rows), len(measures)):
        group = rows[start : start + len(measures)]
        table.add_row(group[0]["method"], f"{group[0]['epsilon']:g}", *(_cell(row) for row in group))
    table.add_section()
    table.add_row("fresh sample", "", *(f"{found.fresh_sample[name]:.4f}" for name in measures))
    table.add_row("independent columns", "", *(f"{found.independent_columns[name]:.4f}" for name in measures))
    say_table(table)
    spread = spread_words(len(found.seeds))
    say(f"'{found.dataset}', {counted(found.rows, 'row', 'rows')}; {spread}.")
    say("Error: average total variation distance. Fresh sample: of as many real rows. Independent columns: each drawn")
    say("from the real one on its own. Every run was a rehearsal: nothing was spent, no ledger touched.")
    say("Private to you: these numbers were computed from the real table. Do not publish them.")
    say(f"Figure and page: {out / 'comparison.svg'}, {out / 'comparison.html'}")


def _cell(row: dict[str, Any]) -> str:
    from understudy._api import spread_text

    return f"{row['mean']:.4f} {spread_text(row)}".strip()
