"""Plans, releases and the gate between them."""

from dalenius.curator.curator import Curator
from dalenius.curator.interactive import Answer, Interactive, OpenRun, Transcript
from dalenius.curator.outcome import Measured, Outcome
from dalenius.curator.plan import ColumnPlan, Explanation, Measure, Plan
from dalenius.curator.release import NumberRelease, NumbersRelease, Release, TableRelease
from dalenius.curator.sampled import Sampled, SampledExplanation
from dalenius.curator.together import Together, TogetherExplanation

__all__ = [
    "Answer",
    "ColumnPlan",
    "Curator",
    "Explanation",
    "Interactive",
    "Measure",
    "Measured",
    "NumberRelease",
    "NumbersRelease",
    "OpenRun",
    "Outcome",
    "Plan",
    "Release",
    "Sampled",
    "SampledExplanation",
    "TableRelease",
    "Together",
    "TogetherExplanation",
    "Transcript",
]
