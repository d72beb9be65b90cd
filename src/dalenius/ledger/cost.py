"""What an entry costs in each branch of a filter, in whole numbers of fixed units."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dalenius.guarantees import Guarantee


@dataclass(frozen=True, slots=True)
class Meter:
    """One number that only grows: its symbol, and how many decimals its unit has."""

    symbol: str
    decimals: int

    def up(self, value: Fraction) -> int:
        """Units of a cost: rounded up."""
        return math.ceil(value * int(10**self.decimals))

    def down(self, value: Fraction) -> int:
        """Units of a cap: rounded down."""
        return math.floor(value * int(10**self.decimals))

    def value(self, units: int) -> Fraction:
        """What so many units stand for."""
        return Fraction(units, 10**self.decimals)

    def shown(self, units: int) -> str:
        """As a person reads it: exact, or six digits where that would be long."""
        whole, part = divmod(units, 10**self.decimals)
        exact = f"{whole}.{part:0{self.decimals}d}".rstrip("0").rstrip(".")
        return f"{self.symbol} = {exact if self.decimals <= 12 else f'{float(self.value(units)):.6g}'}"


Price = Callable[[Guarantee, Fraction | None], tuple[Fraction, ...] | None]


@dataclass(frozen=True, slots=True)
class CostKind:
    """A way of adding guarantees up: its meters, and what a guarantee moves them by (None: it has no such form)."""

    name: str
    meters: tuple[Meter, ...]
    price: Price
    lacking: str


def _divergence(guarantee: Guarantee, order: Fraction | None) -> tuple[Fraction] | None:
    divergence = math.inf if order is None else guarantee.renyi(order)
    return None if math.isinf(divergence) else (Fraction(divergence),)


_LARGEST_PURE = 500
"""Beyond this ε the least μ takes long to compute, and no sensible budget has room for it."""


def _square(guarantee: Guarantee, order: Fraction | None) -> tuple[Fraction] | None:
    if guarantee.sum_form is not None and guarantee.sum_form[0] > _LARGEST_PURE:
        return None
    return None if guarantee.gaussian_form is None else (guarantee.gaussian_form,)


_DELTA = Meter("δ", 30)
SUM = CostKind("sum", (Meter("ε", 12), _DELTA), lambda guarantee, _: guarantee.sum_form, "an (ε, δ) to add up")
CONCENTRATED = CostKind(
    "concentrated", (Meter("ρ", 12), _DELTA), lambda guarantee, _: guarantee.concentrated_form, "a ρ"
)
RENYI = CostKind("renyi", (Meter("D", 12),), _divergence, "a finite divergence of the filter's order")
GAUSSIAN = CostKind("gaussian", (Meter("μ²", 12),), _square, "a μ")
KINDS: Mapping[str, CostKind] = {kind.name: kind for kind in (SUM, CONCENTRATED, RENYI, GAUSSIAN)}

Units = tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class Cost:
    """Units for each kind of branch, or None where there is no such form: then that branch is shut for ever."""

    parts: tuple[tuple[str, Units], ...]

    @classmethod
    def zero(cls, kinds: Iterable[str]) -> "Cost":
        """Nothing."""
        return cls(tuple((kind, (0,) * len(KINDS[kind].meters)) for kind in kinds))

    def units(self, kind: str) -> Units:
        """The units of one kind."""
        return dict(self.parts)[kind]

    @property
    def epsilon(self) -> Fraction | None:
        """ε under plain sums, if it has one."""
        return self._value("sum", 0)

    @property
    def delta(self) -> Fraction | None:
        """δ under plain sums, if it has one."""
        return self._value("sum", 1)

    @property
    def rho(self) -> Fraction | None:
        """ρ of approximate zCDP, if it has one."""
        return self._value("concentrated", 0)

    def times(self, factor: int) -> "Cost":
        """So many times as much."""
        return Cost(tuple((kind, units and tuple(factor * each for each in units)) for kind, units in self.parts))

    def __add__(self, other: "Cost") -> "Cost":
        return self._with(other, lambda a, b: a + b)

    def most(self, other: "Cost") -> "Cost":
        """The larger of the two, meter by meter."""
        return self._with(other, max)

    def to_dict(self) -> dict[str, list[str] | None]:
        """As JSON holds it: decimal texts, for δ's units exceed 64 bits."""
        return {kind: None if units is None else [str(each) for each in units] for kind, units in self.parts}

    @classmethod
    def from_dict(cls, parts: Mapping[str, Any], kinds: Iterable[str]) -> "Cost":
        """The value that an entry or a total keeps, for the branches of a filter."""
        kept = {kind: parts.get(kind) for kind in kinds}
        return cls(tuple((kind, None if units is None else tuple(map(int, units))) for kind, units in kept.items()))

    def __str__(self) -> str:
        known = [(KINDS[kind], units) for kind, units in self.parts if units is not None]
        return ", or ".join(shown_units(kind, units) for kind, units in known[:1]) or "nothing that can be added up"

    def _with(self, other: "Cost", join: Callable[[int, int], int]) -> "Cost":
        theirs = dict(other.parts)
        return Cost(tuple((kind, _joined(units, theirs[kind], join)) for kind, units in self.parts))

    def _value(self, kind: str, place: int) -> Fraction | None:
        units = dict(self.parts).get(kind)
        return None if units is None else KINDS[kind].meters[place].value(units[place])


def shown_units(kind: CostKind, units: tuple[int, ...]) -> str:
    """All meters of a kind; a δ of 0 goes without saying."""
    pairs = list(zip(kind.meters, units, strict=True))
    return ", ".join(meter.shown(each) for meter, each in pairs if each or meter is pairs[0][0])


def _joined(mine: Units, theirs: Units, join: Callable[[int, int], int]) -> Units:
    if mine is None or theirs is None:
        return None
    return tuple(join(a, b) for a, b in zip(mine, theirs, strict=True))
