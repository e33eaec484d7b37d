"""One party's parameters as a file that anybody may read: its variables' probabilities, and what they cost."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from understudy._core.errors import ModelFileError, UserError
from understudy._core.files import write_bytes
from understudy.privacy import ONE_ROW
from understudy.randomize._file import epsilon_text, read_epsilon
from understudy.randomize._plan import Plan
from understudy.randomize._unmix import Floats
from understudy.schema import Schema

FORMAT = "understudy-parameters/1"
MOST_BYTES = 256 << 20
_MOST_ROWS = 1 << 53
_LONGEST = 10_000


@dataclass(frozen=True, eq=False, kw_only=True)
class LearntVariable:
    """A variable, its parents in the order of the axes, its probabilities and their standard errors.

    `people` says about how many have each configuration of the parents, as far as noisy counts tell.
    """

    name: str
    parents: tuple[str, ...]
    probabilities: Floats
    errors: Floats
    people: Floats
    rows: int


@dataclass(frozen=True, kw_only=True)
class ReceivedFile:
    """A randomised file that a party learnt from: whose, how it was randomised, and its digest."""

    plan: Plan
    digest: str
    rows: int
    times: int = 1
    """How often its columns had been randomised by then."""
    earlier: Fraction | None = Fraction(0)
    """ε of the times before; None: without bound."""
    stamp: str = ""
    """What it said of itself if it was not private."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Piece:
    """What one party shares in the end: parameters of its own variables, and nothing about rows.

    `schema` has its variables only. `epsilon` is what the central noise promises; None where parameters are exact.
    Where they are, or the noise was seeded, `stamp` says so.
    """

    party: str
    study: str
    """Whose pseudonyms it was joined by; empty where nothing was received."""
    structure: str
    schema: Schema
    variables: tuple[LearntVariable, ...]
    rows: int
    received: tuple[ReceivedFile, ...]
    epsilon: Fraction | None
    tables: int
    noise: str
    unit: str
    created: str
    version: str
    stamp: str = ""
    ledger: tuple[str, str] | None = None
    """The data set's name and the hash of its entry, where it was charged."""

    @property
    def keyed(self) -> bool:
        """Whether it was checked that nobody has two rows."""
        return self.unit != ONE_ROW.sentence

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "format": FORMAT,
            "stamp": self.stamp or None,
            "party": self.party,
            "study": self.study,
            "structure": self.structure,
            "rows": self.rows,
            "epsilon": None if self.epsilon is None else str(self.epsilon),
            "neighbours": "replace-one",
            "unit": self.unit,
            "tables": self.tables,
            "noise": self.noise,
            "ledger": None if self.ledger is None else {"dataset": self.ledger[0], "head": self.ledger[1]},
            "created": self.created,
            "version": self.version,
            "schema": self.schema.to_dict(),
            "variables": [
                {
                    "name": variable.name,
                    "parents": list(variable.parents),
                    "rows": variable.rows,
                    "probabilities": variable.probabilities.tolist(),
                    "errors": variable.errors.tolist(),
                    "people": variable.people.tolist(),
                }
                for variable in self.variables
            ],
            "received": [
                {
                    "plan": one.plan.to_dict(),
                    "fingerprint": one.plan.fingerprint,
                    "digest": one.digest,
                    "rows": one.rows,
                    "times": one.times,
                    "earlier": epsilon_text(one.earlier),
                    "stamp": one.stamp or None,
                }
                for one in self.received
            ],
        }

    def save(self, path: str | Path) -> None:
        """Write the file, whole or not at all."""
        document = self.to_dict()
        document["digest"] = _digest(document)
        text = json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1)
        write_bytes(Path(path), (text + "\n").encode())

    @classmethod
    def load(cls, path: str | Path) -> Piece:
        """Read a party's parameters, everything checked. Raises ModelFileError."""
        path = Path(path)
        try:
            with path.open("rb") as file:
                data = file.read(MOST_BYTES + 1)
        except OSError as error:
            raise ModelFileError(f"cannot read {path}: {error.strerror}. Give a file that 'own' wrote.") from None
        except ValueError:  # of a name with a null character in it
            raise ModelFileError("no file can have this name.") from None
        return _read(data, path.name)


def _digest(document: Mapping[str, Any]) -> str:
    return sha256(json.dumps(document, sort_keys=True, ensure_ascii=True).encode()).hexdigest()


def _read(data: bytes, name: str) -> Piece:
    strange = ModelFileError(
        f"{name} holds no parameters of a party, or was changed after it was made. Ask the party to send it again."
    )
    if len(data) > MOST_BYTES:
        raise strange
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        raise strange from None
    if not isinstance(document, dict) or not isinstance(document.get("format"), str):
        raise strange
    if document["format"] != FORMAT:
        raise ModelFileError(
            f"{name} has the format '{document['format'][:40]}', and this version reads '{FORMAT}'. Give files that "
            "'understudy randomize own' wrote."
        )
    if document.pop("digest", None) != _digest(document):
        raise ModelFileError(f"{name} was changed after it was made. Ask its party to send it again.")
    try:
        return _read_document(document)
    except (KeyError, TypeError, ValueError, ArithmeticError, AttributeError, RecursionError) as error:
        reason = f" {error}" if isinstance(error, UserError) else ""
        raise ModelFileError(f"{strange}{reason}") from None


def _read_document(document: Mapping[str, Any]) -> Piece:
    schema = Schema.from_dict(document["schema"])
    received = tuple(_read_received(item) for item in document["received"])
    sizes = {field.name: field.size for one in received for field in one.plan.schema.fields}
    sizes |= {field.name: field.size for field in schema.fields}
    variables = tuple(_read_variable(item, sizes) for item in document["variables"])
    if sorted(variable.name for variable in variables) != sorted(schema.names):
        raise ValueError("other variables than the schema's")
    epsilon, ledger = document["epsilon"], document["ledger"]
    stamp = _text(document["stamp"] or "")
    if epsilon is None and not stamp:
        raise ValueError("neither a promise nor a stamp")
    return Piece(
        party=_text(document["party"]),
        study=_text(document["study"]),
        structure=_text(document["structure"]),
        schema=schema,
        variables=variables,
        rows=_whole(document["rows"]),
        received=received,
        epsilon=None if epsilon is None else _positive(epsilon),
        tables=_whole(document["tables"]),
        noise=_text(document["noise"]),
        unit=_text(document["unit"]),
        created=_text(document["created"]),
        version=_text(document["version"]),
        stamp=stamp,
        ledger=None if ledger is None else (_text(ledger["dataset"]), _text(ledger["head"])),
    )


def _read_received(item: Mapping[str, Any]) -> ReceivedFile:
    plan = Plan.from_dict(item["plan"])
    if plan.fingerprint != item["fingerprint"]:
        raise ValueError("a plan with another fingerprint")
    return ReceivedFile(
        plan=plan,
        digest=_text(item["digest"]),
        rows=_whole(item["rows"]),
        times=max(1, _whole(item["times"])),
        earlier=read_epsilon(_text(item["earlier"])),
        stamp=_text(item["stamp"] or ""),
    )


def _read_variable(item: Mapping[str, Any], sizes: Mapping[str, int]) -> LearntVariable:
    name, parents = _text(item["name"]), tuple(_text(parent) for parent in item["parents"])
    shape = tuple(sizes[each] for each in (*parents, name))
    tables = {}
    for key in ("probabilities", "errors"):
        table = np.array(item[key], dtype=np.float64)
        if table.shape != shape or table.size != prod(shape) or not ((table >= 0) & (table <= 1)).all():
            raise ValueError("a table of another shape, or with numbers that are no probabilities")
        tables[key] = table
    if not np.allclose(tables["probabilities"].sum(axis=-1), 1.0, rtol=0.0, atol=1e-6):
        raise ValueError("probabilities that do not add up to 1")
    people = np.array(item["people"], dtype=np.float64)
    if people.shape != shape[:-1] or not ((people >= 0) & (people < _MOST_ROWS)).all():
        raise ValueError("numbers of people of another shape, or below 0")
    return LearntVariable(name=name, parents=parents, rows=_whole(item["rows"]), people=people, **tables)


def _text(value: Any) -> str:
    if not isinstance(value, str) or len(value) > _LONGEST:
        raise TypeError("text expected")
    value.encode()
    return value


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _MOST_ROWS:
        raise TypeError("whole number expected")
    return value


def _positive(value: Any) -> Fraction:
    from understudy._core.numbers import exact_number

    number = exact_number(_text(value))
    if number <= 0:
        raise ValueError("number above 0 expected")
    return number
