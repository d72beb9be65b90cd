from dalenius.synthesis import fit
from tests.synthesis.copies.test_copy import curator_of


def test_a_report_says_what_is_kept_and_what_is_not(tmp_path):
    zeros = {("sex", "smokes"): [("F", True)]}
    report = fit(curator_of(tmp_path), epsilon=2, delta=1e-5, nulls=[], impossible=zeros).report()
    assert len(report.measured) == 6
    assert report.unproved == 1
    assert all(table.radius > 0 for table in report.measured)
    told = str(report)
    assert "nothing is proved" in told
    assert "not kept" in told
    assert "1 declared pairs" in told
