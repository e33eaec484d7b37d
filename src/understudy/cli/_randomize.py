"""`understudy randomize`: parties that may not pool their columns randomise them, and learn from all together."""

from __future__ import annotations

import typer

from understudy.cli import _randomize_apply, _randomize_estimate, _randomize_learn, _randomize_own, _randomize_plan

app = typer.Typer(
    help="Randomise a party's columns before they leave, and learn from several parties' columns together.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


@app.callback()
def _group() -> None:
    """Randomise a party's columns before they leave, and learn from several parties' columns together."""


# One line a command, each from a module of its own (`_randomize_plan.py`, …):
app.command("plan")(_randomize_plan.plan)
app.command("report")(_randomize_plan.report)
app.command("secret")(_randomize_apply.secret)
app.command("apply")(_randomize_apply.apply)
app.command("estimate")(_randomize_estimate.estimate)
app.command("learn")(_randomize_learn.learn)
app.command("cross")(_randomize_own.cross)
app.command("own")(_randomize_own.own)
app.command("assemble")(_randomize_own.assemble)
