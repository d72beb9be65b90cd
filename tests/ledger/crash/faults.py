"""Disks that are full and files that may not be written."""

import ctypes
import os
import resource
import signal
from pathlib import Path
from random import Random

from dalenius.errors import LedgerUnavailable
from dalenius.guarantees import PureDP
from dalenius.ledger import Ledger

CAPABILITY_VERSION_3 = 0x20080522


def fill_the_disk(folder: str, times: int) -> dict[str, list[str]]:
    """Charge while no file may grow beyond a limit that moves by some bytes at a time; what was told.

    To the ledger the limit is a disk that has filled up: a write stops half way, and the next one fails.
    """
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    path, chance = Path(folder) / "x.ledger", Random(os.urandom(8))
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    ledger = Ledger.open(path)
    granted, refused = [], []
    for turn in range(times):
        room = path.with_name("x.ledger-wal").stat().st_size + chance.randrange(12000)
        resource.setrlimit(resource.RLIMIT_FSIZE, (max(room, 1 << 16), hard))
        for _ in range(4):
            try:
                key = f"{turn}-{len(granted)}"
                granted.append(ledger.reserve(PureDP("0.001"), dataset="people", unit="row", key=key).head)
            except LedgerUnavailable as fault:
                refused.append(str(fault))
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    granted.append(ledger.reserve(PureDP("0.001"), dataset="people", unit="row").head)
    ledger.verify(head=granted[-1])
    return {"granted": granted, "refused": refused}


def open_without_rights(path: str) -> str:
    """What a process without the rights of root is told when it charges."""
    if os.geteuid() == 0:
        _give_up_root()
    assert not os.access(path, os.W_OK) or not os.access(Path(path).parent, os.W_OK)
    try:
        Ledger.open(path).reserve(PureDP("0.001"), dataset="people", unit="row")
    except LedgerUnavailable as fault:
        return str(fault)
    return "charged"


def _give_up_root() -> None:
    """Root writes what nobody may write, by a capability that a process can lay down."""
    libc = ctypes.CDLL(None, use_errno=True)
    head, none = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0), (ctypes.c_uint32 * 6)()
    assert libc.capset(head, none) == 0, os.strerror(ctypes.get_errno())
