from datetime import date

from dalenius.curator import Labels


def test_labels_may_repeat_and_be_null_and_a_date_is_written_as_text():
    labels = Labels(("day", "shop"), ((date(2024, 1, 2), None), (date(2024, 1, 2), None)))
    assert Labels.from_facts(labels.facts()) == Labels(("day", "shop"), (("2024-01-02", None),) * 2)
    assert len(labels) == 2
    assert Labels((), ())
