"""Parts that every privacy letter has, whoever holds the table."""

from __future__ import annotations

from collections.abc import Sequence

from understudy.release._letter_unit import public_number
from understudy.release._statement import Statement
from understudy.release._statement_text import clean

_MAX_LISTED = 40


def banners(statement: Statement) -> list[str]:
    """What a reader must know before anything else: no guarantee, or a conditional one."""
    found = []
    if statement.stamp is not None:
        found.append(
            f"> **{statement.stamp}.** {_why_not_private(statement)} Nothing here may be published as if it were "
            "private; what follows describes the run, not a guarantee."
        )
    if statement.trusted_drafts:
        found.append(
            "> **Conditional.** The domain of "
            + listed(statement.trusted_drafts)
            + " was drafted by reading the private table and trusted without review. The guarantee below holds only if "
            "that domain would have been the same without any one person; this run cannot know that."
        )
    return found


def _why_not_private(statement: Statement) -> str:
    reasons = []
    if statement.as_printed is not None:
        reasons.append(f"The method ran as its paper prints it, and so it keeps no ε: {statement.as_printed}")
    if statement.seeded:
        reasons.append("The noise came from a seed, so whoever knows or guesses the seed can take it off again.")
    if statement.diagnostic is not None:
        reasons.append("Some answers were computed without noise, to see what the noise costs.")
    if statement.unbounded:
        columns = "; ".join(
            f"{clean(line.what)} of {clean(line.party)} ({clean(line.mechanism)})" for line in statement.unbounded
        )
        reasons.append(f"No ε bounds what these sensitive columns reveal: {columns}.")
    return " ".join(reasons)


def public_section(statement: Statement) -> str:
    """What was taken as public, column by column."""
    holder = "party" if statement.parties else "holder"
    lines = [
        "## What was treated as public",
        ("The plans, the method, its options" if statement.parties else "The method, its options")
        + (f", {public_number(statement)}" if statement.n_public else "")
        + " and the domain of each column. "
        + ("The parties" if statement.parties else "The holder")
        + " declared these, without looking at the table where it says "
        "*declared*:",
        "| column | domain | said by |\n|---|---|---|\n"
        + "\n".join(
            f"| {clean(field.name)} | {clean(field.what)} | {_said_by(field.origin, holder)} |"
            for field in statement.public[:_MAX_LISTED]
        ),
    ]
    if len(statement.public) > _MAX_LISTED:
        lines.append(f"… and {len(statement.public) - _MAX_LISTED} more columns, all listed in `privacy.json`.")
    return "\n\n".join([*lines, *_declared(statement)])


_BROKEN = {
    "refuse": "The real table was read only because none of its rows was seen to break that: this much is known of it.",
    "drop": "Real rows that do not keep it were left out, each looked at by itself.",
    "mend": "Real rows that do not keep it were changed so that they do, or left out, each looked at by itself.",
}
_ALL_MENDED = (
    "Real rows that do not keep it were changed so that they do, each looked at by itself. The real table was read "
    "only because that helped all of them, as none may go where their number is public: this much is known of it."
)


def _declared(statement: Statement) -> list[str]:
    """What is declared of every row, if anything."""
    if not statement.declared:
        return []
    texts = "\n".join(f"- {clean(text)}" for text in statement.declared[:_MAX_LISTED])
    if len(statement.declared) > _MAX_LISTED:
        texts += f"\n- … and {len(statement.declared) - _MAX_LISTED} more, all listed in `privacy.json`."
    broken = [] if statement.broken_rows is None else [_BROKEN[statement.broken_rows]]
    if statement.broken_rows == "mend" and statement.n_public:
        broken = [_ALL_MENDED]
    if broken and any(" → " in text for text in statement.declared):
        broken.append(
            "That a column determines another no single row can break, where no map is declared: rows were counted as "
            "they are, and it may be untrue."
        )
    return [f"Of every row it was declared, and every synthetic row keeps it:\n\n{texts}", " ".join(broken)]


def _said_by(origin: str, holder: str) -> str:
    return f"declared by the {holder}" if origin == "declared" else "**draft, read off the private table**"


def listed(names: Sequence[str]) -> str:
    """Names as a sentence has them, though not all of hundreds.

    >>> listed(["age", "sex"])
    'age, sex'
    """
    shown = ", ".join(clean(name) for name in names[:_MAX_LISTED])
    return shown + (f" and {len(names) - _MAX_LISTED} more" if len(names) > _MAX_LISTED else "")
