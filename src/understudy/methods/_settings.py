"""What a run of PrivBayes will do, settled from public quantities before any budget is spent."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import prod

from understudy._core.errors import InternalError, OptionError
from understudy.methods._search import may_have_parents
from understudy.methods._usefulness import LARGEST_TABLE, NoiseFor, TableLimits, largest_useful_table, useful_degree
from understudy.models import LARGEST_N_FOR_F, score_named
from understudy.privacy import Budget, NoiseLevel, PrivacyTerms, Score
from understudy.schema import Domain, Encoding, Recoding, recode

ROWS_SHARE = Fraction(1, 50)
"""Share of the budget for the number of rows, where that is private."""

# What a fit may take, and what a candidate costs, on one core: measured once, used only to choose how many candidates
# to look at and to predict the time of a run.
SECONDS_PER_FIT = 1.0
SECONDS_PER_CELL = 1e-7
SECONDS_PER_CANDIDATE = 4e-5
SECONDS_PER_ROW_AXIS = 3e-10
SECONDS_PER_BINARY_ROW_AXIS = 1.3e-10
SECONDS_PER_F_CELL_ROW = 8e-12
LARGEST_NOISE = 2.0**50
FEWEST_CANDIDATES, MOST_CANDIDATES = 64, 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Encoding, score, shares of the budget and bounds on tables of one run."""

    recoding: Recoding
    score: Score
    limits: TableLimits
    rows_share: Fraction
    selection_share: Fraction
    tables_share: Fraction
    noise: NoiseLevel
    theta: Fraction
    max_candidates: int
    seconds_per_candidate: float

    @property
    def domain(self) -> Domain:
        """The domain the network is over."""
        return self.recoding.target


def resolve(
    domain: Domain,
    n: int,
    terms: PrivacyTerms,
    *,
    score: str,
    encoding: str,
    k: int | None,
    theta: Fraction,
    beta: Fraction,
    max_candidates: int | None,
) -> Settings:
    """Resolve a run. Uses the domain, n (public or already measured), the budget and options, never data."""
    recoding = recode(domain, _encoding(encoding))
    seen = recoding.target
    for_rows = rows_share(terms)
    rest = 1 - for_rows

    def noise_for(share: Fraction) -> NoiseLevel:
        return terms.table_noise(share)

    limits = _limits(seen, n, k, theta, (1 - beta) * rest, noise_for)
    if not any(may_have_parents(seen, limits, a) for a in range(len(seen))):
        beta = Fraction(0)  # only the empty network is possible: nothing to choose
    # n may be a noisy number; F is left before it would refuse the true one, which would be after the charge
    name = score if score != "auto" else "F" if seen.all_binary and 2 * n <= LARGEST_N_FOR_F else "R"
    chosen_score = score_named(name)
    # asked now, so that a score these attributes or neighbours do not allow is refused before anything is spent
    terms.difference_sensitivity(chosen_score, max(n, 1), [(a.size, 2) for a in seen if a.size > 1])
    tables_share = (1 - beta) * rest
    noise = noise_for(tables_share / max(len(seen), 1))
    refuse_drowning_noise(noise, terms.budget)
    return Settings(
        recoding=recoding,
        score=chosen_score,
        limits=limits,
        rows_share=for_rows,
        selection_share=beta * rest,
        tables_share=tables_share,
        noise=noise,
        theta=theta,
        max_candidates=max_candidates or affordable_candidates(seen, n, limits, name, terms.unit.parts),
        seconds_per_candidate=candidate_seconds(seen, n, limits, name, terms.unit.parts),
    )


def rows_share(terms: PrivacyTerms) -> Fraction:
    """Share of the budget that the number of rows takes: none where it is public.

    >>> from understudy.privacy import PrivacyUnit, make_budget
    >>> units = PrivacyUnit(), PrivacyUnit("one patient", max_rows=2)
    >>> [str(rows_share(PrivacyTerms(budget=make_budget(1), unit=unit))) for unit in units]
    ['0', '1/50']
    """
    return Fraction(0) if terms.public_rows else ROWS_SHARE


def refuse_drowning_noise(noise: NoiseLevel, budget: Budget) -> None:
    """Refuse noise in which every count would drown, before anything is spent.

    >>> from understudy.privacy import make_budget
    >>> refuse_drowning_noise(NoiseLevel(kind="laplace", scale=Fraction(20)), make_budget(1))
    """
    if noise.mean_abs > LARGEST_NOISE:
        raise OptionError(
            f"at epsilon {float(budget.epsilon):g} the noise would be larger than any count. Raise epsilon."
        )


def _encoding(name: str) -> Encoding:
    chosen = "hierarchical" if name == "auto" else name
    encodings: tuple[Encoding, ...] = ("vanilla", "hierarchical", "binary", "gray")
    for encoding in encodings:
        if encoding == chosen:
            return encoding
    raise InternalError(f"There is no encoding {name!r}.")


def _limits(seen: Domain, n: int, k: int | None, theta: Fraction, share: Fraction, noise_for: NoiseFor) -> TableLimits:
    if k is not None:
        _refuse_huge(seen, k)
        return TableLimits(degree=k, cells=0)
    if seen.all_binary:
        return TableLimits(degree=useful_degree(seen, n, theta, share, noise_for), cells=0)
    cells = largest_useful_table(n, noise_for(share / max(len(seen), 1)), theta)
    return TableLimits(degree=None, cells=cells)


def _refuse_huge(seen: Domain, k: int) -> None:
    """Refuse a degree whose tables would not fit into memory, before anything is spent."""
    largest = prod(sorted((a.size for a in seen), reverse=True)[: k + 1])
    if largest > LARGEST_TABLE:
        raise OptionError(
            f"with k = {k} a table may have {largest:,} cells, more than the {LARGEST_TABLE:,} that are allowed. "
            "Choose a smaller k, coarser bins, or leave k out: its size then follows from the budget."
        )


def affordable_candidates(seen: Domain, n: int, limits: TableLimits, score: str, parts: int = 1) -> int:
    """How many candidates a choice may look at so that a fit takes seconds on a small table, and on a large one about
    as long as a few dozen plain passes over it. Public quantities only; `docs/privbayes.md` has the measurements.
    Where rows are weighed, `n` counts `parts` of them; a pass takes a row at a time all the same.
    """
    rounds = max(len(seen) - 1, 1)
    seconds = max(SECONDS_PER_FIT, SECONDS_PER_CELL * n / parts * len(seen))
    each = candidate_seconds(seen, n, limits, score, parts)
    # a round of draws renews an eighth of the pool
    return int(min(max(8 * seconds / (rounds * each), FEWEST_CANDIDATES), MOST_CANDIDATES))


def candidate_seconds(seen: Domain, n: int, limits: TableLimits, score: str, parts: int = 1) -> float:
    """About what one more candidate costs: counting its table, and scoring it."""
    axes = 1 + (limits.degree if limits.degree is not None else 3)
    per_row = axes * (SECONDS_PER_BINARY_ROW_AXIS if seen.all_binary else SECONDS_PER_ROW_AXIS)
    if score == "F":  # its dynamic programme goes over what is counted
        per_row += parts * SECONDS_PER_F_CELL_ROW * 2 ** (axes - 1)
    return SECONDS_PER_CANDIDATE + n / parts * per_row
