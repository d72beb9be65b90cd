"""Plans, releases and the gate between them."""

from dalenius.curator.blocked import Blocked, BlockedExplanation, Result
from dalenius.curator.blockwise import AttributeBlocks, Blockwise, BlockwiseExplanation, HashedBlocks
from dalenius.curator.choose import ChoiceExplanation, Choose, Utility
from dalenius.curator.chosen import Chosen
from dalenius.curator.curator import Curator
from dalenius.curator.derived import Derived, DerivedExplanation
from dalenius.curator.facts import Facts
from dalenius.curator.interactive import Answer, Interactive, OpenRun, Transcript
from dalenius.curator.measured import Measured
from dalenius.curator.outcome import Outcome
from dalenius.curator.plan import ColumnPlan, Explanation, Measure, Plan
from dalenius.curator.release import NumberRelease, NumbersRelease, Release, TableRelease
from dalenius.curator.sampled import Sampled, SampledExplanation
from dalenius.curator.select import Select, SelectExplanation
from dalenius.curator.shown import Arrangement, Order, Shown, ShownKey
from dalenius.curator.then import Next, Then, ThenExplanation
from dalenius.curator.together import Together, TogetherExplanation

__all__ = [
    "Answer",
    "Arrangement",
    "AttributeBlocks",
    "Blocked",
    "BlockedExplanation",
    "Blockwise",
    "BlockwiseExplanation",
    "ChoiceExplanation",
    "Choose",
    "Chosen",
    "ColumnPlan",
    "Curator",
    "Derived",
    "DerivedExplanation",
    "Explanation",
    "Facts",
    "HashedBlocks",
    "Interactive",
    "Measure",
    "Measured",
    "Next",
    "NumberRelease",
    "NumbersRelease",
    "OpenRun",
    "Order",
    "Outcome",
    "Plan",
    "Release",
    "Result",
    "Sampled",
    "SampledExplanation",
    "Select",
    "SelectExplanation",
    "Shown",
    "ShownKey",
    "TableRelease",
    "Then",
    "ThenExplanation",
    "Together",
    "TogetherExplanation",
    "Transcript",
    "Utility",
]
