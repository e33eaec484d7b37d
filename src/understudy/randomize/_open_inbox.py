"""Opening what the parties sent: every file checked against itself, against the plans agreed on, and joined."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

from understudy._core.errors import OptionError
from understudy._core.files import exists, is_folder
from understudy.randomize._file import open_randomized
from understudy.randomize._inbox import Inbox, PartyColumns
from understudy.randomize._matrix import TransitionMatrix
from understudy.randomize._plan import Block, Plan

Progress: TypeAlias = Callable[[str, int, int], None]


def open_inbox(
    paths: str | Path | Sequence[str | Path],
    *,
    plans: Sequence[Plan | str | Path] = (),
    progress: Progress | None = None,
) -> Inbox:
    """The randomised files of several parties, joined by pseudonym.

    Args:
        paths: the files that the parties sent; or a folder of them, or a pattern such as "inbox/*.parquet".
        plans: plans that were agreed on; each file must have been made with one of them.
        progress: called with a stage, how much of it is done, and how much there is.

    Raises:
        UserError: if a file was tampered with or made with another plan, a column is in two files, rows cannot be
            matched, or nobody is in all files.

    >>> import tempfile, pyarrow as pa
    >>> from understudy.randomize import Block, Plan, Response, apply
    >>> from fractions import Fraction
    >>> from understudy.schema import Schema
    >>> schema = Schema.from_dict({"fields": [{"name": "smokes", "categories": ["no", "yes"]}]})
    >>> plan = Plan(party="hospital", schema=schema, blocks=(
    ...     Block(columns=("smokes",), sizes=(2,), matrix=Response(2, Fraction(3, 4))),))
    >>> out = Path(tempfile.mkdtemp(), "hospital.parquet")
    >>> people = pa.table({"smokes": ["no", "yes", "no"]})
    >>> _ = apply(people, plan, out=out, ledger=out.with_name("budget.db"), cap=2)
    >>> open_inbox([out], plans=[plan]).n
    3
    """
    given = files_meant([paths] if isinstance(paths, str | Path) else list(paths))
    agreed = [plan if isinstance(plan, Plan) else Plan.load(plan) for plan in plans]
    parties: list[PartyColumns] = []
    for number, path in enumerate(given):
        if progress is not None:
            progress("reading files", number, len(given))
        file = open_randomized(path)
        if agreed:
            check_plan(file.plan, agreed, name=file.name)
        parties.append(
            PartyColumns(
                plan=file.plan,
                table=file.codes(),
                pseudonyms=file.pseudonyms(),
                secret_check=file.secret_check,
                source=str(path),
                stamp=file.facts.stamp,
                times=file.facts.times,
                earlier=file.earlier,
            )
        )
    if progress is not None:
        progress("reading files", len(given), len(given))
    return Inbox(parties)


def files_meant(given: Sequence[str | os.PathLike[str]], *, ending: str = ".parquet") -> list[Path]:
    """Files as they are named; a folder stands for the files in it with that ending, a pattern for those that match.

    A shell resolves patterns itself, but Python and Windows do not.
    """
    found: list[Path] = []
    for named in map(Path, given):
        if is_folder(named):
            # hidden ones are drafts of runs that were stopped, perhaps before they were recorded: nobody sent them
            shown = (path for path in named.iterdir() if not path.name.startswith("."))
            inside = sorted(path for path in shown if path.name.lower().endswith(ending))
            if not inside:
                raise OptionError(
                    f"the folder {named} has no files that end in {ending}. Give the files that the parties sent."
                )
        elif glob.has_magic(str(named)) and not exists(named):
            inside = sorted(map(Path, glob.glob(str(named))))
            if not inside:
                raise OptionError(f"no file matches {named}. Give the files that the parties sent.")
        else:
            inside = [named]
        found += inside
    return found


def check_plan(found: Plan, agreed: Sequence[Plan], *, name: str) -> None:
    """Refuse a file whose plan is none of those agreed on, and say where it first differs.

    A matrix that was to be worked out from the data is in the file only, so the file's is taken for it.
    """
    differences = [_difference(found, plan) for plan in agreed]
    if None in differences:
        return
    likely = max(range(len(agreed)), key=lambda i: _likeness(found, agreed[i]))
    raise OptionError(
        f"{name} was not made with a plan that was given: {differences[likely]} Ask its party which plan it used, or "
        "give that one."
    )


def _likeness(found: Plan, plan: Plan) -> tuple[bool, int]:
    return found.party == plan.party, len(set(found.schema.names) & set(plan.schema.names))


def _difference(found: Plan, plan: Plan) -> str | None:
    """The first thing in which a file's plan differs from another, as a sentence; None if there is none."""
    if found.fingerprint == plan.fingerprint:
        return None
    if found.party != plan.party:
        return f"its plan is by '{found.party}', the one given by '{plan.party}'."
    if found.schema.names != plan.schema.names:
        own = set(found.schema.names) ^ set(plan.schema.names)
        return f"only one of the two has {', '.join(sorted(own))}." if own else "its columns have another order."
    for name in found.schema.names:
        if found.schema[name].to_dict() != plan.schema[name].to_dict():
            return f"column '{name}' is declared in another way in the file than in the plan."
    ours, theirs = [block.columns for block in found.blocks], [block.columns for block in plan.blocks]
    if ours != theirs:
        odd = next((c for c in ours if c not in theirs), ours[0])
        return f"the file has {' and '.join(odd)} randomised as one value, and the plan does not, or in another order."
    for one, other in zip(found.blocks, plan.blocks, strict=True):
        if sentence := _block_difference(one, other):
            return sentence
    if found.schema.to_dict() != plan.schema.to_dict():
        return "what their schemas say about the table as a whole differs."
    return None


def _block_difference(found: Block, plan: Block) -> str | None:
    columns = " and ".join(found.columns)
    if plan.matrix is None:
        return None if found.from_data else f"the matrix for {columns} is not the one worked out from the data."
    if found.matrix is None or found.matrix.size != plan.matrix.size:
        return f"the matrices for {columns} differ in size."
    place = _first_difference(found.matrix, plan.matrix)
    if place is not None:
        true, published = place
        return (
            f"the matrices for {columns} differ: in row {true + 1}, entry {published + 1}, the file has "
            f"{found.matrix.probability(true, published)} and the plan {plan.matrix.probability(true, published)}."
        )
    return f"what is said about {columns} beside the matrix differs." if found.to_dict() != plan.to_dict() else None


def _first_difference(found: TransitionMatrix, plan: TransitionMatrix) -> tuple[int, int] | None:
    if found == plan:
        return None
    for true in range(found.size):
        ours, theirs = found.weights(true), plan.weights(true)
        for published, (one, other) in enumerate(zip(ours, theirs, strict=True)):
            if one * plan.denominator != other * found.denominator:
                return true, published
    return None
