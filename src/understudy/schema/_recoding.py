"""Encodings: the four ways PrivBayes may look at a domain (vanilla, hierarchical, binary, Gray).

A recoding is public and fixed before any data are seen. It turns each attribute into one or several others, row
by row, and turns synthetic rows back; so it costs no budget.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from understudy.schema._domain import Attribute, Domain

Encoding: TypeAlias = Literal["vanilla", "hierarchical", "binary", "gray"]
Codes: TypeAlias = npt.NDArray[np.unsignedinteger]


@dataclass(frozen=True, kw_only=True)
class Part:
    """One target attribute: made from attribute `source` by looking its codes up.

    >>> Part(source=2, lookup=(0, 0, 1)).lookup[2]
    1
    """

    source: int
    lookup: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Recoding:
    """A public map between the codes of one domain and those of another.

    `parts[t]` makes target attribute t. Source attribute s comes back from target attributes `pieces[s]`, read as one
    mixed-radix number (first piece slowest) and looked up in `back[s]`. Combinations that no source code has are
    sent to a valid one, so every synthetic row decodes.
    """

    source: Domain
    target: Domain
    parts: tuple[Part, ...]
    pieces: tuple[tuple[int, ...], ...]
    back: tuple[tuple[int, ...], ...]

    @property
    def trivial(self) -> bool:
        """Whether codes stay as they are."""
        same = [tuple(range(attribute.size)) for attribute in self.source]
        return (
            self.pieces == tuple((i,) for i in range(len(same)))
            and list(self.back) == same
            and list(self.parts) == [Part(source=i, lookup=codes) for i, codes in enumerate(same)]
        )

    def encode(self, columns: Sequence[Codes]) -> list[Codes]:
        """Source columns → target columns."""
        found = self.encode_some(range(len(self.parts)), columns)
        return [found[a] for a in range(len(self.parts))]

    def encode_some(self, attributes: Iterable[int], columns: Sequence[Codes]) -> dict[int, Codes]:
        """Source columns → these target columns; of the source only those are read that they are made from."""
        return {
            a: np.array(self.parts[a].lookup, dtype=_narrow(self.target[a].size))[columns[self.parts[a].source]]
            for a in attributes
        }

    def decode(self, columns: Sequence[Codes], n_rows: int) -> list[Codes]:
        """Target columns → source columns."""
        return [
            np.array(back, dtype=_narrow(attribute.size))[self._number(columns, pieces, n_rows)]
            for attribute, pieces, back in zip(self.source, self.pieces, self.back, strict=True)
        ]

    def _number(self, columns: Sequence[Codes], pieces: tuple[int, ...], n_rows: int) -> npt.NDArray[np.int64]:
        number = np.zeros(n_rows, dtype=np.int64)
        for piece in pieces:
            number = number * self.target[piece].size + columns[piece]
        return number


def recode(domain: Domain, encoding: Encoding) -> Recoding:
    """The recoding of a domain under one of the four encodings.

    >>> domain = Domain((Attribute(name="age", size=5),))
    >>> [a.name for a in recode(domain, "binary").target]
    ['age:0', 'age:1', 'age:2']
    >>> recode(domain, "hierarchical").trivial
    True
    """
    if encoding == "hierarchical":
        return _unchanged(domain, domain)
    if encoding == "vanilla":
        return _unchanged(domain, Domain(tuple(replace(a, coarser=()) for a in domain)))
    return _bits(domain, gray=encoding == "gray")


def _unchanged(source: Domain, target: Domain) -> Recoding:
    same = tuple(tuple(range(a.size)) for a in source)
    return Recoding(
        source=source,
        target=target,
        parts=tuple(Part(source=i, lookup=codes) for i, codes in enumerate(same)),
        pieces=tuple((i,) for i in range(len(source))),
        back=same,
    )


def _bits(domain: Domain, *, gray: bool) -> Recoding:
    targets: list[Attribute] = []
    parts: list[Part] = []
    pieces: list[tuple[int, ...]] = []
    back: list[tuple[int, ...]] = []
    for source, attribute in enumerate(domain):
        width = (attribute.size - 1).bit_length()
        words = [code ^ (code >> 1) if gray else code for code in range(attribute.size)]
        pieces.append(tuple(range(len(targets), len(targets) + width)))
        for bit in range(width):
            name = attribute.name if width == 1 else f"{attribute.name}:{bit}"
            targets.append(Attribute(name=name, size=2))
            parts.append(Part(source=source, lookup=tuple(word >> (width - 1 - bit) & 1 for word in words)))
        back.append(_back(words, width))
    return Recoding(
        source=domain, target=Domain(tuple(targets)), parts=tuple(parts), pieces=tuple(pieces), back=tuple(back)
    )


def _back(words: Sequence[int], width: int) -> tuple[int, ...]:
    """Bit pattern → code; a pattern no code has goes to the largest pattern below it that has one (0 always does)."""
    code_of = {word: code for code, word in enumerate(words)}
    result = [0]
    for pattern in range(1, 1 << width):
        result.append(code_of.get(pattern, result[-1]))
    return tuple(result)


def _narrow(size: int) -> npt.DTypeLike:
    return np.uint8 if size <= 1 << 8 else np.uint16 if size <= 1 << 16 else np.uint32
