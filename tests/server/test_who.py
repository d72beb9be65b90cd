"""What routes give to each kind of key where nothing stands behind a name; `attack/test_roles.py` has every route."""

import asyncio

import pytest

from dalenius.server import Settings
from tests.server.hospital import COUNT, Caller, StillClock, hospital

ASK = {"sql": COUNT, "epsilon": "0.1"}
NEW = {"name": "bob", "role": "analyst", "datasets": ["visits"]}
HEAD = "0" * 64

#       method, path under /api, body, what an owner, an analyst and a viewer get
ROUTES = [
    ("GET", "datasets", None, (200, 200, 200)),
    ("GET", "datasets/visits", None, (200, 200, 200)),
    ("GET", "datasets/visits/description", None, (200, 200, 200)),
    ("POST", "datasets/visits/explain", ASK, (200, 200, 403)),
    ("POST", "datasets/visits/query", ASK, (200, 200, 403)),
    ("GET", "datasets/visits/releases", None, (200, 200, 403)),
    ("GET", f"datasets/visits/releases/{HEAD}", None, (404, 404, 403)),
    ("GET", "datasets/visits/budget", None, (200, 200, 200)),
    ("GET", "datasets/visits/shares", None, (200, 403, 403)),
    ("PUT", "datasets/visits/shares/bob", {"epsilon": "0.5"}, (204, 403, 403)),
    ("DELETE", "datasets/visits/shares/nobody", None, (404, 403, 403)),
    ("GET", "datasets/visits/requests", None, (200, 200, 403)),
    ("POST", "datasets/visits/requests", ASK, (403, 201, 403)),
    ("POST", f"datasets/visits/requests/{HEAD}/approve", None, (404, 403, 403)),
    ("POST", f"datasets/visits/requests/{HEAD}/decline", {}, (404, 403, 403)),
    ("GET", "datasets/visits/log", None, (200, 403, 403)),
    ("POST", "datasets/visits/verify", None, (200, 403, 403)),
    ("GET", "keys", None, (200, 403, 403)),
    ("POST", "keys", NEW, (201, 403, 403)),
    ("DELETE", f"keys/{HEAD[:32]}", None, (404, 403, 403)),
    ("GET", "../metrics", None, (403, 403, 403)),
]


@pytest.mark.parametrize(("method", "path", "body", "statuses"), ROUTES)
def test_each_role_gets_what_the_table_says(caller, method, path, body, statuses):
    got = [caller(role)(method, f"/api/{path}", json=body).status_code for role in ("owner", "analyst", "viewer")]
    assert tuple(got) == statuses


@pytest.fixture(scope="module")
def untouched(tmp_path_factory):
    """A hospital that nobody gets to change."""
    return hospital(tmp_path_factory.mktemp("untouched"), settings=Settings(wrong_keys_per_minute=10_000))[:2]


@pytest.mark.parametrize(("method", "path", "body", "_"), ROUTES)
def test_a_key_that_opens_nothing_gets_the_same_401_everywhere(untouched, method, path, body, _):
    app, ledger = untouched
    revoked, key = ledger.create_key("ann", "owner", ["visits"])
    ledger.revoke_key(key.fingerprint)
    answers = [Caller(app, secret)(method, f"/api/{path}", json=body) for secret in (None, "dk_wrong", revoked, "x")]
    assert {answer.status_code for answer in answers} == {401}
    assert len({answer.text for answer in answers}) == 1


@pytest.mark.parametrize(("method", "path", "body", "_"), [one for one in ROUTES if "visits" in one[1]])
def test_a_foreign_table_is_as_if_it_were_not_there(untouched, method, path, body, _):
    app, ledger = untouched
    foreign = Caller(app, ledger.create_key("fritz", "owner", ["staff"])[0])
    answers = [foreign(method, f"/api/{path.replace('visits', name)}", json=body) for name in ("visits", "nothing")]
    assert {answer.status_code for answer in answers} == {404}
    assert answers[0].text == answers[1].text


def test_wrong_keys_from_one_address_are_slowed_down_and_lock_nobody_out(app, caller):
    wrong = Caller(app, "dk_wrong")
    statuses = [wrong("GET", "/api/datasets").status_code for _ in range(25)]
    assert statuses == [401] * 20 + [429] * 5
    assert caller()("GET", "/api/datasets").status_code == 200


def test_one_key_may_not_ask_without_end(app, caller):
    ann = caller()
    statuses = [ann("GET", "/api/health").status_code for _ in range(3)]
    app.state.served.requests.burst = 2
    app.state.served.requests._left.clear()
    statuses += [ann("GET", "/api/datasets").status_code for _ in range(3)]
    assert statuses == [200, 200, 200, 200, 200, 429]


def test_a_key_that_has_ended_opens_nothing(app, ledger):
    from datetime import UTC, datetime, timedelta

    secret, _ = ledger.create_key("ann", "owner", ["visits"], until=datetime.now(UTC) + timedelta(days=1))
    assert Caller(app, secret)("GET", "/api/datasets").status_code == 200
    app.state.served.catalog.ledger._clock = lambda: datetime.now(UTC) + timedelta(days=2)
    assert Caller(app, secret)("GET", "/api/datasets").status_code == 401


class HeldClock(StillClock):
    """A clock whose moments come when the test says so."""

    def __init__(self):
        super().__init__()
        self.moment = asyncio.Event()

    async def sleep_until(self, moment):
        await self.moment.wait()


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "explain", ASK),
        ("POST", "query", ASK),
        ("POST", "query", ASK | {"fresh": True}),
        ("GET", "releases", None),
        ("GET", "budget", None),
    ],
)
def test_nothing_that_an_asker_can_look_at_tells_when_the_work_ended(tmp_path, method, path, body):
    clock = HeldClock()
    app, ledger, _ = hospital(tmp_path, clock=clock)
    ann = Caller(app, ledger.create_key("ann", "analyst", ["visits"])[0])
    bob = Caller(app, ledger.create_key("bob", "analyst", ["visits"])[0])

    async def look():
        key = {"Idempotency-Key": "k1"}
        asked = asyncio.create_task(ann.call("POST", "/api/datasets/visits/query", json=ASK, headers=key))
        while not ledger.entries("visits") or clock.threads.busy():
            await asyncio.sleep(0.01)
        looked = asyncio.create_task(ann.call(method, f"/api/datasets/visits/{path}", json=body, headers=key))
        other = await bob.call("GET", "/api/datasets/visits/budget")
        await asyncio.sleep(0.1)
        early = asked.done() or looked.done()
        clock.moment.set()
        return early, [(await asked).status_code, (await looked).status_code, other.status_code]

    assert asyncio.run(look()) == (False, [200, 200, 200])
