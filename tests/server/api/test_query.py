import asyncio
import json
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from dalenius.curator import Curator
from dalenius.server import Settings
from dalenius.sql.engine.duckdb.engine import DuckDB
from tests.server.hospital import AFTER, COUNT, Caller, hospital, rows


def test_an_answer_is_charged_to_the_asker_and_leaves_at_its_moment(caller, ledger, clock):
    answer = caller(name="ann").ask(purpose="beds")
    (entry,) = ledger.entries("visits")
    assert answer.status_code == 200
    assert (entry.analyst, entry.by, entry.origin, entry.text, entry.purpose) == ("ann", "ann", "http", COUNT, "beds")
    assert clock.left_at == [AFTER]
    assert [row[0] for row in answer.json()["rows"]] == ["a", "b"]


def test_the_same_question_again_is_free_and_waits_for_nothing(caller, ledger, clock):
    ann = caller()
    first, again = ann.ask(), ann.ask(headers={"Idempotency-Key": "another"})
    assert first.content == again.content
    assert (len(ledger.entries("visits")), clock.left_at) == (1, [AFTER])


def test_fresh_draws_and_pays_again(caller, ledger):
    ann = caller()
    assert ann.ask().content != ann.ask(fresh=True).content
    assert len(ledger.entries("visits")) == 2


def test_a_retry_under_the_same_key_is_one_charge_also_when_it_is_fresh(caller, ledger):
    ann, key = caller(), {"Idempotency-Key": "k1"}
    assert ann.ask(fresh=True, headers=key).content == ann.ask(fresh=True, headers=key).content
    assert len(ledger.entries("visits")) == 1


def test_a_key_that_was_used_for_another_question_is_refused(caller):
    ann, key = caller(), {"Idempotency-Key": "k1"}
    ann.ask(headers=key)
    answer = ann.ask("SELECT COUNT(*) AS n FROM visits", headers=key)
    assert (answer.status_code, answer.json()["error"]) == (409, "LedgerMismatch")


def test_keys_of_two_askers_never_meet(caller, ledger):
    ann, bob, key = caller(name="ann"), caller(name="bob"), {"Idempotency-Key": "k1"}
    assert ann.ask(headers=key).status_code == 200
    assert bob.ask("SELECT COUNT(*) AS n FROM visits", headers=key).status_code == 200
    assert len(ledger.entries("visits")) == 2


def test_what_is_too_dear_is_refused_at_once_and_nothing_is_charged(caller, ledger, clock):
    answer = caller().ask(epsilon="11")
    assert (answer.status_code, answer.json()["error"], clock.left_at) == (402, "BudgetExceeded", [])
    assert ledger.entries("visits") == []


def test_shares_and_the_cap_are_the_ledgers(caller, ledger):
    ledger.share("visits", "ann", "0.15")
    ann = caller(name="ann")
    assert [ann.ask(fresh=True).status_code for _ in range(2)] == [200, 402]
    assert caller(name="bob").ask().status_code == 400


@pytest.mark.parametrize(
    ("accept", "kind"),
    [("text/csv", "text/csv"), ("application/vnd.apache.arrow.stream",) * 2, ("*/*", "application/json")],
)
def test_the_form_is_the_one_that_was_asked_for(caller, accept, kind):
    answer = caller().ask(headers={"Accept": accept})
    assert answer.headers["content-type"].startswith(kind)
    assert answer.status_code == 200
    assert b"ward" in answer.content


def failing(*_):
    raise RuntimeError("patient p3 overflows")


def test_a_failure_after_the_charge_is_one_constant_and_the_charge_stands(caller, ledger, clock, monkeypatch):
    ann = caller()
    monkeypatch.setattr(DuckDB, "_run", failing)
    answers = [ann.ask(sql) for sql in (COUNT, "SELECT SUM(cost) AS s FROM visits")]
    assert {answer.status_code for answer in answers} == {202}
    assert len({answer.content for answer in answers}) == 1
    assert b"p3" not in answers[0].content
    assert (len(ledger.entries("visits")), clock.left_at) == (2, [AFTER, 2 * AFTER])


def test_what_was_not_ready_is_sent_to_a_retry_under_the_same_key_for_nothing(caller, ledger, monkeypatch):
    ann, key = caller(), {"Idempotency-Key": "k1"}
    with monkeypatch.context() as broken:
        broken.setattr(DuckDB, "_run", failing)
        assert ann.ask(headers=key).status_code == 202
    assert ann.ask(headers=key).status_code == 200
    assert len(ledger.entries("visits")) == 1


def test_private_views_are_each_askers_own(caller):
    ann, bob = caller(name="ann"), caller(name="bob")
    ann.ask("CREATE PRIVATE VIEW wards AS " + COUNT)
    view = {"sql": "SELECT ward, n FROM wards"}
    assert ann("POST", "/api/datasets/visits/query", json=view).status_code == 200
    assert bob("POST", "/api/datasets/visits/query", json=view).status_code == 400


# neighbours: figures may differ, and nothing else

QUESTIONS = [
    COUNT,
    "SELECT AVG(cost) AS m FROM visits",
    "SELECT ward, SUM(cost) AS s FROM visits WHERE cost > 10 GROUP BY ward ORDER BY s DESC LIMIT 1",
    "SELECT COUNT(*) AS n FROM visits WHERE ward = 'c'",
]


def neighbours(chance):
    """A table, and the same without one hostile patient."""
    data = rows(int(chance.integers(1, 40))).to_pydict()
    cost = [None, float("nan"), float("inf"), -1e308, 1e308, 0.0][int(chance.integers(6))]
    ward = [None, "c", "a", "'; DROP TABLE visits"][int(chance.integers(4))]
    many = int(chance.integers(1, 200))
    more = {"patient": ["new"] * many, "ward": [ward] * many, "cost": [cost] * many}
    kinds = pa.schema([("patient", pa.string()), ("ward", pa.string()), ("cost", pa.float64())])
    return pa.table(data, kinds), pa.table({name: data[name] + more[name] for name in data}, kinds)


def masked(answer):
    """Status, headers and the body without what is released: figures, and the keys that noise picked."""
    headers = sorted((name, value) for name, value in answer.headers.items() if name != "content-length")
    return answer.status_code, headers, _shape(json.loads(answer.content))


def _shape(value):
    if isinstance(value, dict):
        rows = {"rows": len(value["rows"])} if "rows" in value else {}
        return {name: _shape(one) for name, one in value.items() if name not in ("receipt", "release", "rows")} | rows
    if isinstance(value, list):
        return [_shape(one) for one in value]
    return "figure" if isinstance(value, float | int) else value


def seen(folder, data, sql):
    """What the asker sees, and what a second asker sees who waits behind them, with the moments at which both leave."""
    folder.mkdir()
    one_slot = Settings(answer_after=Fraction(AFTER), slots=1)  # with two, the machine's load decides who reads first
    app, ledger, clock = hospital(folder, data, settings=one_slot)
    ann, bob = (Caller(app, ledger.create_key(name, "analyst", ["visits"])[0]) for name in ("ann", "bob"))

    async def both():
        body = {"sql": sql, "epsilon": "0.1"}
        first = asyncio.create_task(ann.call("POST", "/api/datasets/visits/query", json=body))
        second = asyncio.create_task(bob.call("POST", "/api/datasets/visits/query", json=body | {"epsilon": "0.2"}))
        return await asyncio.gather(first, second)

    return [masked(answer) for answer in asyncio.run(both())], sorted(clock.left_at)


@pytest.mark.parametrize("sql", QUESTIONS)
def test_neighbours_differ_in_figures_alone(tmp_path, sql):
    chance = np.random.default_rng()
    for turn in range(3):
        less, more = neighbours(chance)
        assert seen(tmp_path / f"less{turn}", less, sql) == seen(tmp_path / f"more{turn}", more, sql)


def test_a_server_that_answers_early_on_failure_is_caught(tmp_path, monkeypatch):
    """The comparison above sees a failure that a row causes, whose answer does not wait for its moment."""
    less, more = rows(5), pa.concat_tables([rows(5), rows(6).slice(10)])
    run = Curator._run

    def fails_on_the_sixth(self, plan):
        if len(self._view.table(["patient"]).column("patient")) > 10:
            raise RuntimeError
        return run(self, plan)

    monkeypatch.setattr(Curator, "_run", fails_on_the_sixth)
    assert seen(tmp_path / "less", less, COUNT)[1] == seen(tmp_path / "more", more, COUNT)[1]
    monkeypatch.setattr("dalenius.server.line.Line._leave", _at_once)
    assert seen(tmp_path / "less early", less, COUNT)[1] != seen(tmp_path / "more early", more, COUNT)[1]


async def _at_once(self, dataset, work, draw):
    result = await asyncio.get_running_loop().run_in_executor(self._threads, work)
    await self.clock.sleep_until(self.clock.now() + AFTER)
    return result


def test_a_synthetic_table_is_paid_once_and_its_answers_say_so_in_every_form(caller, ledger):
    ann = caller()
    made = ann.ask("CREATE SYNTHETIC TABLE s AS SELECT * FROM visits", epsilon="0.5")
    assert made.status_code == 200, made.text
    assert "synthetic" in made.json()["warnings"][0]
    paid = len(ledger.entries("visits"))
    for accepted, read in (("application/json", lambda r: r.json()["warnings"][0]), ("text/csv", lambda r: r.text)):
        told = ann.ask("SELECT * FROM synthetic.s LIMIT 3", epsilon=None, headers={"Accept": accepted})
        assert told.status_code == 200, told.text
        assert "synthetic: computed from rows that nobody is" in read(told)
    arrow = ann.ask("SELECT * FROM s", epsilon=None, headers={"Accept": "application/vnd.apache.arrow.stream"})
    assert b"nobody is" in pa.ipc.open_stream(arrow.content).read_all().schema.metadata[b"warnings"]
    assert len(ledger.entries("visits")) == paid


def test_a_view_of_an_answer_that_is_known_is_made_for_nothing(caller, ledger):
    ann = caller()
    ann.ask()
    made = ann.ask(f"CREATE PRIVATE VIEW beds AS {COUNT}")
    asked = ann("POST", "/api/datasets/visits/query", json={"sql": "SELECT ward, n FROM beds"})
    assert (made.status_code, asked.status_code, len(ledger.entries("visits"))) == (200, 200, 1)


def test_a_question_that_waits_while_its_key_is_revoked_is_not_asked(tmp_path):
    """A thief's questions in the line end with the key, and not only the thief's next request."""
    app, ledger, _clock = hospital(tmp_path, settings=Settings(answer_after=Fraction(AFTER), slots=1))
    (first, _), (secret, stolen) = (ledger.create_key(name, "analyst", ["visits"]) for name in ("ann", "bob"))
    place, body = "/api/datasets/visits/query", {"sql": COUNT, "epsilon": "0.1"}

    async def both():
        ann = asyncio.create_task(Caller(app, first).call("POST", place, json=body))
        while not ledger.entries("visits"):
            await asyncio.sleep(0.001)
        bob = asyncio.create_task(Caller(app, secret).call("POST", place, json=body | {"epsilon": "0.2"}))
        while not app.state.served.line._places["visits"].waits:
            await asyncio.sleep(0.001)
        ledger.revoke_key(stolen.fingerprint)
        return await asyncio.gather(ann, bob)

    assert [answer.status_code for answer in asyncio.run(both())] == [200, 401]
    assert len(ledger.entries("visits")) == 1
