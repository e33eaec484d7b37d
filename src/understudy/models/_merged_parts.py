"""What kinds of model over merged values share in a file: how values are merged, and what was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, prod
from typing import Any

import numpy as np

from understudy.models._inference import MAX_CELLS
from understudy.models._protocol import Array, PartsReader
from understudy.models._reading import MAX_AXES, MAX_COUNT, read_items, read_probabilities, read_whole
from understudy.models._tree_values import TreeMeasurement, Within
from understudy.schema import Domain


def merged_to_parts(
    within: Sequence[Within | None], measurements: Sequence[TreeMeasurement]
) -> tuple[dict[str, Any], dict[str, Array]]:
    """What a document says of both, and their arrays."""
    merged = {a: rare for a, rare in enumerate(within) if rare is not None}
    arrays: dict[str, Array] = {}
    for i, rare in enumerate(merged.values()):
        arrays[name("merged", i)], arrays[name("share", i)] = rare.codes, rare.shares
    arrays |= {name("measured", i): measured.values for i, measured in enumerate(measurements)}
    document = {
        "merged": [{"attribute": a, "size": rare.size} for a, rare in merged.items()],
        "measurements": [
            {
                "attributes": list(measured.marginal),
                "variance": float(measured.variance),
                "interaction": measured.interaction,
            }
            for measured in measurements
        ],
    }
    return document, arrays


@dataclass(frozen=True)
class MergedPlan:
    """What a document says of merged values and measured tables, checked before any array is unpacked.

    `sizes` are those of all attributes, merged values counted once.
    """

    domain: Domain
    sizes: tuple[int, ...]
    holders: tuple[int, ...]
    measured: tuple[tuple[tuple[int, ...], float, bool], ...]

    @classmethod
    def of(cls, document: Mapping[str, Any], domain: Domain) -> MergedPlan:
        """The plan that a document has."""
        merged, measured = read_items(document["merged"]), read_items(document["measurements"])
        holders = tuple(_read_attribute(item["attribute"], domain) for item in merged)
        if len(set(holders)) != len(holders):
            raise ValueError("an attribute whose values are merged twice")
        sizes = [attribute.size for attribute in domain]
        for a, item in zip(holders, merged, strict=True):
            sizes[a] = read_whole(item["size"])
            if not 0 < sizes[a] <= domain[a].size:
                raise ValueError("more merged values than there are values")
        return cls(domain, tuple(sizes), holders, tuple(_read_table(item, domain, sizes) for item in measured))

    @property
    def names(self) -> set[str]:
        """The arrays that there must be."""
        found = {name(word, i) for i in range(len(self.holders)) for word in ("merged", "share")}
        return found | {name("measured", i) for i in range(len(self.measured))}

    def within(self, parts: PartsReader) -> list[Within | None]:
        """How values are merged."""
        found: list[Within | None] = [None] * len(self.domain)
        for i, a in enumerate(self.holders):
            codes = parts.array(name("merged", i), np.int64, (self.domain[a].size,))
            found[a] = Within(codes, read_probabilities(parts, name("share", i), (self.domain[a].size,)))
        return found

    def measurements(self, parts: PartsReader) -> list[TreeMeasurement]:
        """What was measured."""
        found = []
        for i, (attributes, variance, interaction) in enumerate(self.measured):
            values = parts.array(name("measured", i), np.float64, tuple(self.sizes[a] for a in attributes))
            if not np.isfinite(values).all() or np.abs(values).max(initial=0.0) > MAX_COUNT:
                raise ValueError("a measured value too large to be one")
            found.append(
                TreeMeasurement(marginal=attributes, values=values, variance=variance, interaction=interaction)
            )
        return found


def _read_attribute(value: Any, domain: Domain) -> int:
    attribute = read_whole(value)
    if attribute >= len(domain):
        raise ValueError("an attribute that is not there")
    return attribute


def _read_table(item: Any, domain: Domain, sizes: Sequence[int]) -> tuple[tuple[int, ...], float, bool]:
    """What is said of a measured table, before its values are unpacked."""
    attributes = tuple(_read_attribute(a, domain) for a in read_items(item["attributes"]))
    variance, interaction = item["variance"], item["interaction"]
    if len(attributes) >= MAX_AXES or prod(sizes[a] for a in attributes) > MAX_CELLS:
        raise ValueError("a measured table larger than any is")
    if not isinstance(variance, float) or not isfinite(variance) or not isinstance(interaction, bool):
        raise TypeError("a measured table without its noise")
    return attributes, variance, interaction


def name(word: str, index: int) -> str:
    """What an array is called.

    >>> name("belief", 3)
    'belief-00003'
    """
    return f"{word}-{index:05d}"
