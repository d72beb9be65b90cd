"""The law of a privacy loss, to be looked at: its masses on a grid, moments and characteristic function.

These are plain numbers in floats, good to some eight digits, for charts and for understanding; no bound is made of
them. What is proved comes from `delta_interval` and `epsilon_interval` alone.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter
from dalenius.guarantees.loss.composition import LossComposition
from dalenius.guarantees.loss.pair import Pair
from dalenius.guarantees.loss.pairs import gaussian
from dalenius.guarantees.loss.piece import Piece

Vector = NDArray[np.float64]
_POINTS = 20_001
_REACH = 12.0
"""How many standard deviations of Gaussian noise are looked at to either side."""
_MOST_CELLS = 1 << 20


@dataclass(frozen=True, slots=True)
class LossLaw:
    """L = log dP/dQ under P, for a composition: a sum of independent losses  [A Def 14.2, A Thm 14.2].

    `infinite` is the chance that the loss is infinite; all else is about finite losses.
    """

    composition: LossComposition

    @property
    def infinite(self) -> float:
        """The chance of an infinite loss."""
        return self.composition.infinite[1]

    def characteristic(self, frequencies: Sequence[float]) -> NDArray[np.complex128]:
        """φ(t) = E e^(itL) over finite losses, a product over the parts  [A Prop 14.2].

        Parameters
        ----------
        frequencies : the t at which it is wanted.
        """
        t = np.asarray(frequencies, np.float64)
        product = np.ones(t.shape, np.complex128)
        for pair, count in self.composition.parts:
            losses, masses = _points(pair)
            product *= (np.exp(1j * t[..., None] * losses) @ masses.astype(np.complex128)) ** count
        return product

    @property
    def mean(self) -> float:
        """E L over finite losses: where there is no infinite one, the Kullback–Leibler divergence  [A Rem 12.1]."""
        return math.fsum(count * _moment(pair, 1) for pair, count in self.composition.parts)

    @property
    def variance(self) -> float:
        """The variances of the parts, added, given that all losses are finite."""
        return math.fsum(count * (_moment(pair, 2) - _moment(pair, 1) ** 2) for pair, count in self.composition.parts)

    def masses(self, cells: int = 400) -> tuple[Vector, Vector]:
        """Middles of equal cells and the mass of L in each: the parts' laws on one grid, convolved by a transform.

        Parameters
        ----------
        cells : how many cells; they reach eight standard deviations to either side, or to the largest losses.
        """
        if isinstance(cells, bool) or not isinstance(cells, int) or not 2 <= cells <= _MOST_CELLS // 16:
            raise InvalidParameter(f"cells must be a whole number from 2 to {_MOST_CELLS // 16}, got {cells!r}")
        middle, spread = self.mean, max(math.sqrt(max(self.variance, 0.0)), 1e-12)
        low, high = middle - 8 * spread, middle + 8 * spread
        step = (high - low) / cells
        size = 1 << math.ceil(math.log2(4 * cells))
        transform = np.ones(size // 2 + 1, np.complex128)
        for pair, count in self.composition.parts:
            losses, weights = _points(pair)
            at, share = np.divmod(losses / step, 1.0)  # a loss between two points is split so that its mean is kept
            one = np.zeros(size)
            for places, part in ((at, 1 - share), (at + 1, share)):
                np.add.at(one, places.astype(np.int64) % size, weights * part)
            transform *= np.fft.rfft(one) ** count
        whole = np.fft.irfft(transform, size)
        first = round(low / step)
        places = np.arange(first, first + cells)
        middles: Vector = places.astype(np.float64) * step
        masses: Vector = np.maximum(whole[places % size], 0.0)
        return middles, masses


def _points(pair: Pair) -> tuple[Vector, Vector]:
    """Losses and masses of P that stand for a pair: its atoms, and a fine trapezoid rule over its pieces."""
    shown = gaussian(pair.gaussian) if pair.gaussian is not None else pair
    losses = [np.array([each.loss for each in shown.atoms])]
    masses = [np.array([each.first for each in shown.atoms])]
    for piece in shown.pieces:
        y = np.linspace(*_window(piece), _POINTS)
        loss = piece.loss(y)
        weights = np.exp(piece.log_n(y) + piece.power * loss) * (y[1] - y[0])
        weights[[0, -1]] /= 2
        losses.append(loss)
        masses.append(weights)
    return np.concatenate(losses), np.concatenate(masses)


def _window(piece: Piece) -> tuple[float, float]:
    """Where the piece has mass: all of a bounded one, twelve standard deviations around both laws of a Gaussian one."""
    low, high = piece.c1 - _REACH, piece.c1 + piece.slope + _REACH
    return (max(piece.lo, low), min(piece.hi, high)) if piece.c2 else (piece.lo, piece.hi)


def _moment(pair: Pair, order: int) -> float:
    losses, masses = _points(pair)
    return float((losses**order * masses).sum())
