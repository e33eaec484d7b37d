"""Counts of a table that nobody has whole: un-mixed from what the parties published."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
import numpy.typing as npt

from understudy._core.errors import OptionError
from understudy.counting import Counter, Counts, open_counter
from understudy.randomize._channel import Asked, Channel, open_channel
from understudy.randomize._inbox import Inbox
from understudy.randomize._published import Fit, Published, Unmixed
from understudy.randomize._unmix import Floats
from understudy.schema import Axis, Domain, Marginal, Recoding

MOST_CELLS = 1 << 27
"""Of one table that is counted: a gigabyte in doubles."""


@dataclass(frozen=True, eq=False)
class Layout:
    """How one marginal is counted: in whose rows (numbers of files), and by which channels."""

    files: tuple[int, ...]
    channels: tuple[Channel, ...]
    sizes: tuple[int, ...]
    order: tuple[int, ...]

    @property
    def counted(self) -> Marginal:
        """The table whose published counts are needed, over the domain of all columns."""
        return Marginal(tuple(axis for channel in self.channels for axis in channel.counted))

    def published(self, counts: npt.NDArray[np.generic]) -> Published:
        """Counts of that table, with what is known of their randomisation."""
        table = counts.astype(np.float64).reshape([channel.n_counted for channel in self.channels])
        for axis, channel in enumerate(self.channels):
            table = channel.merge(table, axis)
        return Published(table, self.channels, self.sizes, self.order, int(counts.sum()))


class UnmixedCounts:
    """Estimated counts of the true table behind an inbox. Free: they are made from what was published.

    It is a `Counter` too, of whole counts without negative ones, so that whatever is learnt from counts can be learnt
    from these. Each table of them is fitted by itself: two that share attributes need not agree on those.

    >>> from fractions import Fraction
    >>> from understudy.randomize import Block, PartyColumns, Plan, Response
    >>> from understudy.schema import Schema
    >>> from understudy.tables import Table
    >>> schema = Schema.from_dict({"fields": [{"name": "smokes", "categories": ["no", "yes"]}]})
    >>> block = Block(columns=("smokes",), sizes=(2,), matrix=Response(2, Fraction(3, 4)))
    >>> plan = Plan(party="hospital", schema=schema, blocks=(block,))
    >>> table = Table(schema.domain, (np.array([0, 0, 0, 0, 0, 1, 1, 1]),))
    >>> counts = UnmixedCounts(Inbox([PartyColumns(plan, table)]))
    >>> [one] = counts.estimates([Marginal.of(0)])
    >>> one.counts.tolist(), one.variance.tolist()
    ([6.0, 2.0], [6.0, 6.0])
    """

    def __init__(self, inbox: Inbox, *, how: Fit = "likelihood", threads: int | None = None) -> None:
        self.inbox = inbox
        self.how = how
        self._threads = threads
        self._counters: dict[tuple[int, ...], Counter] = {}
        self._channels: dict[tuple[Axis, ...], Channel] = {}
        self._recoding: Recoding | None = None
        self._block_of = {name: block for block in inbox.blocks for name in block.columns}

    @property
    def domain(self) -> Domain:
        """All attributes of all parties."""
        return self.inbox.domain if self._recoding is None else self._recoding.target

    @property
    def n(self) -> int:
        """Number of rows that every party has."""
        return self.inbox.n

    def published(self, marginals: Sequence[Marginal]) -> list[Published]:
        """Published counts with their channels, one for each marginal; counted together.

        A marginal's rows are all that the parties it touches share.
        """
        layouts = [self.layout(marginal) for marginal in marginals]
        tables = self.count_published(layouts)
        return [layout.published(table) for layout, table in zip(layouts, tables, strict=True)]

    def count_published(self, layouts: Sequence[Layout]) -> list[Counts]:
        """The counted table of each layout, in one pass over the rows of each set of files."""
        tables: dict[int, Counts] = {}
        for files in dict.fromkeys(layout.files for layout in layouts):
            chosen = [number for number, layout in enumerate(layouts) if layout.files == files]
            counter, place = self._counter(files)
            wanted = [
                Marginal(tuple(Axis(place[axis.attribute], axis.level) for axis in layouts[number].counted.axes))
                for number in chosen
            ]
            tables.update(zip(chosen, counter.count(wanted), strict=True))
        return [tables[number] for number in range(len(layouts))]

    def estimates(self, marginals: Sequence[Marginal]) -> list[Unmixed]:
        """Unbiased counts and their variances, shaped like each marginal."""
        return [one.unmixed() for one in self.published(marginals)]

    def fitted(self, marginals: Sequence[Marginal], how: Fit | None = None) -> list[Floats]:
        """Counts without negative ones, shaped like each marginal; each table's total is its number of rows."""
        return [one.fitted(how or self.how) for one in self.published(marginals)]

    def covariance(self, marginal: Marginal, *, sampling: bool = False) -> Floats:
        """The unbiased estimate of the covariance of a marginal's estimates, its cells flattened."""
        return self.published([marginal])[0].covariance(sampling=sampling)

    def count(self, marginals: Sequence[Marginal]) -> list[Counts]:
        """Fitted counts as whole numbers with total n."""
        return [_whole(table, self.n) for table in self.fitted(marginals)]

    def recoded(self, recoding: Recoding) -> UnmixedCounts:
        """The same under another encoding of the codes."""
        if self._recoding is not None:
            raise ValueError("counts that are recoded already cannot be recoded again")
        same = UnmixedCounts(self.inbox, how=self.how, threads=self._threads)
        same._counters = self._counters
        same._recoding = None if recoding.trivial and recoding.target == self.domain else recoding
        return same

    def _counter(self, files: tuple[int, ...]) -> tuple[Counter, dict[int, int]]:
        """Counts the rows that some files share; and where the attributes of those files are in it."""
        inbox = self.inbox
        attributes = [a for a in range(len(inbox.domain)) if inbox.parties_of([a])[0] in files]
        if files not in self._counters:
            self._counters[files] = open_counter(inbox.table_of(attributes), threads=self._threads)
        return self._counters[files], {attribute: place for place, attribute in enumerate(attributes)}

    def layout(self, marginal: Marginal) -> Layout:
        """How a marginal is counted: what is needed to say which tables, before any row is looked at."""
        domain = self.inbox.domain
        asked = [self._asked(axis) for axis in marginal.axes]
        by_block: dict[tuple[str, ...], list[int]] = {}
        for number, one in enumerate(asked):
            block = self._block_of[domain[one.axis.attribute].name]
            by_block.setdefault(block.columns, []).append(number)
        channels = tuple(
            self._channel([(marginal.axes[n], asked[n]) for n in numbers]) for numbers in by_block.values()
        )
        cells = max(prod(c.n_counted for c in channels), prod(c.n_asked for c in channels))
        if cells > MOST_CELLS:
            names = ", ".join(self.domain[axis.attribute].name for axis in marginal.axes)
            raise OptionError(
                f"the table of {names} needs {cells:,} cells, with the columns that were randomised together with "
                f"them: about {cells * 32 / 1e9:,.1f} GB. Ask for fewer columns, or for coarser ones."
            )
        grouped = [number for numbers in by_block.values() for number in numbers]
        return Layout(
            files=self.inbox.rows_used_for([one.axis.attribute for one in asked]),
            channels=channels,
            sizes=tuple(asked[number].size for number in grouped),
            order=tuple(grouped.index(number) for number in range(len(asked))),
        )

    def _channel(self, asked: Sequence[tuple[Axis, Asked]]) -> Channel:
        """The channel for some axes of one block; searches ask for the same ones many times."""
        axes = tuple(axis for axis, _ in asked)
        if axes not in self._channels:
            domain = self.inbox.domain
            block = self._block_of[domain[asked[0][1].axis.attribute].name]
            self._channels[axes] = open_channel(block, [one for _, one in asked], domain)
        return self._channels[axes]

    def _asked(self, axis: Axis) -> Asked:
        if self._recoding is None:
            return Asked(axis=axis, size=self.domain.size(axis))
        part = self._recoding.parts[axis.attribute]
        attribute = self.domain[axis.attribute]
        lookup = np.array(part.lookup, dtype=np.int64)
        codes = attribute.groups_at(axis.level)[lookup]
        source = self.inbox.domain[part.source]
        for level in range(source.n_levels):
            if np.array_equal(codes, source.groups_at(level)):
                return Asked(axis=Axis(part.source, level), size=attribute.size_at(axis.level))
        return Asked(axis=Axis(part.source), size=attribute.size_at(axis.level), lookup=codes)


def _whole(table: Floats, total: int) -> Counts:
    """Whole numbers with this total, as near as can be: what is left over goes to the largest fractions."""
    summed = float(table.sum())
    scaled = table.ravel() * (total / summed) if summed > 0 else np.full(table.size, total / table.size)
    whole = np.floor(scaled).astype(np.int64)
    left = total - int(whole.sum())
    # sorted so that equal fractions are served in the order of cells, whatever the platform
    whole[np.argsort(whole - scaled, kind="stable")[:left]] += 1
    return whole.reshape(table.shape)
