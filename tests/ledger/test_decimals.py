from dalenius.guarantees import PureDP
from dalenius.ledger.charge import to_form
from dalenius.ledger.decimals import in_decimals


def test_units_become_exact_decimals_wherever_an_entry_holds_them():
    words = {"epsilon_units": "1", "delta_units": "1", "cost": {"sum": None, "concentrated": ["5", "0"]}, "text": None}
    words |= {"branches": [{"kind": "gaussian", "caps": ["20"], "order": "2"}], "question": {"guarantee": None}}
    assert in_decimals(words | {"guarantee": to_form(PureDP("1/3"))}) == {
        "epsilon": "0.000000000001",
        "delta": "0.000000000000000000000000000001",
        "cost": {"sum": None, "concentrated": {"rho": "0.000000000005", "delta": "0"}},
        "text": None,
        "branches": [{"kind": "gaussian", "caps": {"mu_squared": "0.00000000002"}, "order": "2"}],
        "question": {"guarantee": None},
        "guarantee": "PureDP(1/3)",
    }
