"""The contract: every oracle of the catalog, at every size and ε."""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from flint import ctx

from dalenius.errors import InvalidParameter
from dalenius.guarantees import PureDP
from dalenius.local.oracles import ORACLES, HadamardResponse, KAryResponse, Rappor
from dalenius.local.oracles.unary import UnaryOracle
from dalenius.neighbors import Relation
from dalenius.noise import Bits
from tests.local.oracles.contract import SMALL, breaches, label, law, law_of_the_code, law_of_the_words
from tests.noise.fit import FALSE_ALARM, chi_square

EVERY = pytest.mark.parametrize("oracle", SMALL, ids=label)
DRAWN_AT_ONCE = [oracle for oracle in SMALL if not isinstance(oracle, Rappor)]
"""RAPPOR draws in two rounds, whose laws test_rappor holds against the code."""


@pytest.fixture(autouse=True)
def digits():
    before, ctx.prec = ctx.prec, 256
    yield
    ctx.prec = before


@EVERY
@pytest.mark.theorem("A Def 4.1", "A Rem 4.4")
def test_the_enumerated_law_respects_epsilon_on_every_two_values(oracle):
    found = breaches(oracle)
    if isinstance(oracle, Rappor):  # one round says less than the permanent answer that its odds are about
        assert set(found) <= {"odds are not attained"}
        rounds = law(oracle, 0), law(oracle, 1)
        assert max(rounds[0][y] / rounds[1][y] for y in rounds[0]) == oracle.round_odds
    else:
        assert found == []
    assert oracle.guarantee() == PureDP(oracle.epsilon, Relation.CHANGE_ONE)
    assert oracle.guarantee(3).epsilon(0) == pytest.approx(3 * float(oracle.epsilon), rel=1e-15)


@pytest.mark.parametrize("oracle", DRAWN_AT_ONCE, ids=label)
def test_the_code_draws_the_stated_law(oracle):
    for value in range(oracle.size):
        made = law_of_the_words(oracle, value) if isinstance(oracle, UnaryOracle) else law_of_the_code(oracle, value)
        stated = {payload: mass for payload, mass in law(oracle, value).items() if mass}
        assert {payload: mass for payload, mass in made.items() if mass} == stated


@EVERY
def test_estimates_are_unbiased_and_have_the_stated_variance(oracle):
    for value in range(oracle.size):
        mean = [Fraction(0)] * oracle.size
        for payload, mass in law(oracle, value).items():
            row = np.frombuffer(payload, np.uint8)[None, :]
            assert oracle.valid(row).all()
            for w, supported in enumerate(oracle.supports(oracle.tally(row)).tolist()):
                assert supported in (0, 1)
                mean[w] += mass * supported
        assert mean == [oracle.own if w == value else oracle.other for w in range(oracle.size)]
    # each report is a coin with chance p or q, so C_v is a sum of such coins, and these are its variances
    p, q = float(oracle.own), float(oracle.other)
    assert oracle.variance(10, 0.3) == pytest.approx((3 * p * (1 - p) + 7 * q * (1 - q)) / (10 * (p - q)) ** 2)
    y = 0.3 * p + 0.7 * q
    assert oracle.population_variance(10, 0.3) == pytest.approx(y * (1 - y) / (10 * (p - q) ** 2))


@pytest.mark.parametrize("oracle", [o for o in SMALL if o.size == 6], ids=label)
def test_reports_in_bulk_and_one_by_one_have_the_stated_law(oracle):
    n, value = 20_000, 3
    bulk = oracle.randomize_many(np.full(n, value), Bits())
    single = np.frombuffer(b"".join(oracle.randomize(value, Bits()) for _ in range(n // 20)), np.uint8)
    stated, swapped = law(oracle, value), law(oracle, 1)
    places = {payload: place for place, payload in enumerate(stated)}
    for rows in (bulk, single.reshape(-1, oracle.width)) if len(places) < 40 else (bulk,):
        counts = np.bincount([places[bytes(row)] for row in rows], minlength=len(places)).astype(float)
        assert chi_square(counts, np.array([float(mass) for mass in stated.values()])) > FALSE_ALARM
        if len(rows) == n and oracle.epsilon >= 1 and not isinstance(oracle, Rappor):
            assert chi_square(counts, np.array([float(mass) for mass in swapped.values()])) < FALSE_ALARM


@dataclass(frozen=True, slots=True)
class Swapped(HadamardResponse):
    """A mutant: the wanted half of the columns is the other one."""

    def respond(self, values, keep, draws):
        return super(Swapped, self).respond(values, ~keep, draws)


@dataclass(frozen=True, slots=True)
class TooLoud(KAryResponse):
    """A mutant: the coin is one unit of 2⁻⁶⁴ above the largest that keeps ε."""

    def _numerator(self):
        return super(TooLoud, self)._numerator() + 1


@dataclass(frozen=True, slots=True)
class Lopsided(KAryResponse):
    """A mutant: moved values never become 0."""

    def respond(self, values, keep, draws):
        return np.maximum(super(Lopsided, self).respond(values, keep, draws), 1)


def test_broken_oracles_are_caught():
    swapped = Swapped(5, Fraction(1))
    assert law_of_the_code(swapped, 2) != law(swapped, 2)
    lopsided = Lopsided(5, Fraction(1))
    assert law_of_the_code(lopsided, 2) != law(lopsided, 2)
    assert breaches(KAryResponse(5, Fraction(1))) == []
    assert breaches(TooLoud(5, Fraction(1))) == ["odds above e^epsilon"]


def mean_squared_error_over_formula(kind, epsilon, size, people, runs):
    """Mean over runs and values of (error)²/variance, with a few common values and many rare ones."""
    oracle, bits = kind(size, epsilon), Bits()
    values = np.minimum(np.arange(people) % (size * 3), size - 1) if size > 2 else np.arange(people) % 2
    true = np.bincount(values, minlength=size) / people
    p, q = float(oracle.own), float(oracle.other)
    variance = (true * p * (1 - p) + (1 - true) * q * (1 - q)) / (people * (p - q) ** 2)
    total = 0.0
    for _ in range(runs):
        supports = oracle.supports(oracle.tally(oracle.randomize_many(values, bits)))
        total += float((((supports / people - q) / (p - q) - true) ** 2 / variance).mean())
    return total / runs


@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(1), Fraction(3)], ids=str)
@pytest.mark.parametrize("kind", ORACLES, ids=lambda kind: kind.name)
def test_variance_is_within_five_percent_of_the_formula(kind, epsilon):
    # 160 × 256 squared errors: their mean has a standard deviation of 0.7 %, so 5 % is 7 of them
    ratio = mean_squared_error_over_formula(kind, epsilon, 256, 700, 160)
    assert abs(ratio - 1) < 0.05


@pytest.mark.long
@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(1), Fraction(3)], ids=str)
@pytest.mark.parametrize("kind", ORACLES, ids=lambda kind: kind.name)
def test_variance_at_a_million_people_is_within_five_percent_of_the_formula(kind, epsilon):
    ratio = mean_squared_error_over_formula(kind, epsilon, 1024, 1_000_000, 10)
    assert abs(ratio - 1) < 0.05 + 0.04  # ten runs have a standard deviation of 1.4 %


@EVERY
def test_the_odds_are_as_near_to_e_to_the_epsilon_as_64_digits_allow(oracle):
    assert math.log(oracle.odds) == pytest.approx(float(oracle.epsilon), rel=1e-12)


@pytest.mark.parametrize(("size", "epsilon"), [(1, 1), (2.5, 1), (True, 1), (2**31 + 1, 1), (4, 0), (4, -1), (4, 31)])
@pytest.mark.parametrize("kind", ORACLES, ids=lambda kind: kind.name)
def test_bad_parameters_are_refused(kind, size, epsilon):
    with pytest.raises(InvalidParameter):
        kind(size, epsilon)


def test_numbers_of_reports_are_refused_by_name():
    for bad in (0, -1, 1.5, True):
        with pytest.raises(InvalidParameter, match="reports must be"):
            KAryResponse(3, Fraction(1)).variance(bad)
