"""The mechanism of Blum, Ligett and Roth: one small database that answers many questions, drawn exactly."""

from dalenius.synthesis.blr.build import conjunctions, counting, hierarchy, thresholds
from dalenius.synthesis.blr.plan import SmallDatabase, SmallDatabaseExplanation
from dalenius.synthesis.blr.theorem import SmallDatabaseBound, small_database_bound

__all__ = [
    "SmallDatabase",
    "SmallDatabaseBound",
    "SmallDatabaseExplanation",
    "conjunctions",
    "counting",
    "hierarchy",
    "small_database_bound",
    "thresholds",
]
