"""The changes of docs/contributing.md, taken through the whole product."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import numpy as np
import pytest

import understudy as us
from tests.house.sources import PROJECT
from understudy import demo
from understudy._core import formats
from understudy._core.formats import FORMATS, TableFormat
from understudy.counting import ENGINES, open_counter
from understudy.methods import METHODS, Independent, method_named
from understudy.models import SCORES, RScore
from understudy.privacy import PrivacyUnit, make_budget, make_noise, open_curator
from understudy.schema import Schema

PAGE = PROJECT / "docs" / "contributing.md"


def test_the_page_lists_twelve_changes_and_shows_each() -> None:
    text = PAGE.read_text(encoding="utf-8")
    listed = re.findall(r"^\| \[[^\]]+\]\(#([a-z-]+)\)", text, re.MULTILINE)
    shown = [heading.lower().replace(" ", "-") for heading in re.findall(r"^## (.+)$", text, re.MULTILINE)]
    assert len(listed) == 12
    assert listed == shown


def test_a_format_of_ones_own_is_published_and_sampled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("lines_writer")
    exec(_block("class LinesWriter"), module.__dict__)  # the very class of the page
    monkeypatch.setitem(sys.modules, "lines_writer", module)
    added = TableFormat(endings=(".jsonl",), media_type="application/jsonl", writer=("lines_writer", "LinesWriter"))
    monkeypatch.setattr(formats, "FORMATS", {**FORMATS, "jsonl": added})
    model = us.PrivBayes(epsilon=1, seed=1).fit(demo.table_path(), demo.schema_path()).model_
    from understudy.release import write_table

    write_table(tmp_path / "rows.jsonl", model, n_rows=20, seed=1)
    [written] = tmp_path.glob("*.jsonl")  # stamped in its name, since the model was seeded
    rows = [json.loads(line) for line in written.read_text(encoding="utf-8").splitlines()]
    assert len(rows) == 20
    assert set(rows[0]) == set(model.schema.names)


def test_a_unit_of_several_rows_makes_every_table_of_a_release_noisier() -> None:
    schema = Schema.load(demo.schema_path())
    scales = []
    for unit in (PrivacyUnit(), PrivacyUnit("one family", max_rows=4)):
        counter = open_counter(demo.table_path(), schema)
        curator = open_curator(counter, budget=make_budget(1), unit=unit, noise=make_noise(seed=1))
        model = method_named("independent").fit(curator)
        scales.append({measurement.noise.scale for measurement in model.measurements})  # type: ignore[attr-defined]
    # four times as noisy, and a fiftieth of the budget goes to the number of rows, which is private then
    assert {4 * scale * Fraction(50, 49) for scale in scales[0]} == scales[1]


def test_a_method_of_ones_own_is_published_as_it_is(tmp_path: Path) -> None:
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Forgetful(Independent):
        """Measure each column on its own."""

        name: ClassVar[str] = "forgetful"

    release = us.publish("demo", epsilon=1, method=Forgetful(), out=tmp_path / "release")
    assert release.statement.method == "forgetful"


def test_registries_are_what_the_page_says() -> None:
    text = PAGE.read_text(encoding="utf-8")
    from understudy.evaluation import MEASURES
    from understudy.models import KINDS

    registries = {"SCORES": SCORES, "METHODS": METHODS, "KINDS": KINDS, "ENGINES": ENGINES, "MEASURES": MEASURES}
    for name, registry in {**registries, "FORMATS": FORMATS}.items():
        assert f"in `{name}`" in text
        assert len(registry) > 0


def test_a_score_needs_no_more_than_its_class() -> None:
    class Halved(RScore):
        """R with half its values: all bounds of R hold."""

        name = "halved"

        def scale(self, n: int) -> int:
            """Integer score per record."""
            return 4 * n

    bound = Halved().difference_sensitivity(10, [(2, 2)], make_terms().neighbours)
    assert bound == Fraction(18, 5)
    assert Halved()(np.array([[[2, 0], [0, 2]]]), 4).tolist() == RScore()(np.array([[[2, 0], [0, 2]]]), 4).tolist()


def make_terms() -> Any:
    """The usual terms."""
    from understudy.privacy import PrivacyTerms

    return PrivacyTerms(budget=make_budget(1))


def _block(start: str) -> str:
    """The block of the page that begins so."""
    found = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    return next(block for block in found if block.startswith(start))
