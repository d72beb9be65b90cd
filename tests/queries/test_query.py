"""What every query promises, for all of them."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.errors import DaleniusError, InvalidParameter
from dalenius.neighbors import Metric, Relation, Sensitivity, Unit
from dalenius.queries import (
    Bins,
    CenteredMoments,
    Contributions,
    Count,
    CrossMoments,
    Distinct,
    DistinctUnits,
    Keys,
    Moments,
    Query,
    Sum,
    Table,
    fine_lattice,
)
from tests.queries.neighbors import KEYS, NUMBERS, UNITS, row_neighbors, table, too_far, unit_neighbors

ONE, TWO = Keys("k", ["a"]), Keys("k", ["a", 1, "absent"])
PAIRS = Keys.product(Keys("k", ["a", "b"]), Keys("y", [0, 5]))


def queries(bound):
    """One of each, with each option, bounded for units or not."""
    return [
        Count(contributions=bound),
        Count(TWO, bound),
        Count(PAIRS, bound),
        Sum("x", (0, 10), contributions=bound),
        Sum("x", (10, 11), contributions=bound),
        Sum("x", (10, 11), contributions=bound, missing=11),
        Sum("x", (-5.5, 3.25), ONE, bound),
        Sum("x", (-9, -8.5), TWO, bound, "nearest"),
        Sum("x", (-4, 4), contributions=bound, lattice=fine_lattice((-4, 4))),
        Moments("x", (0, 10), 1, contributions=bound),
        Moments("x", (-3, 7.7), 2, None, bound, "nearest"),
        Moments("x", (0, 10), 2, TWO, bound, count_missing=True),
        Moments("x", (0, 10), 1, contributions=bound, count_missing=True),
        CrossMoments(["x"], [(0, 10)], contributions=bound, missing=3),
        CrossMoments(["x", "y"], [(0, 10), (-1, 1)], ONE, bound),
        CrossMoments(["x", "y"], [(0, 10), (-1, 1)], None, bound, (5, "nearest")),
        Distinct("x", contributions=bound),
        Distinct("x", TWO, bound, salt="s"),
        Bins("x", [0, 5, 10, 15], bound),
        Bins("x", [-7.5, 0, 0.25, 11], bound),
    ]


FREE = [
    *(Sum("x", (0, 2**53)), Sum("x", (0, 2**53), TWO), Sum("x", (-(2**800), 1.5))),
    *(CenteredMoments("x", (0, 10), degree, missing) for degree in (1, 2) for missing in ("nearest", 7)),
]
ROW_QUERIES: list[Query[Table]] = [*queries(None), *FREE]
UNIT_QUERIES: list[Query[Table]] = [
    *queries(Contributions("u", 2)),
    Count(TWO, Contributions("u", 1000)),
    DistinctUnits(Contributions("u", 1)),
    DistinctUnits(Contributions("u", 1), TWO),
    DistinctUnits(Contributions("u", 2), PAIRS),
]
ROW = st.tuples(*(st.sampled_from(pool) for pool in (NUMBERS, NUMBERS, KEYS, UNITS)))
ROWS, POOL = st.lists(ROW, max_size=6), st.lists(ROW, min_size=3, max_size=3)
RELATIONS = list(Relation)


def named(queries):
    return pytest.mark.parametrize("query", queries, ids=[f"{i} {query}" for i, query in enumerate(queries)])


@pytest.mark.theorem("A Def 3.4", "A Rem 3.9", "A Ex 3.4")
@pytest.mark.parametrize("relation", RELATIONS)
@named(ROW_QUERIES)
@settings(max_examples=10)
@given(rows=ROWS, pool=POOL)
def test_no_row_moves_an_answer_further_than_its_sensitivity(query, relation, rows, pool):
    unit = Unit.row(relation)
    assert not too_far(query, rows, row_neighbors(rows, pool, unit), unit)


@pytest.mark.theorem("G complaints count", "A Def 3.4")
@pytest.mark.parametrize("relation", RELATIONS)
@named(UNIT_QUERIES)
@settings(max_examples=10)
@given(rows=ROWS, pool=POOL)
def test_no_unit_moves_an_answer_further_than_its_sensitivity(query, relation, rows, pool):
    unit = Unit("u", relation)
    assert not too_far(query, rows, unit_neighbors(rows, pool, unit), unit)


@named([*ROW_QUERIES, *UNIT_QUERIES])
@settings(max_examples=4)
@given(rows=st.lists(ROW, min_size=1, max_size=6), order=st.randoms())
def test_the_order_of_rows_does_not_matter(query, rows, order):
    mixed = list(rows)
    order.shuffle(mixed)
    assert query.evaluate(table(rows)).tolist() == query.evaluate(table(mixed)).tolist()


@named([*ROW_QUERIES, *UNIT_QUERIES])
def test_an_answer_has_one_cell_for_each_column_and_key_for_any_rows(query):
    cells = len(query.columns) * (1 if query.keys is None else len(query.keys))
    every = [(number, number, KEYS[i % len(KEYS)], UNITS[i % len(UNITS)]) for i, number in enumerate(NUMBERS)]
    with np.errstate(all="raise"):
        for rows in ([], every[:1], every):
            answer = query.evaluate(table(rows))
            assert answer.shape == (cells,)
            assert answer.dtype == np.int64


@named([*ROW_QUERIES, *UNIT_QUERIES])
def test_the_type_of_a_column_does_not_change_a_row(query):
    """A NULL may turn a frame's integers into floats or objects; no other row may notice."""
    whole = np.array([0, 1, 5, -7, 10, 11, 5, 2**53, -(2**53)] * 3)
    answers = {
        tuple(query.evaluate(Table(dict.fromkeys("xyku", column))).tolist())
        for column in (whole, whole.astype(np.float64), whole.astype(object), whole.astype(np.longdouble))
    }
    gaps = np.append(whole, [0, 0])
    objects, floats = gaps.astype(object), gaps.astype(np.float64)
    objects[-2:], floats[-2:] = [None, None], np.nan
    with_gaps = {tuple(query.evaluate(Table(dict.fromkeys("xyku", column))).tolist()) for column in (objects, floats)}
    assert len(answers) == len(with_gaps) == 1


@named([*ROW_QUERIES, *UNIT_QUERIES])
def test_rows_are_read_in_parts_without_a_seam(query, monkeypatch):
    numbers = np.resize(np.array([0.0, 5, -7, 10, 11, 0.5, 99.9, 3.25, -0.0, np.nan, np.inf, -np.inf, 1e308]), 200)
    rows = Table({"x": numbers, "y": numbers[::-1], "k": np.resize(np.array(KEYS[:5], object), 200), "u": numbers})
    whole = query.evaluate(rows).tolist()
    for module, names in (("scan", ["_CHUNK", "_LARGEST_CHUNK"]), ("bins", ["_EVEN_CHUNK", "_SORTED_CHUNK"])):
        for name in names:
            monkeypatch.setattr(f"dalenius.queries.{module}.{name}", 7)
    monkeypatch.setattr("dalenius.queries.cells._CHUNK", 7)
    assert query.evaluate(rows).tolist() == whole


@pytest.mark.parametrize(
    "column",
    [
        np.array([0x7F800001, 0x3F800000, 0], np.uint32).view(np.float32),
        np.array(["1e4000", "1", "nan"], np.longdouble),
        np.array([1e300, 5e-324, -0.0]),
        np.array([np.finfo(np.float16).max, np.nan, -np.inf], np.float16),
        np.array([2**64 - 1, 0, 2**63], np.uint64),
        np.array([-(2**63), 2**63 - 1, 0]),
        np.array([1, 2, "NaT"], "datetime64[ns]"),
        np.array([1, 2, "NaT"], "timedelta64[s]"),
        np.array([1j, 2, 3]),
        np.array(["a", "b\0", ""]),
        np.array([b"a", b"b", b""]),
        np.zeros(3, [("f", int)]),
        np.array([True, False, True]),
    ],
    ids=lambda column: str(column.dtype),
)
@named([*ROW_QUERIES, *UNIT_QUERIES])
def test_no_type_of_column_fails_or_warns(query, column):
    """The suite turns warnings into errors; a user sees them, and they tell of a row."""
    with np.errstate(all="raise"):
        for rows in (slice(0), slice(1), slice(3)):
            query.evaluate(Table(dict.fromkeys("xyku", column[rows])))


@named([*ROW_QUERIES, *UNIT_QUERIES])
def test_facts_are_plain_and_tell_queries_apart(query):
    facts = json.dumps(query.facts(), sort_keys=True)
    same = [other for other in [*ROW_QUERIES, *UNIT_QUERIES] if json.dumps(other.facts(), sort_keys=True) == facts]
    assert same == [query]
    assert str(query)
    assert hash(query) == hash(same[0])


@named(ROW_QUERIES)
def test_a_query_for_rows_refuses_a_unit_with_many(query):
    with pytest.raises(DaleniusError, match="contributions"):
        query.sensitivity(Unit("u"))


@named(UNIT_QUERIES)
def test_a_query_for_one_unit_refuses_another(query):
    for other in (Unit.row(), Unit("k")):
        with pytest.raises(InvalidParameter, match="for each u"):
            query.sensitivity(other)
    with pytest.raises(InvalidParameter, match="UNITS"):
        query.sensitivity(Unit("u"), Metric.UNITS)


@pytest.mark.theorem("A Ex 3.3", "A Ex 3.4", "A Rem 3.9")
@pytest.mark.parametrize(
    ("query", "relation", "steps"),
    [
        (Count(), Relation.ADD_REMOVE, 1),
        (Count(), Relation.CHANGE_ONE, 0),
        (Count(TWO), Relation.CHANGE_ONE, 2),
        (Sum("x", (10, 11)), Relation.ADD_REMOVE, 11),
        (Sum("x", (10, 11)), Relation.CHANGE_ONE, 11),  # a row can turn into one that is dropped
        (Sum("x", (10, 11), missing=10), Relation.CHANGE_ONE, 1),
        (Sum("x", (-5, 3), TWO), Relation.CHANGE_ONE, 10),
        (Moments("x", (0, 10), 2), Relation.ADD_REMOVE, 2**30),
        (Moments("x", (0, 10), 2), Relation.CHANGE_ONE, 2**31),
        (CenteredMoments("x", (0, 10), 1), Relation.CHANGE_ONE, 2**31),
        (CrossMoments(["x", "y"], [(0, 10), (0, 1)]), Relation.ADD_REMOVE, 6 * 2**30),
        (Distinct("x"), Relation.CHANGE_ONE, 1),
    ],
    ids=str,
)
def test_sensitivities_are_those_derived_by_hand_and_attained(query, relation, steps):
    unit = Unit.row(relation)
    assert query.sensitivity(unit).l1 == steps
    pool = [(x, y, k, "u") for x in (-5, 5, 11, math.nan) for y in (0, 1) for k in ("a", 1, "z")]
    here = [(-5, 0, "a", "u"), (11, 1, "a", "u"), (11, 1, "a", "u")]
    others = row_neighbors(here, pool, unit)
    answer = query.evaluate(table(here))
    assert max(int(abs(answer - query.evaluate(table(other))).sum()) for other in others) == steps


class Mutant:
    """A query that is wrong in one thing."""

    def __init__(self, query, evaluate=None, sensitivity=None):
        self.evaluate = evaluate or query.evaluate
        self.sensitivity = sensitivity or query.sensitivity


def test_a_sum_that_claims_its_width_is_caught():
    query = Sum("x", (10, 11))
    here = [(10, 0, "a", "p")]
    mutant = Mutant(query, sensitivity=lambda unit, metric: Sensitivity(1, metric))
    others = row_neighbors(here, here, Unit.row())
    assert too_far(mutant, here, others, Unit.row())
    assert not too_far(query, here, others, Unit.row())


@pytest.mark.parametrize("query", UNIT_QUERIES[:16], ids=str)
def test_weights_that_bound_nothing_are_caught(query, monkeypatch):
    rows = [(10, 5, "a", "p")] * 4
    others = unit_neighbors(rows, rows[:1], Unit("u"))
    assert not too_far(query, rows, others, Unit("u"))
    monkeypatch.setattr(Contributions, "weights", lambda self, units: np.full(len(units), 2.0**20))
    assert too_far(query, rows, others, Unit("u"))


def test_parts_that_are_rounded_one_by_one_are_caught():
    """Each to the nearest, the three polynomials of degree 2 can sum to more than 1."""
    query = Moments("x", (0, 1), 2)

    def evaluate(view):
        t = view.column("x").astype(float)
        parts = np.rint(2.0**30 * np.array([(1 - t) ** 2, 2 * t * (1 - t), t**2]))
        return parts.sum(axis=1).astype(np.int64)

    t = next(t for t in np.arange(1, 2**12) / 2**30 + 0.25 if evaluate(Table({"x": np.array([t])})).sum() > 2**30)
    here = [(float(t), 0, "a", "p")]
    assert too_far(Mutant(query, evaluate), here, [[]], Unit.row())
    assert not too_far(query, here, [[]], Unit.row())
