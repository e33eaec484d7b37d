"""The key column of a table: pseudonyms for its rows, what is done about people with several, and who is recorded."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from understudy._core.errors import OptionError, TableError, did_you_mean
from understudy.randomize._plan import Plan
from understudy.randomize._pseudonyms import Pseudonymizer, Pseudonyms, canonical_keys, read_secret
from understudy.tables import Column, Source

_PEOPLE = 16  # keys from each end of their order that the record tells a table by

Words = npt.NDArray[np.uint64]


class Keys:
    """Pseudonyms batch by batch, each kept (16 bytes a row) until it is known that no key has two rows.

    >>> keys = Keys("id", Pseudonymizer("correct horse battery staple", ""))
    >>> made, kept = keys.add(pa.array([7, 8, 7]))
    >>> made.shape, kept is None
    ((3, 16), True)
    >>> keys.finish()
    Traceback (most recent call last):
    understudy._core.errors.TableError: 1 key has more than one row. A person has one row here: merge their rows \
first, or leave out all of them with --duplicates drop (duplicates='drop').
    """

    def __init__(self, column: str, maker: Pseudonymizer) -> None:
        self.column, self.study, self.check = column, maker.study, maker.check
        self.dropped = 0
        self._maker, self._rows = maker, 0
        self._made: list[Words] = []
        self._repeated: Words | None = None
        self._ends = pa.array([], pa.string())

    def drop_repeated(self, opened: Source) -> None:
        """Read the keys beforehand, and leave out all rows of those that have several."""
        made = [_words(self._maker.of(self._texts(batch[0]))) for batch in opened.batches([self.column])]
        self._repeated = _repeated(made)
        self._rows = 0

    def add(self, column: Column) -> tuple[Pseudonyms, npt.NDArray[np.bool_] | None]:
        """Pseudonyms of the next rows, and which rows are kept; None if all are."""
        texts = self._texts(column)
        made, kept = self._maker.of(texts), None
        if self._repeated is not None and len(self._repeated):
            kept = ~_among(_words(made), self._repeated)
            made, texts = made[kept], texts.filter(pa.array(kept))
            self.dropped += int((~kept).sum())
        self._made.append(_words(made))
        self._ends = _ends(pa.concat_arrays([self._ends, texts]))
        return made, kept

    def finish(self) -> None:
        """Raise TableError if a key has several rows: all of them would join, and a person count several times."""
        found = len(_repeated(self._made))
        self._made = []
        if found:
            raise TableError(
                f"{found:,} key{' has' if found == 1 else 's have'} more than one row. A person has one row here: "
                "merge their rows first, or leave out all of them with --duplicates drop (duplicates='drop')."
            )
        if not len(self._ends):
            raise TableError("every key has more than one row, so that no row is left. Merge the rows of each person.")

    def people(self) -> tuple[str, ...]:
        """Who is in the table, for the record: keyed hashes of the first and the last few keys in their order."""
        return self._maker.recorded(self._ends.to_pylist())

    def _texts(self, column: Column) -> pa.Array:
        texts = canonical_keys(column, self._rows)
        self._rows += len(texts)
        return texts


def open_keys(
    opened: Source, plan: Plan, *, key: str | None, secret: str | None, study: str, drop: bool
) -> Keys | None:
    """The key column, if one was named. Raises OptionError."""
    if key is None:
        return None
    if key not in opened.names:
        raise OptionError(f"the table has no column '{key}' to be the key. {did_you_mean(key, opened.names)}")
    if key in plan.schema.names:
        raise OptionError(
            f"'{key}' is the key, and a column of the plan too: it would be published. Make a plan without it: "
            "understudy randomize plan --columns …"
        )
    keys = Keys(key, Pseudonymizer(read_secret(None) if secret is None else secret, study))
    if drop:
        keys.drop_repeated(opened)
    return keys


def _words(pseudonyms: Pseudonyms) -> Words:
    found: Words = np.ascontiguousarray(pseudonyms).view(np.uint64)
    return found


def _repeated(parts: list[Words]) -> Words:
    """Pseudonyms that are there several times, once each."""
    first = np.concatenate([part[:, 0] for part in parts]) if parts else np.empty(0, dtype=np.uint64)
    first.sort()
    suspects = np.unique(first[1:][first[1:] == first[:-1]])  # nearly all of them the same in their other half too
    if not len(suspects):
        return np.empty((0, 2), dtype=np.uint64)
    among = np.concatenate([part[np.isin(part[:, 0], suspects)] for part in parts])
    found, counts = np.unique(among, axis=0, return_counts=True)
    repeated: Words = found[counts > 1]
    return repeated


def _among(words: Words, some: Words) -> npt.NDArray[np.bool_]:
    record: Any = np.dtype([("a", np.uint64), ("b", np.uint64)])
    return np.isin(np.ascontiguousarray(words).view(record)[:, 0], np.ascontiguousarray(some).view(record)[:, 0])


def _ends(texts: pa.Array) -> pa.Array:
    """The first and the last few texts in their order."""
    if len(texts) <= 2 * _PEOPLE:
        return texts
    table = pa.table({"key": texts})
    chosen = [pc.select_k_unstable(table, _PEOPLE, [("key", order)]) for order in ("ascending", "descending")]
    return pa.concat_arrays([texts.take(places) for places in chosen])
