import hashlib

import dalenius
from dalenius.curator.plans.fingerprint import fingerprint_of


def test_kind_and_facts_make_the_fingerprint_and_their_order_does_not():
    assert fingerprint_of("a", {"x": 1, "y": 2}) == fingerprint_of("a", {"y": 2, "x": 1})
    assert len({fingerprint_of("a", {"x": 1}), fingerprint_of("b", {"x": 1}), fingerprint_of("a", {"x": 2})}) == 3


def test_a_fingerprint_is_what_the_first_ledgers_hold():
    written = b'{"code":"0.1.0","name":"n","plan":"measure"}'
    assert fingerprint_of("measure", {"name": "n"}) == hashlib.sha256(written).hexdigest()


def test_a_new_version_of_the_package_keeps_it_and_a_new_form_does_not(monkeypatch):
    before = fingerprint_of("measure", {"name": "n"})
    monkeypatch.setattr(dalenius, "__version__", "9.9.9")
    assert fingerprint_of("measure", {"name": "n"}) == before
    assert fingerprint_of("measure", {"name": "n"}, form=2) != before
