from fractions import Fraction

from dalenius.guarantees import GDP, PureDP
from dalenius.ledger import Amount
from dalenius.ledger.cost import Cost
from dalenius.ledger.filters import branches_for, cost_of
from dalenius.ledger.standing import plain_left, standing


def test_a_standing_tells_each_branch_and_how_much_of_it_is_used():
    limit = Amount.limit(1, 1e-6)
    branches = branches_for("auto", limit)
    stands = standing(limit, "auto", branches, [cost_of(PureDP(0.1), branches)])
    sums, concentrated = stands.branches
    assert sums.open
    assert concentrated.open
    assert sums.readings[0].left == Fraction(9, 10)
    assert stands.used == sums.used == Fraction(1, 10)
    assert stands.to_dict()["branches"][0]["meters"][0] == {"symbol": "ε", "cap": "1", "spent": "0.1", "left": "0.9"}
    old = Cost((("sum", None), ("concentrated", (10**6, 0))))  # an entry that was written without a form in sums
    shut = standing(limit, "auto", branches, [old])
    assert [branch.open for branch in shut.branches] == [False, True]
    assert shut.used < 1


def test_where_no_sums_are_kept_the_largest_pure_answer_is_what_is_left():
    branches = branches_for("gaussian", Amount.limit(1, 1e-6))
    left = plain_left(branches, [cost_of(GDP(0.01), branches)])
    (cap,) = branches[0].caps
    (used,) = branches[0].cost(GDP(0.01))
    assert branches[0].cost(PureDP(left.epsilon))[0] <= cap - used
    assert branches[0].cost(PureDP(left.epsilon + Fraction(1, 10**9)))[0] > cap - used
    assert left.delta == 0
