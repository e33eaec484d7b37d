"""A room that can be called: `understudy.correlate` is both the package and the function that it is about."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any


class _Callable(ModuleType):
    def __call__(self, *given: Any, **named: Any) -> Any:
        return self._function(*given, **named)


def make_callable(name: str, function: Callable[..., Any]) -> None:
    """Let a module stand for a function of its own.

    Importing anything of a package binds its name in the parent, so that no function could keep the same name there.

    >>> import understudy.correlate
    >>> callable(understudy.correlate)
    True
    """
    module = sys.modules[name]
    module.__class__ = _Callable
    module._function = function  # type: ignore[attr-defined]
    module.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
