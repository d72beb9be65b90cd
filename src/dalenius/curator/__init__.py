"""Plans, releases and the gate between them."""

from dalenius.curator.curator import Curator
from dalenius.curator.outcome import Measured, Outcome
from dalenius.curator.plan import Explanation, Measure, Plan
from dalenius.curator.release import NumberRelease, Release, TableRelease

__all__ = [
    "Curator",
    "Explanation",
    "Measure",
    "Measured",
    "NumberRelease",
    "Outcome",
    "Plan",
    "Release",
    "TableRelease",
]
