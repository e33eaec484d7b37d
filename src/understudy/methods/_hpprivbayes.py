"""HPPrivBayes (Deng 2025), repaired: sensitive attributes and values are protected better, and it is said by how much.

The paper's theorem is false as printed (docs/hpprivbayes.md). The method here keeps the paper's parts (groups of
attributes, shares L1, L2, L3 with r = L2/L3, weights of values) and gives them a meaning that can be proved: what may
be learnt of a person depends on what in their record would change.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, Literal, TypeAlias

from understudy._core.errors import OptionError
from understudy._core.numbers import exact_number
from understudy._core.randomness import Rng, Streams
from understudy.methods._attach import COMPANIONS_SHARE, Attacher, choose_companions, declared_factors
from understudy.methods._groups import Level, Number, Split, make_levels, named_sensitivities, read_split
from understudy.methods._plan import Plan, make_plan
from understudy.methods._privbayes import SCORE_CHOICES, ScoreChoice, tables_to_measure
from understudy.methods._remarks import if_independent
from understudy.methods._search import Progress, greedy_bayes
from understudy.methods._settings import ROWS_SHARE, Settings, refuse_drowning_noise, resolve
from understudy.models import Model, Network, NetworkModel, Node, fit_conditionals
from understudy.options import Declared, Names, OneOf, Real, Whole, option
from understudy.privacy import Curator, Factors, Measurement, NoisyTables, PrivacyTerms, measure_weighted
from understudy.schema import Axis, Domain, Marginal, Part, Recoding, recode

WeightsChoice: TypeAlias = Literal["declared", "rare", "equal"]
WEIGHTS_CHOICES = ("declared", "rare", "equal")


@dataclass(frozen=True, slots=True, kw_only=True)
class HPPrivBayes(Declared):
    """Protect sensitive columns and values better than others, and say by how much.

    Columns are learnt from the least to the most sensitive. A sensitive column joins last, as a child, so that changing
    it alone touches its own choice and table only; these get a small share of the budget.

    >>> HPPrivBayes(sensitive="occupation").sensitive
    ('occupation',)
    >>> HPPrivBayes(r=0)
    Traceback (most recent call last):
    understudy._core.errors.OptionError: The 'r' parameter of HPPrivBayes must be a number above 0. Got 0 instead.
    """

    name: ClassVar[str] = "hpprivbayes"
    makes: ClassVar[type[Model]] = NetworkModel

    sensitive: tuple[str, ...] = option(
        (),
        Names(),
        help="Columns to be protected best, beside those that the schema declares sensitive.",
    )
    L1: Number | None = option(
        None, Real(above=0, below=1), help="Share of the budget that goes into choosing the network. None: 0.3."
    )
    L2: Number | None = option(
        None, Real(above=0, below=1), help="Share for tables of the most sensitive columns. None: as r has it."
    )
    L3: Number | None = option(None, Real(above=0, below=1), help="Share for tables of the others. None: as r has it.")
    r: Number | None = option(
        None, Real(above=0), help="L2/L3: what the most sensitive columns may cost, beside the others. None: 1/3."
    )
    weights: WeightsChoice = option(
        "declared",
        OneOf(*WEIGHTS_CHOICES),
        help="How values of sensitive columns differ. declared: as the schema says; rare: rare ones are protected "
        "better, as a noisy table tells; equal: not at all.",
    )
    companions: int = option(
        0,
        Whole(),
        help="How many other columns are made as sensitive as the most sensitive one: those that say most about it, "
        "by private choice.",
    )
    score: ScoreChoice = option(
        "auto",
        OneOf(*SCORE_CHOICES),
        help="Score of candidate parents of ordinary columns: I, F or R. auto: F when all are binary, else R.",
    )
    k: int | None = option(
        None,
        Whole(),
        help="Number of parents of each column. None: as many as θ-usefulness allows.",
    )
    theta: Number = option(
        4,
        Real(above=0),
        help="A table is useful if its average cell is at least this many times the noise.",
    )
    max_candidates: int | None = option(
        None,
        Whole(at_least=1),
        help="Most parent sets considered in one choice; beyond it they are drawn by coins. None: by size of the "
        "table.",
    )

    def check_together(self) -> None:
        """Refuse options that do not go together."""
        read_split(self.L1, self.L2, self.L3, self.r)

    @property
    def split(self) -> Split:
        """L1, L2 and L3 as they come out."""
        return read_split(self.L1, self.L2, self.L3, self.r)

    def levels(self, domain: Domain) -> tuple[Level, ...]:
        """Who is to be protected how well, least sensitive first."""
        return make_levels(domain, named_sensitivities(domain, self.sensitive), self.split.ratio)

    def check(self, domain: Domain, terms: PrivacyTerms) -> None:
        """Refuse what cannot work whatever the rows are, before anything is charged or read."""
        levels = self.levels(domain)
        if self.companions >= len(levels[0].attributes):
            raise OptionError(
                f"there are {len(levels[0].attributes)} ordinary columns, so fewer than that can become companions of "
                f"a sensitive one. Got {self.companions}."
            )
        if self.companions and not terms.budget.pure:
            raise OptionError(
                "companions are chosen as the run goes, and what is then promised about them holds under pure epsilon "
                "only. Say --delta 0 (delta=0), or declare them sensitive in the schema."
            )
        self._resolve(domain, levels, 1000, terms)
        for level in levels[1:]:
            share = level.share / (len(level.attributes) + self.companions)
            refuse_drowning_noise(terms.table_noise(share * (1 - self.split.network)), terms.budget)

    def describe(self, domain: Domain, n: int, terms: PrivacyTerms) -> dict[str, object]:
        """What the options came to, as the privacy statement lists them."""
        levels = self.levels(domain)
        settings = self._resolve(domain, levels, n, terms)
        return {
            "sensitive": ", ".join(domain[a].name for level in reversed(levels[1:]) for a in level.attributes),
            **self.split.to_dict(),
            "weights": self.weights,
            **({"companions": self.companions} if self.companions else {}),
            "score": settings.score.name,
            "theta": float(self.theta),
            "most candidates per choice": settings.max_candidates,
        }

    def remarks(self, model: Model, rows: int) -> tuple[str, ...]:
        """What readers of the statement should know, from published quantities."""
        return if_independent(model)

    def plan(self, domain: Domain, n: int, terms: PrivacyTerms) -> Plan:
        """What a run would do, from public quantities alone."""
        levels = self.levels(domain)
        settings = self._resolve(domain, levels, n, terms)
        found = make_plan(settings, n)
        ordinary = dict(zip(levels[0].attributes, found.attributes, strict=True))
        small = make_plan(self._resolve(domain, levels, n, terms, of=levels[-1]), n)
        others = {a: small.attributes[a] for level in levels[1:] for a in level.attributes}
        noise = dict(zip(levels[0].attributes, found.measures.columns, strict=True)) if found.measures else {}
        noise |= {a: small.measures.columns[a] for a in others} if small.measures else {}
        measures = found.measures if len(noise) == len(domain) else None
        if measures is not None:
            measures = replace(measures, columns=tuple(noise[a] for a in range(len(domain))))
        return replace(
            found,
            method=self.name,
            attributes=tuple((ordinary | others)[a] for a in range(len(domain))),
            measures=measures,
            shares={
                **{key: float(levels[0].share) * share for key, share in found.shares.items()},
                "sensitive columns": float(levels[1].allowance),
            },
            notes=tuple(
                f"Changes of {', '.join(domain[a].name for a in level.attributes)} may cost at most "
                f"{float(level.allowance):.3g} of the budget."
                for level in reversed(levels[1:])
            ),
        )

    def fit(
        self, curator: Curator, *, streams: Streams | None = None, progress: Progress | None = None
    ) -> NetworkModel:
        """Learn a model. `streams` are the public coins (root, drawn candidates); fresh ones unless given."""
        coins = (streams or Streams.fresh()).get("hpprivbayes", "coins")
        domain, levels = curator.domain, self.levels(curator.domain)
        _make_promises(curator, levels, joined=self.companions > 0)
        n = curator.measure_rows(share=ROWS_SHARE * levels[0].share)
        if self.companions:
            levels = self._join(curator, levels)
        settings = self._resolve(domain, levels, n, curator.terms)
        factors = {} if self.weights == "equal" else dict(declared_factors(domain))
        nodes, measurements = _learn_ordinary(curator, levels[0], settings, coins, factors, progress)
        attacher = Attacher(
            curator=curator,
            n=n,
            network_share=self.split.network,
            theta=exact_number(self.theta),
            k=self.k,
            max_candidates=settings.max_candidates,
            coins=coins,
            rare=self.weights == "rare",
            factors=factors,
        )
        placed = list(levels[0].attributes)
        for level in levels[1:]:
            for child in level.attributes:
                if progress is not None:
                    progress("attaching sensitive columns", len(placed) - len(levels[0].attributes), len(domain))
                attacher.attach(child, placed, level.share / len(level.attributes))
                placed.append(child)
        network = Network(domain, (*nodes, *attacher.nodes))
        measurements = [*measurements, *attacher.measurements]
        conditionals = fit_conditionals(network, measurements, n)
        return NetworkModel(network, conditionals, recode(domain, "hierarchical"), measurements, n)

    def _join(self, curator: Curator, levels: tuple[Level, ...]) -> tuple[Level, ...]:
        """The levels after companions have joined the most sensitive one, before its own attributes."""
        least, most = levels[0], levels[-1]
        share = most.share * COMPANIONS_SHARE
        found = choose_companions(curator, most.attributes, least.attributes, count=self.companions, share=share)
        return (
            replace(least, attributes=tuple(a for a in least.attributes if a not in found)),
            *levels[1:-1],
            replace(most, attributes=(*sorted(found), *most.attributes), share=most.share - share),
        )

    def _resolve(
        self,
        domain: Domain,
        levels: tuple[Level, ...],
        n: int,
        terms: PrivacyTerms,
        of: Level | None = None,
    ) -> Settings:
        """All that follows from public quantities for the ordinary attributes; or, to plan, for another level."""
        level = levels[0] if of is None else of
        seen = Domain(tuple(domain[a] for a in level.attributes)) if of is None else domain
        return resolve(
            seen,
            n,
            replace(terms, budget=terms.budget.part(level.share)),
            score=self.score,
            encoding="hierarchical",
            k=self.k,
            theta=exact_number(self.theta),
            beta=self.split.network,
            max_candidates=self.max_candidates,
        )


def _make_promises(curator: Curator, levels: tuple[Level, ...], *, joined: bool) -> None:
    """Before anything is measured: what changes of the more sensitive attributes may cost, together and each alone."""
    for level in levels[1:]:
        above = [a for other in levels if other.sensitivity >= level.sensitivity for a in other.attributes]
        curator.promise(above, level.allowance)
    if joined:
        return  # the order is not known yet
    for number, level in enumerate(levels[1:], 1):
        later = sum((other.share for other in levels[number + 1 :]), Fraction(0))
        each = level.share / len(level.attributes)
        for place, attribute in enumerate(level.attributes):
            # an attribute is looked at by its own steps, and by those of attributes that come after it
            curator.promise([attribute], each * (len(level.attributes) - place) + later)


def _learn_ordinary(
    curator: Curator,
    level: Level,
    settings: Settings,
    coins: Rng,
    factors: dict[int, Factors],
    progress: Progress | None,
) -> tuple[list[Node], list[Measurement]]:
    """PrivBayes over the least sensitive attributes: no step looks at another one."""
    seen = curator.recoded(_only(curator.domain, level.attributes))
    before = curator.share_left
    search = greedy_bayes(
        seen,
        limits=settings.limits,
        score=settings.score,
        share=settings.selection_share * level.share,
        max_candidates=settings.max_candidates,
        coins=coins,
        progress=progress,
    )
    if progress is not None:
        progress("measuring its tables", 0, 1)
    rows = settings.rows_share * level.share
    share = level.share - rows - (before - curator.share_left)  # what the search left unspent goes into the tables
    nodes = [
        Node(level.attributes[node.child], tuple(Axis(level.attributes[a], depth) for a, depth in node.parents))
        for node in search.nodes
    ]
    own = {a: given for a, given in factors.items() if a in level.attributes}
    tables = [_renamed(marginal, level.attributes) for marginal in tables_to_measure(search.nodes)]
    what = "tables of the ordinary columns"
    if own:
        return nodes, measure_weighted(curator, tables, own, share=share, what=what)
    return nodes, curator.ask(NoisyTables(marginals=tables, what=what), share=share)


def _renamed(marginal: Marginal, attributes: tuple[int, ...]) -> Marginal:
    return Marginal(tuple(Axis(attributes[a], level) for a, level in marginal.axes))


def _only(domain: Domain, attributes: tuple[int, ...]) -> Recoding:
    """The view that leaves out all other attributes."""
    place = {a: i for i, a in enumerate(attributes)}
    return Recoding(
        source=domain,
        target=Domain(tuple(domain[a] for a in attributes)),
        parts=tuple(Part(source=a, lookup=tuple(range(domain[a].size))) for a in attributes),
        pieces=tuple((place[a],) if a in place else () for a in range(len(domain))),
        back=tuple(tuple(range(domain[a].size)) if a in place else (0,) for a in range(len(domain))),
    )
