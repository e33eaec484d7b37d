"""Stopped at any moment, a run says what became of it: the ledger, the folder and the message agree."""

import json
import os
import random
import signal
import subprocess
import sys

import pytest

from tests.api.people import SCHEMA, people
from understudy.schema import Schema

# Loads everything once, and forks for each moment. A moment is a number of events (calls and returns, in Python and in
# C) since the charge was begun, so that the windows of a few microseconds around the commit are hit on purpose.
DRIVER = """
import json, os, shutil, signal, sys, time
from pathlib import Path

import understudy
from understudy.cli import main

ARGUMENTS = ["publish", "../people.csv", "--schema", "../people.schema.yaml", "--epsilon", "1", "--ledger", "budget.db",
             "--cap", "2", "--out", "release"]
home, signals = Path.cwd(), int(sys.argv[1])
understudy.publish("people.csv", schema="people.schema.yaml", epsilon=1, out="warm")


class Moment:
    # Interrupts the process at this event, and counts them: from the charge, or (whole) from the start.
    def __init__(self, number, whole):
        self.number, self.count, self.on = number, 0, whole

    def __call__(self, frame, event, argument):
        if not self.on:
            self.on = event == "call" and frame.f_code.co_name == "_commit"
            return
        self.count += 1
        if self.number == self.count:
            me = os.getpid()
            if signals > 1 and not os.fork():  # Python drops this hook with the first, so the others come from outside
                for _ in range(signals - 1):
                    time.sleep(0.0005)
                    if os.getppid() != me:
                        break
                    os.kill(me, signal.SIGINT)
                os._exit(0)
            os.kill(os.getpid(), signal.SIGINT)


def run(number, whole):
    folder = home / "run"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    child = os.fork()
    if not child:
        os.chdir(folder)
        for stream, name in ((1, "../out"), (2, "../err")):
            os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream)
        moment, code = Moment(number, whole), 99
        sys.setprofile(moment)
        try:
            main(ARGUMENTS)
        except SystemExit as stop:
            code = stop.code
        finally:
            sys.setprofile(None)
            sys.stdout.flush()
            (home / "count").write_text(str(moment.count))
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    ledger = folder / "budget.db"
    spent = understudy.SQLiteLedger(ledger, dataset="people", cap=2).spent() if ledger.exists() else 0
    print(json.dumps({
        "number": number, "whole": whole, "code": code, "spent": int(spent),
        "events": int((home / "count").read_text()),
        "out": (home / "out").read_text(), "err": (home / "err").read_text(), "left": sorted(os.listdir(folder)),
    }), flush=True)


for line in sys.stdin:
    run(*json.loads(line))
"""


class Runs:
    """A driver in a process of its own; asked for a run that is interrupted at some event."""

    def __init__(self, home, *, signals=1):
        people().to_csv(home / "people.csv", index=False)
        Schema.from_dict(SCHEMA).save(home / "people.schema.yaml")
        self._process = subprocess.Popen(
            [sys.executable, "-c", DRIVER, str(signals)],
            cwd=home,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def __call__(self, number, *, whole=False):
        self._process.stdin.write(json.dumps([number, whole]) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())


def check(run):
    """What was said agrees with what is there."""
    complete = "release" in run["left"]
    booked = "The charge of epsilon 1 to dataset 'people' stays in the ledger." in run["err"]
    if run["code"] == 0:
        assert (complete, run["spent"], run["err"]) == (True, 1, ""), run
        assert "Charged to 'people' in the ledger." in run["out"], run
        return
    assert run["code"] == 130, run
    assert run["err"].count("\n") <= 1, run
    assert booked == bool(run["spent"]), run
    assert complete == ("the release in release is complete." in run["err"]), run
    assert complete or "nothing was written." in run["err"] or not run["err"], run  # as yet there was no command
    assert set(run["left"]) <= {"budget.db", "release"}, run


NEVER = 10**12


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks for each moment")
def test_an_interrupt_around_the_charge_is_told_as_the_ledger_has_it(tmp_path):
    with Runs(tmp_path) as run:
        whole = run(NEVER)
        check(whole)
        runs = [run(number) for number in (3, 20, 60, 110, 135, 160, 220, whole["events"] // 2, whole["events"] - 40)]
    for each in runs:
        check(each)
    assert {each["spent"] for each in runs} == {0, 1}  # moments on both sides of the commit


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks for each moment")
@pytest.mark.parametrize("signals", [1, 2, 50])
def test_interrupts_at_many_moments_are_told_as_the_ledger_has_them(tmp_path, signals):
    """Also when they come in twos, or when somebody leans on the keyboard."""
    moments = random.Random(f"moments {signals}")
    with Runs(tmp_path, signals=signals) as run:
        events = run(NEVER)["events"]
        total = run(NEVER, whole=True)["events"]
        for _ in range(30):
            check(run(moments.randrange(400)))
        for _ in range(20):
            check(run(moments.randrange(events)))
        for _ in range(10):
            check(run(moments.randrange(total // 20, total), whole=True))
