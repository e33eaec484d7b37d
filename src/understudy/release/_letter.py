"""The privacy statement in plain words: one page of Markdown, in the order of NIST SP 800-226.

That guide asks a reader to look at the parameters, the unit of privacy, what is taken as public, the algorithm and its
randomness, and the trust model; and it lists hazards that the parameters do not show. So does the page.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from fractions import Fraction

from understudy.release._letter_of_parties import letter_of_parties
from understudy.release._letter_parts import banners, public_section
from understudy.release._letter_unit import rows_words, unit_section
from understudy.release._promise import change_words, row_of
from understudy.release._protection import protection_section
from understudy.release._statement import Statement
from understudy.release._statement_lines import ChargeLine
from understudy.release._statement_text import clean as _clean
from understudy.release._statement_text import number, right_at_most
from understudy.release._statement_text import odds as _odds

_ONE_OF_MANY = re.compile(r",?( choice)? \d+ of \d+$")  # "parents, choice 3 of 10"
_ONE_NUMBER = re.compile(r"(\D*)(\d+(?:\.\d+)?(?:e[+-]?\d+)?)(\D*)", re.ASCII)


def privacy_letter(statement: Statement) -> str:
    """The statement as a page of Markdown.

    >>> print(privacy_letter(Statement.example()).splitlines()[0])
    # Privacy statement: people
    """
    if statement.parties:
        return letter_of_parties(statement)
    parts = [
        f"# Privacy statement: {_clean(statement.dataset)}",
        *banners(statement),
        _promise(statement),
        unit_section(statement),
        protection_section(statement),
        public_section(statement),
        _spending(statement),
        _making(statement),
        _limits(statement),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _covered(statement: Statement) -> str:
    """What the promise is about: a release, or answers to queries."""
    if statement.method == "answer":
        return "All answers, and the model and rows that may have been written with them,"
    return "The synthetic table, the model and every file of this release"


def _promise(statement: Statement) -> str:
    epsilon, delta = statement.epsilon, statement.delta
    named = "ε-differential privacy" if delta == 0 else "(ε, δ)-differential privacy"
    parameters = f"ε = {number(epsilon)}" + (f", δ = {number(delta)}" if delta else "")
    if statement.as_printed is not None:
        return (
            f"## What the paper claims\n\nIt claims {named} with {parameters}. The claim is wrong. The "
            "repaired method, without `-as-printed` in its name, does keep its ε."
        )
    if not statement.private:
        return f"## What the run would promise\n\nWith real noise: {named} with {parameters}."
    factor, _ = _odds(epsilon)
    lines = [
        "## What is promised",
        f"{_covered(statement)} together satisfy **{named} with {parameters}**."
        f" Anything that can be said of their contents is at most e^ε = {factor} times as likely as it would be if "
        + change_words(statement)
        + (f", plus a probability of δ = {number(delta)}." if delta else "."),
        _meaning(statement),
    ]
    return "\n\n".join(lines)


def _meaning(statement: Statement) -> str:
    """What a person in the table can rely on. Under add/remove two values of a row are two steps apart: e^(2ε)."""
    if statement.delta:
        return _meaning_with_delta(statement)
    if statement.neighbours == "replace-one":
        guess, factor, most = f"about what {rows_words(statement)}", "that factor", _odds(statement.epsilon)[1]
    else:
        guess = f"whether {_there(statement)}"
        twice, most = _odds(2 * statement.epsilon)
        factor = f"that factor, and of any guess about what {rows_words(statement)} by at most e^(2ε) = {twice}"
    return (
        "For those in the table that means: whatever an attacker knows or does with the release, now or later, the "
        f"odds of any guess {guess} change by at most {factor}. A guess about that which was even before (50 %) is "
        f"at most {most} % likely to be right afterwards."
    )


def _meaning_with_delta(statement: Statement) -> str:
    """The same with δ, which bounds no single attacker's odds but how often attackers can be right.

    From P[S | D] ≤ e^ε·P[S | D′] + δ in both directions, two equally likely cases are told apart in at most
    (e^ε + δ)/(1 + e^ε) of all cases. Under add/remove two values of a row are two steps apart: 2ε and (1 + e^ε)·δ.
    """
    epsilon, delta = statement.epsilon, statement.delta
    most, said = right_at_most(epsilon, delta), f"two cases of what {rows_words(statement)}"
    if statement.neighbours == "replace-one":
        cases = f"{said}, both equally likely before, is right in at most {most} % of all cases"
    else:
        twice = right_at_most(2 * epsilon, delta + Fraction(math.exp(min(float(epsilon), 30.0))) * delta)
        cases = (
            f"whether {_there(statement)} or not, both equally likely before, is right in at most {most} % of all "
            f"cases; one who has to tell apart {said} (two steps apart: 2ε and (1 + e^ε)·δ), in at most {twice} %"
        )
    return (
        "For those in the table that means: whatever an attacker knows or does with the release, now or later, one "
        f"who has to tell apart {cases}. That is an average over all the release might have been: with a probability "
        "that δ keeps small it may say more."
    )


def _there(statement: Statement) -> str:
    return (
        f"{row_of('that', statement.unit)} is there"
        if statement.one_row
        else f"{rows_words(statement).rpartition(' ')[0]} are there"
    )


def _spending(statement: Statement) -> str:
    unit = statement.charges[0].unit if statement.charges else "epsilon"
    symbol = {"epsilon": "ε", "mu_squared": "μ²", "rho": "ρ"}[unit]
    lines = [
        "## How the budget was spent",
        f"| mechanism | uses | tables | noise | cost in {symbol} |\n|---|--:|--:|---|--:|\n" + _charge_rows(statement),
    ]
    if unit == "mu_squared" and statement.mu_squared is not None:
        lines.append(
            "(ε, δ)-differential privacy, accounted as Gaussian differential privacy: the costs add up in μ², and "
            f"μ = {math.sqrt(statement.mu_squared):.6g}, whose square is {number(statement.mu_squared)}, implies the "
            "(ε, δ) above."
        )
    elif unit == "rho":
        lines.append("ρ is the unit of zero-concentrated differential privacy, in which an earlier version counted.")
    if statement.ledger is not None:
        lines.append(
            f"Booked in the holder's ledger under '{_clean(statement.ledger.dataset)}'; hash of the entry: "
            f"`{_clean(statement.ledger.head)}`. Releases from the same table add up; the ledger knows the sum."
        )
    elif not statement.private:
        lines.append("Not booked in any ledger: a run without a guarantee has no price.")
    else:
        lines.append("No ledger was kept: other releases from the same table add to this cost, and nobody counts them.")
    return "\n\n".join(lines)


def _charge_rows(statement: Statement) -> str:
    """One row a mechanism and purpose; all charges are in privacy.json."""
    groups: dict[str, list[ChargeLine]] = {}
    for charge in statement.charges:
        purpose = _ONE_OF_MANY.sub("", charge.what)
        groups.setdefault(f"{charge.mechanism}: {purpose}" if purpose else charge.mechanism, []).append(charge)
    rows = [
        f"| {_clean(mechanism)} | {len(charges)} | {sum(charge.tables for charge in charges) or ''} "
        f"| {_clean(_noise(charges))} | {_cost(charges)} |"
        for mechanism, charges in groups.items()
    ]
    return "\n".join([*rows, f"| **total** | | | | **{_cost(statement.charges)}** |"])


def _noise(charges: Sequence[ChargeLine]) -> str:
    """How large it was, in words: of several levels the least and the largest, where they are said alike."""
    words = sorted({charge.noise for charge in charges})
    read = [match.groups() for text in words if (match := _ONE_NUMBER.fullmatch(text))]
    if len(words) == 1 or len(read) < len(words) or len({(before, after) for before, _, after in read}) > 1:
        return "; ".join(words)
    numbers = sorted((number for _, number, _ in read), key=float)
    return f"{read[0][0]}{numbers[0]} to {numbers[-1]}{read[0][2]}"


def _cost(charges: Sequence[ChargeLine]) -> str:
    known = [charge.cost for charge in charges if charge.cost is not None]
    return number(sum(known, Fraction(0))) if len(known) == len(charges) else "unbounded"


def _making(statement: Statement) -> str:
    given = {key: value for key, value in statement.options.items() if value is not None}
    chosen, because = given.pop("chosen", None), given.pop("because", None)
    choice = "" if chosen is None else f", which took `{_clean(str(chosen))}`"
    choice += "" if because is None else f", since {_clean(str(because))}"
    options = ", ".join(f"{key} = {value}" for key, value in given.items())
    drawn = "; integers, drawn exactly, no floating point" if statement.as_printed is None else ""
    towards = "the guarantee is towards all others" if statement.private else "there is no guarantee towards anyone"
    return (
        "## How it was made\n\n"
        f"understudy {_clean(statement.version)}, method `{_clean(statement.method)}`{choice}"
        + (f" ({_clean(options)})" if options else "")
        + f", {statement.created}. Noise: {_clean(statement.noise)}{drawn}. Trust model: central. "
        "One trusted holder keeps the table and ran the program; " + towards + "." + _COUNTED.get(statement.counted, "")
    )


_COUNTED: dict[str | None, str] = {
    "on its server": " The rows stayed on their database server: it counted them, and only tables of counts and values "
    "of single columns left it.",
    "pulled": " The rows left their database server: the program read them from it, and counted them itself.",
}


def _limits(statement: Statement) -> str:
    lines = [
        "It does not stop anyone from learning facts about a group (such as that smoking goes with disease) and "
        "applying them to a person, who may not even be in the table.",
        "It covers this release only. Other publications from the same people add up.",
        "It says nothing about how the original table is stored, who may open it, or how long a run takes.",
        "It rests on the domains above being public, and on the program being right.",
        "Accuracy is not promised: small groups and rare values are blurred most, so unfairness to them can grow. "
        "`understudy query` shows error bars where they are known.",
    ]
    warnings = [f"Noted during the run: {_clean(text)}" for text in statement.warnings]
    return "## What it does not promise\n\n" + "\n".join(f"- {line}" for line in [*lines, *warnings])
