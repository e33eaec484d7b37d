"""Three parties and a miner, each command in a process of its own, exchanging files and nothing else.

While a process runs, the only private folder on the disk is its own: the others' files are kept in the memory of this
test. So nothing can be read that was not sent.
"""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

import understudy as us
from tests.warm import run_warm
from understudy import demo
from understudy.randomize import open_randomized
from understudy.randomize._pseudonyms import Pseudonymizer
from understudy.tables import read_table

EPSILON = {"hospital": "2", "insurer": "1.5", "employer": "2"}
STUDY = "joint care"
# A binomial count is further off than this, in standard deviations, once in 26 million cases: the 24 checks here fail
# by chance less than once in a million runs.
WIDTH = 5.5
Files = dict[str, bytes]


def understudy(folder: Path, *words: str) -> str:
    """One command, in a process whose environment names neither secret nor home."""
    kept = ("PATH", "PYTHONPATH", "NUMBA_CACHE_DIR", "NUMBA_DISABLE_JIT")
    done = run_warm(words, cwd=folder, env={name: os.environ[name] for name in kept if name in os.environ})
    assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def put(folder: Path, files: Files) -> None:
    """Lay these files into a new folder."""
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)


def take(folder: Path) -> Files:
    """The folder's files; it is gone afterwards."""
    found = {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
    shutil.rmtree(folder)
    return found


@dataclass(frozen=True)
class Played:
    """Who had what in the end, and what everybody's screen showed."""

    secret: str
    private: dict[str, Files]
    miner: Path
    printed: dict[str, str]

    def table(self, party: str) -> pa.Table:
        """A party's private table."""
        return pacsv.read_csv(BytesIO(self.private[party][f"{party}.csv"]))


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    home = tmp_path_factory.mktemp("parties")
    demo.write_parties(home)
    understudy(home, "randomize", "secret", "-o", "secret")
    secret = (home / "secret").read_bytes()
    (home / "secret").unlink()
    private = {party: take(home / party) | {"secret": secret} for party in EPSILON}
    miner: Files = {}
    printed = {}
    for party in EPSILON:
        put(home / party, private[party])
        printed[party] = randomise(home / party, party)
        private[party] = take(home / party)
        miner |= {name: private[party][place] for name, place in sent_by(party)}
    put(home / "miner", miner)
    printed["miner"] = mine(home / "miner")
    return Played(secret.decode().strip(), private, home / "miner", printed)


def sent_by(party: str) -> list[tuple[str, str]]:
    """What a party hands over: the miner's name for each file, and its own."""
    return [(f"{party}.plan.yaml", f"{party}.plan.yaml"), (f"{party}.parquet", f"outbox/{party}.parquet")]


def randomise(folder: Path, party: str) -> str:
    """One party at work."""
    public = ["--public", "sex"] if party == "employer" else []
    plan = ["randomize", "plan", "--schema", f"{party}.schema.yaml", "--epsilon", EPSILON[party], *public]
    apply = ["randomize", "apply", f"{party}.csv", "--plan", f"{party}.plan.yaml", "--key", "person_id"]
    told = understudy(folder, *plan, "-o", f"{party}.plan.yaml")
    sent = f"outbox/{party}.parquet"
    return told + understudy(folder, *apply, "--secret-file", "secret", "--study", STUDY, "-o", sent)


def mine(folder: Path) -> str:
    """The miner at work."""
    files, plans = [f"{party}.parquet" for party in EPSILON], [f"{party}.plan.yaml" for party in EPSILON]
    agreed = [word for plan in plans for word in ("--plan", plan)]
    told = understudy(folder, "randomize", "estimate", *files, "--marginal", "age,medical_spending")
    told += understudy(folder, "randomize", "learn", *files, *agreed, "--out", "study")
    return told + understudy(folder, "sample", "study/model.understudy", "-n", "2000", "-o", "joint.csv")


def both(played: Played, party: str) -> tuple[Any, Any, Any]:
    """A party's plan, its true codes and its published ones, row by row: joined by making the pseudonyms again."""
    file = open_randomized(played.miner / f"{party}.parquet")
    table = played.table(party)
    true = read_table(table.drop_columns(["person_id"]), file.plan.schema)
    own = Pseudonymizer(played.secret, STUDY)(table["person_id"].combine_chunks())
    place = {bytes(pseudonym): row for row, pseudonym in enumerate(own)}
    rows = [place[words.tobytes()] for words in file.pseudonyms()]
    assert sorted(rows) == list(range(table.num_rows))
    return file.plan, [column[rows] for column in true.columns], file.codes().columns


def as_often_as(before: Any, after: Any, keep: float) -> bool:
    """Whether values stay as they were with this probability: in all rows, and in those of each true value."""
    for value in (None, *np.unique(before)):
        rows = np.ones(len(before), bool) if value is None else before == value
        n, agree = int(rows.sum()), int((before == after)[rows].sum())
        if abs(agree - n * keep) > WIDTH * np.sqrt(n * keep * (1 - keep)) + 1:
            return False
    return True


@pytest.mark.one_in(3)
@pytest.mark.parametrize("party", EPSILON)
def test_rows_agree_with_the_clean_ones_as_often_as_the_plan_keeps_them(played: Played, party: str) -> None:
    plan, true, published = both(played, party)
    names = plan.schema.names
    for block in plan.blocks:
        places = [names.index(name) for name in block.columns]
        before, after = (np.ravel_multi_index([c[i] for i in places], block.sizes) for c in (true, published))
        if not block.sensitive:
            assert block.columns == ("sex",)
            assert (before == after).all()
            continue
        keep = float(block.matrix.keep)
        assert as_often_as(before, after, keep)
        # and it would have been noticed, had a value in three been sent as it is, or more noise been added: by over
        # ten standard deviations beyond the margin
        slipped = np.arange(len(before)) % 3 == 0
        assert not as_often_as(before, np.where(slipped, before, after), keep)
        assert not as_often_as(before, np.where(slipped, (before + 1) % block.cells, after), keep)
        assert not as_often_as(before, before, keep)


@pytest.mark.parametrize("party", EPSILON)
def test_a_file_holds_labels_and_pseudonyms_and_no_key_value_or_secret(played: Played, party: str) -> None:
    path = played.miner / f"{party}.parquet"
    sent, plan = pq.read_table(path), open_randomized(path).plan
    assert sent.column_names == [*plan.schema.names, "pseudonym"]
    for field in plan.schema.fields:
        assert set(sent[field.name].to_pylist()) <= set(field.labels)
    everything = path.read_bytes() + b"".join(sent["pseudonym"].to_pylist())
    everything += played.printed[party].encode() + played.private[party][f"{party}.plan.yaml"]
    assert played.secret.encode() not in everything
    # six digits by chance among 300 kB of random bytes: once in 10 million runs, for all keys together once in 1,000
    keys = [str(key).encode() for key in played.table(party)["person_id"].to_pylist()]
    assert sum(key in everything for key in keys) <= 2


def test_the_miner_gets_what_was_sent_and_learns_one_network(played: Played) -> None:
    assert {path.name for path in played.miner.iterdir()} == {
        *(name for party in EPSILON for name, _ in sent_by(party)),
        *("study", "joint.csv"),
    }
    model = us.load(played.miner / "study" / "model.understudy")
    assert set(model.schema.names) == {
        *("doctor_visits", "chronic_disease_index", "medical_spending", "free_care", "sex", "age", "income")
    }
    assert len((played.miner / "joint.csv").read_text(encoding="utf-8").splitlines()) == 2001
    found = json.loads((played.miner / "study" / "privacy.json").read_text(encoding="utf-8"))
    assert found["trust"] == "local"
    assert found["stamp"] is None
    assert 5.49 < found["epsilon_decimal"] <= 5.5
    assert [party["rows"] for party in found["parties"]] == [5616, 5675, 5912]
    assert found["n_rows"] == 5439
    assert [party["public"] for party in found["parties"]] == [[], [], ["sex"]]


def test_nobodys_screen_and_no_file_of_the_study_shows_a_key_or_the_secret(played: Played) -> None:
    files = [path for path in (played.miner / "study").iterdir() if path.suffix != ".understudy"]
    texts = [*played.printed.values(), *(path.read_text(encoding="utf-8") for path in files)]
    keys = {str(key) for key in played.table("employer")["person_id"].to_pylist()}
    for text in texts:
        assert played.secret not in text
        words = set("".join(c if c.isdigit() else " " for c in text).split())
        assert len(words & keys) <= 2  # six digits of a figure may be somebody's number
