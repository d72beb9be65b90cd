from pathlib import Path

from dalenius.sql.planner.rules import RULES

FIXTURES = Path(__file__).parents[3] / "fixtures" / "sql"


def test_every_rule_has_a_file_and_a_fixture_of_its_name():
    assert {path.stem for path in FIXTURES.glob("*.sql")} == {rule.__name__ for rule in RULES}
    assert all(rule.__module__ == f"dalenius.sql.planner.rules.{rule.__name__}" for rule in RULES)
