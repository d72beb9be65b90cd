import math
from dataclasses import dataclass

import numpy as np
import pandas
import polars
import pyarrow
import pytest

from dalenius.audit.draw import Raised
from dalenius.audit.encode import PLACES, OutcomeEncoder, Outputs, as_matrix
from dalenius.audit.parts import canonical, flat


@dataclass
class Told:
    count: int
    name: str


OUTPUTS = [
    None, True, 1, 1.0, 0.0, -0.0, math.nan, math.inf, "a", b"a", (1, 2), [1, 2], (1, None), {"a": 1}, {"a": 1.0},
    {1, 2}, frozenset({1}), 10**40, np.float32(1), np.array([1, 2]), np.array([[1.0], [2.0]]), Told(1, "a"),
    Raised("ValueError", "x"), pandas.DataFrame({"a": [1]}), polars.DataFrame({"a": [1, 2]}),
    pyarrow.table({"a": [1]}), {"a": [1, {"b": None}]}, object,
]  # fmt: skip


def encoded(*outputs):
    read = Outputs.read(list(outputs))
    return OutcomeEncoder.fit(read, read)(read)


def test_outputs_that_a_caller_can_tell_apart_have_forms_of_their_own():
    forms = [canonical(output) for output in OUTPUTS]
    assert len(set(forms)) == len(OUTPUTS)
    assert [canonical(output) for output in OUTPUTS] == forms


def test_every_kind_of_output_is_encoded_together_with_every_other():
    table = encoded(*OUTPUTS)
    assert len(table) == len(OUTPUTS)
    assert len(set(table.whole.tolist())) == len(OUTPUTS)


@pytest.mark.parametrize("output", OUTPUTS, ids=lambda output: type(output).__name__)
def test_equal_outputs_get_equal_symbols(output):
    table = encoded(output, output, "another", output)
    assert table.whole[0] == table.whole[1] == table.whole[3] != table.whole[2]


def test_nan_is_one_symbol_and_objects_do_not_count_by_address():
    assert canonical(float("nan")) == canonical(-float("nan"))
    assert canonical(OSError) == canonical(OSError)

    class Plain:
        pass

    assert canonical(Plain()) == canonical(Plain())
    table = encoded(np.nan, 1.0, np.nan)
    assert table.whole[0] == table.whole[2]


def test_numbers_and_vectors_of_one_length_are_a_matrix():
    assert as_matrix([1, 2]).shape == (2, 1)
    assert as_matrix([1.5, np.float64(2)]).shape == (2, 1)
    assert as_matrix([np.ones((2, 3)), np.zeros((2, 3))]).shape == (2, 6)
    assert as_matrix([(1, 2), (3, 4)]).shape == (2, 2)
    assert as_matrix(np.ones((4, 3))).shape == (4, 3)
    assert as_matrix([[True, False], [True, True]]).shape == (2, 2)
    for odd in (
        [1, 2.5],
        [1, None],
        [(1, 2), (1,)],
        ["a"],
        [2**60, 1],
        [np.array([1]), np.array([1, 2])],
        [(1, True), (1, 2)],
    ):
        assert as_matrix(odd) is None


def test_places_of_nested_outputs_are_columns():
    assert flat({"a": [1, {"b": 2}]}) == [("['a'][0]", 1), ("['a'][1]['b']", 2)]
    assert flat({"x", "y"}) == [(" has 'x'", True), (" has 'y'", True)]
    table = encoded({"a": 1, "b": "t"}, {"a": 2})
    assert table.numbers["['a']"].tolist() == [1, 2]
    assert np.isnan(table.numbers["['b']"][1])
    assert table.symbols["length"].tolist() == [2, 1]


def test_how_a_draw_is_read_depends_on_that_draw_alone():
    learnt = Outputs.read([1.0, 2.0, 3.0])
    encoder = OutcomeEncoder.fit(learnt, learnt)
    alone, odd = encoder(Outputs.read([2.0])), encoder(Outputs.read([2.0, None, "x"]))
    assert alone.whole[0] == odd.whole[0]
    assert odd.numbers["output"][0] == 2
    assert np.isnan(odd.numbers["output"][1:]).all()
    assert odd.symbols["type"].tolist() == [0, 1, 1]


def test_an_int_is_told_from_a_float_of_the_same_value():
    here, there = Outputs.read([1, 2, 3]), Outputs.read([1.0, 2.0, 3.0])
    encoder = OutcomeEncoder.fit(here, there)
    assert set(encoder(here).whole.tolist()).isdisjoint(encoder(there).whole.tolist())
    learnt = OutcomeEncoder.fit(here, here)
    assert learnt(there).symbols["type"].tolist() == [1, 1, 1]


def test_of_very_many_places_the_telling_ones_are_kept():
    rng = np.random.default_rng(0)
    x, x2 = rng.normal(size=(300, 500)), rng.normal(size=(300, 500))
    x2[:, 321] += 3
    encoder = OutcomeEncoder.fit(Outputs.read(x), Outputs.read(x2))
    assert encoder.kept[0] == 321
    table = encoder(Outputs.read(x))
    assert len(table.numbers) == PLACES
    assert table.matrix.shape == (300, 500)
    dicts = [[{f"k{k}": value for k, value in enumerate(row)} for row in side.tolist()] for side in (x, x2)]
    assert OutcomeEncoder.fit(*map(Outputs.read, dicts)).places[0] == "['k321']"
