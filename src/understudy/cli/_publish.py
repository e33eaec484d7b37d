"""`understudy plan` and `understudy publish`."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from understudy.cli._files import read_rows
from understudy.cli._interrupts import INTERRUPTS, NOTHING
from understudy.cli._show import counted, make_table, progress_bars, say, say_aside, say_json, say_table

if TYPE_CHECKING:
    from understudy.methods import AttributePlan, Plan
    from understudy.release import Release

_SOURCE = typer.Argument(..., help="The private table: CSV (also .gz) or Parquet; or the word 'demo'.")
_SCHEMA = typer.Option(None, "--schema", "-s", help="Its schema file (YAML or JSON): what is public about it.")
_EPSILON = typer.Option(None, "--epsilon", "-e", help="Privacy budget: smaller is more private. The demo takes 1.")
_DELTA = typer.Option(None, "--delta", help="Allow (ε, δ) with Gaussian noise; far below 1/rows. Default: pure ε.")
_METHOD = typer.Option("privbayes", "--method", help="How to learn the model; see 'understudy methods'. auto: choose.")
_NEIGHBOURS = typer.Option("replace-one", "--neighbours", help="replace-one (rows public) or add-remove (private).")
_SCORE = typer.Option(None, "--score", help="privbayes: score of candidate parents: auto, I, F or R.")
_ENCODING = typer.Option(None, "--encoding", help="privbayes: auto, hierarchical, vanilla, binary or gray.")
_DEGREE = typer.Option(None, "--k", "-k", help="privbayes: parents of each attribute. Default: as many as are useful.")
_THETA = typer.Option(None, "--theta", help="privbayes: a table is useful if its average cell is θ times the noise; 4.")
_BETA = typer.Option(None, "--beta", help="privbayes: share of the budget for choosing the network; 0.3.")
_CANDIDATES = typer.Option(None, "--max-candidates", help="privbayes: most parent sets weighed in one choice.")
_SENSITIVE = typer.Option(
    None, "--sensitive", help="hpprivbayes: columns to protect better than others; several, or joined by commas."
)
_OPTION = typer.Option(None, "--option", help="Any option of the method, as name=value; may be given several times.")
_ROWS = typer.Option(
    None, "-n", "--rows", parser=read_rows, metavar="INTEGER", help="Synthetic rows. Default: as many as the table has."
)
_JSON = typer.Option(False, "--json", help="Print the result as JSON, and nothing else.")


def plan(
    source: str | None = typer.Argument(
        None, help="The table, to count its rows; or 'demo'; or leave out with --rows."
    ),
    schema: Path | None = _SCHEMA,
    epsilon: str | None = _EPSILON,
    delta: str | None = _DELTA,
    rows: int | None = typer.Option(
        None, "--rows", parser=read_rows, metavar="INTEGER", help="Number of rows; then no table is opened at all."
    ),
    method: str = _METHOD,
    neighbours: str = _NEIGHBOURS,
    score: str | None = _SCORE,
    encoding: str | None = _ENCODING,
    k: int | None = _DEGREE,
    theta: float | None = _THETA,
    beta: float | None = _BETA,
    max_candidates: int | None = _CANDIDATES,
    sensitive: list[str] | None = _SENSITIVE,
    option: list[str] | None = _OPTION,
    as_json: bool = _JSON,
) -> None:
    """Dry run: what publishing would do. Spends nothing, touches no private value."""
    from understudy._api import plan as make_plan

    named: dict[str, Any] = {"score": score, "encoding": encoding, "k": k, "theta": theta, "beta": beta}
    named |= {"max_candidates": max_candidates}
    named |= {"sensitive": tuple(sensitive) if sensitive else None}
    options = _options(method, named, option)
    found = make_plan(
        source,
        schema=schema,
        epsilon=_epsilon(epsilon, source),
        delta=delta,
        rows=rows,
        method=method,
        neighbours=neighbours,
        **options,
    )
    if as_json:
        say_json(found.to_dict())
    else:
        _show_plan(found)


def publish(
    source: str = _SOURCE,
    schema: Path | None = _SCHEMA,
    epsilon: str | None = _EPSILON,
    delta: str | None = _DELTA,
    out: Path = typer.Option(Path("release"), "--out", "-o", help="The folder to make."),
    overwrite: bool = typer.Option(False, "--overwrite", help="Replace an earlier release in that folder."),
    n: int | None = _ROWS,
    format: str | None = typer.Option(None, "--format", help="csv or parquet. Default: the input's."),
    method: str = _METHOD,
    neighbours: str = _NEIGHBOURS,
    ledger: Path | None = typer.Option(None, "--ledger", help="SQLite file that keeps account of all releases."),
    dataset: str | None = typer.Option(None, "--dataset", help="The table's name in the ledger."),
    cap: str | None = typer.Option(None, "--cap", help="Most ε that may ever be spent on it (on first use)."),
    delta_cap: str | None = typer.Option(None, "--delta-cap", help="Most δ that may ever be spent (on first use)."),
    trust_draft: bool = typer.Option(False, "--trust-draft", help="Publish drafted fields; the statement says so."),
    seed: int | None = typer.Option(None, "--seed", help="Rehearse: repeatable, stamped NOT PRIVATE, charges nothing."),
    noise: str = typer.Option("exact", "--noise", help="exact (our samplers) or opendp."),
    diagnostic: str | None = typer.Option(
        None, "--diagnostic", help="no-privacy, best-network or best-marginals: an experiment without a guarantee."
    ),
    unit: str | None = typer.Option(None, "--unit", help='Whom a row stands for, in words: "one patient".'),
    license: str | None = typer.Option(None, "--license", help="Licence of the release, for the dataset card."),
    creator: str | None = typer.Option(None, "--creator", help="Who publishes it, for the dataset card."),
    url: str | None = typer.Option(None, "--url", help="Where it will be found, for the dataset card."),
    score: str | None = _SCORE,
    encoding: str | None = _ENCODING,
    k: int | None = _DEGREE,
    theta: float | None = _THETA,
    beta: float | None = _BETA,
    max_candidates: int | None = _CANDIDATES,
    sensitive: list[str] | None = _SENSITIVE,
    option: list[str] | None = _OPTION,
    no_guarantee: bool = typer.Option(
        False, "--no-guarantee", help="Needed for a method as printed: the release keeps no promise, and is stamped so."
    ),
    as_json: bool = _JSON,
) -> None:
    """Publish a table: a synthetic table, a model and a privacy statement, in one folder."""
    from understudy._api import publish as make_release
    from understudy.release import CardFacts

    if source == "demo" and Path("demo").is_file():
        say_aside("Note: 'demo' is the bundled table. For the file of that name here, write ./demo.")
    named: dict[str, Any] = {"score": score, "encoding": encoding, "k": k, "theta": theta, "beta": beta}
    named |= {"max_candidates": max_candidates}
    named |= {"sensitive": tuple(sensitive) if sensitive else None}
    options = _options(method, named, option)
    INTERRUPTS.outcome = _completeness(out)
    with progress_bars(quiet=as_json) as progress:
        release = make_release(
            source, schema=schema, epsilon=_epsilon(epsilon, source), delta=delta, out=out, method=method, n=n,
            neighbours=neighbours, ledger=ledger, dataset=dataset, cap=cap, delta_cap=delta_cap, seed=seed,
            trust_draft=trust_draft, overwrite=overwrite, format=format,  # type: ignore[arg-type]  # checked there
            noise=noise, diagnostic=diagnostic, no_guarantee=no_guarantee, unit=unit,
            card=CardFacts(license=license, creator=creator, url=url), progress=progress, **options,
        )  # fmt: skip
    _tell_release(release, as_json=as_json)


def _options(method: str, named: dict[str, Any], written: list[str] | None) -> dict[str, Any]:
    """The method's options that were given, and no others: a method is not asked about what it does not have."""
    from understudy._core.errors import OptionError
    from understudy.methods import read_method_options

    given = {name: value for name, value in named.items() if value is not None}
    others = read_method_options(method, written or [])
    for name in others:
        if name in given:
            raise OptionError(f"option '{name}' is given twice. Give it once.")
    return given | others


def _tell_release(release: Release, *, as_json: bool) -> None:
    if as_json:
        say_json(_release_json(release))
    else:
        _show_release(release)


def _completeness(out: Path) -> Callable[[], str]:
    """What to say of the release if the run ends before it can: looked up then, so that none is denied or made up."""
    before = _identity(out)
    return lambda: NOTHING if _identity(out) in (None, before) else f"the release in {out} is complete."


def _identity(folder: Path) -> tuple[int, int] | None:
    try:
        found = folder.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _epsilon(given: str | None, source: str | None) -> str:
    from understudy._core.errors import OptionError

    if given is not None:
        return given
    if source == "demo":
        return "1"
    raise OptionError("how much may be revealed? Give a privacy budget, such as --epsilon 1.")


def _release_json(release: Release) -> dict[str, Any]:
    return {
        "out": str(release.path),
        "synthetic": str(release.synthetic),
        "files": [str(path) for path in release.files],
        "rows": release.n_rows,
        "statement": release.statement.to_dict(),
    }


_WHAT = {
    "model.understudy": "the model: sample more rows, ask it questions",
    "privacy.json": "the privacy statement, for machines",
    "PRIVACY.md": "the privacy statement, in plain words: read this first",
    "network.svg": "a drawing of what depends on what",
    "protection.svg": "a drawing of who is protected how much against which change",
    "croissant.json": "a dataset card (Croissant) that carries ε",
}


def _show_release(release: Release) -> None:
    statement = release.statement
    delta = f", δ = {float(statement.delta):g}" if statement.delta else ""
    say(f"Published '{statement.dataset}' at ε = {float(statement.epsilon):g}{delta} into {release.path}/")
    if statement.stamp:
        say(f"*** {statement.stamp}: do not publish this folder. ***")
    if "because" in statement.options:
        say(f"Method: {statement.options['chosen']}, since {statement.options['because']}.")
    table = make_table("file", "what it is")
    for path in release.files:
        what = (
            counted(release.n_rows, "synthetic row", "synthetic rows")
            if path == release.synthetic
            else _WHAT.get(path.name, "")
        )
        table.add_row(path.name, what)
    say_table(table)
    for warning in statement.warnings:
        say(f"Warning: {warning}")
    if statement.trusted_drafts:
        drafts = counted(len(statement.trusted_drafts), "drafted field was", "drafted fields were")
        say(f"Warning: {drafts} trusted; the statement says so.")
    if statement.ledger is not None:
        say(f"Charged to '{statement.ledger.dataset}' in the ledger.")
    first = release.model.schema.fields[-1].name
    question = first if first.isidentifier() else f"'{first}'"
    say(f"Read {release.path / 'PRIVACY.md'} first. Then try:")
    say(f"  understudy query {shlex.quote(str(release.path / 'model.understudy'))} {shlex.quote(question)}")


def _show_plan(plan: Plan) -> None:
    relations = plan.score is not None
    names = ("attribute", "values", "largest table", "error", *(("others see it",) if relations else ()))
    table = make_table(*names, right=("values", "largest table", "error"))
    for attribute in plan.attributes:
        table.add_row(
            attribute.name,
            str(attribute.size),
            f"{attribute.largest_table:,} cells" if attribute.largest_table else "none",
            "-" if attribute.expected_error is None else f"{attribute.expected_error:.3f}",
            *((_seen(attribute),) if relations else ()),
        )
    say_table(table)
    shares = ", ".join(f"{share:.0%} {name}" for name, share in plan.shares.items() if share) or "not used"
    if relations:
        degree = "" if plan.degree is None else f"; {plan.degree} parents each"
        say(f"Rows: {plan.rows:,}. Score: {plan.score}{degree}. Budget: {shares}.")
        _show_candidates(plan)
    else:
        say(f"Rows: {plan.rows:,}. Budget: {shares}.")
    noise = f" Noise in a cell: about ±{plan.noise_mean:,.1f}." if plan.noise_mean else ""
    if relations:
        say(f"Largest useful table: {plan.largest_useful_table:,} cells.{noise}")
    elif noise:
        say(noise.strip())
    say(f"Memory: about {plan.memory_bytes / 1e6:,.0f} MB. Time: about {plan.seconds:,.1f} s on one core.")
    if plan.coarsened:
        say("Seen by others in coarser form or not at all: " + ", ".join(plan.coarsened) + ".")
    for note in plan.notes:
        say(note)
    error = "Error: expected total variation distance of the largest table, from noise alone. " if noise else ""
    say(f"{error}Nothing was spent.")


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
