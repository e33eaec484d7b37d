"""One party without a miner: what it learns, what it writes, what it is charged, and how it refuses."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, parquet

from tests.randomize.setup_one import HOLDERS, LABELS, PARENTS, conditionals, rows, schema_of
from understudy._core.errors import BudgetExceeded, ModelFileError, OptionError, OutputError, SchemaError, TableError
from understudy._core.randomness import SeededBytes, Streams
from understudy.privacy import read_ledger
from understudy.randomize import Block, Piece, Plan, Response, apply, own
from understudy.randomize._odds import epsilon_above
from understudy.randomize._own_tables import OwnTables
from understudy.schema import Schema

SECRET = "correct horse battery staple"
N = 4_000


def table_of(party: str, codes: dict[str, np.ndarray], people: np.ndarray | None = None) -> pa.Table:
    n = len(codes["asia"])
    people = np.arange(n) if people is None else people
    columns = {name: np.array(LABELS[name])[codes[name]][people] for name in HOLDERS[party]}
    return pa.table({"person_id": people, **columns})


def plan_of(party: str, *columns: str, keep: Fraction | None = None) -> Plan:
    """All columns as one block, or left as they are."""
    schema = Schema.from_dict(schema_of(party))
    schema = Schema(name=schema.name, fields=tuple(schema[name] for name in columns))
    sizes = tuple(field.size for field in schema.fields)
    cells = int(np.prod(sizes))
    matrix = Response(cells, Fraction(1) if keep is None else keep)
    block = Block(columns=columns, sizes=sizes, matrix=matrix, sensitive=keep is not None)
    return Plan(party=party, schema=schema, blocks=(block,))


def send(folder: Path, party: str, plan: Plan, table: pa.Table, **changes: Any) -> Path:
    out = folder / f"{party}.parquet"
    seed = int.from_bytes(party.encode(), "big")  # of its own: two parties never draw the same bits
    options: dict[str, Any] = {"key": "person_id", "secret": SECRET, "study": "asia"}
    apply(table, plan, out=out, **(options | {"source_of_bits": SeededBytes(seed)} | changes))
    return out


@pytest.fixture
def codes() -> dict[str, np.ndarray]:
    return rows(N, Streams(1).get("people"))


@pytest.fixture
def inbox(tmp_path: Path, codes: dict[str, np.ndarray]) -> list[Path]:
    tub = plan_of("travel", "tub", keep=Fraction(4, 5))
    both = plan_of("clinic", "lung", "bronc", keep=Fraction(4, 5))
    return [
        send(tmp_path, "travel", tub, table_of("travel", codes)),
        send(tmp_path, "clinic", both, table_of("clinic", codes)),
    ]


def learn(tmp_path: Path, codes: dict[str, np.ndarray], inbox: list[Path], **changes: Any) -> Piece:
    options: dict[str, Any] = {
        "structure": PARENTS,
        "schema": schema_of("imaging"),
        "party": "imaging",
        "epsilon": 2,
        "key": "person_id",
        "secret": SECRET,
        "study": "asia",
        "out": tmp_path / "imaging.parameters.json",
    }
    return own(table_of("imaging", codes), inbox, **(options | changes))


def test_a_party_learns_its_own_variables_from_true_and_randomised_columns(
    tmp_path: Path, codes: dict[str, np.ndarray], inbox: list[Path]
) -> None:
    piece = learn(tmp_path, codes, inbox, seed=9)
    truth = conditionals()
    assert [variable.name for variable in piece.variables] == ["either", "xray", "dysp"]
    for variable in piece.variables:
        assert variable.parents == PARENTS[variable.name]
        assert (abs(variable.probabilities - truth[variable.name]) < 4 * variable.errors).all()


def test_the_file_holds_parameters_and_what_was_promised_and_no_rows(
    tmp_path: Path, codes: dict[str, np.ndarray], inbox: list[Path]
) -> None:
    piece = learn(tmp_path, codes, inbox)
    text = (tmp_path / "imaging.parameters.json").read_text()
    content = json.loads(text)
    assert content["epsilon"] == "2"
    assert content["neighbours"] == "replace-one"
    assert content["unit"] == "one person"
    assert content["stamp"] is None
    assert content["tables"] == 3
    assert [field["name"] for field in content["schema"]["fields"]] == ["either", "xray", "dysp"]
    assert [one["plan"]["party"] for one in content["received"]] == ["travel", "clinic"]
    assert SECRET not in text
    assert len(text) < 20_000  # of 4,000 rows
    again = Piece.load(tmp_path / "imaging.parameters.json")
    assert again.to_dict() == piece.to_dict()


def test_local_variables_need_neither_files_nor_a_key(tmp_path: Path, codes: dict[str, np.ndarray]) -> None:
    piece = own(
        table_of("clinic", codes),
        structure=PARENTS,
        schema=schema_of("clinic"),
        party="clinic",
        epsilon=1,
        seed=9,
        out=tmp_path / "clinic.parameters.json",
    )
    truth = conditionals()
    assert piece.tables == 2  # smoke's own table is part of lung's and of bronc's
    assert piece.unit == "one row"
    for variable in piece.variables:
        assert (abs(variable.probabilities - truth[variable.name]) < 4 * variable.errors).all()


def test_only_people_whom_the_senders_know_count_for_cross_variables(
    tmp_path: Path, codes: dict[str, np.ndarray]
) -> None:
    some = np.arange(0, N, 2)
    files = [
        send(tmp_path, "travel", plan_of("travel", "tub"), table_of("travel", codes, some)),
        send(tmp_path, "clinic", plan_of("clinic", "lung", "bronc"), table_of("clinic", codes)),
    ]
    piece = learn(tmp_path, codes, files)
    assert {variable.name: variable.rows for variable in piece.variables} == {
        "either": N // 2,
        "xray": N,
        "dysp": N,
    }


def test_the_whole_budget_is_charged_once_and_a_second_run_adds_up(
    tmp_path: Path, codes: dict[str, np.ndarray], inbox: list[Path]
) -> None:
    book = tmp_path / "budget.db"
    piece = learn(tmp_path, codes, inbox, ledger=book, cap=3)
    assert piece.ledger is not None
    assert piece.ledger[0] == "imaging"
    assert read_ledger(book).account("imaging").spent == 2
    learn(tmp_path, codes, inbox, ledger=book, epsilon=1, overwrite=True)
    assert read_ledger(book).account("imaging").spent == 3
    with pytest.raises(BudgetExceeded):
        learn(tmp_path, codes, inbox, ledger=book, epsilon=1, overwrite=True)


def test_exact_parameters_are_stamped_and_never_charged(
    tmp_path: Path, codes: dict[str, np.ndarray], inbox: list[Path]
) -> None:
    book = tmp_path / "budget.db"
    piece = learn(tmp_path, codes, inbox, epsilon=None, no_guarantee=True, ledger=book, cap=3)
    assert piece.stamp == "NOT PRIVATE: as printed"
    assert piece.epsilon is None
    assert piece.noise == "none"
    account = read_ledger(book).account("imaging")
    assert (account.spent, account.n_charges, account.n_unbounded) == (0, 0, 1)
    assert piece.ledger is None
    xray = next(variable for variable in piece.variables if variable.name == "xray")
    counted = np.zeros((2, 2))
    np.add.at(counted, (codes["either"], codes["xray"]), 1)
    assert np.allclose(xray.probabilities, counted / counted.sum(axis=1, keepdims=True))


def test_a_seeded_rehearsal_is_stamped_never_charged_and_can_be_repeated(
    tmp_path: Path, codes: dict[str, np.ndarray], inbox: list[Path]
) -> None:
    book = tmp_path / "budget.db"
    first = learn(tmp_path, codes, inbox, seed=3, ledger=book, cap=3)
    second = learn(tmp_path, codes, inbox, seed=3, overwrite=True)
    assert first.stamp == "NOT PRIVATE: seeded"
    assert (first.variables[0].probabilities == second.variables[0].probabilities).all()
    assert not book.exists() or not read_ledger(book).accounts


def test_a_missing_cross_parent_is_asked_of_whoever_holds_it(
    tmp_path: Path, codes: dict[str, np.ndarray], inbox: list[Path]
) -> None:
    with pytest.raises(OptionError, match="either depends on 'lung', which no received file has: clinic must send it"):
        learn(tmp_path, codes, inbox[:1], others={"clinic": schema_of("clinic")})
    with pytest.raises(OptionError, match="the party that holds it must send it"):
        learn(tmp_path, codes, inbox[:1])


def test_a_file_made_with_another_secret_or_for_another_study_is_refused(
    tmp_path: Path, codes: dict[str, np.ndarray], inbox: list[Path]
) -> None:
    with pytest.raises(OptionError, match="different secrets"):
        learn(tmp_path, codes, inbox, secret="another horse, another battery")
    with pytest.raises(OptionError, match="different studies"):
        learn(tmp_path, codes, inbox, study="flu")


def test_nobody_in_common_is_refused(tmp_path: Path, codes: dict[str, np.ndarray], inbox: list[Path]) -> None:
    table = table_of("travel", codes)
    table = table.set_column(0, "person_id", pa.array(np.arange(N) + N))
    strangers = send(tmp_path, "strangers", plan_of("travel", "tub"), table)
    with pytest.raises(TableError, match=r"nobody is in your table and strangers\.parquet"):
        learn(tmp_path, codes, [strangers, inbox[1]])


def test_a_column_that_both_have_is_refused(tmp_path: Path, codes: dict[str, np.ndarray], inbox: list[Path]) -> None:
    mine = send(tmp_path, "imaging", plan_of("imaging", "xray"), table_of("imaging", codes))
    with pytest.raises(OptionError, match=r"'xray' is in your own schema and in imaging\.parquet"):
        learn(tmp_path, codes, [*inbox, mine])


def test_a_file_that_was_changed_is_refused(tmp_path: Path, codes: dict[str, np.ndarray], inbox: list[Path]) -> None:
    metadata = parquet.read_metadata(inbox[0]).metadata
    found = parquet.read_table(inbox[0]).slice(1)
    parquet.write_table(found.replace_schema_metadata(metadata), inbox[0])
    with pytest.raises(TableError, match="changed after it was made"):
        learn(tmp_path, codes, inbox)


def test_two_rows_of_one_person_are_refused(tmp_path: Path, codes: dict[str, np.ndarray], inbox: list[Path]) -> None:
    options: dict[str, Any] = {"structure": PARENTS, "key": "person_id", "epsilon": 2, "out": tmp_path / "x.json"}
    for party, files in (("imaging", inbox), ("clinic", [])):
        table = table_of(party, codes)
        twice = pa.concat_tables([table, table.slice(0, 3)])
        more: dict[str, Any] = {"schema": schema_of(party), "party": party, "secret": SECRET, "study": "asia"}
        with pytest.raises(TableError, match="3 keys have more than one row"):
            own(twice, files, **options, **more)
        assert not (tmp_path / "x.json").exists()
    assert own(twice, **options, **more, duplicates="drop").rows == N - 3


def test_an_unknown_category_is_refused_without_showing_it(
    tmp_path: Path, codes: dict[str, np.ndarray], inbox: list[Path]
) -> None:
    fields = [{"name": name, "categories": ["no", "perhaps"]} for name in HOLDERS["imaging"]]
    with pytest.raises(TableError, match="not among its 2 categories") as caught:
        learn(tmp_path, codes, inbox, schema={"fields": fields})
    assert "yes" not in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"epsilon": None}, OptionError, "how much may the parameters reveal"),
        ({"no_guarantee": True}, OptionError, "Give one of both"),
        ({"epsilon": 0}, OptionError, "above 0"),
        ({"epsilon": "1e-30"}, OptionError, "larger than any count"),
        ({"key": None}, OptionError, "--key"),
        ({"key": "personid"}, OptionError, "Did you mean 'person_id'"),
        ({"party": " "}, OptionError, "needs a name"),
        ({"structure": {"flu": []}}, OptionError, "none of the schema's columns"),
        ({"structure": {"xray": ["xray"]}}, ModelFileError, "circle"),
        ({"cap": 3}, OptionError, "kept in a ledger"),
        ({"secret": "short"}, OptionError, "can be guessed"),
        ({"duplicates": "keep"}, OptionError, "must be 'refuse' or 'drop'"),
        ({"schema": {"fields": [{"name": "xray"}]}}, SchemaError, "no public domain"),
    ],
)
def test_mistakes_are_told_before_anything_is_read(
    tmp_path: Path, codes: dict[str, np.ndarray], inbox: list[Path], changes: Any, error: type, words: str
) -> None:
    with pytest.raises(error, match=words):
        learn(tmp_path, codes, inbox, **changes)
    assert not (tmp_path / "imaging.parameters.json").exists()


def test_a_file_that_is_there_is_not_replaced_unasked(
    tmp_path: Path, codes: dict[str, np.ndarray], inbox: list[Path]
) -> None:
    learn(tmp_path, codes, inbox)
    before = (tmp_path / "imaging.parameters.json").read_bytes()
    with pytest.raises(OutputError, match="is there already"):
        learn(tmp_path, codes, inbox)
    assert (tmp_path / "imaging.parameters.json").read_bytes() == before


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda text: text[:-40], "was changed"),
        (lambda text: text.replace('"rows": 4000', '"rows": 4001'), "was changed"),
        (lambda text: "[]", "was changed"),
        (lambda text: text.replace("understudy-parameters/1", "understudy-parameters/9"), "has the format"),
    ],
)
def test_parameters_that_were_changed_are_noticed(
    tmp_path: Path, codes: dict[str, np.ndarray], inbox: list[Path], change: Any, words: str
) -> None:
    learn(tmp_path, codes, inbox)
    path = tmp_path / "imaging.parameters.json"
    path.write_text(change(path.read_text()))
    with pytest.raises(ModelFileError, match=words):
        Piece.load(path)


def test_a_file_that_is_not_there_is_told() -> None:
    with pytest.raises(ModelFileError, match="cannot read"):
        Piece.load("none.parameters.json")


def test_what_a_party_sent_and_what_it_measured_add_up_beside_its_table(
    tmp_path: Path, codes: dict[str, np.ndarray]
) -> None:
    path = tmp_path / "clinic.csv"
    csv.write_csv(table_of("clinic", codes), path)
    plan = plan_of("clinic", "lung", keep=Fraction(3, 4))
    apply(path, plan, out=tmp_path / "clinic.parquet", key="person_id", secret=SECRET, study="asia")
    for epsilon in (1, 2):
        own(
            path,
            structure=PARENTS,
            schema=schema_of("clinic"),
            party="clinic",
            epsilon=epsilon,
            out=tmp_path / f"clinic{epsilon}.json",
        )
    account = read_ledger(tmp_path / "clinic.csv.ledger.db").account("clinic")
    assert account.spent == 3 + epsilon_above(Fraction(3))
    assert account.n_charges == 3


def test_nothing_is_charged_if_it_cannot_be_measured_or_written(
    tmp_path: Path, codes: dict[str, np.ndarray], inbox: list[Path]
) -> None:
    book = tmp_path / "budget.db"
    singular = send(tmp_path, "singular", plan_of("travel", "tub", keep=Fraction(1, 2)), table_of("travel", codes))
    with pytest.raises(OptionError, match="singular"):
        learn(tmp_path, codes, [singular, inbox[1]], ledger=book, cap=3)
    with pytest.raises(OptionError, match="larger than any count"):
        learn(tmp_path, codes, inbox, ledger=book, cap=3, epsilon="1e-30")
    with pytest.raises(OutputError):
        learn(tmp_path, codes, inbox, ledger=book, cap=3, out=inbox[0] / "x.json")
    assert not book.exists() or not read_ledger(book).accounts


def test_the_table_itself_is_never_replaced(tmp_path: Path, codes: dict[str, np.ndarray]) -> None:
    path = tmp_path / "clinic.csv"
    csv.write_csv(table_of("clinic", codes), path)
    before = path.read_bytes()
    options: dict[str, Any] = {"structure": PARENTS, "schema": schema_of("clinic"), "party": "clinic", "epsilon": 1}
    with pytest.raises(OutputError, match="the private table itself"):
        own(path, **options, out=path, overwrite=True)
    assert path.read_bytes() == before


def test_nothing_but_noisy_counts_reaches_the_file(
    inbox: list[Path], codes: dict[str, np.ndarray], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With counts that are the same for all tables, all tables of the same people make the same file."""

    def same_for_all(self: OwnTables, marginals: Any) -> Any:
        return [np.full([self.domain.size(axis) for axis in one.axes], 50, dtype=np.int64) for one in marginals]

    monkeypatch.setattr(OwnTables, "count", same_for_all)
    turned = codes | {name: (column + 1) % len(LABELS[name]) for name, column in codes.items()}
    constant = codes | {name: np.zeros_like(column) for name, column in codes.items()}
    files = []
    for number, rows_of in enumerate((codes, turned, constant)):
        out = tmp_path / f"{number}.json"
        learn(tmp_path, rows_of, inbox, out=out, seed=3)
        files.append(out.read_bytes())
    assert files[0] == files[1] == files[2]
