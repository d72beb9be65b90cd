"""A loss whose rows count by the declared weight of their class."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from flint import arb

from dalenius.errors import InvalidParameter
from dalenius.learning.data.rows import Matrix
from dalenius.learning.sums.hinge import HuberHinge
from dalenius.learning.sums.loss_bounds import Logistic, Softmax


@dataclass(frozen=True, slots=True)
class ClassWeighted:
    """Σ sₖ g over the rows of each class k, shares sₖ of (0, 1]: what the loss states of one row holds all the more."""

    loss: Logistic | Softmax | HuberHinge
    shares: tuple[float, ...]

    name: ClassVar[str] = "class-weighted"
    convex: ClassVar[bool] = True

    @property
    def outputs(self) -> int:
        """Those of the loss."""
        return self.loss.outputs

    @property
    def gradient(self) -> Fraction:
        """That of the loss."""
        return self.loss.gradient

    @property
    def trace(self) -> Fraction:
        """That of the loss."""
        return self.loss.trace

    @property
    def rank(self) -> int:
        """That of the loss."""
        return self.loss.rank

    @property
    def steady(self) -> bool:
        """That of the loss."""
        return self.loss.steady

    @property
    def relative(self) -> bool:
        """That of the loss."""
        return self.loss.relative

    @property
    def length_square(self) -> int:
        """That of the loss of many classes."""
        return self.loss.length_square  # type: ignore[union-attr]

    @property
    def corners(self) -> int:
        """Those of the loss of many classes."""
        return self.loss.corners  # type: ignore[union-attr]

    def values(self, margins: Matrix, target: Matrix) -> Matrix:
        """Each row's, by its share."""
        return self.loss.values(margins, target) * self._of(target)

    def slopes(self, margins: Matrix, target: Matrix) -> Matrix:
        """Each row's, by its share."""
        return self.loss.slopes(margins, target) * self._of(target)[:, None]

    def bend(self, margins: Matrix, target: Matrix, along: Matrix) -> Matrix:
        """Each row's, by its share."""
        return self.loss.bend(margins, target, along) * self._of(target)[:, None]

    def enclosed(self, margins: Sequence[arb], target: float) -> list[arb]:
        """The row's, by its share."""
        return [slope * arb(self.shares[int(target)]) for slope in self.loss.enclosed(margins, target)]

    def _of(self, target: Matrix) -> Matrix:
        row_shares: Matrix = np.array(self.shares)[np.nan_to_num(target).astype(np.int64)]
        return row_shares


def class_shares(given: Any, classes: Sequence[Any]) -> tuple[tuple[float, ...], float] | None:
    """(each class's part of the largest weight, that weight), from a declared dictionary; None where none is given."""
    if given is None:
        return None
    if not isinstance(given, Mapping):
        raise InvalidParameter(
            "class_weight must be a dictionary {label: weight}: 'balanced' would read the counts of the data; "
            "release them with a histogram first, and declare what it says"
        )
    weights = [given.get(label, 1.0) for label in classes]
    if set(given) - set(classes):
        raise InvalidParameter("class_weight names a label that is not among classes")
    if not all(isinstance(w, int | float) and not isinstance(w, bool) and 1e-6 <= w <= 1e6 for w in weights):
        raise InvalidParameter("a class's weight must be a number from 1e-6 to 1e6")
    most = float(max(weights))
    return tuple(float(w) / most for w in weights), most
