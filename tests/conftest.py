"""What every test shares: hypothesis' settings and the seconds that each folder of tests may take."""

import os
from collections import defaultdict
from pathlib import PurePosixPath

import pytest
from hypothesis import settings

# CI repeats one set of examples, so that a landing says something about the change; every other run looks for new ones
settings.register_profile("house", deadline=None, derandomize="CI" in os.environ, print_blob=True)
settings.load_profile("house")

BUDGET_SECONDS = {
    "audit": 60,
    "charts": 20,
    "cli": 40,
    "contracts": 160,
    "curator": 40,
    "datasets": 10,
    "dbapi": 15,
    "docs": 60,
    "golden": 20,
    "graphs": 15,
    "guarantees": 240,
    "house": 40,
    "inference": 110,
    "learning": 90,
    "ledger": 100,
    "local": 60,
    "mechanisms": 80,
    "neighbors": 15,
    "noise": 180,
    "numerics": 80,
    "queries": 30,
    "remote": 40,
    "server": 160,
    "sql": 280,
    "statistics": 60,
    "synthesis": 100,
    "(top)": 20,
}
"""Seconds of one core for each folder of tests, printed beside what was spent; never asserted."""

_spent: defaultdict[str, float] = defaultdict(float)


def folder_of(nodeid: str) -> str:
    """The folder under tests/ that a test's time is charged to."""
    parts = PurePosixPath(nodeid.split("::", 1)[0]).parts
    return parts[1] if len(parts) > 2 else "(top)"


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    # under xdist the workers' reports reach the controller here too, so the sums are right either way
    _spent[folder_of(report.nodeid)] += report.duration


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not _spent:
        return
    terminalreporter.section("seconds of one core, spent / budget")
    for folder, seconds in sorted(_spent.items()):
        budget = BUDGET_SECONDS.get(folder)
        over = "   over" if budget is not None and seconds > budget else ""
        terminalreporter.line(f"{folder:<14}{seconds:7.1f} / {budget if budget is not None else '–'}{over}")
