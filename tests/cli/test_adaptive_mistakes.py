"""Tables and options that leave the adaptive method little to do: a release that says so, or a refusal in one line."""

import json
import os

import pandas
import pytest

from tests.api.people import SCHEMA, people
from understudy import SQLiteLedger
from understudy.cli._main import run
from understudy.methods._adaptive_rounds import Rounds
from understudy.release import load_model
from understudy.schema import Schema

ALONE = "no relation between columns was measured"


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Schema.from_dict(SCHEMA).save("people.schema.yaml")
    for n in (0, 1, 60):
        people(60)[:n].to_csv(f"{n}.csv", index=False)
    return tmp_path


def publish(capfd, table, *more):
    """The exit code, and what was told on stderr."""
    code = run(["publish", table, "--schema", "people.schema.yaml", "--method", "adaptive", *more])
    return code, capfd.readouterr().err


@pytest.mark.parametrize("delta", ["1e-9", "0"])
@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
@pytest.mark.parametrize(
    ("table", "more"),
    [("1.csv", ["-e", "1"]), ("60.csv", ["-e", "0.001"]), ("60.csv", ["-e", "1", "--option", "max_cells=4"])],
    ids=["one row", "hardly any budget", "no room for any pair"],
)
def test_a_release_without_relations_says_so(home, capfd, table, more, neighbours, delta):
    """Rehearsed with a seed: with some luck noise alone looks like a relation."""
    code, told = publish(capfd, table, *more, "--delta", delta, "--neighbours", neighbours, "--seed", "1")
    assert code == 0, told
    assert ALONE in (home / "release" / "privacy.json").read_text()


def test_what_is_declared_of_rows_does_not_hide_that_nothing_was_measured(home, capfd):
    """A rule ties two columns together in the model, whatever was measured."""
    ruled = SCHEMA | {"dependencies": [{"impossible": {"smokes": "true", "job": "field"}}]}
    Schema.from_dict(ruled).save("ruled.yaml")
    options = ["--schema", "ruled.yaml", "-e", "0.01", "--seed", "1"]
    assert run(["publish", "60.csv", *options]) == 0
    told = capfd.readouterr().out
    statement = json.loads((home / "release" / "privacy.json").read_text())
    assert {len(scope) for scope in load_model("release/model.understudy").model.scopes} == {1}
    assert ALONE in told
    assert "but for what is declared of rows" in told
    assert any(ALONE in warning for warning in statement["warnings"])
    assert statement["no_relations"] is True
    assert "none was measured" in (home / "release" / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("table", "more", "said"),
    [
        ("0.csv", ["-e", "1"], "no rows"),
        ("60.csv", ["-e", "1", "--option", "max_cells=3"], "from 4 to"),
        ("60.csv", ["-e", "1", "--option", "rounds=1000000000000000"], "from 1 to 10000"),
        ("60.csv", ["-e", "1e-15"], "Raise epsilon"),
        ("60.csv", ["-e", "1e-15", "--delta", "0"], "Raise epsilon"),
    ],
)
def test_what_cannot_work_is_refused_before_anything_is_charged(home, capfd, table, more, said):
    code, told = publish(capfd, table, *more, "--ledger", "budget.db", "--cap", "2")
    assert code == 2
    assert said in told
    assert told.count("\n") == 1
    assert not os.path.exists("release")
    if os.path.exists("budget.db"):
        assert SQLiteLedger("budget.db", dataset="people", cap=2).spent() == 0


@pytest.mark.parametrize("more", [(), ("--option", "max_cells=30")], ids=["in the tree", "beyond it"])
def test_an_interrupt_between_rounds_tells_the_charge_and_leaves_nothing(home, capfd, monkeypatch, more):
    measured, measure = [], Rounds._measure

    def interrupted(rounds, *given):
        if rounds.beyond is not None if more else len(measured) == 1:
            raise KeyboardInterrupt
        measured.append(given)
        return measure(rounds, *given)

    monkeypatch.setattr(Rounds, "_measure", interrupted)
    code, told = publish(capfd, "60.csv", "-e", "20", "--ledger", "budget.db", "--cap", "20", *more)
    assert measured
    assert code == 130
    assert "nothing was written. The charge of epsilon 20 to dataset 'people' stays in the ledger." in told
    assert SQLiteLedger("budget.db", dataset="people").spent() == 20
    assert {name for name in os.listdir() if not name.endswith((".csv", ".yaml"))} == {"budget.db"}


def test_a_release_beyond_the_tree_is_whole(home, capfd):
    more = ("-e", "20", "--option", "max_cells=30", "--seed", "1")
    assert publish(capfd, "60.csv", *more)[0] == 0
    model = load_model("release/model.understudy")
    assert model.model.kind == "rows"
    assert model.query("sex").standard_error is not None
    assert len(model.sample(40, seed=1)) == 40
    assert run(["query", "release/model.understudy", "sex | smokes=true"]) == 0
    assert run(["evaluate", "60.csv", "release/model.understudy", "--schema", "people.schema.yaml"]) == 0
    assert run(["draw", "release/model.understudy", "--out", "model.svg"]) == 0
    capfd.readouterr()
    assert run(["export", "release/model.understudy", "--out", "model.bif"]) == 2
    assert "no network to export" in capfd.readouterr().err
    assert not os.path.exists("model.bif")


def test_a_model_that_must_be_a_network_stays_with_the_tree(home, capfd):
    more = ("-e", "20", "--option", "max_cells=30", "--option", "beyond=no", "--seed", "1")
    assert publish(capfd, "60.csv", *more)[0] == 0
    assert load_model("release/model.understudy").model.kind == "tree"
    assert run(["export", "release/model.understudy", "--out", "model.bif"]) == 0


def test_dependencies_that_leave_no_row_are_refused_before_anything_is_charged(home, capfd):
    number = {"type": "integer", "bins": 4, "constraints": {"minimum": 0, "maximum": 9}}
    fields = [{"name": name, **number} for name in "abc"]
    fields[1]["constraints"] = {"minimum": 8, "maximum": 17}
    fields[2]["constraints"] = {"minimum": -9, "maximum": 4}
    content = {
        "name": "t",
        "fields": fields,
        "dependencies": [{"lower": "a", "upper": "b"}, {"lower": "b", "upper": "c"}],
    }
    (home / "people.schema.yaml").write_text(json.dumps(content))  # which is YAML as well
    (home / "t.csv").write_text("a,b,c\n1,9,2\n")
    code, told = publish(capfd, "t.csv", "-e", "1", "--ledger", "budget.db", "--cap", "2")
    assert code == 2
    assert "together leave no row" in told
    assert told.count("\n") == 1
    assert not os.path.exists("release")
    assert not os.path.exists("budget.db")


@pytest.mark.parametrize("bins", [3, "auto"])
def test_what_is_declared_is_kept_in_every_row_and_said_so(home, capfd, bins):
    """Whatever the real rows do, and also by days inside one bin; a table too large for the fit is named."""
    day = {"type": "date", "bins": bins, "constraints": {"minimum": "2024-01-01", "maximum": "2024-12-31"}}
    code_field = {"name": "code", "type": "integer", "bins": 30, "constraints": {"minimum": 1, "maximum": 300}}
    fields = [{"name": "first", **day}, {"name": "last", **day}, code_field]
    fields += [{"name": name, "categories": list("xyz")} for name in ("ward", "site")]
    listed = [
        {"lower": "first", "upper": "last"},
        {"determines": ["ward"], "column": "site"},
        {"determines": ["code", "ward"], "column": "site"},
    ]
    content = {"name": "t", "fields": fields, "dependencies": listed, "brokenRows": "mend"}
    Schema.from_dict(content).save("people.schema.yaml")
    rows = [
        f"2024-{1 + i % 12:02}-07,2024-{1 + i * 7 % 12:02}-05,{i + 1},{'xyz'[i % 3]},{'zxy'[i % 3]}" for i in range(300)
    ]
    (home / "t.csv").write_text("first,last,code,ward,site\n" + "\n".join(rows) + "\n")
    code, told = publish(capfd, "t.csv", "-e", "4", "--seed", "1", "-n", "2000", "--option", "max_cells=100")
    assert code == 0, told
    [table] = [path for path in (home / "release").iterdir() if path.name.startswith("synthetic")]
    made = pandas.read_csv(table)
    assert (made["first"] <= made["last"]).all()
    assert len(made) > 1000
    assert made.groupby("ward")["site"].nunique().max() == 1
    statement = (home / "release" / "privacy.json").read_text()
    assert "first \u2264 last; ward \u2192 site" in statement or "first ≤ last; ward → site" in statement
    assert "kept as rows are drawn" in statement
    assert made.groupby(["code", "ward"])["site"].nunique().max() == 1


@pytest.mark.parametrize(
    ("epsilon", "neighbours", "told"),
    [("0.01", "add-remove", True), ("100", "add-remove", False), ("0.01", "replace-one", False)],
)
def test_a_number_of_rows_that_is_mostly_noise_is_told_as_such(home, capfd, epsilon, neighbours, told):
    code, _ = publish(capfd, "60.csv", "-e", epsilon, "--seed", "1", "--neighbours", neighbours)
    assert code == 0
    assert ("are mostly noise" in (home / "release" / "privacy.json").read_text()) == told
