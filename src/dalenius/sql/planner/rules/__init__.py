"""The planner: its rules in reading order, by stage, one a file."""

from dataclasses import replace

from dalenius.sql.planner.rules.bind_aggregates import bind_aggregates
from dalenius.sql.planner.rules.bind_keys import bind_keys
from dalenius.sql.planner.rules.bind_unit import bind_unit
from dalenius.sql.planner.rules.bound_candidates import bound_candidates
from dalenius.sql.planner.rules.bound_contribution import bound_contribution
from dalenius.sql.planner.rules.bound_groups import bound_groups
from dalenius.sql.planner.rules.choose_top import choose_top
from dalenius.sql.planner.rules.count_distinct import count_distinct
from dalenius.sql.planner.rules.filter_rows import filter_rows
from dalenius.sql.planner.rules.find_modes import find_modes
from dalenius.sql.planner.rules.qualify import qualify
from dalenius.sql.planner.rules.rank_values import rank_values
from dalenius.sql.planner.rules.refuse_unsupported import refuse_unsupported
from dalenius.sql.planner.rules.sum_utility import sum_utility
from dalenius.sql.planner.stages import Rules

RULES = Rules(
    read=(refuse_unsupported, qualify),
    select=filter_rows,
    bind=(bind_keys, bind_unit),
    aggregate=bind_aggregates,
    bound=bound_contribution,
    measure=(bound_groups, count_distinct, rank_values, find_modes, choose_top),
)

CHOICE_RULES = replace(RULES, read=(*RULES.read, sum_utility), bound=bound_candidates, measure=())
"""The rules of a choice among public candidates, which every row meets."""

__all__ = [
    "CHOICE_RULES",
    "RULES",
    "bind_aggregates",
    "bind_keys",
    "bind_unit",
    "bound_candidates",
    "bound_contribution",
    "bound_groups",
    "choose_top",
    "count_distinct",
    "filter_rows",
    "find_modes",
    "qualify",
    "rank_values",
    "refuse_unsupported",
    "sum_utility",
]
