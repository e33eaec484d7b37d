"""Whether rows of a table on a database server are counted there, or read from it."""

from __future__ import annotations

from itertools import combinations

from understudy._core.errors import OptionError
from understudy.counting._batch import Axes, flatten
from understudy.counting._sql_passes import grouped
from understudy.schema import Domain, Marginal
from understudy.tables import Source

DATABASE = "database"
MOST_QUERIES = 1
"""Beyond that many, reading the rows takes less time than counting them where they are (benchmarks/postgres.py)."""
_MANY = 100  # columns: their pairs need far more tables than that, and planning them takes a while


def on_server(
    source: Source, domain: Domain, *, engine: str = "auto", pull: bool = False, one_by_one: bool = False
) -> bool:
    """Whether rows are counted where they are. Public: it depends on what was asked, and on the domain.

    `one_by_one`: whether rows themselves are needed, to bound those of a unit or to mend what is broken.

    Raises OptionError if an engine was asked for that cannot have them.
    """
    if source.server is None:
        if engine == DATABASE:
            raise OptionError(
                "the engine database counts rows on a PostgreSQL server, and this table is on none. Leave the engine "
                "to be chosen, or name the table as postgresql://user@host/database?table=name."
            )
        if pull:
            raise OptionError("--pull (pull=True) is for a table on a database server, and this one is on none.")
        return False
    if engine == DATABASE or (engine == "auto" and not pull):
        return True
    if engine == "auto":
        return not one_by_one and n_queries(domain) <= MOST_QUERIES
    if not pull:
        raise OptionError(
            f"the engine {engine} counts rows on this machine, and these are on a database server. Add --pull "
            "(pull=True) if they may leave it, or leave the engine to be chosen: they are counted there."
        )
    return False


def n_queries(domain: Domain, ways: int = 2) -> int:
    """Wider tables that a server counts for all tables of so many columns: of pairs, as most methods look at.

    >>> from understudy.schema import Attribute
    >>> n_queries(Domain(tuple(Attribute(name=name, size=4) for name in "abcdefgh")))
    1
    """
    if len(domain) > _MANY:
        return len(domain)
    asked = [Marginal.of(*some) for some in combinations(range(len(domain)), min(ways, len(domain)))]
    axes = Axes.of(domain)
    return len(grouped(flatten(asked, axes), axes))
