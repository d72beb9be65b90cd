from dalenius.curator import COMPUTED, Computed, Outcome, Shown
from dalenius.curator.answer.told import not_carried, told_of_answer, unit_of_error
from dalenius.curator.formula import Cell


def test_a_computed_column_without_ends_says_why():
    item = Shown("n", Cell("n"))
    bare = Outcome((Computed("n", (1,), None, "no rule for STDDEV"),), notes={COMPUTED: ["of two tables", 3]})
    assert not_carried(bare, item) == "no rule for STDDEV"
    assert unit_of_error(bare, item) == "no interval"
    assert told_of_answer(bare) == ["of two tables"]
    held = Outcome((Computed("n", (1,), lambda level, joint: [(0, 2)]),))
    assert not_carried(held, item) is None
    assert unit_of_error(held, item) == "95 %"
