"""The interface of queries: what is measured, and how far one unit moves it."""

from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from dalenius.neighbors import Metric, Sensitivity, Unit
from dalenius.noise import Lattice
from dalenius.queries.keys import Keys
from dalenius.queries.view import View

VALUE = ("value",)
"""The one column of a query that asks for one number, or one for each key."""

V_contra = TypeVar("V_contra", bound=View, contravariant=True)


class Query(Protocol[V_contra]):
    """A deterministic question whose answer one unit can move by no more than a proven bound.

    The answer is a vector of integers in steps of `lattice`: nothing is rounded after it is summed. The bound is part
    of the question, so a query without one cannot be made. Its `str` says in words what is asked.
    """

    @property
    def columns(self) -> tuple[str, ...]:
        """What the parts of the answer are called."""

    @property
    def keys(self) -> Keys | None:
        """The public keys that name the cells of each part; None when it is one number."""

    @property
    def lattice(self) -> Lattice:
        """Where the answer lives: the whole numbers, or multiples of 2⁻²⁰ for sums of row weights."""

    def evaluate(self, view: V_contra) -> NDArray[np.int64]:
        """The exact answer, total: no row can make it fail. It must not leave the curator.

        All cells of the first column, then all of the second: len(columns) · len(keys) numbers.
        """

    def sensitivity(self, unit: Unit, metric: Metric = Metric.L1) -> Sensitivity:
        """How far the whole answers on neighbors lie apart, in steps of the lattice."""

    def facts(self) -> dict[str, Any]:
        """All that the answer depends on but the data, for fingerprints and explanations."""
