"""A wrong call is named in words; what is passed is never shown beyond a plain value."""

import copy
import inspect
import pickle
import pydoc
from inspect import isfunction
from typing import ClassVar

import numpy as np
import pytest
from sklearn.base import clone

from dalenius import (
    audit,
    graphs,
    guarantees,
    inference,
    learning,
    mechanisms,
    neighbors,
    noise,
    statistics,
    synthesis,
)
from dalenius.calls import MEANINGS, Readable, check_mapping, named_arguments, shown
from dalenius.errors import DaleniusError, InvalidCall, InvalidParameter, UnknownAttribute
from dalenius.neighbors import Relation


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


def test_an_argument_that_lacks_what_its_type_has_is_named():
    """The argument is shown by its type alone: it may be an exact answer."""
    with pytest.raises(InvalidCall, match=r"sensitivity of guarantee must be a Sensitivity, got an int$"):
        mechanisms.Geometric(1).guarantee(1)
    with pytest.raises(InvalidCall, match="must be a Sensitivity, got a list"):
        mechanisms.Geometric(1).guarantee([4242] * 9)
    with pytest.raises(InvalidCall, match=r"must be a Sampling, got a float"):
        guarantees.PureDP(1).amplify(0.1)


def test_every_function_of_a_front_names_its_arguments():
    fronts = (audit, guarantees, inference, learning, mechanisms, statistics, graphs, synthesis)
    functions = [getattr(front, name) for front in fronts for name in front.__all__]
    for one in filter(isfunction, functions):
        if one.__name__ not in ("facts_of", "matrix_of"):  # for other packages, not for users
            with pytest.raises(InvalidCall, match="misspelt_argument"):
                one(misspelt_argument=1)


class Box(Readable):
    """An object as users hold them."""

    _INSTEAD: ClassVar[dict[str, str]] = {"open_it": "write unlock()"}
    _ARITHMETIC_INSTEAD = "boxes do not add up"

    def __init__(self, width):
        self.width = width

    def unlock(self, key):
        """Open it."""
        return self.width + len(key.name)

    @property
    def broken(self):
        """A property whose own error must stay."""
        return self.width.lid


def test_a_call_that_python_can_make_is_not_changed():
    assert Box(3).width == 3
    assert not hasattr(Box(3), "lid")
    assert copy.deepcopy(Box(3)).width == pickle.loads(pickle.dumps(Box(3))).width == 3


def test_a_wrong_call_or_attribute_is_named_in_words():
    with pytest.raises(InvalidCall, match="Box needs width="):
        Box()
    with pytest.raises(InvalidCall, match="unlock needs key="):
        Box(1).unlock()
    with pytest.raises(UnknownAttribute, match=r"Box has no 'open_it': write unlock\(\)"):
        _ = Box(1).open_it
    with pytest.raises(UnknownAttribute, match="did you mean 'unlock'"):
        _ = Box(1).unlok
    with pytest.raises(InvalidCall, match="Box has no '\\+': boxes do not add up"):
        _ = Box(1) + 1


def test_an_error_from_inside_stays_what_it_is():
    with pytest.raises(AttributeError, match="lid") as raised:
        _ = Box(1).broken
    assert not isinstance(raised.value, DaleniusError)
    with pytest.raises(TypeError) as raised:
        Box(1).unlock(type("Key", (), {"name": 5})())
    assert not isinstance(raised.value, DaleniusError)


def test_comparisons_that_a_class_has_of_its_own_stay():
    assert guarantees.PureDP(1) == guarantees.PureDP(1)
    with pytest.raises(InvalidCall, match="compose"):
        _ = guarantees.PureDP(1) + guarantees.PureDP(1)


class Shelf(Box):
    """One whose words for a missing attribute name it."""

    _OTHERWISE = "ask for {name!r} elsewhere"


def test_a_missing_attribute_is_told_without_reading_the_object():
    """An object that is being copied has no attributes yet: looking for words must not look for them."""
    empty = Shelf.__new__(Shelf)
    with pytest.raises(UnknownAttribute, match="ask for 'width' elsewhere"):
        _ = empty.width
    assert not hasattr(empty, "_width")


@named_arguments
def opened(place: str, *, terms: dict[str, int] | None = None, kind: Relation | None = None, budget=None):
    if place == "nothing":
        return terms.missing
    if place == "text":
        return place.missing
    return kind.missing


def test_an_argument_of_the_right_type_is_not_blamed_for_a_fault_elsewhere():
    """None is one object: that some None lacks an attribute says nothing of the one that was passed."""
    for place, terms in (("nothing", None), ("nothing", {}), ("text", None)):
        with pytest.raises(AttributeError, match="missing") as raised:
            opened(place, terms=terms)
        assert not isinstance(raised.value, DaleniusError)
    with pytest.raises(InvalidCall, match=r"^kind of opened must be a Relation or None, got an int$"):
        opened("kind", kind=7)


def test_a_price_where_a_budget_is_asked_for_is_told_as_one():
    with pytest.raises(
        InvalidCall, match=r"opened has no argument 'epsilon': write budget=\{\"epsilon\": 1\}\. It takes"
    ):
        opened("x", epsilon=1)


@pytest.mark.parametrize(
    "held",
    [
        guarantees.PureDP(1),
        mechanisms.Geometric(1),
        noise.DiscreteLaplace(3),
        neighbors.Sensitivity(1, neighbors.Metric.L1),
        learning.LinearRegression(epsilon=1),
    ],
)
def test_tools_that_probe_an_object_find_what_any_object_has(held):
    for other in (copy.copy(held), copy.deepcopy(held), pickle.loads(pickle.dumps(held))):
        assert repr(other) == repr(held)
    assert np.asarray(held).shape == ()
    for probe in ("dtype", "__array__", "_ipython_display_", "_ipython_canary_method_should_not_exist_", "to_arrow"):
        assert not hasattr(held, probe)
    assert "misspelt" not in dir(held)
    assert next(iter(inspect.signature(type(held)).parameters)) in ("epsilon", "scale", "value")
    assert type(held).__name__ in pydoc.render_doc(type(held))


def test_an_estimator_is_cloned_with_its_parameters():
    model = learning.LinearRegression(epsilon=2, ridge=3.0)
    assert clone(model).get_params() == model.get_params()
