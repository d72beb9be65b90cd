import copy
import itertools
import math
import pickle
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.errors import InvalidParameter, MixedMetrics
from dalenius.neighbors import Metric, Sensitivity

NORMS = (Metric.L1, Metric.L2, Metric.LINF)
sizes = st.fractions(min_value=0, max_value=10**12) | st.floats(0, 1e300)
vectors = st.lists(st.fractions(min_value=-100, max_value=100), min_size=1, max_size=6)


def norm_at_most(vector: list[Fraction], bound: Sensitivity) -> bool:
    """Whether ‖vector‖ ≤ bound, decided exactly (by squares)."""
    squares = {
        Metric.L1: sum(map(abs, vector)) ** 2,
        Metric.L2: sum(x * x for x in vector),
        Metric.LINF: max(map(abs, vector)) ** 2,
    }
    return squares[bound.metric] <= bound.square


@given(sizes, st.sampled_from(list(Metric)))
def test_rational_value_is_kept_exactly(value, metric):
    exact = Fraction(str(value)) if isinstance(value, float) else value
    assert Sensitivity(value, metric).value == exact


@given(st.fractions(min_value=0) | st.integers(0, 10**40), st.sampled_from(NORMS))
def test_root_is_rounded_up_and_barely(square, metric):
    square = Fraction(square)
    value = Sensitivity.root(square, metric).value
    assert value**2 >= square
    assert (value * (1 - Fraction(1, 2**128))) ** 2 <= square


def test_root_of_a_square_is_exact_and_of_two_is_not():
    assert Sensitivity.root(Fraction(9, 4), Metric.L2).l2 == Fraction(3, 2)
    assert Sensitivity.root(2, Metric.L2).square == 2
    assert float(Sensitivity.root(2, Metric.L2).value) == math.sqrt(2)
    assert repr(Sensitivity.root(2, Metric.L2)) == "Sensitivity(√2, Metric.L2)"
    assert repr(Sensitivity(Fraction(3, 2), Metric.L1)) == "Sensitivity(3/2, Metric.L1)"


@given(vectors, st.sampled_from(NORMS), st.sampled_from(NORMS))
def test_conversion_holds_for_every_vector(vector, source, target):
    smallest = {
        Metric.L1: Sensitivity(sum(map(abs, vector)), Metric.L1),
        Metric.L2: Sensitivity.root(sum(x * x for x in vector), Metric.L2),
        Metric.LINF: Sensitivity(max(map(abs, vector)), Metric.LINF),
    }[source]
    try:
        converted = smallest.to(target)
    except MixedMetrics:
        return
    assert converted.metric is target
    assert norm_at_most(vector, converted)


@pytest.mark.parametrize(("source", "target"), list(itertools.product(Metric, Metric)))
def test_conversion_exists_exactly_where_it_follows(source, target):
    order = [Metric.LINF, Metric.L2, Metric.L1]
    follows = source is target or (source in order and target in order and order.index(target) < order.index(source))
    if follows:
        assert Sensitivity(3, source).to(target) == Sensitivity(3, target)
    else:
        with pytest.raises(MixedMetrics):
            Sensitivity(3, source).to(target)


@pytest.mark.parametrize(("metric", "name"), list(itertools.product(Metric, ["l1", "l2", "linf", "units"])))
def test_reading_in_another_metric_is_refused(metric, name):
    bound = Sensitivity(3, metric)
    if metric.name.lower() == name:
        assert getattr(bound, name) == 3
    else:
        with pytest.raises(MixedMetrics, match=metric.value):
            getattr(bound, name)


@given(vectors, vectors, st.sampled_from(NORMS))
def test_sum_bounds_two_changes_in_a_row(one, two, metric):
    size = min(len(one), len(two))
    one, two = one[:size], two[:size]
    both = [a + b for a, b in zip(one, two, strict=True)]
    bounds = [
        {
            Metric.L1: Sensitivity(sum(map(abs, v)), Metric.L1),
            Metric.L2: Sensitivity.root(sum(x * x for x in v), Metric.L2),
            Metric.LINF: Sensitivity(max(map(abs, v)), Metric.LINF),
        }[metric]
        for v in (one, two)
    ]
    assert norm_at_most(both, bounds[0] + bounds[1])


@given(sizes, st.fractions(min_value=0, max_value=1000))
def test_scaling_is_exact(value, factor):
    bound = Sensitivity(value, Metric.L2)
    assert (bound * factor).value == (factor * bound).value == bound.value * factor
    assert (Sensitivity.root(2, Metric.L2) * 3).square == 18


def test_unlike_metrics_do_not_add():
    with pytest.raises(MixedMetrics):
        Sensitivity(1, Metric.L1) + Sensitivity(1, Metric.L2)
    with pytest.raises(TypeError):
        Sensitivity(1, Metric.L1) + 1


@pytest.mark.parametrize("bad", [-1, math.nan, math.inf, "x", None, True])
def test_what_bounds_nothing_is_refused(bad):
    for make in (Sensitivity, Sensitivity.root):
        with pytest.raises(InvalidParameter, match="sensitivity"):
            make(bad, Metric.L1)
    with pytest.raises(InvalidParameter, match="factor"):
        Sensitivity(1, Metric.L1) * bad


@pytest.mark.parametrize("bad", ["L1", "ℓ1", None, 1])
def test_metric_is_a_metric(bad):
    with pytest.raises(InvalidParameter, match="metric must be one of"):
        Sensitivity(1, bad)
    with pytest.raises(InvalidParameter, match="metric must be one of"):
        Sensitivity(1, Metric.L1).to(bad)


def test_sensitivity_is_a_plain_value():
    bound = Sensitivity.root(2, Metric.L2)
    assert pickle.loads(pickle.dumps(bound)) == copy.deepcopy(bound) == bound
    assert hash(Sensitivity(0.1, Metric.L1)) == hash(Sensitivity("1/10", Metric.L1))
    with pytest.raises(AttributeError):
        bound.square = Fraction(0)
