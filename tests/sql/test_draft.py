from dataclasses import FrozenInstanceError

import pytest

from dalenius.sql.draft import Draft
from dalenius.sql.parse import parse


def test_a_draft_starts_without_a_bound_and_cannot_be_changed():
    draft = Draft(parse("SELECT COUNT(*) FROM t"))
    assert draft.steps == 0
    with pytest.raises(FrozenInstanceError):
        draft.steps = 1
