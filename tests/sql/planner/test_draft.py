from dataclasses import FrozenInstanceError

import pytest

from dalenius.sql.planner.draft import Draft
from dalenius.sql.planner.output import KeyColumn
from dalenius.sql.text.parse import parse


def test_a_draft_starts_without_a_bound_and_cannot_be_changed():
    draft = Draft(parse("SELECT COUNT(*) FROM t"))
    assert draft.groups == ()
    assert draft.latest is draft.tree
    with pytest.raises(FrozenInstanceError):
        draft.groups = (1,)


def test_cells_are_the_combinations_of_keys():
    draft = Draft(parse("SELECT COUNT(*) FROM t"), keys=(KeyColumn("a", (1, 2)), KeyColumn("b", (1, 2, 3))))
    assert draft.cells == 6
    assert Draft(parse("SELECT COUNT(*) FROM t")).cells == 1
