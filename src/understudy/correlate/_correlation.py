"""What came of recognising: groups, and how they were found. Private to the holder of the table."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from understudy.correlate._groups import Groups
from understudy.correlate._groups_file import write_groups

PRIVATE = "Private to you: these numbers were computed from the real table. Do not publish them."


@dataclass(frozen=True, eq=False, kw_only=True)
class Correlation:
    """Groups of records that belong together, and how they were found. All of it is private but the declared bound."""

    groups: Groups
    fields: dict[str, tuple[str, ...]]
    """The columns that were read, by the tags of the grammar."""
    n_compared: int
    """Pairs of rows that were compared, of all that there are."""
    n_labels: int | None
    """Labelled pairs that the network learnt from; None: it learnt from pairs of the table's own."""
    layers: tuple[int, ...]
    """Neurons of each layer, dead ones left out."""
    largest: int
    """Rows of the largest component before the bound was applied."""

    @property
    def n_linked_rows(self) -> int:
        """Rows that are in a group with others."""
        sizes = self.groups.sizes
        return int(sizes[sizes > 1].sum())

    def save(self, path: str | Path) -> None:
        """Write the groups to a Parquet file for `--groups`; nobody else may read it."""
        write_groups(path, self.groups)

    def to_dict(self) -> dict[str, Any]:
        """All that was found but the rows themselves."""
        sizes, counts = np.unique(self.groups.sizes, return_counts=True)
        return {
            "private": PRIVATE,
            "rows": self.groups.n_rows,
            "groups": self.groups.n_groups,
            "sizes": {str(size): count for size, count in zip(sizes.tolist(), counts.tolist(), strict=True)},
            "linked_rows": self.n_linked_rows,
            "links": self.groups.links.n_links if self.groups.links is not None else 0,
            "links_cut": self.groups.n_cut,
            "largest_component": self.largest,
            "max_rows": self.groups.max_rows,
            "threshold": self.groups.threshold,
            "fields": {letter: list(names) for letter, names in self.fields.items()},
            "pairs_compared": self.n_compared,
            "labels": self.n_labels,
            "network": list(self.layers),
        }
