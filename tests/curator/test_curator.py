import traceback

import pytest

from dalenius import statistics
from dalenius.curator import Curator, Measure, when_rows_are_read
from dalenius.errors import BudgetExceeded, ExecutionFailed, LedgerMismatch, MixedRelations, UnknownName
from dalenius.ledger import Ledger
from dalenius.neighbors import Relation, Unit
from dalenius.queries import Count, Table

SECRET = 271828


@pytest.fixture
def curator(tmp_path):
    ledger = Ledger.open(tmp_path / "x.ledger")
    ledger.create("people", epsilon=1, unit="row")
    return Curator({"age": [SECRET, 50, 38]}, unit="row", ledger=ledger, dataset="people", analyst="ana")


class Watched(Count):
    """A count that tells the test when it is evaluated, and may fail."""

    __slots__ = ()
    before = None

    def evaluate(self, view):
        type(self).before()
        return Count.evaluate(self, view)


def test_the_charge_is_written_before_the_data_is_read(curator, monkeypatch):
    seen = []
    monkeypatch.setattr(Watched, "before", staticmethod(lambda: seen.append(curator.budget.epsilon)))
    curator.release(Measure.calibrated(Watched(), epsilon=0.25, unit=Unit.row()))
    assert seen == [0.75]


def test_a_refused_plan_reads_nothing(curator, monkeypatch):
    monkeypatch.setattr(Watched, "before", staticmethod(lambda: pytest.fail("data was read")))
    with pytest.raises(BudgetExceeded):
        curator.release(Measure.calibrated(Watched(), epsilon=2, unit=Unit.row()))


def test_a_failing_run_burns_the_budget_and_leaks_nothing(curator, monkeypatch):
    def fail():
        raise RuntimeError(f"row 0 holds {SECRET}")

    monkeypatch.setattr(Watched, "before", staticmethod(fail))
    with pytest.raises(ExecutionFailed) as failure:
        curator.release(Measure.calibrated(Watched(), epsilon=0.25, unit=Unit.row()))
    assert curator.budget.epsilon == 0.75
    assert str(SECRET) not in "".join(traceback.format_exception(failure.value))
    assert failure.value.__cause__ is None
    assert failure.value.__context__ is None


def test_a_retry_with_the_same_key_gives_the_same_answer_for_nothing(curator):
    plan = statistics.count(epsilon=0.01)
    answers = {curator.release(plan, key="q1").value for _ in range(20)}
    assert len(answers) == 1
    assert float(curator.budget.epsilon) == 0.99


def test_the_same_question_is_answered_from_the_ledger_with_any_key_and_a_fresh_draw_pays_anew(curator):
    assert len({curator.release(statistics.count(epsilon=0.01)).value for _ in range(20)}) == 1
    assert float(curator.budget.epsilon) == 0.99
    # scale 100: twenty draws are all alike with probability < 1e-20
    assert len({curator.release(statistics.count(epsilon=0.01), key=str(n)).value for n in range(20)}) == 1
    assert float(curator.budget.epsilon) == 0.99
    assert len({curator.release(statistics.count(epsilon=0.01), fresh=True).value for _ in range(20)}) > 1
    assert float(curator.budget.epsilon) == 0.79


def test_a_key_cannot_be_used_for_another_question(curator):
    curator.release(statistics.count(epsilon=0.1), key="q1")
    with pytest.raises(LedgerMismatch):
        curator.release(statistics.sum("age", (0, 100), epsilon=0.1), key="q1")


def test_a_run_that_was_never_committed_may_run_again(curator, monkeypatch):
    plan = statistics.count(epsilon=0.1)
    monkeypatch.setattr(Ledger, "commit", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        curator.release(plan, key="q1")
    monkeypatch.undo()
    curator.release(plan, key="q1")
    assert float(curator.budget.epsilon) == 0.9


def test_what_leaves_is_what_another_process_committed_first(curator, monkeypatch):
    plan = statistics.count(epsilon=0.1)
    commit = Ledger.commit
    winner = plan.run(Table.of({"age": [0] * 10_000}), curator._bits)

    def raced(ledger, receipt, outcome):
        commit(ledger, receipt, winner)
        commit(ledger, receipt, outcome)

    monkeypatch.setattr(Ledger, "commit", raced)
    assert curator.release(plan).value == winner.columns[0].values[0]


def test_a_plan_for_another_unit_or_relation_is_refused(curator):
    for unit in (Unit("id"), Unit.row(Relation.CHANGE_ONE)):
        plan = Measure(Count(), statistics.count(epsilon=1).mechanism, unit)
        with pytest.raises(MixedRelations):
            curator.release(plan)


def test_an_unknown_data_set_is_refused(curator, tmp_path):
    other = Curator({"a": [1]}, unit="row", ledger=curator.ledger, dataset="nobody")
    with pytest.raises(UnknownName):
        other.release(statistics.count(epsilon=0.1))


def test_repr_and_entries_show_public_facts_only(curator):
    assert repr(curator) == "Curator('people', each row (add-remove))"
    curator.release(statistics.count(epsilon=0.1))
    assert curator.ledger.entries("people")[0].analyst == "ana"
    assert str(SECRET) not in repr(vars(curator))


def test_a_column_that_is_not_there_is_refused_before_the_charge(curator):
    with pytest.raises(UnknownName, match="aeg"):
        curator.release(statistics.sum("aeg", (0, 100), epsilon=0.1))
    assert curator.ledger.entries("people") == []


def test_tables_and_versions_of_one_data_set_have_answers_of_their_own(curator):
    plan = statistics.count(epsilon="0.001")
    first = curator.release(plan)
    assert curator.release(plan).receipt.head == first.receipt.head
    for terms in ({"table": "others"}, {"version": 2}):
        other = Curator({"age": [1]}, unit="row", ledger=curator.ledger, dataset="people", **terms)
        assert other.release(plan).receipt.head != first.receipt.head


def test_what_was_answered_before_is_looked_up_without_reading_or_paying(curator, monkeypatch):
    plan = statistics.count(epsilon=1)
    assert curator.earlier(plan) is None
    answer = curator.release(plan)
    left = curator.budget
    monkeypatch.setattr(Measure, "run", lambda *_: pytest.fail("data was read"))
    assert curator.earlier(plan) == answer.outcome
    assert curator.budget == left
    with pytest.raises(MixedRelations):
        curator.earlier(statistics.count(epsilon=1, unit="u", contributions=1))


def test_who_waits_for_rows_to_be_read_is_told_once_the_charge_is_written_and_never_of_a_free_answer(curator):
    plan = Measure.calibrated(Count(), epsilon=0.25, unit=Unit.row())
    left = []
    with when_rows_are_read(lambda: left.append(curator.budget.epsilon)):
        curator.release(plan)
        curator.release(plan)
        with pytest.raises(BudgetExceeded):
            curator.release(Measure.calibrated(Count(), epsilon=1, unit=Unit.row()))
    curator.release(Measure.calibrated(Count(), epsilon=0.125, unit=Unit.row()))
    assert left == [0.75]


def test_who_waits_is_told_of_a_retry_that_must_read_again(curator, monkeypatch):
    told = []
    monkeypatch.setattr(Watched, "before", staticmethod(lambda: 1 / 0))
    plan = Measure.calibrated(Watched(), epsilon=0.25, unit=Unit.row())
    with when_rows_are_read(lambda: told.append("read")):
        for _ in range(2):
            with pytest.raises(ExecutionFailed):
                curator.release(plan, key="k")
    assert (told, curator.budget.epsilon) == (["read", "read"], 0.75)


def test_an_interrupted_question_is_answered_for_its_charge_and_for_one_answer_alone(curator, monkeypatch):
    def stop():
        raise KeyboardInterrupt

    plan = Measure.calibrated(Watched(), epsilon=0.25, unit=Unit.row())
    monkeypatch.setattr(Watched, "before", staticmethod(stop))
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            curator.release(plan)
    assert curator.budget.epsilon == 0.75
    monkeypatch.setattr(Watched, "before", staticmethod(lambda: None))
    answer = curator.release(plan)
    assert (curator.budget.epsilon, curator.release(plan).value) == (0.75, answer.value)
    curator.release(plan, fresh=True)
    assert curator.budget.epsilon == 0.5
    assert len(curator.ledger.entries("people")) == 2
    curator.ledger.verify()
