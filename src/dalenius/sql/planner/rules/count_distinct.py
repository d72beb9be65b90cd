"""COUNT(DISTINCT x)."""

from dataclasses import replace

from dalenius.noise.lattice import INTEGERS
from dalenius.sql.catalog import MeasuredBy
from dalenius.sql.engine.value_statements import distinct_values
from dalenius.sql.planner.final_rows import final_rows, value_of
from dalenius.sql.planner.measurements import Measurement
from dalenius.sql.planner.separate_scans import SeparateScan
from dalenius.sql.planner.stages import Aggregated, Bounded
from dalenius.sql.policy.policy import Policy


def count_distinct(bounded: Bounded, policy: Policy) -> Bounded:
    """Keep each unit's first T pairs of cell and value, in the order of a hash of both and the unit, and count pairs.

    A unit that is added brings at most T pairs, of which those that nobody else keeps are new: so the counts of all
    cells grow by at most T in ℓ1, and whose pairs are kept is for each unit's own rows to decide  [A Ex 3.4]. One that
    is replaced takes away at most T and adds at most T; in a single cell these are opposite, and the count moves by no
    more than T. NULL and NaN are no values. Weights would be wrong: a value held by two units is one value. Over keys
    that are to be found the pairs are those of keys that were named, T of each unit over all of them.
    """
    counts = distinct_counts(bounded.aggregated, policy)
    return replace(bounded, groups=bounded.groups + counts) if counts else bounded


def distinct_counts(aggregated: Aggregated, policy: Policy) -> tuple[Measurement, ...]:
    """The counts of distinct values that a query asks for."""
    scans = (one for one in aggregated.scans if one.measured is MeasuredBy.DISTINCT)
    return tuple(_measurement(one, aggregated, policy) for one in scans)


def _measurement(one: SeparateScan, aggregated: Aggregated, policy: Policy) -> Measurement:
    final, by_unit = aggregated.final, policy.unit.column is not None
    most = (policy.contributions or 1) if by_unit else 1
    tree = distinct_values(final.dialect, final_rows(aggregated, one), value_of(one), most if by_unit else None)
    change = most if final.single else 2 * most
    return Measurement(one.question, (one.part,), most, change, INTEGERS, aggregated.weight, final.dialect.text(tree))
