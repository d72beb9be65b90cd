"""The mean of a number, without trusting the collector."""

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter, UnknownName
from dalenius.guarantees import PureDP
from dalenius.local.mean_estimate import MeanEstimate
from dalenius.local.means import MEANS, MeanOracle
from dalenius.local.oracles import Integers, Payloads
from dalenius.local.parameters import floats
from dalenius.local.protocol import Protocol
from dalenius.local.wire import Format, tag_of
from dalenius.neighbors import Relation
from dalenius.noise import Bits
from dalenius.numerics import Number, positive, rational


@dataclass(frozen=True, slots=True, init=False)
class Mean(Protocol[MeanEstimate]):
    """A protocol: clients randomize one number in [lower, upper] each, an aggregator estimates the mean.

    >>> protocol = Mean(0, 100, epsilon=1)
    >>> protocol.oracle.name, len(protocol.client().randomize(37.5))
    ('hybrid', 13)
    """

    lower: Fraction
    upper: Fraction
    oracle: MeanOracle
    clamp: bool
    format: Format = field(repr=False, compare=False)

    def __init__(
        self, lower: Number, upper: Number, epsilon: Number, oracle: str | None = None, *, clamp: bool = False
    ) -> None:
        """Choose bounds and ε.

        Parameters
        ----------
        lower, upper : declared bounds of the number.
        epsilon : what one report costs the person who sends it.
        oracle : "hybrid", "duchi", "piecewise" or "laplace"; the one with the least worst-case variance if left out.
        clamp : bring a number outside of the bounds to the nearer bound, instead of refusing it.
        """
        object.__setattr__(self, "lower", rational(lower, "lower"))
        object.__setattr__(self, "upper", rational(upper, "upper"))
        if not self.lower < self.upper:
            raise InvalidParameter(f"lower must be below upper, got {lower} and {upper}")
        object.__setattr__(self, "oracle", _oracle(positive(epsilon, "epsilon"), oracle))
        object.__setattr__(self, "clamp", clamp)
        object.__setattr__(self, "format", Format(tag_of(self.facts()), self.oracle.width))

    @classmethod
    def with_moment(cls, order: int, epsilon: Number, reports: int, size: Number = 1) -> "Mean":
        """For numbers without bounds but with E|X|^k ≤ size^k: cut at size·(nε²)^(1/2k)  [DJW18, §3.2; A Thm 4.1].

        Cutting moves the mean by at most size·(nε²)^(−(k−1)/2k), and noise adds a variance of the same order squared:
        (nε²)^(−(k−1)/k), which is the minimax rate.

        Parameters
        ----------
        order : k, at least 2.
        epsilon : what one report costs.
        reports : how many people will report.
        size : the k-th root of the moment's bound.
        """
        if isinstance(order, bool) or not isinstance(order, int) or order < 2:
            raise InvalidParameter(f"order must be a whole number ≥ 2, got {order!r}")
        cut = truncation(order, float(positive(epsilon, "epsilon")), reports) * float(positive(size, "size"))
        return cls(-cut, cut, epsilon, clamp=True)

    @property
    def cells(self) -> int:
        """Those of the oracle."""
        return self.oracle.cells

    def guarantee(self, reports: int = 1) -> PureDP:
        """ε for each report of a person, whoever collects  [A Def 4.1, A Ex 4.2, A Rem 4.4]."""
        return PureDP(self.oracle.epsilon * reports, Relation.CHANGE_ONE)

    def encode(self, value: Any) -> int:
        """The nearest step of the grid."""
        return int(self._steps(floats([value]).reshape(-1))[0])

    def randomize(self, encoded: int, bits: Bits) -> bytes:
        """The oracle's report of one step."""
        return self.oracle.randomize(encoded, bits)

    def randomize_many(self, values: Any, bits: Bits) -> Payloads:
        """The oracle's reports of many numbers."""
        return self.oracle.randomize_many(self._steps(floats(values).reshape(-1)), bits)

    def valid(self, payloads: Payloads) -> NDArray[np.bool_]:
        """Which payloads the oracle could have made."""
        return self.oracle.valid(payloads)

    def tally(self, payloads: Payloads) -> Integers:
        return self.oracle.tally(payloads)

    def read(self, tally: Integers, reports: int, rejected: int, **options: Any) -> MeanEstimate:
        """The mean of the decoded reports, and the spread among them over √n."""
        if options:
            raise InvalidParameter(f"the estimate of a mean takes no options, got {', '.join(options)}")
        half, middle = float(self.upper - self.lower) / 2, float(self.upper + self.lower) / 2
        first, second = self.oracle.moments(tally)
        spread = max(0.0, second / reports - (first / reports) ** 2)
        return MeanEstimate(
            middle + half * (first / reports + self.oracle.offset),
            half * math.sqrt(spread / reports),
            reports,
            rejected,
            (float(self.lower), float(self.upper)),
            half * self.oracle.reach,
            half / self.oracle.grid,
        )

    def report_variance(self, epsilon: Fraction) -> float:
        """That of the worst number, by the best randomizer."""
        half = float(self.upper - self.lower) / 2
        return half**2 * _oracle(epsilon, None).worst_variance

    def facts(self) -> dict[str, Any]:
        """Bounds and the oracle's facts."""
        bounds = {"protocol": "mean", "lower": str(self.lower), "upper": str(self.upper)}
        return bounds | self.oracle.facts()

    def _steps(self, values: NDArray[np.float64]) -> Integers:
        low, high = float(self.lower), float(self.upper)
        inside = np.clip(values, low, high) if self.clamp else values
        if not np.all((inside >= low) & (inside <= high)):
            raise UnknownName("a number is outside of the protocol's bounds, or none: clamp it first")
        grid = self.oracle.grid
        return np.clip(np.rint((inside - low) / (high - low) * grid), 0, grid).astype(np.int64)


def truncation(order: int, epsilon: float, reports: int) -> float:
    """(nε²)^(1/2k), at least 1: where cutting off and noise cost the same  [DJW18, §3.2]."""
    if isinstance(reports, bool) or not isinstance(reports, int) or reports < 1:
        raise InvalidParameter(f"reports must be a whole number ≥ 1, got {reports!r}")
    return max(1.0, math.pow(reports * min(epsilon, 1.0) ** 2, 1 / (2 * order)))


def _oracle(epsilon: Fraction, name: str | None) -> MeanOracle:
    if name is None:
        return min((kind(epsilon) for kind in MEANS), key=lambda oracle: oracle.worst_variance)
    for kind in MEANS:
        if kind.name == name:
            return kind(epsilon)
    raise UnknownName(f"no randomizer of numbers is called {name!r}; there are {', '.join(k.name for k in MEANS)}")
