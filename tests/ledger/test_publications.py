import pytest

from dalenius.ledger.facts import RecomputedFacts
from dalenius.ledger.publications import publication_of, publications, publish, withdraw

WORDS = {"page": "abc", "title": "Beds", "tiles": [["x", "r"]], "time": "2026-01-01"}


def test_what_entries_add_up_to_is_what_is_shown():
    book = RecomputedFacts()
    publish(book, "visits", WORDS, "")
    publish(book, "visits", WORDS | {"page": "other"}, "")
    withdraw(book, "visits", {"page": "abc"}, "")
    assert publication_of(book, "visits", "abc") is None
    assert [page.id for page in publications(book, "visits")] == ["other"]


def test_entries_that_could_not_be_there_are_refused():
    book = RecomputedFacts()
    with pytest.raises(ValueError, match="withdrawn"):
        withdraw(book, "visits", {"page": "abc"}, "")
    with pytest.raises(ValueError, match="at least one"):
        publish(book, "visits", WORDS | {"tiles": []}, "")
