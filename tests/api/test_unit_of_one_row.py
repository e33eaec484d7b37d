"""With a unit column and one row a person, a run is what it is without: the same rows, charges and account."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import understudy as us
from tests.api.people import SCHEMA, people
from understudy._core.randomness import Streams
from understudy.counting import UnitRule, open_counter
from understudy.methods import BASELINES, METHODS, flaw_of
from understudy.models import Saves
from understudy.privacy import (
    ADD_REMOVE,
    REPLACE_ONE,
    PrivacyUnit,
    make_budget,
    make_noise,
    open_curator,
    read_ledger,
)
from understudy.schema import Marginal, Schema

EVERY = {**METHODS, **BASELINES}
SOUND = [name for name, kind in EVERY.items() if flaw_of(kind()) is None]
PUBLISHED = [name for name in SOUND if name in METHODS]
BINARY = ("sex", "smokes")  # all that priview can take
MORE = {"hpprivbayes": {"sensitive": ("job",)}}


@pytest.fixture(scope="module")
def table():
    rows = people(300)
    # in no order: what the column says of a row must not matter, nor where it stands
    rows.insert(2, "person", np.random.default_rng(5).permutation(len(rows)) * 7)
    return rows


def fitted(table, name, neighbours, delta, *, unit):
    fields = [field for field in SCHEMA["fields"] if name != "priview" or field["name"] in BINARY]
    schema = Schema.from_dict({"name": "people", "fieldsMatch": "subset", "fields": fields})
    rule = UnitRule(column="person", max_rows=1, coins=Streams(3)) if unit else None
    curator = open_curator(
        open_counter(table if unit else table.drop(columns="person"), schema, unit=rule),
        budget=make_budget(1, delta),
        neighbours=neighbours,
        unit=PrivacyUnit("one person", column="person") if unit else PrivacyUnit(),
        noise=make_noise(seed=11),
    )
    model = EVERY[name](**MORE.get(name, {})).fit(curator, streams=Streams(11))
    return model, curator


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", SOUND)
@pytest.mark.parametrize("neighbours", [REPLACE_ONE, ADD_REMOVE], ids=str)
@pytest.mark.parametrize("delta", [None, "1e-6"])
def test_every_method_learns_and_charges_the_same(table, name, neighbours, delta):
    (plain, before), (ours, after) = (fitted(table, name, neighbours, delta, unit=unit) for unit in (False, True))
    assert ours.n == plain.n
    assert after.charges == before.charges
    assert repr(after.protection) == repr(before.protection)
    assert after.terms.public_rows == before.terms.public_rows
    for columns in [(0,), (0, 1), (0, len(plain.domain) - 1)]:
        one, other = (m.marginal(Marginal.of(*columns), errors=False).probabilities for m in (plain, ours))
        np.testing.assert_array_equal(one, other)
    if isinstance(plain, Saves):
        assert ours.to_parts().document == plain.to_parts().document
        for name, array in plain.to_parts().arrays.items():
            np.testing.assert_array_equal(ours.to_parts().arrays[name], array)


def published(folder, table, name, **more):
    release = us.publish(
        table,
        schema={**SCHEMA, "fieldsMatch": "subset"},
        epsilon=1,
        method=name,
        out=folder,
        **MORE.get(name, {}),
        **more,
    )
    return release.path


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_rehearsed_release_has_the_same_rows(table, tmp_path, name):
    plain, ours = (
        published(tmp_path / word, table, name, seed=4, **unit)
        for word, unit in (("plain", {}), ("unit", {"unit": "person", "max_rows": 1}))
    )
    rows = sorted(path.name for path in plain.glob("synthetic*"))
    assert rows
    for name in rows:
        assert (ours / name).read_bytes() == (plain / name).read_bytes()
    one, other = (json.loads(next(Path(folder).glob("*privacy*.json")).read_text()) for folder in (plain, ours))
    assert other["charges"] == one["charges"]
    assert other["unit"] != one["unit"]


def test_a_ledger_books_the_same(table, tmp_path):
    entries = []
    for word, unit in (("plain", {}), ("unit", {"unit": "person", "max_rows": 1})):
        published(tmp_path / word, table, "independent", ledger=tmp_path / f"{word}.db", cap=2, **unit)
        *_, entry = read_ledger(tmp_path / f"{word}.db").entries
        entries.append(entry)
    assert entries[0].epsilon == entries[1].epsilon
    assert entries[0].delta == entries[1].delta
    assert entries[0].neighbours == entries[1].neighbours
