from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import minimize

from dalenius.errors import InvalidParameter
from dalenius.learning.solvers.convex_terms import NEAREST_ERROR, BallDomain, ConvexTerm, Separable

INF = float("inf")
TERMS = [
    Separable((0.5, 0.0, 2.0), (-INF, -0.2, 0.0), (INF, 0.1, INF)),
    Separable((0.0, 0.0, 0.0), (0.0, 0.0, -1.0), (INF, 0.0, 1.0)),
    BallDomain(0.7),
]


@pytest.mark.parametrize("term", TERMS, ids=repr)
def test_nearest_is_the_minimum_that_a_search_finds(term):
    """By scipy, over the weights of Θ."""
    rng = np.random.default_rng(0)
    for pace in (0.1, 1.0):
        point = rng.normal(size=(3, 1))
        there = term.nearest(point, pace)

        def objective(u, point=point, pace=pace):
            return term.value(u[:, None]) + ((u[:, None] - point) ** 2).sum() / (2 * pace)

        if isinstance(term, BallDomain):
            held = {"constraints": {"type": "ineq", "fun": lambda u: term.radius**2 - u @ u}}
        else:
            held = {"bounds": list(zip(term.lower, term.upper, strict=True))}
        start = term.nearest(np.zeros((3, 1)), 1.0)[:, 0]
        searched = minimize(objective, start, method="SLSQP", options={"ftol": 1e-14}, **held)
        assert objective(there[:, 0]) <= searched.fun + 1e-9


@pytest.mark.parametrize("term", TERMS, ids=repr)
def test_floats_are_as_near_to_fractions_as_is_stated(term):
    rng = np.random.default_rng(1)
    for size in (1e-9, 1.0, 1e6):
        point = rng.normal(size=(3, 2)) * size
        exact = np.array([Fraction(v) for v in point.ravel()], object).reshape(3, 2)
        off = term.nearest(exact, Fraction(0.3)).astype(float) - term.nearest(point, 0.3)
        assert np.linalg.norm(off) <= NEAREST_ERROR * (1 + np.linalg.norm(point))


def test_what_is_no_convex_term_is_refused():
    for wrong in (
        lambda: Separable((-1.0,), (0.0,), (1.0,)),
        lambda: Separable((1.0,), (2.0,), (1.0,)),
        lambda: Separable((1.0, 1.0), (2.0,), (3.0,)),
        lambda: BallDomain(0.0),
        lambda: BallDomain(INF),
    ):
        with pytest.raises(InvalidParameter):
            wrong()
    assert all(isinstance(term, ConvexTerm) for term in TERMS)
    assert all(term.facts() for term in TERMS)
