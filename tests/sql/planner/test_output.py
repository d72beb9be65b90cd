import json

from dalenius.curator.formula import formula_of
from dalenius.sql.planner.compile import compile_query
from tests.sql.sensitivity.grammar import policy


def test_facts_are_json_and_keep_the_formulas():
    query = "SELECT k, AVG(x) AS m FROM t GROUP BY k HAVING COUNT(*) > 3 ORDER BY m DESC, k LIMIT 3 OFFSET 1"
    output = compile_query(query, policy()).output
    facts = json.loads(json.dumps(output.facts()))
    assert formula_of(facts["columns"][1][1]) == output.columns[1].of
    assert formula_of(facts["having"]) == output.having
    assert (facts["limit"], facts["offset"], facts["order"][1]) == (3, 1, [0, False, False])
    assert facts["order"][0][1] is True
