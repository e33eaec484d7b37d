"""What a run booked in a ledger, known to every way out of it.

An interrupt can come between the moment a ledger's file holds a charge and the moment the program hears of it. So a
receipt is left before the charge is made, and whether it was made is asked of the ledger when somebody is to be told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class Receipt:
    """One booking, under the `key` of its entry: what to say if it was made, and how to find out.

    >>> Receipt("d41d", "It was charged.", "It may have been charged.", lambda: True).words()
    'It was charged.'
    """

    def __init__(self, key: str, sentence: str, doubt: str, look: Callable[[], bool]) -> None:
        self.key, self._sentence, self._doubt, self._look = key, sentence, doubt, look
        self.booked: bool | None = None  # not known yet

    def words(self) -> str | None:
        """What to tell; None if nothing was booked."""
        if self.booked is None:
            try:
                self.booked = self._look()
            except Exception:  # whatever is wrong with the ledger: a doubt is told as one
                return self._doubt
        return self._sentence if self.booked else None


class Receipts:
    """The receipts of one run.

    >>> with receipts_kept() as kept:
    ...     leave_receipt(Receipt("d41d", "It was charged.", "", lambda: True))
    >>> kept.sentences()
    ['It was charged.']
    """

    def __init__(self) -> None:
        self._left: dict[str, Receipt] = {}

    def keep(self, receipt: Receipt) -> None:
        """Keep the first receipt for each entry."""
        self._left.setdefault(receipt.key, receipt)

    def sentences(self) -> list[str]:
        """What was booked, in the order of booking."""
        found = [receipt.words() for receipt in self._left.values()]
        return [words for words in found if words is not None]


_KEEPERS: ContextVar[tuple[Receipts, ...]] = ContextVar("understudy_receipts", default=())


def leave_receipt(receipt: Receipt) -> None:
    """Give a receipt to everybody who keeps them, before the booking is made."""
    for keeper in _KEEPERS.get():
        keeper.keep(receipt)


@contextmanager
def receipts_kept(receipts: Receipts | None = None) -> Iterator[Receipts]:
    """Keep the receipts that are left inside the block, also after it."""
    kept = Receipts() if receipts is None else receipts
    token = _KEEPERS.set((*_KEEPERS.get(), kept))
    try:
        yield kept
    finally:
        _KEEPERS.reset(token)


@contextmanager
def charges_noted() -> Iterator[None]:
    """Whatever leaves the block as an exception carries a note on what was booked inside it.

    >>> with charges_noted():
    ...     leave_receipt(Receipt("d41d", "It was charged.", "", lambda: True))
    ...     raise KeyError("age")
    Traceback (most recent call last):
    KeyError: 'age'
    It was charged.
    """
    with receipts_kept() as kept:
        try:
            yield
        except BaseException as error:
            for sentence in kept.sentences():
                if sentence not in getattr(error, "__notes__", []):
                    error.add_note(sentence)
            raise
