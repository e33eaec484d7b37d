"""From what a curator noted about its steps to the lines of the privacy statement."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from understudy._api._promised import columns_that_reach_others
from understudy.privacy import PrivacyTerms, Protection, epsilon_of_part
from understudy.release import ProtectionLine
from understudy.schema import Schema


def protection_lines(protection: Protection | None, schema: Schema, terms: PrivacyTerms) -> tuple[ProtectionLine, ...]:
    """The whole row, the groups that were promised something, each column, and values that differ.

    What a release comes to, given its network, is a bound on the odds of this very release: that has a meaning under
    pure ε only, and is left out under (ε, δ). So are single values, of which nothing was promised beforehand. A column
    whose values decide what becomes of a row is protected as the whole row is.
    """
    if protection is None:
        return ()
    budget = terms.budget
    pure = budget.pure

    def epsilon(cost: Fraction) -> Fraction:
        if pure:
            return cost
        # what was asked for is what a reader finds elsewhere; converting there and back would lose a little
        whole = cost == protection.whole and terms.neighbours.steps_of_change == 1
        return budget.epsilon if whole else epsilon_of_part(cost, budget.delta)

    reaching = columns_that_reach_others(schema)
    whole = ProtectionLine(
        attributes=(), promised=epsilon(protection.whole), released=protection.whole if pure else None
    )
    lines = [ProtectionLine(attributes=(), promised=budget.epsilon, released=budget.epsilon if pure else None)]
    for group, _ in protection.promises:
        if len(group) > 1:
            names = tuple(schema.fields[a].name for a in sorted(group))
            if reaching.intersection(names):
                lines.append(replace(whole, attributes=names))
                continue
            lines.append(
                ProtectionLine(
                    attributes=names,
                    promised=epsilon(protection.promised(group)),
                    released=protection.of_attributes(group) if pure else None,
                )
            )
    for a, field in enumerate(schema.fields):
        if field.name in reaching:
            lines.append(replace(whole, attributes=(field.name,)))
            continue
        promised = epsilon(protection.promised([a]))
        released = protection.of_attribute(a) if pure else None
        lines.append(ProtectionLine(attributes=(field.name,), promised=promised, released=released))
        if pure and protection.weighted(a):
            lines += [
                ProtectionLine(attributes=(field.name,), value=label, promised=promised, released=cost)
                for label, cost in zip(field.labels, protection.of_values(a), strict=True)
            ]
    return tuple(lines)
