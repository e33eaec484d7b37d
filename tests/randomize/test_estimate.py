"""Estimates with error bars, from files and from the command line."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from tests.randomize.parties import columns_of, flip, made_plan, made_schema
from understudy._core.errors import OptionError
from understudy._core.randomness import SeededBytes
from understudy.cli._main import run
from understudy.randomize import Block, Inbox, Matrix, Plan, Response, apply, estimate, open_inbox
from understudy.schema import Axis, Marginal, Schema

SECRET = "a secret that is long enough for everybody " * 2
ROWS = 3000


def party(name: str, column: str, labels: list[str], matrix) -> Plan:
    schema = Schema.from_dict({"name": name, "fields": [{"name": column, "categories": labels}]})
    block = Block(columns=(column,), sizes=(len(labels),), matrix=matrix)
    return Plan(party=name, schema=schema, blocks=(block,))


HOSPITAL = party("hospital", "smoking", ["no", "yes"], Response(2, Fraction(3, 4)))
INSURER = party("insurer", "disease", ["none", "some", "much"], Response(3, Fraction(7, 10)))


def send(folder: Path, plan: Plan, codes: np.ndarray, people: np.ndarray, *, secret: str = SECRET) -> Path:
    [field] = plan.schema.fields
    table = pa.table({"person": people, field.name: [field.labels[code] for code in codes]})
    out = folder / f"{plan.party}.parquet"
    apply(table, plan, out=out, key="person", secret=secret, source_of_bits=SeededBytes(len(plan.party)))
    return out


@pytest.fixture
def inbox(tmp_path, monkeypatch) -> Path:
    """Smokers are ill more often; 100 people are known to one party only, on each side."""
    monkeypatch.chdir(tmp_path)
    draws = np.random.default_rng(1)
    smoking = (draws.random(ROWS) < 0.3).astype(int)
    disease = np.where(draws.random(ROWS) < 0.2 + 0.4 * smoking, draws.integers(1, 3, ROWS), 0)
    np.save("true.npy", np.column_stack([smoking, disease]))
    send(tmp_path, HOSPITAL, smoking[100:], np.arange(ROWS)[100:])
    send(tmp_path, INSURER, disease[:-100], np.arange(ROWS)[:-100])
    return tmp_path


FILES = ["hospital.parquet", "insurer.parquet"]


def test_counts_of_columns_that_nobody_saw_together_are_near_the_truth(inbox: Path) -> None:
    [both, alone] = estimate([inbox / file for file in FILES], ["smoking,disease", ["disease"]])
    smoking, disease = np.load("true.npy")[100:-100].T
    true = np.zeros((2, 3))
    np.add.at(true, (smoking, disease), 1)
    assert (both.n, alone.n) == (ROWS - 200, ROWS - 100)
    # 4.5 standard errors: one run in 20,000 would be further off, and the seed is fixed
    assert (np.abs(both.counts - true) < 4.5 * both.standard_errors).all()
    assert both.counts.sum() == pytest.approx(ROWS - 200)
    assert (both.low <= both.high).all()
    assert both.labels == (("no", "yes"), ("none", "some", "much"))


def test_the_command_prints_all_of_it_as_json(inbox: Path, capsys) -> None:
    assert run(["randomize", "estimate", *FILES, "--marginal", "smoking,disease", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    [marginal] = found["marginals"]
    assert marginal["columns"] == ["smoking", "disease"]
    assert np.array(marginal["counts"]).shape == (2, 3)
    assert np.array(marginal["standard_errors"]).min() > 0
    assert (found["rows"], marginal["n"]) == (ROWS - 200, ROWS - 200)
    assert [one["party"] for one in found["parties"]] == ["hospital", "insurer"]
    assert found["notes"][:2] == ["hospital.parquet: NOT PRIVATE: seeded", "insurer.parquet: NOT PRIVATE: seeded"]
    assert "100 of 2,900 rows are not in every other file" in found["notes"][2]
    assert Fraction(found["epsilon"]) >= Fraction(found["epsilon_decimal"] - 1e-9)
    assert found["epsilon_decimal"] == pytest.approx(np.log(3) + np.log(0.7 / 0.15), abs=1e-6)


def test_the_command_prints_a_table_for_people(inbox: Path, capsys) -> None:
    assert run(["randomize", "estimate", *FILES, "-m", "disease"]) == 0
    shown = capsys.readouterr()
    assert "disease: 2,900 rows, unbiased; ± is one standard error" in shown.out
    assert "95 % interval" in shown.out
    assert "much" in shown.out
    assert "*** NOT PRIVATE: seeded *** With private randomness the files would promise ε = 2.640" in shown.out
    assert "insurer.parquet: 100 of 2,900 rows" in shown.err


def test_labels_of_strangers_are_shown_as_they_are(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    odd = party("odd", "a[b]", ["[red]x[/]", ":bell:", "\x1b[2J"], Response(3, Fraction(7, 10)))
    send(tmp_path, odd, np.array([0, 1, 2]), np.arange(3))
    assert run(["randomize", "estimate", "odd.parquet"]) == 0
    shown = capsys.readouterr().out
    assert all(text in shown for text in ("a[b]", "[red]x[/]", ":bell:", "�[2J"))
    assert "\x1b[2J" not in shown


def test_without_marginals_every_column_is_estimated_and_pairs_on_request(inbox: Path) -> None:
    assert [one.columns for one in estimate(FILES)] == [("smoking",), ("disease",)]
    assert [one.columns for one in estimate(FILES, pairs=True)] == [("smoking", "disease")]


@pytest.mark.parametrize("how", ["projected", "likelihood"])
def test_fitted_counts_keep_the_error_bars_of_the_unbiased_ones(inbox: Path, how) -> None:
    [fitted], [unbiased] = (estimate(FILES, ["smoking,disease"], how=one) for one in (how, "unbiased"))
    assert fitted.counts.min() >= 0
    assert np.array_equal(fitted.standard_errors, unbiased.standard_errors)
    assert np.array_equal(fitted.low, unbiased.low)


def test_files_are_held_against_the_plans_agreed_on(inbox: Path) -> None:
    assert open_inbox(FILES, plans=[INSURER, HOSPITAL]).n == ROWS - 200
    HOSPITAL.save("hospital.plan.yaml")
    other = party("insurer", "disease", ["none", "some", "much"], Response(3, Fraction(8, 10)))
    with pytest.raises(
        OptionError,
        match=r"insurer.parquet was not made .*disease differ: in row 1, entry 1, the file has 7/10 and the plan 4/5",
    ):
        open_inbox(FILES, plans=["hospital.plan.yaml", other])


def test_a_matrix_written_in_another_way_is_the_same_matrix(inbox: Path) -> None:
    rows = [["0.7", "0.15", "0.15"], ["0.15", "0.7", "0.15"], ["0.15", "0.15", "0.7"]]
    same = party("insurer", "disease", ["none", "some", "much"], Matrix.of(rows))
    with pytest.raises(OptionError, match="what is said about disease beside the matrix differs"):
        open_inbox(FILES, plans=[HOSPITAL, same])


MISTAKES = {
    "unknown column": (["-m", "smokin"], "no column 'smokin' in any file. Did you mean 'smoking'?"),
    "column twice": (["-m", "smoking,smoking"], "column 'smoking' is named twice"),
    "another way": (["--how", "best"], "there is no way 'best'"),
    "plan missing": (["--plan", "none.yaml"], "none.yaml"),
    "the same file twice": (["hospital.parquet"], "hospital.parquet is given twice"),
}


@pytest.mark.parametrize(("arguments", "words"), MISTAKES.values(), ids=MISTAKES.keys())
def test_a_mistake_is_told_in_a_sentence(inbox: Path, capsys, arguments, words) -> None:
    assert run(["randomize", "estimate", *FILES, *arguments]) == 2
    shown = capsys.readouterr()
    assert words in shown.err
    assert shown.out == ""


def test_another_secret_is_told_as_such(inbox: Path, capsys) -> None:
    Path("insurer.parquet").unlink()
    send(inbox, INSURER, np.zeros(5, dtype=int), np.arange(200, 205), secret=SECRET[::-1])
    assert run(["randomize", "estimate", *FILES]) == 2
    assert "different secrets, or for different studies" in capsys.readouterr().err


def test_what_cannot_be_known_is_noted() -> None:
    plan = made_plan([2] * 4, [([c], flip("0.51")) for c in range(4)])
    codes = np.random.default_rng(0).integers(0, 2, (50, 4)).tolist()
    [wide] = estimate(Inbox([columns_of(plan, codes)]), [Marginal.of(0, 1, 2, 3)])
    assert "16 counts is larger than all 50 rows" in wide.notes[0]
    assert "nearly singular" in wide.notes[1]
    assert "counts below 0 are kept" in wide.notes[2]
    assert wide.condition == pytest.approx(50**4)


def test_levels_are_labelled_by_their_ends() -> None:
    plan = made_plan([5], [([0], flip("0.9", 5))])
    [coarse] = estimate(Inbox([columns_of(plan, [[0], [4]])]), [Marginal.of(Axis(0, 1))])
    assert coarse.labels == (("v0 to v1", "v2 to v3", "v4"),)
    assert made_schema([5]).domain[0].size_at(1) == 3


def test_the_command_counts_what_was_sent_before(tmp_path: Path, capsys) -> None:
    people = pa.table({"smoking": ["no", "yes"] * 100})
    out = tmp_path / "hospital.parquet"
    for _ in range(2):
        apply(people, HOSPITAL, out=out, ledger=tmp_path / "budget.db", cap=3, force=True, overwrite=True)
    assert run(["randomize", "estimate", str(out)]) == 0
    assert "This file exposes whoever is in it to ε = 2.198." in capsys.readouterr().out


def test_a_folder_or_a_pattern_stands_for_the_files_in_it(inbox: Path) -> None:
    [listed] = estimate([inbox / file for file in FILES], ["smoking,disease"])
    for source in (inbox, str(inbox / "*.parquet"), [inbox / "hosp*.parquet", inbox / "insurer.parquet"]):
        [found] = estimate(source, "smoking,disease")
        assert found.to_dict()["counts"] == listed.to_dict()["counts"]
    (inbox / "empty").mkdir()
    with pytest.raises(OptionError, match="no files that end in"):
        open_inbox(inbox / "empty")
    with pytest.raises(OptionError, match="no file matches"):
        open_inbox(inbox / "none*.parquet")


def test_a_draft_that_a_stopped_run_left_in_the_folder_is_not_taken_for_a_file(inbox: Path) -> None:
    home = inbox / "box"
    home.mkdir()
    for name in FILES:
        Path(name).rename(home / Path(name).name)
    (home / ".understudy-0123abcd.part.employer.parquet").write_bytes(b"half of it")
    assert open_inbox(home).n == ROWS - 200
