"""Losses that state what objective perturbation needs of them.

l = g(x·w, y) for rows x of the unit ball. Each states a bound on ‖∇g‖₁ and on the trace of the second derivative of g
in the predictors, the rank of it, and that it is convex. A second derivative may jump: ∇g is Lipschitz, so it exists
almost everywhere, which is all that the change of variables needs (`objective`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np
from flint import arb
from numpy.typing import NDArray

from dalenius.learning.data.rows import Matrix
from dalenius.numerics import ball, exact


@runtime_checkable
class StatedLoss(Protocol):
    """A convex loss of linear predictors, with its bounds. Rows whose target is NaN say nothing."""

    name: ClassVar[str]

    @property
    def outputs(self) -> int:
        """How many linear predictors a row has."""

    @property
    def gradient(self) -> Fraction:
        """At least ‖∇g‖₁, the sum over the predictors; Δ of the notes for one row."""

    @property
    def trace(self) -> Fraction:
        """At least the trace of ∇²g; for one predictor λ of the notes."""

    @property
    def rank(self) -> int:
        """At least the rank of ∇²g."""

    @property
    def convex(self) -> bool:
        """Whether g is convex in the predictors."""

    @property
    def steady(self) -> bool:
        """Whether a relative error of 2⁻⁵² in a margin moves a slope by no more than 2⁻⁴⁸: ‖∇²g‖·|m| is small."""

    @property
    def relative(self) -> bool:
        """Whether adding one number to all predictors of a row changes nothing."""

    def value(self, margins: Matrix, target: Matrix) -> float:
        """Σ g."""

    def slopes(self, margins: Matrix, target: Matrix) -> Matrix:
        """∇g of each row, to a few units of the last place of 1."""

    def bend(self, margins: Matrix, target: Matrix, along: Matrix) -> Matrix:
        """∇²g of each row times a direction of its predictors."""

    def enclosed(self, margins: Sequence[arb], target: float) -> list[arb]:
        """∇g of one row that says something, as enclosures at the working precision."""


@dataclass(frozen=True, slots=True)
class Logistic:
    """log(1 + e^−m), m = ±x·w, continued by its tangent at m = 0 to the wrong side: slopes stay in [−½, ½].

    Half the slope of the plain loss, so half the noise. The target is 0 or 1.
    """

    name: ClassVar[str] = "logistic with a straight wrong side"
    outputs: ClassVar[int] = 1
    steady: ClassVar[bool] = True
    relative: ClassVar[bool] = False
    gradient: ClassVar[Fraction] = Fraction(1, 2)
    trace: ClassVar[Fraction] = Fraction(1, 4)
    rank: ClassVar[int] = 1
    convex: ClassVar[bool] = True

    def value(self, margins: Matrix, target: Matrix) -> float:
        """Σ log(1 + e^−max(m,0)) − min(m, 0)/2."""
        m, told = _signed(margins, target)
        return float(np.where(told, np.log1p(np.exp(-np.maximum(m, 0.0))) - np.minimum(m, 0.0) / 2, 0.0).sum())

    def slopes(self, margins: Matrix, target: Matrix) -> Matrix:
        """∓ min(σ(−m), ½)."""
        m, told = _signed(margins, target)
        pull = 0.5 * (1 - np.tanh(np.maximum(m, 0.0) / 2))
        return np.where(told, np.where(target > 0, -pull, pull), 0.0)[:, None]

    def bend(self, margins: Matrix, target: Matrix, along: Matrix) -> Matrix:
        """σ(m) σ(−m) on the right side, 0 on the wrong one."""
        m, told = _signed(margins, target)
        return np.where(told & (m > 0), 0.25 * (1 - np.tanh(m / 2) ** 2), 0.0)[:, None] * along

    def enclosed(self, margins: Sequence[arb], target: float) -> list[arb]:
        """∓ min(σ(−m), ½)."""
        sign = 1 if target > 0 else -1
        odds = (-(sign * margins[0]).max(arb(0))).exp()
        return [-sign * odds / (1 + odds)]


@dataclass(frozen=True, slots=True)
class Softmax:
    """Cross entropy of `outputs` classes: ∇g = p − e_y, ∇²g = diag p − p pᵀ.

    Its trace 1 − Σp² is at most 1 − 1/K, and it has rank K − 1, since adding one number to all predictors changes
    nothing. The target is the number of a class.
    """

    outputs: int

    name: ClassVar[str] = "softmax"
    steady: ClassVar[bool] = True
    relative: ClassVar[bool] = True
    convex: ClassVar[bool] = True

    @property
    def gradient(self) -> Fraction:
        """2: the chances of the other classes add up to what that of the own one lacks."""
        return Fraction(2)

    @property
    def trace(self) -> Fraction:
        """1 − 1/K."""
        return Fraction(self.outputs - 1, self.outputs)

    @property
    def rank(self) -> int:
        """K − 1."""
        return self.outputs - 1

    def value(self, margins: Matrix, target: Matrix) -> float:
        """Σ log Σₖ e^mₖ − m_y."""
        told, known = _classes(target)
        top = margins.max(axis=1)
        spread = np.log(np.exp(margins - top[:, None]).sum(axis=1)) + top - margins[np.arange(len(margins)), known]
        return float(np.where(told, spread, 0.0).sum())

    def slopes(self, margins: Matrix, target: Matrix) -> Matrix:
        """Shares p less e_y."""
        told, known = _classes(target)
        found = _shares(margins)
        found[np.arange(len(found)), known] -= 1.0
        found[~told] = 0.0
        return found

    def bend(self, margins: Matrix, target: Matrix, along: Matrix) -> Matrix:
        """Shares p times (u − p·u)."""
        told, _ = _classes(target)
        p = _shares(margins)
        found: Matrix = p * (along - (p * along).sum(axis=1, keepdims=True))
        found[~told] = 0.0
        return found

    def enclosed(self, margins: Sequence[arb], target: float) -> list[arb]:
        """Shares p less e_y."""
        top = max(margins, key=lambda m: exact(m.mid()))
        weights = [(m - top).exp() for m in margins]
        total = sum(weights, arb(0))
        return [w / total - (1 if k == int(target) else 0) for k, w in enumerate(weights)]


@dataclass(frozen=True, slots=True)
class Huber:
    """Half the squared residual, continued by lines where it exceeds `knee`."""

    knee: Fraction

    name: ClassVar[str] = "huber"
    outputs: ClassVar[int] = 1
    steady: ClassVar[bool] = True
    relative: ClassVar[bool] = False
    trace: ClassVar[Fraction] = Fraction(1)
    rank: ClassVar[int] = 1
    convex: ClassVar[bool] = True

    @property
    def gradient(self) -> Fraction:
        """The knee."""
        return self.knee

    def value(self, margins: Matrix, target: Matrix) -> float:
        """Σ r²/2 inside the knee, knee·|r| − knee²/2 outside."""
        r, knee = np.nan_to_num(np.abs(margins[:, 0] - target)), float(self.knee)
        return float(np.where(r <= knee, r * r / 2, knee * r - knee * knee / 2).sum())

    def slopes(self, margins: Matrix, target: Matrix) -> Matrix:
        """The residual, held in [−knee, knee]."""
        knee = float(self.knee)
        return np.nan_to_num(np.clip(margins[:, 0] - target, -knee, knee))[:, None]

    def bend(self, margins: Matrix, target: Matrix, along: Matrix) -> Matrix:
        """1 inside the knee, 0 outside."""
        with np.errstate(invalid="ignore"):
            return (np.abs(margins[:, 0] - target) < float(self.knee)).astype(np.float64)[:, None] * along

    def enclosed(self, margins: Sequence[arb], target: float) -> list[arb]:
        """The residual, held in [−knee, knee]."""
        knee = ball(self.knee)
        return [(margins[0] - arb(target)).min(knee).max(-knee)]


@dataclass(frozen=True, slots=True)
class Poisson:
    """Counts up to `ceiling`, in its units: the slope (min(e^m, ceiling) − y)/ceiling is held in [−½, ½].

    It rises with m, so it is the slope of a convex function, and never faster than e^m/ceiling ≤ 1.
    """

    ceiling: float

    name: ClassVar[str] = "poisson"
    outputs: ClassVar[int] = 1
    relative: ClassVar[bool] = False
    gradient: ClassVar[Fraction] = Fraction(1, 2)
    trace: ClassVar[Fraction] = Fraction(1)
    rank: ClassVar[int] = 1
    convex: ClassVar[bool] = True

    @property
    def steady(self) -> bool:
        """The slope turns fastest at the ceiling, and a margin there is its logarithm."""
        return self.ceiling <= 1e6

    def value(self, margins: Matrix, target: Matrix) -> float:
        """The integral of the slope from m = 0, piece by piece."""
        c, y = self.ceiling, np.nan_to_num(target)
        # between these two the slope is (e^m − y)/c; outside it is constant
        low = np.log(np.maximum(y - c / 2, 1e-300))
        high = np.log(np.minimum(y + c / 2, c))
        middle = np.clip(margins[:, 0], low, high)
        inside = (np.exp(middle) - y * middle) / c
        past = np.where(margins[:, 0] > middle, (np.exp(high) - y) / c, (np.exp(low) - y) / c)
        outside = np.where(margins[:, 0] == middle, 0.0, past * (margins[:, 0] - middle))
        return float(np.where(np.isnan(target), 0.0, inside + outside).sum())

    def slopes(self, margins: Matrix, target: Matrix) -> Matrix:
        """(min(e^m, ceiling) − y)/ceiling, held in [−½, ½]."""
        rate = np.exp(np.minimum(margins[:, 0], np.log(self.ceiling))) / self.ceiling
        return np.nan_to_num(np.clip(rate - target / self.ceiling, -0.5, 0.5))[:, None]

    def bend(self, margins: Matrix, target: Matrix, along: Matrix) -> Matrix:
        """e^m/ceiling where the slope is not held."""
        m = margins[:, 0]
        rate = np.exp(np.minimum(m, np.log(self.ceiling))) / self.ceiling
        free = (np.abs(rate - target / self.ceiling) < 0.5) & (m < np.log(self.ceiling))
        return np.where(free, rate, 0.0)[:, None] * along

    def enclosed(self, margins: Sequence[arb], target: float) -> list[arb]:
        """(min(e^m, ceiling) − y)/ceiling, held in [−½, ½]."""
        ceiling = arb(self.ceiling)
        return [((margins[0].min(ceiling.log()).exp() - arb(target)) / ceiling).min(_HALF).max(-_HALF)]


_HALF = arb(0.5)


def _signed(margins: Matrix, target: Matrix) -> tuple[Matrix, NDArray[np.bool_]]:
    return np.where(target > 0, margins[:, 0], -margins[:, 0]), ~np.isnan(target)


def _classes(target: Matrix) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    told = ~np.isnan(target)
    return told, np.where(told, target, 0).astype(np.int64)


def _shares(margins: Matrix) -> Matrix:
    weights = np.exp(margins - margins.max(axis=1, keepdims=True))
    found: Matrix = weights / weights.sum(axis=1, keepdims=True)
    return found
