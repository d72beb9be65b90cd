import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from scipy.stats import laplace as scipy_laplace
from scipy.stats import norm

from dalenius.errors import InvalidParameter
from dalenius.guarantees import GDP
from dalenius.guarantees.loss import LossDistribution, from_densities, laplace, pairs
from dalenius.guarantees.loss.composition import LossComposition
from dalenius.guarantees.loss.profile import delta_bounds
from tests.guarantees.loss import loss_truth as truth

ALL = {
    "gaussian": pairs.gaussian("0.7"),
    "laplace": pairs.laplace("1.3"),
    "response": pairs.response("0.8"),
    "leaking response": pairs.response("0.8", "0.05"),
    "discrete gaussian": pairs.discrete_gaussian("2.5", 2),
    "discrete laplace": pairs.discrete_laplace("0.4", 3),
    "masses": pairs.from_masses(["0.5", "0.25", "0.25", 0], ["0.1", "0.2", 0, "0.7"]),
    "nothing": pairs.NOTHING,
}
EVERY = ALL | {f"sampled {name}": pair.sampled(Fraction(1, 7)) for name, pair in ALL.items()}


@pytest.mark.parametrize("pair", EVERY.values(), ids=EVERY.keys())
def test_both_laws_have_mass_one(pair):
    first = math.fsum([each.first for each in pair.atoms] + [piece.mass() for piece in pair.pieces])
    other = pair.swapped()
    second = math.fsum([each.first for each in other.atoms] + [piece.mass() for piece in other.pieces])
    assert first + float(pair.infinite) == pytest.approx(1, abs=1e-14)
    assert second + float(pair.vanishing) == pytest.approx(1, abs=1e-14)


@pytest.mark.parametrize("pair", EVERY.values(), ids=EVERY.keys())
def test_swapping_twice_changes_nothing(pair):
    back = pair.swapped().swapped()
    assert [each.loss for each in back.atoms] == [each.loss for each in pair.atoms]
    assert [each.first for each in back.atoms] == pytest.approx([each.first for each in pair.atoms], rel=1e-14)
    assert [piece.mass() for piece in back.pieces] == pytest.approx([piece.mass() for piece in pair.pieces], rel=1e-14)


def laplace_delta(epsilon):
    return 1 - mp.exp((epsilon - mp.mpf("1.3")) / 2) if epsilon < mp.mpf("1.3") else mp.mpf(0)


def discrete_delta(log_weight, shift):
    def delta(epsilon):
        weights = {k: mp.exp(log_weight(k)) for k in range(-60, 61)}
        total = mp.fsum(weights.values())
        gaps = (weights[k - shift] - mp.exp(epsilon) * weights[k] for k in range(-60 + shift, 61))
        return mp.fsum(max(0, gap) for gap in gaps) / total

    return delta


TRUTHS = {
    "gaussian": lambda e: truth.gaussian_delta(mp.sqrt(mp.mpf("0.7")), e),
    "laplace": laplace_delta,
    "response": lambda e: truth.response_delta(mp.mpf("0.8"), 1, e),
    "leaking response": lambda e: mp.mpf("0.05") + mp.mpf("0.95") * truth.response_delta(mp.mpf("0.8"), 1, e),
    "discrete gaussian": discrete_delta(lambda k: -mp.mpf(k * k) / 5, 2),
    "discrete laplace": discrete_delta(lambda k: -mp.mpf("0.4") * abs(k), 3),
    "masses": lambda e: (
        mp.mpf("0.25") + max(0, mp.mpf("0.5") - mp.exp(e) / 10) + max(0, mp.mpf("0.25") - mp.exp(e) / 5)
    ),
}


@pytest.mark.parametrize("name", TRUTHS)
@pytest.mark.parametrize("epsilon", [0.0, 0.3, 0.9])
def test_profile_is_the_closed_form(name, epsilon):
    low, high = delta_bounds(LossComposition.of([(ALL[name], 1)]), epsilon, 1e-5)
    with mp.workdps(40):
        true = TRUTHS[name](mp.mpf(epsilon))
        slack = mp.mpf("1e-10") if name == "discrete laplace" else mp.mpf(0)  # the truth is cut where 2e-11 is left
    assert low <= true + slack
    assert true - slack <= high <= low * (1 + 2e-5) + 1e-14


@pytest.mark.parametrize("name", ["gaussian", "laplace", "response", "discrete laplace"])
def test_noise_further_apart_is_the_pair_of_a_larger_sensitivity(name):
    further = {
        "gaussian": pairs.gaussian(Fraction(63, 10)),
        "laplace": pairs.laplace("3.9"),
        "response": pairs.response("2.4"),
        "discrete laplace": pairs.discrete_laplace("0.4", 9),
    }
    assert ALL[name].grouped(3) == further[name]
    assert ALL[name].grouped(0) == pairs.NOTHING or name == "response"


@pytest.mark.parametrize(
    "build",
    [
        lambda: pairs.gaussian(0),
        lambda: pairs.laplace(-1),
        lambda: pairs.response(1, 2),
        lambda: pairs.discrete_gaussian(1, 0),
        lambda: pairs.discrete_gaussian(10**9),
        lambda: pairs.discrete_laplace(1, True),
        lambda: pairs.discrete_laplace(1, 10**6),
        lambda: pairs.from_masses([1], [0.5, 0.5]),
        lambda: pairs.from_masses([0.333] * 3, [0.333] * 3),
    ],
)
def test_wrong_parameters_are_named(build):
    with pytest.raises(InvalidParameter):
        build()


@pytest.mark.parametrize(
    ("first", "second", "exact"),
    [
        (norm(0.5), norm(0), lambda e: GDP("0.5").delta(e)),
        (scipy_laplace(0.5), scipy_laplace(0), lambda e: LossDistribution.of(laplace("0.5")).delta(e)),
        (norm(0, 1), norm(0, 1.3), None),
    ],
)
def test_a_pair_given_by_densities_dominates_in_both_directions(first, second, exact):
    edges = sorted({*np.linspace(-13, 13, 1041).tolist(), 0.0, 0.5})
    found = LossDistribution.of(from_densities(first, second, edges))
    fine = np.linspace(-14, 14, 200_001)
    for epsilon in (0.0, 0.1, 0.3):
        ways = [
            np.maximum(p.pdf(fine) - math.exp(epsilon) * q.pdf(fine), 0).sum() * (fine[1] - fine[0])
            for p, q in ((first, second), (second, first))
        ]
        truth = max(ways)
        assert found.delta(epsilon) >= truth * (1 - 1e-4)
        assert found.delta(epsilon) <= truth * (1 + 2e-3) + 1e-5
        if exact is not None:
            assert found.delta(epsilon) >= exact(epsilon) * (1 - 1e-12)


def test_edges_of_cells_must_grow():
    for bad in ([0.0], [1.0, 0.0], [0.0, 0.0]):
        with pytest.raises(InvalidParameter, match="edges"):
            from_densities(norm(0), norm(1), bad)
