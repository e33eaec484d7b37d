"""PrivBayes (Zhang, Cormode, Procopiuc, Srivastava, Xiao, TODS 2017), as a recipe over a curator.

The budget goes in three parts, all through `Curator`: the number of rows (add/remove only), β of the rest for
the choice of a network, what is left for noisy tables. Everything after that is post-processing.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Literal, TypeAlias

from understudy._core.numbers import exact_number
from understudy._core.randomness import Streams
from understudy.methods._plan import Plan, make_plan
from understudy.methods._remarks import if_independent
from understudy.methods._search import Progress, greedy_bayes
from understudy.methods._settings import ROWS_SHARE, Settings, resolve
from understudy.models import SCORES, Model, Network, NetworkModel, Node, fit_clipped, fit_conditionals
from understudy.options import Declared, OneOf, Real, Whole, option
from understudy.privacy import Curator, NoisyTables, PrivacyTerms
from understudy.schema import Domain, Marginal

PostprocessingChoice: TypeAlias = Literal["consistent", "printed"]
ScoreChoice: TypeAlias = str
EncodingChoice: TypeAlias = Literal["auto", "vanilla", "hierarchical", "binary", "gray"]

SCORE_CHOICES = ("auto", *SCORES)
POSTPROCESSING_CHOICES = ("consistent", "printed")
ENCODING_CHOICES = ("auto", "hierarchical", "vanilla", "binary", "gray")


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivBayes(Declared):
    """Choose a Bayesian network of strong relations, measure its tables with noise, draw synthetic rows from it.

    The options are the paper's, and so are their defaults.

    >>> PrivBayes(k=2).k
    2
    >>> PrivBayes(beta=1)
    Traceback (most recent call last):
    understudy._core.errors.OptionError: The 'beta' parameter of PrivBayes must be a number above 0 and below 1. Got 1 \
instead.
    """

    name: ClassVar[str] = "privbayes"
    makes: ClassVar[type[Model]] = NetworkModel

    score: ScoreChoice = option(
        "auto",
        OneOf(*SCORE_CHOICES),
        help="I, F or R. auto: F when all attributes are binary (after encoding), else R.",
    )
    encoding: EncodingChoice = option(
        "auto", OneOf(*ENCODING_CHOICES), help="How attributes are seen. auto: hierarchical."
    )
    k: int | None = option(
        None,
        Whole(),
        help="Number of parents of each attribute. None: as many as θ-usefulness allows.",
    )
    theta: Fraction | int | float = option(
        4,
        Real(above=0),
        help="A table is useful if its average cell is at least this many times the noise.",
    )
    beta: Fraction | int | float = option(
        Fraction(3, 10),
        Real(above=0, below=1),
        help="Share of the budget that goes into choosing the network.",
    )
    max_candidates: int | None = option(
        None,
        Whole(at_least=1),
        help="Most parent sets considered in one choice; beyond it they are drawn by coins. None: by size of the "
        "table.",
    )
    postprocessing: PostprocessingChoice = option(
        "consistent",
        OneOf(*POSTPROCESSING_CHOICES),
        help="What is done to noisy tables. consistent: agreement, shrinkage, projection. printed: the paper's, each "
        "table by itself with negative cells set to 0. Both cost nothing; the paper's is less accurate and has"
        " no error bars.",
    )

    def check(self, domain: Domain, terms: PrivacyTerms) -> None:
        """Refuse what cannot work whatever the rows are, before anything is charged or read."""
        self.resolve(domain, 1000, terms)

    def describe(self, domain: Domain, n: int, terms: PrivacyTerms) -> dict[str, object]:
        """What the options came to, as the privacy statement lists them."""
        settings = self.resolve(domain, n, terms)
        by_degree = settings.limits.degree is not None
        return {
            "score": settings.score.name,
            "encoding": "hierarchical" if self.encoding == "auto" else self.encoding,
            **({"parents": settings.limits.degree} if by_degree else {"largest table": settings.limits.cells}),
            "theta": float(self.theta),
            "beta": float(self.beta),
            "most candidates per choice": settings.max_candidates,
            **({} if self.postprocessing == "consistent" else {"postprocessing": self.postprocessing}),
        }

    def remarks(self, model: Model, rows: int) -> tuple[str, ...]:
        """What readers of the statement should know, from published quantities."""
        asked = "columns were published as independent of each other, as k = 0 asks for."
        return if_independent(model, asked) if self.k == 0 else if_independent(model)

    def resolve(self, domain: Domain, n: int, terms: PrivacyTerms) -> Settings:
        """All that follows from public quantities: encoding, score, shares, sizes of tables."""
        return resolve(
            domain,
            n,
            terms,
            score=self.score,
            encoding=self.encoding,
            k=self.k,
            theta=exact_number(self.theta),
            beta=exact_number(self.beta),
            max_candidates=self.max_candidates,
        )

    def plan(self, domain: Domain, n: int, terms: PrivacyTerms) -> Plan:
        """What a run would do, from public quantities alone."""
        return make_plan(self.resolve(domain, n, terms), n)

    def fit(
        self, curator: Curator, *, streams: Streams | None = None, progress: Progress | None = None
    ) -> NetworkModel:
        """Learn a model. `streams` are the public coins (root, drawn candidates); fresh ones unless given."""
        coins = (streams or Streams.fresh()).get("privbayes", "coins")
        n = curator.measure_rows(share=ROWS_SHARE)
        settings = self.resolve(curator.domain, n, curator.terms)
        seen = curator.recoded(settings.recoding)
        search = greedy_bayes(
            seen,
            limits=settings.limits,
            score=settings.score,
            share=settings.selection_share,
            max_candidates=settings.max_candidates,
            coins=coins,
            progress=progress,
        )
        network = Network(seen.domain, search.nodes)
        if progress is not None:
            progress("measuring its tables", 0, 1)
        # what the search left unspent goes into the tables
        measurements = seen.ask(
            NoisyTables(marginals=tables_to_measure(search.nodes), what="tables of the network"), share=seen.share_left
        )
        if self.postprocessing == "printed":  # error bars are computed for the other one, so none are offered
            return NetworkModel(network, fit_clipped(network, measurements, n), settings.recoding, (), n)
        conditionals = fit_conditionals(network, measurements, n)
        return NetworkModel(network, conditionals, settings.recoding, measurements, n)


def tables_to_measure(nodes: tuple[Node, ...]) -> list[Marginal]:
    """The families' tables, without those that can be summed out of another one.

    This generalises Algorithm 1, whose first k tables come out of table k + 1: the budget is divided over fewer.

    >>> from understudy.schema import Axis
    >>> [m.attributes for m in tables_to_measure((Node(0), Node(1, (Axis(0),)), Node(2, (Axis(0, 1),))))]
    [(0, 1), (0, 2)]
    """
    families = sorted({node.marginal.canonical() for node in nodes}, key=lambda m: m.axes)
    holders: dict[int, list[Marginal]] = {}
    for family in families:
        for attribute in family.attributes:
            holders.setdefault(attribute, []).append(family)
    return [
        family
        for family in families
        if not any(other != family and other.refines(family) for other in holders[family.attributes[0]])
    ]
