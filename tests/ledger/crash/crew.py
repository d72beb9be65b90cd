"""Processes that are killed with -9 and started again until their work is done."""

import json
import os
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
PATIENCE_SECONDS = 900  # only a hang takes that long, on however loaded a machine


def run(job: str, **arguments: Any) -> Any:
    """What a job of `worker` answers in an interpreter of its own: no thread or connection of the caller is forked."""
    command = [sys.executable, "-m", "tests.ledger.crash.worker", job, json.dumps(arguments)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, start_new_session=True)
    try:
        answer, _ = process.communicate(timeout=PATIENCE_SECONDS)
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise
    assert process.returncode == 0, f"{job} ended with {process.returncode}"
    return json.loads(answer)


def start(work: Callable[[], object]) -> int:
    """A forked process that does one thing, and its id."""
    pid = os.fork()
    if pid:
        return pid
    try:
        work()
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def finished(pid: int) -> bool:
    """Wait for a process: True if it did its work, False if it was killed."""
    status = os.waitpid(pid, 0)[1]
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0, "a worker failed"
    return not os.WIFSIGNALED(status)


def besiege(works: Sequence[Callable[[], object]], progress: Callable[[], int], kills: Sequence[int]) -> int:
    """Run all works to their end, killing one at random as `progress` passes each of `kills`; how many died.

    The kills follow the progress and not the clock: on a slow machine they still fall in the midst of the work.
    """
    due, deaths, chance = sorted(kills), 0, Random(os.urandom(8))
    running = {start(work): work for work in works}
    while running:
        if due and progress() >= due[0]:
            due.pop(0)
            time.sleep(chance.uniform(0, 0.003))
            os.kill(chance.choice(list(running)), signal.SIGKILL)
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid == 0:
            time.sleep(0.001)
            continue
        work = running.pop(pid)
        if os.WIFSIGNALED(status):
            deaths += 1
            running[start(work)] = work
        else:
            assert os.WEXITSTATUS(status) == 0, "a worker failed"
    return deaths
