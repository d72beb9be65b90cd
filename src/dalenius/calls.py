"""Calls as a newcomer writes them: a wrong argument is named, with what to write in its place; no value is shown.

Python's own words for a wrong call name neither the remedy nor what the argument means, and whoever passes a whole
column where a number is asked for must not find the column in the message.
"""

import difflib
import inspect
from collections.abc import Callable, Mapping
from datetime import date
from decimal import Decimal
from fractions import Fraction
from functools import wraps
from types import UnionType
from typing import TYPE_CHECKING, Any, ClassVar, ParamSpec, TypeVar, Union, get_args, get_origin

from dalenius.errors import DaleniusError, InvalidCall, InvalidParameter, UnknownAttribute

P = ParamSpec("P")
R = TypeVar("R")

MEANINGS = {
    "epsilon": "what the answer may cost, such as epsilon=0.1",
    "delta": "what it may cost besides, such as delta=1e-6",
    "ledger": 'the file that keeps the budget, such as ledger="people.ledger"',
    "unit": 'who is protected: a column that names people, or unit="row"',
    "sensitivity": "how far one person can move the value, from public knowledge",
    "bounds": "(lowest, highest), from public knowledge",
    "dataset": "the name of the population in the ledger",
}
"""What arguments that many functions have are for."""

ELSEWHERE = {
    "epsilon": ("budget", 'budget={"epsilon": 1}'),
    "delta": ("budget", 'budget={"epsilon": 1, "delta": 1e-6}'),
}
"""What belongs inside of another argument, where a function has that one: its name, and how it is written there."""

_ARITHMETIC = {
    **{"__add__": "+", "__radd__": "+", "__sub__": "-", "__rsub__": "-", "__mul__": "*", "__rmul__": "*"},
    **{"__truediv__": "/", "__rtruediv__": "/", "__lt__": "<", "__le__": "<=", "__gt__": ">", "__ge__": ">="},
}
_PLAIN = (str, bool, int, float, complex, Fraction, Decimal, date, type(None))
_NAMES_ARGUMENTS = "__names_arguments__"
_LONGEST = 3
_ALIKE = 0.7


def named_arguments(function: Callable[P, R]) -> Callable[P, R]:
    """A function that names an argument which is missing, misspelt or not given by its name, and says what it is for.

    Only a call that Python itself could not bind is reworded, and one whose argument lacks what its type has: 1 where
    a Sensitivity is asked for. A TypeError from inside the function passes as it is.

    >>> @named_arguments
    ... def count(*, epsilon): ...
    >>> count(eps=1)
    Traceback (most recent call last):
    dalenius.errors.InvalidCall: count has no argument 'eps'; did you mean 'epsilon'? It takes epsilon
    """
    if hasattr(function, _NAMES_ARGUMENTS):
        return function

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except TypeError as wrong:
            if isinstance(wrong, DaleniusError) or _binds(function, args, kwargs):
                raise
            refusal = InvalidCall(_reworded(function, args, kwargs) or str(wrong))
        except AttributeError as wrong:
            expected = None if isinstance(wrong, DaleniusError) else _mistaken(function, args, kwargs, wrong)
            if expected is None:
                raise
            refusal = InvalidCall(expected)
        raise refusal

    setattr(called, _NAMES_ARGUMENTS, True)
    return called


class Readable:
    """A base of what users hold. It changes no call that Python can make.

    Public methods of each subclass name an argument that is missing or misspelt (`named_arguments`). An attribute that
    is not there is told with the nearest one, or with `_INSTEAD` by the name that other libraries have for it.
    Arithmetic that means nothing is refused with `_ARITHMETIC_INSTEAD`, where a class has one.
    """

    __slots__ = ()

    _INSTEAD: ClassVar[Mapping[str, str]] = {}
    _ARITHMETIC_INSTEAD: ClassVar[str | None] = None
    _OTHERWISE: ClassVar[str] = ""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        for name, held in list(vars(cls).items()):
            if name.startswith("_") and name != "__init__":
                continue
            if inspect.isfunction(held):
                setattr(cls, name, named_arguments(held))
            elif isinstance(held, classmethod | staticmethod) and inspect.isfunction(held.__func__):
                setattr(cls, name, type(held)(named_arguments(held.__func__)))
        if "_ARITHMETIC_INSTEAD" in vars(cls):
            for name, sign in _ARITHMETIC.items():
                if name not in vars(cls):
                    setattr(cls, name, _refusal(sign))

    def _instead_of(self, name: str) -> str | None:
        """What to write in place of an attribute that is not there."""
        return self._INSTEAD.get(name)

    if not TYPE_CHECKING:  # a type checker should go on to refuse what is not there

        def __getattr__(self, name: str) -> Any:
            if hasattr(type(self), name) or name.startswith("_"):
                return object.__getattribute__(self, name)
            kind = type(self).__name__
            if instead := self._instead_of(name):
                raise UnknownAttribute(f"{kind} has no {name!r}: {instead}")
            known = {one: None for one in dir(type(self)) if not one.startswith("_")}
            near = nearest(name, known)
            hint = f"; did you mean {near!r}?" if near else self._OTHERWISE and f": {self._OTHERWISE.format(name=name)}"
            raise UnknownAttribute(f"{kind} has no {name!r}{hint}")


def _refusal(sign: str) -> Callable[[Any, object], Any]:
    def refused(self: Any, other: object) -> Any:
        raise InvalidCall(f"{type(self).__name__} has no {sign!r}: {self._ARITHMETIC_INSTEAD}")

    return refused


def shown(value: object) -> str:
    """An argument as a message may show it: a plain value or a few of them as written, of anything else the type."""
    if isinstance(value, _PLAIN):
        return repr(value)
    if isinstance(value, tuple | list) and len(value) <= _LONGEST and all(isinstance(one, _PLAIN) for one in value):
        return repr(value)
    return _kind(value)


def check_mapping(given: object, name: str, example: str) -> None:
    """Refuse what is not told by name: a list, a number or a frame in place of a dictionary. None is left out."""
    if given is None:
        return
    if not isinstance(given, Mapping) or not all(isinstance(one, str) for one in given):
        got = "names that are no texts" if isinstance(given, Mapping) else _kind(given)
        raise InvalidParameter(f"{name} is told by name, like {name}={example}; got {got}")


def _kind(given: object) -> str:
    return _with_article(type(given).__name__)


def _with_article(name: str) -> str:
    return f"{'an' if name[:1].lower() in set('aeiou') else 'a'} {name}"


def _reworded(function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str | None:
    """What is wrong with the names of a call; None if nothing is."""
    parameters = inspect.signature(function).parameters
    name = _called(function)
    listed = ", ".join(one for one in parameters if one != "self")
    open_ended = any(one.kind is one.VAR_KEYWORD for one in parameters.values())
    if not open_ended and (unknown := [one for one in kwargs if one not in parameters]):
        holder, written = ELSEWHERE.get(unknown[0], ("", ""))
        if holder in parameters:
            return f"{name} has no argument {unknown[0]!r}: write {written}. It takes {listed}"
        near = nearest(unknown[0], parameters)
        hint = f"; did you mean {near!r}?" if near else "."
        return f"{name} has no argument {unknown[0]!r}{hint} It takes {listed}"
    by_place = [one.name for one in parameters.values() if one.kind is one.POSITIONAL_OR_KEYWORD]
    if len(args) > len(by_place):
        by_name = next((one.name for one in parameters.values() if one.kind is one.KEYWORD_ONLY), None)
        said = f": write {by_name}=" if by_name else ""
        what = f"what comes after {by_place[-1]}" if by_place and by_place != ["self"] else "its arguments"
        return f"{name} takes {what} by name{said}"
    if twice := [one for one in by_place[: len(args)] if one in kwargs]:
        return f"{name} was given {twice[0]} twice: by its place and by its name"
    given = {*by_place[: len(args)], *kwargs}
    needed = [one.name for one in parameters.values() if one.default is one.empty and one.kind in _NAMED]
    lacking = [one for one in needed if one not in given]
    if not lacking:
        return None
    meaning = MEANINGS.get(lacking[0])
    return f"{name} needs {lacking[0]}=" + (f": {meaning}" if meaning else f"; it takes {listed}")


def _binds(function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool:
    try:
        inspect.signature(function).bind(*args, **kwargs)
    except TypeError:
        return False
    return True


def _mistaken(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any], wrong: AttributeError
) -> str | None:
    """Which argument is of another type than is needed, where one lacks an attribute; None if it is no argument."""
    try:
        given = inspect.signature(function).bind(*args, **kwargs).arguments
    except TypeError:
        return None
    name = next((one for one, value in given.items() if value is wrong.obj and one != "self"), None)
    if name is None:
        return None
    wanted = inspect.signature(function).parameters[name].annotation
    if wanted is inspect.Parameter.empty or wanted is Any or _is_of(wrong.obj, wanted):
        return None
    # by its type alone: a method of ours that is given an exact answer must not print it
    return f"{name} of {_called(function)} must be {_type_words(wanted)}, got {_kind(wrong.obj)}"


def _is_of(value: object, wanted: Any) -> bool:
    """Whether an argument is what was asked for, so that the fault lies elsewhere; unknown is no."""
    members = get_args(wanted) if get_origin(wanted) in (Union, UnionType) else (wanted,)
    return any(isinstance(value, kind) for one in members if isinstance(kind := get_origin(one) or one, type))


def _type_words(wanted: Any) -> str:
    """A type, or those of a union, as a sentence has them."""
    members = get_args(wanted) if get_origin(wanted) in (Union, UnionType) else (wanted,)
    plain = [get_origin(one) or one for one in members]
    names = [one.__name__ if isinstance(one, type) else str(one).rpartition(".")[2] for one in plain]
    return " or ".join("None" if name == "NoneType" else _with_article(name) for name in names)


def _called(function: Callable[..., Any]) -> str:
    return function.__name__ if function.__name__ != "__init__" else function.__qualname__.rpartition(".")[0]


_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def nearest(word: str, names: Mapping[str, Any]) -> str | None:
    """The name that a misspelt one may mean."""
    starting = [name for name in names if len(word) > 1 and name.startswith(word.lower())]
    return next(iter(starting or difflib.get_close_matches(word.lower(), names, 1, _ALIKE)), None)
