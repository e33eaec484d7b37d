"""README's publish line on every engine: PostgreSQL, pulled or not, and Spark give the release of a file in memory."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import pyarrow.csv
import pytest

from tests.databases.loading import load
from tests.docs.blocks import PROJECT, blocks
from tests.spark.session import shared_session
from understudy import demo
from understudy.cli._main import run

PLACE = "postgresql://ann@db.example/clinic?table=health"


def lines() -> list[list[str]]:
    """The commands of the block that names a database."""
    [block] = [one for one in blocks(PROJECT / "README.md") if PLACE in one.text]
    return [shlex.split(line) for line in block.text.splitlines() if line]


@pytest.mark.slow
def test_the_line_of_the_readme_gives_one_release_on_every_engine(
    postgres: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared_session()
    monkeypatch.chdir(tmp_path)
    shutil.copy(demo.table_path(), "health.csv.gz")
    shutil.copy(demo.schema_path(), "health.schema.yaml")
    address = load(postgres, pyarrow.csv.read_csv("health.csv.gz"), "health")
    told = lines()
    assert {words[words.index("--out") + 1] for words in told} == {"streamed", "counted-there", "pulled", "on-spark"}
    line = ["publish", "health.csv.gz", "--schema", "health.schema.yaml", "--epsilon", "3", "--out", "release"]
    for words in (line, *(words[1:] for words in told)):
        assert run([address if word == PLACE else word for word in words] + ["--seed", "4"]) == 0
    made = {words[words.index("--out") + 1] for words in (line, *told)}
    assert len({Path(out, "synthetic.NOT-PRIVATE.csv").read_bytes() for out in made}) == 1
