"""The law of the K-norm gradient for least squares: its density, its price between neighbors, its rate."""

import math
from fractions import Fraction

import numpy as np
import pytest

from dalenius.learning.data.box import Box, UnitRows
from dalenius.learning.data.rows import Rows
from dalenius.learning.data.targets import Span
from dalenius.learning.plans.budget import FitBudget
from dalenius.learning.plans.region import STEP_EXPONENT, Region
from dalenius.learning.plans.squared_gradient import GradientDraw, SquaredGradient, least_ridge
from dalenius.learning.solvers.stopped_rejection import STOP_EXPONENT
from dalenius.learning.sums.gram import DIGITS, Equations, NormalSums
from dalenius.neighbors import Relation
from dalenius.noise import Bits

UNIT = 4**DIGITS
ONE = UnitRows(Box.declare((-1, 1), 1), DIGITS, False)


def plan(epsilon=1, relation=Relation.ADD_REMOVE, ridge=None, bound=1, intercept=False, features=1):
    budget = FitBudget.of(epsilon, 0, relation)
    box = Box.declare((-1, 1), features)
    region = Region.of(bound, UnitRows(box, 1, intercept))
    return SquaredGradient(
        box, Span.declare((-1, 1)), budget, intercept, (), region, ridge or least_ridge(budget.epsilon)
    )


def drawn(made, matrix, products, count):
    draw, bits, found = GradientDraw(Equations.of(matrix, products), made.scale(), made.region), Bits(), []
    while len(found) < count:
        cells = draw.attempt(bits)
        if cells is not None:
            found.append([math.ldexp(2 * cell + 1, STEP_EXPONENT - 1) for cell in cells])
    return np.array(found)


def cut_laplace(at, middle, scale, bound):
    """The claimed distribution function: density ∝ exp(−|θ − middle|/scale) on [−bound, bound]."""

    def below(x):
        z = (np.asarray(x, float) - middle) / scale
        return np.where(z < 0, 0.5 * np.exp(np.minimum(z, 0)), 1 - 0.5 * np.exp(-np.maximum(z, 0)))

    return (below(at) - below(-bound)) / (below(bound) - below(-bound))


@pytest.mark.theorem("A Thm 7.11", "A Ex 7.7")
def test_the_law_in_one_dimension_is_the_claimed_density():
    """Dvoretzky–Kiefer–Wolfowitz for the shape and a count for the scale, false alarms 1e-9; 5 % less scale is seen."""
    made = plan()
    P, Q, bound = 30 * UNIT, 21 * UNIT, float(made.region.radius)
    # by the notes with the erratum: exp(−ε/(2(1 + B)) |Q − Pθ|)
    scale = 2 * (1 + bound) / 1 / 30
    runs = 160_000  # 5 % less scale lies 13.5 deviations away: within 6.2 with a probability of 2e-13
    middle = Q / P
    found = drawn(made, np.array([[P]]), np.array([Q]), runs)[:, 0]
    assert np.abs(found).max() <= bound
    steps = cut_laplace(np.sort(found), middle, scale, bound)
    distance = np.abs(steps - np.arange(runs) / runs).max()
    assert distance < math.sqrt(math.log(2e9) / (2 * runs)) + 1 / runs

    def far(values, narrow):
        """The share beyond one scale, in standard deviations from what a law of `narrow` times the scale has."""
        law = cut_laplace([middle - scale, middle + scale], middle, narrow * scale, bound)
        chance = law[0] + 1 - law[1]
        return abs(np.mean(np.abs(values - middle) > scale) - chance) / math.sqrt(chance * (1 - chance) / runs)

    assert far(found, 1.0) < 6.2
    assert far(found, 0.95) > 6.2


def log_laws(P, Q, made, scale=None, grid=401):
    """log density of θ on a grid of Θ, and log P[stop], in closed form: one coefficient, units of a whole square."""
    bound, s = float(made.region.radius), scale or float(made.scale() / UNIT)
    at = np.linspace(-bound, bound, grid)
    density = np.log(P / (2 * s)) - np.abs(Q - P * at) / s
    edges = (Q - P * np.array([bound, -bound])) / s
    laplace = np.where(edges < 0, 0.5 * np.exp(np.minimum(edges, 0)), 1 - 0.5 * np.exp(-np.maximum(edges, 0)))
    accepted = laplace[1] - laplace[0]
    g = 2.0**-STOP_EXPONENT / (1 - 2.0**-STOP_EXPONENT)
    return np.append(density, math.log(g)) - math.log(g + accepted)


def worst(made, scale=None, ridge=None):
    """The largest log ratio between neighbors over hostile data: none, few and many rows, inside and far outside."""
    lam = float(made.ridge if ridge is None else ridge)
    rows = [(x, y) for x in (-1.0, -0.3, 0.0, 0.01, 1.0) for y in (-1.0, 0.0, 0.7, 1.0)]
    most, rim = 0.0, float(made.region.radius)
    for n, slope in [
        (0, 0),
        (0.01, 1),
        (1, -1),
        (3, 0.2),
        (40, 0.9),
        (40, 30.0),
        (5000, 0.5),
        (5000, 3),
        (5, 2 * rim),
        (9, -1.5 * rim),
    ]:
        base = n, n * slope

        def laws(row, base=base):
            return log_laws(base[0] + row[0] ** 2 + lam, base[1] + row[0] * row[1], made, scale)

        if made.budget.relation is Relation.ADD_REMOVE:
            pairs = [(laws(row), log_laws(base[0] + lam, base[1], made, scale)) for row in rows]
        else:
            found = [laws(row) for row in rows]
            pairs = [(one, two) for one in found for two in found]
        most = max(most, *(np.abs(one - two).max() for one, two in pairs))
    return most


def test_a_try_is_accepted_as_often_as_the_proof_takes_it():
    """20 000 tries with the solution outside of Θ; false alarm 1e-9, and a chance 25 % off is seen."""
    made, runs = plan(), 20_000
    P, Q, bits = 3, 6, Bits()
    draw = GradientDraw(Equations.of(np.array([[P * UNIT]]), np.array([Q * UNIT])), made.scale(), made.region)
    found = sum(draw.attempt(bits) is not None for _ in range(runs)) / runs
    g = 2.0**-STOP_EXPONENT / (1 - 2.0**-STOP_EXPONENT)
    claimed = g / math.exp(log_laws(P, Q, made)[-1]) - g
    spread = 6.2 * math.sqrt(claimed * (1 - claimed) / runs)
    assert 0.1 < claimed < 0.9
    assert abs(found - claimed) < spread < 0.25 * claimed - abs(found - claimed)


@pytest.mark.parametrize("relation", Relation)
@pytest.mark.parametrize("epsilon", ["0.1", 1, 4])
@pytest.mark.theorem("A Thm 7.11", "A Ex 7.7")
def test_no_neighbor_is_told_apart_by_more_than_epsilon(epsilon, relation):
    made = plan(epsilon, relation)
    assert worst(made) <= float(made.budget.epsilon) * (1 + 1e-9)


def test_half_the_scale_and_too_small_a_ridge_are_caught():
    """Mutants. Adding a row to none at all multiplies the chance of an answer by 1 + 1/ridge."""
    made = plan(1, bound=8)
    half = float(made.scale() / UNIT) / 2
    assert worst(made) <= 1
    assert worst(made, scale=half) > 1.2
    assert worst(made, ridge=float(made.ridge) / 10) > 1.2


def test_the_printed_constant_wastes_half_of_epsilon():
    """A Ex 7.7 prints ε/(8(1 + B)) for change-one, d = 1, where ε/(4(1 + B)) is enough."""
    made = plan(1, Relation.CHANGE_ONE)
    assert float(made.scale() / UNIT) == pytest.approx(4 * (1 + float(made.region.radius)))
    assert worst(made, scale=8 * (1 + float(made.region.radius))) < 0.75


def test_the_least_ridge_makes_the_determinant_free():
    for epsilon in ("0.01", "0.5", 1, 8):
        ridge = least_ridge(Fraction(epsilon))
        assert math.log1p(1 / float(ridge)) <= float(Fraction(epsilon)) / 2 * (1 + 1e-12)
        assert math.log1p(1 / float(ridge)) >= float(Fraction(epsilon)) / 2 * (1 - 1e-5)


def test_in_three_dimensions_the_gradient_has_the_radius_of_a_gamma_law():
    """Without a rim in reach ‖Q − Pθ‖/scale is Gamma(3), false alarm 1e-9, and P is undone in every direction."""
    made = plan(1, features=2, intercept=True, bound=16)
    half = np.random.default_rng(5).integers(-9000, 9000, (40, 3))
    matrix = half.T @ half * 1000
    theta = np.array([0.3, -0.2, 0.5])
    products = np.round(matrix @ theta).astype(np.int64)
    found = drawn(made, matrix, products, 6000)
    gradient = (products - found @ matrix) / float(made.scale())
    radius = np.sort(np.linalg.norm(gradient, axis=1))
    claimed = 1 - np.exp(-radius) * (1 + radius + radius**2 / 2)
    assert np.abs(claimed - np.arange(6000) / 6000).max() < math.sqrt(math.log(2e9) / 12000) + 1 / 6000
    assert np.abs(gradient.mean(axis=0)).max() < 6.2 * 2 / math.sqrt(6000)  # a coordinate has variance 12/3


def exponent(draw, sizes, runs):
    """Of the median error about the minimiser, by least squares of logarithms."""
    rng, errors = np.random.default_rng(11), []
    for n in sizes:
        x = rng.uniform(-1, 1, (n, 1))
        y = np.clip(0.6 * x[:, 0] + 0.1 * rng.normal(size=n), -1, 1)
        matrix, products = NormalSums.of(ONE, Span.declare((-1, 1)), Fraction(3)).sums([(x, y)])
        found = draw(matrix, products, runs)[:, 0]
        errors.append(np.median(np.abs(found - products[0] / matrix[0, 0])))
    return np.polyfit(np.log(sizes), np.log(errors), 1)[0]


@pytest.mark.theorem("A Thm 7.12")
def test_the_error_falls_as_one_over_n():
    """2000 draws at each size: the exponent has a standard deviation of .012."""
    made = plan(1, bound=2)
    found = exponent(lambda P, Q, runs: drawn(made, P, Q, runs), (500, 2000, 8000, 32000), 2000)
    assert found == pytest.approx(-1, abs=0.1)


@pytest.mark.long
@pytest.mark.theorem("A Thm 7.12")
def test_the_error_falls_as_one_over_n_up_to_a_million_rows():
    made = plan(1, bound=2)
    sizes = (1000, 8000, 64000, 1_000_000)
    assert exponent(lambda P, Q, runs: drawn(made, P, Q, runs), sizes, 20_000) == pytest.approx(-1, abs=0.02)


def test_no_rows_and_far_rows_are_answered_or_stopped_without_failing():
    made = plan(1)
    assert made.run(Rows(np.zeros((0, 1)), np.zeros(0)), Bits()).notes["steps"] == 1
    tilted = np.linspace(-1, 1, 3000)[:, None]
    told = plan(1, bound="0.1").run(Rows(tilted, tilted[:, 0]), Bits()).notes
    assert told["stopped"]
    assert told["weights"] == [[0.0]]
