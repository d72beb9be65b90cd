import copy
import itertools
import math
import pickle
from fractions import Fraction

import mpmath
import mpmath as mp
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from dalenius.errors import InvalidParameter, MixedRelations, UnprovenClaim
from dalenius.guarantees import ZCDP, Composition, Guarantee, PureDP
from dalenius.neighbors import Relation
from tests.guarantees.guarantee_truth import between, equal_responses_delta, gaussian_delta, hockey_stick, number, renyi

budgets = st.fractions(0, 20, max_denominator=1000)


def response(epsilon):
    """Randomized response's two laws."""
    p = mp.e ** number(epsilon) / (1 + mp.e ** number(epsilon))
    return (p, 1 - p), (1 - p, p)


@pytest.mark.theorem("A Def 3.3", "D Def 1.1", "A Lem 1", "A Rem 3.3")
@pytest.mark.parametrize("epsilon", [0.01, 0.5, 1, 3])
def test_profile_is_that_of_randomized_response(epsilon):
    p, q = response(epsilon)
    for at in (0, 0.3, 0.9, 2.5):
        assert between(PureDP(epsilon).delta_interval(at), hockey_stick(p, q, at), 1e-14)
    assert PureDP(epsilon).delta_interval(epsilon) == (0.0, 0.0)


@settings(deadline=None, max_examples=100)
@given(st.lists(st.integers(1, 50), min_size=2, max_size=6), st.lists(st.integers(1, 50), min_size=6, max_size=6))
@pytest.mark.theorem("A Lem 1", "A Rem 3.3", "A §3.6 other properties")
def test_no_pair_with_bounded_ratio_exceeds_the_profile(weights, others):
    p = [Fraction(w, sum(weights)) for w in weights]
    q = [Fraction(w, sum(others[: len(p)])) for w in others[: len(p)]]
    largest = max(max(x / y, y / x) for x, y in zip(p, q, strict=True))
    guarantee = PureDP(Fraction(math.nextafter(math.log(largest), math.inf)) * (1 + Fraction(1, 2**50)))
    for at in (0.0, 0.1, 0.7):
        assert hockey_stick(
            [mp.mpf(x.numerator) / x.denominator for x in p], [mp.mpf(y.numerator) / y.denominator for y in q], at
        ) <= (guarantee.delta(at) + 1e-15)


@pytest.mark.theorem("A Rem 3.1")
def test_zero_is_perfect_privacy_and_a_huge_budget_is_none():
    assert PureDP(0).delta(0) == 0.0
    assert PureDP(0).beta(0.3) == 0.7
    assert PureDP(5000).delta(0) > 1 - 1e-12
    assert PureDP(5000).epsilon(0) == 5000


@settings(deadline=None)
@given(budgets, st.floats(1e-12, 0.4))
def test_epsilon_inverts_delta(budget, delta):
    guarantee = PureDP(budget)
    low, high = guarantee.epsilon_interval(delta)
    assert guarantee.delta(high) <= delta * (1 + 1e-15)
    assert low <= high <= float(budget) * (1 + 1e-15) + 1e-300
    if low > 0:
        assert guarantee.delta_interval(low)[1] >= delta


@pytest.mark.theorem("A Thm 3.3", "D Thm 1.3", "A Rem 10.1")
def test_ten_times_a_tenth_is_one():
    assert PureDP(0.1).repeat(10).epsilon(0) == 1.0
    assert PureDP(0.1).compose(*[PureDP(0.1)] * 9).epsilon(0) == 1.0
    assert PureDP(0.1).repeat(10).budget == 1


@pytest.mark.theorem("A Prop 3.2")
@pytest.mark.parametrize("size", [1, 2, 5])
def test_group_rule_is_attained_by_a_chain_of_laplace_shifts(size):
    # the loss between Laplace laws `size` apart is size·ε at the far end
    epsilon = Fraction(1, 3)
    assert PureDP(epsilon).group(size).budget == size * epsilon


@pytest.mark.theorem("A Prop 4.1")
def test_change_one_costs_twice_and_the_way_back_is_closed():
    assert PureDP(0.5).to(Relation.CHANGE_ONE) == PureDP(1, Relation.CHANGE_ONE)
    with pytest.raises(MixedRelations):
        PureDP(0.5, Relation.CHANGE_ONE).to(Relation.ADD_REMOVE)
    with pytest.raises(MixedRelations):
        PureDP(0.5).compose(PureDP(0.5, Relation.CHANGE_ONE))


@pytest.mark.theorem("A Thm 3.4", "A §13.1 power bound")
@pytest.mark.parametrize("epsilon", [0.2, 1.0, 2.0])
def test_no_test_of_randomized_response_beats_beta_and_one_meets_it(epsilon):
    (p, r), _ = response(epsilon)
    # rejecting on the answer "no" has level r and power p; mixing with always/never rejecting fills the rest
    assert PureDP(epsilon).beta(float(r)) == pytest.approx(float(1 - p), rel=1e-12)
    for share in (0.25, 0.5, 0.75):
        assert PureDP(epsilon).beta(float(share * r)) == pytest.approx(float(1 - share * p), rel=1e-12)
        level, miss = float(r + share * (1 - r)), float((1 - share) * (1 - p))
        assert PureDP(epsilon).beta(level) == pytest.approx(miss, rel=1e-12)


@pytest.mark.theorem("A §13.1 power bound")
def test_printed_power_bound_with_e_to_minus_alpha_is_beaten():
    (p, r), _ = response(1)
    printed = min(mp.e * r, 1 - mp.e**-r * (1 - r))
    assert p > printed + 0.25  # a test of level r has power p
    assert 1 - PureDP(1).beta(float(r)) >= p - 1e-12


@pytest.mark.theorem("A Thm 12.1")
@pytest.mark.parametrize("epsilon", [0.1, 1, 4])
@pytest.mark.parametrize("order", [1.01, 1.5, 2, 7, 100])
def test_renyi_is_randomized_response_s_and_below_the_notes(epsilon, order):
    p, q = response(epsilon)
    truth = renyi(p, q, order)
    found = PureDP(epsilon).renyi(order)
    assert truth <= found <= truth * (1 + 1e-12)
    assert found <= order * epsilon**2 / 2
    assert found <= epsilon * (1 + 1e-15)


@pytest.mark.theorem("A Rem 12.1")
def test_limits_of_renyi_are_kl_and_the_largest_loss():
    p, q = response(2)
    kl = sum(x * mp.log(x / y) for x, y in zip(p, q, strict=True))
    assert kl <= PureDP(2).renyi(1) <= kl * (1 + 1e-12)
    assert PureDP(2).renyi(math.inf) == 2.0
    printed_order_one = sum(x * (x / y) for x, y in zip(p, q, strict=True))  # E_P[p/q], without the logarithm
    assert abs(printed_order_one - kl) > 1


def test_forms_for_filters():
    assert PureDP(1).sum_form == (1, 0)
    assert PureDP(1).concentrated_form.delta == 0
    assert float(PureDP(1).concentrated_form.rho) == pytest.approx(math.tanh(0.5))
    assert isinstance(PureDP(1).repeat(3), Composition)
    assert ZCDP(PureDP(1).concentrated_form.rho).renyi(1.5) >= PureDP(1).renyi(1.5)


@pytest.mark.parametrize("bad", [-1, float("nan"), float("inf"), "x", True, None])
def test_bad_budgets_are_refused(bad):
    with pytest.raises(InvalidParameter):
        PureDP(bad)


@pytest.mark.parametrize("bad", [-1, 1.5, True, "2"])
def test_bad_counts_are_refused(bad):
    with pytest.raises(InvalidParameter):
        PureDP(1).repeat(bad)
    with pytest.raises(InvalidParameter):
        PureDP(1).group(bad)


@pytest.mark.parametrize("bad", [-0.1, 1.1, float("nan")])
def test_bad_deltas_and_levels_are_refused(bad):
    with pytest.raises(InvalidParameter):
        PureDP(1).epsilon(bad)
    with pytest.raises(InvalidParameter):
        PureDP(1).beta(bad)


def test_many_small_budgets_look_gaussian_but_are_bounded_exactly():
    assert between(PureDP("0.01").repeat(1000).delta_interval(1), equal_responses_delta("0.01", 1000, 1), 1e-12)
    assert PureDP("0.01").repeat(1000).delta(1) == pytest.approx(float(gaussian_delta(mp.sqrt(1000) / 100, 1)), rel=0.2)


DIGITS = 50
budgets = st.fractions(min_value=0, max_value=30, max_denominator=10**6)
levels = st.fractions(min_value=0, max_value=1, max_denominator=10**6)


def real(x: Fraction | float) -> mpmath.mpf:
    return mpmath.mpf(Fraction(x).numerator) / Fraction(x).denominator


def two_responses(epsilon: Fraction) -> tuple[list, list]:
    """Randomized response on one bit: the laws of its output under bit 0 and bit 1."""
    keep, flip = 1 / (1 + mpmath.exp(-real(epsilon))), 1 / (1 + mpmath.exp(real(epsilon)))
    return [keep, flip], [flip, keep]


def product(*pairs):
    """The laws of independent outputs, seen together."""
    return tuple([math.prod(masses) for masses in itertools.product(*side)] for side in zip(*pairs, strict=True))


def stick(p: list, q: list, epsilon: Fraction) -> mpmath.mpf:
    """Smallest δ at ε, by the definition of (ε, δ)-DP: the sum of (p − e^ε q)⁺ over all outputs."""
    return sum(max(a - mpmath.exp(real(epsilon)) * b, mpmath.mpf(0)) for a, b in zip(p, q, strict=True))


def loss(p: list, q: list) -> mpmath.mpf:
    """The largest log ratio of an event, either way; singletons suffice on a finite range."""
    return max(abs(mpmath.log(a / b)) for a, b in zip(p, q, strict=True))


def type_two(p: list, q: list, alpha: Fraction) -> mpmath.mpf:
    """Smallest type II error of a test of level α between P and Q, by Neyman and Pearson's greedy choice."""
    left, power = real(alpha), mpmath.mpf(0)
    for a, b in sorted(zip(p, q, strict=True), key=lambda pair: pair[0] / pair[1]):
        share = min(mpmath.mpf(1), left / a)
        power += share * b
        left -= share * a
    return 1 - power


def close(x: mpmath.mpf, y: mpmath.mpf) -> bool:
    return abs(x - y) <= mpmath.mpf(10) ** -(DIGITS - 8) * (1 + abs(y))


@pytest.fixture(autouse=True)
def fifty_digits():
    with mpmath.workdps(DIGITS):
        yield


@given(budgets, budgets)
@example(Fraction(1, 10**6), Fraction(0))
@example(Fraction(30), Fraction(30) - Fraction(1, 10**6))
def test_delta_is_that_of_randomized_response_rounded_up_by_an_ulp(budget, at):
    truth = stick(*two_responses(budget), at)
    claimed = PureDP(budget).delta(at)
    if at >= budget:
        assert claimed == 0
        assert truth <= mpmath.mpf(10) ** -40
    else:
        closed = (mpmath.exp(real(budget)) - mpmath.exp(real(at))) / (1 + mpmath.exp(real(budget)))
        assert close(truth, closed)
        assert closed <= claimed <= math.nextafter(float(closed), 2) + 1e-320


@given(budgets, levels)
@example(Fraction(1, 10**6), Fraction(1, 10**6))
@example(Fraction(30), 1 - Fraction(1, 10**6))
def test_epsilon_inverts_delta_at_fifty_digits(budget, delta):
    claimed = PureDP(budget).epsilon(delta)
    inside = mpmath.exp(real(budget)) - real(delta) * (1 + mpmath.exp(real(budget)))
    truth = max(mpmath.mpf(0), mpmath.log(inside)) if inside > 0 else mpmath.mpf(0)
    assert truth * (1 - mpmath.mpf(10) ** -40) <= claimed
    assert claimed <= truth * (1 + mpmath.mpf(2) ** -51) + mpmath.mpf(10) ** -40
    assume(claimed < budget)
    assert stick(*two_responses(budget), Fraction(claimed)) <= real(delta) + mpmath.mpf(10) ** -40


@pytest.mark.parametrize(
    ("budget", "delta", "truth"),
    [
        # log(e^ε₀ − δ(1 + e^ε₀)) in mpmath at 400 digits
        (1000, 1 - Fraction(1, 10**100), 769.741490700595),
        ("1e-300", "1e-301", 8e-301),
        (1e300, 0.5, 1e300),
        (10**6, 0.999, 10**6 + math.log(0.001)),
        (0, 0.3, 0.0),
        (7, 1, 0.0),
    ],
)
def test_epsilon_holds_at_the_extremes(budget, delta, truth):
    claimed = PureDP(budget).epsilon(delta)
    assert math.isclose(claimed, truth, rel_tol=1e-14)
    assert claimed >= truth * (1 - 1e-15)


@pytest.mark.parametrize("budget", [1e300, 10**400, "1e3900"])
def test_a_budget_too_large_for_exp_still_has_true_bounds(budget):
    vast = PureDP(budget)
    assert vast.delta(1) == 1
    assert vast.epsilon(0.5) >= 1e299
    assert (vast.beta(0), vast.beta(0.5), vast.beta(1)) == (1, 0, 0)


def test_zero_budget_tells_nothing_apart():
    nothing = PureDP(0)
    assert str(nothing.epsilon()) == str(nothing.epsilon(0.1)) == str(nothing.delta(0)) == "0.0"
    assert nothing.beta(0.25) == 0.75


@pytest.mark.theorem("A Thm 3.4")
@given(budgets, levels)
@example(Fraction(0), Fraction(1, 2))
@example(Fraction(1), Fraction(0))
@example(Fraction(1), Fraction(1))
def test_beta_is_the_trade_off_of_randomized_response(budget, alpha):
    with mpmath.workdps(DIGITS):
        truth = type_two(*two_responses(budget), alpha)
        claimed = PureDP(budget).beta(alpha)
        assert claimed <= truth + mpmath.mpf(10) ** -40
        assert claimed >= truth * (1 - mpmath.mpf(2) ** -50) - mpmath.mpf(10) ** -36


@pytest.mark.theorem("A Thm 3.4")
@given(
    st.lists(st.integers(1, 50), min_size=2, max_size=5), st.lists(st.integers(1, 50), min_size=5, max_size=5), levels
)
def test_no_pair_of_laws_within_the_budget_does_better_than_beta(weights, others, alpha):
    p = [mpmath.mpf(w) / sum(weights) for w in weights]
    q = [mpmath.mpf(w) / sum(others[: len(weights)]) for w in others[: len(weights)]]
    budget = Fraction(math.ceil(loss(p, q) * 10**12), 10**12)
    assert type_two(p, q, alpha) >= PureDP(budget).beta(alpha) - mpmath.mpf(10) ** -40


@pytest.mark.theorem("A Thm 3.3", "D Thm 1.3")
@given(budgets, budgets)
def test_budget_of_two_responses_is_the_loss_of_both_outputs(one, two):
    with mpmath.workdps(DIGITS):
        both = loss(*product(two_responses(one), two_responses(two)))
        assert close(both, real(PureDP(one).compose(PureDP(two)).budget))


@pytest.mark.theorem("A Thm 3.3", "D Thm 1.3")
def test_budget_of_an_adaptive_second_question_still_adds():
    """The second response answers about another bit, and at a budget, that depend on the first output."""
    first, spent = Fraction(1, 2), [Fraction(1), Fraction(3, 4)]
    with mpmath.workdps(DIGITS):
        a, b = two_responses(first)
        p = [a[i] * mass for i, budget in enumerate(spent) for mass in two_responses(budget)[i]]
        q = [b[i] * mass for i, budget in enumerate(spent) for mass in two_responses(budget)[1 - i]]
        total = PureDP(first).compose(PureDP(max(spent)))
        assert loss(p, q) <= real(total.budget) + mpmath.mpf(10) ** -40
        assert close(loss(p, q), real(total.budget))


def test_shared_randomness_breaks_the_sum():
    """Why the theorem asks for independent randomness: one coin used twice reveals the bit."""
    p, q = [mpmath.mpf(1) / 2] * 2 + [0, 0], [0, 0] + [mpmath.mpf(1) / 2] * 2
    assert stick(p, q, PureDP(0).compose(PureDP(0)).budget) == 1


@given(budgets, st.integers(0, 40))
def test_repeat_equals_composition(budget, times):
    one = PureDP(budget)
    assert one.repeat(times) == PureDP(0).compose(*[one] * times)


@given(st.lists(budgets, min_size=1, max_size=6))
def test_composition_does_not_depend_on_order(parts):
    notions = [PureDP(part) for part in parts]
    assert notions[0].compose(*notions[1:]) == notions[-1].compose(*notions[-2::-1])


@pytest.mark.theorem("A Prop 3.2")
@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_group_budget_is_the_loss_between_data_sets_that_many_rows_apart(size):
    """A response to each of `size` bits: changing all of them costs size times ε, and no less."""
    epsilon = Fraction(3, 10)
    with mpmath.workdps(DIGITS):
        assert close(loss(*product(*[two_responses(epsilon)] * size)), real(PureDP(epsilon).group(size).budget))
        changed_all_but_one = loss(*product(*[two_responses(epsilon)] * (size - 1), ([mpmath.mpf(1)], [mpmath.mpf(1)])))
        assert changed_all_but_one < real(PureDP(epsilon).group(size).budget)


@pytest.mark.theorem("A Prop 4.1")
@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1), Fraction(3)])
def test_changing_one_unit_costs_two_budgets_and_no_less(epsilon):
    """The mechanism answers, for each value v, whether it is present, by a response at ε.

    Adding or removing a unit moves one of the two answers; changing a unit's value moves both.
    """
    with mpmath.workdps(DIGITS):
        yes, no = two_responses(epsilon)

        def mechanism(data: tuple[int, ...]):
            return [math.prod(m) for m in itertools.product(*[yes if v in data else no for v in (0, 1)])]

        add_remove = max(loss(mechanism(()), mechanism((v,))) for v in (0, 1))
        change_one = loss(mechanism((0,)), mechanism((1,)))
        assert close(add_remove, real(epsilon))
        assert close(change_one, real(PureDP(epsilon).to(Relation.CHANGE_ONE).budget))


def test_change_one_says_nothing_about_adding_a_unit():
    """Releasing how many units there are is free under CHANGE_ONE and gives a new unit away under ADD_REMOVE."""
    for wanted in (Relation.ADD_REMOVE, "add-remove"):
        with pytest.raises(MixedRelations):
            PureDP(1, Relation.CHANGE_ONE).to(wanted)


@pytest.mark.parametrize("relation", Relation)
def test_conversion_to_its_own_relation_changes_nothing(relation):
    assert PureDP(1, relation).to(relation) == PureDP(1, relation).to(relation.value) == PureDP(1, relation)


def test_relations_do_not_mix_in_composition():
    with pytest.raises(MixedRelations):
        PureDP(1).compose(PureDP(1, Relation.CHANGE_ONE))


@pytest.mark.parametrize("other", [1, None, "PureDP(1)"])
def test_what_is_no_pure_guarantee_does_not_compose(other):
    with pytest.raises(UnprovenClaim):
        PureDP(1).compose(other)


def test_relation_survives_every_operation():
    start = PureDP(1, Relation.CHANGE_ONE)
    for result in (start.compose(start), start.repeat(3), start.group(2)):
        assert result.relation is Relation.CHANGE_ONE


@pytest.mark.parametrize("bad", [-1, math.nan, math.inf, "x", None, True])
def test_what_is_no_budget_is_refused(bad):
    with pytest.raises(InvalidParameter, match="epsilon"):
        PureDP(bad)


@pytest.mark.parametrize("bad", [-1, 1.5, 2.0, "2", None, True])
def test_what_is_no_count_is_refused(bad):
    for call in (PureDP(1).repeat, PureDP(1).group):
        with pytest.raises(InvalidParameter, match="whole number"):
            call(bad)


@pytest.mark.parametrize("bad", [-0.1, 1.1, math.nan])
def test_what_is_no_probability_is_refused(bad):
    for call in (PureDP(1).epsilon, PureDP(1).beta):
        with pytest.raises(InvalidParameter, match="must"):
            call(bad)


def test_text_rounds_the_cost_up():
    assert str(PureDP("1.0000001")).startswith("1.00001-differential privacy for add-remove neighbors")
    assert str(PureDP(Fraction(1, 3))).startswith("0.333334-differential privacy for add-remove neighbors")
    assert str(PureDP(10)).startswith("10-differential privacy for add-remove neighbors")
    assert repr(PureDP(0.1, Relation.CHANGE_ONE)) == "PureDP(1/10, Relation.CHANGE_ONE)"


def test_guarantee_is_a_plain_value():
    one = PureDP(0.1, Relation.CHANGE_ONE)
    assert isinstance(one, Guarantee)
    assert pickle.loads(pickle.dumps(one)) == copy.deepcopy(one) == one
    assert hash(one) == hash(PureDP("1/10", "change-one"))
    with pytest.raises(AttributeError):
        one.budget = Fraction(0)


def test_no_loss_is_shown_as_none():
    assert str(PureDP("1e-400")).startswith("1e-400-differential")
    assert str(PureDP("1.2345671e-320")).startswith("1.23457e-320-differential")
    assert str(PureDP(0)).startswith("0-differential")


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(1, 9), min_size=3, max_size=3), st.lists(st.integers(1, 9), min_size=3, max_size=3))
@pytest.mark.theorem("D Rem 1.2", "S Def 2.4", "L §2.2 pure privacy", "D Def 1.1")
def test_single_outputs_decide_for_countable_ranges(a, b):
    """max over outputs of the log ratio, in both orders, is the least ε for every event too."""
    p, q = [Fraction(x, sum(a)) for x in a], [Fraction(y, sum(b)) for y in b]
    points = max(max(x / y, y / x) for x, y in zip(p, q, strict=True))
    for mask in range(1, 8):
        x = sum((w for i, w in enumerate(p) if mask >> i & 1), Fraction(0))
        y = sum((w for i, w in enumerate(q) if mask >> i & 1), Fraction(0))
        assert x <= points * y
        assert y <= points * x
    claim = PureDP(Fraction(math.nextafter(math.log(points), math.inf)) * (1 + Fraction(1, 2**50)))
    laws = [[mp.mpf(w.numerator) / w.denominator for w in law] for law in (p, q)]
    for epsilon in (0.0, 0.4, claim.epsilon(0)):  # no event at all has a larger excess than is claimed
        assert max(hockey_stick(*laws, epsilon), hockey_stick(*laws[::-1], epsilon)) <= claim.delta(epsilon) + 1e-15


@pytest.mark.theorem("S Def 2.4")
def test_the_printed_strict_inequality_is_missed_by_randomized_response():
    p, q = Fraction(3, 4), Fraction(1, 4)
    assert p / q == 3  # attained: with < it would not be log 3-DP
    assert PureDP(math.log(3)).delta(math.log(3)) == 0.0


@settings(deadline=None, max_examples=40)
@given(st.lists(st.integers(1, 9), min_size=4, max_size=4), st.lists(st.integers(1, 9), min_size=4, max_size=4))
@pytest.mark.theorem("D Thm 1.4")
def test_a_function_of_the_output_costs_nothing_more(a, b):
    p, q = [Fraction(x, sum(a)) for x in a], [Fraction(y, sum(b)) for y in b]
    before = max(max(x / y, y / x) for x, y in zip(p, q, strict=True))
    merged = [(p[0] + p[2], q[0] + q[2]), (p[1] + p[3], q[1] + q[3])]
    assert max(max(x / y, y / x) for x, y in merged) <= before


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(1, 50), min_size=2, max_size=5), st.lists(st.integers(1, 50), min_size=5, max_size=5))
@pytest.mark.theorem("A Rem 3.3")
def test_events_within_epsilon_force_the_ratio_of_every_outcome(weights, others):
    """The converse: if every event keeps P(S) ≤ e^ε Q(S), so does every outcome; a smaller ε is refuted by one."""
    p = [Fraction(w, sum(weights)) for w in weights]
    q = [Fraction(w, sum(others[: len(p)])) for w in others[: len(p)]]
    largest = max(x / y for x, y in zip(p, q, strict=True))
    events = [c for k in range(1, len(p) + 1) for c in itertools.combinations(range(len(p)), k)]
    assert max(sum(p[i] for i in event) / sum(q[i] for i in event) for event in events) == largest
    assume(largest > Fraction(101, 100))
    smaller = PureDP(Fraction(math.log(largest)) * Fraction(3, 4))
    worst = max(events, key=lambda event: sum(p[i] for i in event) / sum(q[i] for i in event))
    assert sum(p[i] for i in worst) > Fraction(math.exp(smaller.epsilon(0))) * sum(q[i] for i in worst)
    single = [(x, y) for x, y in zip(p, q, strict=True) if x / y == largest]
    assert single[0][0] - Fraction(math.exp(smaller.epsilon(0))) * single[0][1] > 0  # that very outcome has δ > 0
