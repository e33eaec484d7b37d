"""Declared options as flags: their names, help and defaults come from the declarations, and so does their reading."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import typer

from understudy._core.errors import OptionError
from understudy.options import MethodFlags, Names, OneOf, Option, Real, Seeds, Tables, Whole, YesNo, options_of

Command = Callable[..., None]
_METAVARS = ((Whole, "INTEGER"), (Seeds, "INTEGER"), (Real, "NUMBER"))


def takes(*kinds: type) -> Callable[[Command], Command]:
    """Give a command the flags of declared options, in place of its argument `given`. There it gets those that were
    given, read but unchecked: the checks are those of whatever they are handed to.
    """
    declared = {option.name: option for kind in kinds for option in options_of(kind) if option.flags}

    def widened(command: Command) -> Command:
        own = list(inspect.signature(command, eval_str=True).parameters.values())
        place = [one.name for one in own].index("given")

        def call(**arguments: Any) -> None:
            flags = {name: arguments.pop(name) for name in declared}
            given = {name: _read(declared[name], value) for name, value in flags.items() if value not in (None, [])}
            command(**arguments, given=given)

        parameters = [*own[:place], *map(_parameter, declared.values()), *own[place + 1 :]]
        call.__name__, call.__doc__ = command.__name__, command.__doc__
        call.__annotations__ = {one.name: one.annotation for one in parameters}
        call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        return call

    return widened


def split_method_options(given: dict[str, Any], written: list[str] | None) -> dict[str, Any]:
    """The flags that were given, those of the method read by its own declarations, with what `--option` adds."""
    from understudy.methods import read_method_options
    from understudy.options import PlanOptions

    [usual] = [option.default for option in options_of(PlanOptions) if option.name == "method"]
    flags = [option for option in options_of(MethodFlags) if option.name in given]
    names = {option.name: given[option.name] for option in flags if isinstance(option.constraint, Names | Tables)}
    texts = [f"{option.name}={given[option.name]}" for option in flags if option.name not in names]
    method = given.get("method", usual)
    found = read_method_options(method, texts) | names
    others = read_method_options(method, written or [])
    for name in others:
        if name in found:
            raise OptionError(f"option '{name}' is given twice. Give it once.")
    return {name: value for name, value in given.items() if name not in found} | found | others


def _parameter(option: Option) -> inspect.Parameter:
    constraint = option.constraint
    switch = isinstance(constraint, YesNo)
    annotation: Any = str | None
    if switch:
        annotation = bool if option.default is False else bool | None
    elif isinstance(constraint, Names | Tables):
        annotation = list[str] | None
    flag = typer.Option(
        False if annotation is bool else None,
        *(["/".join(option.flags)] if switch else option.flags),
        help=option.help + (f"  [default: {option.written}]" if option.written and not switch else ""),
        metavar=None if switch else _metavar(option),
        show_default=False,
    )
    return inspect.Parameter(option.name, inspect.Parameter.KEYWORD_ONLY, default=flag, annotation=annotation)


def _metavar(option: Option) -> str:
    if isinstance(option.constraint, OneOf):
        return "|".join(option.constraint.choices)
    return next((word for kind, word in _METAVARS if isinstance(option.constraint, kind)), "TEXT")


def _read(option: Option, value: Any) -> Any:
    """A flag's text as its declaration reads it; a switch and a list of names are what they are."""
    if isinstance(option.constraint, Tables) and isinstance(value, list):
        value = ",".join(value)
    return option.read(value) if isinstance(value, str) else tuple(value) if isinstance(value, list) else value
