"""The pieces become one model: every variable once, one structure, one privacy statement, one folder."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import understudy as us
from tests.randomize.setup_one import HOLDERS, PARENTS, conditionals, rows, schema_of
from tests.randomize.test_own import SECRET, plan_of, send, table_of
from understudy._core.errors import ModelFileError, OptionError, OutputError
from understudy._core.randomness import Streams
from understudy.randomize import Piece, assemble, own
from understudy.randomize._odds import epsilon_above
from understudy.schema import Schema

N = 3_000


@pytest.fixture(scope="module")
def exchange(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Path]]:
    """A folder with what three parties sent, and their parameters."""
    folder = tmp_path_factory.mktemp("exchange")
    codes = rows(N, Streams(2).get("people"))
    private: dict[str, Any] = {"source_of_bits": None, "ledger": folder / "budget.db", "cap": 9}
    tub, both = (plan_of(*names, keep=Fraction(4, 5)) for names in (("travel", "tub"), ("clinic", "lung", "bronc")))
    files = [
        send(folder, "travel", tub, table_of("travel", codes), **private),
        send(folder, "clinic", both, table_of("clinic", codes), **private),
    ]
    made = []
    for party, epsilon in (("travel", 1), ("clinic", 2), ("imaging", 3)):
        made.append(folder / f"{party}.parameters.json")
        own(
            table_of(party, codes),
            files if party == "imaging" else (),
            structure=PARENTS,
            schema=schema_of(party),
            party=party,
            epsilon=epsilon,
            key="person_id" if party == "imaging" else None,
            secret=SECRET,
            study="asia",
            out=made[-1],
        )
    return folder, made


def changed(path: Path, folder: Path, **changes: Any) -> Path:
    """A piece with other content, saved anew."""
    out = folder / path.name
    replace(Piece.load(path), **changes).save(out)
    return out


def test_the_pieces_become_one_model_that_samples(exchange: tuple[Path, list[Path]], tmp_path: Path) -> None:
    study = assemble(exchange[1], structure=PARENTS, out=tmp_path / "study")
    truth, model = conditionals(), us.load(tmp_path / "study" / "model.understudy")
    for parameters in study.parameters:
        assert parameters.parents == PARENTS[parameters.column]
        assert (abs(parameters.probabilities - truth[parameters.column]) < 0.25).all()
    sampled = model.sample(500, seed=1)
    assert sorted(sampled.columns) == sorted(PARENTS)
    assert set(sampled["bronc"]) <= {"none", "mild", "severe"}
    names = {path.name for path in study.files}
    assert {"model.understudy", "PRIVACY.md", "privacy.json", "parameters.csv", "network.svg"} <= names


def test_the_statement_adds_up_what_was_sent_and_what_was_measured(exchange: tuple[Path, list[Path]]) -> None:
    statement = assemble(exchange[1], structure=PARENTS).statement
    tub = epsilon_above(Fraction(4))
    both = epsilon_above(Fraction(4, 5) / (Fraction(1, 5) / 5))
    assert tub is not None
    assert both is not None
    assert statement.epsilon == 1 + 2 + 3 + tub + both
    assert statement.trust == "mixed"
    assert statement.stamp is None
    assert statement.epsilon_of("travel") == 1 + tub
    assert statement.epsilon_of("clinic") == 2 + both
    assert statement.epsilon_of("imaging") == 3
    assert [party.name for party in statement.parties] == list(HOLDERS)
    assert [warning.split()[0] for warning in statement.warnings] == ["travel", "clinic"]  # which gave no key


def test_the_letter_tells_of_every_party(exchange: tuple[Path, list[Path]], tmp_path: Path) -> None:
    assemble(exchange[1], structure=PARENTS, out=tmp_path / "study", name="asia study")
    letter = (tmp_path / "study" / "PRIVACY.md").read_text()
    assert letter.startswith("# Privacy statement: asia study")
    for party in HOLDERS:
        assert f"**{party}, in all**" in letter
    assert "counted with noise" in letter
    assert "Trust model: mixed" in letter
    assert json.loads((tmp_path / "study" / "privacy.json").read_text())["stamp"] is None


def test_one_copy_for_several_costs_once_and_two_draws_cost_twice(
    exchange: tuple[Path, list[Path]], tmp_path: Path
) -> None:
    imaging = Piece.load(exchange[1][2])
    same = changed(exchange[1][0], tmp_path, received=imaging.received[1:])
    statement = assemble([same, *exchange[1][1:]], structure=PARENTS).statement
    assert statement.epsilon == assemble(exchange[1], structure=PARENTS).statement.epsilon
    other = replace(imaging.received[1], digest="another")
    twice = changed(exchange[1][0], tmp_path, received=(other,))
    both = assemble([twice, *exchange[1][1:]], structure=PARENTS).statement
    line, before = (line for line in both.charges if line.local and line.party == "clinic")
    assert (line.runs, before.cost) == (2, line.cost)
    assert both.epsilon == statement.epsilon + line.cost
    dearer = replace(other, times=2, earlier=Fraction(9))
    told = changed(exchange[1][0], tmp_path, received=(dearer,))
    assert assemble([told, *exchange[1][1:]], structure=PARENTS).statement.epsilon == statement.epsilon + 9


def test_exact_parameters_of_one_party_stamp_the_whole(exchange: tuple[Path, list[Path]], tmp_path: Path) -> None:
    exact = changed(exchange[1][0], tmp_path, epsilon=None, noise="none", stamp="NOT PRIVATE: as printed")
    study = assemble([exact, *exchange[1][1:]], structure=PARENTS, out=tmp_path / "study")
    assert not study.statement.private
    assert "NOT PRIVATE: as printed" in str(study.statement.stamp)
    assert "can be read off" in (tmp_path / "study" / "PRIVACY.md").read_text()
    assert us.load(tmp_path / "study" / "model.understudy").statement == study.statement
    told = json.loads((tmp_path / "study" / "privacy.json").read_text())
    assert (told["epsilon"], told["epsilon_decimal"]) == (None, None)
    assert Fraction(told["epsilon_of_the_bounded"]) == study.statement.epsilon


def test_a_rehearsal_of_one_party_stamps_the_whole(exchange: tuple[Path, list[Path]], tmp_path: Path) -> None:
    seeded = changed(exchange[1][0], tmp_path, stamp="NOT PRIVATE: seeded")
    assert assemble([seeded, *exchange[1][1:]], structure=PARENTS).statement.stamp == "NOT PRIVATE: seeded"
    received = tuple(replace(one, stamp="NOT PRIVATE: seeded") for one in Piece.load(exchange[1][2]).received)
    sent = changed(exchange[1][2], tmp_path, received=received)
    assert assemble([*exchange[1][:2], sent], structure=PARENTS).statement.stamp == "NOT PRIVATE: seeded"


def test_a_missing_piece_is_named(exchange: tuple[Path, list[Path]]) -> None:
    with pytest.raises(ModelFileError, match="no file has parameters of smoke, lung, bronc"):
        assemble([exchange[1][0], exchange[1][2]], structure=PARENTS)
    with pytest.raises(OptionError, match="no parameters were given"):
        assemble([], structure=PARENTS)


def test_pieces_of_another_structure_are_refused(exchange: tuple[Path, list[Path]]) -> None:
    with pytest.raises(ModelFileError, match="of another structure"):
        assemble(exchange[1], structure={**PARENTS, "xray": ("either", "asia")})
    with pytest.raises(ModelFileError, match="circle"):
        assemble(exchange[1], structure={**PARENTS, "asia": ("dysp",)})


def test_pieces_that_do_not_fit_together_are_refused(exchange: tuple[Path, list[Path]], tmp_path: Path) -> None:
    travel, clinic, imaging = exchange[1]
    with pytest.raises(ModelFileError, match="party 'travel' is there already"):
        assemble([travel, travel, clinic, imaging], structure=PARENTS)
    with pytest.raises(ModelFileError, match="both travel and other have parameters of 'asia'"):
        assemble([travel, changed(travel, tmp_path, party="other"), clinic, imaging], structure=PARENTS)
    with pytest.raises(ModelFileError, match="of another study"):
        assemble([changed(travel, tmp_path, study="flu"), clinic, imaging], structure=PARENTS)
    [asia, tub] = Piece.load(travel).variables
    with pytest.raises(ModelFileError, match="holds no parameters of a party"):
        assemble([changed(travel, tmp_path, variables=(asia, tub, tub)), clinic, imaging], structure=PARENTS)


def test_what_was_sent_counts_for_whoever_holds_it_whatever_the_plan_calls_it(
    exchange: tuple[Path, list[Path]], tmp_path: Path
) -> None:
    travel, clinic, imaging = exchange[1]
    plain = assemble(exchange[1], structure=PARENTS).statement
    renamed = assemble([changed(travel, tmp_path, party="tours"), clinic, imaging], structure=PARENTS).statement
    assert renamed.epsilon_of("tours") == plain.epsilon_of("travel")
    assert renamed.epsilon == plain.epsilon


def test_categories_that_differ_between_parties_are_refused(exchange: tuple[Path, list[Path]], tmp_path: Path) -> None:
    travel, clinic, imaging = exchange[1]
    content = schema_of("travel")
    content["fields"][1]["categories"] = ["yes", "no"]
    swapped = changed(travel, tmp_path, schema=Schema.from_dict(content))
    with pytest.raises(ModelFileError, match="'tub' has other categories in what imaging received than in travel's"):
        assemble([swapped, clinic, imaging], structure=PARENTS)


def test_a_variable_learnt_with_other_parents_is_refused(exchange: tuple[Path, list[Path]], tmp_path: Path) -> None:
    travel, clinic, imaging = exchange[1]
    [asia, tub] = Piece.load(travel).variables
    one = {"probabilities": tub.probabilities[0], "errors": tub.errors[0], "people": tub.people.sum()}
    flat = replace(tub, parents=(), **one)
    with pytest.raises(ModelFileError, match="'tub' was learnt with other parents"):
        assemble([changed(travel, tmp_path, variables=(asia, flat)), clinic, imaging], structure=PARENTS)


def test_a_folder_that_is_there_is_not_replaced_unasked(exchange: tuple[Path, list[Path]], tmp_path: Path) -> None:
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "mine.txt").write_text("mine")
    with pytest.raises(OutputError):
        assemble(exchange[1], structure=PARENTS, out=tmp_path / "study")
    assert np.array_equal([path.name for path in (tmp_path / "study").iterdir()], ["mine.txt"])


def test_a_folder_and_a_pattern_stand_for_the_files_in_it(exchange: tuple[Path, list[Path]], tmp_path: Path) -> None:
    for path in exchange[1]:
        (tmp_path / path.name).write_bytes(path.read_bytes())
    listed = assemble(exchange[1], structure=PARENTS).statement
    for named in (tmp_path, str(tmp_path / "*.json")):
        assert set(assemble(named, structure=PARENTS).statement.parties) == set(listed.parties)
