"""Plans, releases and the gate between them."""

from dalenius.curator.answer.chosen import Chosen
from dalenius.curator.answer.computed import Computed
from dalenius.curator.answer.error_parts import BESIDE, LEFT_OUT, ErrorParts
from dalenius.curator.answer.key_text import key_text
from dalenius.curator.answer.labels import Labels
from dalenius.curator.answer.measured import Measured
from dalenius.curator.answer.outcome import Outcome
from dalenius.curator.answer.rendered import number_text, table_text, text_columns
from dalenius.curator.answer.rounded import radius_above
from dalenius.curator.answer.shown import Arrangement, Order, Shown, ShownKey
from dalenius.curator.answer.told import COMPUTED, told_of_answer, told_of_bounding
from dalenius.curator.answer.with_ends import with_ends
from dalenius.curator.curator import Curator, when_rows_are_read
from dalenius.curator.facts import Facts
from dalenius.curator.interactive import Answer, Interactive, OpenRun, Transcript
from dalenius.curator.plans.blocked import Blocked, BlockedExplanation, Result
from dalenius.curator.plans.blockwise import AttributeBlocks, Blockwise, BlockwiseExplanation, HashedBlocks
from dalenius.curator.plans.choose import ChoiceExplanation, Choose, Utility
from dalenius.curator.plans.derived import Derived, DerivedExplanation
from dalenius.curator.plans.plan import ColumnPlan, Explanation, Measure, Plan
from dalenius.curator.plans.sampled import Sampled, SampledExplanation
from dalenius.curator.plans.select import Select, SelectExplanation
from dalenius.curator.plans.several_tables import SeveralTables
from dalenius.curator.plans.then import Next, Then, ThenExplanation
from dalenius.curator.plans.together import Together, TogetherExplanation
from dalenius.curator.release import NumberRelease, NumbersRelease, Release, TableRelease, TablesRelease

__all__ = [
    "BESIDE",
    "COMPUTED",
    "LEFT_OUT",
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
    "Computed",
    "Curator",
    "Derived",
    "DerivedExplanation",
    "ErrorParts",
    "Explanation",
    "Facts",
    "HashedBlocks",
    "Interactive",
    "Labels",
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
    "SeveralTables",
    "Shown",
    "ShownKey",
    "TableRelease",
    "TablesRelease",
    "Then",
    "ThenExplanation",
    "Together",
    "TogetherExplanation",
    "Transcript",
    "Utility",
    "key_text",
    "number_text",
    "radius_above",
    "table_text",
    "text_columns",
    "told_of_answer",
    "told_of_bounding",
    "when_rows_are_read",
    "with_ends",
]
