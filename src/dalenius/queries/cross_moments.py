"""Sums and sums of products of several columns, for covariances."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter
from dalenius.escape import escaped
from dalenius.neighbors import Metric, Sensitivity, Unit
from dalenius.noise import Lattice
from dalenius.queries.bounds import Bounds, Ends, Missing
from dalenius.queries.count import grouping_facts, grouping_words, reads_of
from dalenius.queries.keys import Keys
from dalenius.queries.moments import BITS, FULL
from dalenius.queries.reach import UnitReach, norm_of
from dalenius.queries.scan import Doubles, Scan
from dalenius.queries.view import Table
from dalenius.queries.weights import WEIGHTS, Contributions, shift


@dataclass(frozen=True, slots=True, init=False)
class CrossMoments:
    """n, Σsᵢ and Σsᵢsⱼ (i ≤ j) with sᵢ = (2xᵢ − lowerᵢ − upperᵢ)/(upperᵢ − lowerᵢ) in [−1, 1], cut toward zero.

    A covariance is (upperᵢ − lowerᵢ)(upperⱼ − lowerⱼ)/4 · (Σsᵢsⱼ/n − Σsᵢ/n·Σsⱼ/n). A row that lacks one of the numbers
    is dropped, or filled, one number for each column.
    """

    inputs: tuple[str, ...]
    bounds: tuple[Bounds, ...]
    keys: Keys | None
    contributions: Contributions | None

    def __init__(
        self,
        columns: Sequence[str],
        bounds: Sequence[Ends],
        keys: Keys | None = None,
        contributions: Contributions | None = None,
        missing: Missing | Sequence[Missing] = "drop",
    ) -> None:
        names = tuple(columns)
        if isinstance(columns, str) or not names or len(set(names)) != len(names):
            raise InvalidParameter(f"columns must be a list of different names, got {columns!r}")
        rules: tuple[Any, ...] = tuple(missing) if isinstance(missing, list | tuple) else (missing,) * len(names)
        if bounds is None or len(bounds) != len(names) or len(rules) != len(names):
            raise InvalidParameter(f"there must be one pair of bounds for each of the {len(names)} columns")
        object.__setattr__(self, "inputs", names)
        object.__setattr__(
            self, "bounds", tuple(Bounds(*declared) for declared in zip(names, bounds, rules, strict=True))
        )
        object.__setattr__(self, "keys", keys)
        object.__setattr__(self, "contributions", contributions)
        for name, held in zip(names, self.bounds, strict=True):
            if not float(held.lower) < float(held.upper):
                raise InvalidParameter(f"bounds of {name!r} must differ from each other, got {held}")

    @property
    def reads(self) -> tuple[str, ...]:
        """The columns it reads."""
        return reads_of(self.keys, self.contributions, *self.inputs)

    @property
    def columns(self) -> tuple[str, ...]:
        """The number of rows as "count", each column, then "a*b" for each pair in order, a column with itself too."""
        pairs = itertools.combinations_with_replacement(self.inputs, 2)
        return ("count", *self.inputs, *(f"{a}*{b}" for a, b in pairs))

    @property
    def lattice(self) -> Lattice:
        """Multiples of 2⁻³⁰; with weights a product is cut to 34 bits."""
        return Lattice(-BITS if self.contributions is None else -BITS + WEIGHTS.exponent + shift(FULL))

    def evaluate(self, view: Table) -> NDArray[np.int64]:
        """All sums, exact."""
        parts = len(self.columns)
        matrix = tuple(tuple((FULL if i == 0 else 1) * (i == j) for j in range(parts)) for i in range(parts))
        fills = tuple(None if held.fill is None else float(held.fill) for held in self.bounds)
        return Scan(self.inputs, fills, self._products, matrix, FULL, self.keys, self.contributions).totals(view)

    def sensitivity(self, unit: Unit, metric: Metric = Metric.L1) -> Sensitivity:
        """A row has 1 + d + d(d+1)/2 parts, each at most 1 and all of them ±1 at a corner: its norms are exact.

        Two rows a, b are apart, in ℓ2 squared, by ‖a − b‖² + ½‖aaᵀ − bbᵀ‖² + ½Σ(aᵢ² − bᵢ²)². With A = ‖a‖², B = ‖b‖²,
        c = ⟨a, b⟩ the first two are A + B − 2c + ½(A² + B²) − c² ≤ A + B + ½(A² + B²) + 1. The whole is then convex
        in the aᵢ² and bᵢ², so largest where they are 0 or 1; each 0 loses at least 3/2 and wins at most ½: all are 1,
        and it is at most (d + 1)². In ℓ1 without the squares the distance is convex in every coordinate, so largest
        at corners: with m signs changed it is 2m(1 + d − m), and each square adds at most 1; or each aᵢ with its
        square at most 9/4 (see CenteredMoments) and the products of different columns at most 2m(d − m).
        """
        d, parts = len(self.inputs), len(self.columns)
        pairs = d * (d + 1) // 2
        norms = {
            Metric.L1: Sensitivity(parts * FULL, Metric.L1),
            Metric.L2: Sensitivity.root(parts * FULL**2, Metric.L2),
            Metric.LINF: Sensitivity(FULL, Metric.LINF),
        }
        near = min(Fraction(2 * ((d + 1) ** 2 // 4) + d), Fraction(9 * d, 4) + 2 * (d**2 // 4))
        # a product cut toward zero moves by less than 2 steps against another
        spreads = {
            Metric.L1: Sensitivity(math.ceil(near * FULL) + 2 * pairs, Metric.L1),
            Metric.L2: Sensitivity((d + 1) * FULL + 2 * pairs, Metric.L2),
            Metric.LINF: Sensitivity(2 * FULL, Metric.LINF),
        }
        reach = UnitReach(
            norm=norms[norm_of(metric)],
            spread=spreads[metric],
            box=2 * FULL,
            most=FULL,
            signed=True,
            parts=parts,
            cells=1 if self.keys is None else len(self.keys),
            dropped=self.keys is not None or any(held.fill is None for held in self.bounds),
        )
        return reach.sensitivity(unit, self.contributions)

    def facts(self) -> dict[str, Any]:
        """Columns, bounds, keys, and what bounds a unit."""
        facts = {"query": "cross moments", "columns": list(self.inputs), "bounds": [b.facts() for b in self.bounds]}
        return facts | grouping_facts(self.keys, self.contributions)

    @escaped
    def __str__(self) -> str:
        words = f"sums and products of {', '.join(self.inputs)} with rows held in {', '.join(map(str, self.bounds))}"
        return words + grouping_words(self.keys, self.contributions)

    def _products(self, numbers: list[Doubles]) -> list[Doubles]:
        scaled = [_scaled(part, held) for part, held in zip(numbers, self.bounds, strict=True)]
        pairs = itertools.combinations_with_replacement(scaled, 2)
        return [*scaled, *(np.trunc(a * b * (1.0 / FULL)) for a, b in pairs)]


def _scaled(numbers: Doubles, bounds: Bounds) -> Doubles:
    """s·2³⁰ cut to a whole number, held within ±2³⁰ whatever the doubles before it did."""
    middle, half = float((bounds.lower + bounds.upper) / 2), float(bounds.width / 2)
    steps: Doubles = np.clip(numbers, float(bounds.lower), float(bounds.upper))
    steps -= middle
    steps *= FULL / half
    np.clip(steps, -float(FULL), float(FULL), out=steps)
    return np.trunc(steps, out=steps)
