"""docs/sql.md names all that the language has, and what it says is refused is."""

import re

import pytest
import sqlglot

from dalenius import errors
from dalenius.datasets.purchases import PURCHASES_BOUNDS, PURCHASES_KEYS
from dalenius.sql import Policy
from dalenius.sql.catalog import CATALOG
from dalenius.sql.planner.aggregate_calls import AGGREGATES, aggregate_calls
from dalenius.sql.planner.compile import compile_query
from dalenius.sql.planner.conditional_aggregates import parse_question
from dalenius.sql.planner.rules import RULES, qualify
from dalenius.sql.planner.stages import Question
from tests.house.tree import ROOT
from tools.aggregates_table import listed, written

PAGE = (ROOT / "docs" / "sql.md").read_text(encoding="utf-8")
COLUMNS = {
    **{"user_id": "BIGINT", "category": "VARCHAR", "channel": "VARCHAR", "amount": "DOUBLE", "day": "DATE"},
}


def policy():
    keys = {name: values for name, values in PURCHASES_KEYS.items() if name in COLUMNS}
    bounds = {name: ends for name, ends in PURCHASES_BOUNDS.items() if name in COLUMNS}
    return Policy.declare("purchases", COLUMNS, unit="user_id", contributions=40, keys=keys, bounds=bounds)


def section(title):
    return PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]


def shown_aggregates():
    """The aggregates in the first column of their table, of columns that the data has."""
    cells = [line.split(" | ")[0] for line in section("Aggregates").splitlines() if line.startswith("| `")]
    shown = [found for cell in cells for found in re.findall("`([^`]+)`", cell)]
    return [re.sub(r"\by\b", "amount / 2", re.sub(r"\bx\b", "amount", re.sub(r"\bw\b", "x", found))) for found in shown]


def test_every_aggregate_has_a_row_and_every_row_compiles():
    found = set()
    for text in shown_aggregates():
        term = text.replace("MODE(amount)", "MODE(category)")
        query = f"SELECT {term} FROM purchases"
        compile_query(query, policy())
        tree = qualify(Question(parse_question(query)), policy()).tree
        assert aggregate_calls(tree, policy())
        found |= {type(node) for node in tree.walk()}
    assert {kind.__name__ for kind in AGGREGATES} - {kind.__name__ for kind in found} == set()


def test_the_table_of_aggregates_and_the_list_in_the_readme_are_those_of_the_catalog():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert written(PAGE) == PAGE, "run make docs"
    assert listed(readme) == readme, "run make docs"
    fewer = CATALOG[:-1]
    assert listed(readme, fewer) != readme  # a name that is missing shows
    assert written(PAGE.replace("geometric noise", "no noise")) == PAGE  # whatever was edited by hand is replaced


def test_every_rule_has_a_row_in_their_order():
    named = re.findall(r"^\| `(\w+)` \|", section("The rules, in order"), re.MULTILINE)
    assert named == [rule.__name__ for rule in RULES]


REFUSED = re.findall(r"^\| `(.+?)` \| (\w+) \| .+ \|$", section("What is refused, and why"), re.MULTILINE)


@pytest.mark.parametrize(("query", "kind"), REFUSED, ids=[query for query, _ in REFUSED])
def test_what_is_said_to_be_refused_is(query, kind):
    with pytest.raises(getattr(errors, kind)) as refusal:
        compile_query(query, policy())
    assert type(refusal.value).__name__ == kind


def test_the_page_lists_many_refusals_and_no_row_is_missed():
    rows = [line for line in section("What is refused, and why").splitlines() if line.startswith("| `")]
    assert len(rows) == len(REFUSED) >= 20


def test_an_aggregate_that_is_not_listed_is_seen():
    assert sqlglot.exp.Mode in AGGREGATES
    assert not any("KURTOSIS" in text for text in shown_aggregates())
