"""What is known of a row expression: its type, its public range, and how the engine computes it."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from sqlglot import exp

from dalenius.errors import UnsupportedQuery
from dalenius.queries import Key
from dalenius.queries.view import EXACT
from dalenius.sql.engine import language
from dalenius.sql.types.kinds import Kind

LARGEST = 2_000
"""Nodes of one rendered expression: a guard against x / 0 writes its divisor twice."""
MOST_VALUES = 100_000
_MOST_WHOLES = 10_000
_FAR = Fraction(10) ** 100

ValueRange = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class Typed:
    """A row expression that no row can make fail.

    `bounds` and `values` are public: derived from declarations and literals, never from rows. A row may still lie
    outside of them (its column may break the declared bounds); whoever relies on them clamps, or drops the row.
    """

    kind: Kind
    tree: exp.Expr
    bounds: ValueRange | None = None
    values: tuple[Key, ...] | None = None
    size: int = 1
    constant: bool = False
    whole: bool = False
    """Whether it is a whole number in every row."""
    least: Fraction | None = None
    """What it is never below, where nothing bounds it above."""
    by_rows: bool = False
    """Whether its bounds are those of T rows of a unit, which give way to bounds that are written."""

    @cached_property
    def text(self) -> str:
        """The expression as the engine reads it; two with one text are one expression."""
        return language.written(self.tree)


RowReader = Callable[[exp.Expr], Typed]
"""Reads an inner expression; what an operator's rule is given beside its node."""


def typed(
    kind: Kind,
    tree: exp.Expr,
    *parts: Typed,
    bounds: ValueRange | None = None,
    values: tuple[Key, ...] | None = None,
    copies: int = 1,
    whole: bool = False,
    least: Fraction | None = None,
    by_rows: bool | None = None,
) -> Typed:
    """An expression over parts; refused when it grows too large for the engine.

    A whole number between bounds has finitely many values.
    """
    size = 1 + copies * sum(part.size for part in parts)
    if size > LARGEST:
        raise UnsupportedQuery(f"an expression may have {LARGEST} terms once x / 0 is guarded: write a smaller one")
    kept = None if bounds is None or max(map(abs, bounds)) > _FAR else bounds
    if values is None and whole and kept is not None:
        values = whole_numbers(*kept)
    finite = values if values is not None and len(values) <= MOST_VALUES else None
    constant = bool(parts) and all(part.constant for part in parts)
    inherited = any(part.by_rows for part in parts) if by_rows is None else by_rows
    return Typed(kind, tree, kept, finite, size, constant, whole, least if kept is None else None, inherited)


def whole_numbers(low: Fraction, high: Fraction) -> tuple[int, ...] | None:
    """The whole numbers between two ends; None where there are too many to be keys."""
    first, last = math.ceil(low), math.floor(high)
    few = last - first < _MOST_WHOLES and max(abs(first), abs(last)) < EXACT
    return tuple(range(first, last + 1)) if few else None


def expect(part: Typed, kind: Kind, where: str) -> Typed:
    """The part, if it has that type; NULL has every type."""
    if part.kind is not kind and part.kind is not Kind.NULL:
        raise UnsupportedQuery(f"{where} takes a {kind.value}, got a {part.kind.value}; CAST it if that is meant")
    return part


def same_kind(parts: list[Typed], where: str) -> Kind:
    """The one type of the parts, NULL aside."""
    kinds = {part.kind for part in parts} - {Kind.NULL}
    if len(kinds) > 1:
        names = " and ".join(sorted(kind.value for kind in kinds))
        raise UnsupportedQuery(f"{where} takes values of one type, got {names}; CAST one of them")
    return kinds.pop() if kinds else Kind.NULL
