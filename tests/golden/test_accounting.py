"""Every interval of the accountant, against truths that share none of its code: accounting.toml."""

import tomllib
from fractions import Fraction
from pathlib import Path

import pytest

from dalenius.guarantees import GDP, ApproxDP, LossDistribution, PoissonSampling, PureDP, Shuffled, SubsetSampling
from dalenius.guarantees.budgets.solve import least_scale
from dalenius.guarantees.loss import discrete_gaussian, discrete_laplace, laplace
from dalenius.neighbors import Relation
from tests.golden import accounting_truths

ROWS = tomllib.loads(Path(__file__).with_name("accounting.toml").read_text())["row"]
CHEAP = ("gaussian", "response", "mix", "discrete_laplace", "budgets", "laplace_delta")


def named(rows):
    return pytest.mark.parametrize("row", rows, ids=[row["name"] for row in rows])


def of_law(*laws):
    return [row for row in ROWS if row["law"] in laws]


def sampled(row, sigma):
    return GDP(1 / Fraction(sigma)).amplify(PoissonSampling(Fraction(row["q"]))).repeat(row["times"])


def repeated(row, pair):
    return LossDistribution.of(pair).repeat(row["times"])


def series(part):
    return [Fraction(part["first"]) + i * Fraction(part["step"]) for i in range(part["count"])]


def mixed(row):
    parts = [LossDistribution.of(laplace(size)) for size in series(row["laplace"])]
    return parts[0].compose(*parts[1:], *(GDP(1 / sigma) for sigma in series(row["gaussian"])))


def in_parts(row):
    parts = row.get("parts", 1)
    one = sampled({**row, "times": row["times"] // parts}, row["sigma"])
    total = one
    for _ in range(parts - 1):
        total = total.compose(one)
    return total


def fixed_size(row, sigma):
    sampling = SubsetSampling(row["size"], row["total"])
    return GDP(1 / Fraction(sigma), Relation.CHANGE_ONE).amplify(sampling).repeat(row["times"])


def budgets(row):
    first, *others = (ApproxDP(each, row["slack"]) for each in row["each"])
    return first.compose(*others)


GUARANTEES = {
    "gaussian": lambda row: GDP(1 / Fraction(row["sigma"])).repeat(row["times"]),
    "laplace": lambda row: repeated(row, laplace(row["epsilon0"])),
    "dpsgd": in_parts,
    "response": lambda row: PureDP(row["epsilon0"]).repeat(row["times"]),
    "mix": mixed,
    "subset": lambda row: fixed_size(row, row["sigma"]),
    "budgets": budgets,
    "discrete_gaussian": lambda row: repeated(row, discrete_gaussian(Fraction(row["sigma"]) ** 2)),
    "discrete_laplace": lambda row: repeated(row, discrete_laplace(row["rate"], row["shift"])),
}


def assert_contains(low, high, truth, width):
    assert Fraction(low) <= Fraction(truth) <= Fraction(high)
    assert high - low <= width * high


@pytest.mark.theorem("A Thm 14.2", "A Thm 14.3", "A Rem 14.6", "A Thm 13.7")
@named(of_law(*GUARANTEES))
def test_interval_holds_the_truth_and_is_narrow(row):
    guarantee, delta = GUARANTEES[row["law"]](row), float(Fraction(row["delta"]))
    assert_contains(*guarantee.epsilon_interval(delta), row["truth"], float(row["width"]))
    assert_contains(*guarantee.epsilon_interval(delta, rtol=1e-4), row["truth"], 1e-4)


@named(of_law("calibrate", "calibrate_subset"))
def test_calibration_closes_in_on_the_true_noise(row):
    guarantee = sampled if row["law"] == "calibrate" else fixed_size
    low, high = least_scale(lambda sigma: guarantee(row, sigma), row["epsilon"], row["delta"])
    assert Fraction(row["truth"]) <= high
    assert high <= Fraction(row["truth"]) * (1 + Fraction(row["width"]))
    assert high - low <= Fraction(row["width"]) * high


@named(of_law("curve"))
def test_profile_holds_the_true_delta_at_each_epsilon(row):
    guarantee, epsilons = sampled(row, row["sigma"]), [float(e) for e in row["epsilons"]]
    for low, high, truth in zip(*guarantee.delta_curve(epsilons), row["truth"], strict=True):
        assert_contains(low, high, truth, float(row["width"]))
    for epsilon, truth in zip(epsilons, row["truth"], strict=True):
        assert_contains(*guarantee.delta_interval(epsilon), truth, float(row["width"]))


@named(of_law("delta", "laplace_delta"))
def test_delta_at_one_epsilon_is_held_however_small_it_is(row):
    guarantee = sampled(row, row["sigma"]) if row["law"] == "delta" else repeated(row, laplace(row["epsilon0"]))
    for epsilon, truth in zip(row["epsilons"], row["truth"], strict=True):
        assert_contains(*guarantee.delta_interval(float(epsilon)), truth, float(row["width"]))


@named(of_law("shuffle"))
def test_shuffling_is_proved_at_the_epsilon_of_the_clone_pair(row):
    low, high = Shuffled(row["epsilon0"], row["reports"]).epsilon_interval(float(row["delta"]))
    truth = Fraction(row["truth"])
    assert low < truth <= high
    assert high <= truth * (1 + Fraction(row["width"]))


@pytest.mark.theorem("A Thm 13.7")
def test_fixed_size_bound_is_near_what_two_data_sets_attain():
    (row,) = of_law("subset")
    (attained,) = [r for r in of_law("dpsgd") if "lower bound of fixed size" in r["name"]]
    assert Fraction(row["attained"]) == Fraction(attained["truth"])
    assert Fraction(row["attained"]) < Fraction(row["truth"])


@named([row for row in ROWS if row["law"] in CHEAP or (row["law"] == "laplace" and row["times"] != 1000)])
def test_cheap_truths_are_recomputed_in_two_ways(row):
    for way in (accounting_truths.FIRST, accounting_truths.SECOND):
        assert accounting_truths.agreement(accounting_truths.compute(row, way), row["truth"]) >= 18
