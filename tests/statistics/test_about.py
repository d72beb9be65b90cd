import pytest

from dalenius.curator import Curator, Facts
from dalenius.errors import InvalidParameter, UnboundedQuery
from dalenius.ledger import Ledger
from dalenius.neighbors import Relation, Unit
from dalenius.queries import Contributions, Keys
from dalenius.statistics.about import bounded, facts_of, keys_by, missing_rule, public_rows

DECLARED = Facts.declare(unit="u", bounds={"x": (0, 1)}, keys={"g": ["a", "b"], "h": [1, 2, 3]}, contributions=5)
CHANGED = Unit.row(Relation.CHANGE_ONE)


def test_what_is_said_wins_over_what_was_declared():
    assert facts_of(DECLARED) == DECLARED
    assert facts_of(DECLARED, contributions=3).contributions == 3
    assert facts_of(None).unit == Unit.row()
    assert facts_of(None, "u", 4).contributions == 4


def test_another_unit_inherits_no_contributions_and_no_number_of_rows():
    other = facts_of(DECLARED, "v")
    assert (other.unit, other.contributions, other.bounds) == (Unit("v"), None, DECLARED.bounds)
    assert facts_of(Facts.declare(unit=CHANGED, rows=9), "row").rows is None
    assert facts_of(Facts.declare(unit=CHANGED, rows=9), CHANGED).rows == 9


def test_a_curator_speaks_for_its_data(tmp_path):
    ledger = Ledger.open(tmp_path / "x.ledger")
    ledger.create("people", epsilon=1, unit="u")
    curator = Curator({"u": [1]}, unit="u", ledger=ledger, dataset="people", contributions=5)
    assert facts_of(curator).contributions == 5


def test_other_things_are_refused():
    with pytest.raises(InvalidParameter, match="about"):
        facts_of({"x": (0, 1)})


def test_a_person_needs_contributions_and_a_row_has_one():
    assert bounded(DECLARED) == Contributions("u", 5)
    assert bounded(facts_of(None)) is None
    assert bounded(Facts.declare(contributions=1)) is None
    with pytest.raises(UnboundedQuery, match="contributions"):
        bounded(facts_of(None, "u"))
    with pytest.raises(InvalidParameter, match="each row is one contribution"):
        bounded(facts_of(None, "row", 3))


def test_keys_are_declared_or_given():
    given = Keys("z", [1])
    assert keys_by(DECLARED, None) is None
    assert keys_by(DECLARED, given) is given
    assert keys_by(DECLARED, "g") == Keys("g", ["a", "b"])
    assert len(keys_by(DECLARED, ["g", "h"])) == 6
    with pytest.raises(UnboundedQuery, match="'z'"):
        keys_by(DECLARED, "z")
    with pytest.raises(InvalidParameter):
        keys_by(DECLARED, 3)


def test_no_row_can_vanish_where_one_is_only_changed():
    assert missing_rule(facts_of(None), None) == "drop"
    assert missing_rule(facts_of(None, CHANGED), None) == "nearest"
    assert missing_rule(facts_of(None, CHANGED), 0.5) == 0.5


def test_how_many_rows_have_a_key_is_not_public():
    facts = Facts.declare(unit=CHANGED, rows=9)
    assert public_rows(facts, None) == 9
    assert public_rows(facts, Keys("g", ["a"])) is None
