import itertools
import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

from dalenius.errors import InvalidParameter, MixedMetrics, UnprovenClaim
from dalenius.guarantees import ApproxDP, PureDP
from dalenius.mechanisms import calibrate
from dalenius.mechanisms.partition_selection import PartitionSelection
from dalenius.neighbors import Metric, Relation, Sensitivity
from dalenius.noise import Bits
from dalenius.numerics import precision
from tests.contracts.selection_laws import number
from tests.mechanisms.test_selection import NoBits
from tests.noise.fit import FALSE_ALARM, binomial_p_value
from tests.noise.seeded import ScriptedBits

ONE = Sensitivity(1, Metric.UNITS)
CASES = [
    (Fraction(1), Fraction(1, 10**5)),
    (Fraction(1, 10), Fraction(1, 10**8)),
    (Fraction(3), Fraction(1, 100)),
    (Fraction(1, 2), Fraction(1, 2)),
    (Fraction(20), Fraction(1, 10**12)),
    (Fraction(1, 3), Fraction(9, 10)),
]
PARAMETERS = pytest.mark.parametrize(("epsilon", "delta"), CASES, ids=str)
HAIR = mp.mpf(10) ** -40


@pytest.fixture(autouse=True)
def _sixty_digits():
    with mp.workdps(60):
        yield


def recursion(epsilon, delta, most=2000):
    """π(0), π(1), … until it is 1, from the definition of the optimum."""
    grown, slack, law = mp.exp(number(epsilon)), number(delta), [mp.mpf(0)]
    while law[-1] < 1 and len(law) < most:
        p = law[-1]
        law.append(min(grown * p + slack, 1 - (1 - p - slack) / grown, mp.mpf(1)))
    return law


def stated(mechanism, units):
    with precision(256):
        return mp.mpf(mechanism.chance(units).mid().str(60, radius=False))


def sticks(p, q, epsilon):
    """How much more than e^ε times as likely: named, not named, both ways round."""
    grown = mp.exp(number(epsilon))
    return [p - grown * q, q - grown * p, (1 - p) - grown * (1 - q), (1 - q) - grown * (1 - p)]


@PARAMETERS
def test_the_closed_form_is_the_recursion(epsilon, delta):
    mechanism, law = PartitionSelection(epsilon, delta), recursion(epsilon, delta)
    assert law[-1] == 1
    for units, p in enumerate(law):
        assert abs(stated(mechanism, units) - p) < HAIR
    assert 0 <= mechanism.certain - (len(law) - 1) <= 1
    assert stated(mechanism, mechanism.certain + 10**6) == 1


@PARAMETERS
def test_the_closed_form_of_the_paper(epsilon, delta):
    # Desfontaines, Voss, Gipson and Mandayam, three regimes
    e, d = number(epsilon), number(delta)
    first = 1 + int(mp.floor(mp.log((mp.exp(e) + 2 * d - 1) / (d * (mp.exp(e) + 1))) / e))
    at_first = (mp.exp(first * e) - 1) / (mp.exp(e) - 1) * d
    second = first + int(mp.floor(mp.log(1 + (mp.exp(e) - 1) / d * (1 - at_first)) / e + HAIR))

    def paper(n):
        if n <= first:
            return (mp.exp(n * e) - 1) / (mp.exp(e) - 1) * d
        m = n - first
        later = (1 - mp.exp(-m * e)) * (1 + d / (mp.exp(e) - 1)) + mp.exp(-m * e) * at_first
        return later if n <= second else mp.mpf(1)

    mechanism = PartitionSelection(epsilon, delta)
    for n in range(second + 3):
        assert abs(stated(mechanism, n) - paper(n)) < HAIR


@PARAMETERS
def test_neighbors_are_within_epsilon_and_delta_and_every_step_attains_a_bound(epsilon, delta):
    mechanism = PartitionSelection(epsilon, delta)
    for n in range(min(mechanism.certain + 2, 400)):
        p, q = stated(mechanism, n), stated(mechanism, n + 1)
        worst = max(sticks(p, q, epsilon))
        assert worst <= number(delta) + HAIR
        assert q == 1 or abs(worst - number(delta)) < HAIR  # so no law keeps more


@PARAMETERS
def test_five_percent_more_is_rejected(epsilon, delta):
    law = recursion(epsilon, delta, 400)
    more = [min(mp.mpf(1), p * mp.mpf("1.05")) for p in law]
    assert max(max(sticks(p, q, epsilon)) for p, q in itertools.pairwise(more)) > number(delta) * mp.mpf("1.0001")


def joint(chances):
    """All patterns of named groups, with their chances."""
    return {
        pattern: mp.fprod(p if yes else 1 - p for p, yes in zip(chances, pattern, strict=True))
        for pattern in itertools.product((False, True), repeat=len(chances))
    }


def told(first, second, epsilon):
    grown = mp.exp(number(epsilon))
    return max(mp.fsum(max(mp.mpf(0), p[k] - grown * q[k]) for k in p) for p, q in ((first, second), (second, first)))


@pytest.mark.parametrize("relation", list(Relation))
@pytest.mark.theorem("A Thm 3.3")
def test_a_unit_in_two_groups_is_within_the_guarantee_and_without_the_split_is_not(relation):
    epsilon, delta = Fraction(1), Fraction(1, 50)
    shared, whole = PartitionSelection(epsilon, delta, groups=2), PartitionSelection(epsilon, delta)
    claim = shared.guarantee(ONE, relation)
    caught = False
    # add-remove: two counts rise by one; change-one: two rise, and two others fall
    moves = [(1, 1)] if relation is Relation.ADD_REMOVE else [(1, 1, -1, -1)]
    for move in moves:
        for counts in itertools.product((1, 3, 6), repeat=len(move)):
            after = [n + m for n, m in zip(counts, move, strict=True)]
            laws = [joint([stated(shared, n) for n in side]) for side in (counts, after)]
            assert told(*laws, claim.budget) <= number(claim.slack) + HAIR
            laws = [joint([stated(whole, n) for n in side]) for side in (counts, after)]
            caught = caught or told(*laws, claim.budget) > number(claim.slack)
    assert caught


def test_small_groups_are_never_named_and_neighbors_stay_neighbors():
    plain, later = PartitionSelection(1, "1/100"), PartitionSelection(1, "1/100", min_units=10)
    assert all(stated(later, n) == 0 for n in range(10))
    assert all(stated(later, n + 9) == stated(plain, n) for n in range(20))
    assert later.certain == plain.certain + 9
    assert not later.release(np.full(10_000, 9), Bits()).any()
    for n in range(30):
        assert max(sticks(stated(later, n), stated(later, n + 1), 1)) <= mp.mpf("0.01") + HAIR


def test_a_threshold_without_the_shift_is_rejected():
    # the mutant names nothing below ten and then what π(n) says: at ten the chance jumps
    plain = PartitionSelection(1, "1/100")
    jump = stated(plain, 10)
    assert max(sticks(mp.mpf(0), jump, 1)) > mp.mpf("0.01")


@pytest.mark.parametrize("units", [1, 3, 5])
def test_the_law_that_is_sampled_is_the_law_that_is_claimed_and_others_are_rejected(units):
    # 300 000 draws pass for a chance that is a quarter off with a probability below 1e-15
    mechanism, draws = PartitionSelection(1, "1/50"), 300_000
    found = int(np.count_nonzero(mechanism.release(np.full(draws, units), Bits())))
    p = float(stated(mechanism, units))
    assert binomial_p_value(found, draws, p) > FALSE_ALARM
    for factor in (0.75, 1.25):
        wrong = p * factor if p < 0.5 else 1 - (1 - p) * factor
        assert binomial_p_value(found, draws, wrong) < FALSE_ALARM


class Fixed(ScriptedBits):
    """Words of a script, in place of random ones."""

    __slots__ = ("first",)

    def words(self, dtype, size):
        return np.full(size, self.first, dtype)


@pytest.mark.parametrize(("digits", "answer"), [(0, True), (2**64 - 1, False)])
def test_a_draw_next_to_its_chance_is_settled_by_fresh_digits(digits, answer):
    # π(1) = δ = 1/3, whose first 64 digits leave open on which side U lies
    mechanism = PartitionSelection(1, "1/3")
    bits = Fixed(digits)
    bits.first = 2**64 // 3
    assert mechanism.release([1], bits).tolist() == [answer]
    assert len(bits.seen) == 1


def test_a_million_groups_are_one_call():
    counts = np.arange(10**6) % 40
    named = PartitionSelection(1, "1/1000").release(counts, Bits())
    assert named.dtype == bool
    assert not named[counts == 0].any()
    assert named[counts >= 16].all()


def test_odd_counts_are_read_as_the_nearest_that_make_sense():
    ends = np.array([np.iinfo(np.int64).min, -1, 0, np.iinfo(np.int64).max])
    for mechanism in (PartitionSelection(1, "1/100"), PartitionSelection(1, "1/100", min_units=2**61)):
        assert mechanism.release(ends, Bits()).tolist() == [False, False, False, True]
    assert PartitionSelection(1, "1/100").release([], Bits()).tolist() == []
    tiny = PartitionSelection(Fraction(1, 10**30), Fraction(1, 10**40))
    assert not tiny.release(ends, Bits())[:3].any()


def test_the_guarantee_is_that_of_the_parameters():
    mechanism = PartitionSelection("1/2", "1/1000", groups=5)
    assert mechanism.guarantee(ONE) == ApproxDP("1/2", "1/1000")
    assert mechanism.guarantee(ONE, Relation.CHANGE_ONE) == ApproxDP(1, "1/500", Relation.CHANGE_ONE)
    assert mechanism.guarantee(Sensitivity(3, Metric.UNITS)) == ApproxDP("1/2", "1/1000").group(3)
    assert mechanism.guarantee(Sensitivity(0, Metric.UNITS)).delta(0) == 0
    assert PartitionSelection(1, "9/10").guarantee(ONE, Relation.CHANGE_ONE).slack == 1


def test_calibration_takes_the_target_itself():
    assert calibrate(PartitionSelection, ONE, epsilon=1, delta=1e-6) == PartitionSelection(1, "1e-6")
    for units, relation in itertools.product((2, 5), Relation):
        target = ApproxDP(1, "1e-6", relation)
        proved = PartitionSelection.least(Sensitivity(units, Metric.UNITS), target).guarantee(
            Sensitivity(units, Metric.UNITS), relation
        )
        assert (proved.budget, proved.relation) == (1, relation)
        assert Fraction(999, 10**9) < proved.slack <= Fraction(1, 10**6)
    with pytest.raises(UnprovenClaim):
        calibrate(PartitionSelection, ONE, epsilon=1)
    with pytest.raises(InvalidParameter):
        PartitionSelection.least(Sensitivity(0, Metric.UNITS), ApproxDP(1, "1e-6"))


def test_parameters_are_kept_exactly_and_stored():
    mechanism = PartitionSelection(0.1, 1e-6, 3, 20)
    assert (mechanism.epsilon, mechanism.delta) == (Fraction(1, 10), Fraction(1, 10**6))
    assert PartitionSelection.from_facts(mechanism.facts()) == mechanism
    assert mechanism.scaled(2).epsilon == Fraction(1, 20)


@pytest.mark.parametrize(
    "change",
    [{"epsilon": 0}, {"delta": 0}, {"delta": 1}, {"delta": math.nan}, {"groups": 0}, {"groups": 1.0}, {"min_units": 0}],
    ids=str,
)
def test_bad_parameters_are_named(change):
    with pytest.raises(InvalidParameter, match=next(iter(change))):
        PartitionSelection(**{"epsilon": 1, "delta": "1e-6"} | change)


@pytest.mark.parametrize("answer", [[0.5], [math.nan], [[1, 2]], ["a"], np.array([1], np.uint64)])
def test_what_is_no_vector_of_counts_is_refused_before_any_draw(answer):
    with pytest.raises(InvalidParameter, match="vector of int64") as refusal:
        PartitionSelection(1, "1e-6").release(answer, NoBits())
    assert "nan" not in str(refusal.value)


def test_another_metric_or_notion_is_refused():
    with pytest.raises(MixedMetrics):
        PartitionSelection(1, "1e-6").guarantee(Sensitivity(1, Metric.L1))
    with pytest.raises(UnprovenClaim):
        PartitionSelection.least(ONE, PureDP(1))
