"""Plan the one-way marginals of many yes-or-no columns."""

from collections.abc import Iterable, Sequence
from fractions import Fraction

from dalenius.calls import named_arguments, shown
from dalenius.curator import Derived, Measure, Shown
from dalenius.curator.formula import Cell, Formula, Held, Number, Ratio, Times
from dalenius.errors import InvalidParameter
from dalenius.neighbors import Unit
from dalenius.numerics import Number as Given
from dalenius.queries import Table
from dalenius.queries.marginals import OneWayMarginals
from dalenius.statistics.about import About, facts_of
from dalenius.statistics.public_rows import PublicRowCount


@named_arguments
def marginals(
    columns: Sequence[str],
    *,
    epsilon: Given,
    delta: Given | None = None,
    unit: Unit | str | None = None,
    about: About = None,
    name: str = "share",
) -> Derived[Table]:
    """The share of rows of which each column is true (a number above 0), all for one price  [A Ex 10.1].

    One row moves d counts at once. Pure noise grows with their number, d/ε each; with δ > 0 noise is Gaussian and
    grows with the root, about √(d·log(1/δ))/ε: for many columns far less. Under ADD_REMOVE the number of rows is
    private and counted as one more column; under CHANGE_ONE with declared `rows` it is public.

    Args:
        columns: the columns, each with yes or no: true or false, 1 or 0, 1 or −1.
        epsilon: what the answer costs.
        delta: what it may cost besides; left out, noise is pure.
        unit: the privacy unit; each must have one row here.
        about: declared facts, or a curator that has them.
        name: the released shares are called name.column.

    >>> plan = marginals(["smokes", "drinks"], epsilon=1)
    >>> plan.plan.mechanism.scale
    Fraction(3, 1)
    """
    facts = facts_of(about, unit)
    if isinstance(columns, str) or not isinstance(columns, Iterable):
        raise InvalidParameter(f"columns must be a list of names, got {shown(columns)}")
    rows = facts.rows
    query = OneWayMarginals(tuple(columns), counted=rows is None)
    parts = Measure.calibrated(query, epsilon=epsilon, delta=delta, unit=facts.unit, name=f"{name} of")
    layout = []
    for column, part in zip(query.names, parts.names, strict=False):
        formula: Formula
        if rows is None:
            formula = Ratio(Cell(part), Cell(parts.names[-1]), Fraction(0), Fraction(1))
        else:
            formula = Held(Times(Number(Fraction(1, rows)), Cell(part)), Fraction(0), Fraction(1))
        layout.append(Shown(f"{name}.{column}", formula))
    return Derived(parts if rows is None else PublicRowCount(parts, rows), layout, question=f"share of rows, {query}")
