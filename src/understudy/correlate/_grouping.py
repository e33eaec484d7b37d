"""From degrees to groups: rows that are linked, directly or through others, as far as the declared bound allows."""

from __future__ import annotations

import numpy as np

from understudy.correlate._links import Links
from understudy.correlate._texts import Ints


def bounded_groups(links: Links, max_rows: int) -> Ints:
    """A group's number for each row: connected components, none of which has more than `max_rows` rows.

    Links are taken from the strongest to the weakest, opposed records like others. One that would make a group too
    large is cut: so the weakest links of a component give way.

    >>> links = Links.of_pairs(4, [0, 1, 2], [1, 2, 3], [0.9, 0.7, 0.8])
    >>> bounded_groups(links, 4).tolist(), bounded_groups(links, 2).tolist()
    ([0, 0, 0, 0], [0, 0, 2, 2])
    """
    first, second, degrees = links.pairs()
    order = np.lexsort((second, first, -np.abs(degrees)))
    parent, size = list(range(links.n_rows)), [1] * links.n_rows

    def root(row: int) -> int:
        while parent[row] != row:
            parent[row] = parent[parent[row]]
            row = parent[row]
        return row

    for one, other in zip(first[order].tolist(), second[order].tolist(), strict=True):
        left, right = sorted((root(one), root(other)))
        if left != right and size[left] + size[right] <= max_rows:
            parent[right] = left
            size[left] += size[right]
    return np.array([root(row) for row in range(links.n_rows)], dtype=np.int64)
