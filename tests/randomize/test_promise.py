"""The privacy statement of a study: each block in words and at its price, whatever its matrix."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import log

import pytest

from understudy.randomize import Block, Matrix, Plan, Response, TransitionMatrix
from understudy.randomize._promise import Sent, study_statement, told_apart
from understudy.schema import Schema

SCHEMA = Schema.from_dict(
    {"name": "hospital", "fields": [{"name": name, "categories": ["no", "yes"]} for name in ("smokes", "disease")]}
)
HALF, MOST = Fraction(1, 2), Fraction(3, 4)
UNEVEN = Matrix.of([["0.9", "0.1"], ["0.25", "0.75"]])
ONE_SIDED = Matrix.of([["1", "0"], ["0.25", "0.75"]])


def sent(*blocks: Block, **facts: int | bool) -> Sent:
    return Sent(plan=Plan(party="hospital", schema=SCHEMA, blocks=blocks), rows=10, **facts)  # type: ignore[arg-type]


def one(column: str, matrix: TransitionMatrix | None, **more: bool) -> Block:
    return Block(columns=(column,), sizes=(2,), matrix=matrix, **more)  # type: ignore[arg-type]


def test_a_block_of_two_columns_is_one_line() -> None:
    [line] = sent(Block(columns=("smokes", "disease"), sizes=(2, 2), matrix=Response(4, HALF))).charges
    assert (line.what, line.party, line.local) == ("smokes, disease", "hospital", True)
    assert line.mechanism == "randomised response over 4 cells, kept with 0.5"
    assert line.cost is not None
    assert log(3) <= line.cost < log(3) + 1e-9


@pytest.mark.parametrize(
    ("block", "words", "bounded"),
    [
        (one("smokes", UNEVEN), "a matrix over 2 values, kept with 0.75 to 0.9", True),
        (one("smokes", ONE_SIDED), "a matrix over 2 values, kept with 0.75 to 1", False),
        (one("smokes", Response(2, Fraction(1))), "left as it is", False),
        (one("smokes", UNEVEN, from_data=True), "a matrix over 2 values worked out from the table itself", False),
        (one("smokes", None, from_data=True), "a matrix over 2 values that keeps the shares", False),
    ],
)
def test_every_form_is_told_in_words_and_some_have_no_bound(block: Block, words: str, bounded: bool) -> None:
    line, _ = sent(block, one("disease", Response(2, MOST))).charges
    assert line.mechanism.startswith(words)
    assert (line.cost is not None) == bounded


def test_what_is_not_sensitive_costs_nothing() -> None:
    alone = one("smokes", Response(2, Fraction(1)), sensitive=False)
    found = sent(alone, one("disease", Response(2, MOST)))
    assert found.public == ("smokes",)
    assert [line.what for line in found.charges] == ["disease"]


@pytest.mark.parametrize("earlier", [Fraction(1, 2), Fraction(5), None])
def test_runs_before_are_paid_for_at_what_they_cost(earlier: Fraction | None) -> None:
    blocks = one("smokes", Response(2, MOST)), one("disease", UNEVEN)
    once, again = sent(*blocks).charges, sent(*blocks, times=2, earlier=earlier).charges  # type: ignore[arg-type]
    assert [line.cost for line in again] == [*(line.cost for line in once), earlier]
    assert [line.runs for line in again] == [2, 2, 1]
    assert again[-1].what == "smokes, disease"


def test_parties_add_up_and_a_seed_or_an_open_column_takes_the_guarantee_away() -> None:
    sound = sent(one("smokes", Response(2, MOST)), one("disease", Response(2, MOST)))
    given = {"name": "study", "schema": SCHEMA, "n_rows": 9, "method": "k2", "options": {}}
    statement = study_statement([sound], **given)  # type: ignore[arg-type]
    assert (statement.private, statement.trust, statement.n_rows) == (True, "local", 9)
    assert statement.epsilon == sum(line.cost for line in sound.charges if line.cost is not None)
    seeded = study_statement([sent(*sound.plan.blocks, seeded=True)], **given)  # type: ignore[arg-type]
    assert seeded.stamp == "NOT PRIVATE: seeded"
    open_one = sent(one("smokes", Response(2, Fraction(1))), one("disease", UNEVEN))
    left = study_statement([open_one], **given)  # type: ignore[arg-type]
    assert left.stamp == "NO GUARANTEE: sensitive columns without a bound"


def test_parties_of_one_name_are_told_apart() -> None:
    plans = [replace(sent(one("smokes", UNEVEN), one("disease", UNEVEN)).plan, party=name) for name in ("a", "b", "a")]
    assert told_apart(plans) == ["a 1", "b", "a 3"]
    found = [Sent(plan=plan, rows=9, called=called) for plan, called in zip(plans, told_apart(plans), strict=True)]
    assert [line.party for line in found[2].charges] == ["a 3", "a 3"]
    assert found[2].note.name == "a 3"
