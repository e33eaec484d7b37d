"""The program `research`: the papers' figures, one command each, with verdicts decided by rules."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from understudy.cli.program import (
    INTERRUPTS,
    Progress,
    counted,
    make_program,
    make_table,
    progress_bars,
    say,
    say_json,
    say_table,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from research import Experiment, Outcome

app = make_program("research", "Run the papers' experiments and decide what they claim.")

_OUT = typer.Option(Path("experiments"), "--out", "-o", help="Folder of results; made, or taken up again.")
_JSON = typer.Option(False, "--json", help="Print the result as JSON, and nothing else.")
_DATA = typer.Option(
    None, "--data", help="Folder of the benchmark tables. Default: UNDERSTUDY_DATA, or ../shared/data."
)
ALL = "all"
NOT_CURRENT = 1


@app.command("list")
def list_experiments(out: Path = _OUT, as_json: bool = _JSON) -> None:
    """Every figure and table of the papers: its cost, and its verdicts so far."""
    from research import EXPERIMENTS, in_words, read_outcomes

    outcomes = read_outcomes(out, EXPERIMENTS)
    rows = [_row(experiment, outcomes.get(name)) for name, experiment in EXPERIMENTS.items()]
    if as_json:
        say_json(rows)
        return
    table = make_table("experiment", "paper", "where", "what", "quick", "full", "verdicts so far")
    for row in rows:
        costs = [in_words(row[f"{form}_cpu_seconds"]) for form in ("quick", "full")]
        table.add_row(row["name"], row["paper"], row["where"], row["title"], *costs, row["verdicts_so_far"])
    say_table(table)
    known = [row["quick_cpu_seconds"] for row in rows if row["quick_cpu_seconds"] is not None]
    together = in_words(sum(known) if len(known) == len(rows) else None)
    say(f"Costs are CPU time, about; divide by your processors. All quick forms together: {together}.")
    say(f"Results: {out}. Run one: research run {next(iter(EXPERIMENTS))} --quick")


def _row(experiment: Experiment, outcome: Outcome | None) -> dict[str, Any]:
    from research import cost_of

    cost = cost_of(experiment, outcome)
    words = "not run"
    if outcome is not None:
        listed = [finding.verdict for finding in outcome.verdicts]
        words = ", ".join(f"{listed.count(word)} {word}" for word in dict.fromkeys(listed))
        words = words or "of an older list of claims: run it again"
    return {
        "name": experiment.name,
        "paper": experiment.paper,
        "where": experiment.where,
        "title": experiment.title,
        "datasets": list(experiment.datasets),
        "quick_runs": cost.quick_runs,
        "full_runs": cost.full_runs,
        "quick_cpu_seconds": cost.quick_seconds,
        "full_cpu_seconds": cost.full_seconds,
        "form": None if outcome is None else "quick" if outcome.quick else "full",
        "code": None if outcome is None else outcome.code,
        "verdicts": [] if outcome is None else [finding.verdict for finding in outcome.verdicts],
        "verdicts_so_far": words,
    }


@app.command("run")
def run(
    names: list[str] = typer.Argument(..., help="Experiments, such as privbayes-fig12; or the word 'all'."),
    quick: bool = typer.Option(False, "--quick", help="Few repetitions: minutes. Without it, as many as the paper."),
    data: Path | None = _DATA,
    out: Path = _OUT,
    seeds: int | None = typer.Option(None, "--seeds", help="So many repetitions instead, up to 10,000."),
    jobs: int | None = typer.Option(
        None, "--jobs", help="Processes, at most one a processor. Default: as many, up to 8."
    ),
    as_json: bool = _JSON,
) -> None:
    """Run experiments: a CSV, a figure (SVG and PNG) and a verdict for each claim. Stopped, it goes on where it was."""
    from research import EXPERIMENTS, check_ready, experiment_named, run_experiment

    named = [experiment_named(name).name for name in dict.fromkeys(names) if name != ALL]
    wanted = list(EXPERIMENTS) if ALL in names else named
    check_ready(wanted, data, quick=quick)
    outcomes = {}
    for name in wanted:
        with progress_bars(quiet=as_json, time_left=True) as progress:
            outcomes[name] = run_experiment(
                name,
                quick=quick,
                data=data,
                out=out,
                seeds=seeds,
                jobs=jobs,
                progress=_noting_what_is_kept(progress, name, out),
            )
        INTERRUPTS.outcome = f"{name} is complete, in {out}."
        if not as_json:
            _show(EXPERIMENTS[name], outcomes[name], out)
    if as_json:
        say_json({"out": str(out), "experiments": [_document(EXPERIMENTS[n], o) for n, o in outcomes.items()]})


def _noting_what_is_kept(progress: Progress, name: str, out: Path) -> Progress:
    """The same progress, which also keeps in mind what to tell when the run is interrupted."""

    from research import RUNNING

    def update(stage: str, done: int, total: int) -> None:
        kept = f"{done} of {counted(total, 'run', 'runs')} left to do were done, and are kept in {out}."
        if stage != RUNNING:
            kept = f"no run was lost: those that were done before are kept in {out}."
        INTERRUPTS.outcome = f"{name}: {kept} Run the same command again to go on from there."
        progress(f"{name}: {stage}", done, total)

    return update


def _show(experiment: Experiment, outcome: Outcome, out: Path) -> None:
    from research import findings

    say(f"{experiment.name}: {experiment.paper}, {experiment.where}. {experiment.title} ({outcome.effort})")
    for claim, finding in findings(experiment, outcome):
        if finding is not None:
            form = f" ({claim.form})" if claim.form else ""
            say(f"  {finding.verdict}: {claim.sentence}{form} {finding.why}")
    say(f"  {out / experiment.name}: results.csv, figure.svg, figure.png")


def _document(experiment: Experiment, outcome: Outcome | None) -> dict[str, object]:
    from research import findings

    return {
        **_row(experiment, outcome),
        "claims": [
            {
                "claim": claim.sentence,
                "form": claim.form,
                "rule": claim.rule.text,
                "verdict": None if finding is None else finding.verdict,
                "why": None if finding is None else finding.why,
            }
            for claim, finding in findings(experiment, outcome)
        ],
    }


@app.command("check")
def check(
    names: list[str] | None = typer.Argument(None, help="Experiments; all that have results without a name."),
    data: Path | None = _DATA,
    out: Path = _OUT,
    as_json: bool = _JSON,
) -> None:
    """Whether results are current: a few of their runs, done again, give the same numbers. Exit code 1 if not."""
    from research import EXPERIMENTS, check_current, experiment_named, read_outcomes
    from understudy._core.errors import OutputError

    named = [experiment_named(name).name for name in dict.fromkeys(names or ())]
    wanted = named or list(read_outcomes(out, EXPERIMENTS))
    if not wanted:
        raise OutputError(f"there are no results in '{out}'. Name their folder with --out, or run experiments first.")
    INTERRUPTS.outcome = "nothing was written, and nothing was to be."
    found = []
    for name in wanted:
        with progress_bars(quiet=as_json) as progress:
            found.append(check_current(name, data=data, out=out, progress=progress))
        if not as_json:
            again = counted(found[-1].runs, "run", "runs")
            say(f"{name}: {'current' if found[-1].current else 'not current'} ({again} done again)")
            for words in found[-1].differences:
                say(f"  {words}")
    if as_json:
        say_json([{"current": one.current, **asdict(one)} for one in found])
    if not all(one.current for one in found):
        raise typer.Exit(NOT_CURRENT)


@app.command("claims")
def claims(
    out: Path = _OUT,
    markdown: Path | None = typer.Option(None, "--markdown", help="Write the page of claims to this file instead."),
    as_json: bool = _JSON,
) -> None:
    """The table of claims with verdicts, from the results in a folder."""
    from research import EXPERIMENTS, claims_page, read_outcomes
    from understudy._core.files import write_bytes

    outcomes = read_outcomes(out, EXPERIMENTS)
    if markdown is not None:
        figures = Path(os.path.relpath(out, markdown.parent)).as_posix()
        page = claims_page(
            list(EXPERIMENTS.values()), outcomes, figures=figures, folder=out.as_posix(), page=markdown.as_posix()
        )
        write_bytes(markdown, page.encode())
    if as_json:
        say_json([_document(experiment, outcomes.get(name)) for name, experiment in EXPERIMENTS.items()])
    elif markdown is not None:
        say(f"The page of claims: {markdown}")
    else:
        _show_claims(EXPERIMENTS, outcomes)


def _show_claims(experiments: Mapping[str, Experiment], outcomes: Mapping[str, Outcome]) -> None:
    from research import findings

    table = make_table("experiment", "claim", "verdict", "numbers")
    for name, experiment in experiments.items():
        outcome = outcomes.get(name)
        for claim, finding in findings(experiment, outcome):
            form = f" ({claim.form})" if claim.form else ""
            verdict = "not run" if finding is None else finding.verdict
            table.add_row(name, claim.sentence + form, verdict, "" if finding is None else finding.why)
    say_table(table)
