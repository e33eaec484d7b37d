"""The file that a party sends: randomised columns as readable Parquet, with the plan, and proof against mix-ups.

Columns are dictionaries of the schema's labels, so that any reader shows categories. The file's metadata hold the plan
and a digest over everything: a changed cell, a dropped row or another plan is noticed. The digest is no signature:
whoever can write the file can also write another one. Send it where only you can write.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from understudy._core.errors import OptionError, SchemaError, TableError
from understudy._core.numbers import exact_number
from understudy.randomize._plan import Plan
from understudy.randomize._pseudonyms import WIDTH, Pseudonyms
from understudy.schema import Codes
from understudy.tables import Source, Table, code_type, open_source

FORMAT = "understudy-randomized/1"
PSEUDONYM = "pseudonym"
"""The column of pseudonyms in a file with keys."""
_KEY = b"understudy.randomized"
_MOST_BYTES = 64 << 20  # of metadata: a plan holds its matrices and its schema, no rows
_ROW_GROUP = 1 << 20
_DICTIONARY_BYTES = 1 << 28


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What a randomised file says about itself, beside its plan."""

    study: str = ""
    secret_check: str = ""
    """Empty without keys; else the same in all files of one secret and one study."""
    times: int = 1
    """How often these columns of this table were randomised so far, this file included: ε adds up."""
    earlier: str = "0"
    """ε of the times before, as the ledger had it: they may have been under other plans. Text, see `epsilon_text`."""
    stamp: str = ""


class Rows(NamedTuple):
    """Some rows of a randomised file."""

    codes: list[Codes]
    pseudonyms: Pseudonyms | None


class _Digest:
    """One hash over columns that arrive in batches, wherever these end."""

    def __init__(self, columns: int) -> None:
        self._columns = [sha256() for _ in range(columns)]
        self._pseudonyms = sha256()

    def add(self, rows: Rows) -> None:
        for digest, codes in zip(self._columns, rows.codes, strict=True):
            digest.update(np.ascontiguousarray(codes, dtype=codes.dtype.newbyteorder("<")).data)
        if rows.pseudonyms is not None:
            self._pseudonyms.update(np.ascontiguousarray(rows.pseudonyms).data)

    def over(self, said: dict[str, Any]) -> str:
        """The hash of the rows and of all that the file says beside them."""
        text = json.dumps(said, sort_keys=True, ensure_ascii=True).encode()
        parts = [digest.digest() for digest in (*self._columns, self._pseudonyms)]
        return sha256(b"".join([*parts, text])).hexdigest()


class RandomizedWriter:
    """Writes randomised rows, batch by batch; what the file says about itself is written with its last bytes."""

    def __init__(self, file: BinaryIO, plan: Plan, *, keyed: bool) -> None:
        from pyarrow import parquet

        if keyed and PSEUDONYM in plan.schema.names:
            raise OptionError(f"a column of the plan is named '{PSEUDONYM}', as the pseudonyms are. Rename it.")
        self.plan, self.n_rows, self._keyed = plan, 0, keyed
        self._digest = _Digest(len(plan.schema.fields))
        self._labels = [pa.array(field.labels, pa.string()) for field in plan.schema.fields]
        fields = [
            pa.field(name, pa.dictionary(pa.from_numpy_dtype(code_type(len(labels))), pa.string()), nullable=False)
            for name, labels in zip(plan.schema.names, self._labels, strict=True)
        ]
        more = [pa.field(PSEUDONYM, pa.binary(WIDTH), nullable=False)] if keyed else []
        self._schema = pa.schema([*fields, *more])
        names = list(plan.schema.names)
        self._writer = parquet.ParquetWriter(
            file,
            self._schema,
            compression=dict.fromkeys(names, "zstd") | ({PSEUDONYM: "none"} if keyed else {}),
            use_dictionary=names,
            dictionary_pagesize_limit=_DICTIONARY_BYTES,
            write_statistics=False,
        )

    def write(self, codes: Sequence[Codes], pseudonyms: Pseudonyms | None = None) -> None:
        """Append these rows."""
        rows = Rows(list(codes), pseudonyms)
        self._digest.add(rows)
        columns = [
            pa.DictionaryArray.from_arrays(pa.array(part), labels, safe=False)
            for part, labels in zip(codes, self._labels, strict=True)
        ]
        if pseudonyms is not None:
            buffer = pa.py_buffer(np.ascontiguousarray(pseudonyms))
            columns.append(pa.FixedSizeBinaryArray.from_buffers(pa.binary(WIDTH), len(pseudonyms), [None, buffer]))
        batch = pa.record_batch(columns, schema=self._schema)
        self._writer.write_batch(batch, row_group_size=_ROW_GROUP)
        self.n_rows += batch.num_rows

    def close(self, facts: Facts) -> str:
        """Write what is said about the rows, and the end of the file. Returns the digest over all."""
        said = {
            "format": FORMAT,
            "plan": self.plan.to_dict(),
            "fingerprint": self.plan.fingerprint,
            "rows": self.n_rows,
            "keyed": self._keyed,
            **asdict(facts),
        }
        digest = self._digest.over(said)
        self._writer.add_key_value_metadata({_KEY.decode(): json.dumps(said | {"digest": digest})})
        self._writer.close()
        return digest

    def abandon(self) -> None:
        """Let go of the file as it is: nobody is going to see it."""
        with suppress(Exception):  # whatever stopped the writing is the error to tell
            self._writer.close()


@dataclass(frozen=True, eq=False)
class RandomizedFile:
    """A randomised file that was opened: what it says is checked against itself, its rows when they are read.

    `codes()` and `pseudonyms()` read the whole file once; `batches()` streams it. Either raises TableError unless every
    row is as it was written.
    """

    name: str
    plan: Plan
    n_rows: int
    keyed: bool
    facts: Facts
    digest: str
    _source: Source
    _said: dict[str, Any]

    @property
    def secret_check(self) -> str:
        """The same in all files of one secret and one study; empty without keys."""
        return self.facts.secret_check

    @property
    def earlier(self) -> Fraction | None:
        """ε of the times that its columns were randomised before; None: without bound."""
        return read_epsilon(self.facts.earlier)

    @property
    def study(self) -> str:
        """The study that it was made for."""
        return self.facts.study

    def codes(self) -> Table:
        """All rows, as codes of the plan's schema."""
        return self._whole[0]

    def pseudonyms(self) -> npt.NDArray[np.uint64] | None:
        """The pseudonyms of all rows, as two words each; None in a file without keys."""
        return self._whole[1]

    @cached_property
    def _whole(self) -> tuple[Table, npt.NDArray[np.uint64] | None]:
        parts = list(self.batches())
        columns = [np.concatenate(column) for column in zip(*(part.codes for part in parts), strict=True)]
        pseudonyms = None
        if self.keyed:
            found = np.concatenate([part.pseudonyms for part in parts if part.pseudonyms is not None])
            pseudonyms = found.view(np.uint64)
        return Table(self.plan.schema.domain, tuple(columns)), pseudonyms

    def batches(self, rows: int = 1 << 17) -> Iterator[Rows]:
        """The rows in batches. Keep nothing of them unless all came: what was tampered with is known at the end."""
        names, labels = self.plan.schema.names, [field.labels for field in self.plan.schema.fields]
        digest, count = _Digest(len(names)), 0
        for columns in self._source.batches([*names, *([PSEUDONYM] if self.keyed else [])], rows):
            codes = [
                _read_codes(column, expected, f"{self.name}: column '{name}'")
                for column, expected, name in zip(columns, labels, names, strict=False)
            ]
            part = Rows(codes, _read_pseudonyms(columns[-1], self.name) if self.keyed else None)
            digest.add(part)
            count += len(codes[0])
            yield part
        if count != self.n_rows or digest.over(self._said) != self.digest:
            raise TableError(
                f"{self.name} was changed after it was made: its rows are not those that its digest was taken of. Ask "
                "its party to send it again."
            )


def open_randomized(path: str | Path, *, plan: Plan | None = None) -> RandomizedFile:
    """A file that `understudy randomize apply` wrote. With a `plan`, it must have been made with that one.

    Raises TableError with a sentence that names the file.
    """
    source = open_source(path)
    name = Path(path).name
    said = _read_said(source, name)
    try:
        found = Plan.from_dict(said["plan"])
    except (OptionError, SchemaError) as error:
        raise TableError(f"{name}: the plan inside it cannot be read: {error}") from None
    if found.fingerprint != said["fingerprint"]:
        raise TableError(f"{name} was changed after it was made: the plan inside it has another fingerprint.")
    if plan is not None and plan.fingerprint != found.fingerprint:
        raise TableError(
            f"{name} was made with another plan than the one given: fingerprint {found.fingerprint[:12]}, not "
            f"{plan.fingerprint[:12]}. Give the plan that its party made it with."
        )
    wanted = (*found.schema.names, *([PSEUDONYM] if said["keyed"] else []))
    if source.names != wanted:
        raise TableError(f"{name} was changed after it was made: its columns are not those of the plan inside it.")
    if source.n_rows != said["rows"]:
        raise TableError(
            f"{name} was changed after it was made: it has {source.n_rows:,} rows, and says {said['rows']:,}."
        )
    digest = said.pop("digest")
    facts = Facts(**{key: said[key] for key in Facts.__dataclass_fields__})
    return RandomizedFile(name, found, said["rows"], said["keyed"], facts, digest, source, said)


_SAID = {"plan": dict, "fingerprint": str, "rows": int, "keyed": bool, "digest": str} | {
    "study": str,
    "secret_check": str,
    "times": int,
    "earlier": str,
    "stamp": str,
}
_INFINITE = "infinite"


def epsilon_text(epsilon: Fraction | None) -> str:
    """ε as files have it: an exact fraction, or "infinite" for None.

    >>> epsilon_text(Fraction(11, 10)), epsilon_text(None)
    ('11/10', 'infinite')
    """
    return _INFINITE if epsilon is None else str(epsilon)


def read_epsilon(text: str) -> Fraction | None:
    """ε again. Raises ValueError for what `epsilon_text` does not write.

    >>> read_epsilon("11/10"), read_epsilon("infinite")
    (Fraction(11, 10), None)
    """
    if text == _INFINITE:
        return None
    found = exact_number(text)
    if found < 0:
        raise ValueError("an epsilon is not below 0")
    return found


def _read_said(source: Source, name: str) -> dict[str, Any]:
    text = source.metadata.get(_KEY)
    if text is None:
        raise TableError(
            f"{name} is no randomised file: it says nothing of a plan. Make one with: understudy randomize apply"
        )
    unreadable = f"{name}: what it says about itself cannot be read. It was changed after it was made."
    if len(text) > _MOST_BYTES:
        raise TableError(unreadable)
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        raise TableError(unreadable) from None
    if not isinstance(said, dict) or not isinstance(said.get("format"), str):
        raise TableError(unreadable)
    if said["format"] != FORMAT:
        raise TableError(
            f"{name} has the format '{said['format'][:40]}', and this version reads '{FORMAT}'. Use the version of "
            "understudy that made it."
        )
    if any(type(said.get(key)) is not kind for key, kind in _SAID.items()):
        raise TableError(unreadable)
    try:
        read_epsilon(said["earlier"])
    except ValueError:
        raise TableError(unreadable) from None
    return said


def _read_codes(column: Any, labels: Sequence[str], where: str) -> Codes:
    """The codes of a column of labels, whatever order the file's dictionary has."""
    changed = TableError(f"{where} holds other values than its plan declares. It was changed after it was made.")
    kind = getattr(column, "type", None)
    if kind is None or not pa.types.is_dictionary(kind) or not pa.types.is_string(kind.value_type):
        raise changed
    if column.null_count or column.dictionary.null_count:
        raise changed
    indices: Codes = column.indices.to_numpy(zero_copy_only=False)
    found = column.dictionary.to_pylist()
    own = code_type(len(labels))
    if found == list(labels):
        return indices.astype(own, copy=False)
    known = {label: code for code, label in enumerate(labels)}
    lookup = np.array([known.get(text, -1) for text in found], dtype=np.int64)
    codes = lookup[indices] if len(found) else np.empty(0, dtype=np.int64)
    if (codes < 0).any():
        raise changed
    return codes.astype(own)


def _read_pseudonyms(column: Any, name: str) -> Pseudonyms:
    if getattr(column, "type", None) != pa.binary(WIDTH) or column.null_count:
        raise TableError(f"{name}: its column '{PSEUDONYM}' holds no pseudonyms. It was changed after it was made.")
    start = column.offset * WIDTH
    whole = np.frombuffer(column.buffers()[1], dtype=np.uint8) if len(column) else np.empty(0, dtype=np.uint8)
    return whole[start : start + len(column) * WIDTH].reshape(-1, WIDTH)
