"""Made-up copies of records, spoilt as people spoil them: pairs that certainly belong together, to learn from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from string import ascii_lowercase, digits

import numpy as np

from understudy._core.randomness import Rng
from understudy.correlate._records import Records
from understudy.correlate._texts import Coded, Ints

_SEVEREST = 0.6
_SWAPPED = 0.05
_INITIAL = 0.08


def with_copies(
    columns: Mapping[str, Sequence[tuple[str, Coded]]], n_rows: int, *, n_copies: int, rng: Rng
) -> tuple[Records, Ints]:
    """The records with spoilt copies of some of them below, and which rows those are copies of.

    A copy has a severity of its own. Each cell may be misspelt, missing or another row's: an address all of it, since
    people move. Names may be swapped or cut down to an initial, day and month may be.

    >>> import pyarrow as pa
    >>> from understudy._core.randomness import streams
    >>> columns = {"N": [("name", Coded.of(pa.array(["ann lee", "bob ray"])))]}
    >>> records, originals = with_copies(columns, 2, n_copies=3, rng=streams(1).get("copies"))
    >>> records.columns["N"][0][1].codes.shape, originals.shape
    ((5,), (3,))
    """
    originals = rng.integers(n_rows, size=n_copies)
    others = rng.integers(n_rows, size=n_copies)
    severity = rng.uniform(0.05, _SEVEREST, size=n_copies)
    grown: dict[str, list[tuple[str, Coded]]] = {}
    for letter, named in columns.items():
        moved = rng.random(n_copies) < severity / 4
        rows = np.where(moved, others, originals)
        cells = [column.words[column.codes[rows]].tolist() for _, column in named]
        cells = [_spoilt(letter, texts, severity, rng) for texts in cells]
        if letter == "N":
            _mix_names(cells, rng)
        grown[letter] = [(name, column.followed_by(texts)) for (name, column), texts in zip(named, cells, strict=True)]
    return Records(grown, n_rows), originals


def _spoilt(letter: str, texts: list[str], severity: np.ndarray, rng: Rng) -> list[str]:
    missing = rng.random(len(texts)) < severity / 3
    misspelt = rng.random(len(texts)) < severity
    slips = rng.integers(1, 3, size=len(texts))
    found = []
    for text, gone, wrong, times in zip(texts, missing.tolist(), misspelt.tolist(), slips.tolist(), strict=True):
        if wrong:
            for _ in range(times):
                text = _slip(text, rng)
        found.append("" if gone else text)
    if letter == "B":
        swapped = rng.random(len(texts)) < _SWAPPED
        found = [
            text[:4] + text[6:] + text[4:6] if swap and len(text) == 8 else text
            for text, swap in zip(found, swapped.tolist(), strict=True)
        ]
    return found


def _slip(text: str, rng: Rng) -> str:
    """One wrong, missing, additional or swapped letter."""
    if len(text) < 2:
        return text
    place, kind = int(rng.integers(len(text))), int(rng.integers(4))
    alphabet = digits if text[place].isdigit() else ascii_lowercase
    letter = alphabet[int(rng.integers(len(alphabet)))]
    if kind == 0:
        return text[:place] + letter + text[place + 1 :]
    if kind == 1 and place + 1 < len(text):
        return text[:place] + text[place + 1] + text[place] + text[place + 2 :]
    if kind == 2:
        return text[:place] + text[place + 1 :]
    return text[:place] + letter + text[place:]


def _mix_names(cells: list[list[str]], rng: Rng) -> None:
    """Swap first and last names here and there, or leave an initial."""
    n = len(cells[0])
    swapped, short = rng.random(n) < _SWAPPED, rng.random(n) < _INITIAL
    for row in np.flatnonzero(swapped).tolist():
        if len(cells) > 1:
            cells[0][row], cells[-1][row] = cells[-1][row], cells[0][row]
        else:
            cells[0][row] = " ".join(reversed(cells[0][row].split()))
    for row in np.flatnonzero(short).tolist():
        words = cells[0][row].split()
        cells[0][row] = " ".join([words[0][0], *words[1:]]) if words else ""
