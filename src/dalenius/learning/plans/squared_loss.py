"""The exponential mechanism for least squares, drawn exactly."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from flint import arb

from dalenius.curator import Outcome
from dalenius.learning.data.rows import Rows
from dalenius.learning.plans.least_squares import ExponentialLeastSquares
from dalenius.learning.plans.region import Region
from dalenius.learning.solvers.stopped_rejection import tried
from dalenius.learning.sums.gram import DIGITS, Equations
from dalenius.noise import Bits
from dalenius.noise.lazy import LazyUniform, settle
from dalenius.numerics import ball, exact, fraction_above, precision

PRECISION = 320


@dataclass(frozen=True, slots=True)
class SquaredLoss(ExponentialLeastSquares):
    """θ of the ball Θ with density ∝ exp(−c L(θ)), L = Σ(y − x·θ)² + λ‖θ‖²: purely ε  [A Ex 7.6, A Thm 7.10].

    L is quadratic, so this is a Gaussian law cut to Θ. About any point m of Θ with g = ∇L(m)/2 = −μm, μ ≥ 0,
    L(θ) = L(m) + 2g·(θ − m) + (θ − m)ᵀP(θ − m); a try draws θ from the Gaussian of the last term and accepts it, in Θ,
    with chance exp(−c(2g·(θ − m) + s)), where s makes the exponent's bracket ≥ 0. Then L(m) − s lies within ηΔ of the
    least value of L in Θ, which one row moves by at most Δ as it does L itself; det P it changes by at most 1 + 1/λ.

    So what a try accepts in S, a(S) = √det P / C · ∫_S exp(−c(L(θ) − L(m) + s)), changes by K·exp(−c l(θ)) with l the
    row's loss, 0 ≤ l ≤ Δ, and K from e^(−cηΔ) to e^(cΔ(1 + η)) √R when a row comes. By the argument of `stopped`, where
    K cancels if a(Θ) falls, the loss of privacy is at most cΔ(1 + η) + ½ log R; for a row that is replaced, twice the
    first term. All in enclosures of whole-number sums, as `SquaredGradient` says.
    """

    method: ClassVar[str] = "exponential mechanism, squared loss"

    @property
    def square_length(self) -> int:
        """1: rows of the unit ball."""
        return 1

    def run(self, view: Rows, bits: Bits) -> Outcome:
        """Sum, find the centre, then draw."""
        draw = LossDraw(self.equations(view), self.rate() / 4**DIGITS, self.region, self.slack)
        return self.region.outcome(self, tried(lambda: draw.attempt(bits), bits))


class LossDraw:
    """Draws about a point of Θ that is all but the least of L in it; all in steps."""

    __slots__ = ("_equations", "_known", "_multiplier", "_rate", "_region", "_slack")

    def __init__(self, equations: Equations, rate: Fraction, region: Region, slack: Fraction) -> None:
        self._equations, self._rate, self._region = equations, rate, region
        self._multiplier = multiplier(equations, region.radius, slack)
        self._slack = slack if self._multiplier else Fraction(0)
        self._known: dict[int, tuple[list[list[arb]], list[arb]] | None] = {}

    def attempt(self, bits: Bits) -> list[int] | None:
        """The cells of θ, or None if the try is not accepted."""
        d = self._equations.size
        uniforms = [LazyUniform(bits) for _ in range(2 * ((d + 1) // 2) + 1)]
        cells: list[int] = []

        def question() -> bool | None:
            if any(uniform.digits == 0 for uniform in uniforms):
                return None
            known = self._at(uniforms[0].length)
            if known is None:
                return None
            root, centre = known
            away = standard_normals([uniform.ball for uniform in uniforms[:-1]], d)
            spread = (2 * ball(self._rate)).sqrt()
            shift = back_substituted(root, [z / spread for z in away])
            inside = self._region.holds([m + s for m, s in zip(centre, shift, strict=True)], cells)
            if not inside:
                return inside
            along = sum((m * s for m, s in zip(centre, shift, strict=True)), arb(0))
            bracket = ball(self._slack) - 2 * ball(self._multiplier) * along
            chance = (-ball(self._rate) * bracket).exp()
            last = uniforms[-1].ball
            return True if last < chance else False if last >= chance else None

        return cells if settle(uniforms, question) else None

    def _at(self, length: int) -> tuple[list[list[arb]], list[arb]] | None:
        """The root of P and the centre, at the working precision."""
        if length not in self._known:
            root = self._equations.root()
            centre = self._equations.solved([arb(q) for q in self._equations.products], ball(self._multiplier))
            self._known[length] = None if root is None or centre is None else (root, centre)
        return self._known[length]


def multiplier(equations: Equations, radius: Fraction, slack: Fraction) -> Fraction:
    """μ ≥ 0 for which m = (P + μI)⁻¹Q is proved to lie in Θ and 2g·(θ − m) ≥ −slack for all θ of Θ.

    2g·(θ − m) = 2μ(‖m‖² − m·θ) ≥ −2μ‖m‖(B − ‖m‖). ‖m‖ falls in μ: 0 if that is proved inside, else by halving, which
    comes as close to ‖m‖ = B, or to μ = 0, as is asked.
    """
    right = [arb(q) for q in equations.products]

    def length(mu: Fraction) -> arb | None:
        solution = equations.solved(right, ball(mu))
        return None if solution is None else sum((value * value for value in solution), arb(0)).sqrt()

    with precision(PRECISION):
        most = ball(radius)
        first = length(Fraction(0))
        if first is not None and first <= most:
            return Fraction(0)
        below = Fraction(0)
        above = fraction_above(sum((q * q for q in right), arb(0)).sqrt() / most) + 1
        while True:
            at = length(above)
            if at is not None and 2 * ball(above) * at * (most - at) <= ball(slack):
                return above
            middle = _short((below + above) / 2)
            inside = length(middle)
            below, above = (below, middle) if inside is not None and inside <= most else (middle, above)


def _short(number: Fraction) -> Fraction:
    return exact(ball(number).mid())


def standard_normals(u: list[arb], d: int) -> list[arb]:
    """Standard normals, by Box and Muller."""
    pairs = zip(u[0::2], u[1::2], strict=True)
    return [(-2 * x.log()).sqrt() * trig for x, y in pairs for trig in (2 * y).sin_cos_pi()][:d]


def back_substituted(root: list[list[arb]], right: list[arb]) -> list[arb]:
    """The solution of Cᵀ s = right."""
    solution: list[arb] = [arb(0)] * len(right)
    for i in reversed(range(len(right))):
        rest = right[i] - sum((root[k][i] * solution[k] for k in range(i + 1, len(right))), arb(0))
        solution[i] = rest / root[i][i]
    return solution
