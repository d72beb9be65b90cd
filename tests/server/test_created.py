import pytest

from dalenius.server.created import MOST, Created
from tests.server.hospital import COUNT

VIEW = f"CREATE PRIVATE VIEW beds AS {COUNT}"
COPY = "CREATE SYNTHETIC TABLE s AS SELECT ward FROM visits"


@pytest.mark.parametrize("statement", [VIEW, COPY])
def test_a_retry_of_a_statement_that_made_something_gets_it_for_one_charge(caller, ledger, statement):
    ann, key = caller(), {"Idempotency-Key": "k1"}
    first, again = (ann.ask(statement, headers=key) for _ in range(2))
    assert (first.status_code, again.content) == (200, first.content)
    assert len(ledger.entries("visits")) == 1
    assert ann.ask(statement, headers={"Idempotency-Key": "k2"}).status_code == 400  # no retry: the name is taken
    assert ann.ask(statement).status_code == 400


def test_under_one_key_another_statement_is_no_retry(caller):
    ann, key = caller(), {"Idempotency-Key": "k1"}
    ann.ask(VIEW, headers=key)
    assert (
        ann.ask(VIEW.replace("beds", "rooms"), headers=key).status_code == 200
    )  # the same answer, under a second name
    assert ann.ask(VIEW.replace("ward,", "").replace(" GROUP BY ward", ""), headers=key).status_code == 400


def test_keys_of_two_askers_never_meet(caller):
    ann, bob, key = caller(name="ann"), caller(name="bob"), {"Idempotency-Key": "k1"}
    ann.ask(VIEW, headers=key)
    assert bob("POST", "/api/datasets/visits/query", json={"sql": "SELECT * FROM beds"}).status_code == 400


def test_what_is_remembered_is_bounded_and_only_what_makes_something(app, caller):
    caller().ask(headers={"Idempotency-Key": "k1"})
    created = app.state.served.created
    assert isinstance(created, Created)
    assert len(created._made) == 0
    for number in range(MOST):
        created._made["visits", f"old {number}"] = ("", None)
    caller(name="bob").ask(VIEW, headers={"Idempotency-Key": "k2"})
    assert len(created._made) == MOST
