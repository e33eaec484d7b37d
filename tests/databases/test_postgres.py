"""Tables on a PostgreSQL server, as a user meets them: published where they are or pulled, and all that breaks."""

import _thread
import re
import threading

import pyarrow as pa
import pytest

import understudy as us
from tests.databases.loading import ask, load, named
from understudy._core.errors import OptionError, TableError
from understudy._core.randomness import Streams
from understudy.cli._main import run
from understudy.counting import UnitRule, on_server, open_counter
from understudy.databases import PostgresTable
from understudy.privacy import read_ledger
from understudy.schema import Attribute, Domain, Marginal, Schema
from understudy.tables import check_table, draft_schema, open_source, read_table

ROWS = pa.table(
    {
        "sex": ["f", "m", "m", None] * 60,
        "age": [(37 * i) % 100 for i in range(240)],
        "site": [f"s{(i * i) % 5}" for i in range(240)],
        "ill": [i % 3 == 0 for i in range(240)],
    }
)
SCHEMA = Schema.from_dict(
    {
        "name": "visits",
        "fields": [
            {"name": "sex", "categories": ["f", "m"], "constraints": {"required": False}},
            {"name": "age", "type": "integer", "bins": 5, "constraints": {"minimum": 0, "maximum": 99}},
            {"name": "site", "categories": [f"s{i}" for i in range(5)]},
            {"name": "ill", "type": "boolean"},
        ],
    }
)
RUN = ["--epsilon", "1", "--schema", "visits.schema.yaml"]


@pytest.fixture(scope="module")
def visits(postgres):
    load(postgres, pa.table({"a": [1]}), "visitors")
    return load(postgres, ROWS, "visits")


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    SCHEMA.save("visits.schema.yaml")
    return tmp_path


def password(address):
    return re.search(r":([^:@/]+)@", address).group(1)


def test_a_rehearsal_gives_the_very_release_whoever_counts(visits, home):
    ways = {
        "memory": (ROWS, {}),
        "database": (visits, {}),
        "pulled": (visits, {"pull": True, "engine": "memory"}),
        "stream": (visits, {"pull": True, "engine": "stream"}),
    }
    made = {
        name: us.publish(source, schema=SCHEMA, epsilon=1, seed=5, out=home / name, **how)
        for name, (source, how) in ways.items()
    }
    assert len({release.synthetic.read_bytes() for release in made.values()}) == 1
    said = {name: release.statement.counted for name, release in made.items()}
    assert said == {"memory": None, "database": "on its server", "pulled": "pulled", "stream": "pulled"}
    assert "The rows stayed on their database server" in (home / "database" / "PRIVACY.md").read_text()
    assert "The rows left their database server" in (home / "pulled" / "PRIVACY.md").read_text()
    assert "database server" not in (home / "memory" / "PRIVACY.md").read_text()


def test_no_file_and_no_message_has_the_password(visits, home, capsys):
    ledger = ["--ledger", "budget.db", "--cap", "3"]
    assert run(["publish", visits, *RUN, *ledger, "--out", "release"]) == 0
    assert run(["evaluate", visits, "release", "--html", "report.html", "--no-classifiers"]) == 0
    assert run(["schema", "draft", visits, "--out", "draft.yaml"]) == 0
    assert run(["schema", "check", visits, "visits.schema.yaml"]) == 0
    assert run(["plan", visits, *RUN, "--neighbours", "replace-one", "--json"]) == 0
    assert run(["evaluate", "release", visits]) == 2  # swapped
    assert run(["publish", "release", visits, *RUN]) == 2  # one too many, which the parser quotes
    shown = capsys.readouterr()
    secret = password(visits)
    assert secret not in shown.out + shown.err
    for path in home.rglob("*"):
        assert path.is_dir() or secret.encode() not in path.read_bytes(), path
    assert secret not in repr(open_source(visits))
    assert "schema check 'postgresql://owner@" in shown.out  # what to type next has no password


def test_a_table_is_drafted_checked_and_planned_for(visits):
    drafted = draft_schema(visits)
    assert (drafted.name, drafted.names) == ("visits", ROWS.schema.names and tuple(ROWS.schema.names))
    assert check_table(visits, SCHEMA).ok
    assert us.plan(visits, schema=SCHEMA, epsilon=1, neighbours="replace-one").rows == 240
    for mine, other in zip(read_table(visits, SCHEMA).columns, read_table(ROWS, SCHEMA).columns, strict=True):
        assert mine.tolist() == other.tolist()


def test_a_plan_says_where_rows_would_be_counted(visits):
    there = us.plan(visits, schema=SCHEMA, epsilon=1, rows=240)
    assert (there.engine, there.passes) == ("database", 3)  # two queries that check, one of pairs
    assert "stay there" in there.engine_because
    assert there.pass_bytes is not None
    assert us.plan(visits, schema=SCHEMA, epsilon=1, rows=240, pull=True, engine="memory").engine == "memory"


def test_no_more_queries_go_over_a_table_than_the_plan_says(postgres, home, monkeypatch):
    bits = pa.table({f"b{i}": [str(row >> i & 1) for row in range(200)] for i in range(9)})
    schema = Schema.from_dict({"fields": [{"name": name, "categories": ["0", "1"]} for name in bits.column_names]})
    asked, ask_it = [], PostgresTable.ask
    monkeypatch.setattr(PostgresTable, "ask", lambda self, sql: asked.append(sql) or ask_it(self, sql))
    for rows, declared, method in (
        (ROWS, SCHEMA, "adaptive"),
        (bits, schema, "adaptive"),
        (bits, schema, "independent"),
    ):
        address = load(postgres, rows, "scanned")
        told = us.plan(address, schema=declared, epsilon=1, rows=200, method=method).passes
        asked.clear()
        us.publish(
            address, schema=declared, epsilon=1, seed=1, method=method, out=home / f"{len(asked)}", overwrite=True
        )
        assert sum('"scanned" AS t' in sql for sql in asked) == told
    assert us.plan(address, schema=schema, epsilon=1, rows=200, method="privbayes").passes is None


def test_tables_of_other_schemas_and_views_are_found(postgres, visits):
    ask(
        postgres,
        "CREATE SCHEMA clinic",
        'CREATE TABLE clinic."Odd Name" AS SELECT 1 AS a',
        "CREATE VIEW clinic.seen AS SELECT sex, age FROM visits",
        "CREATE MATERIALIZED VIEW kept AS SELECT sex FROM visits",
        "CREATE TABLE parted (a int) PARTITION BY LIST (a)",
    )
    assert open_source(named(postgres, "clinic.seen")).names == ("sex", "age")
    assert open_source(named(postgres, "clinic.Odd%20Name")).names == ("a",)
    assert open_source(named(postgres, "kept")).names == ("sex",)
    assert open_source(named(postgres, "parted")).names == ("a",)
    assert open_source(named(postgres, "VISITS")).title == "visits"


def test_a_name_that_may_mean_two_tables_means_what_sql_reads(postgres):
    ask(
        postgres,
        "CREATE SCHEMA ward",
        "CREATE TABLE beds AS SELECT 1 AS plain",
        'CREATE TABLE "public.beds" AS SELECT 1 AS dotted',
        "CREATE TABLE ward.nurses AS SELECT 1 AS a",
        'CREATE TABLE "Rooms" AS SELECT 1 AS a',
        'CREATE TABLE "ROOMS" AS SELECT 1 AS b',
    )
    found = {
        name: open_source(named(postgres, name)).names[0] for name in ("beds", "public.beds", "public.public.beds")
    }
    assert found == {"beds": "plain", "public.beds": "plain", "public.public.beds": "dotted"}
    assert open_source(named(postgres, "ROOMS")).names == ("b",)
    with pytest.raises(TableError, match=r"several tables 'rooms' that differ in capitals\. Known: 'ROOMS', 'Rooms'"):
        open_source(named(postgres, "rooms"))
    with pytest.raises(TableError, match=r"no table 'nurses'\. Did you mean 'ward\.nurses'\?"):
        open_source(named(postgres, "nurses"))


def test_all_that_is_asked_is_asked_of_one_snapshot(postgres):
    address = load(postgres, pa.table({"v": ["f", "m", "m"]}), "changing")
    schema = Schema.from_dict({"fields": [{"name": "v", "categories": ["f", "m"]}]})
    source = open_source(address)
    ask(postgres, "INSERT INTO changing VALUES ('f'), ('unheard of')")
    assert open_counter(source, schema, engine="auto").count([Marginal.of(0)])[0].tolist() == [1, 2]
    assert read_table(source, schema).n == 3
    with pytest.raises(TableError):
        read_table(address, schema)


def test_nothing_can_be_written(visits):
    with pytest.raises(TableError, match="25006"):
        open_source(visits).server.ask("INSERT INTO visits VALUES ('f', 1, 's0', true)")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda a: a.replace(password(a), "wrong"), "the user or the password is wrong"),
        (lambda a: a.replace("owner:", "nobody:"), "the user or the password is wrong"),
        (lambda a: a.replace("/postgres?", "/nowhere?"), "there is no such database"),
        (lambda a: re.sub(r":\d+/", ":1/", a), "nobody answers there"),
        (lambda a: re.sub(r"@[^:]+:", "@nowhere.invalid:", a), "no host of that name"),
        (lambda a: a + "&sslmode=require", "no encrypted connection"),
        (lambda a: a + "&colour=red", "a setting after its question mark"),
        (lambda a: a.replace("=visits", "=vists"), "has no table 'vists'. Did you mean 'visits'?"),
        (lambda a: a.replace("?table=visits", ""), "which table of"),
        (lambda a: a.replace("@", "@@"), "percent-encoded"),
    ],
)
def test_an_address_that_leads_nowhere_ends_in_a_sentence(visits, home, capsys, change, said):
    address = change(visits)
    assert run(["publish", address, *RUN, "--ledger", "budget.db", "--cap", "3", "--out", "release"]) == 2
    told = capsys.readouterr().err
    assert said in told
    assert password(visits) not in told
    assert "wrong@" not in told
    assert not (home / "release").exists()
    assert not (home / "budget.db").exists() or "charge" not in [
        entry.kind for entry in read_ledger("budget.db").entries
    ]


def test_a_user_who_may_not_read_is_told_so(postgres, visits, home, capsys):
    ask(postgres, "CREATE ROLE guest LOGIN PASSWORD 'guest'", "CREATE TABLE secret_one AS SELECT 1 AS a")
    address = re.sub(r"//[^@]+@", "//guest:guest@", named(postgres, "secret_one"))
    assert run(["schema", "draft", address]) == 2
    assert "no permission to read it" in capsys.readouterr().err
    ask(postgres, "GRANT SELECT (sex) ON visits TO guest")
    with pytest.raises(TableError, match="no permission"):
        read_table(re.sub(r"//[^@]+@", "//guest:guest@", visits), SCHEMA)


def test_a_type_that_no_field_can_hold_is_named(postgres, home, capsys):
    ask(postgres, "CREATE TABLE lists AS SELECT ARRAY[1, 2] AS sex, 1 AS age, 's0' AS site, true AS ill")
    for more in ([], ["--pull"]):
        assert run(["publish", named(postgres, "lists"), *RUN, *more, "--out", "release"]) == 2
        assert "column 'sex' holds lists; a cell has to be one value" in capsys.readouterr().err


def test_a_query_that_the_server_cancels_ends_in_a_sentence(postgres, home, capsys):
    ask(postgres, "CREATE VIEW slow_one AS SELECT v.* FROM visits v, pg_sleep(30)")
    address = named(postgres, "slow_one", options="-c%20statement_timeout%3D200")
    for more in ([], ["--pull"]):
        assert run(["publish", address, *RUN, *more, "--ledger", "budget.db", "--cap", "3", "--out", "release"]) == 2
        told = capsys.readouterr().err
        assert "the server cancelled a query" in told
        assert "statement_timeout" in told
    assert not (home / "release").exists()


def test_a_server_that_goes_away_in_the_middle_leaves_the_ledger_true(postgres, visits, home, capsys, monkeypatch):
    from understudy.counting import _sql_passes

    counted = _sql_passes.group_by

    def gone(*asked, **more):
        ask(postgres, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'understudy'")
        return counted(*asked, **more)

    monkeypatch.setattr(_sql_passes, "group_by", gone)
    assert run(["publish", visits, *RUN, "--ledger", "budget.db", "--cap", "3", "--out", "release"]) == 2
    told = capsys.readouterr().err
    assert "the connection to the server broke off" in told
    assert "The charge of epsilon 1 to dataset 'visits' stays in the ledger." in told
    assert [entry.kind for entry in read_ledger("budget.db").entries].count("charge") == 1
    assert not (home / "release").exists()


def test_a_server_that_goes_away_while_rows_are_pulled_ends_in_a_sentence(postgres, visits):
    source = open_source(visits)
    ask(postgres, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'understudy'")
    with pytest.raises(TableError, match="broke off"):
        read_table(source, SCHEMA)


def test_an_interrupt_stops_the_query_on_the_server_too(postgres, visits):
    source = open_source(visits)
    running = "SELECT count(*) AS n FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%pg_sleep(3600)%'"
    running += " AND pid <> pg_backend_pid()"

    def interrupt():
        while not ask(postgres, running)["n"][0].as_py():
            pass
        _thread.interrupt_main()

    threading.Thread(target=interrupt, daemon=True).start()
    with pytest.raises(KeyboardInterrupt):
        source.server.ask("SELECT pg_sleep(3600)")
    assert ask(postgres, running)["n"][0].as_py() == 0


def test_rows_are_pulled_only_where_that_is_allowed_and_pays(visits):
    source = open_source(visits)
    few, many = (Domain(tuple(Attribute(name=f"a{i}", size=16) for i in range(n))) for n in (3, 16))
    assert [on_server(source, domain) for domain in (few, many)] == [True, True]
    assert [on_server(source, domain, pull=True) for domain in (few, many)] == [True, False]
    assert on_server(source, many, engine="database", pull=True)
    with pytest.raises(OptionError, match="--pull"):
        on_server(source, few, engine="stream")


def test_units_need_the_rows_and_are_bounded_when_they_may_leave(visits, home, capsys):
    schema = Schema.from_dict({**SCHEMA.to_dict(), "fields": SCHEMA.to_dict()["fields"][:3]})
    options = {"schema": schema, "epsilon": 1, "seed": 2, "unit": "ill", "max_rows": 3}
    with pytest.raises(OptionError, match=r"bounded one by one.*--pull"):
        us.publish(visits, out=home / "a", **options)
    same = us.publish(ROWS, out=home / "c", **options)
    for engine in ("auto", "stream"):
        pulled = us.publish(visits, out=home / engine, pull=True, engine=engine, **options)
        assert pulled.statement.counted == "pulled"
        assert pulled.synthetic.read_bytes() == same.synthetic.read_bytes()


def test_rows_that_come_in_another_order_each_time_count_no_more_for_their_unit(postgres):
    # one unit has half of the rows, and all rows of a unit are equal, so that no coin decides a count
    ask(
        postgres,
        "CREATE VIEW shuffled AS SELECT who, (who % 3)::int AS a, (who / 7 % 2)::int AS b, (who / 3 % 4)::int AS c "
        "FROM (SELECT CASE WHEN g % 2 = 0 THEN 0 ELSE g END AS who FROM generate_series(1, 600) g) t ORDER BY random()",
    )
    fields = [{"name": n, "type": "integer", "bins": k, "constraints": {"minimum": 0, "maximum": k - 1}}
              for n, k in (("a", 3), ("b", 2), ("c", 4))]  # fmt: skip
    schema, asked = Schema.from_dict({"fields": fields}), [Marginal.of(0), Marginal.of(0, 1, 2)]
    found = []
    for engine in ("memory", "stream"):
        unit = UnitRule(column="who", max_rows=1, coins=Streams(1))
        counter = open_counter(named(postgres, "shuffled"), schema, engine=engine, pull=True, unit=unit)
        found.append([counter.n, *(counts.tolist() for counts in counter.count(asked))])
    assert found[0] == found[1]
    assert found[0][:2] == [301, [101, 100, 100]]


def test_without_the_driver_it_says_what_to_install(visits, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "adbc_driver_postgresql.dbapi", None)
    with pytest.raises(OptionError, match=r"understudy\[postgres\]"):
        open_source(visits)
