import json

from dalenius.sql.planner.compile import compile_query
from tests.sql.sensitivity.grammar import policy


def test_facts_are_json_and_hold_all_that_the_choice_depends_on():
    top = compile_query("SELECT k FROM t GROUP BY k ORDER BY COUNT(*) DESC LIMIT 2", policy()).top
    facts = json.loads(json.dumps(top.facts()))
    assert (facts["k"], facts["lattice"], facts["steps"]) == (2, -20, 2 * 2**20)
    assert set(facts) == {"question", "part", "k", "scan", "steps", "lattice"}
