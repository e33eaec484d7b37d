"""Bins, spikes and shapes of a table's numbers, from fine histograms that a small share of the budget buys.

What is charged: one question for the counts of all such columns at every level of their grids; another for
the levels that told something, but without a δ; one more for columns that show a single value alone, if there are any
(`_beyond.py`); one for how many rows lie at round numbers (`_heaps.py`); and one for the means of what they found. The
cells of a level are disjoint, so a row is in one cell of each: a column with L levels costs what L tables cost, and
`NoisyTables` charges for just that (proof.md, section 1); means are linear queries (section 12). What is asked later
may depend on what came out before (section 2). The rest is post-processing. From then on rows are seen through a map
from cells to bins that depends on released counts only, and is as public as a declared one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from math import sqrt
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from understudy.numbers._beyond import Rings, lone_spike
from understudy.numbers._cuts import cut
from understudy.numbers._grid import Cells, bins_of, fine_schema, level_of_cells
from understudy.numbers._heaps import Heaps, may_have_heaps, stretches_of
from understudy.numbers._histogram import fit_histogram
from understudy.numbers._levels import COARSEST, Look, telling_levels
from understudy.numbers._mean import Distances, MeanQueries, ask_means, factors, tilted
from understudy.numbers._round import round_at
from understudy.numbers._spikes import clearly, with_spikes
from understudy.numbers._totals import rows_in_range
from understudy.privacy import Curator, NoisyLinear, NoisyTables
from understudy.schema import Axis, Field, Marginal, Part, Recoding, Schema

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
VALUE_BY_VALUE, BEYOND_SPIKES, MEANS = "numbers, value by value", "numbers, beyond a spike", "numbers, means"
ROUND_VALUES = "numbers, how round"
"""What a statement calls their charges; readers of it know them by these names."""
_MEANS = Fraction(1, 5)
"""Part of the share that goes into means."""
_HEAPS = Fraction(1, 20)
"""Part of the share that goes into how round values are, where there are columns of many numbers."""
BEYOND_SHARE = Fraction(1, 20)
"""What it takes beside, of all of the budget, where columns show a single value alone."""
_SEEN = 2.0
"""Least mass of a declared bin that has a shape, in standard deviations of the noise."""
_PARTS_OF_BIN = 4
"""In which an evenly filled bin is tilted."""


@dataclass(frozen=True, eq=False)
class Resolved:
    """The schema with bins in place of automatic ones, the map from cells of the grid to them, and what it took.

    That is the share that was to be taken, and 1/20 more where columns showed a single value alone.
    """

    schema: Schema
    recoding: Recoding
    share: Fraction


def numbers_share(schema: Schema) -> Fraction:
    """The share of a run's budget that the histograms of all its columns take, and their means.

    Half as much where all bins are declared: then histograms only tell where values lie inside them.

    >>> ages = {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 99}}
    >>> declared = {**ages, "bins": {"count": 5, "inside": "auto"}}
    >>> [str(numbers_share(Schema.from_dict({"fields": [field]}))) for field in (ages, declared, {**ages, "bins": 5})]
    ['1/10', '1/20', '0']
    """
    if any(field.automatic for field in schema.fields):
        return Fraction(1, 10)
    return Fraction(1, 20) if any(field.shaped for field in schema.fields) else Fraction(0)


def resolve_numbers(curator: Curator, schema: Schema, *, share: Fraction) -> Resolved:
    """Find the bins of automatic columns, and what is inside declared ones where that is asked for.

    The curator's rows are cells of the grid (`fine_schema`).
    """
    fine = fine_schema(schema)
    places = [i for i, field in enumerate(schema.fields) if field.counted_finely]
    columns, beyond = _beyond_spikes(curator, fine, _measured(curator, fine, places, share))
    heaps = _heaps(curator, fine, places, share)
    columns = [_with_spikes(fine.fields[one.position], one, heaps.get(one.position)) for one in columns]
    columns = [_by_codes(fine.fields[one.position], one, heaps.get(one.position)) for one in columns]
    written = schema.to_dict()
    lookups: dict[int, list[int]] = {}
    for i, column in zip(places, _with_means(curator, fine, columns, share), strict=True):
        lookups[i] = _lookup(fine.fields[i], column)
        written["fields"][i] |= _resolved(fine.fields[i], column)
    resolved = Schema.from_dict(written)
    return Resolved(resolved, _recoding(fine, resolved, lookups), share + beyond)


@dataclass(frozen=True, eq=False)
class _Column:
    """One column's place, its histogram, the first cell of each of its bins, and the deviation of noise in a cell.

    `total` is what other columns tell of the rows in its range, and the variance of that; `finest` the noisy counts of
    its cells, and the variance of these. `stretches` are the first codes of what was evenly filled before rows of it
    moved to round numbers (`_by_codes`); none if none moved.
    """

    position: int
    masses: Floats
    widths: Floats
    middles: Floats
    deviation: float
    cells: list[int]
    total: tuple[float, float]
    finest: tuple[Floats, float]
    stretches: tuple[int, ...] = ()

    @property
    def bin_of(self) -> npt.NDArray[np.int64]:
        """The bin of each cell."""
        return np.searchsorted(self.cells, np.arange(len(self.masses)), side="right") - 1

    @property
    def pieces(self) -> list[int]:
        """The first cells of stretches that are evenly filled, none of them in two bins."""
        density = self.masses / self.widths
        new = np.flatnonzero(~np.isclose(density[1:], density[:-1], rtol=1e-6, atol=0)) + 1
        return sorted({0, *new.tolist(), *self.cells, *self.stretches})

    @property
    def leaning_pieces(self) -> list[int]:
        """The same, a bin that is one of them cut in a few of about as many cells, so that it can lean to one side."""
        pieces, end = self.pieces, len(self.masses)
        whole = set(pairwise([*pieces, end])) & set(pairwise([*self.cells, end]))
        parts = range(1, _PARTS_OF_BIN)
        inner = [first + (after - first) * part // _PARTS_OF_BIN for first, after in whole for part in parts]
        return sorted({*pieces, *inner})


def _measured(curator: Curator, fine: Schema, places: list[int], share: Fraction) -> list[_Column]:
    """The histograms, for all of the share but what the means take.

    Without a δ the noise of many tables grows with their number, so half a share for all of them would find next to
    nothing: there is one look.
    """
    looked = share * looked_part(fine, places)
    once = looked if curator.budget.pure else looked / 2
    looks = _look(curator, [Look(axis) for i in places for axis in _axes(i, fine.fields[i])], once)
    if curator.budget.pure:
        return _columns(fine, places, looks)
    tells = [one for i in places for one in telling_levels(*_levels(fine.fields[i], _of(i, looks)))]
    again = iter(_look(curator, [look for look, told in zip(looks, tells, strict=True) if told], looked - once))
    looks = [next(again) if told else look for look, told in zip(looks, tells, strict=True)]
    return _columns(fine, places, looks)


def looked_part(schema: Schema, places: list[int]) -> Fraction:
    """The part of the share that goes into counts of cells: all but means, and how round values are."""
    return 1 - _MEANS - (_HEAPS if any(may_have_heaps(schema.fields[i]) for i in places) else 0)


Rounded: TypeAlias = tuple[Heaps, Floats, float]
"""Counts of a column's rows by how round they are, and the variance of these."""


def _heaps(curator: Curator, fine: Schema, places: list[int], share: Fraction) -> dict[int, Rounded]:
    """How many rows lie at round numbers, of all columns that may have such heaps."""
    heaps = {i: Heaps.of_field(fine.fields[i]) for i in places if may_have_heaps(fine.fields[i])}
    if not heaps:
        return {}
    asked = [one.queries(fine.domain, i) for i, one in heaps.items()]
    found = curator.ask(NoisyLinear(queries=asked, what=ROUND_VALUES), share=share * _HEAPS)
    variance = max((found.deviation / _parts(curator)) ** 2, 1e-9)
    counts = np.split(found.values / _parts(curator), np.cumsum([len(one) for one in asked])[:-1])
    return {i: (one, own, variance) for (i, one), own in zip(heaps.items(), counts, strict=True)}


def _beyond_spikes(curator: Curator, fine: Schema, columns: list[_Column]) -> tuple[list[_Column], Fraction]:
    """The same columns, those that show a single value alone looked at once more, and the share that it took."""
    tried = {one.position: _rings(fine.fields[one.position], one) for one in columns}
    rings = {position: one for position, one in tried.items() if one is not None}
    if not rings:
        return columns, Fraction(0)
    asked = [one.queries(fine.domain, _axis(fine, position)) for position, one in rings.items()]
    found = curator.ask(NoisyLinear(queries=asked, what=BEYOND_SPIKES), share=BEYOND_SHARE)
    variance = max((found.deviation / _parts(curator)) ** 2, 1e-9)
    counts = iter(np.split(found.values / _parts(curator), np.cumsum([len(one) for one in asked])[:-1]))
    totals = {one.position: one.total for one in columns}
    again = {position: one.masses(next(counts), variance, totals[position]) for position, one in rings.items()}
    return [_reaching_farther(fine, one, again.get(one.position)) for one in columns], BEYOND_SHARE


def _rings(field: Field, column: _Column) -> Rings | None:
    spike = None if field.shaped else lone_spike(column.masses, column.widths, column.deviation)
    return None if spike is None else Rings.around(spike, Cells.of_field(field).starts, column.widths)


def _reaching_farther(fine: Schema, column: _Column, masses: Floats | None) -> _Column:
    """The column with these masses, if there are any and some lie beyond its own on either side."""
    if masses is None:
        return column
    (first, last), (begin, end) = (np.flatnonzero(held > 0)[[0, -1]] for held in (column.masses, masses))
    if first <= begin and end <= last:
        return column
    cells = _cut(fine.fields[column.position], masses, column.widths, column.deviation)
    return replace(column, masses=masses, cells=cells)


def _look(curator: Curator, looks: list[Look], share: Fraction) -> list[Look]:
    question, parts = (
        NoisyTables(marginals=[Marginal((look.axis,)) for look in looks], what=VALUE_BY_VALUE),
        _parts(curator),
    )
    return [look.after(found, parts) for look, found in zip(looks, curator.ask(question, share=share), strict=True)]


def _parts(curator: Curator) -> int:
    """In how many parts a row was counted: all that is found of numbers is in rows."""
    return curator.terms.unit.parts


def _of(position: int, looks: list[Look]) -> list[Look]:
    return [look for look in looks if look.axis.attribute == position]


def _levels(field: Field, looks: list[Look]) -> tuple[list[Floats], list[float], Floats]:
    """Counts of cells, without those of special and missing values, their variances, and the widths of the finest."""
    extra = field.size - field.n_main
    counts = [look.found[: look.found.size - extra] for look in looks]
    return counts, [look.variance for look in looks], Cells.of_field(field).widths


def _columns(fine: Schema, places: list[int], looks: list[Look]) -> list[_Column]:
    found = []
    extras = [fine.fields[i].size - fine.fields[i].n_main for i in places]
    for i, total in zip(places, rows_in_range([_of(i, looks) for i in places], extras), strict=True):
        field = fine.fields[i]
        counts, variances, widths = _levels(field, _of(i, looks))
        middles = Cells.of_field(field).starts + (widths - 1) / 2
        masses, deviation = fit_histogram(counts, variances, widths, total), sqrt(min(variances))
        if field.shaped:
            cells = [0, *_needed(field)]
            masses = _seen(masses, cells, deviation)
        else:
            cells = _cut(field, masses, widths, deviation)
        finest = counts[-1], variances[-1]
        found.append(_Column(i, masses, widths, middles, deviation, cells, total, finest))
    return found


def _needed(field: Field) -> list[int]:
    """First cells of bins that are declared, or that what is declared of rows tells apart."""
    return [int(cell) for cell in np.searchsorted(Cells.of_field(field).starts, np.array(field.cuts, dtype=np.int64))]


def _cut(field: Field, masses: Floats, widths: Floats, deviation: float) -> list[int]:
    """The first cells of bins to be found."""
    dated = field.type in ("date", "datetime")  # where 0 is just a day
    roundness = None if dated else round_at(Cells.of_field(field).starts)
    return sorted({*cut(masses, widths, deviation, roundness), *_needed(field)})


def _seen(masses: Floats, cells: list[int], deviation: float) -> Floats:
    """The masses without those of declared bins that hold less than noise.

    What a histogram has there leaked from the next bin: such a bin has no shape, so that it is filled evenly, as it
    would be without a histogram.
    """
    held = np.add.reduceat(masses, cells)
    seen = np.repeat(held >= _SEEN * deviation, np.diff([*cells, len(masses)]))
    return np.where(seen, masses, 0.0)


def _with_spikes(field: Field, column: _Column, heaps: Rounded | None) -> _Column:
    """The column with what was counted at 0 and the ends of its range, where it lost that among neighbours."""
    if heaps is None:
        return column
    found, counts, variance = heaps
    cells, (seen, noise) = Cells.of_field(field), column.finest
    single = cells.of[found.single]
    precision = 1 / variance + np.where(cells.widths[single] == 1, 1 / max(noise, 1e-9), 0.0)
    told = counts[found.rounds :] / variance + (precision - 1 / variance) * seen[single]
    least = clearly(found.starts[found.single]) / np.sqrt(precision)
    masses = with_spikes(column.masses, single, told / precision, least)
    if field.shaped or (masses == column.masses).all():
        return replace(column, masses=masses)
    return replace(column, masses=masses, cells=_cut(field, masses, column.widths, column.deviation))


def _by_codes(field: Field, column: _Column, heaps: Rounded | None) -> _Column:
    """The column code by code, rows of its stretches at round numbers: these are narrower than cells."""
    first, last = bins_of(field).grid
    cells, widths = Cells.of_field(field), (last - first + 1).astype(np.float64)
    even, moved = (column.masses / column.widths)[cells.of] * widths, None
    if heaps is not None:
        found, counts, variance = heaps
        moved = found.moved(even, stretches_of(field, column.pieces), counts, variance, column.deviation)
    begins = np.searchsorted(cells.of, column.cells).tolist()
    stretches = () if moved is None else tuple(np.searchsorted(cells.of, column.pieces).tolist())
    masses, middles = (even if moved is None else moved), first + (widths - 1) / 2
    return replace(column, masses=masses, widths=widths, middles=middles, cells=begins, stretches=stretches)


def _with_means(curator: Curator, fine: Schema, columns: list[_Column], spent: Fraction) -> list[_Column]:
    """The same columns, what is inside their bins tilted to means that are measured by themselves."""
    away = [Distances.of(one.middles, one.masses, one.widths, one.bin_of, one.deviation) for one in columns]
    most = factors([one.width for one in away], pure=curator.budget.pure)
    asked = [
        MeanQueries.of(fine.domain, Axis(one.position), distances, factor)
        for one, distances, factor in zip(columns, away, most, strict=True)
    ]
    if not any(one.counts.any() for one in away):
        return columns  # nothing was seen in any bin: a sum with weights of 0 has no noise to pay for
    question = NoisyLinear(queries=[one.queries for one in asked], what=MEANS)
    found = curator.ask(question, share=spent * _MEANS)
    moves = ask_means(asked, found, [one.masses for one in columns], parts=_parts(curator))
    return [
        replace(one, masses=tilted(one.masses, means.place, moved, one.leaning_pieces, one.bin_of))
        for one, means, moved in zip(columns, asked, moves, strict=True)
    ]


def _axis(fine: Schema, position: int) -> Axis:
    """The column's cells."""
    return Axis(position, level_of_cells(fine.fields[position]))


def _axes(position: int, field: Field) -> list[Axis]:
    """Every other level of the attribute from cells up, coarsest first: each cell holds four of the next."""
    attribute, extra, cells = field.attribute, field.size - field.n_main, level_of_cells(field)
    levels = range(cells, attribute.n_levels, 2)
    kept = [level for level in levels if level == cells or attribute.size_at(level) - extra > COARSEST]
    return [Axis(position, level) for level in reversed(kept)]


def _resolved(fine: Field, column: _Column) -> dict[str, Any]:
    """The field's bins as a schema file has them; declared ones as they were written, and how values lie inside."""
    bins = bins_of(fine)
    starts, pieces = bins.grid[0], column.pieces
    held = np.add.reduceat(column.masses, pieces)
    shape: dict[str, Any] = {"starts": starts[pieces].tolist(), "shares": [_written(mass) for mass in held]}
    if column.stretches:
        shape["stretches"] = starts[list(column.stretches)].tolist()
    if fine.shaped:
        return {"bins": {**fine.properties["bins"], "inside": shape}}
    found = {"first": starts[column.cells].tolist(), **shape}
    return {"bins": {"found": found}} | ({} if bins.whole else {"decimals": bins.decimals})


def _written(mass: float) -> float:
    return float(f"{max(mass, 0.0):.6g}")


def _lookup(fine: Field, column: _Column) -> list[int]:
    """The new code of each code of the grid."""
    n_bins, extra = len(column.cells), fine.size - fine.n_main
    return [*column.bin_of.tolist(), *range(n_bins, n_bins + extra)]


def _recoding(fine: Schema, resolved: Schema, lookups: dict[int, list[int]]) -> Recoding:
    source, target = fine.domain, resolved.domain
    same = [list(range(attribute.size)) for attribute in source]
    lookup = [lookups.get(i, same[i]) for i in range(len(source))]
    return Recoding(
        source=source,
        target=target,
        parts=tuple(Part(source=i, lookup=tuple(codes)) for i, codes in enumerate(lookup)),
        pieces=tuple((i,) for i in range(len(source))),
        back=tuple(_first_of_each(codes, target[i].size) for i, codes in enumerate(lookup)),
    )


def _first_of_each(codes: list[int], size: int) -> tuple[int, ...]:
    """Where each new code comes first. Codes rise, but for those of special and missing values at the end.

    >>> _first_of_each([0, 0, 1, 2, 2], 3)
    (0, 2, 3)
    """
    found, first = np.unique(np.array(codes), return_index=True)
    if len(found) != size:
        raise ValueError("a bin that no cell is in")
    return tuple(first.tolist())
