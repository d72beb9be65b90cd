import math
from fractions import Fraction

import numpy as np
import pytest

from dalenius.local.oracles import ProjectiveGeometryResponse, SubsetSelection
from dalenius.local.oracles.projective_geometry import best_geometry, pivots_and_vectors, points
from dalenius.noise import Bits


@pytest.mark.parametrize(("q", "t"), [(2, 3), (3, 3), (4, 3), (5, 2), (8, 2)])
def test_points_are_the_vectors_with_a_leading_one_in_order(q, t):
    places, vectors = pivots_and_vectors(points(q, t), q, t)
    assert points(q, t) == (q**t - 1) // (q - 1)
    codes = [int("".join(str(d) for d in column), q) for column in vectors.T]
    assert codes == sorted(codes)
    for place, column in zip(places, vectors.T, strict=True):
        assert column[place] == 1
        assert not column[:place].any()


@pytest.mark.parametrize(("size", "epsilon"), [(13, "1"), (21, "1"), (40, "2"), (10, "3")])
def test_hyperplanes_have_c_points_and_share_i(size, epsilon):
    oracle = ProjectiveGeometryResponse(size, Fraction(epsilon))
    q, t = oracle.order, oracle.length
    incident = oracle._incident(np.arange(size)).astype(int)
    common = incident @ incident.T
    assert np.array_equal(np.diag(common), np.full(size, points(q, t - 1)))
    assert np.array_equal(common[~np.eye(size, dtype=bool)], np.full(size * (size - 1), points(q, t - 2)))


@pytest.mark.parametrize(("epsilon", "q", "t", "stated"), [(1, 3, 7, 3.7611), (2, 7, 5, 0.7308), (4, 53, 3, 0.07533)])
def test_the_formula_has_the_known_values(epsilon, q, t, stated):
    # the figures of primes alone; prime powers do better at 1 and 2
    e, K, c, i = math.exp(epsilon), points(q, t), points(q, t - 1), points(q, t - 2)
    p = 1 / (e * c + K - c)
    P, Q = e * p * c, p * (e * i + c - i)
    assert pytest.approx(stated, rel=2e-4) == Q * (1 - Q) / (P - Q) ** 2
    assert ProjectiveGeometryResponse(1024, Fraction(epsilon)).variance(1) <= stated * (1 + 2e-4)


@pytest.mark.parametrize("size", [1024, 5000])  # geometries of a hundred points are coarser
@pytest.mark.parametrize("epsilon", ["0.5", "1", "2", "3", "4"])
def test_variance_is_within_two_percent_of_subset_selection(size, epsilon):
    ours = ProjectiveGeometryResponse(size, Fraction(epsilon)).variance(1)
    best = SubsetSelection(size, Fraction(epsilon)).variance(1)
    assert ours <= 1.02 * best


def test_best_geometry_has_room_for_the_values():
    for size in (2, 3, 1000, 10**6):
        q, t = best_geometry(size, Fraction(1))
        assert points(q, t) >= size > 0
    assert 4000 < best_geometry(10, Fraction(30))[0] < 4200


def test_supports_do_not_depend_on_whether_they_are_cached(monkeypatch):
    oracle = ProjectiveGeometryResponse(50, Fraction(1))
    tally = oracle.tally(oracle.randomize_many(np.arange(50), Bits()))
    cached = oracle.supports(tally)
    monkeypatch.setattr("dalenius.local.oracles.projective_geometry._CACHED", 0)
    assert np.array_equal(oracle.supports(tally), cached)
    assert np.array_equal(cached, oracle._incident(np.arange(50)).astype(int) @ tally)
    assert oracle.facts()["modulus"] == 7
