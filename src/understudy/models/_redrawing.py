"""Rows that are drawn until they keep what no table of cells can say."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from typing import Any

import numpy as np

from understudy._core.errors import UserError
from understudy._core.randomness import Streams
from understudy.models._sampling import Column
from understudy.schema import Check, FollowsFrom

_GIVE_UP = 1 << 22  # rows drawn since one was kept


def rows_that_keep(
    draw: Callable[[int, Streams], Iterator[list[Column]]],
    n: int,
    checks: Sequence[Check],
    *,
    streams: Streams,
    batch_rows: int,
) -> Iterator[list[Column]]:
    """Batches of the first `n` rows that break none of the checks, of as many as it takes: exact, whatever they say.

    Raises UserError if of four million rows none keeps them.

    >>> from understudy.schema import Together
    >>> never = Together((0, 1), (np.array([False, True]),) * 2, "never a=1, b=1")
    >>> def draw(rows, source):
    ...     yield list(source.get("coins").integers(0, 2, size=(2, rows)))
    >>> a, b = next(rows_that_keep(draw, 5, [never], streams=Streams(1), batch_rows=100))
    >>> len(a), int((a & b).sum())
    (5, 0)
    """
    if not checks:
        yield from draw(n, streams)
        return
    left, drawn, kept, since, source, number = n, 0, 0, 0, streams, 0
    while left > 0:
        rate = max(kept / drawn, 1e-3) if drawn else 1.0
        for columns in draw(min(batch_rows, int(left / rate * 1.05) + 64), source):
            good = np.flatnonzero(~reduce(np.logical_or, (check.broken(columns) for check in checks)))[:left]
            drawn += len(columns[0])
            kept += len(good)
            left -= len(good)
            since = 0 if len(good) else since + len(columns[0])
            if len(good):
                yield columns if len(good) == len(columns[0]) else [column[good] for column in columns]
            if not left:
                break
        if since >= _GIVE_UP:
            texts = "; ".join(dict.fromkeys(text for check in checks for text in check.text.split("; ")))
            raise UserError(
                f"of {since:,} rows drawn one after the other, none keeps what the schema declares ({texts}). "
                "Loosen the condition, or mend the schema."
            )
        number += 1
        source = Streams(int(streams.get("again", str(number)).integers(0, 1 << 62)))


def unknown_rules(model: Any) -> list[Check]:
    """The rules of a model's domain that rows must be held against, because the model itself knows nothing of rules.

    >>> from understudy.models import JointModel
    >>> from understudy.schema import Attribute, Domain
    >>> unknown_rules(JointModel(Domain((Attribute(name="sex", size=2),)), 9, np.array([0.5, 0.5])))
    []
    """
    if callable(getattr(model, "with_zeros", None)):
        return []
    return [rule for rule in model.domain.rules if not isinstance(rule, FollowsFrom)]
