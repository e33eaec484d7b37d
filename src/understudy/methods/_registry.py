"""The methods by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Protocol

from understudy._core.errors import OptionError, did_you_mean
from understudy._core.randomness import Streams
from understudy.methods._plan import Plan
from understudy.methods._privbayes import PrivBayes
from understudy.methods._search import Progress
from understudy.network import Model
from understudy.privacy import Budget, Curator, Neighbours
from understudy.schema import Domain


class Method(Protocol):
    """A way to learn a model through a curator. What it returns is post-processing of what the curator gave."""

    @property
    def name(self) -> str:
        """What users call it."""
        ...

    def check(self, domain: Domain, budget: Budget, neighbours: Neighbours) -> None:
        """Refuse what cannot work whatever the rows are, before anything is charged or read."""
        ...

    def describe(self, domain: Domain, n: int, budget: Budget, neighbours: Neighbours) -> dict[str, object]:
        """What its options came to, for the privacy statement; from public quantities alone."""
        ...

    def plan(self, domain: Domain, n: int, budget: Budget, neighbours: Neighbours) -> Plan:
        """What a run would do, from public quantities alone."""
        ...

    def fit(self, curator: Curator, *, streams: Streams | None = None, progress: Progress | None = None) -> Model:
        """Learn a model."""
        ...


METHODS: Mapping[str, type[PrivBayes]] = {"privbayes": PrivBayes}


def method_named(name: str, **options: object) -> Method:
    """The method of this name, with these options.

    >>> method_named("privbayes", k=2).name
    'privbayes'
    >>> method_named("privbays")
    Traceback (most recent call last):
    understudy._core.errors.OptionError: there is no method 'privbays'. Did you mean 'privbayes'? Known: 'privbayes'.
    """
    if name not in METHODS:
        raise OptionError(f"there is no method '{name}'. {did_you_mean(name, METHODS)}")
    kind = METHODS[name]
    known = {field.name for field in fields(kind)}
    for option in options:
        if option not in known:
            raise OptionError(f"method '{name}' has no option '{option}'. {did_you_mean(option, known)}")
    return kind(**options)  # type: ignore[arg-type]  # checked by name above and by value in __post_init__
