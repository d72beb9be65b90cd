"""Writers stopped at once, and what their write-ahead log holds, read by SQLite's published format."""

import os
import signal
import struct
import threading
import time
from bisect import bisect_right
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from dalenius.errors import BudgetExceeded, UnknownName
from dalenius.guarantees import PureDP
from dalenius.ledger import Entry, Ledger, SQLiteStore
from dalenius.ledger.commit_groups import Take
from tests.ledger.crash.crew import finished, start
from tests.ledger.crash.storm import acknowledge, acknowledged

HEADER, FRAME_HEADER = 32, 24
BUDGET = 1


@dataclass(frozen=True, slots=True)
class Log:
    """A write-ahead log: a header, then pages in the order written, each with a checksum over all before it.

    A frame that ends a transaction names the size of the database after it; all other frames name none. Recovery takes
    the frames up to the last such one before the first that is torn.
    """

    written: bytes

    @property
    def frame(self) -> int:
        """Bytes of a frame."""
        return FRAME_HEADER + int(struct.unpack_from(">I", self.written, 8)[0])

    @property
    def boundaries(self) -> range:
        """Where frames begin and end."""
        return range(HEADER, len(self.written) + 1, self.frame)

    @property
    def commits(self) -> list[int]:
        """Where each whole transaction ends."""
        order = "<" if struct.unpack_from(">I", self.written)[0] == 0x377F0682 else ">"
        salt, ends = self.written[16:24], []
        sums = _checksum(order, self.written[:24], (0, 0))
        assert sums == struct.unpack_from(">II", self.written, 24)
        for begin in self.boundaries[:-1]:
            head, page = self.written[begin : begin + 8], self.written[begin + FRAME_HEADER : begin + self.frame]
            sums = _checksum(order, head + page, sums)
            stored = struct.unpack_from(">II", self.written, begin + 16)
            if sums != stored or self.written[begin + 8 : begin + 16] != salt:
                break
            if struct.unpack(">II", head)[1]:
                ends.append(begin + self.frame)
        return ends

    def whole_before(self, place: int) -> int:
        """The last byte that recovery can trust when this one is damaged."""
        return 0 if place < HEADER else place - (place - HEADER) % self.frame


def _checksum(order: str, part: bytes, sums: tuple[int, int]) -> tuple[int, int]:
    one, two = sums
    words = struct.unpack(f"{order}{len(part) // 4}I", part)
    for even, odd in zip(words[::2], words[1::2], strict=True):
        one = (one + even + two) & 0xFFFFFFFF
        two = (two + odd + one) & 0xFFFFFFFF
    return one, two


@dataclass(frozen=True, slots=True)
class Wreck:
    """The files as the writers left them, what was acknowledged by then, and at what length of the log."""

    database: bytes
    log: Log
    acknowledged: dict[str, int]

    @classmethod
    def of(cls, folder: Path, writers: int) -> "Wreck":
        """Copies of the database and its log; the index in shared memory is lost with the power."""
        lines = [line.split() for who in range(writers) for line in acknowledged(folder / f"{who}.told")]
        log = Log((folder / "x.ledger-wal").read_bytes())
        return cls((folder / "x.ledger").read_bytes(), log, {head: int(size) for head, size in lines})

    def restore(self, folder: Path, log: bytes) -> Path:
        """The same database beside another log."""
        folder.mkdir()
        (folder / "x.ledger").write_bytes(self.database)
        (folder / "x.ledger-wal").write_bytes(log)
        return folder / "x.ledger"


@dataclass(frozen=True, slots=True)
class Expected:
    """Which entries must stand after a cut: one transaction for each charge, after those that set the ledger up."""

    heads: tuple[str, ...]
    commits: tuple[int, ...]

    def at(self, cut: int) -> tuple[str, ...]:
        """The entries whose last frame is before the cut."""
        setup = len(self.commits) - len(self.heads)
        return self.heads[: max(0, bisect_right(self.commits, cut) - setup)]


def entries(ledger: Ledger) -> list[Entry]:
    """The entries; none where not even the data set survived."""
    try:
        return ledger.entries("people")
    except UnknownName:
        return []


def write(folder: Path, who: int, writers: int) -> None:
    """Charge until killed; each acknowledgement says how long the log was when it came."""
    ledger = Ledger.open(folder / "x.ledger")
    ledger.create("people", epsilon=BUDGET, unit="row")
    (folder / f"{who}.ready").touch()
    while len(list(folder.glob("*.ready"))) < writers:  # an opening writes a checkpoint: let none fall among charges
        time.sleep(0.001)
    file = os.open(folder / f"{who}.told", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    while True:
        head = ledger.reserve(PureDP("0.001"), dataset="people", unit="row").head
        acknowledge(file, f"{head} {(folder / 'x.ledger-wal').stat().st_size}")


def write_in_groups(folder: str, threads: int, charges: int, mutant: bool = False) -> None:
    """Threads of one process charge under two caps until it is killed; each acknowledgement says how long the log was.

    Every third charge is of somebody whose share covers three of them: refusals stand among what shares a transaction.
    The mutant tells its threads before the transaction of their group is on the disk.
    """
    pid = start(partial(_charge_in_groups, Path(folder), threads, mutant))
    while sum(len(acknowledged(path)) for path in Path(folder).glob("*.told")) < charges:
        time.sleep(0.001)
    os.kill(pid, signal.SIGKILL)
    assert not finished(pid)


def _charge_in_groups(folder: Path, threads: int, mutant: bool) -> None:
    if mutant:
        SQLiteStore._carry_out = _told_too_early  # type: ignore[method-assign]
    ledger = Ledger.open(folder / "x.ledger")
    ledger.create("people", epsilon=BUDGET, unit="row")
    for name, share in (("rich", BUDGET), ("poor", "0.003")):
        ledger.share("people", name, epsilon=share)
    gate = threading.Barrier(threads)

    def charge(who: int) -> None:
        file = os.open(folder / f"{who}.told", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
        gate.wait()
        while True:
            analyst = "poor" if who % 3 == 0 else "rich"
            try:
                head = ledger.reserve(PureDP("0.001"), dataset="people", unit="row", analyst=analyst).head
            except BudgetExceeded:
                continue
            acknowledge(file, f"{head} {(folder / 'x.ledger-wal').stat().st_size}")

    crowd = [threading.Thread(target=charge, args=(who,)) for who in range(threads)]
    for thread in crowd:
        thread.start()
    for thread in crowd:
        thread.join()


def _told_too_early(self: SQLiteStore, take: Take) -> None:
    with self.transaction() as records:
        for work in take():
            try:
                with records.apart():
                    work.returned(work.run(records))
            except BudgetExceeded as fault:
                work.failed(fault)
            work.durable = work.done = True
            work.turn.set()
        time.sleep(0.002)


def write_until_killed(folder: str, writers: int, charges: int) -> None:
    """Stop all writers at once, after at least so many charges."""
    place = Path(folder)
    pids = [start(partial(write, place, who, writers)) for who in range(writers)]
    while sum(len(acknowledged(place / f"{who}.told")) for who in range(writers)) < charges:
        time.sleep(0.001)
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    assert not any(finished(pid) for pid in pids)
