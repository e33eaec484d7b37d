"""The privacy letter of a study among parties that never pooled their columns: no central curator is claimed."""

from __future__ import annotations

from fractions import Fraction

from understudy.release._letter_parts import banners, listed, public_section
from understudy.release._statement import Statement
from understudy.release._statement_lines import ChargeLine, PartyNote
from understudy.release._statement_text import clean, number, number_above, odds, right_at_most

_MAX_LINES = 60
_LINKED = {
    True: "Which rows belong to the same person. They carry pseudonyms: keyed hashes of the person's number, made with "
    "a secret that the parties share and whoever collects the files does not have. Somebody with both the secret and a "
    "list of numbers can tell whose row is whose",
    False: "Whose row is whose, from the parties that received randomised columns: they share the secret that "
    "pseudonyms are made with, and matched the rows with their own. They know which of their people the sender has, "
    "and what was sent of each of them",
}


def letter_of_parties(statement: Statement) -> str:
    """The statement as a page of Markdown.

    >>> print(letter_of_parties(Statement.example_of_parties()).splitlines()[0])
    # Privacy statement: smoking study
    """
    parts = [
        f"# Privacy statement: {clean(statement.dataset)}",
        *banners(statement),
        _promise(statement),
        _sent(statement),
        _not_hidden(statement),
        public_section(statement),
        _making(statement),
        _limits(statement),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _promise(statement: Statement) -> str:
    if not statement.private:
        # seeded noise can be taken off, and exact figures undo what noise in others of the same columns promised
        bounds = not statement.seeded and statement.as_printed is None
        return (
            "## What is promised\n\nNothing, taken as a whole. The table below says which columns were randomised and "
            "how strongly; "
            + ("each bound in it holds for these columns alone." if bounds else "no bound in it holds for this run.")
        )
    local = statement.trust == "local"
    epsilon, delta = statement.epsilon, statement.delta
    named = ("ε" if delta == 0 else "(ε, δ)") + ("-local" if local else "") + " differential privacy"
    named = named if local else named.replace(" ", "-", 1)
    parameters = f"ε = {number_above(epsilon)}" + (f", δ = {number(delta)}" if delta else "")
    factor, _ = odds(epsilon)
    parties = f"all {len(statement.parties)} parties together" if len(statement.parties) > 1 else "at its one party"
    public = any(party.public for party in statement.parties)
    but = ", but for those below that were sent unchanged" if public else ""
    seen = f"randomised values only{but}"
    how = (
        "Each party randomised its own columns before they left it, so there is no one to trust with all of them: the "
        f"other parties, whoever collected and joined the columns, and the readers of this study saw {seen}."
        if local
        else "There is no common curator. Columns that left a party were randomised first, and counts that a party "
        "took of its own true columns got noise before anybody else saw them. Each column was seen as it is by the "
        f"party that holds it, and by nobody else{but}."
    )
    return "\n\n".join(
        [
            "## What is promised",
            f"**{named} with {parameters} for one person, {parties}.** {how} Whatever the true values of a person's "
            f"sensitive columns are, all that was sent about the person is at most e^ε = {factor} times as likely as "
            "it would be with any other values of them"
            + (f", plus a probability of δ = {number(delta)}." if delta else "."),
            _meaning(statement),
        ]
    )


def _meaning(statement: Statement) -> str:
    most = right_at_most(statement.epsilon, statement.delta)
    weak = (
        " That is little: treat what was sent as if it could be traced back to persons."
        if statement.epsilon > 5
        else ""
    )
    return (
        "For a person that means: whatever somebody knows, and whatever is done with the files or with this study now "
        "or later, a guess about what these columns say that was even before (50 %) is right at most "
        f"{most} % of the time afterwards.{weak}"
    )


def _sent(statement: Statement) -> str:
    rows = []
    for party in statement.parties:
        lines = [line for line in statement.charges if line.party == party.name]
        rows += [_row(line) for line in lines]
        rows.append(f"| **{clean(party.name)}, in all** | | {party.rows:,} rows | **{_cost(statement, party)}** |")
    total = "unbounded" if statement.unbounded else number_above(statement.epsilon)
    shown = rows[:_MAX_LINES]
    more = [f"| … and {len(rows) - len(shown)} more lines, all in `privacy.json` | | | |"] if rows != shown else []
    parts = [
        "## What each party sent, and what it costs",
        "| party | columns | what was done | ε |\n|---|---|---|--:|\n"
        + "\n".join([*shown, *more, f"| **one person, all parties** | | | **{total}** |"]),
        "Columns on one line were randomised together, as one value. The parties hold the same people, so what they "
        "send about one person adds up, and the last line is the one that counts.",
    ]
    if any(line.runs > 1 for line in statement.charges):
        parts.append(
            "Some rows were randomised more than once, on purpose and against advice: whoever has all copies can "
            "average them, so the earlier ones count too, at what the party's ledger said of them when this file was "
            "made."
        )
    return "\n\n".join(parts)


def _row(line: ChargeLine) -> str:
    done = line.mechanism + (f"; {line.noise}" if line.noise else "")
    again = f", run {line.runs}" if line.runs > 1 else ""
    noise = "without" if line.cost is None else "with"
    whole = "" if line.local else f" (its own true columns, counted {noise} noise)"
    cost = "unbounded" if line.cost is None else number_above(line.cost)
    return f"| {clean(line.party)} | {clean(line.what)} | {clean(done)}{again}{whole} | {cost} |"


def _cost(statement: Statement, party: PartyNote) -> str:
    epsilon = statement.epsilon_of(party.name)
    return "unbounded" if epsilon is None else number_above(epsilon) if epsilon != Fraction(0) else "0"


def _not_hidden(statement: Statement) -> str:
    lines = [
        "Who takes part. Every person of a party is a row of its file, and randomising what the row says does not hide "
        "that it is there.",
        f"How many rows each party has, and how many of them all have: {statement.n_rows:,}."
        if statement.trust == "local"
        else "How many rows each party has, and how many of them those have whose columns it needed.",
    ]
    lines += [
        f"{listed(party.public)}: sent unchanged by {clean(party.name)}, which declared this not to be sensitive. No ε "
        "covers it, and it may help to recognise a person's row."
        for party in statement.parties
        if party.public
    ]
    if statement.trust == "local" and (plain := [party.name for party in statement.parties if not party.pseudonyms]):
        lines.append(
            f"The order of rows in the table of {listed(plain)}: without pseudonyms they are sent in that order, so "
            "whoever knows the order, or has the table's other columns in it, knows whose row is whose"
            + ("; the bound above holds even then." if statement.private else ".")
        )
    if any(party.pseudonyms for party in statement.parties):
        lines.append(
            _LINKED[statement.trust == "local"] + ("; the bound above holds even then." if statement.private else ".")
        )
    return "## What is not hidden\n\n" + "\n".join(f"- {line}" for line in lines)


def _making(statement: Statement) -> str:
    options = ", ".join(f"{key} = {value}" for key, value in statement.options.items() if value is not None)
    plans = "; ".join(f"{clean(party.name)} `{clean(party.plan[:16])}`" for party in statement.parties if party.plan)
    trust = (
        "Trust model: local. Each party trusts itself and nobody else"
        if statement.trust == "local"
        else "Trust model: mixed. Each party trusts itself, with its own columns, and nobody else"
    )
    return (
        "## How it was made\n\n"
        f"understudy {clean(statement.version)}, method `{clean(statement.method)}`"
        + (f" ({clean(options)})" if options else "")
        + f", {statement.created}. Randomness: {clean(statement.noise)}. {trust}. The unit of privacy is "
        f"{clean(statement.unit)}; the number of rows is public."
        + (f" Fingerprints of the plans: {plans}." if plans else "")
        + (
            " Learning used only what had been sent, so it adds nothing to the cost, however often it is repeated."
            if statement.trust == "local"
            else " Each party learnt from its own true columns, once, at the cost above; to learn again costs again. "
            "Putting the parts together adds nothing."
        )
        + " Each party's own ledger knows what else it sent about the same people."
    )


def _limits(statement: Statement) -> str:
    lines = [
        "It does not stop anyone from learning facts about a group (such as that smoking goes with disease) and "
        "applying them to a person, who may not even take part.",
        "It covers these files only. Whatever a party publishes or sends elsewhere about the same people adds up.",
        "It counts each person once. If a person has several rows, that person's protection is weaker: with k rows "
        "the factor is e^(kε).",
        "It says nothing about how the parties store their tables or keep their secret.",
        "It rests on every party having run the program as it is, on domains and plans chosen without looking at the "
        "data, and on the program being right.",
        "Accuracy is not promised: randomised rows carry far more noise than counts of a trusted curator would. Small "
        "groups and rare values are blurred most. The table of parameters and `understudy query` show error bars.",
    ]
    warnings = [f"Noted: {clean(text)}" for text in statement.warnings]
    return "## What it does not promise\n\n" + "\n".join(f"- {line}" for line in [*lines, *warnings])
