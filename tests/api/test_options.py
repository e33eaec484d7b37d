"""An option is declared once, and seen wherever a run is asked for."""

from __future__ import annotations

import inspect
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest
import typer
from typer.testing import CliRunner

import understudy as us
from tests.api.people import SCHEMA, people
from understudy._api import Estimator
from understudy.cli._main import run
from understudy.cli._options import takes
from understudy.methods import Independent, method_named
from understudy.options import (
    CompareOptions,
    EvaluateOptions,
    OneOf,
    PublishOptions,
    RunOptions,
    Whole,
    option,
    options_of,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rounded(Independent):
    """Measure each column on its own, and round what was measured."""

    name: ClassVar[str] = "rounded"

    digits: int = option(2, Whole(at_most=9), help="Digits that are kept.")


@dataclass(frozen=True, slots=True, kw_only=True)
class WithEngine(PublishOptions):
    """A run with one option more."""

    engine: str = option("memory", OneOf("memory", "disk"), help="Where rows are counted.", flags="--engine")


@pytest.fixture
def rounded(monkeypatch):
    from understudy.methods import _registry

    monkeypatch.setitem(_registry.METHODS, "rounded", Rounded)


def test_a_methods_new_option_is_read_listed_and_refused_by_its_declaration_alone(rounded, capsys, tmp_path):
    table, schema = tmp_path / "people.csv", tmp_path / "s.json"
    people().to_csv(table, index=False)
    us.Schema.from_dict(SCHEMA).save(schema)
    assert run(["methods", "rounded"]) == 0
    assert "Digits that are kept." in capsys.readouterr().out
    common = [
        "plan",
        str(table),
        "--schema",
        str(schema),
        "--epsilon",
        "1",
        "--rows",
        "400",
        "--method",
        "rounded",
        "--option",
    ]
    assert run([*common, "digits=3"]) == 0
    capsys.readouterr()
    assert run([*common, "digits=10"]) == 2
    told = capsys.readouterr().err
    assert "The 'digits' parameter of Rounded must be a whole number from 0 to 9. Got 10 instead." in told
    assert method_named("rounded", digits=1).digits == 1


def test_a_methods_new_option_is_an_argument_of_its_estimator(rounded):
    class RoundedEstimator(Estimator):
        _method = Rounded

    shown = inspect.signature(RoundedEstimator).parameters
    assert shown["digits"].default == 2
    assert list(shown)[:4] == ["epsilon", "delta", "neighbours", "digits"]
    model = RoundedEstimator({"epsilon": 1, "digits": 3, "seed": 1})
    assert repr(model) == "RoundedEstimator(epsilon=1, digits=3, seed=1)"
    assert model.fit(people(), SCHEMA).sample(3).shape == (3, 4)
    with pytest.raises(us.OptionError, match="'digits' parameter of Rounded"):
        RoundedEstimator({"epsilon": 1, "digits": -1})


def test_a_new_option_of_runs_is_a_flag_with_its_help_and_default():
    seen = []
    app = typer.Typer(rich_markup_mode=None)

    @app.command()
    @takes(WithEngine)
    def publish(source: str, *, given: dict) -> None:
        """Publish."""
        seen.append(given)

    told = CliRunner().invoke(app, ["--help"]).output
    assert "--engine" in told
    assert "Where rows are counted." in " ".join(told.split())
    assert CliRunner().invoke(app, ["t.csv", "--engine", "disk", "--seed", "1e3"]).exit_code == 0
    assert (seen[0]["engine"], seen[0]["seed"]) == ("disk", 1000)


@pytest.mark.parametrize("function", [us.publish, us.PrivBayes, us.PrivABN, us.HPPrivBayes])
def test_signatures_show_every_option_of_a_run_with_its_default(function):
    shown = inspect.signature(function).parameters
    for declared in options_of(RunOptions):
        if declared.name != "method" or function is us.publish:
            assert shown[declared.name].kind is inspect.Parameter.KEYWORD_ONLY
            assert shown[declared.name].default == (inspect.Parameter.empty if declared.required else declared.default)


@pytest.mark.parametrize(("function", "kind"), [(us.evaluate, EvaluateOptions), (us.compare, CompareOptions)])
def test_signatures_of_evaluate_and_compare_show_what_is_declared_and_nothing_besides(function, kind):
    shown = inspect.signature(function).parameters
    own = ["real", "synthetic", "source", "schema", "progress"]
    assert {name: one.default for name, one in shown.items() if name not in own} == {
        declared.name: declared.default for declared in options_of(kind)
    }
    with pytest.raises(us.OptionError, match=r"there is no option 'way'\. Did you mean 'ways'\?"):
        function("demo", **{"synthetic": "demo"} if function is us.evaluate else {}, way=2)


def test_estimators_can_be_cloned_from_their_parameters():
    model = us.HPPrivBayes(epsilon="1/2", sensitive="ill", seed=3)
    again = us.HPPrivBayes(**model.get_params())
    assert repr(again) == repr(model) == "HPPrivBayes(epsilon='1/2', sensitive='ill', seed=3)"
    assert set(model.get_params()) == set(inspect.signature(us.HPPrivBayes).parameters)


@pytest.mark.parametrize("name", ["unit", "license", "creator", "url", "dataset"])
@pytest.mark.parametrize("text", ["a\udcffb", "a\nb", "\x1b[2J", "", "x" * 5000])
def test_text_that_no_file_could_hold_is_refused_before_the_charge(name, text, tmp_path):
    ledger = tmp_path / "budget.db"
    with pytest.raises(us.OptionError, match=f"The '{name}' parameter must be a line of text"):
        us.publish("demo", epsilon=1, out=tmp_path / "r", ledger=ledger, cap=1, **{name: text})
    assert not ledger.exists()
    assert not (tmp_path / "r").exists()


def test_a_missing_budget_and_a_misspelt_option_are_told():
    with pytest.raises(TypeError, match="epsilon"):
        us.PrivBayes(k=2)
    with pytest.raises(us.OptionError, match=r"there is no option 'epsilom'\. Did you mean 'epsilon'\?"):
        us.PrivBayes(epsilom=1)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [("method", 3, "no method yet"), ("method", None, "no method yet"), ("ledger", 3, "must be a path or a ledger")],
)
def test_objects_of_the_wrong_kind_are_told(name, value, words, tmp_path):
    with pytest.raises(us.OptionError, match=words):
        us.publish("demo", epsilon=1, out=tmp_path / "r", **{name: value})


def test_editors_and_type_checkers_know_the_options(tmp_path):
    program = tmp_path / "user.py"
    program.write_text(
        "import understudy as us\n"
        "us.publish('t.csv', schema='s.yaml', epsilon=1, k=2, seed=3, out='r', method='privbayes')\n"
        "us.PrivBayes(epsilon='1/3', k=2, score='R').fit('t.csv', 's.yaml')\n"
        "us.plan(schema='s.yaml', rows=10, epsilon=0.5, sensitive=['a'], neighbours='add-remove')\n"
        "us.compare('t.csv', methods=['uniform'], epsilons=[1, '1/3'], seeds=[3], ways=2, out='c')\n"
        "us.evaluate('t.csv', 'r', 's.yaml', ways=[1, 2], targets='a', draws=2)\n"
        "us.publish('t.csv', epsilon=1, seed='x')\n"
        "us.PrivBayes(epsilon=1, variant='blocks')\n"
        "us.publish('t.csv')\n"
        "us.compare('t.csv', epsilon=1)\n"
        "us.evaluate('t.csv', 'r', draws='2')\n"
    )
    project = Path(us.__file__).parents[2]  # its settings are strict, and what `make types` found is kept there
    told = subprocess.run(
        [sys.executable, "-m", "mypy", str(program)], cwd=project, env={"PATH": ""}, capture_output=True, text=True
    )
    lines = [line.split(":")[1] for line in told.stdout.splitlines() if "error" in line and "user.py" in line]
    assert lines == ["7", "8", "9", "10", "11"], told.stdout
