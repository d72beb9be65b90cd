from dataclasses import FrozenInstanceError, replace

import pytest

from dalenius.sql.planner.output import KeyColumn
from dalenius.sql.planner.rules import RULES, bind_keys
from dalenius.sql.planner.stages import FinalRows, Question
from dalenius.sql.text.parse import parse
from tests.sql.cases import policy

QUESTION = Question(parse("SELECT COUNT(*) FROM purchases"))


def test_a_stage_shows_its_tree_and_cannot_be_changed():
    assert QUESTION.latest is QUESTION.tree
    with pytest.raises(FrozenInstanceError):
        QUESTION.tree = None


def test_cells_are_the_combinations_of_keys():
    rows = RULES.final_rows(QUESTION, policy()).rows
    assert FinalRows(QUESTION, rows, (KeyColumn("a", (1, 2)), KeyColumn("b", (1, 2, 3)))).cells == 6
    assert FinalRows(QUESTION, rows).cells == 1


def test_a_unit_reaches_one_value_of_each_of_its_attributes():
    rows = RULES.final_rows(QUESTION, policy()).rows
    keys = (KeyColumn("a", (1, 2)), KeyColumn("b", (1, 2, 3), attribute=True))
    assert FinalRows(QUESTION, rows, keys).reach == 2


def test_a_variant_runs_its_own_rules_in_the_same_order():
    names = [rule.__name__ for rule in replace(RULES, bind=(bind_keys,))]
    assert names == [rule.__name__ for rule in RULES if rule.__name__ != "bind_unit"]
    final = replace(RULES, bind=(bind_keys,)).final_rows(QUESTION, policy("user_id"))
    assert "unit" not in final.rows.named_selects
    assert "unit" in RULES.final_rows(QUESTION, policy("user_id")).rows.named_selects
