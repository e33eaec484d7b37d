"""The methods by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, Protocol

from understudy._core.errors import OptionError, did_you_mean
from understudy._core.randomness import Streams
from understudy.methods._adaptive import Adaptive
from understudy.methods._auto import Auto
from understudy.methods._contingency import Contingency
from understudy.methods._flaw import flaw_of
from understudy.methods._fourier import Fourier
from understudy.methods._hp_as_printed import HPPrivBayesAsPrinted
from understudy.methods._hpprivbayes import HPPrivBayes
from understudy.methods._independent import Independent
from understudy.methods._jtree import JTree
from understudy.methods._jtree_as_printed import JTreeAsPrinted
from understudy.methods._laplace import Laplace
from understudy.methods._mwem import MWEM
from understudy.methods._options import check_option_names, option_names, read_options
from understudy.methods._plan import Plan
from understudy.methods._privabn import PrivABN
from understudy.methods._privabn_as_printed import PrivABNAsPrinted
from understudy.methods._privbayes import PrivBayes
from understudy.methods._priview import PriView
from understudy.methods._search import Progress
from understudy.methods._uniform import Uniform
from understudy.models import Model, why_not_releasable
from understudy.privacy import Curator, PrivacyTerms
from understudy.schema import Domain

_MEMBERS = ("name", "makes", "check", "describe", "remarks", "plan", "fit")


class Method(Protocol):
    """A way to learn a model through a curator. What it returns is post-processing of what the curator gave."""

    @property
    def name(self) -> str:
        """What users call it."""
        ...

    @property
    def makes(self) -> type[Model] | tuple[type[Model], ...]:
        """The class of what `fit` returns, or all that it may be: so what cannot be published is never charged for."""
        ...

    def check(self, domain: Domain, terms: PrivacyTerms) -> None:
        """Refuse what cannot work whatever the rows are, before anything is charged or read."""
        ...

    def describe(self, domain: Domain, n: int, terms: PrivacyTerms) -> dict[str, object]:
        """What its options came to, for the privacy statement; from public quantities alone."""
        ...

    def remarks(self, model: Model, rows: int) -> tuple[str, ...]:
        """Sentences for readers of the privacy statement about what was published; from published quantities alone.

        `rows` is how many rows were published, as the statement tells it. `model.n` counts parts of them where rows
        are weighed.
        """
        ...

    def plan(self, domain: Domain, n: int, terms: PrivacyTerms) -> Plan:
        """What a run would do, from public quantities alone."""
        ...

    def fit(self, curator: Curator, *, streams: Streams | None = None, progress: Progress | None = None) -> Model:
        """Learn a model, of the class that `makes` names."""
        ...


def models_made(method: Method) -> tuple[type[Model], ...]:
    """The classes that what a method learns may be of.

    >>> [kind.__name__ for kind in models_made(Auto())], [kind.__name__ for kind in models_made(PrivBayes())]
    (['NetworkModel', 'TreeModel', 'RowsModel'], ['NetworkModel'])
    """
    return method.makes if isinstance(method.makes, tuple) else (method.makes,)


def refuse_unpublishable(method: Method) -> None:
    """Refuse a method whose model could not be published, before anything is charged for it.

    >>> refuse_unpublishable(PrivBayes())
    >>> refuse_unpublishable(Laplace())
    Traceback (most recent call last):
    understudy._core.errors.OptionError: what 'laplace' learns cannot be published: it cannot be saved and draws no \
rows. It can be held against others with 'understudy compare'. To publish, choose another method, such as privbayes.
    """
    lacking = [member for member in _MEMBERS if not hasattr(method, member)]
    if lacking:
        raise OptionError(
            f"{type(method).__name__} is no method yet: it lacks {', '.join(lacking)}. Nothing was charged. `makes` is "
            "the class of the model that `fit` returns, such as NetworkModel; docs/architecture.md has the others."
        )
    why = next(filter(None, map(why_not_releasable, models_made(method))), None)
    if why is not None:
        raise OptionError(
            f"what '{method.name}' learns cannot be published: {why}. It can be held against others with 'understudy "
            "compare'. To publish, choose another method, such as privbayes."
        )


METHODS: Mapping[str, type[Method]] = {
    kind.name: kind for kind in (Adaptive, PrivBayes, PrivABN, HPPrivBayes, JTree, Independent, Uniform, Auto)
}
"""Each method is a frozen dataclass whose fields are its options. Being listed here is all it takes to be offered by
`publish`, `plan`, `compare` and the command line."""

BASELINES: Mapping[str, type[Method]] = {kind.name: kind for kind in (Laplace, Fourier, Contingency, MWEM, PriView)}
"""What the papers compare with, and few would publish: tables without rows behind them, or one cell for each
possible row. They are offered by `compare` and by experiments."""

AS_PRINTED: Mapping[str, type[Method]] = {
    kind.name: kind for kind in (PrivABNAsPrinted, HPPrivBayesAsPrinted, JTreeAsPrinted)
}
"""Methods as their papers print them, for science: each has a `flaw`, and none has a guarantee. They are offered to
those who say that they expect none."""

_SUFFIX = "-as-printed"


def method_named(name: str, **options: object) -> Method:
    """The method of this name, with these options.

    >>> method_named("privbayes", k=2).name
    'privbayes'
    >>> method_named("privbays")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    understudy._core.errors.OptionError: there is no method 'privbays'. Did you mean 'privbayes'? Known: ...
    >>> method_named("independent", k=2)
    Traceback (most recent call last):
    understudy._core.errors.OptionError: method 'independent' has no option 'k'. It has none.
    >>> method_named("jtree", phi=0.3)
    Traceback (most recent call last):
    understudy._core.errors.OptionError: method 'jtree' has no option 'phi'. It is one of 'jtree-as-printed'.
    """
    kind = _kind_named(name)
    check_option_names(name, kind, options, elsewhere=_other_form(name))
    found: Method = kind(**options)
    return found


def read_method_options(name: str, written: Sequence[str]) -> dict[str, Any]:
    """Options written `name=value`, in the types that the method wants.

    >>> read_method_options("privbayes", ["k=2", "beta=0.2"])
    {'k': 2, 'beta': Fraction(1, 5)}
    """
    return read_options(name, _kind_named(name), written, elsewhere=_other_form(name))


def read_method(text: str) -> Method:
    """A method as one word: its name, then its options, all with colons between them.

    >>> read_method("privbayes:k=2:beta=0.2").k
    2
    """
    name, *written = text.split(":")
    return method_named(name.strip(), **read_method_options(name.strip(), written))


def describe_method(method: Method) -> str:
    """The word that `read_method` reads: the name, and options that are not the usual ones.

    >>> describe_method(PrivBayes(k=2)), describe_method(Uniform())
    ('privbayes:k=2', 'uniform')
    """
    kind: Any = type(method)
    given = [(f.name, getattr(method, f.name)) for f in fields(kind) if getattr(method, f.name) != f.default]
    return ":".join([method.name, *(f"{option}={_written(value)}" for option, value in given)])


def _written(value: object) -> str:
    if isinstance(value, tuple):
        return ",".join("*".join(one) if isinstance(one, tuple) else str(one) for one in value)
    return "none" if value is None else str(value)


def usual_methods(domain: Domain) -> list[str]:
    """The methods that mean something for these columns: one that protects some better needs to know which. A baseline
    of the papers, though it can be published, is compared only where it is named.

    >>> from understudy.schema import Attribute
    >>> "hpprivbayes" in usual_methods(Domain((Attribute(name="a", size=2), Attribute(name="b", size=2))))
    False
    """
    grouped = len({attribute.sensitivity for attribute in domain}) > 1
    left_out = {Auto.name, JTree.name} | (set() if grouped else {HPPrivBayes.name})
    return [name for name in METHODS if name not in left_out]


def label_method(method: Method) -> str:
    """The same word, and a remark where the method keeps no promise: for tables and figures.

    >>> label_method(PrivBayes(k=2))
    'privbayes:k=2'
    """
    return describe_method(method) + ("" if flaw_of(method) is None else " (no guarantee)")


def _other_form(name: str) -> dict[str, tuple[str, ...]]:
    """The options of the same method repaired, or as printed, by its name: they are easily taken for one another. Of
    the method that chooses among others, theirs."""
    known = {**METHODS, **AS_PRINTED}
    if name == Auto.name:
        return {other: option_names(kind) for other, kind in METHODS.items()}
    other = name.removesuffix(_SUFFIX) if name.endswith(_SUFFIX) else name + _SUFFIX
    return {other: option_names(known[other])} if other in known else {}


def _kind_named(name: str) -> Any:
    known = {**METHODS, **BASELINES, **AS_PRINTED}
    if name not in known:
        raise OptionError(f"there is no method '{name}'. {did_you_mean(name, known)}")
    return known[name]
