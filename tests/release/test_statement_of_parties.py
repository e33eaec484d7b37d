"""The privacy statement of parties that never pooled their columns: what it says, and what it must not claim."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from understudy._core.errors import ModelFileError
from understudy.release import CardFacts, PartyNote, Statement, croissant_card, privacy_letter, stamped_path
from understudy.schema import Schema

LOCAL = Statement.example_of_parties()
OPEN = replace(LOCAL, charges=(replace(LOCAL.charges[0], cost=None, mechanism="left as it is"), LOCAL.charges[1]))
NOISY = replace(LOCAL.charges[1], local=False, mechanism="discrete Laplace", noise="scale b = 2 per cell", tables=3)
MIXED = replace(LOCAL, charges=(LOCAL.charges[0], NOISY))


@pytest.mark.parametrize("statement", [LOCAL, OPEN, MIXED, replace(LOCAL, epsilon=Fraction(0), charges=())])
def test_it_survives_json_exactly(statement):
    assert Statement.from_dict(json.loads(json.dumps(statement.to_dict()))) == statement


def test_it_tells_the_trust_model_and_what_each_party_comes_to():
    written = LOCAL.to_dict()
    assert (written["trust"], written["guarantee"]) == ("local", "epsilon-local differential privacy")
    assert written["epsilon_by_party"] == {"hospital": "11/10", "insurer": "11/10"}
    assert MIXED.to_dict()["trust"] == "mixed"
    assert Statement.example().trust == "central"


def test_a_statement_of_one_holder_has_nothing_about_parties():
    written = Statement.example().to_dict()
    assert not {"parties", "trust", "epsilon_by_party"} & set(written)
    assert set(written["charges"][0]) == {"what", "mechanism", "cost", "unit", "tables", "candidates", "noise"}


def test_the_letter_adds_up_parties_and_claims_no_curator():
    letter = privacy_letter(LOCAL)
    for words in (
        "ε-local differential privacy with ε = 2.2 for one person, all 2 parties together",
        "9.03 times",
        "90.1 %",
        "| hospital | smokes, disease | randomised response over 4 cells, kept with 0.5 | 1.1 |",
        "**one person, all parties** | | | **2.2**",
        "Who takes part",
        "pseudonyms",
        "Trust model: local",
    ):
        assert words in letter, words
    for claim in ("trusted holder", "Trust model: central", "ε-differential privacy", "ledger was kept"):
        assert claim not in letter, claim


def test_noise_on_a_partys_own_counts_is_told_apart_from_randomised_rows():
    letter = privacy_letter(MIXED)
    assert "ε-differential privacy with ε = 2.2" in letter
    assert "discrete Laplace; scale b = 2 per cell (its own true columns, counted with noise)" in letter
    assert "Trust model: mixed" in letter
    assert MIXED.guarantee == "epsilon-differential privacy without a common curator"


def test_a_sensitive_column_without_a_bound_takes_the_guarantee_away():
    assert not OPEN.private
    assert OPEN.stamp == OPEN.guarantee == "NO GUARANTEE: sensitive columns without a bound"
    assert OPEN.to_dict()["epsilon_decimal"] is None
    assert OPEN.to_dict()["epsilon_by_party"] == {"hospital": None, "insurer": "11/10"}
    assert stamped_path(Path("joint.csv"), OPEN).name == "joint.NOT-PRIVATE.csv"
    assert "epsilon=unbounded" in OPEN.summary()
    letter = privacy_letter(OPEN)
    assert "smokes, disease of hospital (left as it is)" in letter
    assert "times as likely" not in letter
    assert "| **one person, all parties** | | | **unbounded** |" in letter


def test_columns_that_are_not_sensitive_and_second_runs_are_told():
    parties = (replace(LOCAL.parties[0], public=("sex",)), LOCAL.parties[1])
    twice = replace(LOCAL.charges[0], runs=2)
    letter = privacy_letter(replace(LOCAL, parties=parties, charges=(twice, LOCAL.charges[1])))
    assert "sex: sent unchanged by hospital" in letter
    assert "kept with 0.5, run 2 | 1.1 |" in letter
    assert "randomised more than once" in letter


def test_columns_sent_unchanged_are_not_claimed_to_be_randomised():
    for statement in (LOCAL, MIXED):
        assert "but for those below that were sent unchanged" not in privacy_letter(statement)
        parties = (replace(statement.parties[0], public=("sex",)), statement.parties[1])
        assert "but for those below that were sent unchanged" in privacy_letter(replace(statement, parties=parties))


def test_no_bound_is_claimed_where_noise_can_be_taken_off_or_was_left_out():
    assert "each bound in it holds for these columns alone" in privacy_letter(OPEN)
    exact = replace(NOISY, cost=None, mechanism="exact counts", noise="none")
    printed = replace(MIXED, charges=(LOCAL.charges[0], exact), as_printed="exact parameters are shared.")
    for statement in (replace(LOCAL, seeded=True), replace(OPEN, seeded=True), printed):
        assert "no bound in it holds for this run" in privacy_letter(statement)
    assert "counted without noise" in privacy_letter(printed)


def test_without_a_miner_those_who_received_rows_know_whose_they_are_and_learning_again_costs():
    local, mixed = privacy_letter(LOCAL), privacy_letter(MIXED)
    assert "whoever collects the files does not have" in local
    assert "however often it is repeated" in local
    assert "They know which of their people the sender has" in mixed
    assert "to learn again costs again" in mixed
    assert "however often" not in mixed


def test_rows_without_pseudonyms_are_in_the_order_of_the_table_and_that_is_told():
    assert "The order of rows" not in privacy_letter(LOCAL)
    plain = replace(LOCAL.parties[0], pseudonyms=False)
    assert "The order of rows in the table of hospital" in privacy_letter(replace(LOCAL, parties=(plain,)))


def test_a_large_epsilon_is_called_little():
    assert "That is little" in privacy_letter(replace(LOCAL, epsilon=Fraction(6)))


def test_the_card_does_not_call_it_a_stand_in_for_a_table():
    schema = Schema.from_dict({"fields": [{"name": "smokes", "type": "boolean"}]})
    card = croissant_card(schema, LOCAL, [], Path("synthetic.csv"), CardFacts())
    assert "2 parties hold and never pooled: epsilon-local differential privacy" in card["description"]
    assert card["dp:trustModel"] == "local"
    assert "randomised rows" in card["rai:dataManipulationProtocol"]


@pytest.mark.parametrize(
    ("where", "value"),
    [
        (("parties",), "hospital"),
        (("parties", 0, "rows"), -1),
        (("parties", 0, "columns"), "smokes"),
        (("parties", 0, "pseudonyms"), "yes"),
        (("charges", 0, "local"), 1),
        (("charges", 0, "runs"), 0),
        (("charges", 0, "party"), None),
        (("epsilon",), "-1"),
    ],
)
def test_a_wrong_field_is_refused(where, value):
    data = json.loads(json.dumps(LOCAL.to_dict()))
    place = data
    for key in where[:-1]:
        place = place[key]
    place[where[-1]] = value
    with pytest.raises(ModelFileError):
        Statement.from_dict(data)


def test_names_of_parties_cannot_break_the_tables():
    party = PartyNote(name="a|b\n# c", rows=1, columns=("x",))
    charge = replace(LOCAL.charges[0], party="a|b\n# c")
    letter = privacy_letter(replace(LOCAL, parties=(party,), charges=(charge,)))
    assert "| a\\|b # c | smokes, disease |" in letter
