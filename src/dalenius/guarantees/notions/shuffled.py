"""Amplification by shuffling: local reports whose senders nobody can tell."""

import math
from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from flint import arb

from dalenius.errors import InvalidParameter
from dalenius.guarantees.curves.blanket import blanket_profile
from dalenius.guarantees.curves.clones import clone_profile, response_profile
from dalenius.guarantees.curves.inversion import Profile, invert_profile, width
from dalenius.guarantees.guarantee import ConcentratedForm, Guarantee, Part, count
from dalenius.guarantees.notions.approx import ApproxDP
from dalenius.guarantees.notions.pure import PureDP
from dalenius.neighbors import Relation
from dalenius.numerics import Number, ball, nonnegative, precision, probability, upper


@dataclass(frozen=True, slots=True)
class ShuffledReports(Guarantee):
    """n reports, each ε₀-DP by itself, in an order that says nothing; change-one neighbors, as n is public.

    A kind states two profiles, one that is proved and one that is attained. A ledger charges `sum_form`: (ε(δ), δ) at
    the `slack` given, or (ε₀, 0) if none is.
    """

    local: Fraction
    reports: int
    slack: Fraction

    proof: ClassVar[str] = "amplification by shuffling"

    @abstractmethod
    def proved(self, epsilon: float) -> tuple[float, float]:
        """Bounds on the profile that the proof gives: the upper end is a δ that holds."""

    @abstractmethod
    def attained(self, epsilon: float) -> float:
        """A δ that some collection of this kind has."""

    @property
    def relation(self) -> Relation:
        """CHANGE_ONE."""
        return Relation.CHANGE_ONE

    def delta_interval(self, epsilon: float) -> tuple[float, float]:
        """From what is attained to what is proved, which one report alone bounds too."""
        at = nonnegative(epsilon, "epsilon")
        if at >= self.local:
            return 0.0, 0.0
        high = min(PureDP(self.local).delta(epsilon), self.proved(epsilon)[1])
        return min(high, self.attained(epsilon)), high

    def epsilon_interval(self, delta: float, rtol: float = 1e-6) -> tuple[float, float]:
        """The ε at which each of the two profiles meets δ; at δ = 0 that is ε₀ for both."""
        level = probability(delta, "delta")
        if level == 0 or self.local == 0:
            return PureDP(self.local).epsilon_interval(delta)
        width(rtol)

        def attained(epsilon: float) -> tuple[float, float]:
            return (self.attained(epsilon),) * 2

        ceiling, start = PureDP(self.local).epsilon(delta), self._start(float(level))
        guess = _crossing(self.proved, float(level), start, ceiling)
        high = min(ceiling, _certified(self.proved, level, rtol, guess)[1])
        low = _certified(attained, level, rtol, _crossing(attained, float(level), high, ceiling))[0]
        return min(low, high), high

    def repeat(self, times: int) -> Guarantee:
        """So many collections: the optimal composition of what each is charged as  [KOV15, Thm 3.3]."""
        return self.charged.repeat(count(times, "times"))

    def group(self, size: int) -> Guarantee:
        """Several people together, from what one is charged as  [A Prop 3.2]."""
        return self if size == 1 else self.charged.group(size)

    @property
    def charged(self) -> ApproxDP | PureDP:
        """(ε(δ), δ) at the δ of the constructor, or ε₀."""
        if self.slack == 0:
            return PureDP(self.local, Relation.CHANGE_ONE)
        return ApproxDP(Fraction(self.epsilon(float(self.slack))), self.slack, Relation.CHANGE_ONE)

    def renyi(self, order: Number) -> float:
        """At most that of one report, of which the collection is a processing  [A Thm 12.1]."""
        return PureDP(self.local).renyi(order)

    @property
    def parts(self) -> tuple[Part, ...]:
        """What it is charged as, once."""
        return self.charged.parts

    @property
    def sum_form(self) -> tuple[Fraction, Fraction]:
        """(ε(δ), δ)."""
        return self.charged.sum_form

    @property
    def concentrated_form(self) -> ConcentratedForm:
        """That of what it is charged as."""
        return self.charged.concentrated_form

    def _start(self, delta: float) -> float:
        """Near ε(δ): the pair is close to two normal laws μ = 2 tanh(ε₀/2)/√(n s) apart."""
        clones = max(1.0, self.reports * 2 / (1 + math.exp(min(float(self.local), 700.0))))
        mu = 2 * math.tanh(float(self.local) / 2) / math.sqrt(clones)
        return mu * math.sqrt(2 * math.log(1 / delta)) + mu * mu / 2 if delta < 1 else mu


@dataclass(frozen=True, slots=True, init=False)
class Shuffled(ShuffledReports):
    """Reports by any ε₀-DP randomizer: the stronger clone pair  [FMT23, Thm 3.2; WPW24].

    The lower ends of intervals are those of shuffled randomized response: no bound for every randomizer can be below.

    >>> collection = Shuffled(1, 10_000, delta=1e-6)
    >>> round(collection.epsilon(1e-6), 6)
    0.043206
    """

    def __init__(self, epsilon: Number, reports: int, delta: Number = 0) -> None:
        """Name the collection.

        Parameters
        ----------
        epsilon : ε₀ of each report.
        reports : how many people report, once each; public.
        delta : the δ at which a ledger charges the collection; without one it charges ε₀.
        """
        _settle(self, epsilon, reports, delta)

    def proved(self, epsilon: float) -> tuple[float, float]:
        """Bounds on the δ of the stronger clone pair, with rate 2/(e^ε₀ + 1)  [FMT23, Thm 3.2]."""
        with precision(128):
            rate = 2 / (1 + ball(self.local).exp())
        return self._pair(rate, epsilon)

    def clones(self, epsilon: float) -> tuple[float, float]:
        """Bounds on the δ of the plain clone pair, with rate e^−ε₀: a weaker proof  [FMT21, Thm 3.1]."""
        with precision(128):
            rate = (-ball(self.local)).exp()
        return self._pair(rate, epsilon)

    def attained(self, epsilon: float) -> float:
        """The δ of shuffled randomized response, rounded down."""
        return response_profile(self.reports - 1, self.local, nonnegative(epsilon, "epsilon"))

    def closed_form(self, delta: float) -> float:
        """The ε of a formula, rounded up; infinity where it does not hold, for ε₀ > log(n/(16 log(4/δ))).

        log(1 + (e^ε₀ − 1)/(e^ε₀ + 1) · (8 √(e^ε₀ log(4/δ)/n) + 8 e^ε₀/n))  [FMT21, Thm 3.1].
        """
        level = probability(delta, "delta")
        if level == 0:
            return math.inf
        with precision(128):
            grown, logarithm, n = ball(self.local).exp(), (4 / ball(level)).log(), ball(self.reports)
            if not grown <= n / (16 * logarithm):
                return math.inf
            inner = 8 * (grown * logarithm / n).sqrt() + 8 * grown / n
            return upper(((grown - 1) / (grown + 1) * inner).log1p())

    def _pair(self, rate: arb, epsilon: float) -> tuple[float, float]:
        return clone_profile(self.reports - 1, rate, self.local, nonnegative(epsilon, "epsilon"))


@dataclass(frozen=True, slots=True, init=False)
class ShuffledResponse(ShuffledReports):
    """Reports by k-ary randomized response: the blanket of that randomizer, better than clones for k > 2  [BBGN19].

    >>> round(ShuffledResponse(1, 4, 1000).epsilon(1e-6), 6)
    0.117824
    """

    values: int

    def __init__(self, epsilon: Number, values: int, reports: int, delta: Number = 0) -> None:
        """Name the collection.

        Parameters
        ----------
        epsilon : ε₀ of each report.
        values : how many values the response has.
        reports : how many people report, once each; public.
        delta : the δ at which a ledger charges the collection; without one it charges ε₀.
        """
        if isinstance(values, bool) or not isinstance(values, int) or values < 2:
            raise InvalidParameter(f"values must be a whole number ≥ 2, got {values!r}")
        object.__setattr__(self, "values", values)
        _settle(self, epsilon, reports, delta)

    def proved(self, epsilon: float) -> tuple[float, float]:
        """Bounds on the δ of the blanket  [BBGN19, Lem 5.3]."""
        return blanket_profile(self.reports, self.values, self.local, nonnegative(epsilon, "epsilon"))

    def attained(self, epsilon: float) -> float:
        """The δ of telling two values apart by how many reports are the first, rounded down."""
        return response_profile(self.reports - 1, self.local, nonnegative(epsilon, "epsilon"), self.values)


def _settle(kind: ShuffledReports, epsilon: Number, reports: int, delta: Number) -> None:
    if isinstance(reports, bool) or not isinstance(reports, int) or reports < 1:
        raise InvalidParameter(f"reports must be a whole number ≥ 1, got {reports!r}")
    object.__setattr__(kind, "local", nonnegative(epsilon, "epsilon"))
    object.__setattr__(kind, "reports", reports)
    object.__setattr__(kind, "slack", probability(delta, "delta"))


def _certified(profile: Profile, delta: Fraction, rtol: float, guess: float | None) -> tuple[float, float]:
    """ε(δ) of a profile between two ends, each proved by one evaluation if the guess is good, else by a search."""
    if guess is not None:
        low, high = guess * (1 - rtol / 3), guess * (1 + rtol / 3)
        if profile(high)[1] <= delta < profile(low)[0]:
            return low, high
    return invert_profile(profile, delta, rtol, guess)


def _crossing(profile: Profile, delta: float, start: float, ceiling: float) -> float | None:
    """Where a profile meets δ, by false position on log δ against ε: a start for the search, no proof."""
    if delta >= 0.5:
        return None
    high = min(start, ceiling)
    while (above := _gap(profile, high, delta)) > 0:
        if high >= ceiling:
            return None
        high = min(1.5 * high, ceiling)
    low = high
    while (below := _gap(profile, low, delta)) < 0:
        low, high, above = 0.7 * low, low, below
        if low < 1e-12 * start:
            return None
    for step in range(40):
        at = high - above * (high - low) / (above - below) if step % 3 < 2 else (low + high) / 2
        here = _gap(profile, at, delta)
        if abs(here) < 1e-6 or high - low < 1e-9 * high:
            return at
        low, below, high, above = (at, here, high, above) if here > 0 else (low, below, at, here)
    return (low + high) / 2


def _gap(profile: Profile, epsilon: float, delta: float) -> float:
    return math.log(max(profile(epsilon)[1], 1e-300)) - math.log(delta)
