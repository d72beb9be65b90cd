from dalenius.mechanisms.selection_catalog import SELECTION
from dalenius.mechanisms.top_k import SELECTIONS


def test_every_selection_has_an_entry_and_every_entry_its_own_mechanism():
    kinds = [type(entry.mechanism) for entry in SELECTION]
    assert set(SELECTIONS) <= set(kinds)
    assert len(set(kinds)) == len(kinds)


def test_entries_are_pairs_of_neighbors_at_the_stated_distance():
    for entry in SELECTION:
        first, second = entry.neighbors
        assert len(first) == len(second)
        if all(isinstance(x, int) for x in (*first, *second)) and entry.sensitivity.metric.name == "LINF":
            assert max(abs(a - b) for a, b in zip(first, second, strict=True)) == entry.sensitivity.value
