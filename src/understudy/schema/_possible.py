"""Whether declared rules leave any row at all: codes that lost all partners go, and what is left is tried out."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from understudy._core.errors import SchemaError
from understudy.schema._field import Field
from understudy.schema._rules import Check, Flags, Ordered, Zeros

_ADVICE = "Mend their ranges or values, or leave one out."
_MOST_WORK = 1 << 27  # cells looked at; a schema that is not refuted by then is believed
_MOST_COLUMNS = 200  # of rules that hang together, up to which rows are looked for


def refuse_contradictions(
    fields: Sequence[Field], zeros: Sequence[Zeros], beyond: Sequence[Check], repeated: Collection[str] = ()
) -> None:
    """Raise SchemaError if no row keeps all rules together; the dependencies that leave none are named.

    `repeated` are the texts of those that are declared more than once, with other values each time.
    """
    for part in _parts(zeros, beyond):
        tables = [rule for rule in part if isinstance(rule, Zeros)]
        others = [rule for rule in part if not isinstance(rule, Zeros)]
        involved = sorted({a for rule in part for a in rule.scope})
        search = _Search({a: fields[a].size for a in involved}, tables, others)
        if any(isinstance(rule, Ordered) and _no_values(rule) for rule in others) or search.finds_none():
            texts = list(dict.fromkeys(text for rule in part for text in rule.text.split("; ")))
            leave = "dependency {} leaves" if len(texts) == 1 else "dependencies {} together leave"
            twice = "; ".join(text for text in texts if text in repeated)
            advice = f"{twice} is declared more than once, in different ways: keep one." if twice else _ADVICE
            said = f"the {leave.format('; '.join(texts))} no row: whatever values the columns have, one is broken."
            raise SchemaError(f"{said} {advice}")


def _parts(zeros: Sequence[Zeros], beyond: Sequence[Check]) -> list[list[Check]]:
    """Rules that share columns, directly or through others."""
    found: list[tuple[set[int], list[Check]]] = []
    for rule in (*zeros, *beyond):
        scope = set(rule.scope)
        touching = [part for part in found if part[0] & scope]
        found = [part for part in found if not any(part is other for other in touching)]
        found.append((scope.union(*(p[0] for p in touching)), [*(r for p in touching for r in p[1]), rule]))
    return [rules for _, rules in found]


def _no_values(rule: Ordered) -> bool:
    """Whether the ranges of columns that are always in order leave no value to one of them."""
    always = {a: ends for a, ends in rule.ends.items() if not np.isnan(ends[0]).any()}
    least = {a: float(low.min()) for a, (low, _) in always.items()}
    for lower, upper in rule.pairs:
        if lower in least and upper in least:
            least[upper] = max(least[upper], least[lower])
    return any(least[a] > float(high.max()) for a, (_, high) in always.items())


class _Search:
    """Looks for one row: depth first, after each choice what it rules out elsewhere is taken away."""

    def __init__(self, sizes: dict[int, int], tables: Sequence[Zeros], others: Sequence[Check]) -> None:
        self.sizes, self.tables, self.others = sizes, tables, others
        self.work = 0

    def finds_none(self) -> bool:
        """Whether it is certain that there is no row."""
        return self._refuted({a: np.ones(size, dtype=np.bool_) for a, size in self.sizes.items()})

    def _refuted(self, left: dict[int, Flags]) -> bool:
        pruned = self._pruned(left)
        if pruned is None:
            return True
        open_ones = [a for a, flags in pruned.items() if flags.sum() > 1]
        if len(self.sizes) > _MOST_COLUMNS:
            return False
        if not open_ones:
            columns = np.zeros((max(pruned) + 1, 1), dtype=np.int64)
            for a, flags in pruned.items():
                columns[a] = flags.argmax()
            return any(bool(rule.broken(list(columns))[0]) for rule in self.others)
        chosen = min(open_ones, key=lambda a: int(pruned[a].sum()))
        # the last code first: missing, special and large values are in the way of the fewest rules
        for code in np.flatnonzero(pruned[chosen])[::-1]:
            if self.work > _MOST_WORK:
                return False
            if not self._refuted(pruned | {chosen: np.arange(self.sizes[chosen]) == code}):
                return False
        return True

    def _pruned(self, left: dict[int, Flags]) -> dict[int, Flags] | None:
        """Codes that still have partners in every table; None if a column has none left."""
        left, changed = dict(left), True
        while changed:
            changed = False
            for rule in self.tables:
                axes = [np.flatnonzero(left[a]) for a in rule.attributes]
                met = rule.possible[np.ix_(*axes)]
                self.work += met.size
                for axis, a in enumerate(rule.attributes):
                    kept = met.any(axis=tuple(i for i in range(met.ndim) if i != axis))
                    if not kept.any():
                        return None
                    if not kept.all():
                        left[a] = np.zeros(self.sizes[a], dtype=np.bool_)
                        left[a][axes[axis][kept]] = True
                        changed = True
                        break
        return left
