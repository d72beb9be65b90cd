from dalenius.audit.certify import EventCounts
from dalenius.audit.draw import Raised
from dalenius.audit.report import Report, raised_note
from dalenius.guarantees import PureDP


def report(p_value, reverse=False):
    return Report(PureDP(1), "y ≥ 1", reverse, EventCounts(60, 100, 3, 100, 2.7), 0.05, 0.0, 200, 1.75, p_value)


def test_a_claim_is_rejected_at_the_level_and_not_above():
    assert report(0.05).rejects
    assert not report(0.0500001).rejects


def test_a_report_names_the_side_and_rounds_the_bound_down():
    assert "60 of 100 draws on x2, 3 of 100 on x" in str(report(0.01, reverse=True))
    assert "ε ≥ 1.75 at δ = 0" in str(report(0.01))
    assert report(0.01, reverse=True).frequencies == (0.03, 0.6)


def test_draws_that_raised_are_counted():
    assert raised_note([1, 2]) is None
    assert raised_note([Raised("KeyError", ""), 2]).startswith("1 of 2 draws raised, KeyError")
