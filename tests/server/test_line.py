"""When answers leave: at once before rows are read, and at one moment after that, whatever comes of the work."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import pytest

from dalenius.curator.curator import _tell_reader
from dalenius.errors import BudgetExceeded, ExecutionFailed
from dalenius.server.holds import Holds
from dalenius.server.line import OWN_THREADS, Busy, Line, NoAnswer
from dalenius.server.settings import Settings
from tests.server.hospital import Counted, StillClock

AFTER = 2.0


@pytest.fixture
def clock():
    return StillClock()


@pytest.fixture
def line(clock):
    made = Line(Settings(answer_after=Fraction(2), slots=1, queue=2), clock)
    clock.threads = Counted(made._threads, made._free)
    yield made
    clock.stuck.set()
    made.close()


def reading(answer="answer", error=None, wait=None):
    """Work that reads rows, then waits, then answers or fails."""

    def work():
        _tell_reader()
        if wait is not None:
            wait.wait(60)
        if error is not None:
            raise error
        return answer

    return work


def refused():
    raise BudgetExceeded("too much")


def test_an_answer_leaves_at_its_moment_and_not_when_the_work_is_done(line, clock):
    assert asyncio.run(line.ask("visits", reading())) == "answer"
    assert clock.left_at == [AFTER]


@pytest.mark.parametrize("error", [ExecutionFailed("row 7"), ValueError("row 7"), BudgetExceeded("x"), KeyError("a")])
def test_whatever_fails_after_reading_leaves_at_the_same_moment_in_the_same_words(line, clock, error):
    with pytest.raises(NoAnswer) as told:
        asyncio.run(line.ask("visits", reading(error=error)))
    assert (clock.left_at, str(told.value), told.value.__cause__) == ([AFTER], "", None)


def test_work_that_is_not_done_in_time_is_told_like_work_that_failed_and_goes_on(line, clock):
    go_on, ended = threading.Event(), threading.Event()

    def work():
        answer = reading(wait=go_on)()
        ended.set()
        return answer

    clock.stuck.set()
    with pytest.raises(NoAnswer):
        asyncio.run(_ask_then(line, work, go_on))
    assert clock.left_at == [AFTER]
    assert ended.wait(60)


async def _ask_then(line, work, event):
    try:
        return await line.ask("visits", work)
    finally:
        event.set()


def test_a_refusal_before_rows_are_read_leaves_at_once_and_gives_its_slot_back(line, clock):
    for _ in range(3):
        with pytest.raises(BudgetExceeded, match="too much"):
            asyncio.run(line.ask("visits", refused))
    assert clock.left_at == []


@pytest.mark.parametrize("first", [reading(), reading(error=ValueError())], ids=["answered", "failed"])
def test_the_second_in_line_waits_for_the_moment_of_the_first_however_long_its_work_took(line, clock, first):
    begun = []

    def second():
        begun.append(clock.now())
        return reading("second")()

    async def both():
        one = asyncio.create_task(line.ask("visits", first))
        await asyncio.sleep(0)
        two = asyncio.create_task(line.ask("visits", second))
        return await asyncio.gather(one, two, return_exceptions=True)

    results = asyncio.run(both())
    assert results[1] == "second"
    assert (begun, clock.left_at) == ([AFTER], [AFTER, 2 * AFTER])


def test_the_rule_is_broken_by_a_line_that_lets_a_failure_out_early(line, clock, monkeypatch):
    """The test above sees a line in which a failure ends its slot at once."""

    async def early(self, dataset, work, draw):
        result = await asyncio.get_running_loop().run_in_executor(self._threads, work)
        await self.clock.sleep_until(AFTER)
        return result

    monkeypatch.setattr(Line, "_leave", early)
    with pytest.raises(ValueError):
        asyncio.run(line.ask("visits", reading(error=ValueError())))
    assert clock.left_at == []


def test_other_data_sets_have_slots_of_their_own(line, clock):
    async def both():
        return await asyncio.gather(line.ask("visits", reading("a")), line.ask("staff", reading("b")))

    assert asyncio.run(both()) == ["a", "b"]
    assert clock.left_at == [AFTER, AFTER]


def test_who_finds_the_line_full_is_told_at_once(line, clock):
    stop = threading.Event()

    async def crowd():
        clock.stuck.clear()
        tasks = [asyncio.create_task(line.ask("visits", reading(wait=stop))) for _ in range(5)]
        await asyncio.sleep(0.05)
        busy = [task for task in tasks if task.done()]
        for task in busy:
            with pytest.raises(Busy):
                task.result()
        stop.set()
        await asyncio.gather(*tasks, return_exceptions=True)
        return len(busy)

    assert asyncio.run(crowd()) == 2  # one works, two wait


def test_a_caller_who_goes_away_ends_neither_the_work_nor_its_slot(line, clock):
    go_on, done = threading.Event(), threading.Event()

    def work():
        answer = reading(wait=go_on)()
        done.set()
        return answer

    async def leave():
        task = asyncio.create_task(line.ask("visits", work))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert line._places["visits"].slots.locked()
        go_on.set()
        assert await line.ask("visits", reading("next")) == "next"

    asyncio.run(leave())
    assert done.is_set()


def test_work_that_reads_no_row_waits_for_no_slot(line, clock):
    stop = threading.Event()

    async def both():
        slow = asyncio.create_task(line.ask("visits", reading(wait=stop)))
        await asyncio.sleep(0.01)
        free = await line.free(lambda: "free")
        stop.set()
        await slow
        return free

    assert asyncio.run(both()) == "free"


def test_questions_that_are_late_keep_nobody_from_what_reads_no_row(line, clock):
    line._threads = ThreadPoolExecutor(1)
    stop = threading.Event()

    async def both():
        late = asyncio.create_task(line.ask("visits", reading(wait=stop)))
        await asyncio.sleep(0.01)
        try:
            return await asyncio.wait_for(line.free(lambda: "free"), 30)
        finally:
            stop.set()
            await asyncio.gather(late, return_exceptions=True)

    assert asyncio.run(both()) == "free"


def test_one_analyst_does_not_fill_the_line_for_others(clock):
    line, stop = Line(Settings(answer_after=Fraction(2), slots=1, queue=4), clock), threading.Event()
    clock.threads = Counted(line._threads, line._free)

    async def crowd():
        ann = [asyncio.create_task(line.ask("visits", reading(wait=stop), "ann")) for _ in range(10)]
        await asyncio.sleep(0.05)
        bob = asyncio.create_task(line.ask("visits", reading("bob"), "bob"))
        await asyncio.sleep(0.05)
        stop.set()
        results = await asyncio.gather(*ann, bob, return_exceptions=True)
        return sum(isinstance(one, Busy) for one in results), results[-1]

    assert asyncio.run(crowd()) == (7, "bob")  # of ann's one works, two wait
    assert line._places["visits"].waits == {}
    line.close()


def test_what_one_asker_does_for_nothing_leaves_threads_to_all_others(line):
    held, begun = threading.Event(), threading.Semaphore(0)

    def long():
        begun.release()
        held.wait(60)
        return "done"

    async def every():
        own = [asyncio.create_task(line.free_of("ann", long)) for _ in range(OWN_THREADS + 2)]
        for _ in range(OWN_THREADS):
            await asyncio.to_thread(begun.acquire)
        own[0].cancel()  # who goes away gives no thread back while its work runs
        await asyncio.sleep(0.05)
        assert not begun.acquire(blocking=False)
        with pytest.raises(Busy):
            await line.free_of("ann", long)
        assert await line.free_of("bob", lambda: "at once") == "at once"
        assert await line.free(lambda: "signed in") == "signed in"
        held.set()
        assert await asyncio.gather(*own[1:]) == ["done"] * (OWN_THREADS + 1)
        assert await line.free_of("ann", lambda: "again") == "again"

    asyncio.run(every())


def test_work_for_nothing_that_fails_gives_its_thread_back(line):
    def refused():
        raise BudgetExceeded("no")

    async def every():
        for _ in range(2 * OWN_THREADS):
            with pytest.raises(BudgetExceeded):
                await line.free_of("ann", refused)

    asyncio.run(every())


def test_what_an_asker_requests_of_another_server_waits_for_the_answer(tmp_path):
    """Two servers of one ledger: what is stored as soon as the work ends is not seen before its moment."""

    async def asked():
        lines, clocks = [], []
        for _ in range(2):
            clocks.append(StillClock())
            lines.append(Line(Settings(answer_after=Fraction(2)), clocks[-1], Holds(tmp_path / "holds")))
            clocks[-1].threads = Counted(lines[-1]._threads, lines[-1]._free)
        go, order = threading.Event(), []

        async def question():
            await lines[0].ask("visits", reading(wait=go), "ann")
            order.append("answer")

        async def look(asker):
            await lines[1].look("visits", asker, lambda: None)
            order.append(asker)

        tasks = [asyncio.create_task(question())]
        while not lines[1].holds._is_held("visits", "ann", "asks"):
            await asyncio.sleep(0.001)
        tasks += [asyncio.create_task(look("ann")), asyncio.create_task(look("bob"))]
        await asyncio.sleep(0.05)
        go.set()
        await asyncio.gather(*tasks)
        for line in lines:
            line.close()
        return order

    assert asyncio.run(asked()) == ["bob", "answer", "ann"]


def passing(*steps):
    """Let the loop turn until each step holds."""

    async def until():
        for step in steps:
            for _ in range(60_000):
                if step():
                    break
                await asyncio.sleep(0.001)
            else:
                raise AssertionError("it never came to that")

    return until()


@pytest.fixture
def real_line():
    made = Line(Settings(answer_after=Fraction(1), slots=4, queue=64))
    yield made
    made.close()


def test_a_look_that_waited_for_a_thread_sees_nothing_before_the_answer_has_left(real_line):
    """Who fills their own threads first has looks in the queue that were let in before the question began."""
    line, held, stored, seen = real_line, threading.Event(), [], []

    def question():
        _tell_reader()
        stored.append("answer")  # what the ledger keeps as soon as the work ends

    def slow():
        held.wait(60)

    async def every():
        full = [asyncio.create_task(line.free_of("ann", slow, "visits")) for _ in range(OWN_THREADS)]
        await asyncio.sleep(0.05)
        looks = [
            asyncio.create_task(line.free_of("ann", lambda: seen.append(list(stored)), "visits")) for _ in range(3)
        ]
        asked = asyncio.create_task(line.ask("visits", question, "ann"))
        await asyncio.sleep(0.05)
        assert stored == []  # the question waits for looks that run
        held.set()
        await passing(lambda: stored)
        before = len(seen)
        await asyncio.sleep(0.1)
        assert len(seen) == before
        assert not asked.done()
        await asyncio.gather(*full, *looks, asked)

    asyncio.run(every())
    assert len(seen) == 3


def test_a_question_that_waited_for_its_slot_is_priced_after_the_answer_before_it_has_left(real_line):
    """Two questions that were let in together: the second would be free if the first one's work had ended."""
    line, begun = real_line, []

    def work():
        begun.append(line.clock.now())
        _tell_reader()

    async def every():
        await asyncio.gather(line.ask("visits", work, "ann"), line.ask("visits", work, "ann"))

    asyncio.run(every())
    assert begun[1] >= begun[0] + 1  # the moment of the first: nothing of it is known before that


def test_draws_are_worked_on_together_and_beside_no_question(real_line):
    line, begun = real_line, {}

    def asked(name, **terms):
        def work():
            begun[name] = line.clock.now()
            _tell_reader()

        return line.ask("visits", work, "ann", **terms)

    async def every():
        await asyncio.gather(asked("one", draw=True), asked("two", draw=True), asked("question"))

    asyncio.run(every())
    apart = {one: {other for other in begun if abs(begun[one] - begun[other]) >= 1} for one in begun}
    assert apart == {"one": {"question"}, "two": {"question"}, "question": {"one", "two"}}


def test_a_draw_that_was_drawn_before_leaves_as_late_as_one_that_reads_rows(line, clock):
    """Under one key the second finds what the first has stored, or draws beside it: both leave at one moment."""
    assert asyncio.run(line.ask("visits", lambda: "stored", "ann", draw=True)) == "stored"
    assert clock.left_at == [AFTER]
    with pytest.raises(BudgetExceeded):
        asyncio.run(line.ask("visits", refused, "ann", draw=True))
    assert clock.left_at == [AFTER]  # a refusal leaves at once: it comes before any charge


@pytest.mark.parametrize("draw", [False, True])
def test_who_waits_for_a_long_look_of_their_own_holds_no_slot_that_others_need(clock, draw):
    """Looks are free and take as long as their SQL makes them: nobody may close a data set to others with one."""
    line, held = Line(Settings(answer_after=Fraction(2), slots=1, queue=64), clock), threading.Event()
    clock.threads = Counted(line._threads)  # a look that waits is no work to wait for

    async def every():
        look = asyncio.create_task(line.free_of("ann", lambda: held.wait(120), "visits"))
        await asyncio.sleep(0.02)
        ann = [asyncio.create_task(line.ask("visits", reading(), "ann", draw=draw)) for _ in range(3)]
        await asyncio.sleep(0.02)
        try:
            return await asyncio.wait_for(line.ask("visits", reading("bob"), "bob"), 60)
        finally:
            held.set()
            await asyncio.gather(look, *ann, return_exceptions=True)

    assert asyncio.run(every()) == "bob"
    line.close()
