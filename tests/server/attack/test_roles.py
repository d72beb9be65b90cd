"""Every route, every role, every kind of key: what each gets. A route without a row in the tables fails."""

from datetime import UTC, datetime, timedelta

import pytest
from fastapi.routing import APIRoute

from dalenius.server import console
from dalenius.server.api import ROUTERS
from tests.server.console.visitor import Visitor
from tests.server.hospital import COUNT, Caller, hospital

ASK = {"sql": COUNT, "epsilon": "0.01"}
LATER = datetime.now(UTC) + timedelta(days=2)

# who holds the key:                     owner analyst viewer, then the owner of another data set
TABLE = {
    "GET /metrics": (403, 403, 403, 403),
    "GET /api/datasets": (200, 200, 200, 200),
    "GET /api/datasets/{table}": (200, 200, 200, 404),
    "GET /api/datasets/{table}/description": (200, 200, 200, 404),
    "POST /api/datasets/{table}/explain": (200, 200, 403, 404),
    "POST /api/datasets/{table}/query": (200, 200, 403, 404),
    "GET /api/datasets/{table}/releases": (200, 200, 403, 404),
    "GET /api/datasets/{table}/releases/{receipt}": (200, 200, 403, 404),
    "GET /api/datasets/{table}/budget": (200, 200, 200, 404),
    "GET /api/datasets/{table}/shares": (200, 403, 403, 404),
    "PUT /api/datasets/{table}/shares/{analyst}": (204, 403, 403, 404),
    "DELETE /api/datasets/{table}/shares/{analyst}": (204, 403, 403, 404),
    "GET /api/datasets/{table}/requests": (200, 200, 403, 404),
    "POST /api/datasets/{table}/requests": (403, 201, 403, 404),
    "POST /api/datasets/{table}/requests/{request}/approve": (204, 403, 403, 404),
    "POST /api/datasets/{table}/requests/{request}/decline": (204, 403, 403, 404),
    "GET /api/keys": (200, 403, 403, 200),
    "POST /api/keys": (201, 403, 403, 403),
    "PATCH /api/keys/{fingerprint}": (200, 403, 403, 403),
    "DELETE /api/keys/{fingerprint}": (204, 403, 403, 404),
    "GET /api/logins": (200, 403, 403, 200),
    "POST /api/logins": (201, 403, 403, 403),
    "DELETE /api/logins/{fingerprint}": (204, 403, 403, 404),
    "GET /api/datasets/{table}/log": (200, 403, 403, 404),
    "POST /api/datasets/{table}/verify": (200, 403, 403, 404),
    "GET /api/datasets/{table}/questions": (200, 200, 403, 404),
    "POST /api/datasets/{table}/questions": (201, 201, 403, 404),
    "DELETE /api/datasets/{table}/questions/{question}": (204, 204, 403, 404),
    "GET /api/datasets/{table}/dashboards": (200, 200, 403, 404),
    "POST /api/datasets/{table}/dashboards": (201, 201, 403, 404),
    "GET /api/datasets/{table}/dashboards/{board}": (200, 200, 403, 404),
    "DELETE /api/datasets/{table}/dashboards/{board}": (204, 204, 403, 404),
    "POST /api/datasets/{table}/dashboards/{board}/questions": (204, 204, 403, 404),
    "DELETE /api/datasets/{table}/dashboards/{board}/questions/{question}": (204, 204, 403, 404),
    "POST /api/datasets/{table}/dashboards/{board}/refresh": (200, 200, 403, 404),
    "PUT /api/datasets/{table}/dashboards/{board}/publication": (204, 403, 403, 404),
    "DELETE /api/datasets/{table}/dashboards/{board}/publication": (204, 403, 403, 404),
    "GET /api/datasets/{table}/policy": (200, 403, 403, 404),
    "GET /api/datasets/{table}/pace": (200, 403, 403, 404),
    "GET /api/datasets/{table}/spending": (200, 403, 403, 404),
    "PUT /api/datasets/{table}/public": (204, 403, 403, 404),
    "DELETE /api/datasets/{table}/public": (204, 403, 403, 404),
}
OPEN = {
    "GET /api/health",
    "GET /api/public",
    "GET /api/public/pages/{name}",
    "GET /api/public/tables/{table}",
    "POST /api/public/tables/{table}/explain",
    "POST /api/public/tables/{table}/query",
}
"""What needs no key."""

BODIES = {
    "POST /api/datasets/{table}/explain": ASK,
    "POST /api/datasets/{table}/query": ASK,
    "POST /api/datasets/{table}/requests": ASK,
    "PUT /api/datasets/{table}/shares/{analyst}": {"epsilon": "0.1"},
    "POST /api/keys": {"name": "new", "role": "viewer", "datasets": ["visits"]},
    "PATCH /api/keys/{fingerprint}": {"role": "viewer", "datasets": ["visits"]},
    "POST /api/logins": {"identity": "https://id|1", "name": "new", "role": "viewer", "datasets": ["visits"]},
    "POST /api/datasets/{table}/questions": ASK,
    "POST /api/datasets/{table}/dashboards": {"title": "wards"},
    "POST /api/datasets/{table}/dashboards/{board}/questions": ASK,
    "POST /api/datasets/{table}/dashboards/{board}/refresh": {"yes": ""},
    "PUT /api/datasets/{table}/public": {"epsilon": "0.1", "daily": "0.1"},
    "POST /api/public/tables/{table}/explain": ASK,
    "POST /api/public/tables/{table}/query": ASK,
}
ROLES = ("owner", "analyst", "viewer", "foreign")
SHUT = ("missing", "wrong", "ended", "revoked", "other form")


def routes(routers):
    return {f"{method} {route.path}" for router in routers for route in router.routes for method in route.methods}


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """The app and its ledger, and by name callers of every kind."""
    app, ledger, _clock = hospital(tmp_path_factory.mktemp("roles"))
    app.state.served.wrong_keys.burst = app.state.served.requests.burst = 10**9
    app.state.served.wrong_keys._left.clear()
    secrets = {role: ledger.create_key(role, role, ["visits"])[0] for role in ROLES[:3]}
    secrets["foreign"] = ledger.create_key("foreign", "owner", ["staff"])[0]
    secrets |= {"missing": None, "wrong": "dk_" + "0" * 64, "other form": "'; DROP TABLE keys"}
    secrets["revoked"], key = ledger.create_key("revoked", "owner", ["visits"])
    ledger.revoke_key(key.fingerprint)
    ended = ledger.create_key("ended", "owner", ["visits"], until=datetime.now(UTC) + timedelta(days=1))[0]
    secrets["ended"] = ended
    for analyst in ("analyst", "bob"):
        ledger.share("visits", analyst, "1")
    ledger._clock = app.state.served.catalog.ledger._clock = lambda: LATER
    return app, ledger, {name: Caller(app, secret) for name, secret in secrets.items()}, secrets


def path_of(row, ledger, callers, who):
    """The path of a row with names that are there."""
    path = row.partition(" ")[2]
    filled = path.replace("{table}", "visits").replace("{analyst}", "bob")
    if "{receipt}" in path:  # the asker's own answer, or the analyst's
        asker = callers[who if who in ("owner", "analyst") else "analyst"]
        filled = filled.replace("{receipt}", asker("POST", "/api/datasets/visits/query", json=ASK).json()["receipt"])
    if "{request}" in path:
        made = callers["analyst"]("POST", "/api/datasets/visits/requests", json=ASK)
        filled = filled.replace("{request}", made.json()["id"])
    if "/logins/{fingerprint}" in path:
        login = ledger.grant_login("https://id|2", "gone", "viewer", ["visits"])
        filled = filled.replace("{fingerprint}", login.fingerprint)
    if "{fingerprint}" in filled:
        filled = filled.replace("{fingerprint}", ledger.create_key("gone", "viewer", ["visits"])[1].fingerprint)
    if row.startswith("DELETE") and "{analyst}" in path:
        ledger.share("visits", "bob", "0.1")
    if row == "DELETE /api/datasets/{table}/public":
        ledger.open_to_everybody("visits", "0.1", "0.1")
    if "{board}" in path:
        filled = filled.replace("{board}", board_of(callers, who if who in ("owner", "analyst") else "analyst", row))
    return filled.replace("{question}", "0" * 32)


def board_of(callers, who, row=""):
    """A dashboard of somebody's with one question, whose answer is known; published, to be withdrawn."""
    place = "/api/datasets/visits/dashboards"
    board = callers[who]("POST", place, json={"title": "wards"}).json()["id"]
    assert callers[who]("POST", "/api/datasets/visits/query", json=ASK).status_code == 200
    assert callers[who]("POST", f"{place}/{board}/questions", json=ASK).status_code == 204
    if row.startswith("DELETE") and row.endswith("publication") and who == "owner":
        assert callers[who]("PUT", f"{place}/{board}/publication").status_code == 204
    return board


def test_every_route_of_the_interface_has_a_row():
    assert routes(ROUTERS) == set(TABLE) | OPEN


@pytest.mark.parametrize("row", sorted(TABLE))
def test_what_each_role_gets(house, row):
    _app, ledger, callers, _ = house
    got = []
    for who in ROLES:
        path = path_of(row, ledger, callers, who)
        got.append(callers[who](row.partition(" ")[0], path, json=BODIES.get(row)).status_code)
    assert tuple(got) == TABLE[row]


@pytest.mark.parametrize("row", sorted(TABLE))
def test_a_key_that_opens_nothing_gets_one_answer_everywhere(house, row):
    _app, ledger, callers, _ = house
    path = path_of(row, ledger, callers, "analyst")
    before = ledger.verify()
    answers = [callers[who](row.partition(" ")[0], path, json=BODIES.get(row)) for who in SHUT]
    assert {answer.status_code for answer in answers} == {401}
    assert len({(answer.content, str(sorted(answer.headers.items()))) for answer in answers}) == 1
    assert ledger.verify() == before


def test_what_needs_no_key_is_listed(house):
    _app, ledger, callers, _ = house
    board = board_of(callers, "owner")
    assert callers["owner"]("PUT", f"/api/datasets/visits/dashboards/{board}/publication").status_code == 204
    ledger.open_to_everybody("visits", "0.1", "0.1")
    for row in OPEN:
        method, path = row.replace("{name}", board).replace("{table}", "visits").split()
        assert callers["missing"](method, path, json=BODIES.get(row)).status_code == 200, row
    ledger.revoke("visits", "public")
    for row in (row for row in OPEN if "{table}" in row):
        method, path = row.replace("{table}", "visits").split()
        assert callers["missing"](method, path, json=BODIES.get(row)).status_code == 404, row


def test_a_route_without_a_row_is_seen():
    from fastapi import APIRouter

    more = APIRouter()
    more.add_api_route("/api/secret", lambda: "x", methods=["GET"])
    assert isinstance(more.routes[0], APIRoute)
    assert routes([*ROUTERS, more]) != set(TABLE) | OPEN


# pages: who is signed in gets them; others are sent to /login, and a form without its token does nothing

PAGES_FOR_ALL = {
    *("GET /static/{name}", "GET /login", "POST /login", "GET /login/provider", "GET /login/back"),
    *("GET /public", "GET /public/{name}", "GET /public/{name}/{number}/answer.{kind}"),
    *("GET /public/{name}/{number}/chart.svg", "GET /ask/{table}", "POST /ask/{table}/explain"),
    *("POST /ask/{table}/answer", "GET /ask/{table}/answers/{receipt}/answer.{kind}"),
    "GET /ask/{table}/answers/{receipt}/chart.svg",
}
PAGES = {
    "POST /logout": "anyone",
    "GET /": "anyone",
    "GET /tables/{table}": "asker",
    "GET /tables/{table}/build": "asker",
    "POST /tables/{table}/explain": "asker",
    "POST /tables/{table}/ask": "asker",
    "POST /tables/{table}/download/{kind}": "asker",
    "GET /tables/{table}/history": "asker",
    "GET /tables/{table}/answers/{receipt}": "asker",
    "GET /tables/{table}/answers/{receipt}/answer.{kind}": "asker",
    "GET /tables/{table}/answers/{receipt}/chart.svg": "asker",
    "POST /tables/{table}/save": "asker",
    "POST /tables/{table}/forget": "asker",
    "GET /tables/{table}/dashboards": "asker",
    "POST /tables/{table}/dashboards": "asker",
    "GET /tables/{table}/dashboards/{board}": "asker",
    "POST /tables/{table}/dashboards/{board}/refresh": "asker",
    "POST /tables/{table}/dashboards/{board}/remove": "asker",
    "POST /tables/{table}/dashboards/{board}/drop": "asker",
    "POST /tables/{table}/dashboards/{board}/publish": "owner",
    "POST /tables/{table}/dashboards/{board}/withdraw": "owner",
    "POST /tables/{table}/request": "analyst",
    "GET /tables/{table}/govern": "owner",
    "GET /tables/{table}/spending.svg": "owner",
    "POST /tables/{table}/govern/share": "owner",
    "POST /tables/{table}/govern/public": "owner",
    "POST /tables/{table}/govern/login": "owner",
    "GET /tables/{table}/govern/policy": "owner",
    "POST /tables/{table}/govern/revoke": "owner",
    "POST /tables/{table}/govern/approve": "owner",
    "POST /tables/{table}/govern/decline": "owner",
    "POST /tables/{table}/govern/key": "owner",
    "POST /tables/{table}/govern/change-key": "owner",
    "POST /tables/{table}/govern/revoke-key": "owner",
    "POST /tables/{table}/govern/verify": "owner",
}
MAY = {
    "anyone": {"owner", "analyst", "viewer"},
    "asker": {"owner", "analyst"},
    "analyst": {"analyst"},
    "owner": {"owner"},
}
FIELDS = {
    **{"sql": COUNT, "epsilon": "0.01", "analyst": "bob", "name": "x", "role": "viewer", "fingerprint": "0" * 32},
    **{"request": "0" * 64, "key": "k"},
}


def page_path(row):
    path = row.partition(" ")[2].replace("{table}", "visits").replace("{kind}", "csv")
    return path.replace("{receipt}", "0" * 64).replace("{board}", "0" * 32)


def visited(visitor, row, **token):
    method, path = row.partition(" ")[0], page_path(row)
    return visitor.get(path) if method == "GET" else visitor.post(path, **token, **FIELDS)


def test_every_page_has_a_row():
    assert routes(console.ROUTERS) == set(PAGES) | PAGES_FOR_ALL


@pytest.mark.parametrize("row", sorted(PAGES))
def test_who_is_not_signed_in_is_sent_to_the_login_and_nothing_is_written(house, row):
    app, ledger, _, _ = house
    before, stranger, forger = ledger.verify(), Visitor(app), Visitor(app)
    forger.cookies.set("dalenius", "0" * 32 + ".99999999999.00.00")
    for visitor in (stranger, forger):
        answer = visited(visitor, row)
        assert (answer.status_code, answer.headers["location"]) == (303, "/login")
    assert ledger.verify() == before


@pytest.mark.parametrize("row", sorted(PAGES))
def test_a_page_opens_for_its_roles_and_for_no_other(house, row):
    app, _ledger, _, secrets = house
    for role in ROLES:
        answer = visited(Visitor(app, secrets[role]), row)
        if role in MAY[PAGES[row]]:
            assert answer.status_code not in (401, 403, 405, 500), role
        elif "{table}" in row:
            assert answer.status_code == (404 if role == "foreign" else 403), role


@pytest.mark.parametrize("row", sorted(row for row in PAGES if row.startswith("POST")))
def test_a_form_from_elsewhere_does_nothing(house, row):
    app, ledger, _, secrets = house
    owner = Visitor(app, secrets["owner"])
    before = ledger.verify()
    assert visited(owner, row, token="0" * 64).status_code == 403
    assert ledger.verify() == before
