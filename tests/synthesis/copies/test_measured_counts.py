from fractions import Fraction

import pytest

from dalenius.synthesis import fit
from dalenius.synthesis.copies.measured_counts import count_ends
from tests.synthesis.copies.test_copy import curator_of


def test_ends_are_those_of_the_measured_table_for_all_its_cells_at_once(tmp_path):
    copy = fit(curator_of(tmp_path, rows=50), ["sex"], epsilon=2)
    values = copy.domain.attributes[0].values
    cells = copy.domain.sizes[0]
    table = copy.marginal(["sex"], 1 - Fraction(1, 20) / cells)
    ends = count_ends(copy, [("SEX", [values[1], None])], Fraction(19, 20))
    assert ends == [
        pytest.approx((table.lower[1], table.upper[1])),
        pytest.approx((table.lower[-1], table.upper[-1])),
    ]


def test_what_was_not_measured_has_none(tmp_path):
    copy = fit(curator_of(tmp_path, rows=50), ["sex"], epsilon=2)
    assert count_ends(copy, [], Fraction(1, 2)) is None
    assert count_ends(copy, [("other", [1])], Fraction(1, 2)) is None
    assert count_ends(copy, [("sex", ["F"]), ("sex", ["F"])], Fraction(1, 2)) is None
