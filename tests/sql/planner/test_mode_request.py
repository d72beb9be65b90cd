import json

from dalenius.sql.planner.compile import compile_query
from tests.sql.sensitivity.grammar import policy


def test_facts_are_json_and_hold_all_that_the_choice_depends_on():
    (mode,) = compile_query("SELECT MODE(k) FROM t", policy()).modes
    facts = json.loads(json.dumps(mode.facts()))
    assert facts["values"] == ["a", "b", "it's"]
    assert set(facts) == {"question", "part", "values", "scan", "steps", "row", "share"}
