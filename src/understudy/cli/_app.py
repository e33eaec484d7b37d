"""The commands, each a few lines: it parses, calls one function and shows what came back."""

from __future__ import annotations

import typer

from understudy.cli import _answer, _compare, _correlate, _evaluate, _ledger, _models, _publish, _randomize, _schema
from understudy.cli._commands import make_program

app = make_program("understudy", "Publish a private table as a synthetic one, under differential privacy.")


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
app.command("answer")(_answer.answer)
app.command("evaluate", cls=_evaluate.FileOrScreen)(_evaluate.evaluate)
app.command("compare")(_compare.compare)
app.command("correlate")(_correlate.correlate)
app.command("sample")(_models.sample)
app.command("query")(_models.query)
app.command("export")(_models.export)
app.command("draw")(_models.draw)
app.command("show")(_models.show)
app.command("methods")(_models.methods)
app.add_typer(_randomize.app, name="randomize")
app.add_typer(_ledger.app, name="ledger")
