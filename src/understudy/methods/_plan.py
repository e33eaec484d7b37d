"""The dry run: what a fit would do, from schema, number of rows and budget alone. It spends nothing, reads no row."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from math import comb
from typing import TYPE_CHECKING, Any

from understudy._core.notebooks import card, to_pandas
from understudy.methods._forecast import Measures, measures_of_tables
from understudy.methods._outlook import Outlook
from understudy.methods._outlook_table import OUTLOOK_HEADER, outlook_notes, outlook_rows
from understudy.methods._parents import TooManySetsError, maximal_parent_sets
from understudy.methods._search import may_have_parents
from understudy.schema import Domain

if TYPE_CHECKING:
    from understudy.methods._settings import Settings

# Rough costs of a `publish` from its start to its end, for a prediction and nothing else: a cell that is read, drawn
# and written, and what Python and the libraries take.
SECONDS_PER_SAMPLED_CELL = 3e-7
SECONDS_PER_TABLE, SECONDS_PER_ROW = 4e-5, 1e-9
BASE_SECONDS = 1.15
BASE_BYTES = 215_000_000
_BYTES_OF_CELL = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributePlan:
    """What to expect of one attribute."""

    name: str
    size: int
    levels: tuple[int, ...]
    largest_table: int
    expected_error: float | None
    """Expected total variation distance between its largest table and the truth, from noise alone, before
    post-processing: an upper estimate. None where no table is measured."""
    may_have_parents: bool
    finest_as_parent: int | None
    """Finest level at which another attribute may depend on it; None if it fits nowhere."""

    @property
    def coarsened(self) -> bool:
        """Whether others can only depend on it in a coarser form, or not at all."""
        return self.size > 1 and self.finest_as_parent != 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PromisePlan:
    """What a run would give under one promise: the chosen one, or another with the same ε.

    >>> PromisePlan(epsilon=1.0, delta=0.0, neighbours="add-remove", noise_mean=4.0, expected_error=0.02).chosen
    False
    """

    epsilon: float
    delta: float
    neighbours: str
    noise_mean: float | None
    """Average size of the noise on one count, in rows. None where the method has no such run."""
    expected_error: float | None
    """Expected total variation distance, from noise alone, of a table with as many cells as the largest that is useful
    under the chosen promise."""
    chosen: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The dry run of one fit. What a method has no use for is None, empty or 0."""

    method: str
    rows: int
    attributes: tuple[AttributePlan, ...]
    score: str | None
    """How candidates for relations are scored; None for a method that looks for none."""
    degree: int | None
    largest_useful_table: int
    noise_mean: float
    shares: dict[str, float]
    candidates_per_choice: tuple[int, ...]
    max_candidates: int
    memory_bytes: int
    seconds: float
    """CPU seconds of `publish`, from its start to its end, on the machine that they were measured on."""
    notes: tuple[str, ...] = ()
    """What else there is to say, in sentences."""
    epsilon: float | None = None
    """The ε that all but the outlook is of."""
    promise: str = ""
    """What the run would promise, in plain words."""
    promises: tuple[PromisePlan, ...] = ()
    """What each promise would give at the same ε; empty where nothing is measured."""
    outlook: tuple[Outlook, ...] = ()
    """What to expect at each ε that was asked for."""
    wall_seconds: float | None = None
    """About how long the run would take on this machine, as busy as it is now."""
    engine: str = "memory"
    """How rows are counted: held in memory, streamed, or on a Spark cluster."""
    engine_because: str = ""
    """Why they are streamed, as a sentence; empty where they are held."""
    passes: int | None = None
    """The most passes over the rows, the first of which checks them; None where nobody knows before. In a database each
    query over the table is one."""
    pass_bytes: int | None = None
    """Bytes of files that one pass reads at most; None where no file was named."""
    assumed: str = ""
    """What the outlook supposes of the table, which no public figure tells."""
    measures: Measures | None = field(default=None, compare=False, repr=False)
    """What is measured with how much noise; None where that says nothing about columns and pairs."""

    def __repr__(self) -> str:
        return f"Plan({self.method!r}, rows={self.rows}, columns={len(self.attributes)})"

    def _repr_html_(self) -> str:
        error = [a.expected_error for a in self.attributes if a.expected_error is not None]
        rows = [
            ("rows", f"{self.rows:,}"),
            ("columns", str(len(self.attributes))),
            ("noise on a count, rows", f"{self.noise_mean:.1f}"),
            ("largest useful table, cells", f"{self.largest_useful_table:,}"),
            *([("worst expected error of a table", f"{max(error):.3f}")] if error else []),
            ("time", f"about {self.seconds:.0f} s"),
        ]
        said = [*([self.promise] if self.promise else []), *self.notes]
        title = f"Plan for {self.method}"
        if not self.outlook:
            return card(title, rows, notes=said)
        facts = "; ".join(f"{name}: {value}" for name, value in rows)
        told = [*outlook_notes(self.outlook, self.assumed), f"At ε = {self.epsilon:g}: {facts}.", *said]
        return card(title, outlook_rows(self.outlook), header=OUTLOOK_HEADER, notes=told)

    @property
    def drawn(self) -> bool:
        """Whether some choice has more candidates than the limit, so that they are drawn by coins."""
        return any(count > self.max_candidates for count in self.candidates_per_choice)

    @property
    def coarsened(self) -> tuple[str, ...]:
        """Attributes that others can only depend on in a coarser form, or not at all."""
        return () if self.score is None else tuple(a.name for a in self.attributes if a.coarsened)

    def to_dict(self) -> dict[str, object]:
        """As plain values."""
        plain = asdict(replace(self, measures=None))
        del plain["measures"]
        for line, one in zip(plain["outlook"], self.outlook, strict=True):
            line["relations"] = one.relations
        return plain | {"drawn": self.drawn, "coarsened": list(self.coarsened)}

    def to_pandas(self) -> Any:
        """The outlook as a pandas dataframe, a row for each ε; errors are averages over columns, and over pairs."""
        return to_pandas([
            {name: value for name, value in asdict(one).items() if not isinstance(value, tuple)}
            | {"relations": one.relations}
            for one in self.outlook
        ])  # fmt: skip


def make_plan(settings: Settings, n: int) -> Plan:
    """The dry run for these settings."""
    domain = settings.domain
    counts = _candidates_per_choice(settings)
    return Plan(
        method="privbayes",
        rows=n,
        attributes=tuple(_attribute_plan(settings, a, n) for a in range(len(domain))),
        score=settings.score.name,
        degree=settings.limits.degree,
        largest_useful_table=settings.limits.cells or 2 ** (1 + (settings.limits.degree or 0)),
        noise_mean=settings.noise.mean_abs,
        shares={
            "rows": float(settings.rows_share),
            "network": float(settings.selection_share),
            "tables": float(settings.tables_share),
        },
        candidates_per_choice=counts,
        max_candidates=settings.max_candidates,
        memory_bytes=_memory(domain, n),
        seconds=_seconds(settings, n, counts),
        measures=_measures_of(settings),
    )


def baseline_plan(
    method: str,
    domain: Domain,
    n: int,
    *,
    noise: float | None,
    shares: dict[str, float],
    notes: tuple[str, ...] = (),
) -> Plan:
    """The dry run of a method without relations: one table per column, or none at all where `noise` is None.

    >>> from understudy.schema import Attribute
    >>> domain = Domain((Attribute(name="sex", size=2), Attribute(name="age", size=10)))
    >>> found = baseline_plan("independent", domain, 1000, noise=4.0, shares={"tables": 1.0})
    >>> [attribute.expected_error for attribute in found.attributes], found.largest_useful_table
    ([0.004, 0.02], 10)
    """
    measured = noise is not None
    return Plan(
        method=method,
        rows=n,
        attributes=tuple(
            AttributePlan(
                name=attribute.name,
                size=attribute.size,
                levels=tuple(attribute.size_at(level) for level in range(attribute.n_levels)),
                largest_table=attribute.size if measured else 0,
                expected_error=None if noise is None else expected_error(attribute.size, noise, n),
                may_have_parents=False,
                finest_as_parent=None,
            )
            for attribute in domain
        ),
        score=None,
        degree=0,
        largest_useful_table=max((attribute.size for attribute in domain), default=0) if measured else 0,
        noise_mean=noise or 0.0,
        shares=shares,
        candidates_per_choice=(),
        max_candidates=0,
        memory_bytes=_memory(domain, n),
        seconds=baseline_seconds(n, len(domain)),
        notes=notes,
        measures=None if noise is None else measures_of_tables(_sizes(domain), noise, [0] * len(domain), degree=0),
    )


def plan_with_tables(
    method: str,
    domain: Domain,
    n: int,
    *,
    cells: int,
    noise: float,
    candidates: tuple[int, ...],
    max_candidates: int,
    shares: dict[str, float],
    notes: tuple[str, ...] = (),
) -> Plan:
    """The dry run of a method whose tables have up to so many cells, chosen by score R.

    >>> from understudy.schema import Attribute
    >>> domain = Domain((Attribute(name="sex", size=2), Attribute(name="age", size=10)))
    >>> found = plan_with_tables("privabn", domain, 1000, cells=8, noise=4.0, candidates=(1,), max_candidates=9,
    ...     shares={"tables": 1.0})
    >>> [attribute.largest_table for attribute in found.attributes], found.coarsened
    ([8, 10], ('age',))
    """
    attributes = []
    for attribute in domain:
        fitting = [level for level in range(attribute.n_levels) if attribute.size_at(level) <= cells // 2]
        largest = max(attribute.size, cells)
        attributes.append(
            AttributePlan(
                name=attribute.name,
                size=attribute.size,
                levels=tuple(attribute.size_at(level) for level in range(attribute.n_levels)),
                largest_table=largest,
                expected_error=expected_error(largest, noise, n),
                may_have_parents=1 < attribute.size <= cells // 2,
                finest_as_parent=fitting[0] if fitting else None,
            )
        )
    each = SECONDS_PER_TABLE + n * SECONDS_PER_ROW
    return Plan(
        method=method,
        rows=n,
        attributes=tuple(attributes),
        score="R",
        degree=None,
        largest_useful_table=cells,
        noise_mean=noise,
        shares=shares,
        candidates_per_choice=candidates,
        max_candidates=max_candidates,
        memory_bytes=_memory(domain, n),
        seconds=baseline_seconds(n, len(domain)) + 2 * sum(candidates) * each,
        notes=notes,
        measures=measures_of_tables(_sizes(domain), noise, [cells] * len(domain), degree=None),
    )


def expected_error(cells: int, noise: float, n: int) -> float:
    """Expected total variation distance that this much noise a cell gives a table of n rows; at most 1.

    >>> expected_error(10, 4.0, 1000)
    0.02
    """
    return min(1.0, cells * noise / (2 * n))


def _sizes(domain: Domain) -> list[int]:
    return [attribute.size for attribute in domain]


def _measures_of(settings: Settings) -> Measures | None:
    """None where columns are not measured as they are."""
    domain, limits = settings.domain, settings.limits
    if [attribute.name for attribute in domain] != [attribute.name for attribute in settings.recoding.source]:
        return None
    cells = [limits.cells if may_have_parents(domain, limits, a) else 0 for a in range(len(domain))]
    return measures_of_tables(_sizes(domain), settings.noise.mean_abs, cells, degree=limits.degree)


def _attribute_plan(settings: Settings, a: int, n: int) -> AttributePlan:
    domain, limits = settings.domain, settings.limits
    attribute = domain[a]
    possible = may_have_parents(domain, limits, a)
    if limits.degree is not None:
        others = sorted((b.size for i, b in enumerate(domain) if i != a), reverse=True)[: limits.degree]
        largest = attribute.size
        for size in others:
            largest *= size
        finest: int | None = 0 if limits.degree > 0 else None
    else:
        largest = max(attribute.size, limits.cells if possible else 0)
        rooms = [limits.room_for_parents(b.size) for i, b in enumerate(domain) if i != a and b.size > 1]
        fitting = [level for level in range(attribute.n_levels) if attribute.size_at(level) <= max(rooms, default=0)]
        finest = fitting[0] if fitting else None
    return AttributePlan(
        name=attribute.name,
        size=attribute.size,
        levels=tuple(attribute.size_at(level) for level in range(attribute.n_levels)),
        largest_table=largest,
        expected_error=expected_error(largest, settings.noise.mean_abs, n),
        may_have_parents=possible,
        finest_as_parent=finest,
    )


def _candidates_per_choice(settings: Settings) -> tuple[int, ...]:
    """Candidates of each choice if attributes were chosen in table order; a count above the limit stops there."""
    domain, limits = settings.domain, settings.limits
    cap = settings.max_candidates + 1
    able = [a for a in range(len(domain)) if may_have_parents(domain, limits, a)]
    chosen = [a for a in range(len(domain)) if a not in able]
    if not [a for a in chosen if domain[a].size > 1] and able:
        chosen.append(able.pop(0))
    counts: list[int] = []
    while able:
        parents = [a for a in chosen if domain[a].size > 1]
        if limits.degree is not None:
            count = min(len(able) * comb(len(parents), min(limits.degree, len(parents))), cap)
        elif counts and counts[-1] >= cap:
            count = cap  # candidates only grow more numerous
        else:
            count = min(sum(_n_sets(domain, parents, limits.room_for_parents(domain[a].size), cap) for a in able), cap)
        counts.append(count)
        chosen.append(able.pop(0))
    return tuple(counts)


def _n_sets(domain: Domain, parents: list[int], room: int, cap: int) -> int:
    try:
        return max(1, len(maximal_parent_sets(domain, parents, room, limit=cap)))
    except TooManySetsError:
        return cap


def _memory(domain: Domain, n: int) -> int:
    return BASE_BYTES + _BYTES_OF_CELL * n * len(domain)


def baseline_seconds(n: int, columns: int) -> float:
    """What reading, drawing and writing take, without any learning.

    >>> baseline_seconds(1000, 10) < baseline_seconds(100_000, 10)
    True
    """
    return BASE_SECONDS + n * columns * SECONDS_PER_SAMPLED_CELL


def _seconds(settings: Settings, n: int, counts: tuple[int, ...]) -> float:
    """One core's time."""
    fresh = sum(count if count <= settings.max_candidates else settings.max_candidates // 8 for count in counts)
    return baseline_seconds(n, len(settings.domain)) + fresh * settings.seconds_per_candidate
