"""PrivABN (Lan, Hong, Chen, Cai, Wang 2021): adaptive networks for wide tables, repaired. `docs/privabn.md` has more.

Three sound variants. *blocks*, the default, adds several attributes per table (`_blocks`); *drawn* is ABN-P of the
soundness review: PrivBayes over candidate sets that coins drew; *greedy* is ABN-G: parents one by one (`_growth`). In
all of them noise is on joint counts, and what follows is post-processing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, Literal, TypeAlias

from understudy._core.errors import OptionError
from understudy._core.numbers import exact_number
from understudy._core.randomness import Rng, Streams
from understudy.methods._block_shape import (
    STRENGTH_SHARE,
    BlockShape,
    choose_shape,
    partners,
    surely,
)
from understudy.methods._blocks import MOST_OPENINGS, grow_blocks
from understudy.methods._growth import grow_parents, penalised
from understudy.methods._plan import Plan, make_plan, plan_with_tables
from understudy.methods._privbayes import (
    ENCODING_CHOICES,
    SCORE_CHOICES,
    EncodingChoice,
    ScoreChoice,
    tables_to_measure,
)
from understudy.methods._remarks import if_independent
from understudy.methods._search import Progress, greedy_bayes
from understudy.methods._settings import ROWS_SHARE, Settings, refuse_drowning_noise, resolve, rows_share
from understudy.models import Model, Network, NetworkModel, Node, RScore, fit_conditionals
from understudy.options import Declared, OneOf, Real, Whole, YesNo, option
from understudy.privacy import Curator, MeanStrength, NoiseLevel, NoisyTables, PrivacyTerms
from understudy.schema import Domain, Recoding, recode

Variant: TypeAlias = Literal["blocks", "drawn", "greedy"]
VARIANTS = ("blocks", "drawn", "greedy")
DRAWN_EACH = 50
"""ABN-P: parent sets drawn for each attribute."""
USUAL_THETA = {"blocks": Fraction(5, 4), "drawn": Fraction(4), "greedy": Fraction(4)}
MIDDLING = 0.05
"""Strength that a plan supposes, since it may not look."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivABN(Declared):
    """Learn a network by blocks of attributes, in few and less noisy tables; made for wide tables.

    >>> PrivABN(variant="greedy").variant
    'greedy'
    >>> PrivABN(variant="block")
    Traceback (most recent call last):
    understudy._core.errors.OptionError: The 'variant' parameter of PrivABN must be one of blocks, drawn, greedy. Got \
'block' instead.
    """

    name: ClassVar[str] = "privabn"
    makes: ClassVar[type[Model]] = NetworkModel

    variant: Variant = option(
        "blocks",
        OneOf(*VARIANTS),
        help="blocks: several attributes per table. drawn: ABN-P, parents drawn by coins. greedy: ABN-G, one by one.",
    )
    score: ScoreChoice = option("auto", OneOf(*SCORE_CHOICES), help="I, F or R. auto: R. Blocks use R only.")
    encoding: EncodingChoice = option(
        "auto", OneOf(*ENCODING_CHOICES), help="How attributes are seen. auto: hierarchical."
    )
    k: int | None = option(None, Whole(), help="Most parents of an attribute. None: as many as are useful.")
    theta: Fraction | int | float | None = option(
        None,
        Real(above=0),
        help="A table is useful if its average cell is at least this many times the noise. None: 5/4 for blocks, "
        "else 4.",
    )
    beta: Fraction | int | float = option(
        Fraction(3, 10),
        Real(above=0, below=1),
        help="Share of the budget that goes into choosing the network; blocks may take less.",
    )
    max_candidates: int | None = option(
        None,
        Whole(at_least=1),
        help="Most candidates in one choice that coins draw. None: by variant.",
    )
    stop: bool = option(
        False, YesNo(), help="greedy: let a choice leave off adding parents, where noise would outweigh what they say."
    )

    def check_together(self) -> None:
        """Refuse options that do not go together."""
        if self.stop and self.variant != "greedy":
            raise OptionError("'stop' is an option of the variant greedy. Choose that, or leave it out.")
        if self.variant == "blocks" and self.score not in ("auto", "R"):
            raise OptionError(f"blocks are chosen by score R. Leave out score, or name a variant. Got {self.score!r}.")

    @property
    def usual_theta(self) -> Fraction:
        """θ as it comes out."""
        if self.theta is None:
            return USUAL_THETA[self.variant]
        return exact_number(self.theta)

    def check(self, domain: Domain, terms: PrivacyTerms) -> None:
        """Refuse what cannot work whatever the rows are, before anything is charged or read."""
        if self.variant == "blocks":
            each = Fraction(1, max(len(domain), 1))
            refuse_drowning_noise(terms.table_noise(each), terms.budget)
        else:
            self.resolve(domain, 1000, terms)

    def describe(self, domain: Domain, n: int, terms: PrivacyTerms) -> dict[str, object]:
        """What the options came to, as the privacy statement lists them."""
        common: dict[str, object] = {
            "variant": self.variant,
            "encoding": "hierarchical" if self.encoding == "auto" else self.encoding,
            "theta": float(self.usual_theta),
        }
        if self.variant == "blocks":
            return {"score": "R", **common, "beta": f"at most {float(self.beta):g}", "most parents": self.k}
        settings = self.resolve(domain, n, terms)
        by_degree = settings.limits.degree is not None
        return {
            "score": settings.score.name,
            **common,
            **({"parents": settings.limits.degree} if by_degree else {"largest table": settings.limits.cells}),
            "beta": float(self.beta),
            **({"stop": True} if self.stop else {}),
        }

    def remarks(self, model: Model, rows: int) -> tuple[str, ...]:
        """What readers of the statement should know, from published quantities."""
        return if_independent(model)

    def plan(self, domain: Domain, n: int, terms: PrivacyTerms) -> Plan:
        """What a run would do, from public quantities alone."""
        if self.variant != "blocks":
            return replace(make_plan(self.resolve(domain, n, terms), n), method=self.name)
        seen = self._recoding(domain).target
        weak, shape, strong = (self._shape(seen, n, terms, strength) for strength in (0.0, MIDDLING, 5 * MIDDLING))
        share = 1 - rows_share(terms)
        tables = share * (1 - STRENGTH_SHARE) - shape.selection_share
        return plan_with_tables(
            self.name,
            seen,
            n,
            cells=shape.cells,
            noise=terms.table_noise(tables / shape.n_tables).mean_abs,
            candidates=tuple(range(len(seen) - 1, 0, -1)),
            max_candidates=self.max_candidates or MOST_OPENINGS,
            shares={
                "rows": float(rows_share(terms)),
                "strength of relations": float(share * STRENGTH_SHARE),
                "network": float(shape.selection_share),
                "tables": float(tables),
            },
            notes=(
                f"About {shape.n_tables} tables. Their size follows from how strongly columns hang together, which "
                f"is measured first: from {weak.cells:,} cells if they hardly do to {strong.cells:,} if they do "
                "strongly; the above supposes something between.",
            ),
        )

    def resolve(self, domain: Domain, n: int, terms: PrivacyTerms) -> Settings:
        """All that follows from public quantities for the variants drawn and greedy."""
        return resolve(
            domain,
            n,
            terms,
            score="R" if self.score == "auto" else self.score,
            encoding=self.encoding,
            k=self.k,
            theta=self.usual_theta,
            beta=exact_number(self.beta),
            max_candidates=self.max_candidates or DRAWN_EACH * len(domain),
        )

    def fit(
        self, curator: Curator, *, streams: Streams | None = None, progress: Progress | None = None
    ) -> NetworkModel:
        """Learn a model. `streams` are the public coins; fresh ones unless given."""
        coins = (streams or Streams.fresh()).get("privabn", "coins")
        n = curator.measure_rows(share=ROWS_SHARE)
        recoding = self._recoding(curator.domain)
        seen = curator.recoded(recoding)
        nodes = (
            self._blocks(seen, n, coins, progress)
            if self.variant == "blocks"
            else self._one_by_one(curator, seen, n, coins, progress)
        )
        network = Network(seen.domain, nodes)
        if progress is not None:
            progress("measuring its tables", 0, 1)
        # what choices left unspent goes into the tables
        measurements = seen.ask(
            NoisyTables(marginals=tables_to_measure(nodes), what="tables of the network"), share=seen.share_left
        )
        conditionals = fit_conditionals(network, measurements, n)
        return NetworkModel(network, conditionals, recoding, measurements, n)

    def _blocks(self, seen: Curator, n: int, coins: Rng, progress: Progress | None) -> tuple[Node, ...]:
        score, rest = RScore(), 1 - rows_share(seen.terms)
        strength = 0.0
        groups = partners(seen.domain, n, coins)
        if groups:
            measured = seen.ask(MeanStrength(groups=groups, score=score, what="strength"), share=rest * STRENGTH_SHARE)
            strength = surely(measured, n)
        return grow_blocks(
            seen,
            shape=self._shape(seen.domain, n, seen.terms, strength),
            score=score,
            k=self.k,
            max_candidates=self.max_candidates or MOST_OPENINGS,
            coins=coins,
            progress=progress,
        )

    def _one_by_one(
        self, curator: Curator, seen: Curator, n: int, coins: Rng, progress: Progress | None
    ) -> tuple[Node, ...]:
        settings = self.resolve(curator.domain, n, curator.terms)
        limits, share = settings.limits, settings.selection_share
        if self.variant == "greedy":
            score = penalised(settings.score, settings.noise) if self.stop else settings.score
            return grow_parents(
                seen, limits=limits, score=score, share=share, stop=self.stop, coins=coins, progress=progress
            ).nodes
        return greedy_bayes(
            seen,
            limits=limits,
            score=settings.score,
            share=share,
            max_candidates=settings.max_candidates,
            coins=coins,
            progress=progress,
        ).nodes

    def _shape(self, seen: Domain, n: int, terms: PrivacyTerms, strength: float) -> BlockShape:
        def noise_for(share: Fraction) -> NoiseLevel:
            return terms.table_noise(share)

        return choose_shape(
            seen,
            n,
            terms.budget,
            strength,
            beta=exact_number(self.beta),
            theta=self.usual_theta,
            share=(1 - rows_share(terms)) * (1 - STRENGTH_SHARE),
            sensitivity=terms.difference_sensitivity(RScore(), max(n, 1), [(a.size, a.size) for a in seen]),
            noise_for=noise_for,
        )

    def _recoding(self, domain: Domain) -> Recoding:
        return recode(domain, "hierarchical" if self.encoding == "auto" else self.encoding)
