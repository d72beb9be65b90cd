import pytest

from dalenius.errors import InvalidParameter, MixedRelations
from dalenius.neighbors import Relation


@pytest.mark.parametrize("relation", Relation)
def test_relation_is_found_by_its_text(relation):
    assert Relation.of(relation.value) is relation
    assert Relation.of(relation) is relation
    assert repr(relation) == f"Relation.{relation.name}"


@pytest.mark.parametrize("bad", ["bounded", "ADD_REMOVE", "", None, 1])
def test_another_text_is_refused(bad):
    with pytest.raises(InvalidParameter, match=r"'add-remove', 'change-one'"):
        Relation.of(bad)


def test_relations_do_not_mix():
    assert Relation.ADD_REMOVE.same_as(Relation.ADD_REMOVE) is Relation.ADD_REMOVE
    for one, other in ((Relation.ADD_REMOVE, Relation.CHANGE_ONE), (Relation.CHANGE_ONE, Relation.ADD_REMOVE)):
        with pytest.raises(MixedRelations):
            one.same_as(other)
