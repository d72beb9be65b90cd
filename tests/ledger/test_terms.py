import pytest

from dalenius.errors import LedgerMismatch
from dalenius.ledger.amount import Amount
from dalenius.ledger.filters import FILTERS
from dalenius.ledger.terms import AnalystShare, Terms
from dalenius.neighbors import Unit


@pytest.mark.parametrize("name", sorted(FILTERS))
def test_terms_and_shares_come_back_from_their_words(name):
    terms = Terms.of(Unit("id"), Amount.limit(1, 1e-6), name)
    assert Terms.from_dict(terms.to_dict()) == terms
    share = terms.share(Amount.limit(0.9, 1e-6))
    assert AnalystShare.from_dict(share.to_dict()) == share
    assert [branch.order for branch in share.branches] == [branch.order for branch in terms.branches]


def test_another_filter_is_refused_unless_it_is_the_same_rule():
    pure = Terms.of(Unit("id"), Amount.limit(1), "auto")
    pure.check_same("people", Terms.of(Unit("id"), Amount.limit(1), "sum"))
    with_delta = Terms.of(Unit("id"), Amount.limit(1, 1e-6), "auto")
    with pytest.raises(LedgerMismatch, match="filter 'auto'"):
        with_delta.check_same("people", Terms.of(Unit("id"), Amount.limit(1, 1e-6), "sum"))
