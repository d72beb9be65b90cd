from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.curator import formula as f
from dalenius.errors import InvalidParameter
from tests.curator.formula.formulas import Box, cases, truth

whole = st.integers(-4, 4)
simple = st.builds(
    f.Compare, st.sampled_from(["<", "<=", ">", ">=", "=", "<>"]), st.just(f.Cell("a")), st.just(f.Cell("b"))
)
absent = st.builds(f.Compare, st.just("<"), st.just(f.Over(f.Cell("a"), f.Number(0))), st.just(f.Cell("b")))
logic = st.recursive(
    simple | absent,
    lambda inner: (
        st.builds(f.Opposite, inner)
        | st.lists(inner, min_size=1, max_size=3).map(tuple).map(f.Every)
        | st.lists(inner, min_size=1, max_size=3).map(tuple).map(f.Some)
    ),
    max_leaves=6,
)


@given(logic, whole, whole)
def test_conditions_follow_sqls_three_values(node, a, b):
    got = node.value({"a": np.array([float(a)]), "b": np.array([float(b)])})[0]
    want = truth(node, {"a": Fraction(a), "b": Fraction(b)})
    assert (None if np.isnan(got) else bool(got)) == want


@given(cases, whole, whole, st.integers(0, 3), st.integers(0, 3))
def test_ends_of_a_choice_hold_every_result(node, a, b, wide, high):
    cells = {
        "a": (np.array([a - 1.0]), np.array([a + wide + 0.0])),
        "b": (np.array([b - 1.0]), np.array([b + high + 0.0])),
    }
    want = truth(node, {"a": Fraction(a), "b": Fraction(b)})
    if want is not None:
        low, upper = (ends[0] for ends in node.ends(Box(cells)))
        assert low <= want <= upper


def test_is_absent_sees_what_is_absent():
    node = f.IsAbsent(f.Over(f.Number(1), f.Cell("a")))
    assert node.value({"a": np.array([0.0, 2.0])}).tolist() == [1.0, 0.0]


def test_an_unknown_sign_is_refused():
    with pytest.raises(InvalidParameter, match="comparison"):
        f.Compare("~", f.Cell("a"), f.Cell("b"))
