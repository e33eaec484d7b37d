"""Section 6 of the correlated-release paper: 10,000 random counts on Adult, a quarter of its records correlated.

What the paper does not tell is declared here: the first 35,561 of our 45,222 rows (its number; UCI's training file has
32,561 with rows that lack values, and 30,162 without), 14 columns without the salary, each reduced to the two halves of
its declared codes, so that the histogram has N = 2¹⁴ cells; a query counts the rows with one of the two values in each
of one to four random columns, as a share; groups of 11 and 12 rows in turn, drawn at random, with degrees between 0.6
and 1 of either sign. Each seed draws queries and groups anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from research._data import load
from understudy._core.randomness import Rng, streams
from understudy.answers import (
    MENDED,
    Line,
    ProductQueries,
    Reading,
    answer_as_printed,
    answer_workload,
    make_workload,
)
from understudy.correlate import Links, compare_sensitivities
from understudy.counting import open_counter
from understudy.privacy import PrivacyUnit, make_budget, make_noise, open_curator
from understudy.schema import Schema
from understudy.tables import Table

ROWS, QUERIES = 35_561, 10_000
BOUND = 12
"""Rows that belong together at most: a record, and 10 or 11 others."""
_COLUMNS = 14
MOST_ASKED = 4
"""Columns that a query asks about at most."""
_CORRELATED = 0.25
_THETA0, _RATE = 0.6, 0.7
_BLOCK = 1_000
_VALUES = ("low", "high")
OURS: Mapping[str, int] = {"ours": 1, "ours for groups": BOUND}
"""With how many rows each protects at once."""
READINGS: Mapping[str, Reading] = {"as printed": Reading(), "mended": MENDED}

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Setting:
    """The table as cells, what is asked of it, and the correlated sensitivity of each query in counts."""

    cells: Ints
    queries: ProductQueries
    links: Links
    printed: Floats
    independent: Floats
    """The same with no links."""
    touched: npt.NDArray[np.bool_]
    """Whether a query matches a correlated record."""

    @property
    def histogram(self) -> Ints:
        """Counts of all cells."""
        return np.bincount(self.cells, minlength=self.queries.n_cells)


@lru_cache(maxsize=2)
def setting(dataset: str, folder: Path, n_rows: int, n_queries: int, seed: int) -> Setting:
    """Everything that the seed draws."""
    columns = load(dataset, folder).table.columns[:_COLUMNS]
    sizes = [attribute.size for attribute in load(dataset, folder).table.domain][:_COLUMNS]
    bits = [
        (np.asarray(column[:n_rows]) >= size / 2).astype(np.int64) for column, size in zip(columns, sizes, strict=True)
    ]
    cells = np.ravel_multi_index(bits, (2,) * len(bits)).astype(np.int64)
    rng = streams(seed).get("experiments", "correlated")
    queries, links = random_counts(len(bits), n_queries, rng), random_links(len(cells), rng)
    printed, independent, touched = _sensitivities(links, queries, cells)
    return Setting(cells, queries, links, printed, independent, touched)


def random_counts(n_columns: int, n_queries: int, rng: Rng) -> ProductQueries:
    """Counts of rows with given values in one to four of the binary columns.

    >>> asked = random_counts(3, 5, streams(1).get("queries"))
    >>> len(asked), asked.n_cells
    (5, 8)
    """
    order = rng.random((n_queries, n_columns)).argsort(axis=1).argsort(axis=1)
    asked = order < rng.integers(1, min(MOST_ASKED, n_columns) + 1, (n_queries, 1))
    value = rng.integers(0, 2, (n_queries, n_columns))
    weights = np.stack([~asked | (value == code) for code in (0, 1)], axis=2).astype(np.float64)
    return ProductQueries((2,) * n_columns, tuple(weights[:, column] for column in range(n_columns)))


def random_links(n_rows: int, rng: Rng) -> Links:
    """Groups of 11 and 12 rows in turn, of a quarter of all rows; all pairs of a group are linked.

    >>> links = random_links(1000, streams(1).get("links"))
    >>> sorted({int(n) for n in np.diff(links.indptr)})
    [0, 8, 10, 11]
    """
    chosen = rng.permutation(n_rows)[: round(_CORRELATED * n_rows)]
    first, second, at, size = [], [], 0, BOUND - 1
    while at < len(chosen):
        group = chosen[at : at + size]
        one, other = np.triu_indices(len(group), 1)
        first.append(group[one])
        second.append(group[other])
        at, size = at + size, BOUND - (size == BOUND)
    one, other = np.concatenate(first), np.concatenate(second)
    degrees = rng.uniform(_THETA0, 1.0, len(one)) * rng.choice([-1.0, 1.0], len(one))
    return Links.of_pairs(n_rows, one, other, degrees)


def _sensitivities(links: Links, queries: ProductQueries, cells: Ints) -> tuple[Floats, Floats, npt.NDArray[np.bool_]]:
    """Definition 2 with links and without, and whether a linked record is matched, in blocks of queries."""
    present, kinds = np.unique(cells, return_inverse=True)
    own = np.unique(kinds[np.diff(links.indptr) > 0])
    alone = Links.of_pairs(len(cells), [], [], [])
    found: list[tuple[Floats, Floats, npt.NDArray[np.bool_]]] = []
    for at in range(0, len(queries), _BLOCK):
        parts = queries.values_at(present, slice(at, at + _BLOCK))
        linked, single = (
            compare_sensitivities(of, parts, kinds, most=1.0, max_rows=BOUND).printed for of in (links, alone)
        )
        found.append((linked, single, np.asarray((parts[:, own] > 0).any(axis=1))))
    printed, independent, touched = (np.concatenate(column) for column in zip(*found, strict=True))
    return printed, independent, touched


def given(params: Mapping[str, Any], seed: int, folder: Path) -> Setting:
    """What the parameters `dataset`, and `rows` and `queries` if they are there, and the seed draw."""
    n_rows, n_queries = params.get("rows", ROWS), params.get("queries", QUERIES)
    return setting(params["dataset"], folder, n_rows, n_queries, seed)


def answers(params: Mapping[str, Any], seed: int, folder: Path) -> dict[str, float]:
    """`deviation` (eq. 23) of all answers, as shares, and `accuracy`, 1 less of it; `corrections`, where there are any.

    Parameters: `dataset`, `method`, `epsilon`; `threshold` for the printed form, and `noise`, a scale of noise in
    place of the one that is printed. Methods: `laplace`, `laplace for groups`, `uniform`, `as printed`, `mended`;
    `ours` and `ours for groups` answer the whole workload at once, with the strategy that is the default.
    """
    asked = given(params, seed, folder)
    truth = shares_of(asked)
    noise = streams(seed).get("experiments", "correlated", "noise", params["method"], f"{params['epsilon']:g}")
    method = params["method"]
    if method in READINGS:
        return _as_printed(asked, truth, params, noise)
    n = len(asked.cells)
    if method in OURS:
        return measured(_ours(asked, params["epsilon"], OURS[method], seed), truth)
    if method == "uniform":
        told = uniform_answers(asked)
    else:
        rows = BOUND if method == "laplace for groups" else 1
        told = truth + noise.laplace(0.0, rows * len(truth) / (n * params["epsilon"]), len(truth))
    return measured(told, truth)


def _ours(asked: Setting, epsilon: float, rows: int, seed: int) -> Floats:
    """Answers under a guarantee for any change of so many rows."""
    names = [f"column {number}" for number in range(1, len(asked.queries.shape) + 1)]
    schema = Schema.from_dict({"fields": [{"name": name, "categories": list(_VALUES)} for name in names]})
    columns = np.unravel_index(asked.cells, asked.queries.shape)
    counter = open_counter(Table(schema.domain, tuple(column.astype(np.uint8) for column in columns)))
    lines = [Line.of(text, where="") for text in _texts(asked.queries, names)]
    curator = open_curator(
        counter, budget=make_budget(epsilon), noise=make_noise(seed=seed), unit=PrivacyUnit(max_rows=rows)
    )
    return answer_workload(curator, make_workload(lines, schema)).shares


def _texts(queries: ProductQueries, names: Sequence[str]) -> Iterator[str]:
    """What each count asks, in words."""
    asked = np.stack([(weights == 0).any(axis=1) for weights in queries.weights], axis=1)
    value = np.stack([weights[:, 1] > 0 for weights in queries.weights], axis=1).astype(int)
    for query, which in enumerate(asked):
        yield ", ".join(f"{names[a]}={_VALUES[value[query, a]]}" for a in np.flatnonzero(which).tolist())


def measured(told: Floats, truth: Floats) -> dict[str, float]:
    """Equation 23, and accuracy."""
    deviation = float(np.abs(told - truth).mean())
    return {"deviation": deviation, "accuracy": 1 - deviation}


def shares_of(asked: Setting) -> Floats:
    """The true answers."""
    histogram = asked.histogram
    present = np.flatnonzero(histogram)
    found = np.empty(len(asked.queries))
    for at in range(0, len(found), _BLOCK):
        found[at : at + _BLOCK] = asked.queries.values_at(present, slice(at, at + _BLOCK)) @ histogram[present]
    return found / len(asked.cells)


def uniform_answers(asked: Setting) -> Floats:
    """What the first histogram says, which has seen nothing."""
    found = np.ones(len(asked.queries))
    for weights in asked.queries.weights:
        found *= weights.mean(axis=1)
    return found


def _as_printed(asked: Setting, truth: Floats, params: Mapping[str, Any], noise: Rng) -> dict[str, float]:
    sensitivities = asked.printed / len(asked.cells)
    if "noise" in params:
        # the scale is the sensitivity over ε₀ = ε·μ·ϑ₀/log N
        unit = params["epsilon"] * _RATE * _THETA0 / np.log(asked.queries.n_cells)
        sensitivities = np.full(len(truth), params["noise"] * unit)
    histogram = asked.histogram
    told = answer_as_printed(
        histogram,
        asked.queries,
        epsilon=params["epsilon"],
        threshold=params["threshold"],
        rate=_RATE,
        theta0=_THETA0,
        sensitivities=sensitivities,
        rng=noise,
        reading=READINGS[params["method"]],
    )
    unit = params["epsilon"] * _RATE * _THETA0 / np.log(len(histogram))
    shares = histogram / histogram.sum()
    return {
        **measured(told.answers, truth),
        "corrections": float(told.corrected.sum()),
        "spent": float(told.corrected.sum() * unit),
        "mass": float(told.histogram.sum()),
        "distance": _apart(told.histogram, shares),
        "first distance": _apart(np.full(len(shares), 1 / len(shares)), shares),
    }


def _apart(x: Floats, shares: Floats) -> float:
    """Total variation distance; for a histogram that lost mass, what is missing where it is too low."""
    return float(max(np.maximum(x - shares, 0).sum(), np.maximum(shares - x, 0).sum()))


def sensitivities(params: Mapping[str, Any], seed: int, folder: Path) -> dict[str, float]:
    """How correlated sensitivity compares with the global one, which is 1, and with that of a group, over all queries.

    Parameters: `dataset`. `CS 1` … `CS 4` are means over queries about so many columns that somebody matches.
    """
    asked = given(params, seed, folder)
    met = asked.independent > 0
    apart = met & ~asked.touched
    n_asked = sum(((weights == 0).any(axis=1)).astype(np.int64) for weights in asked.queries.weights)
    return {
        **{f"CS {n}": float(asked.printed[met & (n_asked == n)].mean()) for n in range(1, MOST_ASKED + 1)},
        "smaller": float((asked.printed < 1).mean()),
        "smaller where somebody matches": float((asked.printed[met] < 1).mean()),
        "nobody matches": float((~met).mean()),
        "independent is global": float((asked.independent == 1).mean()),
        "apart is global": float((asked.printed[apart] == 1).mean()) if apart.any() else 1.0,
        "group over printed": float((BOUND / asked.printed[met]).mean()),
    }
