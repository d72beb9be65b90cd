import pytest

from dalenius.audit.attacks import link
from dalenius.errors import UnknownName


def test_rows_that_are_unique_in_both_are_linked_and_no_others():
    first = [{"a": 1, "b": "x"}, {"a": 1, "b": "x"}, {"a": 2, "b": "y"}, {"a": 3, "b": None}]
    second = [{"a": 2, "b": "y"}, {"a": 1, "b": "x"}, {"a": 3, "b": None}, {"a": 9, "b": "z"}]
    linked = link(first, second, on=["a", "b"])
    assert linked.pairs == ((2, 0), (3, 2))
    assert linked.rate == 0.5


def test_bad_input_is_named():
    assert link([], [], on=["a"]).rate == 0
    with pytest.raises(UnknownName, match="'c'"):
        link([{"a": 1}], [{"a": 1}], on=["c"])
