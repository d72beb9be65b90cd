"""The standing of a budget: public facts, for people and programs."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dalenius.guarantees import PureDP
from dalenius.ledger.amount import EPSILON_UNIT, Amount, decimal
from dalenius.ledger.cost import Cost
from dalenius.ledger.filters import Branches, admitted, shown_left


@dataclass(frozen=True, slots=True)
class StandingReading:
    """One meter of a branch: its cap, what is spent, and what is left of it."""

    symbol: str
    cap: Fraction
    spent: Fraction

    @property
    def left(self) -> Fraction:
        """What is left, at least 0."""
        return max(Fraction(0), self.cap - self.spent)

    @property
    def used(self) -> Fraction:
        """The part that is spent, from 0 to 1."""
        return min(Fraction(1), self.spent / self.cap) if self.cap else Fraction(bool(self.spent))


@dataclass(frozen=True, slots=True)
class BranchStanding:
    """One branch of the filter; a branch that is not open never opens again."""

    name: str
    open: bool
    readings: tuple[StandingReading, ...]

    @property
    def used(self) -> Fraction:
        """The part of it that is spent: that of its fullest meter; all of it once it is shut."""
        return max(reading.used for reading in self.readings) if self.open else Fraction(1)


@dataclass(frozen=True, slots=True)
class Standing:
    """A budget: of a data set, of one of its blocks, or of an analyst."""

    granted: Amount
    filter: str
    branches: tuple[BranchStanding, ...]
    left: str
    """What the open branches have left, in words."""

    @property
    def used(self) -> Fraction:
        """The part that is spent, in the branch that has most left."""
        return min(branch.used for branch in self.branches)

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it; numbers are exact decimals."""
        return {
            "granted": self.granted.to_dict(),
            "filter": self.filter,
            "branches": [
                {"name": branch.name, "open": branch.open, "meters": [_meter(each) for each in branch.readings]}
                for branch in self.branches
            ],
            "left": self.left,
        }


def standing(
    granted: Amount, filter_: str, branches: Branches, totals: Iterable[Cost], closed: bool = False
) -> Standing:
    """The standing of the worst of some totals, meter by meter; of a budget that is closed nothing is left."""
    total = worst_of(totals)
    standings = []
    for branch in branches:
        units = total.units(branch.kind.name)
        readings = tuple(
            StandingReading(meter.symbol, meter.value(cap), meter.value(each))
            for meter, cap, each in zip(branch.kind.meters, branch.caps, units or branch.caps, strict=True)
        )
        standings.append(BranchStanding(branch.kind.name, not closed and branch.within(total), readings))
    return Standing(granted, filter_, tuple(standings), "nothing" if closed else shown_left(branches, total))


def plain_left(branches: Branches, totals: Iterable[Cost]) -> Amount:
    """The ε and δ that plain sums leave; where none are kept any more, the largest purely private answer that fits."""
    cases = list(totals)
    first = branches[0]
    if first.kind.name == "sum":
        left = first.left(worst_of(cases))
        if left is not None:
            return Amount(*left)

    def fits(units: int) -> bool:
        answer = PureDP(units * EPSILON_UNIT)
        cost = Cost(tuple((branch.kind.name, branch.cost(answer)) for branch in branches))
        return all(admitted(branches, total + cost) for total in cases)

    return Amount(_largest(fits), 0)


def worst_of(totals: Iterable[Cost]) -> Cost:
    """The largest of each meter."""
    first, *others = totals
    for other in others:
        first = first.most(other)
    return first


def _largest(fits: Callable[[int], bool]) -> int:
    low, high = 0, 10**12
    while fits(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def _meter(reading: StandingReading) -> dict[str, str]:
    figures = {"cap": reading.cap, "spent": reading.spent, "left": reading.left}
    return {"symbol": reading.symbol} | {word: decimal(value) for word, value in figures.items()}
