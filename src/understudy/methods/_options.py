"""Options of methods as people write them: `k=2` on a command line, `privbayes:k=2:beta=0.2` in a list of methods."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from understudy._core.errors import OptionError, did_you_mean
from understudy.options import options_of


def option_names(kind: type) -> tuple[str, ...]:
    """The names of a method's options.

    >>> from understudy.methods import PrivBayes
    >>> option_names(PrivBayes)[:3]
    ('score', 'encoding', 'k')
    """
    return tuple(option.name for option in options_of(kind))


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
            raise OptionError(f"method '{name}' has no option '{option}'. {_hint(option, known, elsewhere or {})}")


def _hint(option: str, known: tuple[str, ...], elsewhere: Mapping[str, Iterable[str]]) -> str:
    """What to write instead, such that it is taken: an option of a related method goes with that method's name."""
    near = get_close_matches(
        option[:200], [*known, *sorted({one for names in elsewhere.values() for one in names})], n=1
    )
    for meant, said in ((option, "It"), (near[0] if near else "", f"Did you mean '{''.join(near)}'? It")):
        owners = [other for other, theirs in elsewhere.items() if meant in theirs]
        if owners and meant not in known:
            hint = f"{said} is one of {' and '.join(map(repr, owners))}."
            chooses = len(elsewhere) > 1  # a method that chooses among these
            return hint + (f" Name the method that is to have it, such as --method {owners[0]}." if chooses else "")
    return did_you_mean(option, known) if known else "It has none."


def read_options(
    name: str, kind: type, written: Iterable[str], *, elsewhere: Mapping[str, Iterable[str]] | None = None
) -> dict[str, Any]:
    """Values for options written `name=value`, as their declarations read them.

    >>> from understudy.methods import PrivBayes
    >>> read_options("privbayes", PrivBayes, ["k=2", "beta=1/5", "max-candidates=none"])
    {'k': 2, 'beta': Fraction(1, 5), 'max_candidates': None}
    """
    found: dict[str, Any] = {}
    declared = {option.name: option for option in options_of(kind)}
    for text in written:
        key, equals, value = text.partition("=")
        option = key.strip().replace("-", "_")
        if not equals or not option:
            raise OptionError(f"an option of a method is written name=value, such as k=2. Got '{text}' instead.")
        check_option_names(name, kind, [option], elsewhere=elsewhere)
        if option in found:
            raise OptionError(f"option '{option}' of method '{name}' is given twice. Give it once.")
        found[option] = declared[option].read(value.strip())
    return found
