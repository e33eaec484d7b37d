"""Options declared beside the fields that hold them: default, constraint and help, once.

From a declaration come the check of a value, its reading from text, flags and help on the command line, signatures,
the tables of `docs/cli.md`, and the words of errors.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import MISSING, dataclass, field, fields
from fractions import Fraction
from inspect import Parameter, Signature
from os import PathLike
from typing import Any

from understudy._core.addresses import hide_secrets, looks_like_an_address
from understudy._core.errors import OptionError
from understudy._core.numbers import MOST_DIGITS, TooManyDigitsError
from understudy.options._constraints import Anything, Constraint, FilePath, Several

_NOTHING = ("none", "default")
_NAMING = (FilePath, Several)  # there those are names like any other: a folder or a column may be called so


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One declared option of a class."""

    name: str
    owner: str
    """Whose option it is, in the words of an error; empty for a run's own."""
    default: Any
    constraint: Constraint
    help: str
    flags: tuple[str, ...]
    """How it is written on a command line; none if it has no flag of its own."""

    @property
    def required(self) -> bool:
        """Whether it has no default."""
        return self.default is MISSING

    @property
    def typed(self) -> str:
        """The type of its values, as an annotation."""
        return self.constraint.typed + (" | None" if self.default is None else "")

    @property
    def written(self) -> str:
        """Its default as people write it; empty if there is none."""
        if self.required or self.default is None or self.default == ():
            return ""
        if isinstance(self.default, bool):
            return "yes" if self.default else "no"
        if isinstance(self.default, tuple):
            return ",".join(map(str, self.default))
        return f"{float(self.default):g}" if isinstance(self.default, Fraction) else str(self.default)

    def check(self, value: Any) -> Any:
        """The value in the form in which it is kept, or one sentence."""
        if value is None and self.default is None:
            return None
        try:
            return self.constraint.accept(value)
        except (ValueError, TypeError):
            raise self._refusal(value) from None

    def read(self, text: str) -> Any:
        """The value that this text stands for, or one sentence."""
        if self.default is None and text.lower() in _NOTHING and not isinstance(self.constraint, _NAMING):
            return None
        try:
            return self.constraint.read(text)
        except TooManyDigitsError:
            raise self._refusal(text, but=f" and at most {MOST_DIGITS} digits") from None
        except ValueError:
            raise self._refusal(text) from None

    def _refusal(self, value: Any, but: str = "") -> OptionError:
        of = f" of {self.owner}" if self.owner else ""
        return OptionError(
            f"The '{self.name}' parameter{of} must be {self.constraint.words}{but}. Got {shown(value)} instead."
        )


class Declared:
    """A base for dataclasses whose fields are options: it checks each by itself, then all together.

    >>> from understudy.options import Whole
    >>> @dataclass(frozen=True, slots=True, kw_only=True)
    ... class Cake(Declared):
    ...     layers: int = option(2, Whole(at_least=1), help="How high it is.")
    >>> Cake().layers
    2
    >>> Cake(layers=0)
    Traceback (most recent call last):
    understudy._core.errors.OptionError: The 'layers' parameter of Cake must be a whole number of at least 1. Got 0 \
instead.
    """

    __slots__ = ()

    def __post_init__(self) -> None:
        for declared in options_of(type(self)):
            object.__setattr__(self, declared.name, declared.check(getattr(self, declared.name)))
        self.check_together()

    def check_together(self) -> None:
        """Refuse options that do not go together; each is good by itself."""


def option(
    default: Any,
    constraint: Constraint,
    *,
    help: str,
    flags: str | Iterable[str] = (),
) -> Any:
    """A dataclass field that is an option. One whose default is None may be None; `...` stands for no default.

    `flags` are its names on the command line, where it has some of its own.
    """
    listed = (flags,) if isinstance(flags, str) else tuple(flags)
    declared = {"constraint": constraint, "help": help, "flags": listed}
    return field(default=MISSING if default is ... else default, metadata={"option": declared})


def same_as(kind: type, name: str) -> Any:
    """A dataclass field that is the option of this name of another class, declared there."""
    [known] = [one for one in fields(kind) if one.name == name]
    return field(default=known.default, metadata=known.metadata)


def options_of(kind: type) -> tuple[Option, ...]:
    """The options of a class, which are the fields of its dataclass, in the order in which they are declared.

    >>> from understudy.methods import PrivBayes
    >>> [declared.name for declared in options_of(PrivBayes)][:3]
    ['score', 'encoding', 'k']
    """
    owner = getattr(kind, "owner", kind.__name__)
    plain = {"constraint": Anything(), "help": "", "flags": ()}
    return tuple(
        Option(name=one.name, owner=owner, default=one.default, **one.metadata.get("option", plain))
        for one in fields(kind)
    )


def signature_of(*parts: Iterable[Option | Parameter]) -> Signature:
    """A signature whose keyword arguments are these options.

    >>> from understudy.methods import Laplace
    >>> str(signature_of(options_of(Laplace)))
    '(*, ways: int = 3)'
    """
    parameters = [
        one
        if isinstance(one, Parameter)
        else Parameter(
            one.name,
            Parameter.KEYWORD_ONLY,
            default=Parameter.empty if one.required else one.default,
            annotation=_Written(one.typed),
        )
        for part in parts
        for one in part
    ]
    return Signature(sorted(parameters, key=lambda parameter: parameter.kind))


class _Written(str):
    """An annotation that is shown as it is written, without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def shown(value: object) -> str:
    """A value in an error, not too long, and without what nobody may see.

    >>> shown("both"), shown(Fraction(1, 2)), shown("x" * 99)[-5:]
    ("'both'", '1/2', "xx…x'")
    """
    if isinstance(value, str | PathLike) and looks_like_an_address(value):
        return "an address"
    if isinstance(value, tuple) and all(isinstance(one, Fraction) for one in value):
        text = ",".join(str(one) for one in value)
    else:
        text = str(value) if isinstance(value, Fraction) else hide_secrets(repr(value))
    return text if len(text) <= 60 else f"{text[:56]}…{text[-2:]}"
