"""Losses of linear predictors: what each states for the proofs, and its slope as whole numbers.

A loss is l = g(x·w, y). Its gradient is the slope g' times x, so clipping the gradient of a row in the unit ball is
holding g' in a ball: no gradient of a single row is ever formed. Slopes come from tables over whole numbers, or from
IEEE's basic operations, so that a row's slope is a function of that row alone, bit by bit: numpy's exponential may
differ in its last bits with where in an array an element stands.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from dalenius.learning.data.rows import Matrix

_GRID = 12
_REACH = 24
_EXP_SCALE = 2.0**30


class Slopes(Protocol):
    """A loss as descent needs it."""

    name: ClassVar[str]

    @property
    def outputs(self) -> int:
        """How many linear predictors a row has."""

    @property
    def clip(self) -> float:
        """The ℓ2 length that the slopes of a row are held to."""

    @property
    def longest(self) -> float:
        """The longest step that cannot swing: below 2 over the largest second derivative, if slopes rise that fast."""

    def slopes(self, margins: Matrix, target: Matrix, digits: int) -> Matrix:
        """Whole numbers of steps 2^−digits, of length at most clip · 2^digits a row; margins are (rows, outputs)."""


@dataclass(frozen=True, slots=True)
class ClippedLogistic:
    """log(1 + e^−m) for m = ±x·w, continued by a line where its slope passes `clip`: 1 is the plain loss.

    The slope is ½ at the start, w = 0, so a clip of ½ cuts nothing there; a row on the wrong side pulls no harder than
    at the start. Half the slope is half the noise. The target is 0 or 1; NaN stands for a row that says nothing.
    """

    clip: float = 0.5

    name: ClassVar[str] = "clipped logistic"
    longest: ClassVar[float] = math.inf
    outputs: ClassVar[int] = 1

    def slopes(self, margins: Matrix, target: Matrix, digits: int) -> Matrix:
        """σ(m) − y, held in ±clip and cut toward zero."""
        rise = sigmoids(margins[:, 0]) - target
        held = np.trunc(np.minimum(np.maximum(rise, -self.clip), self.clip) * 2.0**digits)
        held[np.isnan(held)] = 0.0
        column: Matrix = held[:, None]
        return column


@dataclass(frozen=True, slots=True)
class ClippedSoftmax:
    """Cross entropy of `outputs` classes, its slopes p − e_y held to length `clip`.

    The target is the number of a class; NaN stands for a row that says nothing.
    """

    outputs: int
    clip: float = 0.5

    name: ClassVar[str] = "clipped softmax"
    longest: ClassVar[float] = math.inf

    def slopes(self, margins: Matrix, target: Matrix, digits: int) -> Matrix:
        """Shares p less e_y, shrunk to length at most `clip`, cut toward zero."""
        below = np.minimum(margins.max(axis=1, keepdims=True) - margins, _REACH)
        weights = _exp_table()[np.trunc(below * 2.0**_GRID).astype(np.int64)]
        rise = weights / weights.sum(axis=1, keepdims=True)  # whole numbers below 2⁵³: an exact sum
        absent = np.isnan(target)
        known = np.where(absent, 0, target).astype(np.int64)
        rise[np.arange(len(rise)), known] -= 1.0
        fine = np.trunc(rise * 2.0**20)
        length = np.sqrt((fine * fine).sum(axis=1)) * 2.0**-20
        shrunk = fine * ((2.0 ** (digits - 20) * _below(self.clip)) / np.maximum(length, self.clip))[:, None]
        shrunk[absent] = 0.0
        whole: Matrix = np.trunc(shrunk)
        return whole


@dataclass(frozen=True, slots=True)
class ClippedHuber:
    """Half the squared residual, continued by lines where it exceeds `knee`: slopes stay in [−knee, knee]."""

    knee: float

    name: ClassVar[str] = "huber"
    longest: ClassVar[float] = 1.5
    outputs: ClassVar[int] = 1

    @property
    def clip(self) -> float:
        """The knee."""
        return self.knee

    def slopes(self, margins: Matrix, target: Matrix, digits: int) -> Matrix:
        """The residual m − y, held in [−knee, knee] and cut toward zero."""
        rise = margins[:, 0] - target
        held = np.trunc(np.minimum(np.maximum(rise, -self.knee), self.knee) * (2.0**digits * (1 - 2.0**-50)))
        held[np.isnan(held)] = 0.0
        column: Matrix = held[:, None]
        return column


@dataclass(frozen=True, slots=True)
class ClippedPoisson:
    """e^m − y·m with the rate e^m and the count y both in units of `ceiling`, slopes held in [−½, ½]."""

    ceiling: float

    name: ClassVar[str] = "clipped poisson"
    longest: ClassVar[float] = 1.5
    outputs: ClassVar[int] = 1
    clip: ClassVar[float] = 0.5

    def slopes(self, margins: Matrix, target: Matrix, digits: int) -> Matrix:
        """(e^m − y)/ceiling, e^m at most the ceiling, held in [−½, ½] and cut toward zero."""
        rise = exponential_shares(margins[:, 0], self.ceiling) - target / self.ceiling
        held = np.trunc(np.minimum(np.maximum(rise, -0.5), 0.5) * 2.0**digits)
        held[np.isnan(held)] = 0.0
        column: Matrix = held[:, None]
        return column


def sigmoids(margins: Matrix) -> Matrix:
    """σ(m) of each, from a table: a function of that m alone."""
    place = np.trunc(np.minimum(np.maximum(margins, -_REACH), _REACH) * 2.0**_GRID) + _REACH * 2.0**_GRID
    shares: Matrix = _sigmoid_table()[place.astype(np.int64)]
    return shares


def exponential_shares(margins: Matrix, ceiling: float) -> Matrix:
    """min(e^m, ceiling)/ceiling of each, from a table: a function of that m alone."""
    below = np.minimum(np.maximum(np.log(ceiling) - margins, 0.0), _REACH)
    shares: Matrix = _exp_table()[np.trunc(below * 2.0**_GRID).astype(np.int64)] / _EXP_SCALE
    return shares


def _below(value: float) -> float:
    """A float under the value by more than the roundings that follow."""
    return value * (1 - 2.0**-48)


@lru_cache(maxsize=1)
def _sigmoid_table() -> NDArray[np.float64]:
    grid = np.arange(-_REACH * 2**_GRID, _REACH * 2**_GRID + 1) / 2.0**_GRID
    return 0.5 * (1 + np.tanh(grid / 2))


@lru_cache(maxsize=1)
def _exp_table() -> NDArray[np.float64]:
    """e^−k/2¹² in whole steps of 2⁻³⁰, for k up to 24 · 2¹²."""
    return np.floor(np.exp(-np.arange(_REACH * 2**_GRID + 1) / 2.0**_GRID) * _EXP_SCALE)
