import pytest

from dalenius.errors import InvalidParameter
from dalenius.ledger import Ledger, Role

IDENTITY = "https://id.example|42"


@pytest.fixture
def ledger(tmp_path):
    book = Ledger.open(tmp_path / "x.ledger")
    book.create("visits", 1, unit="patient")
    book.create("staff", 1, unit="person")
    return book


def test_an_identity_opens_what_owners_gave_it_in_one_role_each(ledger):
    assert ledger.login(IDENTITY) is None
    ledger.grant_login(IDENTITY, "ann", "analyst", ["visits"])
    ledger.grant_login(IDENTITY, "ann", "viewer", ["staff"])
    key = ledger.login(IDENTITY)
    assert (key.name, dict(key.roles)) == ("ann", {"visits": Role.ANALYST, "staff": Role.VIEWER})
    assert key.identity == IDENTITY
    assert ledger.login(IDENTITY + "3") is None
    ledger.verify()


def test_nobody_holds_the_key_of_a_login(ledger):
    key = ledger.grant_login(IDENTITY, "ann", "analyst", ["visits"])
    for text in (key.fingerprint, IDENTITY, "", "dk_"):
        assert ledger.holder(text) is None


def test_a_login_that_was_revoked_and_given_again_has_other_marks(ledger):
    first = ledger.grant_login(IDENTITY, "ann", "analyst", ["visits"])
    mark = ledger.seal(first.fingerprint, "cookie")
    ledger.revoke_key(first.fingerprint)
    assert ledger.login(IDENTITY) is None
    second = ledger.grant_login(IDENTITY, "ann", "analyst", ["visits"])
    assert second.fingerprint != first.fingerprint
    assert ledger.key_named(first.fingerprint) is None
    assert ledger.seal(second.fingerprint, "cookie") != mark
    ledger.verify()


def test_one_data_set_is_taken_away_and_others_stay(ledger):
    key = ledger.grant_login(IDENTITY, "ann", "analyst", ["visits", "staff"])
    ledger.revoke_key(key.fingerprint, ["visits"])
    assert dict(ledger.login(IDENTITY).roles) == {"staff": Role.ANALYST}
    ledger.verify()


@pytest.mark.parametrize(
    ("identity", "name", "role"),
    [("", "ann", "analyst"), ("a\nb", "ann", "analyst"), ("a", "", "analyst"), ("a", "a\nb", "owner"), ("a", "b", "x")],
)
def test_what_is_no_login_is_refused(ledger, identity, name, role):
    with pytest.raises(InvalidParameter):
        ledger.grant_login(identity, name, role, ["visits"])


def test_one_identity_has_one_name_and_an_end_to_come(ledger):
    ledger.grant_login(IDENTITY, "ann", "analyst", ["visits"])
    with pytest.raises(InvalidParameter, match="same name"):
        ledger.grant_login(IDENTITY, "bob", "analyst", ["staff"])
    with pytest.raises(InvalidParameter, match="future"):
        ledger.grant_login("b", "bob", "analyst", ["staff"], until="2001-01-01")


def test_an_identity_is_not_let_in_as_everybody_nor_under_two_lines(tmp_path):
    book = Ledger.open(tmp_path / "x.ledger")
    book.create("people", 1, unit="person")
    for name in ("public", "a\nb"):
        with pytest.raises(InvalidParameter):
            book.grant_login("https://id.example|1", name, "analyst", ["people"])
    assert book.login("https://id.example|1") is None
