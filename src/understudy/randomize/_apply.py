"""Applying a plan: a party's columns are randomised, row by row, and written to the file that it sends."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from understudy._core.drafts import draft_of
from understudy._core.errors import OptionError, OutputError, TableError, did_you_mean
from understudy._core.files import as_output_error, exists
from understudy._core.randomness import ByteSource, SystemBytes
from understudy.randomize._draw import BlockDraw, Words
from understudy.randomize._file import Facts, RandomizedWriter
from understudy.randomize._plan import Plan
from understudy.randomize._pseudonyms import WIDTH, Pseudonymizer, Pseudonyms, read_secret
from understudy.schema import Codes
from understudy.tables import Source, code_batches, open_source

Progress: TypeAlias = Callable[[str, int, int], None]
SEEDED = "NOT PRIVATE: seeded"


@dataclass(frozen=True, kw_only=True)
class Applied:
    """What was randomised, and where it is."""

    out: Path
    plan: Plan
    n_rows: int
    keyed: bool
    left_out: int
    """Columns of the table that the plan does not have, the key aside: they were not read."""
    digest: str
    stamp: str = ""


def apply(
    source: Any,
    plan: Plan | str | Path,
    *,
    out: str | Path,
    key: str | None = None,
    secret: str | None = None,
    study: str = "",
    overwrite: bool = False,
    source_of_bits: ByteSource | None = None,
    progress: Progress | None = None,
) -> Applied:
    """Randomise a table's columns as the plan says, into a Parquet file at `out`.

    >>> import tempfile, pyarrow as pa
    >>> from fractions import Fraction
    >>> from understudy.randomize import Block, Response, open_randomized
    >>> from understudy.schema import Schema
    >>> schema = Schema.from_dict({"fields": [{"name": "smokes", "categories": ["no", "yes"]}]})
    >>> plan = Plan(party="hospital", schema=schema, blocks=(
    ...     Block(columns=("smokes",), sizes=(2,), matrix=Response(2, Fraction(3, 4))),))
    >>> out = Path(tempfile.mkdtemp(), "hospital.parquet")
    >>> apply(pa.table({"smokes": ["no", "yes", "no"]}), plan, out=out).n_rows
    3
    >>> open_randomized(out).codes().n
    3
    """
    plan = plan if isinstance(plan, Plan) else Plan.load(plan)
    out = Path(out)
    bits = SystemBytes() if source_of_bits is None else source_of_bits
    opened = open_source(source)
    if exists(out) and not overwrite:
        raise OutputError(f"{out} exists already. Name another file, or add --overwrite (overwrite=True).")
    maker = _pseudonymizer(opened, plan, key, secret, study)
    stamp = "" if bits.private else SEEDED
    facts = Facts(study=study if key else "", secret_check=maker.check if maker else "", stamp=stamp)
    with as_output_error(out), draft_of(out) as draft:
        with draft.open("wb") as file:
            writer = RandomizedWriter(file, plan, keyed=key is not None)
            try:
                _stream(opened, plan, writer, Words(bits), (key, maker), progress)
                digest = writer.close(facts)
            except BaseException:
                writer.abandon()
                raise
            file.flush()
            os.fsync(file.fileno())
        draft.replace(out)
    return Applied(
        out=out,
        plan=plan,
        n_rows=writer.n_rows,
        keyed=key is not None,
        left_out=len(set(opened.names) - {*plan.schema.names, key}),
        digest=digest,
        stamp=stamp,
    )


def _pseudonymizer(opened: Source, plan: Plan, key: str | None, secret: str | None, study: str) -> Pseudonymizer | None:
    if key is None:
        return None
    if key not in opened.names:
        raise OptionError(f"the table has no column '{key}' to be the key. {did_you_mean(key, opened.names)}")
    if key in plan.schema.names:
        raise OptionError(f"'{key}' is the key, and the plan publishes it. Leave it out of the plan.")
    return Pseudonymizer(read_secret(None) if secret is None else secret, study)


def _stream(
    opened: Source,
    plan: Plan,
    writer: RandomizedWriter,
    words: Words,
    keys: tuple[str | None, Pseudonymizer | None],
    progress: Progress | None,
) -> None:
    key, maker = keys
    blocks = [([plan.schema.names.index(name) for name in block.columns], BlockDraw(block)) for block in plan.blocks]
    seen: list[npt.NDArray[np.void]] = []
    for batch in code_batches(opened, plan.schema, beside=[] if key is None else [key]):
        published: list[Codes] = list(batch.codes)
        for places, draw in blocks:
            for place, column in zip(places, draw([batch.codes[i] for i in places], words), strict=True):
                published[place] = column
        pseudonyms = None
        if maker is not None:
            pseudonyms = maker(batch.beside[0])
            seen.append(_as_records(pseudonyms))
            order = np.argsort(seen[-1], kind="stable")
            published, pseudonyms = [column[order] for column in published], pseudonyms[order]
        writer.write(published, pseudonyms)
        if progress:
            progress("randomising", writer.n_rows, max(opened.n_rows or 0, writer.n_rows))
    if seen:
        _refuse_repeated(np.concatenate(seen))


def _as_records(pseudonyms: Pseudonyms) -> npt.NDArray[np.void]:
    return np.ascontiguousarray(pseudonyms).view(f"V{WIDTH}").reshape(-1)


def _refuse_repeated(pseudonyms: npt.NDArray[np.void]) -> None:
    """Raise if a key has two rows: both would join, and a person would be counted twice."""
    repeated = int((np.unique(pseudonyms, return_counts=True)[1] > 1).sum())
    if repeated:
        raise TableError(
            f"{repeated:,} key{'s have' if repeated > 1 else ' has'} more than one row. A person has one row here: "
            "merge their rows first."
        )
