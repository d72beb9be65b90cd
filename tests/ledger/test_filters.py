import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import pairwise
from statistics import NormalDist

import pytest

from dalenius.errors import BudgetExceeded, InvalidParameter, LedgerMismatch, UnprovenClaim
from dalenius.guarantees import GDP, ZCDP, ApproxDP, PureDP, RenyiDP
from dalenius.ledger import Ledger
from dalenius.ledger.amount import Amount
from dalenius.ledger.cost import Cost
from dalenius.ledger.filters import FILTERS, Branch, admitted, branches_for, cost_of, shown_left
from dalenius.mechanisms.shifted import LaplaceLoss
from dalenius.neighbors import Relation


@dataclass(frozen=True)
class Response:
    """The worst (ε, δ) mechanism: with probability δ it gives all away, else randomized response  [KOV15, Thm 3.2]."""

    epsilon: float
    delta: float = 0.0

    @property
    def guarantee(self):
        return ApproxDP(self.epsilon, self.delta)

    def outcomes(self):
        """(probability here, probability under the neighbor) of each answer."""
        likely = math.exp(self.epsilon) / (1 + math.exp(self.epsilon))
        rest = 1 - self.delta
        return (
            (self.delta, 0.0),
            (0.0, self.delta),
            (rest * likely, rest * (1 - likely)),
            (rest * (1 - likely), rest * likely),
        )


@dataclass(frozen=True)
class Rounded:
    """Gaussian noise, the answer told as one of few cells: post-processing, so GDP(μ) holds for it."""

    mu: float
    cells: int = 5

    @property
    def guarantee(self):
        return GDP(self.mu)

    def outcomes(self):
        """(probability here, probability under the neighbor) of each cell; the cells split the outcome evenly."""
        cuts = [NormalDist().inv_cdf(k / self.cells) + self.mu / 2 for k in range(1, self.cells)]

        def masses(mean):
            heights = [0.0, *(NormalDist(mean).cdf(cut) for cut in cuts), 1.0]
            return [high - low for low, high in pairwise(heights)]

        return tuple(zip(masses(self.mu), masses(0), strict=True))


def worst_delta(epsilon, menu, first, admit, steps):
    """The exact δ(ε) of the best analyst of all who choose each next mechanism by the answers so far, or stop.

    `admit(state, mechanism)` is the next state or None. The hockey-stick divergence is a sum over transcripts, so the
    best choice after each prefix is made on its own: a recursion over (state, P(prefix), P'(prefix)).
    """

    @cache
    def value(state, p, q, left):
        best = max(0.0, p - math.exp(epsilon) * q)
        if left == 0 or p == 0.0:
            return best
        for mechanism in menu:
            after = admit(state, mechanism)
            if after is not None:
                total = sum(value(after, p * a, q * b, left - 1) for a, b in mechanism.outcomes() if a > 0)
                best = max(best, total)
        return best

    return value(first, 1.0, 1.0, steps)


def rule(branches):
    """The ledger's own admission, with costs computed once."""
    costs = {}

    def admit(state, mechanism):
        if mechanism not in costs:
            costs[mechanism] = cost_of(mechanism.guarantee, branches)
        after = state + costs[mechanism]
        return after if admitted(branches, after) else None

    return admit


def menu_of(branches, epsilon):
    """Mechanisms around the caps of both branches, with and without δ."""
    half = float(branches[0].kind.meters[1].value(branches[0].caps[1]))
    rho = float(branches[1].kind.meters[0].value(branches[1].caps[0]))
    single = next(e / 1000 for e in range(4000, 0, -1) if ZCDP(rho).rho >= PureDP(e / 1000).concentrated_form.rho)
    sizes = [epsilon, epsilon / 2, epsilon / 4, single, 0.99 * single / math.sqrt(2), 0.99 * single / 2]
    return [Response(round(e, 6)) for e in sizes] + [Response(0.0, half), Response(round(epsilon / 2, 6), half / 2)]


@pytest.mark.parametrize(("epsilon", "delta"), [(1, 0.2), (0.5, 0.1), (1, 0.02), (2, 0.4)])
def test_no_adaptive_analyst_gets_more_than_the_budget_out_of_auto(epsilon, delta):
    branches = branches_for("auto", Amount.limit(epsilon, delta))
    start = Cost.zero(branch.kind.name for branch in branches)
    menu = menu_of(branches, epsilon)
    for steps in (2, 3):
        got = worst_delta(epsilon, menu, start, rule(branches), steps)
        assert got <= delta * (1 + 1e-9)
    assert got >= delta / 2 * (1 - 1e-9)  # the search is no weaker than the analyst who takes δ/2 at once


def gaussians_of(branches):
    """Gaussian answers that fill, and half fill, the branch of concentrated privacy."""
    rho = float(branches[1].kind.meters[0].value(branches[1].caps[0]))
    return [Rounded(round(0.999 * math.sqrt(2 * rho / count), 6)) for count in (1, 2)]


@pytest.mark.parametrize(("epsilon", "delta"), [(1, 0.2), (0.5, 0.1), (2, 0.4)])
def test_no_adaptive_analyst_gets_more_when_gaussian_answers_are_charged_in_both_forms(epsilon, delta):
    branches = branches_for("auto", Amount.limit(epsilon, delta))
    start = Cost.zero(branch.kind.name for branch in branches)
    menu = [*menu_of(branches, epsilon)[:1], *menu_of(branches, epsilon)[3:], *gaussians_of(branches)]
    for mechanism in gaussians_of(branches):
        assert all(units is not None for _, units in cost_of(mechanism.guarantee, branches).parts)
    assert worst_delta(epsilon, menu, start, rule(branches), 2) <= delta * (1 + 1e-9)
    assert worst_delta(epsilon, menu[:1] + menu[-4:], start, rule(branches), 3) <= delta * (1 + 1e-9)


def gaussians_charged_to_one_branch(branches, where):
    """The refuted rule: a Gaussian answer, or a run, moves one branch while the other stays as open as before."""
    costs = {}

    def admit(state, mechanism):
        if mechanism not in costs:
            both = cost_of(mechanism.guarantee, branches)
            free = {kind: (0,) * len(units) for kind, units in both.parts}
            alone = Cost(tuple((kind, units if kind == where else free[kind]) for kind, units in both.parts))
            costs[mechanism] = alone if isinstance(mechanism, Rounded) else both
        after = state + costs[mechanism]
        return after if admitted(branches, after) else None

    return admit


@pytest.mark.parametrize("where", ["sum", "concentrated"])
def test_gaussian_answers_charged_to_one_branch_alone_are_caught(where):
    epsilon, delta = 1, 0.2
    branches = branches_for("auto", Amount.limit(epsilon, delta))
    start = Cost.zero(branch.kind.name for branch in branches)
    menu = [*menu_of(branches, epsilon), *gaussians_of(branches), Rounded(1.2)]
    assert worst_delta(epsilon, menu, start, gaussians_charged_to_one_branch(branches, where), 2) > delta * 1.05


@dataclass(frozen=True)
class GiveShare:
    """The owner's step between two answers: the analyst's share becomes another one; nothing is told."""

    place: int

    def outcomes(self):
        return ((1.0, 1.0),)


def under_changing_shares(shares, start_anew):
    """The ledger's rule for an analyst whose share changes as the answers come; the mutant forgets what was spent."""
    costs = {}
    nothing = Cost.zero(branch.kind.name for branch in shares[0])

    def admit(state, step):
        total, place = state
        if isinstance(step, GiveShare):
            return (nothing if start_anew else total, step.place) if step.place != place else None
        if step not in costs:
            costs[step] = cost_of(step.guarantee, shares[-1])
        after = total + costs[step]
        return (after, place) if admitted(shares[place], after) else None

    return admit


@pytest.mark.parametrize("start_anew", [False, True])
def test_an_analyst_whose_share_changes_learns_no_more_than_the_largest_allows(start_anew):
    limits = [Amount.limit(0.5, 0.1), Amount.limit(1, 0.2)]
    shares = [branches_for("auto", limit) for limit in limits]
    full = menu_of(shares[1], 1)
    menu = [full[0], full[1], full[3], full[6], *gaussians_of(shares[1])[:1], GiveShare(0), GiveShare(1)]
    start = (Cost.zero(branch.kind.name for branch in shares[0]), 0)
    got = worst_delta(1, menu, start, under_changing_shares(shares, start_anew), 4)
    assert (got > 0.2 * 1.05) if start_anew else (got <= 0.2 * (1 + 1e-9))


def of_two_data_sets(branches, joined):
    """Two data sets of the same people: one total for both, or, the mutant, one for each."""
    costs = {}

    def admit(state, step):
        place, mechanism = step.place, step.mechanism
        if mechanism not in costs:
            costs[mechanism] = cost_of(mechanism.guarantee, branches)
        own = 0 if joined else place
        after = state[own] + costs[mechanism]
        return (*state[:own], after, *state[own + 1 :]) if admitted(branches, after) else None

    return admit


@dataclass(frozen=True)
class Asked:
    """A mechanism over one of the data sets."""

    place: int
    mechanism: Response | Rounded

    def outcomes(self):
        return self.mechanism.outcomes()


@pytest.mark.parametrize("joined", [True, False])
def test_joined_data_sets_give_no_more_than_their_one_budget(joined):
    branches = branches_for("auto", Amount.limit(1, 0.2))
    menu = [*menu_of(branches, 1)[:2], menu_of(branches, 1)[3], *gaussians_of(branches)[:1]]
    steps = [Asked(place, mechanism) for place in (0, 1) for mechanism in menu]
    nothing = Cost.zero(branch.kind.name for branch in branches)
    got = worst_delta(1, steps, (nothing, nothing), of_two_data_sets(branches, joined), 2)
    assert (got <= 0.2 * (1 + 1e-9)) if joined else (got > 0.2 * 1.05)


def charged_where_it_fits(branches):
    """The unsound rule: an entry is charged to one branch only, so each of the two can be filled."""
    costs = {}

    def admit(state, mechanism):
        cost = costs.setdefault(mechanism, cost_of(mechanism.guarantee, branches))
        for branch in branches:
            name = branch.kind.name
            after = Cost(tuple((k, (state + cost).units(k) if k == name else state.units(k)) for k, _ in state.parts))
            if branch.within(after):
                return after
        return None

    return admit


def test_charging_only_the_branch_that_fits_is_caught():
    for epsilon, delta in ((1, 0.2), (0.5, 0.1)):
        branches = branches_for("auto", Amount.limit(epsilon, delta))
        start = Cost.zero(branch.kind.name for branch in branches)
        menu = menu_of(branches, epsilon)
        assert worst_delta(epsilon, menu, start, charged_where_it_fits(branches), 3) > delta * 1.05


@pytest.mark.parametrize(("epsilon", "delta"), [(1, 0.2), (0.5, 0.1), (0.2, 0.1)])
def test_all_of_delta_in_each_branch_is_caught(epsilon, delta):
    # the branches of a budget with 2δ: each of the two alone gives (ε, δ), together they do not
    branches = branches_for("auto", Amount.limit(epsilon, 2 * delta))
    start = Cost.zero(branch.kind.name for branch in branches)
    menu = [*menu_of(branches, epsilon), Response(0.0, delta / 2), Response(0.0, delta / 4)]
    assert worst_delta(epsilon, menu, start, rule(branches), 3) > delta * 1.03


@pytest.mark.parametrize("delta", [0, 1e-9, 5e-9])
def test_ten_answers_of_a_tenth_fit_in_one_with_a_little_delta_each(tmp_path, delta):
    ledger = Ledger.open(tmp_path / "x.ledger")
    ledger.create("people", 1, 1e-7, unit="row")
    for _ in range(10):
        ledger.reserve(ApproxDP(0.1, delta), dataset="people", unit="row")
    with pytest.raises(BudgetExceeded, match=r"nothing|ε = 0"):
        ledger.reserve(ApproxDP(0.1, delta), dataset="people", unit="row")


def test_many_small_answers_fit_by_concentration_beyond_the_plain_sum(tmp_path):
    ledger = Ledger.open(tmp_path / "x.ledger")
    ledger.create("people", 1, 1e-3, unit="row")
    fitted = 0
    while ledger.admits(PureDP(0.02), dataset="people"):
        ledger.reserve(PureDP(0.02), dataset="people", unit="row")
        fitted += 1
    assert fitted > 2 * 50
    # what was let through is truly within the budget: the optimal composition of so many
    assert PureDP(0.02).repeat(fitted).delta(1.0) <= 1e-3
    standing = ledger.budget("people")
    assert [branch.open for branch in standing.branches] == [False, True]
    assert 0 <= ledger.remaining("people").epsilon < Fraction(2, 100)
    ledger.verify()


def test_a_gaussian_answer_leaves_both_branches_open(tmp_path):
    ledger = Ledger.open(tmp_path / "x.ledger")
    ledger.create("people", 1, 1e-6, unit="row")
    ledger.reserve(ZCDP("0.000001"), dataset="people", unit="row")
    assert [branch.open for branch in ledger.budget("people").branches] == [True, True]
    assert ledger.admits(PureDP("0.99"), dataset="people")  # charged by ρ alone it was 0.208
    ledger.reserve(RenyiDP({24: "0.001", 64: "0.01"}), dataset="people", unit="row")
    assert [branch.open for branch in ledger.budget("people").branches] == [True, True]
    ledger.verify()


def test_an_entry_that_was_written_without_a_form_keeps_that_branch_shut(tmp_path):
    branches = branches_for("auto", Amount.limit(1, 1e-6))
    old = Cost((("sum", None), ("concentrated", (10**6, 0))))
    assert [branch.within(old) for branch in branches] == [False, True]
    assert not admitted(branches, old + cost_of(PureDP("0.9"), branches))


@pytest.mark.parametrize(
    ("name", "fits", "refused"),
    [
        ("renyi", [PureDP(0.05), GDP(0.02), ZCDP(0.0001), RenyiDP({24: "0.01", 64: "0.1"})], ApproxDP(0.1, 1e-9)),
        ("gaussian", [PureDP(0.05), GDP(0.02)], ZCDP(0.001)),
        ("sum", [PureDP(0.05), ApproxDP(0.1, 1e-9), GDP(0.01)], RenyiDP({2: "0.01"}, Relation.CHANGE_ONE)),
    ],
)
def test_each_filter_takes_what_it_can_add_up_and_refuses_the_rest_with_the_reason(tmp_path, name, fits, refused):
    ledger = Ledger.open(tmp_path / "x.ledger")
    ledger.create("people", 1, 1e-7, unit="row", filter=name)
    for guarantee in fits:
        ledger.reserve(guarantee, dataset="people", unit="row")
    with pytest.raises((UnprovenClaim, LedgerMismatch), match=r"filter|change-one"):
        ledger.reserve(refused, dataset="people", unit="row")
    with pytest.raises(BudgetExceeded, match="people"):
        ledger.reserve(PureDP(3), dataset="people", unit="row")
    left = ledger.remaining("people")
    assert ledger.admits(PureDP(left.epsilon), dataset="people")
    assert not ledger.admits(PureDP(left.epsilon + Fraction(1, 10**11)), dataset="people")
    ledger.verify()


@pytest.mark.parametrize("name", ["renyi", "gaussian"])
def test_the_caps_of_a_filter_give_the_budget(name):
    (branch,) = branches_for(name, Amount.limit(1, 1e-7))
    cap = branch.kind.meters[0].value(branch.caps[0])
    whole = GDP.root(cap) if name == "gaussian" else RenyiDP({branch.order: cap})
    assert whole.delta(1.0) <= 1e-7 * (1 + 1e-9)


def test_the_caps_of_auto_give_half_of_delta_each():
    a, b = branches_for("auto", Amount.limit(1, 1e-7))
    assert a.caps == (10**12, 5 * 10**22)
    assert b.caps[1] + ZCDP(b.kind.meters[0].value(b.caps[0])).delta(1.0) * 1e30 <= 5.0000001e22


def test_filters_that_do_not_exist_or_cannot_be_pure_are_refused():
    with pytest.raises(InvalidParameter, match="'auto', 'sum', 'renyi', 'gaussian'"):
        branches_for("none", Amount.limit(1))
    for name in ("renyi", "gaussian"):
        with pytest.raises(InvalidParameter, match="delta > 0"):
            branches_for(name, Amount.limit(1))
    assert set(FILTERS) == {"auto", "sum", "renyi", "gaussian"}


def test_a_branch_comes_back_from_its_words_and_says_what_is_left():
    for name in FILTERS:
        branches = branches_for(name, Amount.limit(1, 1e-7))
        assert tuple(Branch.from_dict(branch.to_dict()) for branch in branches) == branches
    branches = branches_for("sum", Amount.limit(1, 1e-7))
    assert shown_left(branches, cost_of(PureDP(0.25), branches)) == "ε = 0.75, δ = 1e-07"
    assert shown_left(branches, cost_of(PureDP(2), branches)) == "nothing"


@pytest.mark.parametrize("name", sorted(FILTERS))
def test_a_huge_epsilon_is_refused_at_once(tmp_path, name):
    ledger = Ledger.open(tmp_path / "x.ledger")
    ledger.create("people", 1, 1e-6, unit="row", filter=name)
    with pytest.raises((BudgetExceeded, UnprovenClaim)):
        ledger.reserve(PureDP(10**7), dataset="people", unit="row")
    with pytest.raises((BudgetExceeded, UnprovenClaim)):
        ledger.reserve(LaplaceLoss(Fraction(10**7)), dataset="people", unit="row")
