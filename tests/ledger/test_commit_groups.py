"""The line itself, over a transaction that a test holds up."""

import linecache
import sys
import threading
import time

import pytest

from dalenius.errors import BudgetExceeded, LedgerUnavailable
from dalenius.ledger import commit_groups
from dalenius.ledger.commit_groups import LARGEST_GROUP, CommitGroups
from dalenius.ledger.store import WorkKind

CHARGE, ANSWER = WorkKind.CHARGE, WorkKind.ANSWER


class Held:
    """Transactions that begin when a test lets them, and remember which works they carried out together."""

    def __init__(self):
        self.groups, self.opened, self.begun = [], threading.Event(), threading.Event()
        self.lines, self.told = CommitGroups(), {}

    def carry_out(self, take):
        self.begun.set()
        self.opened.wait(60)
        ran = []
        for work in take():
            try:
                work.returned(work.run(ran))
            except ArithmeticError as fault:
                work.failed(fault)
        self.groups.append(ran)
        assert not any(name in self.told for name in ran), "told before it was durable"

    def ask(self, name, kind=CHARGE, run=None):
        """A thread that asks; what it is told, or the fault, is kept under its name."""

        def asked():
            try:
                self.told[name] = self.lines.do(self.carry_out, run or (lambda ran: ran.append(name) or name), kind)
            except Exception as fault:
                self.told[name] = fault

        before = len(self.lines._waiting)
        thread = threading.Thread(target=asked)
        thread.start()
        while len(self.lines._waiting) == before and thread.is_alive():
            time.sleep(0.001)
        return thread

    def run(self, *threads):
        self.opened.set()
        for thread in threads:
            thread.join(60)
            assert not thread.is_alive()


def test_works_that_wait_are_carried_out_together_in_the_order_in_which_they_came():
    held = Held()
    held.run(*(held.ask(name) for name in range(10)))
    assert held.groups == [list(range(10))]
    assert held.told == {name: name for name in range(10)}


def test_a_charge_shares_no_transaction_with_an_answer():
    held = Held()
    kinds = [CHARGE, ANSWER, CHARGE, ANSWER, ANSWER, CHARGE]
    held.run(*(held.ask(name, kind) for name, kind in enumerate(kinds)))
    assert held.groups == [[0, 2, 5], [1, 3, 4]]


def test_a_group_has_an_end_and_the_rest_goes_in_the_next():
    held = Held()
    held.run(*(held.ask(name) for name in range(LARGEST_GROUP + 3)))
    assert [len(group) for group in held.groups] == [LARGEST_GROUP, 3]


def test_what_one_work_raises_reaches_its_own_asker_alone():
    held = Held()
    threads = [held.ask("first"), held.ask("bad", run=lambda ran: 1 // 0), held.ask("last")]
    held.run(*threads)
    assert held.groups == [["first", "last"]]
    assert isinstance(held.told.pop("bad"), ZeroDivisionError)
    assert held.told == {"first": "first", "last": "last"}


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_transaction_that_fails_acknowledges_nobody(when):
    held = Held()

    def failing(take):
        held.opened.wait(60)
        if when == "after":
            for work in take():
                work.returned(work.run([]))
        raise LedgerUnavailable("the disk is full")

    held.carry_out = failing
    held.run(*(held.ask(name) for name in range(5)))
    assert [str(fault) for fault in held.told.values()] == ["the disk is full"] * 5


def test_an_interrupt_ends_the_work_of_its_thread_and_the_others_are_told():
    held, ended = Held(), []

    def interrupted(take):
        held.opened.wait(60)
        take()
        raise KeyboardInterrupt

    def leader():
        try:
            held.lines.do(interrupted, lambda ran: None, CHARGE)
        except KeyboardInterrupt:
            ended.append(True)

    first = threading.Thread(target=leader)
    first.start()
    while not held.lines._waiting:
        time.sleep(0.001)
    held.run(held.ask("other"), first)
    assert ended
    assert isinstance(held.told["other"], LedgerUnavailable)
    assert "same key" in str(held.told["other"])
    held.run(held.ask("next"))
    assert held.told["next"] == "next"


class Impatient(threading.Event):
    """The wait of somebody who presses Ctrl-C."""

    def wait(self, timeout=None):
        raise KeyboardInterrupt


def test_a_work_whose_asker_gives_up_is_not_begun(monkeypatch):
    held = Held()
    first = held.ask("first")
    with monkeypatch.context() as patch:
        patch.setattr("dalenius.ledger.commit_groups.threading.Event", Impatient)
        with pytest.raises(KeyboardInterrupt):
            held.lines.do(held.carry_out, lambda ran: ran.append("given up"), CHARGE)
    last = held.ask("last")
    held.run(first, last)
    assert held.groups == [["first", "last"]]


def test_who_gives_up_when_it_is_their_turn_to_lead_lets_the_next_lead(monkeypatch):
    held, ended = Held(), []

    class Late(threading.Event):
        """The wait of somebody who presses Ctrl-C as their turn comes."""

        def wait(self, timeout=None):
            super().wait(60)
            raise KeyboardInterrupt

    def impatient():
        try:
            held.lines.do(held.carry_out, lambda ran: ran.append("given up"), ANSWER)
        except KeyboardInterrupt:
            ended.append(True)

    first = held.ask("first", CHARGE)
    second = threading.Thread(target=impatient)
    with monkeypatch.context() as patch:
        patch.setattr("dalenius.ledger.commit_groups.threading.Event", Late)
        second.start()
        while len(held.lines._waiting) < 2:
            time.sleep(0.001)
    third = held.ask("third", ANSWER)
    held.run(first, second, third)
    assert ended
    assert held.groups == [["first"], ["third"]]


def test_a_refusal_keeps_its_type_and_words():
    held = Held()

    def refuse(ran):
        raise BudgetExceeded("what is left is ε = 0")

    held.carry_out = lambda take: [work.failed(BudgetExceeded("what is left is ε = 0")) for work in take()]
    held.run(held.ask("asker", run=refuse))
    assert isinstance(held.told["asker"], BudgetExceeded)


class Interrupt:
    """A Ctrl-C before the given step of the module, in the thread that traces with it.

    A step is a line. One that begins or ends a `with` is none: Python takes no signal between a lock and its block.
    """

    def __init__(self, step):
        self.left, self.came = step, False

    def __call__(self, frame, event, arg):
        return self._line if frame.f_code.co_filename == commit_groups.__file__ else None

    def _line(self, frame, event, arg):
        text = linecache.getline(commit_groups.__file__, frame.f_lineno).strip()
        if event == "line" and not text.startswith("with "):
            self.left -= 1
            if self.left < 0 and not self.came:
                self.came = True
                raise KeyboardInterrupt
        return self._line


def interrupted(held, step, failing):
    """Whether a Ctrl-C came at a step of an asker, whose transaction may fail besides; what it was told is kept."""
    interrupt = Interrupt(step)

    def carry_out(take):
        held.carry_out(take)
        if failing:
            raise LedgerUnavailable("the disk is full")

    def asked():
        sys.settrace(interrupt)
        try:
            held.told["victim"] = held.lines.do(carry_out, lambda ran: ran.append("victim") or "victim", CHARGE)
        except (KeyboardInterrupt, LedgerUnavailable) as fault:
            held.told["victim"] = fault
        finally:
            sys.settrace(None)

    thread = threading.Thread(target=asked)
    thread.start()
    while not (held.begun.is_set() or "victim" in held.told):
        time.sleep(0.0005)
    held.run(held.ask("member"), thread)
    return interrupt.came


@pytest.mark.parametrize("failing", [False, True])
def test_an_interrupt_at_any_step_hangs_nobody_and_acknowledges_nothing_that_failed(monkeypatch, failing):
    monkeypatch.setattr(commit_groups, "LOOK_AGAIN", 0.01)
    came, step = True, 0
    while came:
        held = Held()
        came = interrupted(held, step, failing)
        durable = [name for group in held.groups if not (failing and "victim" in group) for name in group]
        for name in ("victim", "member"):
            assert held.told[name] != name or name in durable, (step, held.told, held.groups)
        held.run(held.ask("next"))
        assert held.told["next"] == "next", step
        step += 1
    assert step > 30
