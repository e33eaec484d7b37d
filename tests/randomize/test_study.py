"""The study's folder: whole or not at all, readable by people, a first-class model for every command."""

from __future__ import annotations

import csv
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import understudy as us
from understudy._core.errors import OutputError
from understudy.cli._main import run
from understudy.models import Network, NetworkModel, Node
from understudy.randomize import Block, Parameters, Plan, Response, Study, apply, learn, plan, write_study
from understudy.randomize._promise import Sent, study_statement
from understudy.randomize._study import study_of, with_errors
from understudy.release import PublishedModel, privacy_letter
from understudy.schema import Axis, Schema, recode

KEEP = Fraction(3, 4)


def made(**facts: int | bool) -> Study:
    """A study of two columns at two parties, one depending on the other."""
    fields = {name: {"name": name, "categories": ["no", "yes"]} for name in ("smokes", "claims")}
    sent = [
        Sent(
            plan=Plan(
                party=party,
                schema=Schema.from_dict({"fields": [fields[column]]}),
                blocks=(Block(columns=(column,), sizes=(2,), matrix=Response(2, KEEP)),),
            ),
            rows=rows,
            keyed=True,
            **facts,  # type: ignore[arg-type]
        )
        for party, column, rows in (("hospital", "smokes", 120), ("insurer", "claims", 110))
    ]
    schema = Schema.from_dict({"name": "both", "fields": list(fields.values())})
    tables = (np.array([0.7, 0.3]), np.array([[0.9, 0.1], [0.4, 0.6]]))
    network = Network(schema.domain, (Node(0), Node(1, (Axis(0),))))
    statement = study_statement(sent, name="both", schema=schema, n_rows=100, method="k2", options={"score": "bic"})
    labels = ("no", "yes")
    errors = np.array([[0.05, 0.05], [0.1, np.nan]])
    return Study(
        model=PublishedModel(
            schema, NetworkModel(network, tables, recode(schema.domain, "hierarchical"), (), 100), statement
        ),
        parameters=(
            Parameters(column="smokes", parents=(), labels=(labels,), probabilities=tables[0]),
            Parameters(
                column="claims",
                parents=("smokes",),
                labels=(labels, labels),
                probabilities=tables[1],
                unbiased=np.array([[0.95, 0.05], [0.4, 1.2]]),
                standard_error=errors,
                people=np.array([70.2, 29.8]),
            ),
        ),
        notes=("few rows",),
    )


def test_the_folder_has_everything_and_the_model_is_one_of_ours(tmp_path: Path) -> None:
    study = write_study(tmp_path / "study", made())
    assert sorted(path.name for path in study.files) == sorted(path.name for path in (tmp_path / "study").iterdir())
    model = us.load(tmp_path / "study" / "model.understudy")
    assert model.statement == study.statement
    assert model.statement.guarantee == "epsilon-local differential privacy"
    assert study.links == (("smokes", "claims"),)
    assert "variable claims" in (tmp_path / "study" / "structure.bif").read_text(encoding="utf-8")


def test_every_command_on_models_works_on_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = str(write_study(tmp_path / "study", made()).path / "model.understudy")  # type: ignore[operator]
    for words in (
        ["sample", model, "-n", "50", "-o", str(tmp_path / "joint.csv")],
        ["query", model, "claims | smokes=yes"],
        ["show", model],
        ["show", model, "--json"],
        ["draw", model, "-o", str(tmp_path / "n.svg")],
        ["export", model, "-o", str(tmp_path / "n.bif")],
    ):
        assert run(words) == 0, words
    assert "ε-local differential privacy" in capsys.readouterr().out


def test_parameters_come_with_their_errors(tmp_path: Path) -> None:
    write_study(tmp_path / "study", made())
    with (tmp_path / "study" / "parameters.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 6
    assert rows[0] == {
        "column": "smokes",
        "value": "no",
        "given": "",
        "probability": "0.700000",
        "unbiased": "",
        "standard_error": "",
        "people": "",
    }
    assert rows[2]["given"] == "smokes=no"
    assert (rows[2]["unbiased"], rows[2]["standard_error"], rows[2]["people"]) == ("0.950000", "0.050000", "70")
    assert rows[5]["standard_error"] == ""


def test_parameters_without_a_guarantee_say_so_in_their_name(tmp_path: Path) -> None:
    found = made()
    seeded = replace(found.model, statement=replace(found.statement, seeded=True))
    for _ in range(2):
        study = write_study(tmp_path / "study", replace(found, model=seeded), overwrite=True)
    assert (tmp_path / "study" / "parameters.NOT-PRIVATE.csv") in study.files
    assert not (tmp_path / "study" / "parameters.csv").exists()
    assert "`parameters.NOT-PRIVATE.csv` has every" in (tmp_path / "study" / "README.md").read_text(encoding="utf-8")


def test_the_readme_says_what_was_found_how_sure_and_what_not_to_do(tmp_path: Path) -> None:
    write_study(tmp_path / "study", made())
    text = (tmp_path / "study" / "README.md").read_text(encoding="utf-8")
    for words in (
        "A model of 2 columns that 2 parties hold and never pooled, learnt from 100 people",
        "1 link, 1 of them between columns of different parties",
        "| claims | insurer | smokes (0.19) | 5.0 %, at most 10.0 % |",
        "| hospital | smokes | 120 | 1.1 |",
        "100 in all files | **2.2**",
        "score = bic",
        "- few rows",
        "Do not read a link as a cause",
    ):
        assert words in text, words


def test_answers_of_a_study_have_error_bars_once_its_parameters_do() -> None:
    study = made()
    parameters = tuple(replace(one, standard_error=np.full(one.probabilities.shape, 0.05)) for one in study.parameters)
    model = replace(study.model, model=with_errors(study.model.model, parameters))
    assert model.query("claims | smokes=yes").standard_error == pytest.approx(np.full(2, 0.05), rel=0.6)
    assert with_errors(study.model.model, study.parameters) is study.model.model  # those of one column are not known


def test_a_study_without_a_guarantee_says_so_in_every_file(tmp_path: Path) -> None:
    write_study(tmp_path / "study", made(seeded=True))
    for name in ("README.md", "PRIVACY.md", "privacy.json", "structure.bif", "network.svg"):
        assert "NOT PRIVATE" in (tmp_path / "study" / name).read_text(encoding="utf-8"), name
    assert run(["sample", str(tmp_path / "study" / "model.understudy"), "-o", str(tmp_path / "joint.csv")]) == 0
    assert (tmp_path / "joint.NOT-PRIVATE.csv").exists()


def test_a_folder_is_replaced_only_if_asked_and_only_if_it_is_a_study(tmp_path: Path) -> None:
    study = made()
    write_study(tmp_path / "study", study)
    with pytest.raises(OutputError, match="already exists"):
        write_study(tmp_path / "study", study)
    write_study(tmp_path / "study", study, overwrite=True)
    (tmp_path / "study" / "diary.txt").write_text("mine")
    with pytest.raises(OutputError, match="diary"):
        write_study(tmp_path / "study", study, overwrite=True)


def test_nothing_is_left_of_a_study_that_cannot_be_written(tmp_path: Path) -> None:
    study = made()
    broken = replace(study, parameters=(replace(study.parameters[0], labels=()),))
    with pytest.raises(ValueError, match="zip"):
        write_study(tmp_path / "deep" / "study", broken)
    assert list(tmp_path.iterdir()) == []


def test_a_second_run_that_was_forced_costs_twice_in_what_is_learnt_from_it(tmp_path: Path) -> None:
    made_plan = plan({"name": "hospital", "fields": [{"name": "smokes", "categories": ["no", "yes"]}]}, epsilon=1)
    people = pa.table({"smokes": ["no", "no", "yes"] * 100})
    given = {"ledger": tmp_path / "ledger.db", "force": True}
    apply(people, made_plan, out=tmp_path / "first.parquet", cap=10, **given)
    apply(people, made_plan, out=tmp_path / "second.parquet", **given)
    first, second = (study_of(learn([tmp_path / name])).statement for name in ("first.parquet", "second.parquet"))
    assert first.private
    assert second.private
    assert second.epsilon == 2 * first.epsilon
    assert "randomised more than once" in privacy_letter(second)
