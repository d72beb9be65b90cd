"""What a row's target says: the number of a class, or a value between declared bounds. A rule for every input."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets

from dalenius.errors import InvalidParameter, UnboundedQuery
from dalenius.learning.data.rows import Matrix, numbers


class Encoder(Protocol):
    """How a target is read: total, and row by row."""

    def codes(self, target: NDArray[Any]) -> Matrix:
        """A number for each row, NaN for a row that says nothing."""

    def facts(self) -> dict[str, Any]:
        """All that the codes depend on but the data."""


@dataclass(frozen=True, slots=True)
class ClassLabels:
    """A public, sorted set of labels; a row with another label says nothing and is NaN."""

    classes: tuple[Any, ...]

    @classmethod
    def of(cls, declared: Any, target: NDArray[Any]) -> "ClassLabels":
        """The labels as declared, or else those of the data, which are then public: the guarantee says so."""
        if declared is None:
            if target.dtype.kind == "O":
                target = np.asarray(target.tolist())
            if target.dtype.kind == "f" and not np.all(np.isfinite(target)):
                raise InvalidParameter("Input y contains NaN or infinity: declare classes= to leave such rows out")
            check_classification_targets(target)
            labels = np.unique(target)
        else:
            labels = np.unique(np.asarray(declared))
            if len(labels) != np.asarray(declared).size:
                raise InvalidParameter("classes must be a list of labels, each named once")
        if len(labels) < 2:
            raise InvalidParameter(f"a classifier needs at least 2 classes, got {len(labels)} class")
        classes = tuple(labels.tolist())
        if not all(map(_steady, classes)):
            raise InvalidParameter(
                "labels must be numbers, texts or truth values, and whole numbers below 2^53: use text"
            )
        return cls(classes)

    def codes(self, target: NDArray[Any]) -> Matrix:
        """The number of each row's class, NaN for none."""
        if target.dtype.kind in "fiub" and all(isinstance(label, int | float) for label in self.classes):
            known = np.array(self.classes, np.float64)
            values = target.astype(np.float64)
            place = np.minimum(np.searchsorted(known, values), len(known) - 1)
            return np.where(known[place] == values, place, np.nan)
        numbered = {label: float(code) for code, label in enumerate(self.classes)}
        return np.array([_looked_up(numbered, value) for value in target.tolist()], np.float64)

    def facts(self) -> dict[str, Any]:
        """The labels, as JSON holds them."""
        return {"labels": [repr(label) for label in self.classes]}


@dataclass(frozen=True, slots=True)
class Span:
    """Public bounds of a number: a value is moved into them and mapped to [−1, 1]; what is no number is NaN."""

    lower: float
    upper: float

    @classmethod
    def declare(cls, bounds: Any, name: str = "target_bounds") -> "Span":
        """From (lower, upper)."""
        if bounds is None:
            raise UnboundedQuery(f"{name}=(lower, upper) is missing: state from public knowledge where the target lies")
        ends = np.asarray(bounds, np.float64) if np.shape(bounds) == (2,) else np.array([np.nan, np.nan])
        if not np.all(np.isfinite(ends)) or not ends[0] < ends[1] or np.abs(ends).max() > 1e150:
            raise InvalidParameter(f"{name} must be two finite numbers, the lower one first")
        return cls(float(ends[0]), float(ends[1]))

    @property
    def middle(self) -> float:
        """The centre."""
        return self.lower / 2 + self.upper / 2

    @property
    def half(self) -> float:
        """Half the width."""
        return self.upper / 2 - self.lower / 2

    def codes(self, target: NDArray[Any]) -> Matrix:
        """Each row's value in [−1, 1]."""
        with np.errstate(all="ignore"):
            held = np.minimum(np.maximum(numbers(target), self.lower), self.upper)
            return np.minimum(np.maximum((held - self.middle) / self.half, -1.0), 1.0)

    def facts(self) -> dict[str, Any]:
        """The bounds, as JSON holds them."""
        return {"lower": self.lower, "upper": self.upper}


@dataclass(frozen=True, slots=True)
class Counts:
    """A count from 0 to a public ceiling, moved into that range; what is no number is NaN."""

    ceiling: float

    @classmethod
    def declare(cls, ceiling: Any) -> "Counts":
        """A finite number of at least 1."""
        if ceiling is None:
            raise UnboundedQuery("ceiling= is missing: state from public knowledge how large a count can be")
        if isinstance(ceiling, bool) or not isinstance(ceiling, int | float) or not 1 <= ceiling <= 1e100:
            raise InvalidParameter(f"ceiling must be a number from 1 to 1e100, got {ceiling!r}")
        return cls(float(ceiling))

    def codes(self, target: NDArray[Any]) -> Matrix:
        """Each row's count."""
        with np.errstate(all="ignore"):
            return np.minimum(np.maximum(numbers(target), 0.0), self.ceiling)

    def facts(self) -> dict[str, Any]:
        """The ceiling, as JSON holds it."""
        return {"ceiling": self.ceiling}


def _steady(label: Any) -> bool:
    """Whether a row's label is read alike whatever type the whole column has.

    One row decides that type: a missing value turns whole numbers into floats, a text turns dates into objects.
    """
    whole = isinstance(label, int) and not isinstance(label, bool)
    return abs(label) < 1 << 53 if whole else isinstance(label, bool | float | str | bytes)


def _looked_up(numbered: dict[Any, float], value: Any) -> float:
    try:
        return numbered.get(value, float("nan"))
    except TypeError:  # unhashable
        return float("nan")
