"""Find the code that docs/theory/notes.toml cites, and put something in its place while tests run."""

import functools
import importlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any

Wrapper = Callable[[Callable[..., Any]], Callable[..., Any]]
_NEVER = {"__class__", "__dict__", "__weakref__", "__slots__", "__hash__", "__eq__", "__repr__", "__str__"}


def found(name: str) -> tuple[Any, str, Any]:
    """`module:Qualname` as what holds it, under which name, and the thing itself, not bound to anything."""
    module, _, qualname = name.partition(":")
    holder: Any = importlib.import_module(module)
    *outer, last = qualname.split(".")
    for part in outer:
        holder = getattr(holder, part)
    if isinstance(holder, type):
        for owner in holder.__mro__:
            if last in vars(owner):
                return holder, last, vars(owner)[last]
    return holder, last, getattr(holder, last)


def replaced(name: str, wrapper: Wrapper, *, inherited: bool = False) -> int:
    """Wrap a cited function, or every method that a cited class defines, or inherits too; how many were wrapped."""
    holder, last, thing = found(name)
    if not isinstance(thing, type):
        return int(_put(holder, last, thing, wrapper))
    bases = [base for base in reversed(thing.__mro__) if base.__module__.split(".")[0] == "dalenius"]
    methods = {key: value for base in (bases if inherited else [thing]) for key, value in vars(base).items()}
    return sum(_put(thing, key, value, wrapper) for key, value in methods.items() if key not in _NEVER)


def _put(holder: Any, name: str, thing: Any, wrapper: Wrapper) -> bool:
    """Put the wrapped thing wherever it is reached from; False where it is nothing that runs."""
    wrapped = _wrapped(thing, wrapper)
    if wrapped is None:
        return False
    if isinstance(holder, type):
        type.__setattr__(holder, name, wrapped)
        return True
    for module in loaded():
        for key, value in list(vars(module).items()):
            if value is thing:
                setattr(module, key, wrapped)
            elif type(value) is tuple and any(each is thing for each in value):  # a table of rules
                setattr(module, key, tuple(wrapped if each is thing else each for each in value))
            elif is_dataclass(value) and not isinstance(value, type):
                for field in fields(value):
                    if getattr(value, field.name, None) is thing:
                        object.__setattr__(value, field.name, wrapped)
    return True


def _wrapped(thing: Any, wrapper: Wrapper) -> Any:
    if isinstance(thing, property):
        return None if thing.fget is None else property(wrapper(thing.fget), thing.fset, thing.fdel, thing.__doc__)
    if isinstance(thing, classmethod | staticmethod):
        return type(thing)(wrapper(thing.__func__))
    if isinstance(thing, functools.cached_property):
        again = functools.cached_property(wrapper(thing.func))
        if thing.attrname is not None:
            again.__set_name__(type(thing), thing.attrname)
        return again
    if isinstance(thing, type) or not callable(thing):
        return None
    return wrapper(thing)


def loaded() -> Iterator[Any]:
    """Every module of the project and of its tests that is in memory."""
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] in ("dalenius", "tests") and module is not None:
            yield module
