import numpy as np
import pandas as pd
import pytest

import dalenius
from dalenius.curator import Curator
from dalenius.errors import InvalidParameter, UnboundedQuery, UnknownName, UnprovenClaim
from dalenius.ledger import Ledger
from dalenius.synthesis import LinkedTables, fit_linked


def hospital(folder):
    rng = np.random.default_rng(0)
    sex = rng.choice(["F", "M"], 2000)
    patients = pd.DataFrame({"who": np.arange(2000), "sex": sex})
    whose = np.repeat(np.arange(2000), rng.integers(0, 4, 2000))
    kind = np.where(rng.random(len(whose)) < 0.8, np.where(sex[whose] == "F", "a", "b"), "c")
    visits = pd.DataFrame({"who": whose, "kind": kind, "cost": rng.random(len(whose)) * 100})
    db = dalenius.connect(
        visits,
        table="visits",
        unit="who",
        contributions=4,
        budget={"epsilon": 20, "delta": "1e-4"},
        ledger=folder / "h.ledger",
        keys={"kind": ["a", "b", "c"], "patients.sex": ["F", "M"]},
        bounds={"cost": (0, 100)},
        tables={"patients": patients},
    )
    return db, patients, visits


def test_a_session_and_a_curator_of_two_tables_are_both_copied_and_charged_once(tmp_path):
    db, patients, visits = hospital(tmp_path)
    copy = fit_linked(db, "patients", "visits", epsilon=1, delta="1e-6", bins={"visits.cost": 5})
    assert copy.linked.children.names == ("kind", "cost")
    assert copy.linked.children.sizes == (4, 6)
    left = db.budget
    assert fit_linked(db, "patients", "visits", epsilon=1, delta="1e-6", bins={"visits.cost": 5}) is not None
    assert db.budget == left
    ledger = Ledger.open(tmp_path / "c.ledger")
    ledger.create("d", epsilon=2, unit="who")
    held = Curator(
        LinkedTables({"patients": patients, "visits": visits}),
        unit="who",
        ledger=ledger,
        dataset="d",
        keys={"patients.sex": ["F", "M"], "visits.kind": ["a", "b", "c"]},
        contributions=3,
    )
    made = fit_linked(held, "patients", "visits", epsilon=1)
    assert held.budget.epsilon == 1
    assert made.linked.bound.most == 3


def test_what_cannot_be_copied_is_refused_before_anything_is_charged(tmp_path):
    db, *_ = hospital(tmp_path)
    before = db.budget
    cases = [
        (UnknownName, ("patients", "elsewhere"), {}),
        (InvalidParameter, ("visits", "visits"), {}),
        (UnknownName, ("patients", "visits"), {"columns": {"other": ["x"]}}),
        (InvalidParameter, ("patients", "visits"), {"columns": {"visits": "kind"}}),
        (InvalidParameter, ("patients", "visits"), {"columns": {"visits": ["who"]}}),
        (UnboundedQuery, ("patients", "visits"), {"columns": {"patients": []}}),
        (UnboundedQuery, ("patients", "visits"), {"columns": {"patients": ["age"]}}),
        (InvalidParameter, ("patients", "visits"), {"contributions": 0}),
        (InvalidParameter, ("patients", "visits"), {"contributions": 5000}),
        (InvalidParameter, ("patients", "visits"), {"parent_share": 1}),
    ]
    for error, tables, given in cases:
        with pytest.raises(error):
            fit_linked(db, *tables, epsilon=1, **given)
    assert db.budget == before
    with pytest.raises(UnprovenClaim):
        fit_linked({}, "a", "b", epsilon=1)
