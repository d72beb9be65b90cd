"""Empirical lower bounds on what a mechanism leaks, and the known attacks."""

from dalenius.audit.bound import lower_bound
from dalenius.audit.report import Report

__all__ = ["Report", "lower_bound"]
