"""The demo table as three parties hold it."""

import csv
import subprocess
import sys
from pathlib import Path

import pytest

from understudy import demo
from understudy.schema import Schema
from understudy.tables import check_table


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    return demo.write_parties(tmp_path_factory.mktemp("parties"))


def rows_of(path):
    with path.open(encoding="utf-8", newline="") as file:
        return {row["person_id"]: row for row in csv.DictReader(file)}


def test_every_table_fits_its_declared_schema(tables):
    for party, path in tables.items():
        schema = Schema.load(path.with_name(f"{party}.schema.yaml"))
        assert schema.draft_fields == ()
        assert check_table(path, schema).faults == ()


def test_people_have_one_number_each_and_most_are_known_to_all(tables):
    known = {party: rows_of(path) for party, path in tables.items()}
    assert {party: len(rows) for party, rows in known.items()} == {"hospital": 5616, "insurer": 5675, "employer": 5912}
    assert len(set.intersection(*(set(rows) for rows in known.values()))) == 5439


def test_no_two_parties_have_a_column_or_an_order_in_common(tables):
    columns = [path.read_text(encoding="utf-8").split("\n", 1)[0].split(",") for path in tables.values()]
    assert sum(len(names) - 1 for names in columns) == len({name for names in columns for name in names[1:]})
    orders = [list(rows_of(path)) for path in tables.values()]
    shared = set.intersection(*(set(order) for order in orders))
    assert len({tuple(key for key in order if key in shared) for order in orders}) == 3


@pytest.mark.slow
def test_make_demo_parties_plays_to_the_end(tmp_path):
    script = Path(__file__).parents[2] / "scripts" / "demo_parties.py"
    done = subprocess.run([sys.executable, script, tmp_path / "demo"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "A person whom all 3 hold, since it adds up: ε = 4.5" in done.stdout
    assert (tmp_path / "demo" / "miner" / "study" / "model.understudy").is_file()
    assert not list((tmp_path / "demo" / "miner").rglob("*secret*"))
