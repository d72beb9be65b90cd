from fractions import Fraction

import numpy as np
import pytest

from dalenius.learning.data.box import Box, UnitRows
from dalenius.learning.data.encoded_rows import weighted_steps
from dalenius.learning.data.rows import Rows
from dalenius.learning.data.weighted_rows import WeightedRows, shared_out
from dalenius.learning.plans.centre import noisy_mean
from dalenius.neighbors import Relation
from dalenius.noise import Bits
from tests.learning.adversary import FEATURES, rows

BOX = Box.declare((-1, 1), FEATURES)


def test_the_mean_is_found_without_a_number_of_rows():
    data = np.random.default_rng(0).uniform(-0.2, 0.6, (20_000, FEATURES))
    found = noisy_mean(Rows(data, np.zeros(len(data))), BOX, Relation.ADD_REMOVE, Fraction(1), Bits())
    assert found == pytest.approx(data.mean(axis=0), abs=0.02)
    empty = noisy_mean(Rows(data[:0], np.zeros(0)), BOX, Relation.ADD_REMOVE, Fraction(1), Bits())
    assert max(map(abs, empty)) <= 1


def test_a_person_moves_the_sum_no_further_than_one_row():
    """Every hostile row thrice, by one person; counted one by one they go further."""
    data, unit = np.repeat(rows(), 3, axis=0), UnitRows(BOX, 18)
    people = np.arange(len(data)) // 3
    weight = shared_out(people, np.full(len(rows()), 3), 1)
    lengths = []
    for shares in (weight, np.ones(len(data))):
        (steps,) = weighted_steps(WeightedRows(data, np.zeros(len(data)), shares, "who"), unit)
        sums = steps.reshape(-1, 3, steps.shape[1]).sum(axis=1)
        lengths.append(max(sum(int(v) ** 2 for v in row) for row in sums))
    assert lengths[0] <= 4**18 < lengths[1]
