import math

import pytest

from dalenius.errors import UnsupportedQuery
from tests.sql.rows.reading import read, value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *(
            ("SQRT(x)", math.sqrt(2.5)),
            ("LN(x)", math.log(2.5)),
            ("LOG(x)", math.log10(2.5)),
            ("LOG2(j)", math.log2(7)),
        ),
        *(("EXP(x)", math.exp(2.5)), ("POWER(x, 3)", 15.625), ("x ^ -1", 0.4), ("SIGN(-x)", -1), ("TRUNC(-x)", -2)),
        *(("SQRT(-x)", None), ("LN(y)", None), ("LN(-x)", None), ("POWER(-x, 0.5)", None), ("LOG10(y)", None)),
        *(("EXP(1000 * x)", math.inf), ("SQRT(y)", 0), ("LOG10(100)", 2)),
    ],
)
def test_a_function_has_its_value_or_null(text, expected):
    assert value(text) == (None if expected is None else pytest.approx(expected, rel=1e-14))


@pytest.mark.parametrize(
    ("number", "bucket"), [(-0.1, 0), (0, 1), (9.99, 1), (10, 2), (99.9, 10), (100, 11), (1e308, 11), (None, None)]
)
def test_buckets_are_equal_steps_with_one_more_at_each_side(number, bucket):
    assert value("WIDTH_BUCKET(x, 0, 100, 10)", {"x": number}) == bucket


def test_buckets_are_whole_for_any_steps():
    for steps in (3, 7, 49):
        for number in range(-10, 300):
            got = value(f"WIDTH_BUCKET(x, -1, 2, {steps})", {"x": number / 100})
            assert 0 <= got <= steps + 1
            assert got == int(got)


def test_ranges_follow_from_those_of_the_numbers():
    assert read("WIDTH_BUCKET(j, 0, 10, 5)").values == tuple(range(7))
    assert read("WIDTH_BUCKET(y, 0, 10, 5)").values == (1,)
    assert [float(end) for end in read("SQRT(y)").bounds] == pytest.approx([0, 1])
    assert [float(end) for end in read("POWER(x, 2)").bounds] == [0, 49]
    assert [float(end) for end in read("POWER(x, 3)").bounds] == [-27, 343]
    assert read("LN(x)").bounds is None
    low, high = read("EXP(x)").bounds
    assert float(low) < math.exp(-3) < math.exp(7) < float(high)


@pytest.mark.parametrize(
    "text", ["LOG(3, x)", "POWER(x, y)", "WIDTH_BUCKET(x, 1, 1, 3)", "WIDTH_BUCKET(x, 0, y, 3)", "SQRT(k)"]
)
def test_what_has_no_rule_is_refused(text):
    with pytest.raises(UnsupportedQuery):
        read(text)
