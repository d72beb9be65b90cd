from dalenius.sql.aggregate import MeasuredBy
from dalenius.sql.catalog import CATALOG


def test_what_is_measured_by_sums_has_one_formula_or_is_another_in_other_words():
    for one in CATALOG:
        formulas = [one.formula is not None, one.of_pair is not None, bool(one.alike)]
        assert sum(formulas) == 1 if one.measured is MeasuredBy.SUMS else not any(formulas[:2])


def test_a_formula_is_named_by_the_aggregate_in_small_letters():
    assert all(one.want == one.name.lower() for one in CATALOG)
