"""Trade-off functions that are piecewise linear, as exact values.

Vertices are fractions, and every operation here keeps them fractions: evaluation, inverse, convex conjugate, maximum,
envelope of the minimum, chaining, tensor product, subsampling and comparison are exact.
"""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from dalenius.errors import InvalidParameter
from dalenius.numerics import Number, probability, rational

Point = tuple[Fraction, Fraction]
Atom = tuple[Fraction, Fraction]
"""An outcome's masses (under P, under Q)."""


@dataclass(frozen=True, slots=True, init=False)
class Polyline:
    """A trade-off function given by its vertices (α, β), α from 0 to 1  [A Def 13.1, A Prop 13.1].

    >>> f = Polyline([(0, 1), ("1/4", "1/4"), (1, 0)])
    >>> f(Fraction(1, 8)), f.inverse() == f
    (Fraction(5, 8), True)
    """

    vertices: tuple[Point, ...]

    def __init__(self, vertices: Iterable[tuple[Number, Number]]) -> None:
        points = [(rational(x, "alpha"), rational(y, "beta")) for x, y in vertices]
        _check(points)
        object.__setattr__(self, "vertices", tuple(_without_straight(points)))

    def __repr__(self) -> str:
        if len(self.vertices) > 6:
            return f"Polyline(<{len(self.vertices)} vertices>)"
        return f"Polyline([{', '.join(f'({x}, {y})' for x, y in self.vertices)}])"

    @classmethod
    def under(cls, points: Iterable[Point]) -> "Polyline":
        """The largest convex polyline below the points, a bound for every trade-off function on or above them.

        A vertex may be moved left and down first: the curve through moved vertices stays below, as it falls.
        """
        clipped = [(min(max(x, Fraction(0)), Fraction(1)), max(y, Fraction(0))) for x, y in points]
        return cls(_lower_hull([*clipped, (Fraction(1), Fraction(0))]))

    @classmethod
    def of_atoms(cls, atoms: Iterable[Atom]) -> "Polyline":
        """T(P, Q) of a finite pair: the most telling outcomes first, by Neyman and Pearson  [A Def 13.1]."""
        kept = [(p, q) for p, q in atoms if p or q]
        if sum(p for p, _ in kept) != 1 or sum(q for _, q in kept) != 1 or any(p < 0 or q < 0 for p, q in kept):
            raise InvalidParameter("a pair of laws needs masses ≥ 0 that sum to exactly one")
        alpha, beta = Fraction(0), 1 - sum((q for p, q in kept if p == 0), Fraction(0))
        points = [(alpha, beta)]
        for p, q in sorted((atom for atom in kept if atom[0]), key=lambda atom: atom[1] / atom[0], reverse=True):
            alpha, beta = alpha + p, beta - q
            points.append((alpha, beta))
        return cls(points)

    def atoms(self) -> list[Atom]:
        """A pair with this trade-off function: P uniform, Q with slope −f', and 1 − f(0) where P is nil.

        [A Ex 14.1]
        """
        first = [(Fraction(0), 1 - self.vertices[0][1])]
        return first + [
            (x1 - x0, y0 - y1) for (x0, y0), (x1, y1) in zip(self.vertices, self.vertices[1:], strict=False)
        ]

    def __call__(self, alpha: Number) -> Fraction:
        """f(α), exactly."""
        at = probability(alpha, "alpha")
        points = self.vertices
        low, high = 0, len(points) - 1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if points[middle][0] <= at else (low, middle)
        (x0, y0), (x1, y1) = points[low], points[high]
        return y0 + (y1 - y0) * (at - x0) / (x1 - x0)

    @property
    def first_zero(self) -> Fraction:
        """inf{x : f(x) = 0}."""
        return next(x for x, y in self.vertices if y == 0)

    def inverse(self) -> "Polyline":
        """f⁻¹(α) = inf{t : f(t) ≤ α}  [A Prop 13.2]."""
        mirrored = [(y, x) for x, y in self.vertices if x <= self.first_zero]
        if mirrored[0][0] < 1:
            mirrored.insert(0, (Fraction(1), Fraction(0)))
        return Polyline(reversed(mirrored))

    def conjugate(self, slope: Number) -> Fraction:
        """f*(y) = sup over x of yx − f(x), exactly  [A Prop 13.9]."""
        y = rational(slope, "slope")
        return max(y * x - value for x, value in self.vertices)

    def maximum(self, other: "Polyline") -> "Polyline":
        """The pointwise maximum: both bounds hold  [A Rem 13.1, A Prop 13.8]."""
        return Polyline.largest([self, other])

    @classmethod
    def largest(cls, lines: Sequence["Polyline"]) -> "Polyline":
        """The pointwise maximum of many: each is the largest of its pieces' lines, so all pieces' lines together."""
        pieces: dict[Fraction, Fraction] = {}
        for line in lines:
            for (x0, y0), (x1, y1) in pairwise(line.vertices):
                slope = (y1 - y0) / (x1 - x0)
                pieces[slope] = max(y0 - slope * x0, pieces.get(slope, y0 - slope * x0))
        return cls(_upper_envelope(sorted(pieces.items())))

    def symmetrised(self) -> "Polyline":
        """max(f, f⁻¹), which holds when neighbors are symmetric  [A Prop 13.2, A Rem 13.2]."""
        return self.maximum(self.inverse())

    def envelope(self, *others: "Polyline") -> "Polyline":
        """The lower convex envelope of the pointwise minimum: one of the bounds holds  [A Rem 4.2]."""
        return Polyline(_lower_hull([point for line in (self, *others) for point in line.vertices]))

    def chained(self, inner: "Polyline") -> "Polyline":
        """f(1 − g(α)): from P to Q by g, on to R by f  [A Lem 11, A §13.7 chained composition, A Prop 4.2]."""
        back = inner.inverse()
        grid = {x for x, _ in inner.vertices} | {back(1 - x) for x, _ in self.vertices}
        return Polyline((x, self(1 - inner(x))) for x in sorted(grid))

    def grouped(self, size: int) -> "Polyline":
        """Groups of `size`: 1 − (1 − f)^∘k  [A Thm 13.3, A Rem 13.7]."""
        result = IDENTITY
        for _ in range(size):
            result = self.chained(result)
        return result

    def tensor(self, other: "Polyline") -> "Polyline":
        """F ⊗ g: the trade-off function of the product pairs  [A Def 13.5, A Thm 13.4]."""
        return Polyline.of_atoms((p1 * p2, q1 * q2) for p1, q1 in self.atoms() for p2, q2 in other.atoms())

    def sampled(self, rate: Number) -> "Polyline":
        """C_p(f): the envelope of f_p = p·f + (1−p)·(1−α) and its inverse  [A Def 13.6, A Thm 13.7]."""
        p = probability(rate, "rate")
        mixed = Polyline((x, p * y + (1 - p) * (1 - x)) for x, y in self.vertices)
        return mixed.envelope(mixed.inverse())

    def below(self, other: "Polyline") -> bool:
        """Whether f ≤ g everywhere: the pair of f can be processed into that of g, and so tells neighbors apart better.

        [A Thm 13.2]
        """
        grid = {x for x, _ in (*self.vertices, *other.vertices)}
        return all(self(x) <= other(x) for x in grid)


def _check(points: Sequence[Point]) -> None:
    """The four properties of a trade-off function; continuity comes with the form  [A Prop 13.1]."""
    if len(points) < 2 or points[0][0] != 0 or points[-1][0] != 1:
        raise InvalidParameter("a trade-off function needs vertices from alpha = 0 to alpha = 1")
    for x, y in points:
        if y < 0:
            raise InvalidParameter(f"a trade-off function is ≥ 0, got {y} at alpha = {x}")
        if y > 1 - x:
            raise InvalidParameter(f"a trade-off function stays at or below 1 - alpha, got {y} at alpha = {x}")
    previous: Fraction | None = None
    for (x0, y0), (x1, y1) in itertools.pairwise(points):
        if x1 <= x0:
            raise InvalidParameter(f"vertices must have growing alpha, got {x0} before {x1}")
        slope = (y1 - y0) / (x1 - x0)
        if slope > 0:
            raise InvalidParameter(f"a trade-off function does not increase, but does between alpha = {x0} and {x1}")
        if previous is not None and slope < previous:
            raise InvalidParameter(f"a trade-off function is convex, but bends down at alpha = {x0}")
        previous = slope


def _without_straight(points: Sequence[Point]) -> list[Point]:
    kept: list[Point] = []
    for point in points:
        while len(kept) > 1 and _turn(kept[-2], kept[-1], point) == 0:
            kept.pop()
        kept.append(point)
    return kept


def _lower_hull(points: Iterable[Point]) -> list[Point]:
    lowest: dict[Fraction, Fraction] = {}
    for x, y in points:
        lowest[x] = min(y, lowest.get(x, y))
    hull: list[Point] = []
    for point in sorted(lowest.items()):
        while len(hull) > 1 and _turn(hull[-2], hull[-1], point) <= 0:
            hull.pop()
        hull.append(point)
    return hull


def _turn(a: Point, b: Point, c: Point) -> Fraction:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _upper_envelope(lines: Sequence[tuple[Fraction, Fraction]]) -> list[Point]:
    """Vertices on [0, 1] of the largest of the lines (slope, height at 0), given by growing slope."""
    kept: list[tuple[Fraction, Fraction]] = []
    starts: list[Fraction] = []  # where each kept line begins to be the largest
    for slope, height in lines:
        start = Fraction(0)
        while kept:
            start = (kept[-1][1] - height) / (slope - kept[-1][0])
            if start > starts[-1]:
                break
            kept.pop()
            starts.pop()
        start = max(start, Fraction(0)) if kept else Fraction(0)
        if start < 1:
            kept.append((slope, height))
            starts.append(start)
    points = [(x, height + slope * x) for (slope, height), x in zip(kept, starts, strict=True)]
    return [*points, (Fraction(1), kept[-1][0] + kept[-1][1])]


IDENTITY = Polyline([(0, 1), (1, 0)])
"""1 − α: nothing can be told apart  [A Ex 13.1]."""
