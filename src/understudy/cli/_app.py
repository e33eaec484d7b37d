"""The commands, each a few lines: it parses, calls one function and shows what came back."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup

from understudy.cli import _compare, _evaluate, _ledger, _models, _publish, _schema


class InterruptedRunError(Exception):
    """Ctrl-C, or a polite kill, with the notes that were made on the way out."""


class ReaderGoneError(Exception):
    """Whoever read our output has closed the pipe."""


class Commands(TyperGroup):
    """Carries interrupts out as they are: typer would turn them into bare exit codes."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as stop:
            raise InterruptedRunError(*getattr(stop, "__notes__", [])) from stop
        except BrokenPipeError as error:
            raise ReaderGoneError from error


app = typer.Typer(
    cls=Commands,
    name="understudy",
    help="Publish a private table as a synthetic one, under differential privacy.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"understudy {version('understudy')}")
        raise typer.Exit()


@app.callback()
def _root(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Show the version."),
) -> None:
    """Publish a private table as a synthetic one, under differential privacy.

    Start with: understudy publish demo
    """


app.add_typer(_schema.app, name="schema")
app.command("plan")(_publish.plan)
app.command("publish")(_publish.publish)
app.command("evaluate", cls=_evaluate.FileOrScreen)(_evaluate.evaluate)
app.command("compare")(_compare.compare)
app.command("sample")(_models.sample)
app.command("query")(_models.query)
app.command("export")(_models.export)
app.command("draw")(_models.draw)
app.command("show")(_models.show)
app.command("methods")(_models.methods)
app.add_typer(_ledger.app, name="ledger")
