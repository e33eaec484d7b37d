"""Applying a plan in a process that is stopped, at the moments that matter."""

from __future__ import annotations

import os
import signal
from fractions import Fraction
from pathlib import Path

import pytest

from tests.warm import WarmProcess
from understudy.privacy import read_ledger
from understudy.randomize import open_randomized, plan

APPLY = ("randomize", "apply", "hospital.csv", "--plan", "hospital.plan.yaml", "-o", "outbox/hospital.parquet")
CHARGED = "The charge of epsilon 1.1 to dataset 'hospital' stays in the ledger."
START = ["hospital.csv", "hospital.plan.yaml", "outbox"]

# Waits for a signal right before a method is called, or right after it.
PAUSED = """
import sys, time
from pathlib import Path
from understudy.cli import main
from understudy.randomize._record import Record

owner, attribute = {"book": (Record, "book"), "name": (Path, "replace")}[sys.argv[1]]
moment = sys.argv[2]
once = getattr(owner, attribute)

def wait():
    print("paused", file=sys.stderr, flush=True)
    time.sleep(600)

def paused(*arguments, **options):
    if moment == "before":
        wait()
    found = once(*arguments, **options)
    if moment == "after":
        wait()
    return found

setattr(owner, attribute, paused)
main(sys.argv[3:])
"""
SMALL_DISK = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
from understudy.cli import main
import understudy.randomize
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
main(sys.argv[1:])
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    fields = [{"name": "smokes", "type": "boolean"}, {"name": "ill", "categories": ["none", "asthma"]}]
    plan({"name": "hospital", "fields": fields}, epsilon="1.1").save(tmp_path / "hospital.plan.yaml")
    rows = "".join(f"{i % 3 == 0},{'asthma' if i % 2 else 'none'}\n".lower() for i in range(20_000))
    (tmp_path / "hospital.csv").write_text("smokes,ill\n" + rows)
    (tmp_path / "outbox").mkdir()
    return tmp_path


def start(home: Path, code: str, *arguments: str) -> WarmProcess:
    return WarmProcess(arguments, cwd=home, code=code)


def stop(home: Path, where: str, moment: str, number: int) -> tuple[int, str]:
    process = start(home, PAUSED, where, moment, *APPLY)
    assert process.stderr is not None
    first = process.stderr.readline()
    process.send_signal(number)
    _, err = process.communicate(timeout=600)
    assert first == "paused\n", first + err
    return process.returncode, err


@pytest.mark.slow
def test_an_interrupt_before_the_charge_leaves_nothing(home: Path) -> None:
    code, err = stop(home, "book", "before", signal.SIGINT)
    assert (code, err) == (130, "understudy: interrupted; nothing was written.\n")
    assert sorted(os.listdir(home)) == START
    assert os.listdir(home / "outbox") == []


def test_an_interrupt_after_the_charge_tells_of_it(home: Path) -> None:
    code, err = stop(home, "name", "before", signal.SIGTERM)
    assert (code, err) == (130, f"understudy: interrupted; nothing was written. {CHARGED}\n")
    assert os.listdir(home / "outbox") == []


@pytest.mark.slow
def test_an_interrupt_after_all_is_done_says_that_it_is(home: Path) -> None:
    code, err = stop(home, "name", "after", signal.SIGINT)
    assert (code, err) == (130, f"understudy: interrupted; outbox/hospital.parquet is complete. {CHARGED}\n")
    assert open_randomized(home / "outbox" / "hospital.parquet").codes().n == 20_000


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs signals")
def test_a_kill_after_the_charge_is_on_record_and_the_draft_goes_with_the_next_run(home: Path) -> None:
    code, _ = stop(home, "name", "before", signal.SIGKILL)
    assert code == -signal.SIGKILL
    assert [name[:12] for name in os.listdir(home / "outbox")] == [".understudy-"]
    assert read_ledger(home / "hospital.csv.ledger.db").account("hospital").spent == Fraction(11, 10)
    again = start(home, "import sys; from understudy.cli import main; main(sys.argv[1:])", *APPLY)
    assert "randomised before" in again.communicate(timeout=600)[1]
    assert again.returncode == 2
    forced = start(home, "import sys; from understudy.cli import main; main(sys.argv[1:])", *APPLY, "--force")
    assert "2 times by now" in forced.communicate(timeout=600)[0]
    assert os.listdir(home / "outbox") == ["hospital.parquet"]


@pytest.mark.skipif(not hasattr(signal, "SIGXFSZ"), reason="needs POSIX limits")
def test_a_disk_that_fills_up_leaves_and_charges_nothing(home: Path) -> None:
    process = start(home, SMALL_DISK, *APPLY)
    _, err = process.communicate(timeout=600)
    assert process.returncode == 2, err
    assert "Nothing was left behind" in err
    assert "Traceback" not in err
    assert os.listdir(home / "outbox") == []
    assert sorted(os.listdir(home)) == START
