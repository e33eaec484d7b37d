"""Keyword arguments and the options that are declared for them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from difflib import get_close_matches
from inspect import Parameter, signature
from typing import Any, TypeVar

from understudy._api._focus import read_focus
from understudy._core.errors import OptionError, did_you_mean
from understudy.methods import AS_PRINTED, BASELINES, METHODS, Method, method_named
from understudy.options import Declared, PlanOptions, options_of, signature_of

Asked = TypeVar("Asked", bound=PlanOptions)
Plain = TypeVar("Plain", bound=Declared)
Function = TypeVar("Function", bound=Callable[..., Any])


def read_arguments(kind: type[Asked], given: Mapping[str, Any]) -> Asked:
    """The options of this kind among keyword arguments; all others are the method's.

    >>> asked = read_arguments(PlanOptions, {"epsilon": 1, "method": "privbayes", "k": 2})
    >>> asked.neighbours, asked.method.k
    ('add-remove', 2)
    """
    declared = {option.name: option for option in options_of(kind)}
    own = {name: value for name, value in given.items() if name in declared}
    others = {name: value for name, value in given.items() if name not in declared}
    _refuse_near_names(declared, others)
    return kind(**own | {"method": make_method(own.get("method", declared["method"].default), others)})


def read_options(kind: type[Plain], given: Mapping[str, Any]) -> Plain:
    """The options of this kind, where no method has any besides.

    >>> from understudy.options import EvaluateOptions
    >>> read_options(EvaluateOptions, {"draws": 2}).draws
    2
    """
    known = [option.name for option in options_of(kind)]
    for name in given:
        if name not in known:
            raise OptionError(f"there is no option '{name}'. {did_you_mean(name, known)}")
    return kind(**given)


def _refuse_near_names(declared: Collection[str], others: Iterable[str]) -> None:
    """A misspelt option of the run is not taken for one of the method's."""
    methods = (*METHODS.values(), *BASELINES.values(), *AS_PRINTED.values())
    known = {option.name for kind in methods for option in options_of(kind)}
    for name in others:
        near = get_close_matches(name, [*sorted(known), *declared], n=1)
        if name not in known and near and near[0] in declared:
            raise OptionError(f"there is no option '{name}'. Did you mean '{near[0]}'?")


def make_method(method: str | Method, options: Mapping[str, Any]) -> Method:
    """The method of this name with these options, or the method itself.

    >>> make_method("privbayes", {"k": 2}).k
    2
    """
    if "name" in options:
        raise OptionError("there is no option 'name'. A method is named with 'method', a data set with 'dataset'.")
    if isinstance(method, str):
        if "focus" in options:
            options = {**options, "focus": read_focus(options["focus"])}
        return method_named(method, **options)
    if options:
        raise OptionError(
            f"'{next(iter(options))}' is an option of a method that is given by name. Make it part of the method."
        )
    return method


def takes(kind: type[Declared]) -> Callable[[Function], Function]:
    """Let a function's signature show the options that its `**options` are read as, and then the method's, if any."""

    def shown(function: Function) -> Function:
        own = [one for one in signature(function).parameters.values() if one.kind is not Parameter.VAR_KEYWORD]
        named = any(one.name == "method" and one.flags for one in options_of(kind))
        others = [Parameter("method_options", Parameter.VAR_KEYWORD)] if named else []
        function.__signature__ = signature_of(own, options_of(kind), others)  # type: ignore[attr-defined]
        return function

    return shown
