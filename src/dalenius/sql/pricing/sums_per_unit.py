"""The histogram of what people's rows of one column add up to, from which the bound of a person's sum is chosen."""

from fractions import Fraction

from sqlglot import exp

from dalenius.curator import Measure, Outcome
from dalenius.errors import UnboundedQuery
from dalenius.numerics import Number
from dalenius.sql.engine import DIALECT, Dialect, Engine
from dalenius.sql.engine.value_statements import units_by_sum
from dalenius.sql.planner.bounding_view import whole_text
from dalenius.sql.planner.compile import Compiled
from dalenius.sql.policy.policy import Policy
from dalenius.sql.pricing.choose_bounds import contributions_for
from dalenius.sql.pricing.rows_per_unit import OCTAVES, PerUnit
from dalenius.sql.rows.columns import column
from dalenius.sql.rows.fixed_point import MOST_BITS, scale_around
from dalenius.sql.types.engine_names import SOURCE
from dalenius.statistics.private_contributions import RowsPerUnit

_PARTS = 16
"""Bins begin at a sixteenth of what one row may be."""


def sums_histogram(policy: Policy, name: str, epsilon: Number, dialect: Dialect = DIALECT) -> Measure[Engine]:
    """How many units have rows of a column that add up to so many sixteenths of the largest row, in powers of two.

    A unit's own rows alone decide its bin, so one that comes or goes moves one bin by 1  [A Ex 3.4]. Absolute values
    are added, of all rows of the table: WHERE and keys are not read, so that other questions reuse it.
    """
    assert policy.unit.column is not None
    value = column(name, policy)
    if value.bounds is None:
        raise UnboundedQuery(f"a bound of people's sums of {name!r} is found from clamped rows: declare its bounds")
    scale = scale_around(*value.bounds, MOST_BITS)
    whole = dialect.parse(whole_text(scale.whole(), {"v": value}))
    unit = exp.column(policy.unit.column, table=SOURCE, quoted=True)
    owned = exp.select(exp.alias_(unit, "unit", quoted=True), exp.alias_(whole, "a", quoted=True))
    owned = owned.from_(exp.table_(SOURCE, quoted=True)).where(unit.copy().is_(exp.null()).not_())
    largest = max(-scale.low, scale.high)
    scan = units_by_sum(dialect, owned.subquery("counted"), _PARTS, largest, OCTAVES)
    query = PerUnit(f"sixteenths of the largest {name} in SUM({name})", RowsPerUnit(policy.unit.column, OCTAVES), scan)
    return Measure.calibrated(query, epsilon=epsilon, unit=policy.unit, name="units")


def sum_bound_for(sums: Outcome, policy: Policy, name: str, compiled: Compiled, epsilon: Fraction) -> Fraction:
    """The C with the least sum, over all cells, of the noise's size and of what is cut off: cells·C/ε + Σ(s − C)⁺.

    It is a quantile of people's sums; from the released histogram and public facts alone.
    """
    bounds = column(name, policy).bounds
    assert bounds is not None
    return contributions_for(sums, compiled, epsilon) * max(map(abs, bounds)) / _PARTS
