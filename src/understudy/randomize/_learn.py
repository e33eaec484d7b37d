"""Learning from randomised columns: structure and parameters of a network, or any other model of ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from understudy._core.errors import OptionError
from understudy.models import HasNetwork, Model, Network, NetworkModel, Node
from understudy.randomize._fit_method import fit_method
from understudy.randomize._inbox import Inbox
from understudy.randomize._judge import MOST_CELLS, Judge, Rule, Score
from understudy.randomize._k2 import Found, Progress, search_k2
from understudy.randomize._known_structure import read_order, read_structure
from understudy.randomize._open_inbox import open_inbox
from understudy.randomize._order import LearntOrder, learn_order
from understudy.randomize._parameters import Family, learn_families
from understudy.randomize._published import Fit
from understudy.randomize._skeleton import StructureLike
from understudy.randomize._unmixed_counts import UnmixedCounts
from understudy.schema import Axis, Domain, recode

K2 = "k2"
_MOST_PARENTS = 12


@dataclass(frozen=True, eq=False, kw_only=True)
class Learned:
    """What was learnt from randomised columns. Free: all of it is made from what was published.

    >>> from fractions import Fraction
    >>> from understudy.randomize import Block, PartyColumns, Plan, Response
    >>> from understudy.schema import Schema
    >>> from understudy.tables import Table
    >>> fields = [{"name": name, "categories": ["no", "yes"]} for name in ("smokes", "ill")]
    >>> schema, keep = Schema.from_dict({"fields": fields}), Response(2, Fraction(9, 10))
    >>> blocks = tuple(Block(columns=(name,), sizes=(2,), matrix=keep) for name in schema.names)
    >>> codes = np.array([0, 0, 0, 1] * 100)
    >>> party = PartyColumns(Plan(party="clinic", schema=schema, blocks=blocks), Table(schema.domain, (codes, codes)))
    >>> learn(Inbox([party]), order=["smokes", "ill"]).links
    (('smokes', 'ill'),)
    >>> print(learn(Inbox([party]), structure={"smokes": [], "ill": ["smokes"]}))
    learnt from 400 rows, 1 link
      smokes: -
      ill: smokes
    """

    model: Model
    """Draws rows and answers marginals, as any model of ours. Its marginals come without error bars."""
    network: Network | None
    """Over the columns of the inbox; None for models that are no network over them."""
    families: tuple[Family, ...]
    """Parameters with their error bars, one family for each node of the network, in its order."""
    settings: Mapping[str, Any]
    """What was asked for and what it came to, as plain values."""
    notes: tuple[str, ...]
    """What a reader should know, in words."""
    inbox: Inbox
    search: Found | None = None
    """What the search for a structure looked at; None if there was none."""

    @property
    def links(self) -> tuple[tuple[str, str], ...]:
        """All pairs of a parent and a child."""
        return tuple((parent, family.child) for family in self.families for parent in family.parents)

    def __str__(self) -> str:
        lines = [f"learnt from {self.inbox.n:,} rows, {len(self.links)} link{'' if len(self.links) == 1 else 's'}"]
        lines += [f"  {family.child}: {', '.join(family.parents) or '-'}" for family in self.families]
        return "\n".join([*lines, *self.notes])

    def to_dict(self) -> dict[str, Any]:
        """As plain values: links, parameters with error bars, settings and notes."""
        schema = self.inbox.schema
        return {
            "rows": self.inbox.n,
            "links": [list(link) for link in self.links],
            "settings": dict(self.settings),
            "notes": list(self.notes),
            "families": [family.to_dict(schema) for family in self.families],
        }


def learn(
    inbox: Inbox | str | Path | Sequence[str | Path],
    *,
    structure: StructureLike | None = None,
    order: Sequence[str] | None = None,
    score: Score = "likelihood",
    eta: float | None = None,
    penalty: float | None = None,
    false_links: float = 0.1,
    max_parents: int = 4,
    most_cells: int = MOST_CELLS,
    prior: float = 0.0,
    alpha: float = 1.0,
    method: str = K2,
    options: Mapping[str, Any] | None = None,
    how: Fit = "likelihood",
    progress: Progress | None = None,
) -> Learned:
    """Learn a network from what several parties published, or any other model of ours.

    Args:
        inbox: what the parties sent, or the paths of their files.
        structure: a known one (BIF file, network, parents by variable); columns it leaves out get no links.
        order: for learning a structure, all columns, parents before children; learnt too if there is none.
        score: weighs links by `likelihood` of what was published, or by the paper's `bic` or `bayes` of fitted counts.
        eta: the paper's threshold for `bayes`; by default it follows from the randomisation.
        penalty: the paper's C* for `bic`; by default it follows from the randomisation.
        false_links: how many links by chance are expected over all pairs of columns, if nothing depends on anything.
        max_parents: how many parents a column may have.
        most_cells: tables of candidates with more cells are not looked at.
        prior: count that a Dirichlet prior adds to each cell of a parameter's table (MAP); 0 for maximum likelihood.
        alpha: the same in the Bayesian score.
        method: `k2`, or the name of any other method of ours, which then sees un-mixed counts and adds no noise.
        options: of that method.
        how: how counts without negative ones are fitted for the model.
        progress: called with a stage, how much of it is done, and how much there is.

    Raises:
        UserError: for a structure with a circle or unknown variables, an order that is none, options out of range.
    """
    if not isinstance(inbox, Inbox):
        inbox = open_inbox(inbox, progress=progress)
    _check(max_parents, prior, how)
    rule = Rule(score=score, eta=eta, penalty=penalty, by_chance=false_links, alpha=alpha, most_cells=most_cells)
    counts = UnmixedCounts(inbox, how=how)
    if method != K2:
        given = {"structure": structure, "order": order, "eta": eta, "penalty": penalty}
        return _by_method(counts, method, options or {}, given, how, progress)
    if options:
        raise OptionError("'options' are those of another method. Those of k2 are parameters of their own.")
    if structure is not None:
        _refuse_search(order=order, eta=eta, penalty=penalty)
        network, notes = read_structure(structure, inbox.schema)
        return _learned(counts, network, prior, how, {"method": K2, "structure": "given"}, notes, None)
    known = None if order is None else read_order(order, inbox.domain)
    found, learnt = _search(counts, rule, known, max_parents, progress)
    settings = {"method": K2, **_search_settings(found, rule, learnt), "max_parents": max_parents}
    notes = _search_notes(counts, found, rule, learnt)
    return _learned(counts, _network(found, inbox.domain), prior, how, settings, notes, found)


def _network(found: Found, domain: Domain) -> Network:
    return Network(domain, tuple(Node(child, tuple(Axis(p) for p in found.parents[child])) for child in found.order))


def _refuse_search(**given: Any) -> None:
    for name, value in given.items():
        if value is not None:
            raise OptionError(f"'{name}' is for learning a structure, and one is given. Give one of the two.")


def _check(max_parents: int, prior: float, how: str) -> None:
    if not 1 <= max_parents <= _MOST_PARENTS:
        raise OptionError(f"The 'max_parents' parameter must lie between 1 and {_MOST_PARENTS}. Got {max_parents}.")
    if not 0 <= prior < float("inf"):
        raise OptionError(f"The 'prior' parameter must be a count of 0 or more. Got {prior} instead.")
    if how not in ("likelihood", "projection"):
        raise OptionError(f"The 'how' parameter must be 'likelihood' or 'projection'. Got {how!r} instead.")


def _search(
    counts: UnmixedCounts, rule: Rule, known: tuple[int, ...] | None, max_parents: int, progress: Progress | None
) -> tuple[Found, LearntOrder | None]:
    judge = Judge(counts, rule)
    if known is not None:
        # the paper's K2 never drops a parent, and its fixed values are run as it ran them
        found = search_k2(judge, known, max_parents=max_parents, prune=rule.calibrated, progress=progress)
        return found, None
    ordering = judge if rule == replace(rule, score="likelihood") and rule.calibrated else Judge(counts)
    learnt = learn_order(ordering, max_parents=max_parents, progress=progress)
    found = search_k2(
        judge,
        learnt.order,
        max_parents=max_parents,
        allowed=learnt.allowed,
        prune=rule.calibrated,
        progress=progress,
    )
    if ordering is not judge:
        found.considered += len(ordering.known)
    return found, learnt


def _learned(
    counts: UnmixedCounts,
    network: Network,
    prior: float,
    how: Fit,
    settings: dict[str, Any],
    notes: Sequence[str],
    found: Found | None,
) -> Learned:
    families = learn_families(counts, network, prior=prior, how=how)
    inbox = counts.inbox
    tables = [family.probabilities for family in families]
    model = NetworkModel(network, tables, recode(inbox.domain, "hierarchical"), (), inbox.n)
    return Learned(
        model=model,
        network=network,
        families=families,
        settings={**settings, "prior": prior, "fit": how},
        notes=(*inbox.notes, *notes, *_family_notes(families)),
        inbox=inbox,
        search=found,
    )


def _by_method(
    counts: UnmixedCounts,
    method: str,
    options: Mapping[str, Any],
    given: Mapping[str, object],
    how: Fit,
    progress: Progress | None,
) -> Learned:
    wrong = [name for name, value in given.items() if value is not None]
    if wrong:
        raise OptionError(f"'{wrong[0]}' belongs to method 'k2'. Leave it out, or leave out method '{method}'.")
    model, epsilon = fit_method(counts, method, options, progress)
    inbox = counts.inbox
    network = model.network if isinstance(model, HasNetwork) and model.network.domain == inbox.domain else None
    families: tuple[Family, ...] = ()
    if network is not None and isinstance(model, HasNetwork):
        families = tuple(
            replace(family, probabilities=np.asarray(table))
            for family, table in zip(learn_families(counts, network, how=how), model.conditionals, strict=True)
        )
    return Learned(
        model=model,
        network=network,
        families=families,
        settings={"method": method, "options": {k: str(v) for k, v in options.items()}, "planned_epsilon": epsilon},
        notes=(
            *inbox.notes,
            f"'{method}' was run on un-mixed counts, without noise of its own: what it saw was published already. "
            f"It planned as if for epsilon {epsilon:.3g}, at which its own noise would drown tables of the same size.",
            *_family_notes(families),
        ),
        inbox=inbox,
    )


def _search_settings(found: Found, rule: Rule, learnt: LearntOrder | None) -> dict[str, Any]:
    used = [weighed.eta if rule.score == "bayes" else weighed.penalty for weighed in found.taken]
    name = "eta" if rule.score == "bayes" else "penalty"
    spread = [float(f"{value:.6g}") for value in (min(used), float(np.median(used)), max(used))] if used else []
    return {
        "structure": "learnt",
        "order": "given" if learnt is None else "learnt",
        "score": rule.score,
        "calibrated": rule.calibrated,
        name: dict(zip(("min", "median", "max"), spread, strict=False)),
        "considered": found.considered,
        "taken": len(found.links),
        "dropped": found.dropped,
        "too_large": found.too_large,
    }


def _search_notes(counts: UnmixedCounts, found: Found, rule: Rule, learnt: LearntOrder | None) -> list[str]:
    notes = []
    if learnt is not None:
        notes.append(
            "the order of the columns was learnt: data often cannot tell in which direction a link goes, so read links "
            "as links, not as causes."
        )
    if rule.calibrated:
        chance = Judge(counts, rule).chance
        notes.append(
            f"a link that is not there is taken with a chance of about {chance:.2g} each time it is weighed, however "
            "strongly the columns were randomised."
        )
    else:
        fixed = f"eta = {rule.eta:g}" if rule.eta is not None else f"C* = {rule.penalty:g}"
        notes.append(f"{fixed} was given, whatever the randomisation: the chance of false links is not known.")
    notes.append(f"{found.considered:,} candidates were weighed; {len(found.links):,} links were kept.")
    if found.too_large:
        notes.append(
            f"{found.too_large:,} candidates were not looked at: their tables have more than {rule.most_cells:,} cells."
        )
    return notes


def _family_notes(families: Sequence[Family]) -> list[str]:
    swamped = [family.child for family in families if family.swamped]
    if not swamped:
        return []
    return [
        f"the parameters of {', '.join(swamped)} are mostly noise: their error bars swamp them. Fewer parents, more "
        "rows or less randomisation would help."
    ]
