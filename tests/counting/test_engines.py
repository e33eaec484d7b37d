"""An engine is chosen in one place."""

from typing import Any

import numpy as np
import pytest

from tests.counting.awkward import AWKWARD, marginals_of
from tests.house.sources import PROJECT, SHIPPED, STUDIES
from tests.naive.counting import naive_count
from understudy._core.errors import OptionError
from understudy.counting import MemoryCounter, open_counter
from understudy.schema import Attribute, Domain
from understudy.tables import Table

TABLE = Table(Domain((Attribute(name="sex", size=2),)), (np.array([0, 1, 1]),))


def test_rows_are_counted_in_memory_unless_another_engine_is_named():
    assert isinstance(open_counter(TABLE), MemoryCounter)
    with pytest.raises(OptionError, match="no counting engine 'memry'"):
        open_counter(TABLE, engine="memry")


def test_the_engine_of_the_contributing_page_needs_no_other_change(monkeypatch):
    page = (PROJECT / "docs" / "contributing.md").read_text(encoding="utf-8")
    module: dict[str, Any] = {}
    [example] = [part.partition("```")[0] for part in page.split("```python\n") if "def open_whole" in part]
    exec(example, module)
    monkeypatch.setattr("understudy.counting._engines.ENGINES", {"whole": module["open_whole"]})
    table = AWKWARD["plain"]()
    asked = marginals_of(table)[::7]
    for marginal, counts in zip(asked, open_counter(table, engine="whole").count(asked), strict=True):
        assert np.array_equal(counts, naive_count(table.domain, table.columns, table.n, marginal)), marginal


def test_nothing_outside_the_room_of_counting_names_an_engine():
    names = (
        "Counter",
        "Counts",
        "UnitRule",
        "open_batches",
        "open_counter",
        "pair_parities",
        "CountingPlan",
        "plan_counting",
        "on_server",
        "n_threads",
    )
    offered = {f"understudy.counting.{name}" for name in names}
    for source in (*SHIPPED, *STUDIES):
        if "counting" not in source.module and "counting" in source.text:
            used = {name for _, name in source.imports() if name.startswith("understudy.counting")}
            assert used <= offered, source.path
