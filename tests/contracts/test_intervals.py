"""Every public way to an interval: it holds the truth as often as it says, and one that is 25 % too narrow is caught.

Coverage is counted for every kind of question by `interval`; every other reader (tables, charts, JSON, CSV, the
database interface, the command line) must say the same ends, or wider ones, of the same answers. In every run all
cells hold exactly five rows, so a question that picks cells picks them by noise alone: the worst that can happen.
"""

import csv
import io
import json
import math
import re
from fractions import Fraction

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy import stats
from typer.testing import CliRunner

from dalenius import charts, dbapi
from dalenius.cli import render
from dalenius.cli.app import app
from dalenius.curator import Outcome, Release

CELLS, TRUTH, LEVEL = 1000, 5, 0.8
KEYS = [f"k{number:04d}" for number in range(CELLS)]
COUNTED = "SELECT k, COUNT(*) AS n FROM t GROUP BY k"
SUMMED = "SELECT k, SUM(one) AS s FROM t GROUP BY k"
WAYS, NARROW = 50, 0.75
ALARM = 1e-9 / WAYS
"""Chance of a false alarm of one way: 1e-9 for all of them."""
MISSED = 1 - LEVEL


def size_and_most(narrow):
    """How many trials tell a chance of 0.2 from `narrow`, and how many of them may miss: both wrong below ALARM."""
    trials = 10
    while True:
        most = int(stats.binom.isf(ALARM, trials, MISSED))
        if stats.binom.cdf(most, trials, narrow) < ALARM:
            return trials, most
        trials = math.ceil(1.05 * trials)


def narrowed(sides=2):
    """The chance that Laplace noise of one of all cells leaves joint intervals of three quarters of their width.

    A radius r of one cell is missed with e^-r; that of all holds if (1 - e^-r)^CELLS does; one side is half of it.
    """
    alone = -math.expm1(math.log1p(-MISSED) / CELLS)
    return -math.expm1(CELLS * math.log1p(-(alone**NARROW) * sides / 2))


ONE_CELL = size_and_most(MISSED**NARROW)
TWO_SIDES, ONE_SIDE = size_and_most(narrowed()), size_and_most(narrowed(1))
BOTH = "n > 8 OR n < 2"

DAILY = {
    "HAVING": f"{COUNTED} HAVING {BOTH}",
    "view: WHERE": f"SELECT k, n FROM v WHERE {BOTH}",
}
LONG = {
    "ORDER BY … LIMIT": f"{COUNTED} ORDER BY n DESC LIMIT 1",
    "ORDER BY … OFFSET": f"{COUNTED} ORDER BY n OFFSET {CELLS - 2}",
    "of another column": "SELECT k, COUNT(*) AS n, SUM(CLAMP(one, 0, 1)) AS s FROM t GROUP BY k HAVING s > 9",
    "a formula": "SELECT k, COUNT(*) + 0 * COUNT(*) AS n FROM t GROUP BY k ORDER BY n LIMIT 2",
    "within, in rounds": f"{COUNTED} HAVING n > 6",
    "view: ORDER BY … LIMIT": "SELECT k, n FROM v ORDER BY n DESC LIMIT 1",
    "view: ORDER BY … OFFSET": f"SELECT k, n FROM v ORDER BY n OFFSET {CELLS - 2}",
    "view: the key behind": "SELECT n, k FROM v ORDER BY n DESC LIMIT 3",
    "view: a formula": "SELECT k, n + 0 * n AS n FROM v WHERE n < 3",
    "view over a view": "SELECT k, n FROM w LIMIT 1",
    "view with HAVING": "SELECT k, n FROM h WHERE k > 'k'",
}
CONSERVATIVE = {"of another column", "a formula", "view: a formula", "within, in rounds"}
"""Their intervals are wider than need be (a union bound over statements or rounds, or a condition on other noise), so
narrower ones may hold too."""


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """The table as a file, and a connection to it."""
    folder = tmp_path_factory.mktemp("intervals")
    rows = {"u": range(CELLS * TRUTH), "k": KEYS * TRUTH, "one": [1.0] * (CELLS * TRUTH)}
    pq.write_table(pa.table(rows), folder / "t.parquet")
    connection = dbapi.connect(
        *(folder / "t.parquet",),
        **{"table": "t", "unit": "u", "contributions": 1, "keys": {"k": KEYS}, "epsilon": 1},
        **{"budget": {"epsilon": 10**6, "delta": "0.5"}, "ledger": folder / "t.ledger"},
    )
    return folder, connection


def misses(ends, share=1.0):
    """How many intervals, or such of a share of their width, do not hold the truth."""
    middles = [((low + high) / 2, share * (high - low) / 2) for low, high in ends]
    return sum(abs(TRUTH - middle) > reach for middle, reach in middles)


def refreshed(db):
    """New noise in the view."""
    db.sql(f"CREATE OR REPLACE PRIVATE VIEW v AS {COUNTED}", epsilon=1, fresh=True)


def missed_at_once(db, query, runs, **price):
    """In how many runs one of the shown intervals misses the truth: as they are, and three quarters as wide."""
    whole = narrow = 0
    for _ in range(runs):
        if "FROM t" not in query:
            refreshed(db)
        if "FROM w" in query:
            db.sql("CREATE OR REPLACE PRIVATE VIEW w AS SELECT * FROM v ORDER BY n DESC")
        if "FROM h" in query:
            db.sql(f"CREATE OR REPLACE PRIVATE VIEW h AS {COUNTED} HAVING n > 7", epsilon=1, fresh=True)
        answer = db.sql(query, **((price or {"epsilon": 1}) | {"fresh": True} if "FROM t" in query else {}))
        ends = answer.interval(LEVEL)["n"]
        whole, narrow = whole + (misses(ends) > 0), narrow + (misses(ends, NARROW) > 0)
    return whole, narrow


@pytest.mark.parametrize(
    "way", [pytest.param(way, marks=[] if way in DAILY else [pytest.mark.long]) for way in DAILY | LONG]
)
def test_intervals_of_picked_rows_hold_all_at_once(shop, way):
    runs, most = TWO_SIDES if way in DAILY else ONE_SIDE
    price = {"within": "60%", "max_epsilon": 8} if way == "within, in rounds" else {}
    whole, narrow = missed_at_once(shop[1].session, (DAILY | LONG)[way], runs, **price)
    assert whole <= most
    assert narrow > most or way in CONSERVATIVE


def cell_by_cell(db):
    """Answers whose cells nothing has picked, each with its own noise."""
    yield "Laplace", db.sql(COUNTED, epsilon=1, fresh=True).interval(LEVEL)["n"]
    yield "Gaussian", db.sql(COUNTED, epsilon=1, delta="1e-6", fresh=True).interval(LEVEL)["n"]
    yield "intervals", ends_of(db.sql(COUNTED, epsilon=1, fresh=True).intervals(LEVEL))
    yield "view", view_of(db).interval(LEVEL)["n"]
    yield "accuracy", around(answer := db.sql(COUNTED, epsilon=1, fresh=True), answer.accuracy(Fraction(1, 5))["n"])
    yield "errors", around(answer := db.sql(COUNTED, epsilon=1, fresh=True), answer.errors(LEVEL)["n"])
    yield "within", db.sql(COUNTED, within=4, fresh=True).interval(LEVEL)["n"]


def cell_by_cell_by_weight(db):
    """Answers of rows with a survey weight, and means whose intervals may be wider than need be."""
    answer = db.sql("SELECT k, COUNT(*) AS n, SUM(one) AS s FROM t GROUP BY k", epsilon=4, fresh=True)
    yield "a weighted count", db.sql(COUNTED, epsilon=4, fresh=True).interval(LEVEL)["n"]
    yield "a weighted count beside a sum", answer.interval(LEVEL)["n"]
    yield "a weighted sum", db.sql(SUMMED, epsilon=4, fresh=True).interval(LEVEL)["s"]


def view_of(db):
    db.sql(f"CREATE OR REPLACE PRIVATE VIEW v AS {COUNTED}", epsilon=1, fresh=True)
    return db.sql("SELECT k, n FROM v")


def ends_of(table):
    return list(zip(table["n_lower"], table["n_upper"], strict=True))


def around(answer, reaches):
    told = reaches if isinstance(reaches, tuple) else (reaches,) * len(answer.rows)
    return [(n - reach, n + reach) for n, reach in zip(answer.value["n"], told, strict=True)]


@pytest.fixture(scope="module")
def survey(tmp_path_factory):
    """Rows that each stand for one, half of them by a weight that is held: the truth is the same."""
    size = CELLS * TRUTH
    weights = [1.0] * (size // 2) + [77.0] * (size // 2)
    rows = {"u": range(size), "k": KEYS * TRUTH, "one": [1.0] * size, "w": weights}
    return dbapi.connect(
        *(pa.table(rows),),
        **{"table": "t", "unit": "u", "contributions": 1, "keys": {"k": KEYS}, "bounds": {"one": (0, 2)}},
        **{"weight": {"column": "w", "most": 1}, "budget": {"epsilon": 10**6}},
        ledger=tmp_path_factory.mktemp("survey") / "t.ledger",
    )


@pytest.mark.parametrize(("table", "ways"), [("shop", cell_by_cell), ("survey", cell_by_cell_by_weight)])
def test_intervals_hold_cell_by_cell_and_narrower_ones_do_not(table, ways, request):
    trials, most = ONE_CELL
    opened = request.getfixturevalue(table)
    db = (opened[1] if table == "shop" else opened).session
    runs = math.ceil(trials / CELLS)
    seen = {}
    for _ in range(runs):
        for way, ends in ways(db):
            whole, narrow = seen.get(way, (0, 0))
            seen[way] = whole + misses(ends), narrow + misses(ends, NARROW)
    most = int(stats.binom.isf(ALARM, runs * CELLS, MISSED))
    assert {way: found for way, found in seen.items() if not found[0] <= most < found[1]} == {}


@pytest.mark.parametrize("delta", [None, pytest.param("1e-6", marks=pytest.mark.long)], ids=["Laplace", "Gaussian"])
def test_joint_intervals_hold_all_at_once(shop, delta):
    runs, most = TWO_SIDES
    db = shop[1].session
    answers = [
        db.sql(COUNTED, epsilon=1, delta=delta, fresh=True).interval(LEVEL, joint=True)["n"] for _ in range(runs)
    ]
    assert sum(misses(ends) > 0 for ends in answers) <= most
    assert sum(misses(ends, NARROW) > 0 for ends in answers) > most


def test_intervals_of_unknown_keys_hold(tmp_path):
    units = 40
    (trials, _), people = ONE_CELL, {"u": range(CELLS * units), "k": KEYS * units}
    db = dbapi.connect(
        *(pa.table(people),),
        **{"table": "t", "unit": "u", "contributions": 1, "ledger": tmp_path / "t.ledger"},
        **{"budget": {"epsilon": 100, "delta": "0.1"}},
    ).session
    ends = []
    while len(ends) < trials:
        answer = db.sql(COUNTED, epsilon=4, delta="1e-3", groups=1, fresh=True)
        ends += [(low - units + TRUTH, high - units + TRUTH) for low, high in answer.interval(LEVEL)["n"]]
    most = int(stats.binom.isf(ALARM, len(ends), MISSED))
    assert misses(ends) <= most < misses(ends, NARROW)


def run(*words):
    done = CliRunner().invoke(app, list(map(str, words)), env={"COLUMNS": "200"})
    assert done.exit_code == 0, done.output
    return done.stdout


def asked(shop, query, key, *options):
    """The same release by the command line, for real: a key that was paid for costs nothing."""
    keys = ("--keys", f"k={','.join(KEYS)}")
    terms = ("--unit", "u", "--contributions", 1, "--epsilon", 1, "--ledger", shop[0] / "t.ledger", "--key", key)
    return run("query", shop[0] / "t.parquet", query, *keys, *terms, *options)


def of_json(text):
    return [(row["n_lower"], row["n_upper"]) for row in json.loads(text)["rows"]]


def of_csv(text):
    return [(float(row["n_lower"]), float(row["n_upper"])) for row in csv.DictReader(io.StringIO(text))]


def of_terminal(text):
    cells = [line.split() for line in text.splitlines() if re.match(r"k\d{4} ", line)]
    return [(float(row[1]) - float(row[2]), float(row[1]) + float(row[2])) for row in cells]


def of_print(answer):
    return of_terminal(str(answer))


def of_chart(answer):
    return [(row["lower"], row["upper"]) for row in charts.answer(answer, 0.95, "n").to_dict()["data"]["values"]]


def typed(answer):
    return render.as_table(answer)


READERS = {
    "intervals": lambda answer: ends_of(answer.intervals(0.95)),
    "a stored release": lambda answer: Release.from_dict(json.loads(json.dumps(answer.to_dict()))).interval(0.95)["n"],
    "errors": lambda answer: around(answer, answer.errors(0.95)["n"]),
    "accuracy": lambda answer: around(answer, answer.accuracy(Fraction(1, 20))["n"]),
    "print": of_print,
    "--json": lambda answer: of_json(render.as_json(answer)),
    "--csv": lambda answer: of_csv(render.as_csv(answer)),
    "the command line's table": lambda answer: of_terminal(typed(answer)),
    "a chart's whiskers": of_chart,
}
HALF_A_DIGIT = 0.5
"""By how much the command line's table may move a number whose error has two digits; the error is rounded up."""


def narrower(told, ends, rounded=HALF_A_DIGIT):
    """Which of the intervals that a reader saw are narrower than they should be, or elsewhere."""
    assert len(told) == len(ends) > 0
    pairs = zip(told, ends, strict=True)
    return [pair for pair in pairs if pair[0][0] > pair[1][0] + rounded or pair[0][1] < pair[1][1] - rounded]


@pytest.fixture(scope="module")
def picked(shop):
    """Answers whose rows were picked by noise, from the table and from a view, each by its question and key."""
    db = shop[1].session
    refreshed(db)
    table, view = f"{COUNTED} ORDER BY n DESC LIMIT 20", "SELECT k, n FROM v ORDER BY n DESC LIMIT 20"
    return {table: db.sql(table, epsilon=1, key="readers"), view: db.sql(view)}


@pytest.mark.parametrize("reader", READERS)
def test_every_reader_says_the_same_ends(picked, reader):
    for answer in picked.values():
        rounded = HALF_A_DIGIT if "table" in reader or reader == "print" else 1e-6
        assert narrower(READERS[reader](answer), answer.interval(0.95)["n"], rounded) == []


def test_the_command_line_says_the_same_ends(shop, picked):
    query, answer = next(iter(picked.items()))
    ends = answer.interval(0.95)["n"]
    assert narrower(of_json(asked(shop, query, "readers", "--json")), ends, 1e-6) == []
    assert narrower(of_csv(asked(shop, query, "readers", "--csv")), ends, 1e-6) == []
    assert narrower(of_terminal(asked(shop, query, "readers")), ends) == []


def test_the_database_interface_says_the_same_ends(shop, picked, monkeypatch):
    _, view = picked
    paid = shop[1].cursor().execute(f"{COUNTED} ORDER BY n DESC LIMIT 20").release
    same = shop[1].session.sql(f"{COUNTED} ORDER BY n DESC LIMIT 20", epsilon=1, key="beside")
    assert widths(paid.interval(0.95)["n"]) == pytest.approx(widths(same.interval(0.95)["n"]))
    monkeypatch.setattr(shop[1], "epsilon", None)  # what is kept costs nothing
    assert shop[1].cursor().execute(view).release.interval(0.95) == picked[view].interval(0.95)


def widths(ends):
    return [high - low for low, high in ends]


def test_rows_that_are_taken_to_be_picked_by_nothing_are_caught(shop, picked, monkeypatch):
    """The mutant: as it was before views knew what picked their rows."""
    answer = picked["SELECT k, n FROM v ORDER BY n DESC LIMIT 20"]
    ends = answer.interval(0.95)["n"]
    monkeypatch.setattr(Outcome, "picked_by_noise", property(lambda outcome: False))
    runs = 16  # all of them miss; of true intervals so many do with a chance of 0.2^16 < ALARM
    assert missed_at_once(shop[1].session, DAILY["view: WHERE"], runs)[0] == runs
    assert [name for name, read in READERS.items() if not narrower(read(answer), ends)] == []
