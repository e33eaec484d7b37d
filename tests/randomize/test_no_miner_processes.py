"""Setup I as it is used: three processes, three folders, files that go from outbox to inbox, and one model.

While a party's process runs, the other parties' folders are not where they were: it has its own and nothing else.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import understudy as us
from tests.randomize.setup_one import HOLDERS, LABELS, PARENTS, bif, conditionals, rows, schema_of
from tests.warm import run_warm
from understudy._core.randomness import Streams
from understudy.randomize import Plan, keep_probabilities, plan
from understudy.randomize._pseudonyms import Pseudonymizer
from understudy.schema import Schema

N = 12_000
SECRET = "a secret that parties share by courier"
STRICTLY = "import sys, warnings; warnings.simplefilter('error'); from understudy.cli import main; main(sys.argv[1:])"
NEEDED = {"travel": ["tub"], "clinic": ["lung", "bronc"], "imaging": []}


def understudy(*arguments: str, cwd: Path) -> str:
    done = run_warm(arguments, cwd=cwd, code=STRICTLY, env={**os.environ, "UNDERSTUDY_SECRET": SECRET})
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


@contextmanager
def alone(home: Path, party: str) -> Iterator[Path]:
    """The party's folder, with everybody else's moved away."""
    away = home.parent / f"{home.name} away"
    away.mkdir()
    others = [folder for folder in home.iterdir() if folder.name != party]
    for folder in others:
        folder.rename(away / folder.name)
    try:
        yield home / party
    finally:
        for folder in others:
            (away / folder.name).rename(folder)
        away.rmdir()


def make_folders(home: Path) -> dict[str, pd.DataFrame]:
    """Each party's folder with its table, its schema and the structure. Not everybody is in every table."""
    codes, rng, tables = rows(N, Streams(5).get("people")), Streams(5).get("absent"), {}
    numbers = rng.permutation(10 * N)[:N] + 100_000_000
    for party, names in HOLDERS.items():
        folder = home / party
        for part in ("inbox", "outbox"):
            (folder / part).mkdir(parents=True)
        people = rng.permutation(np.flatnonzero(rng.random(N) < 0.97))
        columns = {name: np.array(LABELS[name])[codes[name]][people] for name in names}
        tables[party] = pd.DataFrame({"person_id": numbers[people], **columns})
        tables[party].to_csv(folder / f"{party}.csv", index=False)
        Schema.from_dict(schema_of(party)).save(folder / f"{party}.schema.yaml")
        (folder / "net.bif").write_text(bif())
    return tables


@pytest.fixture(scope="module")
def exchange(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, pd.DataFrame]]:
    home = tmp_path_factory.mktemp("home") / "parties"
    home.mkdir()
    tables = make_folders(home)
    for party, columns in NEEDED.items():
        if columns:
            with alone(home, party) as folder:
                made = plan(folder / f"{party}.schema.yaml", epsilon=2, columns=columns, party=party)
                made.save(folder / f"{party}.plan.yaml")  # public; every other step is a process of its own
                run = [f"{party}.csv", "--plan", f"{party}.plan.yaml", "--key", "person_id", "--study", "asia"]
                understudy("randomize", "apply", *run, "-o", f"outbox/{party}.parquet", cwd=folder)
            shutil.copy(home / party / "outbox" / f"{party}.parquet", home / "imaging" / "inbox")
    for party, columns in NEEDED.items():
        with alone(home, party) as folder:
            received = [] if columns else ["inbox/travel.parquet", "inbox/clinic.parquet"]
            run = [f"{party}.csv", *received, "--schema", f"{party}.schema.yaml", "--party", party]
            run += ["--structure", "net.bif", "--key", "person_id", "--study", "asia", "--epsilon", "1"]
            understudy("randomize", "own", *run, "-o", f"outbox/{party}.parameters.json", cwd=folder)
    for party in NEEDED:
        shutil.copy(home / party / "outbox" / f"{party}.parameters.json", home / "travel" / "inbox")
    with alone(home, "travel") as folder:
        files = [f"inbox/{party}.parameters.json" for party in NEEDED]
        understudy("randomize", "assemble", *files, "--structure", "net.bif", "--out", "study", cwd=folder)
    return home, tables


@pytest.mark.slow
def test_one_model_comes_out_within_its_errors(exchange: tuple[Path, dict[str, pd.DataFrame]]) -> None:
    home, _ = exchange
    parameters = pd.read_csv(home / "travel" / "study" / "parameters.csv", keep_default_na=False)
    truth = conditionals()
    distances = []
    for row in parameters.itertuples():
        given = dict(term.split("=") for term in row.given.split("; ") if term)
        cell = tuple(LABELS[name].index(given[name]) for name in PARENTS[row.column])
        true = truth[row.column][(*cell, LABELS[row.column].index(row.value))]
        distances.append((row.probability - true) / float(row.standard_error))
    # 42 probabilities: one beyond 5 of its standard errors has odds below 1 in 10,000
    assert len(distances) == sum(table.size for table in truth.values())
    assert max(map(abs, distances)) < 5
    model = us.load(home / "travel" / "study" / "model.understudy")
    assert sorted(model.sample(1000).columns) == sorted(PARENTS)
    assert model.statement.trust == "mixed"


def test_nothing_left_a_party_but_cross_parents_and_parameters(
    exchange: tuple[Path, dict[str, pd.DataFrame]],
) -> None:
    home, tables = exchange
    for party, columns in NEEDED.items():
        left = {path.name for path in (home / party / "outbox").iterdir()}
        assert left == {f"{party}.parameters.json", *([f"{party}.parquet"] if columns else [])}
        if columns:
            sent = pd.read_parquet(home / party / "outbox" / f"{party}.parquet")
            assert sorted(sent.columns) == sorted([*columns, "pseudonym"])
        everything = b"".join(path.read_bytes() for path in (home / party / "outbox").iterdir())
        for number in tables[party]["person_id"][:200]:
            assert str(number).encode() not in everything


def test_no_sensitive_column_left_unrandomised(exchange: tuple[Path, dict[str, pd.DataFrame]]) -> None:
    """Row by row, a published column agrees with the true one as often as the plan says, within 5 standard errors."""
    home, tables = exchange
    for party in ("travel", "clinic"):
        sent = pd.read_parquet(home / party / "outbox" / f"{party}.parquet")
        place = {pseudonym: row for row, pseudonym in enumerate(sent["pseudonym"])}
        pseudonyms = Pseudonymizer(SECRET, "asia")(pa.array(tables[party]["person_id"]))
        order = [place[bytes(pseudonym)] for pseudonym in pseudonyms]
        made = Plan.load(home / party / f"{party}.plan.yaml")
        for column in NEEDED[party]:
            published = sent[column].to_numpy().astype(str)[order]
            true = tables[party][column].to_numpy()
            agreement = float((published == true).mean())
            kept = _kept(made, column, true)
            assert abs(agreement - kept) < 5 * np.sqrt(kept * (1 - kept) / len(true))
            assert agreement < 0.95


def _kept(made: Plan, column: str, true: np.ndarray) -> float:
    """How often the plan keeps these values."""
    bounds = keep_probabilities(made.block_of(column), column) or ()
    assert all(low == high for low, high in bounds)  # randomised response: the other columns make no difference
    chances = np.array([float(low) for low, _ in bounds])
    codes = np.array([LABELS[column].index(value) for value in true])
    return float(chances[codes].mean())


def test_parameters_say_what_they_cost_and_nothing_of_rows(exchange: tuple[Path, dict[str, pd.DataFrame]]) -> None:
    home, tables = exchange
    for party in NEEDED:
        content = json.loads((home / party / "outbox" / f"{party}.parameters.json").read_text())
        assert content["epsilon"] == "1"
        assert content["rows"] == len(tables[party])
        assert [variable["name"] for variable in content["variables"]] == list(HOLDERS[party])
    statement = json.loads((home / "travel" / "study" / "privacy.json").read_text())
    assert statement["stamp"] is None
    assert 6.99 < statement["epsilon_decimal"] <= 7  # three times 1 in the centre, twice 2 at the parties
