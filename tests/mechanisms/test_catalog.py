import pytest

from dalenius.errors import UnknownName
from dalenius.mechanisms import CATALOG, mechanism_of


def test_labels_are_distinct():
    assert len({(entry.label, entry.mechanism) for entry in CATALOG}) == len(CATALOG)


def test_every_mechanism_has_an_entry_whose_claim_is_tight():
    assert {e.mechanism.name for e in CATALOG if e.tight} == {e.mechanism.name for e in CATALOG}


def test_a_mechanism_of_another_version_is_refused_by_name():
    with pytest.raises(UnknownName, match="stairway"):
        mechanism_of({"name": "stairway", "scale": "1"})
