"""Fixtures of the rules: a query, then what it becomes or how it is refused.

A case in fixtures/sql/<rule>.sql is a title `-- like this`, perhaps `-- unit: user_id` and `-- groups: 2`, the query,
and after `-->` the rewritten query, or the name and the words of a refusal.
"""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from dalenius import errors
from dalenius.sql import Policy
from dalenius.sql.planner.rules import RULES
from dalenius.sql.planner.stages import Question
from dalenius.sql.planner.unknown_keys import KeySearch
from dalenius.sql.text.parse import parse

FOLDER = Path(__file__).parents[1] / "fixtures" / "sql"
COLUMNS = {
    **{"user_id": "BIGINT", "category": "VARCHAR", 'odd "name"': "INTEGER", "price": "DOUBLE", "gift": "BOOLEAN"},
    **{"day": "DATE", "at": "TIMESTAMP", "note": "VARCHAR", "weight": "DOUBLE"},
}
BOUNDS = {"price": (0, 200), 'odd "name"': (-5, 5), "day": ("2023-01-01", "2024-12-31")}
KEYS = {"category": ["food", "o'hara"], 'odd "name"': [1, -2], "price": [0.5], "gift": [True]}


def policy(unit="row"):
    contributions = None if unit == "row" else 3
    return Policy.declare("purchases", COLUMNS, unit=unit, keys=KEYS, bounds=BOUNDS, contributions=contributions)


@dataclass(frozen=True)
class Case:
    title: str
    unit: str
    unknown: KeySearch | None
    query: str
    expected: str


def cases(rule):
    """The cases of a rule, for pytest."""
    text = (FOLDER / f"{rule.__name__}.sql").read_text(encoding="utf-8")
    found = []
    for title, unit, groups, query, expected in re.findall(
        r"^-- (.+)\n(?:-- unit: (\w+)\n)?(?:-- groups: (\d+)\n)?((?:(?!--).*\n)+)--> ((?:.+\n)+)", text, re.MULTILINE
    ):
        unknown = KeySearch(int(groups), min_units=2, salt="pepper") if groups else None
        found.append(Case(title, unit or "row", unknown, query.strip(), " ".join(expected.split())))
    assert len(found) == text.count("-->"), f"a case of {rule.__name__} is not written as a case"
    return pytest.mark.parametrize("case", found, ids=[case.title for case in found])


def check(rule, case):
    """Run the rules up to and with this one, and compare."""
    terms = policy(case.unit)
    refusal = re.fullmatch(r"(\w+): (.+)", case.expected)
    if refusal and hasattr(errors, refusal[1]):
        with pytest.raises(getattr(errors, refusal[1]), match=re.escape(refusal[2])):
            drafted(rule, case.query, terms, case.unknown)
    else:
        assert drafted(rule, case.query, terms, case.unknown).latest.sql(dialect="duckdb") == case.expected


def drafted(rule, query, terms, unknown=None):
    stage = Question(parse(query), unknown)
    for step in RULES:
        stage = step(stage, terms)
        if step is rule:
            return stage
    raise AssertionError(f"{rule.__name__} is not among the rules")
