"""The contract of randomizers of a number: ε on every two numbers, unbiased, the stated variance."""

import itertools
import math
from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest

from dalenius.errors import InvalidParameter
from dalenius.local.means import MEANS, CodedMean, Duchi, Hybrid, Piecewise
from dalenius.noise import Bits

CODED = [kind(Fraction(e), 4) for kind in MEANS if issubclass(kind, CodedMean) for e in ("0.5", "1", "3")]
EVERY = pytest.mark.parametrize("oracle", CODED, ids=lambda o: f"{o.name}/{o.epsilon}")


def law(oracle, step):
    return [oracle.likelihood(code, step) for code in range(oracle.codes)]


@EVERY
@pytest.mark.theorem("A Def 4.1")
def test_the_enumerated_law_respects_epsilon_on_every_two_numbers(oracle):
    laws = [law(oracle, step) for step in range(oracle.grid + 1)]
    assert all(sum(masses) == 1 for masses in laws)
    worst = max(x / y for a, b in itertools.permutations(laws, 2) for x, y in zip(a, b, strict=True) if x)
    assert math.log(worst) <= oracle.epsilon
    assert math.log(worst) == pytest.approx(float(oracle.epsilon), rel=1e-9)


@EVERY
def test_decoded_reports_are_unbiased_with_the_stated_variance(oracle):
    decoded = oracle.decoded()
    for step in range(oracle.grid + 1):
        t = 2 * step / oracle.grid - 1
        masses = np.array([float(mass) for mass in law(oracle, step)])
        mean = float((masses * decoded).sum())
        assert mean == pytest.approx(t, abs=1e-9)
        assert float((masses * decoded**2).sum()) - mean**2 == pytest.approx(oracle.variance(t), rel=1e-9)


@pytest.mark.parametrize("oracle", [Duchi(Fraction(1), 4), Piecewise(Fraction(1), 1)], ids=lambda o: o.name)
def test_the_code_draws_the_stated_law(oracle):
    numerators = {"duchi": None, "piecewise": getattr(oracle, "inside", None)}
    for step in range(oracle.grid + 1):
        chance = oracle.likelihood(1, step) if oracle.name == "duchi" else Fraction(numerators["piecewise"], 1 << 64)
        threshold = int(chance * (1 << 64))
        masses = defaultdict(Fraction)
        each = Fraction(1, math.prod(oracle.uniforms))
        for draws in itertools.product(*(range(count) for count in oracle.uniforms)):
            for word, mass in ((threshold - 1, chance), (threshold, 1 - chance)):
                words = [np.array([word], np.uint64)]
                code = int(oracle.respond(np.array([step]), words, [np.array([d]) for d in draws])[0])
                masses[code] += mass * each
        assert [masses[code] for code in range(oracle.codes)] == law(oracle, step)


@pytest.mark.parametrize("kind", MEANS, ids=lambda kind: kind.name)
def test_reports_in_bulk_have_the_mean_and_variance(kind):
    oracle, n = kind(Fraction(1)), 100_000
    payloads = oracle.randomize_many(np.full(n, 768), Bits())
    assert oracle.valid(payloads).all()
    first, second = oracle.moments(oracle.tally(payloads))
    mean = first / n + oracle.offset
    error = math.sqrt(oracle.variance(0.5) / n)
    assert abs(mean - 0.5) < 6.2 * error  # false alarm below 1e-9
    assert abs(mean - 0.375) > 6.2 * error  # a quarter less is seen
    assert second / n - (first / n) ** 2 == pytest.approx(oracle.variance(0.5), rel=0.1)
    assert len(oracle.randomize(3, Bits())) == oracle.width


@pytest.mark.parametrize("kind", MEANS, ids=lambda kind: kind.name)
def test_bad_parameters_are_refused(kind):
    for bad in ((0,), (-1,), (31,), (1, 0), (1, True), (1, 2.5)):
        with pytest.raises(InvalidParameter):
            kind(*bad)
    assert kind(Fraction(1)).facts()["oracle"] == kind.name


def test_the_hybrid_beats_its_parts_in_the_worst_case():
    for epsilon in ("0.5", "1", "2", "4"):
        parts = Duchi(Fraction(epsilon)).worst_variance, Piecewise(Fraction(epsilon)).worst_variance
        assert Hybrid(Fraction(epsilon)).worst_variance <= min(parts) * (1 + 1e-9)
