import numpy as np
import pytest

from dalenius.errors import InvalidParameter, UnboundedQuery
from dalenius.noise import Bits
from dalenius.queries import Keys, Table
from dalenius.synthesis import blr


def test_the_error_of_a_distribution_function_does_not_grow_with_the_universe():
    """n = 1000, ε = 1, m = 50: .0476 expected at 1,024 items, where a noisy histogram has .113."""
    values = np.linspace(0, 1, 1000) ** 2
    errors = []
    for _ in range(6):
        plan = blr.thresholds("x", epsilon=1, bounds=(0, 1), cells=1024, rows=50)
        drawn = np.array(plan.run(Table.of({"x": values}), Bits()).columns[0].values)
        grid = np.linspace(0, 1, 1025)[1:]
        ours, truth = np.searchsorted(np.sort(drawn), grid), np.searchsorted(values, grid)
        errors.append(np.abs(ours / 50 - truth / 1000).max())
    assert np.mean(errors) < 0.075  # each lies in .03 … .07


def test_hierarchies_of_names_are_taken_apart_and_put_together():
    plan = blr.hierarchy("city", {"north": ["Oslo", "Bergen"], "south": {"it": ["Rome"], "es": ["Madrid"]}}, epsilon=9)
    table = Table.of({"city": ["Rome"] * 600 + ["Oslo"] * 400})
    drawn = plan.run(table, Bits()).columns[0].values
    assert drawn.count("Rome") == pytest.approx(30, abs=2)
    assert drawn.count("Oslo") == pytest.approx(20, abs=2)


def test_conjunctions_and_any_concepts_are_drawn():
    table = Table.of({"a": [0, 1] * 500, "b": ["y"] * 1000})
    plan = blr.conjunctions({"a": [0, 1], "b": ["n", "y"]}, epsilon=5, rows=8)
    rows = list(zip(*(column.values for column in plan.run(table, Bits()).columns), strict=True))
    assert rows.count((0, "y")) == rows.count((1, "y")) == 4
    assert len(blr.counting(Keys("a", [0, 1]), [[1, 0]], epsilon=5, rows=8).run(table, Bits()).columns[0].values) == 8


def test_what_is_not_declared_is_refused():
    with pytest.raises(UnboundedQuery):
        blr.thresholds("x", epsilon=1)
    with pytest.raises(UnboundedQuery):
        blr.thresholds("x", epsilon=1, bounds=(0, 1), unit="who")
    with pytest.raises(InvalidParameter, match="two values"):
        blr.conjunctions({"a": [0, 1, 2]}, epsilon=1, rows=3)
    with pytest.raises(InvalidParameter, match="keys"):
        blr.counting(Keys("a", [0, 1, 2]), [[1, 0]], epsilon=1, rows=3)
