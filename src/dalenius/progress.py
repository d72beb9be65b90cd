"""A sign of life while work goes on, for a person at a terminal, and silence for everybody else.

What it may show. Work on rows begins after its charge; from then on nothing but the release may depend on a row. The
sign says what is done, in words that the caller gives and that hold public names alone, and how much time has gone by,
which whoever waits can read off a clock. It knows no number of rows, no share of them that was read, and no time that
is left: each would be computed from the rows. Steps of a fixed plan, of which the number is public, would be no more
than the clock either, and are not shown.

Where it shows: on stderr, if that is a terminal, in the main thread, after half a second. A pipe, a file, a notebook, a
server's thread and work inside of other work get nothing. Nothing is written to stdout.
"""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from dalenius.escape import terminal

DELAY = 0.5
"""Seconds of silence first: what is done by then needs no sign."""
_shown = threading.Lock()


@contextmanager
def working(what: str) -> Iterator[None]:
    """Show that work goes on for as long as the block runs.

    >>> with working("reading visits"):
    ...     pass
    """
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or not _is_terminal() or not _shown.acquire(blocking=False):
        yield
        return
    sign = _Sign(terminal(what))
    try:
        sign.start()
        yield
    finally:
        sign.stop()
        _shown.release()


@contextmanager
def alone() -> Iterator[None]:
    """Keep signs away while something else is shown at the terminal: two that move would draw over each other."""
    is_mine = _shown.acquire(blocking=False)
    try:
        yield
    finally:
        if is_mine:
            _shown.release()


def _is_terminal() -> bool:
    stream = sys.stderr
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # it was closed
        return False


class _Sign:
    """A spinner with words and a clock, that comes after a while and leaves no trace."""

    def __init__(self, what: str) -> None:
        self._what, self._lock, self._ended = what, threading.Lock(), False
        self._progress: Any = None
        self._timer = threading.Timer(DELAY, self._show)
        self._timer.daemon = True

    def start(self) -> None:
        """Show it after the delay, or at once if there is none."""
        if DELAY:
            self._timer.start()
        else:
            self._show()

    def stop(self) -> None:
        """Take it away."""
        self._timer.cancel()
        with self._lock:
            self._ended = True
            if self._progress is not None:
                self._progress.stop()

    def _show(self) -> None:
        from rich.console import Console
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        columns = SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn()
        with self._lock:
            if not self._ended:
                self._progress = Progress(*columns, console=Console(stderr=True), transient=True)
                self._progress.add_task(self._what, total=None)
                self._progress.start()
