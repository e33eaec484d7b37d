"""Who is to be protected how well: from declared sensitivities to shares of the budget. Public throughout.

Attributes of one sensitivity u form a level. With r = L2/L3, changes that touch only attributes of sensitivity u or
more may cost the share E(u) = 1 − u/(1 + r) of the budget: all of it at u = 0, r/(1 + r) at u = 1. The least sensitive
level always has the whole. Level by level, from the least to the most sensitive, a level's own steps get the
difference to the next level's share, and hold no attribute of a more sensitive level. So whatever changes in
attributes of some levels reaches only the steps of those levels and of more sensitive ones, whose shares add up to E.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from understudy._core.errors import OptionError, did_you_mean
from understudy._core.numbers import exact_number
from understudy.schema import Domain

Number = Fraction | int | float

USUAL_NETWORK, USUAL_RATIO = Fraction(3, 10), Fraction(1, 3)


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """The paper's three shares: L1 for choosing the network, L2 for tables of sensitive attributes, L3 for others."""

    network: Fraction
    sensitive: Fraction
    others: Fraction

    @property
    def ratio(self) -> Fraction:
        """r = L2/L3."""
        return self.sensitive / self.others

    def to_dict(self) -> dict[str, float]:
        """The shares and their ratio under the paper's names, as the privacy statement lists them."""
        shares = {"L1": self.network, "L2": self.sensitive, "L3": self.others, "r": self.ratio}
        return {name: float(share) for name, share in shares.items()}


def read_split(L1: Number | None, L2: Number | None, L3: Number | None, r: Number | None) -> Split:
    """The shares from those that were given: L1 is 3/10 and r is 1/3 unless other numbers say otherwise.

    >>> read_split(None, None, None, None)
    Split(network=Fraction(3, 10), sensitive=Fraction(7, 40), others=Fraction(21, 40))
    >>> read_split(0.2, 0.3, 0.4, None)
    Traceback (most recent call last):
    understudy._core.errors.OptionError: L1, L2 and L3 are shares of one budget and must add up to 1. They come to 0.9.
    """
    network, sensitive, others, ratio = (None if x is None else exact_number(x) for x in (L1, L2, L3, r))
    if sensitive is not None and others is not None:
        network = 1 - sensitive - others if network is None else network
    else:
        network = USUAL_NETWORK if network is None else network
        wanted = USUAL_RATIO if ratio is None else ratio
        if sensitive is None and others is None:
            others = (1 - network) / (1 + wanted)
        sensitive = 1 - network - (others or Fraction(0)) if sensitive is None else sensitive
        others = 1 - network - sensitive if others is None else others
    total = network + sensitive + others
    if total != 1:
        raise OptionError(
            f"L1, L2 and L3 are shares of one budget and must add up to 1. They come to {float(total):g}."
        )
    if min(network, sensitive, others) <= 0:
        raise OptionError("L1, L2 and L3 are shares of one budget: each must be above 0, and they must add up to 1.")
    if ratio is not None and sensitive / others != ratio:
        raise OptionError(
            f"r is L2/L3, which is {float(sensitive / others):g} here, not {float(ratio):g}. Leave it out."
        )
    return Split(network=network, sensitive=sensitive, others=others)


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """Attributes of one sensitivity, in table order: what their own steps get, and what changes of them may cost."""

    attributes: tuple[int, ...]
    sensitivity: Fraction
    share: Fraction
    allowance: Fraction


def make_levels(domain: Domain, sensitivities: Sequence[Fraction], ratio: Fraction) -> tuple[Level, ...]:
    """The levels, least sensitive first. Their shares add up to 1.

    >>> from understudy.schema import Attribute
    >>> domain = Domain(tuple(Attribute(name=name, size=2) for name in "abc"))
    >>> [(level.attributes, str(level.share)) for level in make_levels(domain, [0, 1, 0], Fraction(1, 3))]
    [((0, 2), '3/4'), ((1,), '1/4')]
    """
    different = sorted(set(sensitivities))
    if len(different) < 2:
        raise OptionError(_one_group(domain, different[0] if different else Fraction(0)))
    allowances = [Fraction(1), *(1 - u / (1 + ratio) for u in different[1:]), Fraction(0)]
    return tuple(
        Level(
            attributes=tuple(i for i, u in enumerate(sensitivities) if u == value),
            sensitivity=Fraction(value),
            share=allowances[i] - allowances[i + 1],
            allowance=allowances[i],
        )
        for i, value in enumerate(different)
    )


def _one_group(domain: Domain, sensitivity: Fraction) -> str:
    if len(domain) < 2:
        return "a table of one column has nobody to protect less. Use method 'privbayes' or 'independent'."
    if sensitivity > 0:
        return (
            "every column is declared equally sensitive, so none can be protected better than another. Name fewer, or "
            "use method 'privbayes' with a smaller epsilon: it protects all alike."
        )
    return (
        "no column is declared sensitive. Name some with --sensitive (sensitive=…), or write 'sensitivity: high' into "
        "the schema. To protect all alike, use method 'privbayes'."
    )


def named_sensitivities(domain: Domain, sensitive: Sequence[str]) -> list[Fraction]:
    """Each attribute's declared sensitivity; those named are as sensitive as can be. Names may be joined by commas.

    >>> from understudy.schema import Attribute
    >>> domain = Domain(tuple(Attribute(name=name, size=2) for name in ("a", "b", "c, d")))
    >>> [str(u) for u in named_sensitivities(domain, ["a", "c, d"])]
    ['1', '0', '1']
    """
    names = [attribute.name for attribute in domain]
    found = [attribute.sensitivity for attribute in domain]
    for text in sensitive:
        for name in [text] if text in names else [part.strip() for part in text.split(",") if part.strip()]:
            if name not in names:
                raise OptionError(f"there is no column '{name}' to call sensitive. {did_you_mean(name, names)}")
            found[names.index(name)] = Fraction(1)
    return found
