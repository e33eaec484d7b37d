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
    from collections.abc import Sequence

    from research import Experiment, Outcome
    from research.rules import Decision
    from research.sentences import Assessed, Judged, Sentence, Test

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
    from research.sentences import SENTENCES, assess

    outcomes, assessed = read_outcomes(out, EXPERIMENTS), assess(SENTENCES, out)
    rows = [_row(one, outcomes.get(name), _tests_of(name, assessed)) for name, one in EXPERIMENTS.items()]
    if as_json:
        say_json(rows)
        return
    table = make_table("experiment", "paper", "where", "what", "quick", "full", "verdicts so far")
    for row in rows:
        costs = [in_words(row[f"{form}_cpu_seconds"]) for form in ("quick", "full")]
        costs[0] = f"under {costs[0]}" if row["quick_at_most"] else costs[0]
        costs[1] = f"over {costs[1]}" if row["full_at_least"] else costs[1]
        table.add_row(row["name"], row["paper"], row["where"], row["title"], *costs, row["verdicts_so_far"])
    say_table(table)
    known = [row["quick_cpu_seconds"] for row in rows if row["quick_cpu_seconds"] is not None]
    together = in_words(sum(known) if len(known) == len(rows) else None)
    say(f"Costs are CPU time, about; divide by your processors. All quick forms together: {together}.")
    say(f"Results: {out}. Run one: research run {next(iter(EXPERIMENTS))} --quick")


def _row(experiment: Experiment, outcome: Outcome | None, tests: list[dict[str, Any]]) -> dict[str, Any]:
    from research import cost_of

    cost = cost_of(experiment, outcome)
    listed = [str(test["verdict"]) for test in tests]
    words = ", ".join(f"{listed.count(word)} {word}" for word in dict.fromkeys(listed))
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
        "quick_at_most": cost.quick_at_most,
        "full_at_least": cost.full_at_least,
        "form": None if outcome is None else "quick" if outcome.quick else "full",
        "code": None if outcome is None else outcome.code,
        "tests": tests,
        "verdicts_so_far": "not run" if outcome is None else words or "no sentence is put to it",
    }


def _tests_of(name: str, assessed: Sequence[Assessed]) -> list[dict[str, Any]]:
    """What sentences ask of an experiment, and what came out, of the printed forms and of ours."""
    return [
        {"sentence": one.sentence.name, "form": form, **_test(one.sentence, test, decision)}
        for one in assessed
        for form, judged in (("printed", one.printed), ("ours", one.ours))
        if judged is not None
        for test, decision in judged.tests
        if test.experiment == name
    ]


def _test(sentence: Sentence, test: Test, decision: Decision) -> dict[str, Any]:
    rule = test.rule.text(sentence.strength)
    return {"table": test.table, "experiment": test.experiment, "rule": rule, **asdict(decision)}


@app.command("run")
def run(
    names: list[str] = typer.Argument(..., help="Experiments, such as privbayes-fig12; or the word 'all'."),
    quick: bool = typer.Option(False, "--quick", help="Few repetitions: minutes. Without it, as many as the paper."),
    data: Path | None = _DATA,
    out: Path = _OUT,
    seeds: int | None = typer.Option(None, "--seeds", help="So many repetitions instead, up to 10,000."),
    same: bool = typer.Option(
        False, "--same", help="As many repetitions as the results in that folder have; quick where it has none."
    ),
    jobs: int | None = typer.Option(
        None, "--jobs", help="Processes, at most one a processor. Default: as many, up to 8."
    ),
    as_json: bool = _JSON,
) -> None:
    """Run experiments: a CSV, a figure (SVG and PNG), and verdicts. Stopped, it goes on where it was."""
    from research import EXPERIMENTS, check_ready, experiment_named, run_experiment
    from research.sentences import SENTENCES, assess

    named = [experiment_named(name).name for name in dict.fromkeys(names) if name != ALL]
    wanted = list(EXPERIMENTS) if ALL in names else named
    forms = _forms(wanted, out, quick=quick, seeds=seeds, same=same)
    for name in wanted:
        check_ready([name], data, quick=forms[name][0])
    outcomes = {}
    for name in wanted:
        with progress_bars(quiet=as_json, time_left=True) as progress:
            outcomes[name] = run_experiment(
                name,
                quick=forms[name][0],
                data=data,
                out=out,
                seeds=forms[name][1],
                jobs=jobs,
                progress=_noting_what_is_kept(progress, name, out),
            )
        INTERRUPTS.outcome = f"{name} is complete, in {out}."
        if not as_json:
            _show(EXPERIMENTS[name], outcomes[name], out)
    if as_json:
        assessed = assess(SENTENCES, out)
        rows = [_row(EXPERIMENTS[name], one, _tests_of(name, assessed)) for name, one in outcomes.items()]
        say_json({"out": str(out), "experiments": rows})


def _forms(
    names: Sequence[str], out: Path, *, quick: bool, seeds: int | None, same: bool
) -> dict[str, tuple[bool, int | None]]:
    """Whether each experiment is run in the quick form, and how often, if not as often as that form does."""
    from research import read_outcomes
    from understudy._core.errors import OptionError

    if not same:
        return dict.fromkeys(names, (quick, seeds))
    if quick or seeds is not None:
        raise OptionError(
            "--same takes the form and the repetitions of the results that are there. Leave out "
            f"{'--quick' if quick else '--seeds'}, or --same."
        )
    found = read_outcomes(out, names)
    return {name: (found[name].quick, found[name].seeds) if name in found else (True, None) for name in names}


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
    from research.sentences import SENTENCES, assess

    say(f"{experiment.name}: {experiment.paper}, {experiment.where}. {experiment.title} ({outcome.effort(experiment)})")
    for test in _tests_of(experiment.name, assess(SENTENCES, out)):
        say(f"  {test['verdict']}: {test['sentence']}, {test['table']}: {test['why']}")
    say(f"  {out / experiment.name}: results.csv, figure.svg, figure.png")


@app.command("draw")
def draw(
    names: list[str] | None = typer.Argument(None, help="Experiments; all that have results without a name."),
    out: Path = _OUT,
    as_json: bool = _JSON,
) -> None:
    """Draw figures anew from the values in a folder of results; nothing is run."""
    from research import EXPERIMENTS, draw_again, experiment_named, read_outcomes
    from understudy._core.errors import OutputError

    named = [experiment_named(name).name for name in dict.fromkeys(names or ())]
    wanted = named or list(read_outcomes(out, EXPERIMENTS))
    if not wanted:
        raise OutputError(f"there are no results in '{out}'. Name their folder with --out, or run experiments first.")
    for name in wanted:
        draw_again(name, out)
        if not as_json:
            say(f"{out / name}: figure.svg, figure.png")
    if as_json:
        say_json({"out": str(out), "drawn": wanted})


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
    markdown: Path | None = typer.Option(
        None, "--markdown", help="Write the page of claims to this file instead, and its details beside it."
    ),
    as_json: bool = _JSON,
) -> None:
    """What the papers say of their experiments, sentence by sentence, with verdicts from the results in a folder."""
    from research.sentences import SENTENCES, assess

    assessed = assess(SENTENCES, out)
    if markdown is not None:
        _write_pages(assessed, out, markdown)
    if as_json:
        say_json([_document(one) for one in assessed])
    elif markdown is not None:
        say(f"The page of claims: {markdown}")
    else:
        _show_claims(assessed)


def _write_pages(assessed: Sequence[Assessed], out: Path, markdown: Path) -> None:
    from research import (
        EXPERIMENTS,
        claims_page,
        details_page,
        read_findings,
        read_outcomes,
        with_counts,
        with_findings,
    )
    from research._page import DETAILS, EXPERIMENTS_PAGE, INDEX
    from understudy._core.files import write_bytes

    figures = Path(os.path.relpath(out, markdown.parent)).as_posix()
    outcomes, cited = read_outcomes(out, EXPERIMENTS), read_findings()
    names = {"folder": out.as_posix(), "page": markdown.as_posix()}
    page = claims_page(assessed, cited, out=out, figures=figures, **names)
    details = details_page(assessed, list(EXPERIMENTS.values()), outcomes, figures=figures)
    write_bytes(markdown, page.encode())
    write_bytes(markdown.with_name(DETAILS), details.encode())
    for name in (EXPERIMENTS_PAGE, INDEX):  # pages beside it that show a part of it between marks
        beside = markdown.with_name(name)
        if beside.is_file():
            text = beside.read_text(encoding="utf-8")
            write_bytes(beside, with_counts(with_findings(text, cited, out), assessed).encode())


def _document(one: Assessed) -> dict[str, Any]:
    from research import reason_of

    sentence = one.sentence
    return {
        "name": sentence.name,
        "paper": sentence.paper,
        "section": sentence.section,
        "where": sentence.where,
        "quote": sentence.quote,
        "strength": sentence.strength,
        "strength_over_tables": sentence.of_tables,
        "verdict": one.verdict,
        "held": one.printed.held,
        "tables": len(one.printed.tests),
        "needed": one.printed.needed,
        "missing": sentence.missing or None,
        "reason": reason_of(sentence.name) or None,
        "tests": _tests(sentence, one.printed),
        "ours": None if one.ours is None else one.ours.verdict,
        "tests_of_ours": [] if one.ours is None else _tests(sentence, one.ours),
    }


def _tests(sentence: Sentence, judged: Judged) -> list[dict[str, Any]]:
    return [_test(sentence, test, decision) for test, decision in judged.tests]


def _show_claims(assessed: Sequence[Assessed]) -> None:
    from research import runs_in_words

    table = make_table("sentence", "verdict", "tables", "power", "ours")
    for one in assessed:
        words = f"{one.sentence.name}: {one.sentence.quote}"
        ours = "" if one.ours is None else f"{one.ours.verdict} {one.ours.tables}"
        table.add_row(words, one.verdict, one.printed.tables, runs_in_words(one.printed), ours)
    say_table(table)
