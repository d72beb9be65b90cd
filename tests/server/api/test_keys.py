import pytest

from tests.server.hospital import Caller

NEW = {"name": "ann", "role": "analyst", "datasets": ["visits"]}


def test_an_owner_makes_a_key_that_works_and_revokes_it(app, caller, ledger):
    owner = caller("owner", name="olga")
    made = owner("POST", "/api/keys", json=NEW).json()
    ann = Caller(app, made["key"])
    assert ann.ask().status_code == 200
    assert owner("DELETE", f"/api/keys/{made['fingerprint']}").status_code == 204
    assert ann("GET", "/api/datasets").status_code == 401
    written = [(one.kind, one.by, one.origin) for one in ledger.log("visits")][-4:]
    assert written[0] == ("key", "olga", "http")
    assert written[-1] == ("revoke key", "olga", "http")


def test_an_owner_sees_when_a_key_ends_in_their_own_data_sets(caller, ledger):
    _, key = ledger.create_key("ann", "analyst", ["staff", "visits"])
    ledger.change_key(key.fingerprint, "analyst", ["visits"], until="2100-01-01")
    (listed,) = [one for one in caller("owner")("GET", "/api/keys").json() if one["name"] == "ann"]
    assert listed["until"].startswith("2100-01-01")


def test_no_list_shows_a_key(caller):
    owner = caller("owner")
    made = owner("POST", "/api/keys", json=NEW).json()
    listed = owner("GET", "/api/keys")
    assert made["key"] not in listed.text
    assert made["fingerprint"] in listed.text


@pytest.mark.parametrize("datasets", [["staff"], ["visits", "staff"], ["nothing"]])
def test_an_owner_makes_no_key_for_what_they_do_not_own(caller, datasets):
    answer = caller("owner")("POST", "/api/keys", json=NEW | {"datasets": datasets})
    assert answer.status_code == 403


def test_an_owner_neither_sees_nor_revokes_keys_of_other_owners(caller, ledger):
    _, foreign = ledger.create_key("fritz", "analyst", ["staff"])
    _, both = ledger.create_key("bea", "analyst", ["staff", "visits"])
    owner = caller("owner")
    assert foreign.fingerprint not in owner("GET", "/api/keys").text
    assert owner("DELETE", f"/api/keys/{foreign.fingerprint}").status_code == 404
    assert owner("DELETE", f"/api/keys/{both.fingerprint}").status_code == 403


@pytest.mark.parametrize(
    "change", [{"role": "king"}, {"name": ""}, {"datasets": []}, {"until": "soon"}, {"until": "2020-01-01"}, {"x": 1}]
)
def test_a_key_that_makes_no_sense_is_refused(caller, change):
    assert caller("owner")("POST", "/api/keys", json=NEW | change).status_code in (400, 422)


def test_an_owner_does_not_see_which_data_sets_of_others_a_key_opens(caller):
    caller(name="ann", datasets=("visits", "staff"))
    listed = caller("owner")("GET", "/api/keys").json()
    assert [one["roles"] for one in listed if one["name"] == "ann"] == [{"visits": "analyst"}]


def test_a_key_is_changed_by_who_owns_what_it_opens(app, caller, ledger):
    owner = caller("owner", name="olga")
    made = owner("POST", "/api/keys", json=NEW).json()
    ann, place = Caller(app, made["key"]), f"/api/keys/{made['fingerprint']}"
    changed = owner("PATCH", place, json={"role": "viewer", "datasets": ["visits"], "until": "2100-01-01"})
    assert (changed.status_code, changed.json()["roles"]) == (200, {"visits": "viewer"})
    again, viewer = changed.json()["until"], {"role": "viewer", "datasets": ["visits"]}
    assert again[:10] == owner("PATCH", place, json=viewer).json()["until"][:10] == "2100-01-01"
    assert owner("PATCH", place, json=viewer | {"until": None}).json()["until"] is None
    assert ann.ask().status_code == 403
    assert owner("PATCH", place, json={"role": "owner", "datasets": ["staff"]}).status_code == 403
    assert owner("PATCH", f"/api/keys/{'0' * 32}", json={"role": "owner", "datasets": ["visits"]}).status_code == 404
    both = caller("owner", name="both", datasets=("visits", "staff"))
    assert both("PATCH", place, json={"role": "owner", "datasets": ["staff"]}).status_code == 404  # it opens no more
    assert dict(ledger.holder(made["key"]).roles) == {"visits": "viewer"}
