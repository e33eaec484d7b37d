"""A plan on the screen: what each ε would give, in words and figures, then what the run would do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from understudy.cli._show import make_table, say, say_table

if TYPE_CHECKING:
    from understudy.methods import AttributePlan, Plan

_MOST_COLUMNS = 25


def show_plan(plan: Plan) -> None:
    """All of it."""
    _show_outlook(plan)
    _show_columns(plan)
    _show_run(plan)
    _show_promises(plan)
    say("Nothing was spent.")


def _show_outlook(plan: Plan) -> None:
    from understudy.methods import OUTLOOK_HEADER, outlook_notes, outlook_rows

    table = make_table(*OUTLOOK_HEADER, right=OUTLOOK_HEADER[:-1])
    for row in outlook_rows(plan.outlook):
        table.add_row(*row)
    say_table(table)
    for sentence in outlook_notes(plan.outlook, plan.assumed):
        say(sentence)


def _show_columns(plan: Plan) -> None:
    """Each column's error at each ε, the columns of most values first where there are many."""
    from understudy.methods import column_error_text

    relations = plan.score is not None
    shown = [line for line in plan.outlook if line.column_errors]
    names = [f"ε = {line.epsilon:g}" for line in shown]
    table = make_table("column", "values", *names, *(("others see it",) if relations else ()), right=("values", *names))
    if shown:
        say("Expected error of each column; in brackets, if much more, where all of its values are equally frequent:")
    places = range(len(plan.attributes))
    largest = sorted(sorted(places, key=lambda a: -plan.attributes[a].size)[:_MOST_COLUMNS])
    for a in largest:
        attribute = plan.attributes[a]
        errors = [column_error_text(line.column_errors[a], line.column_errors_even[a]) for line in shown]
        table.add_row(attribute.name, str(attribute.size), *errors, *((_seen(attribute),) if relations else ()))
    say_table(table)
    if len(plan.attributes) > _MOST_COLUMNS:
        say(f"Shown are the {_MOST_COLUMNS} columns of most values; --json has all {len(plan.attributes)}.")


def _show_run(plan: Plan) -> None:
    shares = ", ".join(f"{share:.0%} {name}" for name, share in plan.shares.items() if share) or "not used"
    score = "" if plan.score is None else f" Score: {plan.score}."
    degree = "" if plan.degree is None or plan.score is None else f" {plan.degree} parents each."
    say(f"Rows: {plan.rows:,}.{score}{degree} Budget: {shares}.")
    if plan.score is not None:
        _show_candidates(plan)
    if plan.noise_mean:
        say(f"Noise in a cell at ε = {plan.epsilon:g}: about ±{plan.noise_mean:,.1f}.")
    wall = "" if plan.wall_seconds is None else f"; on this machine, as busy as it is now, {_time(plan.wall_seconds)}"
    about = "about" if plan.engine == "memory" else "up to"
    say(f"Memory: {about} {plan.memory_bytes / 1e6:,.0f} MB. Time: about {_time(plan.seconds)} of one CPU{wall}.")
    if plan.engine != "memory":
        say(_streamed(plan))
    if plan.coarsened:
        say("Seen by others in coarser form or not at all: " + ", ".join(plan.coarsened) + ".")
    for note in plan.notes:
        say(note)


def _streamed(plan: Plan) -> str:
    """How often the rows would be read, and how much that is."""
    known = "as many passes as the method asks for" if plan.passes is None else f"at most {plan.passes} passes"
    known = "one pass" if plan.passes == 1 else known
    size = "" if plan.pass_bytes is None else f" over {_bytes(plan.pass_bytes)}"
    if plan.pass_bytes is not None and plan.passes is not None and plan.passes > 1:
        size += f", {_bytes(plan.passes * plan.pass_bytes)} in all"
    because = plan.engine_because[:1].upper() + plan.engine_because[1:]
    how = {"spark": "on Spark", "database": "inside the database"}.get(plan.engine, "streamed")
    return f"Counting: {how}, in {known}{size}. {because}"


def _bytes(size: int) -> str:
    return f"{size / 1e9:,.1f} GB" if size >= 1e9 else f"{max(size, 1) / 1e6:,.1f} MB"


def _time(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def _show_promises(plan: Plan) -> None:
    at = f" at ε = {plan.epsilon:g}" if len(plan.outlook) > 1 else ""
    say(f"Promise{at}: {plan.promise}")
    if not plan.promises:
        return
    cells = f"error of {plan.largest_useful_table:,} cells"
    table = make_table("promise", "neighbours", "noise in a cell", cells, "", right=("noise in a cell", cells))
    for line in plan.promises:
        table.add_row(
            f"(ε, δ = {line.delta:g})" if line.delta else "pure ε (--delta 0)",
            line.neighbours,
            "not by this method" if line.noise_mean is None else f"±{line.noise_mean:,.1f}",
            "-" if line.expected_error is None else f"{line.expected_error:.3f}",
            "chosen" if line.chosen else "",
        )
    say_table(table)
    if plan.method == "auto":
        say("These lines are of one method; under another promise auto may choose another.")


def _seen(attribute: AttributePlan) -> str:
    if attribute.finest_as_parent is None:
        return "not at all" if attribute.size > 1 else "-"
    if attribute.finest_as_parent == 0:
        return "whole"
    return f"in {attribute.levels[attribute.finest_as_parent]} groups"


def _show_candidates(plan: Plan) -> None:
    most = max(plan.candidates_per_choice, default=0)
    candidates = (
        f"at most {most:,}" if most <= plan.max_candidates else f"more than {plan.max_candidates:,}, so drawn by coins"
    )
    say(f"Candidates in one choice: {candidates}; in all {sum(plan.candidates_per_choice):,}.")
