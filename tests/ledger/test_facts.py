from dalenius.ledger.facts import RecomputedFacts


def test_facts_are_kept_by_data_set_kind_and_name():
    facts = RecomputedFacts()
    for dataset, kind, name, value in [
        ("a", "k", "y", "1"),
        ("a", "k", "x", "2"),
        ("b", "k", "x", "3"),
        ("a", "k", "y", "4"),
    ]:
        facts.put_fact(dataset, kind, name, value)
    assert list(facts.facts("a", "k")) == [("x", "2"), ("y", "4")]
    assert facts.fact("b", "k", "x") == "3"
    assert facts.fact("b", "k", "y") is None
    assert set(facts.all_facts()) == {("a", "k", "x", "2"), ("a", "k", "y", "4"), ("b", "k", "x", "3")}
