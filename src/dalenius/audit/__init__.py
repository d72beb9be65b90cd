"""Empirical lower bounds on what a mechanism leaks, and the known attacks."""

from dalenius.audit import attacks
from dalenius.audit.attacks.exposure import exposure
from dalenius.audit.bound import lower_bound
from dalenius.audit.check import assert_private, private
from dalenius.audit.one_run import OneRun, one_run
from dalenius.audit.report import Report
from dalenius.audit.search import Found, search
from dalenius.audit.sequential import Stopped, sequential
from dalenius.audit.support import Support, support

__all__ = [
    "Found",
    "OneRun",
    "Report",
    "Stopped",
    "Support",
    "assert_private",
    "attacks",
    "exposure",
    "lower_bound",
    "one_run",
    "private",
    "search",
    "sequential",
    "support",
]
