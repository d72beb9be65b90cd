"""Losses that state what objective perturbation needs of them.

l = g(x·w, y) for rows x of the unit ball. Each states a bound on ‖∇g‖₁ and on the trace of the second derivative of g
in the predictors, the rank of it, and that it is convex. A second derivative may jump: ∇g is Lipschitz, so it exists
almost everywhere, which is all that the change of variables needs (`objective`).
"""

import math
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

    def values(self, margins: Matrix, target: Matrix) -> Matrix:
        """G of each row."""

    def slopes(self, margins: Matrix, target: Matrix) -> Matrix:
        """∇g of each row, to a few units of the last place of 1."""

    def bend(self, margins: Matrix, target: Matrix, along: Matrix) -> Matrix:
        """∇²g of each row times a direction of its predictors."""

    def enclosed(self, margins: Sequence[arb], target: float) -> list[arb]:
        """∇g of one row that says something, as enclosures at the working precision."""


@dataclass(frozen=True, slots=True)
class Logistic:
    """log(1 + e^−m), m = ±x·w, continued by its tangent where its slope passes `bound`: 1 is the plain loss.

    A bound of ½ cuts nothing at w = 0 and halves the noise; `Fading` raises it to 1 as rows grow in number. The target
    is 0 or 1.
    """

    bound: Fraction = Fraction(1)

    name: ClassVar[str] = "logistic"
    outputs: ClassVar[int] = 1
    steady: ClassVar[bool] = True
    relative: ClassVar[bool] = False
    trace: ClassVar[Fraction] = Fraction(1, 4)
    rank: ClassVar[int] = 1
    convex: ClassVar[bool] = True

    @property
    def gradient(self) -> Fraction:
        """The bound."""
        return self.bound

    def values(self, margins: Matrix, target: Matrix) -> Matrix:
        """log(1 + e^−m) down to the m where the slope is the bound, then the line on from there."""
        m, present = _signed(margins, target)
        last = self._last
        beyond = np.minimum(m - last, 0.0) if math.isfinite(last) else np.zeros_like(m)
        losses: Matrix = np.where(present, np.logaddexp(0.0, -np.maximum(m, last)) - float(self.bound) * beyond, 0.0)
        return losses

    def slopes(self, margins: Matrix, target: Matrix) -> Matrix:
        """∓ min(σ(−m), bound)."""
        m, present = _signed(margins, target)
        pull = np.minimum(0.5 * (1 - np.tanh(m / 2)), float(self.bound))
        return np.where(present, np.where(target > 0, -pull, pull), 0.0)[:, None]

    def bend(self, margins: Matrix, target: Matrix, along: Matrix) -> Matrix:
        """σ(m) σ(−m) where the slope is below the bound, 0 beyond."""
        m, present = _signed(margins, target)
        return np.where(present & (m > self._last), 0.25 * (1 - np.tanh(m / 2) ** 2), 0.0)[:, None] * along

    def enclosed(self, margins: Sequence[arb], target: float) -> list[arb]:
        """∓ min(σ(−m), bound)."""
        sign = 1 if target > 0 else -1
        right, wrong = (-(side * sign * margins[0]).max(arb(0)) for side in (1, -1))
        pull = (right.exp() / (right.exp() + wrong.exp())).min(ball(self.bound))
        return [-sign * pull]

    @property
    def _last(self) -> float:
        """The m at which the slope is the bound."""
        return -math.inf if self.bound >= 1 else -math.log(self.bound / (1 - self.bound))


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

    @property
    def length_square(self) -> int:
        """‖p − e_y‖₂² ≤ 2, reached at the corners of the set of such vectors."""
        return 2

    @property
    def corners(self) -> int:
        """P − e_y lies between 0 and the K − 1 corners e_k − e_y."""
        return self.outputs - 1

    def values(self, margins: Matrix, target: Matrix) -> Matrix:
        """Log Σₖ e^mₖ − m_y."""
        present, known = _classes(target)
        top = margins.max(axis=1)
        spread = np.log(np.exp(margins - top[:, None]).sum(axis=1)) + top - margins[np.arange(len(margins)), known]
        losses: Matrix = np.where(present, spread, 0.0)
        return losses

    def slopes(self, margins: Matrix, target: Matrix) -> Matrix:
        """Shares p less e_y."""
        present, known = _classes(target)
        gradients = _shares(margins)
        gradients[np.arange(len(gradients)), known] -= 1.0
        gradients[~present] = 0.0
        return gradients

    def bend(self, margins: Matrix, target: Matrix, along: Matrix) -> Matrix:
        """Shares p times (u − p·u)."""
        present, _ = _classes(target)
        p = _shares(margins)
        bends: Matrix = p * (along - (p * along).sum(axis=1, keepdims=True))
        bends[~present] = 0.0
        return bends

    def enclosed(self, margins: Sequence[arb], target: float) -> list[arb]:
        """Shares p less e_y."""
        top = max(margins, key=lambda m: exact(m.mid()))
        weights = [(m - top).exp() for m in margins]
        total = sum(weights, arb(0))
        return [w / total - (1 if k == int(target) else 0) for k, w in enumerate(weights)]


def _signed(margins: Matrix, target: Matrix) -> tuple[Matrix, NDArray[np.bool_]]:
    return np.where(target > 0, margins[:, 0], -margins[:, 0]), ~np.isnan(target)


def _classes(target: Matrix) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    present = ~np.isnan(target)
    return present, np.where(present, target, 0).astype(np.int64)


def _shares(margins: Matrix) -> Matrix:
    weights = np.exp(margins - margins.max(axis=1, keepdims=True))
    shares: Matrix = weights / weights.sum(axis=1, keepdims=True)
    return shares
