"""What docs/sql-benchmarks.md answers is answered as DuckDB answers it, and the rest is refused by name."""

import re
import tomllib
from datetime import datetime

import duckdb
import pytest
import sqlglot

import dalenius
from dalenius import errors
from tests.docs.benchmark_tables import films, tpch
from tests.docs.test_code_blocks import blocks
from tests.house.tree import ROOT

PAGE = (ROOT / "docs" / "sql-benchmarks.md").read_text(encoding="utf-8")
TPCH, JOB = PAGE.split("\n## The shapes of the Join Order Benchmark\n")
REFUSED = re.compile(r"-- refused: (\w+)\n")
CLAMP = "CREATE MACRO clamp(x, lo, hi) AS greatest(lo, least(hi, x))"


class Benchmark:
    """A part of the page beside its made-up tables: private under the page's policy, exact in DuckDB."""

    def __init__(self, text, tables, folder):
        (policy,) = (tomllib.loads(block.body) for block in blocks(text) if block.info == "toml")
        first, private, public = tables
        terms = {"budget": {"epsilon": 10**14}, "ledger": folder / "ledger", "tables": private, "public": public}
        self.private = dalenius.connect(first, **policy, **terms)
        self.exact = duckdb.connect()
        self.exact.execute(CLAMP)
        for name, table in {policy["table"]: first, **private, **public}.items():
            self.exact.register(name, table)

    def answer(self, query):
        """Noise of scale contributions · bound / ε: below 0.001 in every number here."""
        values = self.private.sql(query, epsilon=10**11).value
        if not isinstance(values, dict):
            values = {"value": values}
        columns = [column if isinstance(column, tuple) else (column,) for column in values.values()]
        return list(zip(*columns, strict=True))

    def truth(self, query):
        return [tuple(_plain(value) for value in row) for row in self.exact.execute(query).fetchall()]


def _plain(value):
    return value.date() if isinstance(value, datetime) else value


def queries(text):
    """Each block of SQL beneath the heading before it."""
    asked = []
    for part in re.split(r"\n(?=### |\*\*)", text):
        heading = part.split("\n")[0].strip("#* ").split(":")[0][:40]
        asked += [(f"{heading} {n}", b.body) for n, b in enumerate(b for b in blocks(part) if b.info == "sql")]
    return asked


def same(row, expected):
    """Texts alike, numbers nearly."""
    return len(row) == len(expected) and all(
        one == (other if isinstance(other, str) else pytest.approx(other, rel=1e-3, abs=1e-3))
        for one, other in zip(row, expected, strict=True)
    )


def agree(query, answered, truth):
    """Rows that DuckDB has are the same; groups without rows, which a private answer shows too, have numbers near 0."""
    group = sqlglot.parse_one(query, read="duckdb").args.get("group")
    keys = len(group.expressions) if group else 0
    if not keys or keys > len(truth[0]) - 1:
        return len(answered) == len(truth) and all(map(same, answered, truth))
    expected = {row[:keys]: row[keys:] for row in truth}
    shown = {row[:keys]: row[keys:] for row in answered}
    empty = (0,) * (len(truth[0]) - keys)
    return expected.keys() <= shown.keys() and all(
        same(numbers, expected.get(key, empty)) for key, numbers in shown.items()
    )


ASKED = [("TPC-H", *one) for one in queries(TPCH)] + [("JOB", *one) for one in queries(JOB)]


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    folder = tmp_path_factory.mktemp("benchmarks")
    (folder / "a").mkdir()
    (folder / "b").mkdir()
    return {"TPC-H": Benchmark(TPCH, tpch(), folder / "a"), "JOB": Benchmark(JOB, films(), folder / "b")}


@pytest.mark.parametrize(("which", "name", "query"), ASKED, ids=[f"{which} {name}" for which, name, _ in ASKED])
def test_what_the_page_answers_is_answered_and_what_it_refuses_is_refused(opened, which, name, query):
    refusal = REFUSED.match(query)
    truth = opened[which].truth(query)  # the text is SQL, whatever is done with it here
    assert truth
    if refusal:
        with pytest.raises(getattr(errors, refusal[1])):
            opened[which].private.sql(query, epsilon=1)
        return
    assert agree(query, opened[which].answer(query), truth), (opened[which].answer(query), truth)


def test_every_one_of_the_22_has_its_verdict_and_its_queries():
    """A query of no person is refused alone, one that is answered whole is refused nowhere."""
    verdicts = dict(re.findall(r"^\| (Q\d+) \| .+ \| ([a-z ]+) \|$", TPCH, re.MULTILINE))
    assert list(verdicts) == [f"Q{n}" for n in range(1, 23)]
    for name, verdict in verdicts.items():
        refused = [bool(REFUSED.match(query)) for asked, query in queries(TPCH) if asked.split()[0] == name]
        assert refused
        if verdict == "public":
            assert all(refused)
        else:
            assert not all(refused)
            assert verdict in ("in other words", "in part") or (verdict == "whole" and not any(refused))


def test_a_wrong_row_a_missing_one_and_a_group_out_of_nothing_are_seen():
    grouped, truth = "SELECT a, COUNT(*) AS n FROM t GROUP BY a", [("x", 3), ("y", 5)]
    assert agree(grouped, [("x", 3.001), ("y", 5), ("z", 0)], truth)
    for wrong in ([("x", 4), ("y", 5)], [("x", 3)], [("x", 3), ("y", 5), ("z", 1)]):
        assert not agree(grouped, wrong, truth)
    assert not agree("SELECT COUNT(*) AS n FROM t", [(4,)], [(3,)])
