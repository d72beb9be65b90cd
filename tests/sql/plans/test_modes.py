import itertools
import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import dalenius
from dalenius.errors import UnboundedQuery, UnsupportedQuery
from dalenius.guarantees import PureDP
from dalenius.neighbors import Relation, Unit
from dalenius.sql import Policy
from dalenius.sql.planner.compile import compile_query
from dalenius.sql.plans.modes import CellModes

COLUMNS = {"who": "BIGINT", "k": "VARCHAR", "flag": "BOOLEAN"}
VALUES, WEIGHT = 3, 2


def plan_of(by="flag", relation=Relation.ADD_REMOVE):
    """A plan with three values in two cells, in which a unit weighs 2."""
    terms = Policy.declare("t", COLUMNS, unit=Unit("who", relation), keys={"k": ["a", "b", "c"]}, contributions=1)
    grouped = f" GROUP BY {by}" if by else ""
    compiled = compile_query(f"SELECT MODE(k) FROM t{grouped}", terms)
    return CellModes(compiled, replace(compiled.modes[0], steps=WEIGHT, row=1), Fraction(1))


def laws(plan, weights):
    """log P[value] in each cell."""
    return [
        [
            math.log(float(p.mid()))
            for p in plan.mechanism.probabilities([weights[cell, value] for value in range(VALUES)])
        ]
        for cell in range(plan.compiled.cells)
    ]


def loss(one, other):
    """The largest |log ratio| of a tuple of values: the choices are independent."""
    return sum(max(abs(a - b) for a, b in zip(*pair, strict=True)) for pair in zip(one, other, strict=True))


def worst_loss(plan, relation, most=WEIGHT):
    cells = list(itertools.product(range(plan.compiled.cells), range(VALUES)))
    held = [Counter(one) for n in range(most + 1) for one in itertools.combinations_with_replacement(cells, n)]
    random, worst = np.random.default_rng(5), 0.0
    for _ in range(4):
        base = Counter({cell: int(random.integers(0, 5)) for cell in cells})
        listed = [laws(plan, base + unit) for unit in held]
        pairs = itertools.combinations(listed, 2)
        if relation is Relation.ADD_REMOVE:
            pairs = ((listed[0], other) for other in listed)
        worst = max(worst, *(loss(*pair) for pair in pairs))
    return worst


@pytest.mark.theorem("A §5.1 report noisy max")
@pytest.mark.parametrize("by", ["", "flag"])
@pytest.mark.parametrize("relation", Relation)
def test_no_unit_moves_the_choices_of_all_cells_by_more_than_epsilon(by, relation):
    plan = plan_of(by, relation)
    assert plan.guarantee == PureDP(1, relation)
    assert 0.5 < worst_loss(plan, relation) <= 1 + 1e-9


def test_half_the_noise_and_a_unit_without_weights_are_caught():
    plan = plan_of()
    object.__setattr__(plan, "mechanism", plan.mechanism.scaled(Fraction(1, 2)))
    assert worst_loss(plan, Relation.ADD_REMOVE) > 1
    assert worst_loss(plan_of(), Relation.ADD_REMOVE, most=2 * WEIGHT) > 1


def test_the_monotone_law_is_not_enough_for_a_unit_that_is_replaced():
    monotone = plan_of(relation=Relation.ADD_REMOVE)
    assert worst_loss(monotone, Relation.CHANGE_ONE) > 1


@pytest.fixture
def db(tmp_path):
    rows = [(who, "a" if who % 3 else "b", who % 2 == 0, float(who % 4)) for who in range(900)]
    rows += [(1, "c", True, 3.0)] * 5000 + [(2, None, True, math.nan), (3, "other", False, math.inf)]
    table = pa.table(dict(zip(["who", "k", "flag", "x"], map(list, zip(*rows, strict=True)), strict=True)))
    terms = {"unit": "who", "contributions": 2, "keys": {"k": ["a", "b", "c"]}, "bounds": {"x": (0, 3)}, "table": "t"}
    return dalenius.connect(table, ledger=tmp_path / "l", budget={"epsilon": 10**6, "delta": 0.5}, **terms)


def test_the_mode_is_that_of_bounded_people_and_stands_beside_other_answers(db):
    assert db.sql("SELECT MODE(k) AS m FROM t", epsilon=100).value == "a"  # one person's 5000 rows weigh as two
    answer = db.sql("SELECT flag, MODE(k) AS m, COUNT(*) AS n FROM t GROUP BY flag ORDER BY flag", epsilon=1000)
    assert [row[1] for row in answer.rows] == ["a", "a"]
    assert answer.interval(0.95).keys() == {"n"}
    assert db.sql("SELECT MODE(FLOOR(x)) AS m FROM t WHERE x < 2 AND x > 0", epsilon=1000).value == 1
    assert db.sql("SELECT MODE(CASE WHEN k = 'a' THEN 'yes' ELSE 'no' END) AS m FROM t", epsilon=1000).value == "yes"
    assert db.sql("SELECT MODE(flag) AS m FROM t WHERE flag", epsilon=1000).value is True


def test_a_mode_within_keys_that_were_found(db):
    found = db.sql("SELECT x, MODE(k) AS m FROM t GROUP BY x", epsilon=10**4, delta="1e-3", min_units=50, profile=True)
    assert found.rows == [(0, "a"), (1, "a"), (2, "a"), (3, "a")]


def test_the_price_and_the_error_in_rows_are_told(db):
    told = db.explain("SELECT MODE(k) FROM t", epsilon=1)
    assert "rows" in str(told)
    (line,) = told.lines
    assert line.sensitivity == 2
    assert line.error == pytest.approx(2 * math.log(3 * 20), rel=1e-6)  # scale T/ε, three values, β = 1/20
    assert db.sql("SELECT MODE(k) AS m FROM t", epsilon=1).accuracy(0.05) == line.error


@pytest.mark.parametrize(
    ("term", "value"), [("MODE(k) || 'x'", "ax"), ("MODE(FLOOR(CASE WHEN k = 'a' THEN 1 ELSE 2 END)) + 1", 2)]
)
def test_what_is_computed_of_a_mode_stands_above_the_release(db, term, value):
    assert list(db.sql(f"SELECT {term} AS m FROM t", epsilon=1000)) == [(value,)]


@pytest.mark.parametrize(
    ("term", "error"),
    [
        *(("MODE(who)", UnboundedQuery), ("MODE(x)", UnboundedQuery)),
        *(("MODE(DISTINCT k)", UnsupportedQuery), ("MODE(MAX(x))", UnsupportedQuery)),
        ("MODE() WITHIN GROUP (ORDER BY k)", UnsupportedQuery),
    ],
)
def test_what_has_no_rule_is_refused_before_the_charge(db, term, error):
    with pytest.raises(error):
        db.sql(f"SELECT {term} FROM t", epsilon=1)
    assert db.budget.epsilon == 10**6
