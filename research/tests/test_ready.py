"""What an experiment lacks is told before anything runs."""

from __future__ import annotations

import builtins
import json

import pytest

from research import _runner, check_ready, run_experiment
from research.tests.made_up import write_binary_table
from understudy._core.errors import OptionError, TableError, UserError


@pytest.fixture
def data(tmp_path):
    write_binary_table(tmp_path / "data", "nltcs", 16)
    return tmp_path / "data"


@pytest.fixture(autouse=True)
def nothing_runs(monkeypatch):
    monkeypatch.setattr(_runner, "compute", lambda *_: pytest.fail("a run was begun"))


@pytest.fixture
def without(monkeypatch):
    """Make a package one that is not installed."""
    really = builtins.__import__

    def hide(package):
        def imported(name, *args, **options):
            if name.partition(".")[0] == package:
                raise ImportError(f"No module named '{name}'")
            return really(name, *args, **options)

        monkeypatch.setattr(builtins, "__import__", imported)

    return hide


def describe_tasks(folder):
    attributes = [{"name": f"c{i}", "values": ["0", "1"]} for i in range(16)]
    targets = {"outside": 0, "money": 1, "bathing": 2, "traveling": 3}
    (folder / "nltcs.schema.json").write_text(json.dumps({"attributes": attributes, "svm_targets": targets}))


def test_what_is_all_there_is_let_through(data):
    describe_tasks(data)
    check_ready(["privbayes-fig12", "privbayes-fig16"], data)


def test_without_matplotlib_nothing_is_run(data, tmp_path, without):
    without("matplotlib")
    with pytest.raises(OptionError, match=r"matplotlib.*Run: make setup"):
        run_experiment("privbayes-fig12", quick=True, data=data, out=tmp_path / "out", jobs=1)
    assert not (tmp_path / "out").exists()


def test_without_scikit_learn_no_machine_with_a_radial_kernel_is_run(data, without):
    describe_tasks(data)
    without("sklearn")
    with pytest.raises(OptionError, match=r"scikit-learn.*Run: make setup"):
        check_ready(["privbayes-fig16"], data)
    check_ready(["privbayes-fig12"], data)  # counts need none


def test_tasks_that_are_not_described_are_told(data, tmp_path):
    with pytest.raises(UserError, match=r"nltcs\.schema\.json, which is not in"):
        run_experiment("privbayes-fig16", quick=True, data=data, out=tmp_path / "out", jobs=1)


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"svm_targets": {"outside": 99}, "attributes": []}'])
def test_damaged_descriptions_of_tasks_are_told(data, text):
    (data / "nltcs.schema.json").write_text(text)
    with pytest.raises(TableError, match="tasks of 'nltcs' cannot be read"):
        check_ready(["privbayes-fig16"], data)


def test_a_table_that_does_not_fit_its_schema_is_named(data, tmp_path):
    table = data / "nltcs.csv"
    table.write_text(table.read_text().replace("c3", "see", 1))
    with pytest.raises(TableError, match=r"benchmark table 'nltcs' in '.*data' cannot be used: .*'c3'"):
        run_experiment("privbayes-fig12", quick=True, data=data, out=tmp_path / "out", jobs=1)


def test_a_table_with_too_few_columns_is_told(tmp_path):
    write_binary_table(tmp_path / "few", "nltcs", 3)
    with pytest.raises(TableError, match=r"'nltcs' in '.*few' has 3 columns, and the experiment looks at 4 at once"):
        run_experiment("privbayes-fig12", quick=True, data=tmp_path / "few", out=tmp_path / "out", jobs=1)
