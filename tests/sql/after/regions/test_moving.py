from fractions import Fraction

import numpy as np
import pytest
from sqlglot import exp

from dalenius.curator.formula import Linear
from dalenius.sql.after.regions.aggregates import aggregate
from dalenius.sql.after.regions.moving import moving_sums
from dalenius.sql.after.regions.region import JointRegion
from dalenius.sql.after.regions.rows import HERE
from dalenius.sql.after.regions.values import Between, CombinedValue, Exact, MadeValue

REGION = JointRegion({}, Fraction(1, 2))


def values_of(rng, size):
    """Sums of a few of twenty columns, some of which come back and cancel."""
    forms = []
    for _ in range(size):
        names = rng.choice(20, 3, replace=False)
        factors = rng.integers(-2, 3, 3)
        terms = {f"c{name:02}": Fraction(int(factor)) for name, factor in zip(names, factors, strict=True)}
        forms.append(Linear.of(terms, Fraction(int(rng.integers(3)))))
    points = rng.integers(99, size=size)
    return [MadeValue(CombinedValue(form), int(point)) for form, point in zip(forms, points, strict=True)]


@pytest.mark.parametrize("function", [exp.Sum, exp.Avg])
@pytest.mark.parametrize("kind", ["running", "moving", "falling", "anyhow"])
def test_moving_sums_are_those_of_each_frame_alone(kind, function):
    rng, size = np.random.default_rng(3), 40
    values = [*values_of(rng, size - 1), Exact(7)]
    pairs = rng.integers(0, size + 1, (size, 2))
    frames = {
        "running": [(0, place + 1) for place in range(size)],
        "moving": [(max(0, place - 14), min(size, place + 3)) for place in range(size)],
        "falling": [(place, size) for place in range(size)],
        "anyhow": [(int(min(pair)), int(max(pair))) for pair in pairs],
    }[kind]
    sums = moving_sums(function(), values, frames)
    for (start, end), value in zip(frames, sums, strict=True):
        alone = aggregate(function(), [(HERE, one) for one in values[start:end]], REGION)
        if all(isinstance(one, Exact) for one in values[start:end]):  # no formula, or one without a column
            assert value.point == alone.point
        else:
            assert value == alone


def test_what_is_no_sum_of_released_numbers_or_short_is_left_to_the_rule_for_aggregates():
    rng = np.random.default_rng(4)
    values, whole = values_of(rng, 20), [(0, 20)] * 20
    assert moving_sums(exp.Max(), values, whole) is None
    assert moving_sums(exp.Sum(), values, [(place, place + 1) for place in range(20)]) is None
    assert moving_sums(exp.Sum(), [*values[:19], Between(0, 1, 0)], whole) is None
    assert moving_sums(exp.Sum(), [*values[:19], Exact(None)], whole) is None
    assert moving_sums(exp.Sum(), [Exact(1)] * 20, whole) is None
