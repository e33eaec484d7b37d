"""Options of methods as people write them: `k=2` on a command line, `privbayes:k=2:beta=0.2` in a list of methods."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from fractions import Fraction
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from understudy._core.errors import OptionError, did_you_mean
from understudy._core.numbers import read_whole_number
from understudy.privacy import parse_number

_NOTHING = ("none", "default")
_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def option_names(kind: type) -> tuple[str, ...]:
    """The options of a method, which are the fields of its dataclass.

    >>> from understudy.methods import PrivBayes
    >>> option_names(PrivBayes)[:3]
    ('score', 'encoding', 'k')
    """
    return tuple(field.name for field in fields(kind))


def check_option_names(
    name: str, kind: type, options: Iterable[str], *, elsewhere: Mapping[str, Iterable[str]] | None = None
) -> None:
    """Refuse options that a method does not have. `elsewhere` are those of related methods, by their name.

    >>> from understudy.methods import PrivBayes
    >>> check_option_names("privbayes", PrivBayes, ["kk"])
    Traceback (most recent call last):
    understudy._core.errors.OptionError: method 'privbayes' has no option 'kk'. Did you mean 'k'? Known: 'score', \
'encoding', 'k', 'theta', 'beta', 'max_candidates', 'postprocessing'.
    """
    known = option_names(kind)
    for option in options:
        if option not in known:
            owners = [f"'{other}'" for other, theirs in (elsewhere or {}).items() if option in theirs]
            hint = (
                f"It is one of {' and '.join(owners)}."
                if owners
                else did_you_mean(option, known)
                if known
                else "It has none."
            )
            raise OptionError(f"method '{name}' has no option '{option}'. {hint}")


def read_options(
    name: str, kind: type, written: Iterable[str], *, elsewhere: Mapping[str, Iterable[str]] | None = None
) -> dict[str, Any]:
    """Values for options written `name=value`, in the types that the method's fields declare.

    >>> from understudy.methods import PrivBayes
    >>> read_options("privbayes", PrivBayes, ["k=2", "beta=1/5", "max-candidates=none"])
    {'k': 2, 'beta': Fraction(1, 5), 'max_candidates': None}
    """
    found: dict[str, Any] = {}
    types = get_type_hints(kind)
    for text in written:
        key, equals, value = text.partition("=")
        option = key.strip().replace("-", "_")
        if not equals or not option:
            raise OptionError(f"an option of a method is written name=value, such as k=2. Got '{text}' instead.")
        check_option_names(name, kind, [option], elsewhere=elsewhere)
        if option in found:
            raise OptionError(f"option '{option}' of method '{name}' is given twice. Give it once.")
        found[option] = _read(value.strip(), types[option], option)
    return found


def _read(text: str, wanted: Any, option: str) -> Any:
    """The text as the first of the wanted types that takes it."""
    choices = get_args(wanted) if get_origin(wanted) in (Union, UnionType) else (wanted,)
    if NoneType in choices and text.lower() in _NOTHING:
        return None
    numbers = [kind for kind in choices if kind in (Fraction, int, float)]
    if Fraction in numbers or float in numbers:
        exact = parse_number(text, option)
        return exact if Fraction in numbers else float(exact)
    for kind in choices:
        if get_origin(kind) is tuple:
            return tuple(part.strip() for part in text.split(",") if part.strip())
        if kind is bool:
            if text.lower() not in _TRUTH:
                raise OptionError(f"The '{option}' parameter must be yes or no. Got '{text}' instead.")
            return _TRUTH[text.lower()]
        if kind is int:
            try:
                return read_whole_number(text)
            except ValueError:
                raise OptionError(f"The '{option}' parameter must be a whole number. Got '{text}' instead.") from None
        if kind is str or get_origin(kind) is Literal:
            return text  # choices are the method's own to check
    raise OptionError(f"option '{option}' cannot be given as text. Use it from Python.")
