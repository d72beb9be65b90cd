"""The interface of mechanisms: what every one can say of itself."""

from abc import ABC, abstractmethod
from dataclasses import fields, replace
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from dalenius.calls import Readable
from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.guarantees import Guarantee, PureDP
from dalenius.mechanisms.target import largest_scale, least_scale, meets, moved
from dalenius.neighbors import Relation, Sensitivity
from dalenius.noise import Bits, Lattice, SymmetricLaw
from dalenius.numerics import Number, ball, exact, positive, precision, probability, stored_fraction

Integers = NDArray[np.int64]
_LEAST, _LARGEST = np.iinfo(np.int64).min, np.iinfo(np.int64).max


class Mechanism(Readable, ABC):
    """A way to randomize an answer, and the proof of what that hides.

    A mechanism knows neither the question nor the data: only how far one unit can move the answer.
    """

    __slots__ = ()

    name: ClassVar[str]
    """What a stored release calls it; never reused for another law."""

    @abstractmethod
    def guarantee(self, sensitivity: Sensitivity, relation: Relation = Relation.ADD_REMOVE) -> Guarantee:
        """What is proved when neighbors, under `relation`, move the answer by at most `sensitivity`."""

    @classmethod
    @abstractmethod
    def least(cls, sensitivity: Sensitivity, target: Guarantee) -> Self:
        """The member of the family with the least noise whose guarantee is no weaker than `target`."""

    @classmethod
    def within(cls, sensitivity: Sensitivity, error: Fraction, beta: Fraction) -> Self:
        """The member of the family with the most noise that errs by more than `error` with probability ≤ beta."""
        raise UnprovenClaim(f"{cls.__name__} is not calibrated to an error; give a privacy target")

    @abstractmethod
    def scaled(self, factor: Number) -> Self:
        """The same mechanism with `factor` times the noise."""

    def calibrated(self, sensitivity: Sensitivity, target: Guarantee) -> Self:
        """This mechanism with the least noise that meets the target, all its other parameters as they are.

        The loss of most is inversely proportional to the noise, so that a pure target is met exactly; else, and for
        other notions, the least factor of the noise is found by search, to a relative 2⁻³⁶ above the true one. Noise on
        a lattice stays on it, and is refused where it would be too fine.
        """
        moved(sensitivity)

        def proved(factor: Fraction) -> Guarantee:
            return self.scaled(factor).guarantee(sensitivity, target.relation)

        form = proved(Fraction(1)).sum_form
        if isinstance(target, PureDP) and form is not None and form[0] > 0 and form[1] == 0:
            factor = form[0] / positive(target.budget, "epsilon")
            if proved(factor).sum_form == (target.budget, Fraction(0)):
                return self.scaled(factor)
        return self.scaled(least_scale(lambda factor: meets(proved(factor), target, self.name), Fraction(1)))

    def erring(self, error: Fraction, beta: Fraction) -> Self:
        """This mechanism with the most noise that errs by more than `error` with probability ≤ beta, else as it is."""
        raise UnprovenClaim(f"{self.name} is not calibrated to an error; give a privacy target")

    @abstractmethod
    def release(self, answer: Any, bits: Bits) -> Any:
        """The answer, randomized."""

    def facts(self) -> dict[str, str]:
        """Name and parameters, exactly, as a stored release keeps them."""
        parameters = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        return {"name": self.name} | {
            name: str(value.exponent if isinstance(value, Lattice) else value) for name, value in parameters.items()
        }

    @classmethod
    def _of_scale(cls, scale: Fraction) -> Self:
        """The member of a family that is known by its scale alone."""
        return cls(scale)  # type: ignore[call-arg]

    @classmethod
    def from_facts(cls, facts: dict[str, str]) -> Self:
        """The mechanism that `facts` describes."""
        return cls(
            **{
                name: Lattice(int(value)) if name == "lattice" else stored_fraction(value)
                for name, value in facts.items()
                if name != "name"
            }
        )


class AdditiveMechanism(Mechanism):
    """Release x + Z with independent draws of one law: everything but the guarantee follows from `noise`."""

    __slots__ = ()

    @property
    @abstractmethod
    def noise(self) -> SymmetricLaw:
        """The law of Z."""

    @property
    def lattice(self) -> Lattice:
        """Where answers live: `release` takes and gives steps of it; scale, sensitivity and error are real numbers."""
        return self.noise.lattice

    @classmethod
    def least(cls, sensitivity: Sensitivity, target: Guarantee) -> Self:
        """The smallest scale whose guarantee meets the target, to a relative 2⁻³⁶ above the true one."""
        distance = moved(sensitivity)
        build = cls._of_scale
        return build(least_scale(lambda scale: meets(build(scale).guarantee(sensitivity), target, cls.name), distance))

    @classmethod
    def within(cls, sensitivity: Sensitivity, error: Fraction, beta: Fraction) -> Self:
        """The largest scale whose `accuracy(beta)` is at most `error`, to a relative 2⁻³⁶ below the true one."""
        return cls._of_scale(largest_scale(lambda scale: cls._of_scale(scale).accuracy(beta) <= error, error))

    def erring(self, error: Fraction, beta: Fraction) -> Self:
        """The largest factor of the noise at which `accuracy(beta)` is at most `error`, to a relative 2⁻³⁶ below it.

        The noise grows with the factor and so, at every point, does its tail  [D Def 2.1].
        """
        reach = self.accuracy(beta)
        near = Fraction(1) if reach == 0 else error / reach
        return self.scaled(largest_scale(lambda factor: self.scaled(factor).accuracy(beta) <= error, near))

    def scaled(self, factor: Number) -> Self:
        """The scale times `factor`."""
        return replace(self, scale=self.scale * positive(factor, "factor"))  # type: ignore[type-var,attr-defined]

    def release(self, answer: Integers, bits: Bits) -> Integers:
        """The sum x + Z, held inside int64.

        The held sum is a function of x + Z alone, the same for every data set, so it costs nothing
        [A Prop 3.1, D Thm 1.4].
        """
        exact_answer = _integers(answer)
        return _saturating_sum(exact_answer, self.noise.steps(bits, exact_answer.size))

    def accuracy(self, beta: Number, dimension: int = 1) -> Fraction:
        """The least r with P[some coordinate errs by more than r] ≤ beta, over `dimension` coordinates  [D Def 2.1].

        Coordinates are independent, so this is P[|Z| > r] ≤ 1 − (1 − beta)^(1/d): exact, where the union bound has
        beta/d  [D Thm 2.8].
        """
        return self.noise.radius(_each(probability(beta, "beta"), dimension))

    def interval(self, released: int, level: Number, dimension: int = 1) -> tuple[Fraction, Fraction]:
        """Ends that hold the exact answer with probability at least `level`, jointly over `dimension` coordinates.

        `released` is in steps of the lattice, the ends are real numbers.
        """
        radius = self.accuracy(1 - probability(level, "level"), dimension)
        return released * self.lattice.step - radius, released * self.lattice.step + radius


def _each(beta: Fraction, dimension: int) -> Fraction:
    """A level for each coordinate, rounded down, at which all `dimension` of them hold together at 1 − beta."""
    if isinstance(dimension, bool) or not isinstance(dimension, int) or dimension < 1:
        raise InvalidParameter(f"dimension must be a whole number ≥ 1, got {dimension!r}")
    if dimension == 1 or beta in (0, 1):
        return beta
    with precision(192):
        return exact((-((-ball(beta)).log1p() / dimension).expm1()).lower())


def _integers(answer: Any) -> Integers:
    """The answer as a vector of int64; refused by its type alone, never by its value."""
    vector = np.asarray(answer)
    if vector.dtype.kind not in "iu" or vector.dtype == np.uint64 or vector.ndim != 1:
        raise InvalidParameter(
            "an answer must be a vector of int64: a query sums in integers, so a float here would be its error"
        )
    return vector.astype(np.int64, copy=False)


def _saturating_sum(answer: Integers, noise: Integers) -> Integers:
    total = answer + noise
    # an int64 sum has wrapped exactly when both terms have the sign that the total lacks
    wrapped = ((answer ^ total) & (noise ^ total)) < 0
    return np.where(wrapped, np.where(noise < 0, _LEAST, _LARGEST), total)
