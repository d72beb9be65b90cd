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
from typing import Any, ParamSpec, TypeVar

from dalenius.errors import DaleniusError, InvalidCall, InvalidParameter

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

_PLAIN = (str, bool, int, float, complex, Fraction, Decimal, date, type(None))
_LONGEST = 3
_ALIKE = 0.7


def named_arguments(function: Callable[P, R]) -> Callable[P, R]:
    """A function that names an argument which is missing, misspelt or not given by its name, and says what it is for.

    Only a call that Python itself could not bind is reworded: a TypeError from inside the function passes as it is.

    >>> @named_arguments
    ... def count(*, epsilon): ...
    >>> count(eps=1)
    Traceback (most recent call last):
    dalenius.errors.InvalidCall: count has no argument 'eps'; did you mean 'epsilon'? It takes epsilon
    """

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except TypeError as wrong:
            place = wrong.__traceback__
            if isinstance(wrong, DaleniusError) or place is None or place.tb_next is not None:
                raise
            refusal = InvalidCall(_reworded(function, args, kwargs) or str(wrong))
        raise refusal

    return called


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
    name = type(given).__name__
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


def _reworded(function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str | None:
    """What is wrong with the names of a call; None if nothing is."""
    parameters = inspect.signature(function).parameters
    name = function.__name__
    listed = ", ".join(one for one in parameters if one != "self")
    open_ended = any(one.kind is one.VAR_KEYWORD for one in parameters.values())
    if not open_ended and (unknown := [one for one in kwargs if one not in parameters]):
        near = _nearest(unknown[0], parameters)
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


_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def _nearest(word: str, names: Mapping[str, Any]) -> str | None:
    starting = [name for name in names if len(word) > 1 and name.startswith(word.lower())]
    return next(iter(starting or difflib.get_close_matches(word.lower(), names, 1, _ALIKE)), None)
