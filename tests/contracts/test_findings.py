"""Four faults that were found from outside, each from its first line to its last: the very steps that showed it."""

import subprocess
import sys

import pyarrow as pa
import pytest
from scipy import stats

import dalenius
from dalenius import charts
from dalenius.errors import LedgerMismatch
from dalenius.ledger import Ledger

CHILD = """
import sys, dalenius, pyarrow as pa
db = dalenius.connect(
    pa.table({"u": range(100)}), table="t", unit="u", contributions=1, budget={"epsilon": 1}, ledger=sys.argv[1]
)
print("ready", flush=True)
sys.stdin.readline()
try:
    for number in range(20):
        db.sql("SELECT COUNT(*) FROM t", epsilon="0.1", key=sys.argv[2] + str(number), fresh=True)
        print("answered", flush=True)
except dalenius.errors.BudgetExceeded:
    pass
"""


def test_a_table_of_another_data_set_is_not_read_at_nobody_s_expense(tmp_path):
    """ε = 50 was released over a data set that still had 1 of 1 left."""
    visits = pa.table({"user_id": range(100)})
    purchases = pa.table({"user_id": range(100), "x": [1.0] * 100})
    same = {"unit": "user_id", "contributions": 1, "ledger": tmp_path / "shop.ledger"}
    dalenius.connect(visits, table="visits", budget={"epsilon": 1}, **same)
    with pytest.raises(LedgerMismatch, match="'visits' is a table of the data set 'visits'"):
        dalenius.connect(purchases, table="purchases", budget={"epsilon": 100}, tables={"visits": visits}, **same)
    assert Ledger.open(tmp_path / "shop.ledger").datasets() == ["visits"]


def test_a_hard_link_to_the_ledger_gives_no_second_budget(tmp_path):
    """Two processes, each by a name of its own, got 10 answers of ε = 0.1 each from a budget of 1."""
    people = pa.table({"u": range(100)})
    first = dalenius.connect(
        people, table="t", unit="u", contributions=1, budget={"epsilon": 1}, ledger=tmp_path / "a.ledger"
    )
    first.ledger.close()
    (tmp_path / "b.ledger").hardlink_to(tmp_path / "a.ledger")
    both = [
        subprocess.Popen(
            [sys.executable, "-c", CHILD, tmp_path / f"{name}.ledger", name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in "ab"
    ]
    for child in both:  # both are open, or have ended, before one goes on
        child.stdout.readline()
    told = [child.communicate("\n") for child in both]
    assert sum(out.count("answered") for out, _ in told) == 0
    assert all("LedgerUnavailable" in err and "hard link" in err for _, err in told)


def test_the_first_row_of_a_view_has_an_interval_that_holds(tmp_path):
    """In 2 of 160 runs it did. Of 25 true ones at 95 % fewer than 13 hold with a chance below 1e-9."""
    runs, least = 25, 13
    assert stats.binom.cdf(least - 1, runs, 0.95) < 1e-9
    keys = [f"k{number:03d}" for number in range(200)]
    table = pa.table({"u": range(2000), "k": keys * 10})
    terms = {"unit": "u", "contributions": 1, "keys": {"k": keys}, "budget": {"epsilon": 10**4}}
    db = dalenius.connect(table, table="t", ledger=tmp_path / "v.ledger", **terms)
    held = {"table": 0, "view": 0}
    counted = "SELECT k, COUNT(*) AS n FROM t GROUP BY k"
    for number in range(runs):
        direct = db.sql(f"{counted} ORDER BY n DESC LIMIT 1", epsilon=1, key=f"d{number}", fresh=True)
        db.sql(f"CREATE OR REPLACE PRIVATE VIEW v AS {counted}", epsilon=1, key=f"v{number}", fresh=True)
        for name, answer in (("table", direct), ("view", db.sql("SELECT k, n FROM v ORDER BY n DESC LIMIT 1"))):
            ((low, high),) = answer.interval(0.95)["n"]
            held[name] += low <= 10 <= high
    assert min(held.values()) >= least


def test_a_key_that_was_found_in_the_data_runs_no_script(tmp_path):
    evil = "</script><script>alert(1)</script>"
    people = pa.table({"u": range(400), "k": [evil, "b"] * 200})
    terms = {"unit": "u", "contributions": 1, "budget": {"epsilon": 100, "delta": 1e-3}}
    db = dalenius.connect(people, table="t", ledger=tmp_path / "x.ledger", **terms)
    answer = db.sql("SELECT k, COUNT(*) AS n FROM t GROUP BY k", epsilon=10, delta=1e-4, groups=1)
    assert evil in answer.value["k"]
    chart = charts.answer(answer)
    page = charts.save(chart, tmp_path / "x.html").read_text(encoding="utf-8")
    assert evil not in page
    assert evil not in chart._repr_mimebundle_()["text/html"]
