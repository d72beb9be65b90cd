from fractions import Fraction

import pytest

from dalenius.errors import InvalidParameter
from dalenius.learning.torch.rounding import CHUNK, HELD, Rounding
from dalenius.neighbors import Relation

pytestmark = pytest.mark.torch
UNIT = Fraction(1, 2**24)


@pytest.mark.parametrize("unit", [UNIT, Fraction(1, 2**53)])
def test_a_held_length_is_within_the_clip(unit):
    """The inequality of the proof, in fractions, at its worst clip and size."""
    gamma = 1030 * unit / (1 - 1030 * unit)
    worst = HELD * (1 + gamma) * (1 + 2 * unit) * (1 + Fraction(1, 2**40)) + Fraction(2**20, 2**63) / Fraction(1, 2**20)
    assert worst <= 1
    assert (1 + gamma) * (1 + 2 * unit) > 1  # without the margin it would not be


def test_sensitivity_is_the_clip_and_twice_the_error():
    made = Rounding(Fraction(1), 10_000, UNIT, 36)
    for relation, moves in ((Relation.ADD_REMOVE, 1), (Relation.CHANGE_ONE, 2)):
        assert made.sensitivity(relation).value * made.step == moves + 2 * made.error(relation)
        assert 0 < made.error(relation) < Fraction(1, 1000)
    assert made.chunk_error > CHUNK * CHUNK * UNIT  # 64 terms, each of them up to 64 roundings
    assert made.error(Relation.ADD_REMOVE) == 2 * made.error(Relation.CHANGE_ONE)


def test_what_the_proof_does_not_cover_is_refused():
    for clip, size in (
        (Fraction(0), 1),
        (Fraction(1, 2**21), 1),
        (Fraction(2**21), 1),
        (Fraction(1), 0),
        (Fraction(1), 2**41),
    ):
        with pytest.raises(InvalidParameter):
            Rounding(clip, size, UNIT, 30)
