"""The continuous part of a pair: a log-quadratic density and a loss that is log of a mixture."""

import math
from dataclasses import dataclass, replace

import numpy as np
from flint import arb
from scipy.special import log_ndtr

from dalenius.errors import UnprovenClaim
from dalenius.guarantees.loss.rounding import FUNCTION, UNIT, Vector
from dalenius.numerics import ball, precision

_OVERFLOW = 600.0
_FAR = 1e9
_HALF_LOG_2PI = 0.5 * math.log(2 * math.pi)


@dataclass(frozen=True, slots=True)
class Piece:
    """Outcomes y in (lo, hi) where one law has density n(y) and the other n(y)·w(y), with w = 1 − q + q·E.

    log n(y) = c0 + c1·y − c2·y²/2 and log E(y) = slope·y − offset, slope > 0, so w increases. With `mixed_first` the
    first law P is the mixture n·w and the loss is L = log w; else P has density n and L = −log w. This holds Gaussian
    (c2 = 1) and Laplace noise (c2 = 0, the part between the two centres) and is closed under Poisson sampling, which
    only lowers q  [A Rem 11.6, A Thm 14.3].
    """

    c0: float
    c1: float
    c2: float
    slope: float
    offset: float
    lo: float
    hi: float
    rate: float = 1.0
    rest: float = 0.0
    mixed_first: bool = True

    def loss(self, y: Vector) -> Vector:
        """The privacy loss at y."""
        log_w = self._log_w(self.slope * y - self.offset)
        return log_w if self.mixed_first else -log_w

    def log_n(self, y: Vector) -> Vector:
        """The logarithm of n(y)."""
        return self.c0 + (self.c1 - 0.5 * self.c2 * y) * y

    def slope_at(self, y: Vector) -> Vector:
        """|dL/dy| = slope·qE/w, which increases in y."""
        argument = self.slope * y - self.offset
        if self.rate == 1.0:
            return np.full_like(argument, self.slope)
        with np.errstate(over="ignore"):
            return self.slope * self.rate / (self.rate + self.rest * np.exp(-argument))

    def at(self, losses: Vector) -> Vector:
        """The y at which the loss takes these values, clipped to [lo, hi]; an approximation is enough."""
        log_w = losses if self.mixed_first else -losses
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            if self.rate == 1.0:
                argument = log_w
            else:
                grown = np.expm1(np.minimum(log_w, _OVERFLOW)) / self.rate
                argument = np.where(grown > -1.0, np.log1p(np.maximum(grown, -1.0)), -np.inf)
                argument = np.where(log_w < _OVERFLOW, argument, log_w - math.log(self.rate))
        y: Vector = np.clip((argument + self.offset) / self.slope, self.lo, self.hi)
        return y

    def mass(self) -> float:
        """P's mass of the piece, from closed forms at high precision."""
        with precision(160):
            plain = self._integral(ball(self.c0), ball(self.c1))
            if not self.mixed_first:
                return float(plain.mid())
            tilted = self._integral(ball(self.c0) - ball(self.offset), ball(self.c1) + ball(self.slope))
            return float((ball(self.rest) * plain + ball(self.rate) * tilted).mid())

    def _integral(self, c0: arb, c1: arb) -> arb:
        """∫ exp(c0 + c1·y − c2·y²/2) over (lo, hi)."""
        if self.c2:
            left, right = (((end - c1) / arb(2).sqrt()).erfc() for end in (max(self.lo, -_FAR), min(self.hi, _FAR)))
            return (c0 + c1 * c1 / 2).exp() * (arb.pi() / 2).sqrt() * (left - right)
        return c0.exp() * ((c1 * self.hi).exp() - (c1 * self.lo).exp()) / c1

    def log_tail(self, y: float) -> float:
        """About log of P's mass above y, for a Gaussian piece with the mixture first."""
        plain = self.c0 + 0.5 * self.c1**2 + _HALF_LOG_2PI + _log_tail(y - self.c1)
        mean = self.c1 + self.slope
        shifted = self.c0 - self.offset + 0.5 * mean**2 + _HALF_LOG_2PI + _log_tail(y - mean)
        with np.errstate(divide="ignore"):
            return float(np.logaddexp(np.log(self.rest) + plain, math.log(self.rate) + shifted))

    def quantile(self, mass: float) -> float:
        """About where P has `mass` left above, for a Gaussian piece with the mixture first."""
        low, high, goal = self.c1, self.c1 + self.slope + 40.0, math.log(mass) if mass > 0 else -math.inf
        for _ in range(60):
            y = 0.5 * (low + high)
            low, high = (y, high) if self.log_tail(y) > goal else (low, y)
        return high

    @property
    def power(self) -> int:
        """P's density is n·e^(power·L)."""
        return 1 if self.mixed_first else 0

    def loss_error(self, y: Vector, losses: Vector) -> Vector:
        """Bound on |computed L − true L| at the float y, the rounding of the parameters (each within 4u) included.

        The argument of E is off by at most e = 8u(|slope·y| + |offset|), which moves L by at most e·qE/w ≤ e. For q ≤
        ½ the number v = q·expm1(·) is off by 16u|v| and w = 1 + v ≥ ½; else w is a sum of two positive terms, off by
        a relative 16u.
        """
        off = 8 * UNIT * (np.abs(self.slope * y) + abs(self.offset)) * (self.slope_at(y) / self.slope)
        if self.rate == 1.0:
            return off
        if self.rate <= 0.5:
            # |v|/w = |1 − e^(−log w)|
            log_w = losses if self.mixed_first else -losses
            return off + 17 * UNIT * np.abs(np.expm1(-log_w)) + FUNCTION * np.abs(losses) + self._large_error(y)
        return off + 17 * UNIT + FUNCTION * np.abs(losses) + self._large_error(y)

    def log_n_error(self, y: Vector) -> Vector:
        """Bound on |computed log n − true log n|."""
        return 8 * UNIT * (abs(self.c0) + np.abs(self.c1 * y) + self.c2 * y * y)

    def swapped(self) -> "Piece":
        """The two laws exchanged; a plain ratio (q = 1) is written again with the mixture first."""
        if self.rate < 1.0:
            return replace(self, mixed_first=not self.mixed_first)
        # n' = nE and 1/E, reflected in y so that the slope stays positive; y itself is only a name of the outcome
        c0, c1 = self.c0 - self.offset, -(self.c1 + self.slope)
        return replace(self, c0=c0, c1=c1, offset=-self.offset, lo=-self.hi, hi=-self.lo)

    def sampled(self, rate: float, rest: float) -> "Piece":
        """(P, Q) to ((1 − r)Q + rP, Q): rates multiply, since a mixture of mixtures is one."""
        if not self.mixed_first:
            raise UnprovenClaim("this pair has its mixture second: swap it before sampling")
        return replace(self, rate=self.rate * rate, rest=self.rest + self.rate * rest)

    def _log_w(self, argument: Vector) -> Vector:
        q = self.rate
        if q == 1.0:
            return argument
        if argument.size and float(argument.max()) > _OVERFLOW:
            capped = self._log_w(np.minimum(argument, _OVERFLOW))
            with np.errstate(under="ignore"):
                large = argument + math.log(q) + np.log1p(self.rest / q * np.exp(-np.maximum(argument, 1.0)))
            return np.where(argument > _OVERFLOW, large, capped)
        if q <= 0.5:
            return np.log1p(q * np.expm1(argument))
        return np.log(self.rest + q * np.exp(argument))

    def _large_error(self, y: Vector) -> Vector:
        argument = self.slope * y - self.offset
        return np.where(argument > _OVERFLOW, 16 * UNIT * (argument - math.log(self.rate)), 0.0)


def _log_tail(x: float) -> float:
    return float(log_ndtr(-x))
