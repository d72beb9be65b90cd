"""The exponential mechanism for least squares on an ℓ1 ball, drawn exactly."""

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from typing import ClassVar

from flint import arb, fmpz_mat

from dalenius.curator import Outcome
from dalenius.learning.data.box import UnitRows
from dalenius.learning.data.box_rows import BoxRows
from dalenius.learning.data.rows import Rows
from dalenius.learning.plans.least_squares import ExponentialLeastSquares
from dalenius.learning.plans.region import Region
from dalenius.learning.plans.squared_loss import PRECISION, back_substituted, standard_normals
from dalenius.learning.solvers.l1_centre import half_gradient, nearly_least
from dalenius.learning.solvers.stopped_rejection import tried
from dalenius.learning.sums.gram import DIGITS, Equations
from dalenius.noise import Bits
from dalenius.noise.lazy import LazyUniform, settle
from dalenius.numerics import ball, precision

MOST_COEFFICIENTS = 32
"""Beyond them the centre takes minutes to find, and a corner of the ball is too sharp to be hit."""
STOP_EXPONENT = 16
"""γ = 2⁻¹⁶: at a corner of the ball few tries are accepted."""


@dataclass(frozen=True, slots=True)
class SquaredLossL1(ExponentialLeastSquares):
    """θ of Θ = {‖θ‖₁ ≤ B} with density ∝ exp(−c L(θ)), L = Σ(y − x·θ)² + λ‖θ‖², rows with ‖x‖∞ ≤ 1  [A Ex 7.6].

    As printed: |x·θ| ≤ ‖x‖∞‖θ‖₁, so one row's loss is at most Δ = (1 + B)² whatever the number of features, and the
    base measure is uniform on Θ. `SquaredLoss` has the proof, in which three things change. The centre m of Θ has
    L(m) − s ≤ min L ≤ L(m) with s ≤ ηΔ, exactly (`nearly_least`). A try is drawn from the Gaussian about m, or from
    the uniform law on Θ, whichever has the smaller bound Z above its density's integral:

        a(S) = ∫_S exp(−c(L(θ) − L(m) + s)) / Z,    Z = min((π/c)^(d/2)/√det P, (2B)ᵈ/d!).

    A row that comes raises det P by a factor of at most R = 1 + d/λ, for its square length is at most d, and the volume
    not at all: so 1/Z grows by at most √R, and the loss of privacy is at most cΔ(1 + η) + ½ log R; for a row that is
    replaced, twice the first term. Which of the two is smaller is settled by enclosures.
    """

    method: ClassVar[str] = "exponential mechanism, squared loss, ℓ1 ball"

    @property
    def rows(self) -> BoxRows:
        """Rows whose coordinates are within ±1."""
        return BoxRows(self.box, DIGITS, self.intercept)

    @property
    def square_length(self) -> int:
        """d, one for each coordinate."""
        return self.rows.width

    def draw(self, equations: Equations) -> "L1Draw":
        """The law of the coefficients for these sums, in steps."""
        return L1Draw(equations, self.rate() / 4**DIGITS, self.region, self.slack)

    def run(self, view: Rows, bits: Bits) -> Outcome:
        """Sum, find the centre, then draw; told as weights on rows of the unit ball, as every model is."""
        law = self.draw(self.equations(view))
        longest = UnitRows(self.box, DIGITS, self.intercept).radius
        return self.region.outcome(self, tried(lambda: law.attempt(bits), bits, STOP_EXPONENT), longest)


class L1Draw:
    """Draws about a point of Θ that is all but the least of L in it; all in steps."""

    __slots__ = ("_centre", "_equations", "_known", "_rate", "_region", "_slack", "_slope", "uniform")

    def __init__(self, equations: Equations, rate: Fraction, region: Region, slack: Fraction) -> None:
        self._equations, self._rate, self._region = equations, rate, region
        self._centre: list[Fraction] | None = None
        self._slope, self._slack = [Fraction(0)] * equations.size, Fraction(0)
        if not _solution_is_inside(equations, region.radius):
            self._centre, self._slack = nearly_least(equations, region.radius, slack)
            self._slope = half_gradient(equations, self._centre)
        self.uniform = _volume_is_smaller(equations, rate, region.radius)
        self._known: dict[int, tuple[list[list[arb]], list[arb]] | None] = {}

    def attempt(self, bits: Bits) -> list[int] | None:
        """The cells of θ, or None if the try is not accepted."""
        d = self._equations.size
        size = d + 1 if self.uniform else 2 * ((d + 1) // 2)
        uniforms = [LazyUniform(bits) for _ in range(size + 1)]
        cells: list[int] = []

        def question() -> bool | None:
            if any(uniform.digits == 0 for uniform in uniforms):  # a logarithm is not bounded yet
                return None
            known = self._at(uniforms[0].length)
            if known is None:
                return None
            root, centre = known
            given = [uniform.ball for uniform in uniforms[:-1]]
            if self.uniform:
                theta = _in_the_ball(given, self._region.radius)
                shift = [value - m for value, m in zip(theta, centre, strict=True)]
            else:
                spread = (2 * ball(self._rate)).sqrt()
                shift = back_substituted(root, [z / spread for z in standard_normals(given, d)])
                theta = [m + s for m, s in zip(centre, shift, strict=True)]
            inside = self._region.holds(theta, cells)
            if not inside:
                return inside
            chance = (-ball(self._rate) * self._above(shift)).exp()
            last = uniforms[-1].ball
            return True if last < chance else False if last >= chance else None

        return cells if settle(uniforms, question) else None

    def _above(self, shift: list[arb]) -> arb:
        """2g·(θ − m) + s, and (θ − m)ᵀP(θ − m) where the try does not bring it: what L(θ) lies above L(m) − s."""
        linear = sum((ball(g) * s for g, s in zip(self._slope, shift, strict=True)), arb(0))
        above = ball(self._slack) + 2 * linear
        if not self.uniform:
            return above
        rows = zip(self._equations.matrix, shift, strict=True)
        return above + sum(
            (s * sum((a * t for a, t in zip(row, shift, strict=True)), arb(0)) for row, s in rows), arb(0)
        )

    def _at(self, length: int) -> tuple[list[list[arb]], list[arb]] | None:
        """The root of P and the centre, at the working precision."""
        if length not in self._known:
            root = self._equations.root()
            if self._centre is None:
                centre = self._equations.solved([arb(q) for q in self._equations.products])
            else:
                centre = [ball(m) for m in self._centre]
            self._known[length] = None if root is None or centre is None else (root, centre)
        return self._known[length]


def _solution_is_inside(equations: Equations, radius: Fraction) -> bool:
    """Whether ‖P⁻¹Q‖₁ ≤ B is proved; where it is not, another centre does as well."""
    with precision(PRECISION):
        solution = equations.solved([arb(q) for q in equations.products])
        return solution is not None and bool(sum(map(abs, solution), arb(0)) <= ball(radius))


def _volume_is_smaller(equations: Equations, rate: Fraction, radius: Fraction) -> bool:
    """Whether ((2B)ᵈ/d!)² < (π/c)ᵈ/det P: settled in the end, for π is no root of a rational number."""
    d = equations.size
    determinant = Fraction(int(fmpz_mat([list(row) for row in equations.matrix]).det()))
    square = (2 * radius) ** (2 * d) / math.factorial(d) ** 2 * determinant * rate**d
    for turn in count():
        with precision(PRECISION << turn):
            gaussian = arb.pi() ** d
            if ball(square) < gaussian:
                return True
            if ball(square) > gaussian:
                return False
    raise AssertionError


def _in_the_ball(uniforms: list[arb], radius: Fraction) -> list[arb]:
    """Uniform on ‖θ‖₁ ≤ B: exponentials over the sum of one more of them, with signs, both from 2u − 1."""
    places = [2 * u - 1 for u in uniforms]
    lengths = [-abs(place).log() for place in places]
    total = sum(lengths, arb(0))
    return [ball(radius) * _signed(place, length) / total for place, length in zip(places[:-1], lengths, strict=False)]


def _signed(place: arb, length: arb) -> arb:
    return length if place > 0 else -length if place < 0 else length.union(-length)
