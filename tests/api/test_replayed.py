"""Whole runs played again on a neighbour with the same answers: nothing of rows gets out but through paid questions."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import pi
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import understudy.tables._broken as rows_module
from understudy import answer, publish
from understudy._api._fit import fit_model
from understudy._api._options import read_arguments
from understudy._api._settings import resolve
from understudy._core.errors import OptionError
from understudy.options import PublishOptions
from understudy.privacy import Counted, Curator, MemoryLedger
from understudy.release import PublishedModel
from understudy.tables import open_source

pytestmark = pytest.mark.one_in(3)

SCHEMA: dict[str, Any] = {
    "name": "stays",
    "fieldsMatch": "subset",
    "fields": [
        {
            "name": "a",
            "type": "integer",
            "special": [-1],
            "constraints": {"minimum": 0, "maximum": 40, "required": False},
        },
        {"name": "b", "type": "integer", "constraints": {"minimum": 0, "maximum": 99_999}},
        {"name": "day", "type": "date", "constraints": {"minimum": "2020-01-01", "maximum": "2020-03-31"}},
        {"name": "ward", "categories": ["p", "q", "r"]},
        {"name": "town", "categories": ["P", "Q"]},
    ],
    "dependencies": [
        {"lower": "a", "upper": "b"},
        {"determines": ["ward"], "column": "town"},
        {"impossible": {"ward": "r", "a": "30..40"}},
    ],
}
NAMES = [one["name"] for one in SCHEMA["fields"]]
BROKEN = ("40", "3", "2020-01-01", "p", "P")  # mended, b becomes 40


def stays(n: int, seed: int) -> list[tuple[str, ...]]:
    rng = np.random.default_rng(seed)
    days = pd.date_range("2020-01-01", "2020-03-31").strftime("%Y-%m-%d")
    return [
        (
            str(rng.choice(["", "-1", str(rng.integers(0, 30))])),
            str(int(rng.exponential(50)) + 29),
            str(rng.choice(days)),
            str(rng.choice(["p", "q", "r"])),
            str(rng.choice(["P", "Q"])),
        )
        for _ in range(n)
    ]


@dataclass
class Replay:
    """In place of `Curator.ask`: the first run's answers are noted, the second one's questions get the same."""

    ask: Any
    noted: list[tuple[str, Fraction, Counted, Any]] = field(default_factory=list)
    place: int | None = None

    def __call__(self, curator: Curator, question: Any, *, share: Fraction) -> Any:
        seen: list[tuple[Any, Counted]] = []
        price = question.price

        class Asked:
            what = question.what
            free_answer = staticmethod(question.free_answer)
            price = staticmethod(lambda facts, share: seen.append(price(facts, share)) or seen[-1])

            @staticmethod
            def count(rows: Any, facts: Any) -> Counted:
                seen.append(question.count(rows, facts))
                return seen[-1]

            answer = staticmethod(question.answer)

        found = self.ask(curator, Asked, share=share)
        if not seen:
            return found  # public
        if self.place is None:
            self.noted.append((question.what, share, seen[1], found))
            return found
        what, paid, before, answer = self.noted[self.place]
        self.place += 1
        assert (what, paid) == (question.what, share)
        cost = _cost(seen[0].mechanism, before, seen[1], pure=curator.budget.pure)
        assert cost is None or cost <= float(curator.budget.price(share)) * (1 + 1e-9)
        return answer


def _cost(mechanism: Any, one: Counted, other: Counted, *, pure: bool) -> float | None:
    """The exact ε or μ² between two tables; None for noise that is shaped, which has tests of its own."""
    moved = np.concatenate([(a - b).ravel().astype(float) for a, b in zip(one.tables, other.tables, strict=True)])
    if mechanism.rate is not None:
        reach = float(mechanism.rate) * float(np.ptp(moved)) / one.scale
        return reach if pure else reach**2 * pi / 8
    if type(mechanism).__name__ != "AddNoise" or mechanism.factors:
        return None
    return float((np.abs(moved) if pure else moved**2).sum() / float(mechanism.noise.scale))


def fitted(rows: list[tuple[str, ...]], units: list[str], policy: str, method: str, **options: Any) -> PublishedModel:
    table = pd.DataFrame(rows, columns=NAMES).assign(id=units)
    given = read_arguments(PublishOptions, {"epsilon": 5, "seed": 5, "method": method, **options})
    return fit_model(open_source(table), resolve(given, {**SCHEMA, "brokenRows": policy}))


def replayed(
    monkeypatch: pytest.MonkeyPatch, one: list[Any], other: list[Any], units: Any, policy: str, method: str, **more: Any
) -> Replay:
    replay = Replay(Curator.ask)
    monkeypatch.setattr(Curator, "ask", lambda curator, question, *, share: replay(curator, question, share=share))
    first = fitted(one, units(one), policy, method, **more)
    costs = [charge.cost for charge in first.statement.charges]
    assert sum(costs, Fraction(0)) == (first.statement.mu_squared or first.statement.epsilon)  # to the last digit
    replay.place = 0
    second = fitted(other, units(other), policy, method, **more)
    assert replay.place == len(replay.noted) > 3
    assert first.statement == second.statement
    assert first.schema.to_dict() == second.schema.to_dict()
    drawn = [model.sample(30, seed=3, kind="pandas") for model in (first, second)]
    pd.testing.assert_frame_equal(*drawn)
    return replay


def alone(rows: list[Any]) -> list[str]:
    return [str(i) for i in range(len(rows))]


def threes(rows: list[Any]) -> list[str]:
    return [str(i // 3) for i in range(len(rows))]


@pytest.mark.parametrize(
    ("policy", "neighbours", "delta", "change"),
    [
        ("drop", "add-remove", "1e-9", []),
        ("drop", "add-remove", 0, [BROKEN]),
        ("mend", "replace-one", "1e-9", [BROKEN]),
        ("mend", "add-remove", 0, []),
    ],
)
def test_a_neighbour_with_the_same_answers_makes_the_same_release(
    policy: str, neighbours: str, delta: Any, change: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    base = stays(60, seed=1)
    method = "adaptive" if delta else "independent"
    replayed(monkeypatch, base, base[:-1] + change, alone, policy, method, neighbours=neighbours, delta=delta)


@pytest.mark.parametrize("bounding", ["drop", "weigh"])
@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
def test_a_unit_all_of_whose_rows_are_left_out_costs_no_more(
    neighbours: str, bounding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = stays(30, seed=2)
    units = {"unit": "id", "max_rows": 3, "bounding": bounding}
    replayed(
        monkeypatch, base, base[:-3] + [BROKEN] * 2, threes, "drop", "independent",
        neighbours=neighbours, delta=0, **units,
    )  # fmt: skip


NOTHING_LEFT = {
    "name": "none",
    "fieldsMatch": "subset",
    "fields": [
        {"name": "a", "categories": ["0", "1"]},
        {"name": "b", "categories": ["0", "1"]},
        {"name": "c", "categories": ["p", "q", "r", "s"]},
        {"name": "d", "categories": ["p", "q", "r"]},
        {"name": "e", "type": "integer", "constraints": {"minimum": 0, "maximum": 40}},
    ],
    "dependencies": [{"impossible": {"a": "1", "b": "1"}}],
}


@pytest.mark.parametrize("engine", ["memory", "stream"])
@pytest.mark.parametrize(
    ("policy", "method", "more"),
    [
        ("drop", "adaptive", {}),
        ("mend", "adaptive", {"delta": 0}),
        ("drop", "privbayes", {}),
        ("drop", "privbayes", {"delta": 0, "score": "R"}),
        ("mend", "privabn", {"delta": 0}),
        ("drop", "privabn", {"unit": "id", "max_rows": 2, "bounding": "weigh", "neighbours": "replace-one"}),
        ("drop", "jtree", {}),
        ("drop", "independent", {"delta": 0}),
        ("drop", "uniform", {}),
    ],
)
def test_a_table_of_broken_rows_alone_is_a_neighbour_like_any_other(
    policy: str, method: str, more: dict[str, Any], engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody can tell it from the same table with one row more that counts."""
    replay = Replay(Curator.ask)
    monkeypatch.setattr(Curator, "ask", lambda curator, question, *, share: replay(curator, question, share=share))
    broken, told = [("1", "1", "p", "q", "7", "x")] * 5, []
    given = read_arguments(PublishOptions, {"epsilon": 1, "seed": 5, "method": method, "engine": engine, **more})
    settings = resolve(given, {**NOTHING_LEFT, "brokenRows": policy})
    for rows in (broken, [*broken, ("0", "1", "s", "r", "33", "y")]):
        found = fit_model(open_source(pd.DataFrame(rows, columns=[*"abcde", "id"])), settings)
        told.append((found.statement, found.schema.to_dict()))
        replay.place = 0 if replay.place is None else replay.place
    assert told[0] == told[1]
    assert replay.place == len(replay.noted) > 0


FILLED: dict[str, Any] = {
    "name": "doses",
    "fields": [
        {
            "name": "dose",
            "type": "number",
            "decimals": 1,
            "outside": "clip",
            "constraints": {"minimum": -50, "maximum": 50},
            "bins": {"edges": [-50, -10, 0, 5, 50], "inside": "auto"},
        },
        {"name": "cost", "type": "number", "outside": "clip", "constraints": {"minimum": 0, "maximum": 5_000_000}},
        {"name": "ward", "categories": ["p", "q", "r"], "outside": "other"},
        {"name": "price", "type": "integer", "constraints": {"minimum": 0, "maximum": 500}},
    ],
    "dependencies": [{"determines": ["ward"], "column": "price", "map": {"p": 7}}],
}


@pytest.mark.parametrize(
    ("policy", "neighbours", "delta", "change"),
    [
        ("drop", "add-remove", "1e-9", []),
        ("drop", "add-remove", 0, [("1", "2", "p", "8")]),  # breaks the map
        ("mend", "replace-one", "1e-9", [("-99.96", "1e300", "zzz", "0")]),
        ("mend", "replace-one", 0, [("50", "4999999.999", "p", "8")]),
    ],
)
def test_no_file_of_a_release_tells_more_than_the_answers(
    policy: str, neighbours: str, delta: Any, change: list[Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Byte by byte, of a neighbour with cells that are clipped, unknown to the schema, or break what it declares."""
    replay, rng, made = Replay(Curator.ask), np.random.default_rng(7), []
    monkeypatch.setattr(Curator, "ask", lambda curator, question, *, share: replay(curator, question, share=share))
    doses, costs = rng.normal(0, 15, 80).round(1).clip(-50, 50), rng.lognormal(5, 2, 80).round(3)
    wards = rng.choice(["q", "r"], 80)
    base = [(str(d), str(c), w, "20") for d, c, w in zip(doses, costs, wards, strict=True)]
    kept = base if neighbours == "add-remove" and change else base[:-1]
    for i, rows in enumerate((base, kept + change)):
        table, out = tmp_path / f"{i}.csv", tmp_path / f"release-{i}"
        pd.DataFrame(rows, columns=["dose", "cost", "ward", "price"]).to_csv(table, index=False)
        schema = {**FILLED, "brokenRows": policy}
        publish(
            table, schema=schema, out=out, epsilon=3, delta=delta, neighbours=neighbours, method="independent", seed=5
        )
        made.append({path.name: path.read_bytes() for path in out.iterdir()})
        replay.place = 0 if replay.place is None else replay.place
    assert made[0] == made[1]
    assert replay.place == len(replay.noted) > 2


@pytest.mark.parametrize(("neighbours", "delta", "change"), [("add-remove", 0, []), ("replace-one", "1e-9", [BROKEN])])
def test_answers_follow_from_paid_questions_too(
    neighbours: str, delta: Any, change: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over a column that nothing declares bins of, which a dependency cuts elsewhere than the queries do."""
    replay = Replay(Curator.ask)
    monkeypatch.setattr(Curator, "ask", lambda curator, question, *, share: replay(curator, question, share=share))
    base, told = stays(60, seed=3), []
    queries = ["a=3..20, b=10..90", "a=-1", "table(ward, town)"]
    for rows in (base, base[:-1] + change):
        table, schema = pd.DataFrame(rows, columns=NAMES), {**SCHEMA, "brokenRows": "mend"}
        found = answer(table, queries, schema=schema, epsilon=2, delta=delta, neighbours=neighbours, seed=4)
        told.append(found.to_dict())
        replay.place = 0 if replay.place is None else replay.place
    assert told[0] == told[1]
    assert replay.place == len(replay.noted) > 1
    assert "30–40" in found.model.schema["a"].labels


def test_rows_that_are_left_out_because_of_others_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = rows_module.keep_declared

    def by_number(table: Any, *rest: Any, **more: Any) -> Any:
        found, left = kept(table, *rest, **more)
        return (found, left) if found.n % 2 else (type(found)(found.domain, tuple(c[:9] for c in found.columns)), left)

    monkeypatch.setattr(rows_module, "keep_declared", by_number)
    base = stays(60, seed=1)
    with pytest.raises(AssertionError):
        replayed(monkeypatch, base, base[:-1], alone, "drop", "independent", delta=0)


PLAIN = {
    "name": "plain",
    "fields": [{"name": name, "categories": ["0", "1"]} for name in "abcdef"],
    "dependencies": [{"impossible": {"a": "1", "b": "1"}}],
}


def test_a_column_that_decides_over_a_row_is_protected_as_the_row_is() -> None:
    """Another value of `a` alone leaves the row out, which every table and the number of rows show."""
    table = pd.DataFrame([[*"010110"], *[[*"000101"]] * 9], columns=[*"abcdef"])

    def released(policy: str) -> dict[str, Fraction | None]:
        options = read_arguments(PublishOptions, {"epsilon": 1, "delta": 0, "seed": 1, "method": "independent"})
        found = fit_model(open_source(table), resolve(options, {**PLAIN, "brokenRows": policy})).statement.protection
        return {line.attributes[0]: line.released for line in found if line.attributes}

    refused, dropped, mended = released("refuse"), released("drop"), released("mend")
    assert all(cost is not None and cost < 1 for cost in refused.values())
    for found in (dropped, mended):
        assert found["a"] == found["b"] == 2  # it goes, and another comes: 1 each
        assert {name: found[name] for name in "cdef"} == {name: refused[name] for name in "cdef"}


@pytest.mark.parametrize("policy", ["drop", "mend"])
def test_a_promise_that_such_a_column_could_not_keep_is_refused(policy: str) -> None:
    given = {"epsilon": 1, "method": "hpprivbayes", "sensitive": "a"}
    with pytest.raises(OptionError, match=f"'a' has a sensitivity and a dependency.*brokenRows: {policy}"):
        resolve(read_arguments(PublishOptions, given), {**PLAIN, "brokenRows": policy})
    resolve(read_arguments(PublishOptions, {**given, "sensitive": "c"}), {**PLAIN, "brokenRows": policy})
    resolve(read_arguments(PublishOptions, given), PLAIN)
    ranged = {"name": "x", "type": "integer", "constraints": {"minimum": 0, "maximum": 99}}
    with pytest.raises(OptionError, match="'x' has `bins: auto` and column 'a' a sensitivity"):
        resolve(read_arguments(PublishOptions, given), {**PLAIN, "fields": [*PLAIN["fields"], ranged]})


@pytest.mark.parametrize("policy", ["drop", "mend"])
def test_the_method_that_answers_start_from_is_refused_such_a_promise_before_anything_is_charged(policy: str) -> None:
    table, ledger = pd.DataFrame([[*"000101"]] * 9, columns=[*"abcdef"]), MemoryLedger(cap=5)
    schema = {**PLAIN, "brokenRows": policy}
    with pytest.raises(OptionError, match="'a' has a sensitivity and a dependency"):
        answer(table, ["c=1"], schema=schema, epsilon=1, start="hpprivbayes:sensitive=a", ledger=ledger)
    assert not ledger.show()
