from fractions import Fraction

from dalenius.mechanisms import Entry, Geometric
from dalenius.neighbors import Metric, Relation, Sensitivity


def test_an_entry_is_exact_and_add_remove_unless_it_says_otherwise():
    facts = {"tight": True, "theorem": "D Thm 2.8", "example": "print(mechanism.release([42], Bits()))"}
    entry = Entry(Geometric(Fraction(1)), Sensitivity(1, Metric.L1), ((0,), (1,)), None, **facts)
    assert entry.factor == 1
    assert entry.relation is Relation.ADD_REMOVE
    assert entry.label == "geometric, sensitivity 1 in ℓ1, 1 cells"
