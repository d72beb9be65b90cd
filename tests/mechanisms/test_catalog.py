from inspect import isabstract

import pytest

from dalenius import mechanisms
from dalenius.errors import UnknownName
from dalenius.mechanisms import CATALOG, AdditiveMechanism, Mechanism, mechanism_of


def test_labels_are_distinct():
    assert len({(entry.label, entry.mechanism) for entry in CATALOG}) == len(CATALOG)


def test_every_additive_mechanism_has_an_entry_whose_claim_is_tight():
    additive = [entry for entry in CATALOG if isinstance(entry.mechanism, AdditiveMechanism)]
    assert {e.mechanism.name for e in additive if e.tight} == {e.mechanism.name for e in additive}


def test_every_mechanism_that_is_exported_is_in_the_catalog():
    kinds = {getattr(mechanisms, name) for name in mechanisms.__all__}
    concrete = {k for k in kinds if isinstance(k, type) and issubclass(k, Mechanism) and not isabstract(k)}
    assert concrete - {type(entry.mechanism) for entry in CATALOG} == set()


def test_a_mechanism_of_another_version_is_refused_by_name():
    with pytest.raises(UnknownName, match="stairway"):
        mechanism_of({"name": "stairway", "scale": "1"})
