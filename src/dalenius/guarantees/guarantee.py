"""What every privacy notion can say of itself."""

from abc import ABC, abstractmethod
from typing import Self

from dalenius.neighbors import Relation


class Guarantee(ABC):
    """A proven bound on how well neighboring data sets can be told apart.

    Numbers have a direction: `delta` and `epsilon` are proven upper bounds, `beta` is a proven lower bound.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def relation(self) -> Relation:
        """What makes two data sets neighbors here."""

    @abstractmethod
    def delta(self, epsilon: float) -> float:
        """A proven upper bound on the smallest δ at which (ε, δ)-DP holds."""

    @abstractmethod
    def epsilon(self, delta: float) -> float:
        """A proven upper bound on the smallest ε at which (ε, δ)-DP holds."""

    @abstractmethod
    def beta(self, alpha: float) -> float:
        """The trade-off function: a proven lower bound on the type II error of any test of level alpha."""

    @abstractmethod
    def compose(self, *others: Self) -> "Guarantee":
        """What holds when all are released, each with randomness of its own."""

    @abstractmethod
    def repeat(self, times: int) -> "Guarantee":
        """`compose` with itself: what holds for `times` releases."""

    @abstractmethod
    def group(self, size: int) -> "Guarantee":
        """What holds for `size` units together."""

    @abstractmethod
    def to(self, relation: Relation) -> "Guarantee":
        """The same promise for another relation, where it follows."""
