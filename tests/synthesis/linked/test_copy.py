import pytest

from dalenius.curator import Curator
from dalenius.errors import InvalidParameter
from dalenius.ledger import Ledger
from dalenius.queries import Table
from dalenius.synthesis.linked.copy import linked_copy_of
from tests.synthesis.linked.test_fit import hospital


def test_joins_over_the_copy_are_about_right_and_nobody_has_more_rows_than_the_bound(tmp_path):
    db, patients, visits = hospital(tmp_path)
    from dalenius.synthesis import fit_linked

    copy = fit_linked(db, "patients", "visits", epsilon=5, delta="1e-6", nulls=[])
    made = {name: rows.to_pandas() for name, rows in copy.sample().items()}
    assert made["visits"].groupby("who").size().max() <= 4
    real, ours = (v.merge(p, on="who") for p, v in ((patients, visits), (made["patients"], made["visits"])))
    shares = [one.groupby(["sex", "kind"]).size() / len(one) for one in (real, ours)]
    assert float(shares[0].sub(shares[1], fill_value=0).abs().sum() / 2) < 0.1
    assert len(ours) == pytest.approx(len(real), rel=0.1)
    assert set(made["visits"]["who"]) <= set(made["patients"]["who"])
    assert copy.sample() == copy.sample()
    assert copy.sample(draw=1) != copy.sample()
    assert len(copy.sample(10)["patients"]) == 10
    assert copy.marginal(["patients.sex"]).columns == ("sex",)
    assert copy.marginal(["patients.sex", "visits.kind"]).measured
    told = str(copy.report())
    assert "not kept" in told
    assert "no synthetic person has more than 4 visits" in told
    assert len(copy.interval(0.95)) == len(copy.accuracy(0.05)) == len(copy.outcome.columns)
    assert set(copy.value) == {"patients", "visits"}
    assert copy.bias is None
    assert "patients and visits" in repr(copy)
    with pytest.raises(InvalidParameter):
        copy.sample(-1)


def test_another_release_is_no_linked_copy(tmp_path):
    from dalenius.synthesis import Domain, Levels, Marginals, plan

    ledger = Ledger.open(tmp_path / "l.ledger")
    ledger.create("d", epsilon=1, unit="row")
    held = Curator(Table.of({"a": [1]}), unit="row", ledger=ledger, dataset="d")
    with pytest.raises(InvalidParameter, match="linked"):
        linked_copy_of(held.release(plan(Marginals(Domain((Levels("a", (0, 1)),))), epsilon=1)))
