"""One question asked again and again, each time for twice as much, until what was released is close enough."""

import math
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

from dalenius.curator import Measured, Outcome, Release, Shown, ShownKey
from dalenius.curator.formula import Cell, Formula, Number, Plus, Times
from dalenius.curator.release import released
from dalenius.errors import BudgetExceeded, InvalidParameter, UnsupportedQuery
from dalenius.guarantees import PureDP
from dalenius.sql.planner.compile import Compiled

ROUNDS = 6
"""At most."""
NOTE = "rounds"
_UNITS = 10**12


def prices(most: Fraction) -> list[Fraction]:
    """What each round costs: twice the one before, and `most` together; in whole units of the ledger, rounded down."""
    first = Fraction(math.floor(most / (2**ROUNDS - 1) * _UNITS), _UNITS)
    if first <= 0:
        raise InvalidParameter(f"max_epsilon must be at least 1e-9, got {float(most):g}")
    return [first * 2**number for number in range(ROUNDS)]


def check_rounds(compiled: Compiled) -> None:
    """Refuse what cannot be combined: a choice is no number with noise, and each round would name other keys."""
    numbers = any(not isinstance(column.of, int) for column in compiled.output.columns)
    if compiled.ranks or compiled.modes or compiled.named or not numbers:
        raise UnsupportedQuery(
            "within='5%' combines releases: for COUNT, SUM, AVG and what is made of them, by declared keys"
        )


def in_rounds(
    ask: Callable[[int, Fraction], Release], most: Fraction, share: Fraction, confidence: Fraction
) -> Release:
    """Release until every number shown is within `share` of what it should be, or `most` is spent.

    Each round is charged and then released; whether there is another is decided by what was released, so the ledger's
    filter, which lets prices be chosen as one goes, covers it  [RRUV16]. The answer is the mean of all rounds, weighted
    by 1/variance. A round's statement fails with probability (1 − confidence)/k, k the number of rounds there may be:
    so it holds in whichever of them the asking stops, by a union bound. If the budget ends first, what was released
    stays the answer. The guarantee of the release is the sum of what was spent: an ex-post loss, since the stop hangs
    on what was released. The asking as a whole is `most`-differentially private, and the answer says so.
    """
    releases: list[Release] = []
    spent: list[Fraction] = []
    stopped = "max_epsilon"
    for number, price in enumerate(prices(most)):
        try:
            releases.append(ask(number, price))
        except BudgetExceeded:
            if not releases:
                raise
            stopped = "budget"
            break
        spent.append(price)
        if is_close(combined([release.outcome for release in releases], spent), share, confidence):
            stopped = "within"
            break
    outcome = combined([release.outcome for release in releases], spent)
    paid_for = [f"{Decimal(price.numerator) / price.denominator:f}" for price in spent]  # units of the ledger: exact
    notes = {NOTE: {"epsilons": paid_for, "stopped": stopped, "at_most": ROUNDS, "max_epsilon": f"{float(most):g}"}}
    last = releases[-1].receipt
    paid = PureDP(sum(spent, Fraction(0)), last.guarantee.relation)
    return released(replace(outcome, notes=outcome.notes | notes), replace(last, guarantee=paid))


def is_close(outcome: Outcome, share: Fraction, confidence: Fraction) -> bool:
    """Whether each number shown lies within `share` of its true size, if its interval holds.

    With |x − t| ≤ r and r ≤ share · (|x| − r), r is at most share · |t|.
    """
    measured = []
    for item in outcome.numbers:
        radii = outcome.errors(item, confidence)
        measured += list(zip(outcome.column(item), radii, strict=True))
    return bool(measured) and all(
        radius is not None and isinstance(value, int | float) and radius * (1 + share) <= share * abs(value)
        for value, radius in measured
    )


def combined(outcomes: Sequence[Outcome], epsilons: Sequence[Fraction]) -> Outcome:
    """The mean of several releases of one question, weighted by ε², which is 1/variance up to a constant.

    All columns of all rounds stay in it, so its intervals are those of the sum of their noises.
    """
    first = outcomes[0]
    total = sum((epsilon**2 for epsilon in epsilons), Fraction(0))
    weights = [epsilon**2 / total for epsilon in epsilons]

    def mean(name: str) -> Formula:
        made: Formula = Times(Number(weights[0]), Cell(named(name, 0)))
        for number, weight in enumerate(weights[1:], 1):
            made = Plus(made, Times(Number(weight), Cell(named(name, number))))
        return made

    columns = tuple(
        replace(column, name=named(column.name, number))
        for number, outcome in enumerate(outcomes)
        for column in outcome.columns
        if isinstance(column, Measured)
    )
    arranged = first.arrangement
    order = tuple(replace(term, by=_item(term.by, mean)) for term in arranged.order)
    having = None if arranged.having is None else _made(arranged.having, mean)
    arrangement = replace(arranged, having=having, order=order)
    layout = tuple(_item(item, mean) for item in first.shown)
    return Outcome(columns, first.keys, layout, arrangement, first.notes, ROUNDS)


def named(part: str, number: int) -> str:
    """What a round calls a part."""
    return f"{part} {number + 1}"


def part_of(name: str) -> str:
    """The part that a round calls so; a part's own name has no spaces."""
    return name.split(" ")[0]


def _item(item: Shown | ShownKey, mean: Callable[[str], Formula]) -> Any:
    return replace(item, formula=_made(item.formula, mean)) if isinstance(item, Shown) else item


def _made(part: Any, mean: Callable[[str], Formula]) -> Any:
    """A formula with every column replaced by its mean over the rounds."""
    if isinstance(part, Cell):
        return mean(part.name)
    if isinstance(part, Formula):
        inner = {field.name: _made(getattr(part, field.name), mean) for field in fields(part)}  # type: ignore[arg-type]
        return type(part)(**inner)
    return tuple(_made(one, mean) for one in part) if isinstance(part, tuple) else part
