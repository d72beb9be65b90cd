import pytest

from tests.server.hospital import Caller

WHO = "https://id.example|248289761001"
NEW = {"identity": WHO, "name": "ann", "role": "analyst", "datasets": ["visits"]}


@pytest.fixture
def olga(caller):
    return caller("owner", name="olga")


def test_a_login_is_granted_changed_and_revoked_and_each_is_an_entry(olga, ledger):
    made = olga("POST", "/api/logins", json=NEW)
    assert (made.status_code, made.json()["identity"], made.json()["roles"]) == (201, WHO, {"visits": "analyst"})
    assert dict(ledger.login(WHO).roles) == {"visits": "analyst"}
    olga("POST", "/api/logins", json=NEW | {"role": "viewer", "until": "2100-01-01"})
    (listed,) = olga("GET", "/api/logins").json()
    assert (listed["roles"], listed["until"][:4]) == ({"visits": "viewer"}, "2100")
    assert listed["fingerprint"] == made.json()["fingerprint"]
    assert olga("DELETE", f"/api/logins/{listed['fingerprint']}").status_code == 204
    assert (ledger.login(WHO), olga("GET", "/api/logins").json()) == (None, [])
    assert [(one.by, one.origin) for one in ledger.log("visits", kind="login")] == [("olga", "http")] * 2
    ledger.verify()


def test_what_another_owner_gave_the_same_person_is_neither_seen_nor_taken(app, olga, ledger):
    fritz = Caller(app, ledger.create_key("fritz", "owner", ["staff"])[0])
    assert fritz("POST", "/api/logins", json=NEW | {"datasets": ["staff"], "role": "owner"}).status_code == 201
    mark = olga("POST", "/api/logins", json=NEW).json()
    assert mark["roles"] == {"visits": "analyst"}
    assert olga("DELETE", f"/api/logins/{mark['fingerprint']}").status_code == 204
    assert dict(ledger.login(WHO).roles) == {"staff": "owner"}
    assert olga("DELETE", f"/api/logins/{mark['fingerprint']}").status_code == 404


@pytest.mark.parametrize("datasets", [["staff"], ["visits", "staff"], ["nothing"]])
def test_nobody_is_let_in_to_what_the_asker_does_not_own(olga, ledger, datasets):
    assert olga("POST", "/api/logins", json=NEW | {"datasets": datasets}).status_code == 403
    assert ledger.login(WHO) is None


@pytest.mark.parametrize(
    "change",
    [{"identity": ""}, {"identity": "a\nb"}, {"name": "public"}, {"name": "a\nb"}, {"role": "king"}, {"until": "soon"}],
)
def test_a_login_that_makes_no_sense_is_refused(olga, change):
    assert olga("POST", "/api/logins", json=NEW | change).status_code in (400, 422)


def test_a_key_is_no_login(olga, ledger):
    _, key = ledger.create_key("ann", "analyst", ["visits"])
    assert olga("GET", "/api/logins").json() == []
    assert olga("DELETE", f"/api/logins/{key.fingerprint}").status_code == 404
