import pytest

from dalenius.errors import InvalidParameter, UnknownName
from dalenius.sql import Policy, connect
from dalenius.sql.policy.descriptions import LONGEST_DESCRIPTION, checked_descriptions

COLUMNS = {"person": "VARCHAR", "Cost": "DOUBLE"}


def test_a_description_is_kept_by_the_file_and_shown_to_who_may_ask(tmp_path):
    said = {"cost": "what was paid,\n  in euros"}
    policy = Policy.declare("visits", COLUMNS, unit="person", bounds={"Cost": (0, 9)}, descriptions=said)
    assert policy.descriptions == {"Cost": "what was paid, in euros"}
    policy.save(tmp_path / "policy.toml")
    assert Policy.load(tmp_path / "policy.toml") == policy
    (tmp_path / "visits.csv").write_text("person,Cost\na,1\n")
    text = (tmp_path / "policy.toml").read_text()
    budget = "[budget]\nepsilon = 1\n"
    (tmp_path / "policy.toml").write_text(f'source = "visits.csv"\n{text}\n{budget}')
    with connect(policy=tmp_path / "policy.toml", ledger=tmp_path / "x.ledger") as db:
        about = db.describe("visits").told(0.95)["about"]
        assert list(about) == ["who is protected", "what was paid, in euros"]
        told = db.explain("SELECT COUNT(*) FROM visits", epsilon=1)
    assert told.cells == 1


@pytest.mark.parametrize("words", ["", " ", 7, None, "x" * (LONGEST_DESCRIPTION + 1)])
def test_what_is_no_sentence_is_refused(words):
    with pytest.raises(InvalidParameter, match="description of 'a'"):
        checked_descriptions({"a": words})


def test_a_column_that_is_not_there_is_not_described():
    with pytest.raises(UnknownName):
        Policy.declare("visits", COLUMNS, unit="person", descriptions={"price": "x"})


def test_no_question_is_another_one_because_of_a_description(tmp_path):
    """What was paid for stays free when the owner finds better words."""
    (tmp_path / "visits.csv").write_text("person,Cost\na,1\n")
    terms = 'table = "visits"\nsource = "visits.csv"\nunit = "person"\ncontributions = 1\n[budget]\nepsilon = 1\n'
    terms += '[columns]\nperson = "VARCHAR"\nCost = "DOUBLE"\n'
    heads = []
    for words in ("", '[descriptions]\nCost = "old"\n', '[descriptions]\nCost = "new"\n'):
        (tmp_path / "policy.toml").write_text(terms + words)
        with connect(policy=tmp_path / "policy.toml", ledger=tmp_path / "x.ledger") as db:
            heads.append(db.sql("SELECT COUNT(*) FROM visits", epsilon="0.9").receipt.head)
    assert len(set(heads)) == 1
