"""Threads and forked processes never get the same noise, and never spend the same budget."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from threading import Barrier, Event

import numpy as np
import pytest

from tests.privacy.small import PlainCounter, binary
from understudy._core.errors import InternalError, LedgerError
from understudy._core.randomness import SystemBytes
from understudy.privacy import (
    Charge,
    ExactNoise,
    MemoryLedger,
    NoisyTables,
    PrivacyTerms,
    make_budget,
    make_noise,
    open_curator,
)
from understudy.privacy._accountant import Accountant
from understudy.privacy._word_stream import WordStream
from understudy.schema import Marginal, recode

CELLS = np.zeros(20_000, dtype=np.int64)
NOISY = {
    "laplace": lambda noise: noise.laplace(CELLS, Fraction(1000)),
    "gaussian": lambda noise: noise.gaussian(CELLS, Fraction(10**6)),
    "together": lambda noise: noise.together([CELLS[:2000]], Fraction(1, 1000), balanced=True)[0],
}
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")


@pytest.fixture
def switching_often():
    """Threads take turns after a few instructions, so that a race is met if there is one."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.parametrize("kind", NOISY)
def test_two_threads_never_draw_the_same_words(kind, switching_often):
    noise = make_noise()
    for _ in range(20):
        start = Barrier(2)

        def draw(start=start):
            start.wait()
            return NOISY[kind](noise)

        with ThreadPoolExecutor(2) as pool:
            first, second = (done.result() for done in [pool.submit(draw) for _ in range(2)])
        # a word read twice starts a run of equal draws; by chance 40 in a row never are, at this scale
        assert _longest_shared_run(first, second) < 40


def _longest_shared_run(first, second, length=40):
    """Whether any stretch of one stands in the other: the length asked for if so, else 0."""
    stretches = {first[i : i + length].tobytes() for i in range(len(first) - length)}
    return length if any(second[i : i + length].tobytes() in stretches for i in range(len(second) - length)) else 0


def test_a_race_without_the_lock_would_be_seen(switching_often):
    """The same test on a stream whose words are given out twice."""
    noise = ExactNoise(SystemBytes())
    first = noise.laplace(CELLS, Fraction(1000))
    noise._stream.position = 0
    assert _longest_shared_run(first, noise.laplace(CELLS, Fraction(1000))) == 40


def test_two_threads_on_one_curator_spend_each_share_once(switching_often):
    curator = open_curator(PlainCounter(binary(3), [(0, 1, 1)] * 5), budget=make_budget(1), noise=make_noise(seed=1))
    question = NoisyTables(marginals=[Marginal.of(0, 1, 2)])
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: curator.ask(question, share=Fraction(1, 100)), range(100)))
    assert curator.share_left == 0
    assert len(curator.charges) == 100


@needs_fork
def test_a_forked_process_may_not_ask_a_curator_that_it_did_not_open():
    curator = open_curator(PlainCounter(binary(1), [(0,), (1,)]), budget=make_budget(1), noise=make_noise(seed=1))

    def ask():
        with pytest.raises(InternalError, match="opened in another process"):
            curator.ask(NoisyTables(marginals=[Marginal.of(0)]), share=Fraction(1))
        return "refused"

    assert _in_a_fork(ask) == "refused"
    curator.ask(NoisyTables(marginals=[Marginal.of(0)]), share=Fraction(1))  # the share is still there


@needs_fork
@pytest.mark.parametrize("use", ["ask", "measure_rows", "recoded"])
def test_a_curator_in_use_while_forking_is_refused_in_the_child_too(use):
    """Another thread holds the lock, and is not there in the child to let go of it."""
    domain = binary(1)
    curator = open_curator(PlainCounter(domain, [(0,), (1,)]), budget=make_budget(1), noise=make_noise(seed=1))
    uses = {
        "ask": lambda: curator.ask(NoisyTables(marginals=[Marginal.of(0)]), share=Fraction(1)),
        "measure_rows": lambda: curator.measure_rows(share=Fraction(1)),
        "recoded": lambda: curator.recoded(recode(domain, "binary")),
    }

    def refused():
        with pytest.raises(InternalError, match="opened in another process"):
            uses[use]()
        return "refused"

    held, done = Event(), Event()

    def hold():
        with curator._run.lock:
            held.set()
            done.wait(300)

    with ThreadPoolExecutor(1) as pool:
        holding = pool.submit(hold)
        held.wait(300)
        try:
            assert _in_a_fork(refused) == "refused"
        finally:
            done.set()
        holding.result()


@needs_fork
def test_a_forked_process_may_not_charge_a_ledger_in_memory():
    ledger = MemoryLedger(cap=1)
    whole = {"terms": PrivacyTerms(budget=make_budget(1))}

    def charge():
        with pytest.raises(LedgerError, match="made in another process"):
            ledger.charge(**whole)
        return "refused"

    assert _in_a_fork(charge) == "refused"
    ledger.charge(**whole)


def test_views_are_made_while_nobody_counts():
    """A counter may keep what it counted, and need not be safe to use by two threads."""
    domain, held = binary(1), []

    class Watched(PlainCounter):
        def recoded(self, recoding):
            held.append(curator._run.lock._is_owned())
            return super().recoded(recoding)

    curator = open_curator(Watched(domain, [(0,), (1,)]), budget=make_budget(1), noise=make_noise(seed=1))
    curator.recoded(recode(domain, "binary"))
    assert held == [True]


def test_a_promise_that_comes_while_a_step_is_booked_is_refused():
    """It would bind nobody: the step was not counted against it."""
    accountant = Accountant()

    class Booking:
        """A lock that another thread lets go of with a step booked."""

        def __enter__(self):
            accountant.charges.append(Charge(what="step", mechanism="", share=Fraction(1)))

        def __exit__(self, *_error):
            pass

    accountant._lock = Booking()
    with pytest.raises(InternalError, match="before anything is measured"):
        accountant.promise([0], Fraction(1, 10))
    assert accountant.promises == []


@needs_fork
def test_words_that_wait_are_thrown_away_in_a_forked_process():
    stream = WordStream(SystemBytes())
    stream.next()
    theirs = _in_a_fork(lambda: [stream.next() for _ in range(8)])
    assert not set(theirs) & {stream.next() for _ in range(1000)}


@needs_fork
def test_a_lock_held_while_forking_does_not_stop_the_child():
    stream = WordStream(SystemBytes())
    with stream.lock:
        assert _in_a_fork(lambda: len([stream.next()])) == 1


def _in_a_fork(work):
    """What a forked process says."""
    ours, theirs = multiprocessing.Pipe()
    child = os.fork()
    if child == 0:
        try:
            theirs.send_bytes(pickle.dumps(work()))
        finally:
            os._exit(0)
    assert ours.poll(60), "the forked process said nothing"
    answer = pickle.loads(ours.recv_bytes())
    os.waitpid(child, 0)
    return answer
