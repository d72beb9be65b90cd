"""The values that a question may be answered with."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter, UnknownName


@dataclass(frozen=True, slots=True, init=False)
class Domain:
    """Declared values in order, each once; a value outside is refused, and the refusal does not repeat it.

    >>> Domain(["yes", "no"]).index("no")
    1
    """

    values: tuple[Hashable, ...]
    _places: dict[Hashable, int] = field(repr=False, compare=False)

    def __init__(self, values: "int | Sequence[Hashable] | Domain") -> None:
        if isinstance(values, Domain):
            listed: tuple[Hashable, ...] = values.values
        elif isinstance(values, int) and not isinstance(values, bool):
            listed = tuple(range(values))
        elif isinstance(values, Sequence) and not isinstance(values, str | bytes):
            listed = tuple(values)
        elif isinstance(values, np.ndarray):
            listed = tuple(values.tolist())
        else:
            raise InvalidParameter("domain must be a list of values, or how many there are")
        if len(listed) < 2:
            raise InvalidParameter(f"domain must have at least two values, got {len(listed)}")
        if not all(type(value) in (str, int, bool) for value in listed):
            raise InvalidParameter("values of a domain must be texts, whole numbers or booleans")
        places = {value: place for place, value in enumerate(listed)}
        if len(places) < len(listed):
            raise InvalidParameter("every value of a domain must be there once; note that 1 and True are one value")
        object.__setattr__(self, "values", listed)
        object.__setattr__(self, "_places", places)

    def __len__(self) -> int:
        return len(self.values)

    def index(self, value: Any) -> int:
        """The number of a value."""
        try:
            place = self._places.get(value)
        except TypeError:
            place = None
        if place is None or type(value) is not type(self.values[place]):
            raise UnknownName("the value is not in the protocol's domain: declare it, or answer with one that is")
        return place

    def indices(self, values: Any) -> NDArray[np.int64]:
        """The numbers of many values; an array of whole numbers is quick where the domain counts from 0."""
        if isinstance(values, np.ndarray) and values.dtype.kind in "iu" and self.values == tuple(range(len(self))):
            if values.size and not (values.min() >= 0 and values.max() < len(self)):
                raise UnknownName("a value is not in the protocol's domain: declare it, or answer with one that is")
            return values.astype(np.int64).reshape(-1)
        listed = values.tolist() if isinstance(values, np.ndarray) else list(values)
        return np.array([self.index(value) for value in listed], np.int64)
