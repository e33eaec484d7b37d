"""`schema review` as a person meets it: on a terminal, stopped and taken up again; and from a script."""

import io
import json
import os
import pty
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from understudy.cli._main import run
from understudy.schema import Schema

ROWS = "".join(f"{i % 70 + 18},{'NSE'[i % 3]},{i % 2},P{i}\n" for i in range(90))


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text("years,region,flag,id\n" + ROWS)
    assert run(["schema", "draft", "people.csv", "-o", "s.yaml", "--json"]) == 0
    return tmp_path


def answer(monkeypatch, *lines, more=(), code=0):
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
    assert run(["schema", "review", "s.yaml", *more]) == code
    return Schema.load("s.yaml")


def test_one_line_an_answer_and_the_rest_another_time(home, monkeypatch, capsys):
    capsys.readouterr()
    schema = answer(monkeypatch, "0 to 120", "")
    assert schema.draft_fields == ("region", "flag")
    assert "2 fields are still drafts. To go on:" in capsys.readouterr().out
    schema = answer(monkeypatch, "N, S, E, W", "l")
    assert schema.draft_fields == ()
    assert schema.names == ("years", "region")
    out = capsys.readouterr().out
    assert "[1/2] region: string: E, N, S" in out
    assert "understudy schema check" in out
    assert "# Draft" not in Path("s.yaml").read_text()
    assert "# Left out: id (" in Path("s.yaml").read_text()
    assert run(["schema", "check", "people.csv", "s.yaml"]) == 0
    assert answer(monkeypatch) == schema, "nothing is left to ask"


def test_rules_that_a_draft_suggests_are_told_at_the_end(home, monkeypatch, capsys):
    rows = [f"2024-01-{i % 20 + 1:02},2024-01-{i % 20 + i % 9 + 1:02}\n" for i in range(300)]
    Path("stays.csv").write_text("admitted,discharged\n" + "".join(rows))
    assert run(["schema", "draft", "stays.csv", "-o", "s.yaml", "--overwrite"]) == 0
    capsys.readouterr()
    answer(monkeypatch, "y", "2024-01-01 to 2024-12-31")
    assert "rules that rows keep: {lower: admitted, upper: discharged}. Take the #" in capsys.readouterr().out


def test_as_json(home, monkeypatch, capsys):
    capsys.readouterr()
    answer(monkeypatch, "y", "s", "l", more=["--json"])
    told = json.loads(capsys.readouterr().out)
    assert told == {"schema": "s.yaml", "declared": ["years"], "left_out": ["flag"], "drafts": ["region"]}


@pytest.mark.parametrize(
    ("lines", "told"),
    [((), "no answers on standard input"), (("y", "North"), "the answer on 'region' cannot be taken"),
     (("9 to 0",), "the answer on 'years' cannot be taken"),
     (("0 to 99999999999999999999",), "'99999999999999999999' does not fit 64 bits")],
)  # fmt: skip
def test_a_script_stops_at_the_first_answer_that_is_none(home, monkeypatch, capsys, lines, told):
    before = len(Schema.load("s.yaml").draft_fields)
    schema = answer(monkeypatch, *lines, code=2)
    assert told in capsys.readouterr().err
    assert len(schema.draft_fields) == before - max(0, len(lines) - 1)


def test_a_table_that_does_not_fit_is_told(home, monkeypatch, capsys):
    capsys.readouterr()
    answer(monkeypatch, "0 to 50", "y", "y", more=["--table", "people.csv"])
    assert "column 'years'" in capsys.readouterr().out


def test_all_values_of_a_long_list_can_be_seen(home, monkeypatch, capsys):
    Path("people.csv").write_text("town\n" + "".join(f"town {i:02}\n" * 3 for i in range(40)))
    assert run(["schema", "draft", "people.csv", "-o", "s.yaml", "--overwrite"]) == 0
    capsys.readouterr()
    schema = answer(monkeypatch, "v", "y")
    out = capsys.readouterr().out
    assert out.count("… (40 in all)") == 2, "in the question, and when it is declared"
    assert "town 38, town 39\n" in out
    assert schema.draft_fields == ()


def test_a_value_that_no_row_has_is_told_and_taken(home, monkeypatch, capsys):
    capsys.readouterr()
    schema = answer(monkeypatch, "0 to 120", "+ W", "l", more=["--table", "people.csv"])
    assert "no row has W. That is fine if it is possible." in capsys.readouterr().out
    assert schema["region"].labels == ("E", "N", "S", "W")
    run(["schema", "draft", "people.csv", "-o", "s.yaml", "--overwrite"])
    capsys.readouterr()
    answer(monkeypatch, "0 to 120", "y; missing", "l", more=["--table", "people.csv"])
    assert "no row has" not in capsys.readouterr().out


def test_a_table_that_is_not_there_is_told_before_the_first_question(home, monkeypatch, capsys):
    capsys.readouterr()
    before = Path("s.yaml").read_text()
    answer(monkeypatch, "l", "s", "s", more=["--table", "nothere.csv"], code=2)
    said = capsys.readouterr()
    assert "there is no file nothere.csv" in said.err
    assert "[1/3]" not in said.out
    assert Path("s.yaml").read_text() == before


@pytest.mark.parametrize("path", ["no-such.yaml", "."])
def test_a_file_that_is_none_is_refused(home, capsys, path):
    assert run(["schema", "review", path]) == 2
    assert capsys.readouterr().err.startswith("understudy: ")


class Terminal:
    """The command on a terminal of its own."""

    def __init__(self):
        self.screen, side = pty.openpty()
        command = [sys.executable, "-m", "understudy", "schema", "review", "s.yaml"]
        self.process = subprocess.Popen(command, stdin=side, stdout=side, stderr=side, start_new_session=True)
        os.close(side)
        self.text = ""

    def until(self, words):
        """Read the screen until it shows the words."""
        while words not in self.text and select.select([self.screen], [], [], 600)[0]:
            try:
                self.text += os.read(self.screen, 4096).decode(errors="replace")
            except OSError:  # the other side is closed
                break
        assert words in self.text
        shown, self.text = self.text.split(words, 1)
        return shown

    def type(self, line):
        os.write(self.screen, f"{line}\n".encode())


def test_on_a_terminal_stopped_and_taken_up_again(home):
    terminal = Terminal()
    terminal.until("[1/3] years")
    terminal.until("> ")
    terminal.type("120 to 0")
    terminal.until("larger than")
    terminal.until("> ")
    terminal.type("0 to 120")
    terminal.until("[2/3] region")
    terminal.until("> ")
    terminal.process.send_signal(signal.SIGINT)
    terminal.until("1 answer is in s.yaml; the same command takes it up again.")
    assert terminal.process.wait(600) == 130
    assert Schema.load("s.yaml").draft_fields == ("region", "flag")
    assert [name for name in os.listdir(".") if name.startswith(".")] == []
    again = Terminal()
    again.until("[1/2] region")
    again.until("> ")
    again.type("y")
    again.until("[2/2] flag")
    again.until("> ")
    again.type("\x04")  # Ctrl-D
    again.until("1 field is still a draft")
    assert again.process.wait(600) == 0


def test_an_interrupt_does_not_wait_for_the_next_line():
    program = """
from understudy.cli._interrupts import INTERRUPTS, wait_for_input
INTERRUPTS.install()
try:
    print("ready", flush=True)
    wait_for_input()
except KeyboardInterrupt:
    print("stopped")
"""
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(signal.SIGINT)  # before the wait begins, or in it
        assert process.stdout.readline() == b"stopped\n"
