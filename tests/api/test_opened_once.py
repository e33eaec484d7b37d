"""A source is opened once, whatever is done with it."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

import understudy as us
from tests.api.people import SCHEMA, people
from tests.promises import STRICT
from tests.tables.opens import opens_of
from understudy import tables
from understudy.cli._main import run

KINDS = ("csv", "csv.gz", "parquet", "arrow")


def write(folder, kind):
    path = folder / f"people.{kind}"
    if kind == "parquet":
        people().to_parquet(path)
    elif kind == "arrow":
        pyarrow.feather.write_feather(people(), str(path))
    else:
        people().to_csv(path, index=False)
    return path


def command_line(*words):
    assert run([str(word) for word in words]) == 0


DONE = {
    "publish": lambda path, out: us.publish(
        path, schema=SCHEMA, epsilon=1, method="independent", out=out / "r", ledger=out / "budget.db", cap=2
    ),
    "fit": lambda path, out: us.PrivBayes(epsilon=1).fit(path, SCHEMA),
    "plan": lambda path, out: us.plan(path, schema=SCHEMA, epsilon=1, **STRICT),
    "evaluate": lambda path, out: us.evaluate(path, people(), SCHEMA, ways=[1], classifiers=False),
    "compare": lambda path, out: us.compare(
        path, schema=SCHEMA, methods=["independent"], epsilons=[1], seeds=1, ways=[1]
    ),
    "draft": lambda path, out: us.draft_schema(path),
    "check": lambda path, out: us.check_table(path, us.Schema.from_dict(SCHEMA)),
    "understudy schema draft": lambda path, out: command_line("schema", "draft", path, "--out", out / "s.yaml"),
    "understudy publish": lambda path, out: command_line(
        "publish", path, "--schema", saved(out), "--epsilon", 1, "--method", "independent", "--out", out / "r"
    ),
}


def saved(out):
    us.Schema.from_dict(SCHEMA).save(out / "people.yaml")
    return out / "people.yaml"


@pytest.mark.one_in(4)
@pytest.mark.parametrize("do", DONE.values(), ids=DONE.keys())
@pytest.mark.parametrize("kind", KINDS)
def test_a_file_is_opened_once(kind, do, tmp_path, capsys):
    path = write(tmp_path, kind)
    with opens_of(path) as opened:
        do(path, tmp_path)
    assert len(opened) == 1


def test_looking_for_what_is_wrong_opens_no_file_again(tmp_path):
    ragged, foreign = tmp_path / "ragged.csv", tmp_path / "foreign.csv"
    ragged.write_bytes(b"a,b\nx,y\nx\n")
    foreign.write_bytes(b"a,b\nx,\xe9\n")
    schema = us.Schema.from_dict({"fields": [{"name": name, "categories": ["x", "y"]} for name in "ab"]})
    for path, said in ((ragged, "1 row does not have 2 cells"), (foreign, "not UTF-8")):
        with opens_of(path) as opened, pytest.raises(us.TableError, match=said):
            tables.read_table(path, schema)
        assert len(opened) == 1


def test_opens_are_counted_in_python_and_in_arrow(tmp_path):
    path = write(tmp_path, "parquet")
    with opens_of(path) as opened:
        for _ in range(3):
            path.read_bytes()
            pyarrow.parquet.read_schema(path)
            pa.OSFile(str(path)).close()
    assert len(opened) == 9


@pytest.mark.parametrize("do", [do for name, do in DONE.items() if " " not in name])
def test_a_lazy_frame_is_collected_once(do, tmp_path):
    pl = pytest.importorskip("polars")
    collected = []

    def note(frame):
        collected.append(frame.height)
        return frame

    do(pl.from_pandas(people()).lazy().map_batches(note), tmp_path)
    assert collected == [len(people())]


def test_columns_of_a_lazy_frame_that_differ_between_two_collections_cannot_disagree(tmp_path):
    pl = pytest.importorskip("polars")
    turns = iter((people(), people().iloc[:10]))
    frame = pl.LazyFrame(pl.from_pandas(people())).map_batches(lambda _: pl.from_pandas(next(turns)))
    assert us.publish(
        frame, schema=SCHEMA, epsilon=1, method="independent", out=tmp_path / "r", **STRICT
    ).n_rows == len(people())
