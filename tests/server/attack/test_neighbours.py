"""Neighbours through the application: who asks, and who waits behind them, sees figures differ and nothing else.

Time stands still but for whoever waits for it, and noise is drawn from the same bits on both sides. A pair is two
tables, one of which has one more patient, who may hold any rows, together with a question.
"""

import asyncio
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from dalenius.curator import Curator
from dalenius.curator import curator as gate
from dalenius.ledger import Ledger
from dalenius.server import Catalog, Settings, create_app
from dalenius.server.line import Line
from dalenius.sql import connect
from tests.noise.seeded import SeededBits
from tests.server.api.test_query import masked
from tests.server.hospital import AFTER, Caller, Counted, StillClock

KINDS = pa.schema([("patient", pa.string()), ("ward", pa.string()), ("cost", pa.float64()), ("stay", pa.int64())])
EACH = 5
"""Questions that each pair of tables is asked."""

WHAT = [
    *("COUNT(*)", "COUNT(DISTINCT patient)", "SUM(cost)", "AVG(cost)", "SUM(stay)", "AVG(stay + 1)", "VARIANCE(cost)"),
    *("MEDIAN(cost)", "SUM(CASE WHEN cost > 10 THEN 1 ELSE 0 END)", "MAX(cost)", "STDDEV(stay)", "COUNT(cost)"),
]
WHERE = [
    *(
        "",
        "",
        " WHERE cost > 10",
        " WHERE ward = 'a'",
        " WHERE stay / cost > 1",
        " WHERE ward LIKE '%b' OR cost IS NULL",
    ),
    *(
        " WHERE 1 / (stay - 3) > 0",
        " WHERE CAST(ward AS INTEGER) > 0",
        " WHERE stay * stay * stay > 5",
        " WHERE LN(cost) > 1",
    ),
]
REFUSED = "SELECT patient FROM visits"
"""What the language refuses whatever the rows are: every pair compares a refusal too."""

ENDS = ["", "", "", " ORDER BY a DESC LIMIT 1", " HAVING a > 5"]


def question(chance):
    """A question of the closed language, or one that it refuses: a refusal too must be the same."""
    what, where = chance.choice(WHAT), chance.choice(WHERE)
    if chance.random() < 0.5:
        return f"SELECT {what} AS a FROM visits{where}"
    return f"SELECT ward, {what} AS a FROM visits{where} GROUP BY ward{chance.choice(ENDS)}"


def neighbours(chance):
    """A table, and the same with the rows of one more patient."""
    size = int(chance.integers(0, 30))
    data = {
        "patient": [f"p{int(number)}" for number in chance.integers(0, 10, size)],
        "ward": list(chance.choice(["a", "b", "c", ""], size)),
        "cost": [float(cost) for cost in chance.uniform(-5, 120, size)],
        "stay": [int(stay) for stay in chance.integers(0, 40, size)],
    }
    many = int(chance.choice([1, 1, 2, 3, 50, 300]))
    costs = [None, float("nan"), float("inf"), -float("inf"), 1e308, -1e308, 5e-324, 0.0, -0.0, 20.0]
    wards = [None, "a", "b", "z", "", "'; DROP TABLE visits", "12", "\x00", "é" * 100]
    stays = [None, 0, 3, 2**63 - 1, -(2**63), 10**6]
    more = {
        "patient": ["new"] * many,
        "ward": [wards[place] for place in chance.integers(0, len(wards), many)],
        "cost": [costs[place] for place in chance.integers(0, len(costs), many)],
        "stay": [stays[place] for place in chance.integers(0, len(stays), many)],
    }
    return pa.table(data, KINDS), pa.table({name: data[name] + more[name] for name in data}, KINDS)


class Side:
    """One of two neighbouring worlds: a ledger that stays, and an app over each table that comes."""

    def __init__(self, folder):
        folder.mkdir()
        self._ledger = Ledger.open(folder / "x.ledger")
        self._keys = {}

    def seen(self, data, questions):
        """What two askers see of each question, the second waiting behind the first, and the moments of all answers."""
        terms = {"keys": {"ward": ["a", "b"]}, "bounds": {"cost": (0, 100), "stay": (0, 30)}, "contributions": 2}
        session = connect(data, table="visits", unit="patient", ledger=self._ledger, budget={"epsilon": 10**6}, **terms)
        clock = Patient()
        fast = Settings(answer_after=Fraction(AFTER), slots=1, requests_per_second=10**6, burst=10**6)
        app = create_app(Catalog([session], self._ledger), fast, clock)
        line = app.state.served.line
        clock.threads = Counted(line._threads, line._free)
        askers = [Caller(app, self._key(name)) for name in ("ann", "bob")]
        try:
            return asyncio.run(self._asked(askers, questions)), clock.left_at
        finally:
            line.close()
            session.close()

    def _key(self, name):
        if name not in self._keys:
            self._keys[name] = self._ledger.create_key(name, "analyst", ["visits"])[0]
        return self._keys[name]

    async def _asked(self, askers, questions):
        seen = []
        for sql in questions:
            bodies = [{"sql": sql, "epsilon": price, "fresh": True} for price in ("0.1", "0.2")]
            both = zip(askers, bodies, strict=True)
            calls = [one.call("POST", "/api/datasets/visits/query", json=body) for one, body in both]
            seen.append([_without_chosen_rows(masked(answer), sql) for answer in await asyncio.gather(*calls)])
        return seen


def _without_chosen_rows(answer, sql):
    """Under HAVING the released figures decide how many rows there are, so their number is one of the figures."""
    status, headers, body = answer
    return status, headers, {name: one for name, one in body.items() if name != "rows" or "HAVING" not in sql}


class Patient(StillClock):
    """A still clock that looks often, for many pairs."""

    async def sleep_until(self, moment):
        quiet = 0
        while quiet < 5:
            await asyncio.sleep(0.0005)
            quiet = 0 if self.threads.busy() else quiet + 1
        self.time = max(self.time, moment)
        self.left_at.append(self.time)
        await asyncio.sleep(0)


@pytest.fixture
def fixed_bits(monkeypatch):
    """Every curator draws from the same bits."""
    monkeypatch.setattr(gate, "Bits", lambda: SeededBits(7))


def differing(folder, tables, chance):
    """The pairs, of so many tables, whose two sides can be told apart, and how many pairs were compared."""
    sides = [Side(folder / name) for name in ("less", "more")]
    apart, statuses = [], set()
    for _ in range(tables):
        data, questions = neighbours(chance), [*(question(chance) for _ in range(EACH)), REFUSED]
        less, more = (side.seen(one, questions) for side, one in zip(sides, data, strict=True))
        statuses |= {answer[0] for asked in less[0] for answer in asked}
        if less != more:
            apart.append((questions, data[1].slice(data[0].num_rows).to_pylist()[:5], less, more))
    return apart, statuses


def compared(folder, tables):
    seed = int(np.random.SeedSequence().entropy % 2**32)
    apart, statuses = differing(folder, tables, np.random.default_rng(seed))
    assert apart == [], f"seed {seed}"
    assert statuses == {200, 400}  # answers and refusals were both compared


@pytest.mark.usefixtures("fixed_bits")
def test_neighbours_differ_in_figures_alone_also_for_who_waits_behind(tmp_path):
    compared(tmp_path, 8)


@pytest.mark.long
@pytest.mark.usefixtures("fixed_bits")
def test_ten_thousand_pairs_differ_in_figures_alone(tmp_path):
    compared(tmp_path, 10_000 // EACH)


def failing_beyond(rows):
    """Work that fails if one more patient is there, as an engine may whose memory runs out."""
    run = Curator._run

    def fails(self, plan):
        if len(self._view.table(["patient"]).column("patient")) > rows:
            raise RuntimeError
        return run(self, plan)

    return fails


async def _early(self, dataset, work, draw):
    """A line that lets a failure out, and its slot free, as soon as it has happened."""
    result = await asyncio.get_running_loop().run_in_executor(self._threads, work)
    await self.clock.sleep_until(self.clock.now() + AFTER)
    return result


@pytest.mark.usefixtures("fixed_bits")
def test_a_server_that_answers_early_on_failure_is_caught(tmp_path, monkeypatch):
    sides = [Side(tmp_path / name) for name in ("less", "more")]
    data, asked = neighbours(np.random.default_rng(5)), ["SELECT COUNT(*) AS a FROM visits"]
    monkeypatch.setattr(Curator, "_run", failing_beyond(data[0].num_rows))
    moments = [side.seen(one, asked)[1] for side, one in zip(sides, data, strict=True)]
    assert moments[0] == moments[1] == [AFTER, 2 * AFTER]
    monkeypatch.setattr(Line, "_leave", _early)
    less, more = (side.seen(one, asked)[1] for side, one in zip(sides, data, strict=True))
    assert (less, more) == ([AFTER, 2 * AFTER], [])
