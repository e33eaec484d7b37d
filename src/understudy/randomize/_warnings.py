"""What somebody should know who reads a plan: in words, each where it applies."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from understudy.randomize._exposure import worth
from understudy.randomize._matrix import Response
from understudy.randomize._plan import Block, Plan

_LARGE = 5  # ε of a record from which odds are spelt out as a warning: e⁵ is 148 to one
_LITTLE = 1e-6  # share of the rows that randomised ones are worth, below which nothing will be seen


def warnings_of(plans: Sequence[Plan]) -> tuple[str, ...]:
    """One sentence or two for everything that applies.

    >>> from understudy.randomize import plan
    >>> fields = [{"name": "ill", "type": "boolean"}]
    >>> warnings_of([plan({"fields": fields}, blocks={"ill": "none"})])[0][:63]
    "'ill' is sensitive and left alone: it is published as it is, ε "
    """
    blocks = [block for plan in plans for block in plan.blocks]
    sensitive = [block for block in blocks if block.sensitive and block.cells > 1]
    found = [*_without_bound(sensitive), *_odd_matrices(sensitive), *_of_many(plans)]
    if left := [name for block in blocks if not block.sensitive for name in block.columns]:
        found.append(f"{_list(left)}: declared public, so published as {_are(left)} and not part of any ε here.")
    if drafts := [name for plan in plans for name in plan.schema.draft_fields]:
        found.append(
            f"{_list(drafts)}: the declared values were read off the private table and nobody has reviewed them. They "
            "are published with the plan, and every ε here holds only if they are public knowledge."
        )
    found.append(
        "That a person is in the table at all is visible: every row is published, randomised. Randomise once, keep the "
        "file, and send that: a second run on the same rows adds its ε to the first, and averaging runs undoes both."
    )
    return tuple(found)


def _without_bound(blocks: Sequence[Block]) -> list[str]:
    found = []
    if alone := [name for block in blocks if block.matrix and block.matrix.unchanged for name in block.columns]:
        found.append(
            f"{_list(alone)} is sensitive and left alone: it is published as it is, ε = ∞ for it and for the whole "
            "record. Randomise it, or declare it public if it is not sensitive."
            if len(alone) == 1
            else f"{_list(alone)} are sensitive and left alone: they are published as they are, ε = ∞ for them and for "
            "the whole record. Randomise them, or declare them public if they are not sensitive."
        )
    for block in blocks:
        if block.matrix is None or block.from_data:
            found.append(
                f"{_list(block.columns)}: an invariant matrix is worked out from the private table, and is published. "
                "It tells the shares of the values in the table exactly, so ε = ∞ however much it mixes. Declare the "
                "shares (distribution=…) if they are public knowledge, and the matrix is too."
            )
        elif not block.matrix.unchanged and block.matrix.amplification is None:
            origins = block.matrix.least_origins
            least = "one true value or more" if origins == 1 else f"{origins} true values or more"
            found.append(
                f"{_list(block.columns)}: some published values rule out some true ones, as in a matrix of groups, so "
                f"γ and ε are infinite. K* = {origins} says only that {least} may be behind a published one: "
                "K* is no measure of privacy, since it counts values however unlikely they are."
            )
    return found


def _odd_matrices(blocks: Sequence[Block]) -> list[str]:
    found = []
    for block in blocks:
        matrix = block.matrix
        if isinstance(matrix, Response) and matrix.strength < 0:
            found.append(
                f"{_list(block.columns)}: a value is kept less often than it becomes any other one, so a published "
                "value speaks against the same true one. That is as private as γ says, but a p below 1/K tells more."
            )
        if matrix is not None and not block.from_data and block.asked.startswith("invariant"):
            found.append(
                f"{_list(block.columns)}: the invariant matrix follows from shares that were declared, and tells them. "
                "ε holds only if these are public knowledge, and not taken from the table."
            )
        share = worth(block) if matrix is not None else None
        if share == 0:
            found.append(f"{_list(block.columns)}: nothing can be learnt from what is published. Keep more of it.")
        elif share is not None and share < _LITTLE:
            found.append(
                f"{_list(block.columns)}: so much is randomised that {1 / share:,.0f} rows tell as much as one would "
                "by itself. Spend more on these columns, or send fewer."
            )
    return found


def _of_many(plans: Sequence[Plan]) -> list[str]:
    odds = [
        block.matrix.amplification
        for plan in plans
        for block in plan.blocks
        if block.sensitive and block.matrix is not None and not block.from_data
    ]
    record = Fraction(1)
    for one in odds:
        record *= one if one is not None else 1
    if record < math.exp(_LARGE) or None in odds:
        return []
    return [
        f"All together, what is published of a person may change the odds between two true records by a factor of "
        f"{_times(record)}. That promises little: what protects then is that few hold the rows, not the randomisation."
    ]


def _times(odds: Fraction) -> str:
    whole = math.ceil(odds)
    return f"{whole:,}" if whole < 10**7 else f"up to 10^{math.floor(math.log10(whole)) + 1}"


def _list(names: Sequence[str]) -> str:
    shown = [f"'{name}'" for name in names[:8]] + (["…"] if len(names) > 8 else [])
    return shown[0] if len(shown) == 1 else ", ".join(shown[:-1]) + f" and {shown[-1]}"


def _are(names: Sequence[str]) -> str:
    return "it is" if len(names) == 1 else "they are"
