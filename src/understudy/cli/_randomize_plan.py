"""`understudy randomize plan` and `report`: which matrices a party uses, and what that reveals."""

from __future__ import annotations

import shlex
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from understudy.cli._files import refuse_target
from understudy.cli._interrupts import INTERRUPTS
from understudy.cli._show import make_table, say, say_json, say_table

if TYPE_CHECKING:
    from understudy.randomize import PartyReport, Plan, PlanReport

_JSON = typer.Option(False, "--json", help="Print the result as JSON, and nothing else.")
_PRIORS = typer.Option(
    None, "--prior", metavar="P", help="A belief before anything is published, to bound what it can become; repeatable."
)
_BLOCK = typer.Option(
    None,
    "--block",
    metavar="'COLUMNS: HOW'",
    help="Columns with a matrix of their own; repeatable. HOW is one of: epsilon=0.7, gamma=3, p=0.1 (each other "
    "value), p=0.1/0.25 (two values: how often each flips; three: the next and the next but one), "
    "'groups=a b|c d; p=0.2' (block-diagonal), invariant=0.8 [; distribution=0.2 0.3 0.5], matrix=FILE (CSV, YAML or "
    "JSON), none (left alone). Without HOW the columns are kept together and get their share of --epsilon.",
)


def plan(
    schema: Path = typer.Option(..., "--schema", "-s", help="The party's schema file: what is public about its table."),
    out: Path = typer.Option(..., "--out", "-o", help="The plan file to write."),
    epsilon: str | None = typer.Option(None, "--epsilon", help="ε for the party's whole record, divided over blocks."),
    gamma: str | None = typer.Option(None, "--gamma", help="γ = e^ε for the whole record, in place of --epsilon."),
    p: str | None = typer.Option(None, "--p", help="The probability of each other value, for each column by itself."),
    block: list[str] | None = _BLOCK,
    public: list[str] | None = typer.Option(
        None, "--public", help="Columns that are not sensitive, sent as they are; repeatable, or with commas."
    ),
    columns: str | None = typer.Option(None, "--columns", help="The columns that are sent at all. Default: all."),
    party: str | None = typer.Option(None, "--party", help="The party's name. Default: the schema's."),
    separate: bool = typer.Option(False, "--separate", help="Randomise each column by itself: more noise at equal ε."),
    max_cells: int | None = typer.Option(
        None, "--max-cells", help="Values that the columns of a block have together at most. Default: 4096."
    ),
    parties: int = typer.Option(2, "--parties", help="How many parties the study has: blocks are chosen for it."),
    trust_draft: bool = typer.Option(False, "--trust-draft", help="Accept drafted fields; the report says so."),
    prior: list[str] | None = _PRIORS,
    overwrite: bool = typer.Option(False, "--overwrite", help="Replace the file if it is there."),
    as_json: bool = _JSON,
) -> None:
    """Choose how a party's columns are randomised, from its schema alone. Reads no table, spends nothing."""
    from understudy.randomize import MAX_CELLS, report, split_names
    from understudy.randomize import plan as make_plan
    from understudy.schema import Schema

    refuse_target(out, overwrite=overwrite)
    declared = Schema.load(schema)
    made = make_plan(
        declared,
        epsilon=epsilon,
        gamma=gamma,
        p=p,
        blocks=_read_blocks(block or [], declared.names),
        public=[name for text in public or [] for name in split_names(text)],
        columns=None if columns is None else split_names(columns),
        party=party,
        separate=separate,
        max_cells=MAX_CELLS if max_cells is None else max_cells,
        parties=parties,
        trust_draft=trust_draft,
    )
    found = report(made, **_given_priors(prior))
    made.save(out)
    INTERRUPTS.outcome = f"{out} is complete."
    if as_json:
        say_json({"out": str(out), "plan": made.to_dict(), "report": found.to_dict()})
        return
    _show_report(found)
    say(f"Wrote the plan to {out}. It is public, and goes with the rows. Next:")
    target = f"outbox/{_file(made)}.parquet"
    aware = " --no-guarantee" if found.epsilon is None else ""
    say(f"  understudy randomize apply TABLE --plan {shlex.quote(str(out))} --key COLUMN -o {target}{aware}")


def report(
    plans: list[Path] = typer.Argument(..., help="Plan files: of one party, or of all who hold the same persons."),
    prior: list[str] | None = _PRIORS,
    as_json: bool = _JSON,
) -> None:
    """What one plan or several reveal: γ, ε, bounds on beliefs; for columns, records, and persons across parties."""
    from understudy.randomize import Plan
    from understudy.randomize import report as make_report

    found = make_report(*map(Plan.load, plans), **_given_priors(prior))
    if as_json:
        say_json(found.to_dict())
    else:
        _show_report(found)


def _given_priors(given: list[str] | None) -> dict[str, Any]:
    return {"priors": given} if given else {}


def _read_blocks(texts: list[str], known: tuple[str, ...]) -> dict[str | tuple[str, ...], Any]:
    from understudy._core.errors import OptionError
    from understudy.randomize import read_block

    found: dict[str | tuple[str, ...], Any] = {}
    for text in texts:
        names, how = read_block(text, known)
        if names in found:
            raise OptionError(f"two blocks are for {' and '.join(names)}. Give one.")
        found[names] = how
    return found


def _file(plan: Plan) -> str:
    kept = "".join(c if c.isalnum() or c in "-_" else "-" for c in plan.party)
    return kept.strip("-")[:60] or "party"


def _show_report(found: PlanReport) -> None:
    several = len(found.parties) > 1
    right = ("values", "γ", "ε", "kept", "K*", "worth")
    table = make_table(*(("party",) if several else ()), "columns", *right, "asked for", right=right)
    for party in found.parties:
        for block in party.blocks:
            table.add_row(
                *((party.party,) if several else ()),
                ", ".join(column.name for column in block.columns),
                f"{block.cells:,}",
                ("∞" if block.gamma is None else _short(block.gamma)) if block.sensitive else "–",
                ("∞" if block.epsilon is None else _short(block.epsilon)) if block.sensitive else "public",
                "?" if block.keep is None else _span(*block.keep),
                "?" if block.least_origins is None else f"{block.least_origins:,}",
                "?" if block.worth is None else _worth(block.worth),
                block.asked,
            )
    say_table(table)
    say("γ: how far a published value may change the odds between two true ones. ε = ln γ. Kept: published as it is.")
    say("K*: how many true values a published one may come from, which is no measure of privacy.")
    say("Worth 1 row in 30: it takes 30 rows to learn as much of these columns as from one clean row.")
    _show_columns(found)
    _show_beliefs(found)
    if several:
        for party in found.parties:
            say(f"The record of {party.party}: ε = {_bound(party)}.")
        say(f"A person whom all {len(found.parties)} hold, since it adds up: ε = {_bound(found)}.")
    else:
        say(f"The whole record of {found.parties[0].party}: ε = {_bound(found)}.")
    for warning in found.warnings:
        say(f"- {warning}")


def _show_columns(found: PlanReport) -> None:
    joint = [
        column
        for party in found.parties
        for block in party.blocks
        if block.sensitive and len(block.columns) > 1
        for column in block.columns
    ]
    if not joint:
        return
    table = make_table("column by itself", "values", "ε", "kept", right=("values", "ε", "kept"))
    for column in joint:
        epsilon = "∞" if column.epsilon is None else _short(column.epsilon)
        kept = column.keep or ()
        span = _span(min(low for low, _ in kept), max(high for _, high in kept)) if kept else "?"
        table.add_row(column.name, f"{len(column.labels):,}", epsilon, span)
    say_table(table)


def _show_beliefs(found: PlanReport) -> None:
    priors = [f"{_percent(belief.prior, ROUND_CEILING)} %" for belief in found.beliefs]
    table = make_table("a belief of", *priors, right=tuple(priors))
    rows = [
        (", ".join(column.name for column in block.columns), block.beliefs)
        for party in found.parties
        for block in party.blocks
        if block.sensitive
    ]
    rows += [(f"record of {party.party}", party.beliefs) for party in found.parties if len(party.blocks) > 1]
    rows += [("all records of a person", found.beliefs)] if len(found.parties) > 1 else []
    for name, beliefs in rows:
        spans = (f"{_percent(b.lowest, ROUND_FLOOR)} … {_percent(b.highest, ROUND_CEILING)}" for b in beliefs)
        table.add_row(name, *spans)
    say("What a belief about a person can become, in per cent: from ρ1 to no less than … and no more than ρ2*.")
    say_table(table)


def _percent(share: Fraction, rounding: str) -> str:
    return _rounded(100 * share, 3, rounding)


def _short(number: Fraction) -> str:
    """Four digits, rounded up: what is shown is never better than what holds."""
    return _rounded(number, 4, ROUND_CEILING)


def _rounded(number: Fraction, digits: int, rounding: str) -> str:
    with localcontext() as context:
        context.prec, context.rounding = digits, rounding
        found = Decimal(number.numerator) / Decimal(number.denominator)
        return f"{found:f}" if found < 10**digits else f"{int(found):,}" if found < 10**7 else f"{found:.1e}"


def _span(low: Fraction, high: Fraction) -> str:
    # 100 % only for what is always so
    shares = [
        ">99.9" if Fraction("0.9995") <= share < 1 else f"{100 * float(share):.3g}"
        for share in ((low,) if low == high else (low, high))
    ]
    return "–".join(shares) + " %"


def _worth(share: float) -> str:
    return "all rows" if share >= 1 else f"1 row in {1 / share:,.{1 if share > 0.1 else 0}f}"


def _bound(found: PartyReport | PlanReport) -> str:
    if found.epsilon is None or found.gamma is None:
        return "∞ (no bound)"
    return (
        f"{_short(found.epsilon)} (the odds between two true records change by a factor of up to {_short(found.gamma)})"
    )
