"""`understudy evaluate`: a synthetic table held against the real one. What it shows is private to the holder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand

from understudy.cli._files import refuse_target
from understudy.cli._interrupts import INTERRUPTS
from understudy.cli._options import takes
from understudy.cli._show import counted, make_table, progress_bars, say, say_aside, say_json, say_table
from understudy.options import EvaluateOptions

if TYPE_CHECKING:
    from understudy.evaluation import PublicReport, Report

SCREEN = "-"
_MOST_NUMBERS = 12
_COLUMNS = ("synthetic", "fresh sample", "independent columns")


class FileOrScreen(TyperCommand):
    """Lets `--json` stand alone, as it does in every other command: then it means the screen."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Give a lone `--json` its target."""
        filled: list[str] = []
        for here, following in zip(args, [*args[1:], SCREEN + SCREEN], strict=True):
            filled.append(here)
            if here == "--json" and following.startswith("-") and following != SCREEN:
                filled.append(SCREEN)
        return super().parse_args(ctx, filled)


_TABLES = typer.Argument(
    ...,
    metavar="REAL RELEASE",
    help="The real table, then a release folder, a model file or a synthetic table. With --public only that.",
)
_SCHEMA = typer.Option(None, "--schema", "-s", help="Schema file, for a synthetic table without a model beside it.")
_HTML = typer.Option(None, "--html", help="Write the report as one page to this file.")
_JSON = typer.Option(None, "--json", metavar="FILE", help="Write every number to this file; without a name, show it.")
_PUBLIC = typer.Option(False, "--public", help="The page for readers: made without the real table, may be published.")
_OVERWRITE = typer.Option(False, "--overwrite", help="Replace files that are there.")


@takes(EvaluateOptions)
def evaluate(
    tables: list[str] = _TABLES,
    schema: Path | None = _SCHEMA,
    html: Path | None = _HTML,
    json_target: str | None = _JSON,
    public: bool = _PUBLIC,
    *,
    given: dict[str, Any],
    overwrite: bool = _OVERWRITE,
) -> None:
    """Hold a synthetic table against the real one: where it is good, where it is not. Private to you."""
    on_screen = json_target == SCREEN
    to_write = _to_write(html, None if json_target is None or on_screen else Path(json_target), overwrite=overwrite)
    report: Report | PublicReport
    if public:
        report = _public(tables)
    else:
        real, synthetic = _both(tables)
        report = _private(real, synthetic, quiet=on_screen, schema=schema, **given)
    for target in to_write:
        report.save(target)
    if to_write:
        INTERRUPTS.outcome = f"{' and '.join(map(str, to_write))} {'is' if len(to_write) == 1 else 'are'} complete."
    if on_screen:
        say_json(report.to_dict())
    else:
        _tell(report, to_write)


def _tell(report: Report | PublicReport, written: list[Path]) -> None:
    from understudy.evaluation import Report

    if isinstance(report, Report):
        _show(report)
    elif not written:
        say_aside("Nothing was written: name a file with --html.")
    for target in written:
        say(f"{_kind_of(report)}: {target}")


def _kind_of(report: Report | PublicReport) -> str:
    from understudy.evaluation import Report

    if isinstance(report, Report):
        return "Report (private to you)"
    return "Public page" if report.may_be_published else f"Page, not to be published ({report.facts.stamp})"


def _both(tables: list[str]) -> tuple[str, str]:
    from understudy._core.errors import OptionError

    if len(tables) != 2:
        raise OptionError(
            f"evaluate takes two names, the real table and the release; got {len(tables)}. Example: understudy "
            "evaluate people.csv release/ --html report.html. For a page without the real table add --public."
        )
    return tables[0], tables[1]


def _public(tables: list[str]) -> PublicReport:
    from understudy._api import public_report
    from understudy._core.errors import OptionError

    if len(tables) > 2:
        raise OptionError(f"evaluate --public takes one name, the release; got {len(tables)}.")
    if len(tables) == 2:
        say_aside("A public page is made from the release alone: the real table was not opened.")
    return public_report(tables[-1])


def _private(real: str, synthetic: str, *, quiet: bool, **options: Any) -> Report:
    from understudy._api import evaluate as evaluate_tables

    with progress_bars(quiet=quiet) as progress:
        return evaluate_tables(real, synthetic, progress=progress, **options)


def _to_write(html: Path | None, json_file: Path | None, *, overwrite: bool) -> list[Path]:
    """The files asked for, refused now rather than after the work."""
    from understudy._core.errors import OutputError

    for target, ending in ((html, ".html"), (json_file, ".json")):
        if target is None:
            continue
        if target.suffix.lower() != ending:
            raise OutputError(f"'{target}' does not end in {ending}. Name a {ending} file.")
        refuse_target(target, overwrite=overwrite, option=f"--{ending[1:]}")
        if not target.parent.is_dir():
            raise OutputError(f"there is no folder '{target.parent}' for {target.name}. Make it, or name another.")
    return [target for target in (html, json_file) if target is not None]


def _show(report: Report) -> None:
    """What was measured, then what became of numbers, and last, where the eye is, the three verdicts."""
    facts = report.facts
    table = make_table("", *_COLUMNS, right=_COLUMNS)
    for known in report.results:
        if known.measured:
            table.add_row(
                known.name, *(_number(value) for value in (known.value, known.fresh_sample, known.independent_columns))
            )
    say_table(table)
    say("Fresh sample: of as many real rows. Independent columns: each drawn from the real one on its own.")
    say()
    _show_sentences(report)
    _show_numbers(report)
    for verdict in report.verdicts:
        say(f"{verdict.heading}: {verdict.tone.word.upper()}. {verdict.sentence} {verdict.advice}".rstrip())
    say()
    rows = f"{facts.rows_synthetic:,} synthetic beside {counted(facts.rows_real or 0, 'real row', 'real rows')}"
    scored = "" if report.score is None else f"score {report.score:.3f}"
    if scored and report.fresh_sample_score is not None and report.independent_columns_score is not None:
        fresh, independent = report.fresh_sample_score, report.independent_columns_score
        scored += f" (a fresh sample {fresh:.3f}, independent columns {independent:.3f})"
    say("; ".join(part for part in (f"'{facts.dataset}'", rows, scored) if part) + ".")
    for note in facts.notes:
        say(note)
    say("Private to you: these numbers were computed from the real table. Do not publish them.")


def _show_sentences(report: Report) -> None:
    """In words what is not close to real; the rest by name."""
    from understudy.evaluation import NUMBERS_GROUP, tone_of

    close = []
    for known in report.results:
        if known.synonym is not None or (known.group == NUMBERS_GROUP and known.measured):
            continue  # numbers have a table of their own
        if tone_of(known).name == "close":
            close.append(known.name)
        else:
            say(f"• {known.verdict}")
    if close:
        say(f"• Close to real: {', '.join(close)}.")
    say()


def _show_numbers(report: Report) -> None:
    """Raw values: real → synthetic, worst first."""
    from understudy.evaluation import number_rows

    rows = number_rows(report.number_columns)
    if not rows:
        return
    shown = ("mean", "deviation", "share most off", "KS, points")
    table = make_table("real → synthetic", *shown, "", right=shown)
    for row in rows[:_MOST_NUMBERS]:
        cells = {label: f"{cell} {sub}" if label == "share most off" else cell for label, cell, sub in row["cells"]}
        table.add_row(row["name"], *(cells[label].rstrip() for label in shown), row["tone"].word)
    say_table(table)
    if len(rows) > _MOST_NUMBERS:
        say(f"{len(rows) - _MOST_NUMBERS} more numbers are in the report: --html, --json.")
    say()


def _number(value: float | None) -> str:
    return "" if value is None or value != value else f"{value:.4f}"
