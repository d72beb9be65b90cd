import math
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import dalenius
from dalenius.errors import BudgetExceeded, DaleniusError, ExecutionFailed, InvalidParameter
from dalenius.ledger import Ledger
from dalenius.mechanisms import AdditiveMechanism
from dalenius.sql import Policy
from dalenius.sql.engine import DuckDB
from dalenius.sql.pricing import bound_request as settled
from dalenius.sql.pricing.ask import Pricing
from dalenius.sql.pricing.choose_bounds import contributions_for
from dalenius.sql.pricing.without_ledger import OwnersTerms
from dalenius.sql.text.statement import Statement
from tests.sql.pricing.test_choose_bounds import bins_of, released

COUNT = "SELECT COUNT(*) AS n FROM t"
BY_KEY = "SELECT k, COUNT(*) AS n, SUM(x) AS s, AVG(x) AS m FROM t GROUP BY k"
CITIES = "SELECT city, COUNT(*) AS n FROM t GROUP BY city"


def table(sizes=(3,) * 300 + (40,) * 100, extra=()):
    who = np.repeat(np.arange(len(sizes)), sizes)
    rows = {
        "who": [*who.tolist(), *(row[0] for row in extra)],
        "k": [*np.where(who % 2, "a", "b").tolist(), *(row[1] for row in extra)],
        "x": [*(who % 5 * 1.0).tolist(), *(row[2] for row in extra)],
        "city": [*(f"c{i % 7}" for i in range(len(who))), *(row[1] for row in extra)],
    }
    schema = pa.schema([("who", pa.int64()), ("k", pa.string()), ("x", pa.float64()), ("city", pa.string())])
    return pa.table(rows, schema=schema)


def connect(tmp_path, data=None, ledger="l", **terms):
    terms = {"unit": "who", "keys": {"k": ["a", "b"]}, "bounds": {"x": (0, 4)}, "budget": {"epsilon": 100}} | terms
    return dalenius.connect(table() if data is None else data, table="t", ledger=tmp_path / ledger, **terms)


def test_without_contributions_a_histogram_is_paid_once_and_reused_by_every_session(tmp_path):
    db = connect(tmp_path)
    assert "contributions found privately" in repr(db)
    db.sql(COUNT, epsilon=1, profile=True)
    assert db.budget.epsilon == 97  # 2 % of 100, and 1
    db.sql(BY_KEY, epsilon=1, profile=True)
    assert connect(tmp_path).sql(COUNT, epsilon=2, profile=True).guarantee.epsilon(0) == 2
    assert db.budget.epsilon == 94
    assert len(Ledger.open(tmp_path / "l").entries("t")) == 4


def test_the_same_question_again_is_free_and_another_data_version_keeps_the_old_profile(tmp_path):
    first = connect(tmp_path, version="1").sql(COUNT, epsilon=1, profile=True)
    db = connect(tmp_path, version="1")
    assert db.sql(COUNT, epsilon=1, profile=True).value == first.value
    assert db.budget.epsilon == 97
    assert connect(tmp_path, version="2").sql(COUNT, epsilon=1, profile=True).receipt.head != first.receipt.head
    assert db.budget.epsilon == 96  # the answer alone: the profile is bought once for a table


def test_a_budget_without_delta_and_another_share_will_do(tmp_path):
    db = connect(tmp_path, budget={"epsilon": 10, "delta": 0}, bounding_share="0.1")
    db.sql(COUNT, epsilon=1, profile=True)
    assert db.budget.epsilon == 8


def test_explain_tells_what_will_be_paid_first_and_reads_and_pays_nothing(tmp_path, monkeypatch):
    db = connect(tmp_path)
    monkeypatch.setattr(DuckDB, "scan", lambda *_: pytest.fail("data was read"))
    told = db.explain(BY_KEY, epsilon=1)
    assert "units by how many rows each who has" in told.notes[0]
    assert "ε = 2, paid once" in told.notes[0]
    assert "for one row and one group of each unit" in str(told)
    assert db.budget.epsilon == 100
    assert Ledger.open(tmp_path / "l").entries("t") == []
    monkeypatch.undo()
    answer = db.sql(BY_KEY, epsilon=1, profile=True)
    known = db.explain(BY_KEY, epsilon=1)
    assert "rows of each unit count in full" in known.notes[0]
    assert known.errors["n"] == pytest.approx(answer.accuracy(0.05)["n"][0])
    assert db.budget.epsilon == 97


def test_a_plan_is_made_once_it_is_known_and_refused_before(tmp_path):
    db = connect(tmp_path)
    with pytest.raises(InvalidParameter, match=r"not known yet: ask with sql\(…\), which pays ε = 2"):
        db.plan(COUNT, epsilon=1)
    answer = db.sql(COUNT, epsilon=1, profile=True)
    assert db.release(db.plan(COUNT, epsilon=1)).value == answer.value


def test_what_is_refused_is_refused_before_the_histogram_is_paid(tmp_path):
    db = connect(tmp_path)
    for query, terms in (
        ("SELECT who, COUNT(*) FROM t GROUP BY who", {"epsilon": 1}),
        (COUNT, {"epsilon": 0}),
        (COUNT, {"epsilon": 1, "groups": 3}),
        ("SELECT AVG(x) AS m FROM t", {"within": 1}),
        ("CREATE PRIVATE VIEW v AS SELECT COUNT(*) FROM t", {"epsilon": 1}),
    ):
        with pytest.raises(DaleniusError):
            db.sql(query, **terms, profile=True)
    assert Ledger.open(tmp_path / "l").entries("t") == []


def scans(tmp_path, monkeypatch, name, choose=None):
    """What two tables are asked, after a histogram that was released as the same for both."""
    found = []
    for number, data in enumerate((table(), table((1,) * 500))):
        db = connect(tmp_path, data, ledger=f"{name} {number}")
        with monkeypatch.context() as patched:
            patched.setattr(AdditiveMechanism, "release", lambda self, answer, bits: np.arange(50, 50 + len(answer)))
            if choose is not None:
                patched.setattr(settled, "contributions_for", choose(data))
            db.sql(COUNT, epsilon=1, profile=True)
            found.append(db.plan(COUNT, epsilon=1).compiled.scan)
    return found


def test_the_number_of_rows_follows_what_was_released_and_one_of_the_exact_histogram_is_caught(tmp_path, monkeypatch):
    one, other = scans(tmp_path, monkeypatch, "released")
    assert one == other

    def exactly(data):
        sizes = np.unique(np.array(data["who"]), return_counts=True)[1]
        return lambda rows, compiled, epsilon, _: contributions_for(released(bins_of(sizes)), compiled, epsilon)

    one, other = scans(tmp_path, monkeypatch, "exact", exactly)
    assert one != other


def test_data_is_read_after_it_is_paid_for(tmp_path, monkeypatch):
    db, ledger, seen = connect(tmp_path), Ledger.open(tmp_path / "l"), []
    scan = DuckDB.scan
    monkeypatch.setattr(
        DuckDB, "scan", lambda self, *terms: seen.append(len(ledger.entries("t"))) or scan(self, *terms)
    )
    db.sql(COUNT, epsilon=1, profile=True)
    assert seen == [1, 2]


def test_the_answer_tells_its_bias_near_the_truth(tmp_path):
    """300 people of 3 rows and 100 of 40, T declared as 8: 3200 of 4900 rows go. The estimate takes 48 for 40."""
    db = connect(tmp_path, ledger="m", contributions=8)
    assert db.sql(COUNT, epsilon=1, profile=True).bias is None  # no histogram was released
    connect(tmp_path, ledger="m").sql(COUNT, epsilon=1, profile=True)
    answer = db.sql(BY_KEY, epsilon=20, profile=True)
    truth = {"a": 2450 - 150 * 3 - 50 * 8, "b": 2450 - 150 * 3 - 50 * 8}
    for key, bias, value in zip(answer.value["k"], answer.bias["n"], answer.value["n"], strict=True):
        assert -bias.estimate == pytest.approx(truth[key], rel=0.5)
        assert bias.low <= -truth[key] <= bias.high
        assert value - bias.estimate == pytest.approx(2450, rel=0.4)
    assert answer.bias["m"][0].low <= 0 <= answer.bias["m"][0].high
    cut = answer.outcome.cut_off
    assert cut.at_least or cut.unseen == 0
    assert f"bounding cuts off {'at least' if cut.at_least else 'about'}" in repr(answer)
    assert answer.columns == ("k", "n", "s", "m")  # the table stays as it was asked for
    assert answer.biases()["n_bias"] == tuple(one.estimate for one in answer.bias["n"])
    assert type(answer).from_dict(answer.to_dict()).bias == answer.bias


def test_people_are_not_cut_off_and_of_values_nothing_is_known(tmp_path):
    db = connect(tmp_path)
    assert db.sql("SELECT COUNT(DISTINCT who) AS n FROM t", epsilon=1, profile=True).bias is None
    assert db.budget.epsilon == 99  # one row of each will do: nothing is to be found
    db.sql(COUNT, epsilon=1, profile=True)
    assert db.sql("SELECT COUNT(DISTINCT who) AS n FROM t", epsilon=1, profile=True).bias.estimate == 0
    assert "bounding" not in repr(db.sql("SELECT COUNT(DISTINCT who) AS n FROM t", epsilon=1, profile=True))
    several = db.sql("SELECT COUNT(DISTINCT x) AS d, MEDIAN(x) AS q, STDDEV(x) AS s FROM t", epsilon=3, profile=True)
    assert set(several.bias.values()) == {None}


def test_rows_that_where_leaves_may_lose_nothing(tmp_path):
    db = connect(tmp_path, ledger="m")
    db.sql(COUNT, epsilon=1, profile=True)
    low = connect(tmp_path, ledger="m", contributions=2).sql(COUNT + " WHERE x > 1", epsilon=1, profile=True).bias
    assert low.high == 0


def test_an_answer_in_rounds_tells_its_bias(tmp_path):
    connect(tmp_path).sql(COUNT, epsilon=1, profile=True)
    db = connect(tmp_path, contributions=8)
    answer = db.sql(COUNT, within="20%", max_epsilon=5, profile=True)
    assert answer.bias.estimate == pytest.approx(-3200, rel=0.5)


def test_another_table_and_a_subquery_have_rows_of_their_own(tmp_path):
    """What is cut off them, no histogram of the first table's rows tells; one row a person needs none."""
    more = pa.table({"who": [1, 1, 2], "age": [30, 30, 40]})
    db = connect(tmp_path, tables={"more": more})
    per_person = "SELECT COUNT(*) AS n FROM (SELECT who, COUNT(*) AS m FROM t GROUP BY who) AS q"
    assert not any("first" in note for note in db.explain(per_person, epsilon=1).notes)
    db.sql(COUNT, epsilon=1, profile=True)
    assert any("bias" in note for note in db.explain(COUNT, epsilon=2).notes)
    for query in ("SELECT COUNT(*) AS n FROM more", "SELECT COUNT(*) AS n FROM (SELECT k FROM t) AS q", per_person):
        assert not any("bias" in note for note in db.explain(query, epsilon=1).notes)


def test_a_join_has_rows_of_its_own(tmp_path):
    db = connect(tmp_path, public={"names": pa.table({"k": ["a", "b"], "name": ["x", "y"]})})
    answer = db.sql("SELECT COUNT(*) AS n FROM t JOIN names ON t.k = names.k", epsilon=1, profile=True)
    assert answer.bias is None


def test_groups_are_found_once_for_the_keys_asked_for(tmp_path):
    db = connect(tmp_path, budget={"epsilon": 100, "delta": "0.01"})
    first = db.sql(CITIES, epsilon=5, profile=True)
    assert db.budget.epsilon == 91  # 5, and 2 for each histogram
    assert [key for key, _ in first.rows] == [f"c{i}" for i in range(7)]
    assert "which city may be named, 8 of each unit at most" in str(db.explain(CITIES, epsilon=5))
    db.sql(CITIES.replace("GROUP", "WHERE x < 3 GROUP"), epsilon=1, profile=True)
    assert db.budget.epsilon == 90
    assert db.sql(CITIES, epsilon=5, groups="private", profile=True).rows == first.rows
    db.sql(CITIES, epsilon=5, groups=2, profile=True)
    assert db.budget.epsilon == 85
    for wrong in (0, True, "all", 1.5):
        with pytest.raises(InvalidParameter, match="groups"):
            db.sql(CITIES, epsilon=5, groups=wrong, profile=True)


def test_a_cap_of_groups_that_was_declared_makes_the_bias_at_least(tmp_path):
    db = connect(tmp_path, budget={"epsilon": 100, "delta": "0.01"})
    answer = db.sql(CITIES, epsilon=5, groups=2, profile=True)
    assert all(bias.at_least for bias in answer.bias["n"])


def test_where_rows_are_units_nothing_is_found_or_paid(tmp_path):
    db = connect(tmp_path, unit="row", budget={"epsilon": 10, "delta": "0.01"})
    assert db.sql(COUNT, epsilon=1, profile=True).bias is None
    db.sql(CITIES, epsilon=1, profile=True)
    assert db.budget.epsilon == 8


def test_an_analyst_who_names_the_profile_pays_for_it_and_the_next_one_reads_it_for_nothing(tmp_path):
    ledger = Ledger.open(tmp_path / "l")
    ledger.create("t", 100, unit="who")
    for name in ("ada", "bob"):
        ledger.share("t", name, 50)
    for name, left, shown in (("ada", 100 - 2 - 1, True), ("bob", 100 - 2 - 1 - 3, False)):
        db = connect(tmp_path, analyst=name, budget=None)
        assert ("paid once" in db.explain(COUNT, epsilon=1).notes[0]) == shown
        db.sql(COUNT, epsilon=1 if name == "ada" else 3, profile=True)
        assert ledger.remaining("t").epsilon == left


@pytest.mark.parametrize("named", [None, False, 1])
def test_what_the_question_does_not_name_is_never_charged(tmp_path, named):
    db = connect(tmp_path)
    with pytest.raises(InvalidParameter, match="profile=2"):
        db.sql(COUNT, epsilon=1, profile=named)
    assert db.budget.epsilon == 100
    answer = db.sql(COUNT, epsilon=1, profile=2)
    assert db.budget.epsilon == 97
    assert "paid besides, once for all questions: ε = 2" in str(answer)
    assert "paid besides" not in str(db.sql(COUNT, epsilon=1))


def test_a_profile_that_was_bought_at_another_price_is_not_bought_again(tmp_path):
    db = connect(tmp_path, budget={"epsilon": 100, "delta": 1e-4})
    db.profile(epsilon=1)
    with pytest.raises(InvalidParameter, match=r"profile=2 beside the price \(--profile 2 .*; or say groups="):
        db.sql(CITIES, epsilon=1)
    with pytest.raises(InvalidParameter, match="profile=2 beside the price") as refused:
        connect(tmp_path, ledger="other").sql(COUNT, epsilon=1)
    assert "groups=" not in str(refused.value)
    left = db.budget.epsilon
    db.sql(CITIES, epsilon=1, profile=2)
    assert db.budget.epsilon == left - 3  # 2 for the groups of each, 1 for the answer


def test_people_who_are_counted_in_every_cell_are_not_said_to_be_cut_off(tmp_path):
    db = connect(tmp_path, contributions=2)
    people = db.sql("SELECT k, COUNT(DISTINCT who) AS n FROM t GROUP BY k", epsilon=1)
    assert "rows beyond" not in str(people)
    fewer = connect(tmp_path, ledger="one", contributions=1)
    assert "rows beyond 1" in str(fewer.sql("SELECT k, COUNT(DISTINCT who) AS n FROM t GROUP BY k", epsilon=1))
    assert "rows beyond 2" in str(
        db.sql("SELECT k, COUNT(DISTINCT who) AS n, COUNT(*) AS r FROM t GROUP BY k", epsilon=1)
    )


def test_a_budget_that_has_no_room_for_the_histogram_refuses_and_reads_nothing(tmp_path):
    db = connect(tmp_path, contributions=1)
    db.sql(COUNT, epsilon=99, profile=True)
    with pytest.raises(BudgetExceeded):
        connect(tmp_path).sql(COUNT, epsilon="0.5", profile=True)


def test_within_and_private_contributions_go_together(tmp_path):
    db = connect(tmp_path)
    answer = db.sql(COUNT, within=300, max_epsilon=10, profile=True)
    assert answer.accuracy(0.05) <= 300
    assert 299.9 < db.explain(COUNT, within=300).errors["n"] <= 300
    rounds = db.explain(COUNT, within="5%", max_epsilon=1)
    assert "at most 6" in str(rounds)


ODD = [
    *[(9999, "a", math.nan)] * 3,
    (None, None, None),
    (9998, "", -math.inf),
    (9997, "\u00e9" * 3000, 1e308),
    *[(9997, "a", 1e308)] * 70_000,
    *((2**63 - 1, "a", -0.0), (-(2**63), "b", 5e-324)),
]


@pytest.mark.parametrize("extra", [[], ODD], ids=["usual", "odd"])
def test_no_extra_person_turns_an_answer_into_an_error(tmp_path, extra):
    db = connect(tmp_path, table(extra=extra), budget={"epsilon": 10, "delta": "0.01"})
    repr(db.sql(BY_KEY, epsilon=1, profile=True))
    repr(db.sql(CITIES, epsilon=1, profile=True).biases())
    repr(db.sql(COUNT, within="50%", max_epsilon=1, profile=True))
    repr(db.sql("SELECT MEDIAN(x) AS q, COUNT(DISTINCT k) AS d FROM t", epsilon=1, profile=True).bias)


def test_a_failing_engine_says_only_that(tmp_path, monkeypatch):
    db = connect(tmp_path)
    monkeypatch.setattr(DuckDB, "scan", lambda *_: 1 / 0)
    with pytest.raises(ExecutionFailed) as failure:
        db.sql(COUNT, epsilon=1, profile=True)
    assert failure.value.__context__ is None
    assert db.budget.epsilon == 98


def test_without_a_ledger_the_terms_are_told_for_one_row():
    policy = Policy.declare("t", {"who": "BIGINT"}, unit="who")
    told = OwnersTerms(policy, {}).explain(Statement(COUNT), 1)
    one = OwnersTerms(replace(policy, contributions=1), {}).explain(Statement(COUNT), 1)
    assert told.lines == one.lines
    assert "2 % of the budget" in told.notes[0]
    assert one.notes == ()


def test_a_question_that_could_not_be_paid_for_leaves_the_histogram_unpaid(tmp_path):
    db = connect(tmp_path)
    with pytest.raises(BudgetExceeded, match="asked for ε = 101, histograms included; what is left is ε = 100"):
        db.sql(COUNT, epsilon=99, profile=True)
    assert db.budget.epsilon == 100
    assert db.sql(COUNT, epsilon=98, profile=True).guarantee.epsilon(0) == 98


def test_gaussian_noise_without_a_granted_delta_is_refused_before_the_histogram_is_paid(tmp_path):
    db = connect(tmp_path)
    for ask in (db.sql, db.explain):
        with pytest.raises(InvalidParameter, match="this budget has none: leave delta out"):
            ask(BY_KEY, epsilon=1, delta=1e-7)
    with pytest.raises(InvalidParameter, match="this budget has none"):
        connect(tmp_path, contributions=4).sql(BY_KEY, epsilon=1, delta=1e-7, profile=True)
    assert db.budget.epsilon == 100
    assert db.sql(COUNT, epsilon=1, delta=1e-7, profile=True).guarantee.epsilon(0) == 1  # one cell needs no δ


def test_gaussian_noise_that_does_not_fit_leaves_the_histogram_unpaid(tmp_path, monkeypatch):
    def asked(ledger):
        db = connect(tmp_path, ledger=ledger, budget={"epsilon": 5, "delta": 1e-5})
        db.sql(
            "SELECT COUNT(DISTINCT who) AS n FROM t", epsilon="2.5", profile=True
        )  # what is left is less than ε = 3, by the sum and by ρ
        with pytest.raises(BudgetExceeded):
            db.sql(BY_KEY, epsilon=3, delta=1e-7, profile=True)
        return len(Ledger.open(tmp_path / ledger).entries("t"))

    assert asked("checked") == 1
    monkeypatch.setattr(Pricing, "_check_fits", lambda *_: None)
    assert asked("unchecked") == 2  # what the check is for


def test_who_asks_for_more_than_their_share_is_told_of_the_share(tmp_path):
    db = connect(tmp_path)
    db.ledger.share(db.dataset, "ann", "2.5")
    with pytest.raises(BudgetExceeded, match=r"the share of 'ann' in .* was asked for ε = 3, .* is left is ε = 2.5"):
        db.acting("ann").sql(COUNT, epsilon=1, profile=True)
    with pytest.raises(BudgetExceeded, match=r"^'.*' was asked for ε = 1002, .* is left is ε = 100"):
        db.sql(COUNT, epsilon=1000, profile=True)
