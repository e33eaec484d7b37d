"""Pseudonyms: which rows of several parties are one person's, for whoever does not know the key.

A pseudonym is a keyed hash (HMAC-SHA256, RFC 2104) of the key under a secret that the parties share out of band, and
the miner does not have. The hash's own key is derived from the secret and the study's name, so that files of studies
with different names cannot be joined with each other.
"""

from __future__ import annotations

import hmac
import os
import secrets
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from understudy._core.errors import OptionError, TableError
from understudy._core.files import as_output_error
from understudy.randomize._hashing import Hmac
from understudy.tables import Column, Mixed

WIDTH = 16
"""Bytes of a pseudonym: two of 10⁹ people share one with a chance below 10⁻²⁰."""
ENVIRONMENT = "UNDERSTUDY_SECRET"
_LEAST_LETTERS = 22  # url-safe ones, of 6 bits: 128 bits
_MOST_LETTERS = 1 << 16
_LONGEST_STUDY = 200
_MAKE_ONE = "Make one with: understudy randomize secret -o FILE, and give it to the other parties, never to the miner."

Pseudonyms = npt.NDArray[np.uint8]


def make_secret() -> str:
    """A new secret, of 256 bits.

    >>> len(make_secret())
    43
    """
    return secrets.token_urlsafe(32)


def write_secret(path: str | Path) -> None:
    """Write a new secret to a new file that only its owner can read. Raises OutputError."""
    with as_output_error(Path(path)):
        opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(opened, "w") as file:
            file.write(make_secret() + "\n")


def read_secret(path: str | Path | None) -> str:
    """The parties' secret: from a file, or else from the environment. Raises OptionError."""
    if path is None:
        found = os.environ.get(ENVIRONMENT)
        if found is None:
            raise OptionError(
                f"pseudonyms need the parties' secret: give --secret-file, or set {ENVIRONMENT}. {_MAKE_ONE}"
            )
        return check_secret(found)
    try:
        with Path(path).open("rb") as file:
            return check_secret(file.read(_MOST_LETTERS + 1).decode())
    except OSError as error:
        raise OptionError(f"cannot read the secret file {path}: {error.strerror}. {_MAKE_ONE}") from None
    except ValueError as error:
        if isinstance(error, OptionError):
            raise
        raise OptionError(f"the secret file {path} is not text. {_MAKE_ONE}") from None


def check_secret(text: str) -> str:
    """The secret without the line's end. Raises OptionError if it is one that could be guessed.

    >>> check_secret("swordfish")
    Traceback (most recent call last):
    understudy._core.errors.OptionError: the secret has 9 characters, and one that short can be guessed. It needs 22 \
or more. Make one with: understudy randomize secret -o FILE, and give it to the other parties, never to the miner.
    """
    secret = text.rstrip("\r\n")
    if len(secret) < _LEAST_LETTERS:
        raise OptionError(
            f"the secret has {len(secret)} characters, and one that short can be guessed. It needs {_LEAST_LETTERS} or "
            f"more. {_MAKE_ONE}"
        )
    if len(secret) > _MOST_LETTERS or len(set(secret)) < 8:
        raise OptionError(f"the secret repeats a few characters, or is no secret but a whole file. {_MAKE_ONE}")
    return secret


class Pseudonymizer:
    """Makes pseudonyms under one secret, for one study.

    >>> one = Pseudonymizer("correct horse battery staple", "asthma")
    >>> one(pa.array([17])).tobytes() == one(pa.array([" 17"])).tobytes(), one(pa.array(["017"])).shape
    (True, (1, 16))
    """

    def __init__(self, secret: str, study: str) -> None:
        self.study = " ".join(unicodedata.normalize("NFC", study).split())
        if len(self.study) > _LONGEST_STUDY:
            raise OptionError(f"a study's name has {_LONGEST_STUDY} characters at most. Got {len(self.study):,}.")
        self._secret = check_secret(secret).encode()
        self._hash = Hmac(self._derived("pseudonyms", self.study))
        self.check = self._derived("check", self.study).hex()[:16]
        """Says to whoever holds two files whether their secret and study are the same, and nothing else."""
        self._rows = 0

    def _derived(self, purpose: str, study: str) -> bytes:
        return hmac.digest(self._secret, f"understudy/1 {purpose}\0{study}".encode(), "sha256")

    def __call__(self, column: Column) -> Pseudonyms:
        """The pseudonyms of the next batch of keys. Raises TableError with row numbers, never with a key."""
        texts = canonical_keys(column, self._rows)
        self._rows += len(texts)
        return self.of(texts)

    def of(self, texts: pa.Array) -> Pseudonyms:
        """The pseudonyms of canonical keys."""
        return self._hash(texts, width=WIDTH)

    def recorded(self, keys: Sequence[str]) -> tuple[str, ...]:
        """Hashes of a few keys for the ledger: of no study, so that all runs on the same people agree."""
        key = self._derived("record", "")
        return tuple(hmac.digest(key, text.encode(), "sha256").hex()[:16] for text in keys)


def canonical_keys(column: Column, before: int = 0) -> pa.Array:
    """Keys as the same text wherever they come from; `before` rows were read already.

    >>> canonical_keys(pa.array([17, 8])).to_pylist(), canonical_keys(pa.array(["007 ", "8"])).to_pylist()
    (['17', '8'], ['007', '8'])
    """
    if isinstance(column, Mixed):
        cells: Any = np.full(len(column), None, dtype=object)
        for rows, part in column.parts:
            cells[rows] = _as_text(part, f" (row {rows[0] + 1 + before})").to_pylist()
        texts = pa.array(cells, pa.string())
    else:
        texts = _as_text(column)
    empty = pc.fill_null(pc.equal(pc.binary_length(texts), 0), True)
    if pc.any(empty).as_py():
        found = np.flatnonzero(empty.to_numpy(zero_copy_only=False))
        shown = ", ".join(str(row + 1 + before) for row in found[:5]) + (", …" if len(found) > 5 else "")
        raise TableError(
            f"the key is missing in {len(found):,} row{'s' if len(found) > 1 else ''} (row {shown}). Every row needs "
            "one: fill them, or remove these rows."
        )
    return texts


def _as_text(column: pa.Array, where: str = "") -> pa.Array:
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    kind = column.type
    if pa.types.is_integer(kind) or pa.types.is_null(kind):
        return column.cast(pa.string())
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        texts = column.cast(pa.string())
        plain = pc.all(pc.string_is_ascii(texts)).as_py()
        return pc.utf8_trim_whitespace(texts if plain else pc.utf8_normalize(texts, form="NFC"))
    raise TableError(
        f"the key has cells of type {kind}{where}. Keys are whole numbers or texts: others are written in more than "
        "one way, and would not meet the other parties'. Write them as text."
    )
