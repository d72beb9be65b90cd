"""A wrong call is named in words; what is passed is never shown beyond a plain value."""

import pytest

from dalenius.calls import MEANINGS, check_mapping, named_arguments, shown
from dalenius.errors import InvalidCall, InvalidParameter


@named_arguments
def asked(column, bounds=None, *, epsilon, by=None):
    if column == "raise":
        raise TypeError("from inside")
    if column == "call":
        return len()
    return column, bounds, epsilon, by


@pytest.mark.parametrize(
    ("args", "given", "said"),
    [
        (("age",), {}, f"asked needs epsilon=: {MEANINGS['epsilon']}"),
        ((), {"epsilon": 1}, "asked needs column=; it takes column, bounds, epsilon, by"),
        (("age",), {"eps": 1}, "no argument 'eps'; did you mean 'epsilon'?"),
        (("age",), {"zzz": 1}, "no argument 'zzz'. It takes column"),
        (("age", (0, 1), 1), {}, "takes what comes after bounds by name: write epsilon="),
        (("age",), {"column": "x", "epsilon": 1}, "was given column twice"),
    ],
)
def test_a_wrong_call_is_named_with_its_remedy(args, given, said):
    with pytest.raises(InvalidCall) as refusal:
        asked(*args, **given)
    assert said in str(refusal.value)
    assert refusal.value.__context__ is None


def test_a_right_call_and_an_error_from_inside_pass_as_they_are():
    assert asked("age", epsilon=1) == ("age", None, 1, None)
    for column in ("raise", "call"):
        with pytest.raises(TypeError) as wrong:
            asked(column, epsilon=1)
        assert not isinstance(wrong.value, InvalidCall)


def test_no_value_that_was_passed_is_in_the_message():
    with pytest.raises(InvalidCall) as refusal:
        asked([86420, 97531], epsilom=[86420])
    assert "86420" not in str(refusal.value)


@pytest.mark.parametrize(
    ("value", "text"),
    [(3, "3"), ("x", "'x'"), (None, "None"), ((1, 2), "(1, 2)"), ([5] * 9, "a list"), ({1: 2}, "a dict")],
)
def test_only_plain_values_are_shown(value, text):
    assert shown(value) == text


@pytest.mark.parametrize("given", [[1], 3, "amount", {1: 2}])
def test_what_is_not_told_by_name_is_refused(given):
    check_mapping(None, "fill", "{'amount': 0}")
    check_mapping({"amount": 0}, "fill", "{'amount': 0}")
    with pytest.raises(InvalidParameter, match=r"told by name, like fill=\{'amount': 0}"):
        check_mapping(given, "fill", "{'amount': 0}")
