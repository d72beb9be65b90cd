"""Plans for the questions that people ask of a graph first, each private for a person with all their edges."""

from fractions import Fraction
from typing import Any

from dalenius.calls import named_arguments
from dalenius.curator import Curator, Derived, Measure, Shown, Together
from dalenius.curator.formula import Cell, Ratio
from dalenius.errors import InvalidParameter
from dalenius.graphs.queries import DegreeHistogram, EdgeCount, EdgeSum
from dalenius.neighbors import Nodes, Unit
from dalenius.numerics import Number, positive
from dalenius.queries import Table

About = Nodes | tuple[str, str] | Curator[Any]
"""The two columns that name people, or a curator whose unit they are."""


@named_arguments
def edge_count(about: About, most: int, *, epsilon: Number, salt: str = "", name: str = "edges") -> Measure[Table]:
    """The number of edges, `most` of each person at most, with noise of scale most/ε  [A Ex 4.1, DLL16].

    Args:
        about: the two columns that name people, `Nodes`, or a curator whose unit they are.
        most: how many edges of one person count; edges beyond are left out along a public order.
        epsilon: what the answer costs.
        salt: names the order; another one leaves out other edges.
        name: what the released number is called.

    >>> print(edge_count(("caller", "callee"), 10, epsilon=1).explain().sensitivity)
    Sensitivity(10, Metric.L1)
    """
    unit = nodes_of(about)
    return Measure.calibrated(EdgeCount(unit.ends, most, salt), epsilon=epsilon, unit=unit, name=name)


@named_arguments
def degree_histogram(
    about: About, most: int, *, epsilon: Number, salt: str = "", name: str = "people"
) -> Measure[Table]:
    """How many people have 1, …, `most` edges, with noise of scale (2·most + 1)/ε in each  [A Ex 4.1, DLL16].

    Args:
        about: the two columns that name people, `Nodes`, or a curator whose unit they are.
        most: how many edges of one person count; edges beyond are left out along a public order.
        epsilon: what the answer costs.
        salt: names the order; another one leaves out other edges.
        name: what the released column is called.

    >>> print(degree_histogram(("caller", "callee"), 3, epsilon=1).explain().sensitivity)
    Sensitivity(7, Metric.L1)
    """
    unit = nodes_of(about)
    return Measure.calibrated(DegreeHistogram(unit.ends, most, salt), epsilon=epsilon, unit=unit, name=name)


@named_arguments
def edge_sum(
    about: About, column: str, largest: Number, most: int, *, epsilon: Number, name: str = "sum"
) -> Measure[Table]:
    """The sum of a column over edges, each value in [0, largest], with noise of scale most·largest/ε  [KNR13].

    Edges of people who have more than `most` count in part: as the largest fractional matching does.

    Args:
        about: the two columns that name people, `Nodes`, or a curator whose unit they are.
        column: the column that is summed.
        largest: what a value is held to; the least is 0.
        most: how many edges of one person count, in all.
        epsilon: what the answer costs.
        name: what the released number is called.

    >>> float(edge_sum(("caller", "callee"), "minutes", 60, 10, epsilon=1).explain().error)
    1797.5
    """
    unit = nodes_of(about)
    query = EdgeSum(unit.ends, most, column, positive(largest, "largest"))
    return Measure.calibrated(query, epsilon=epsilon, unit=unit, name=name)


@named_arguments
def edge_mean(
    about: About, column: str, largest: Number, most: int, *, epsilon: Number, name: str = "mean"
) -> Derived[Table]:
    """The mean of a column over edges: the sum over the number of edges, as both matchings count them  [KNR13].

    Half of ε goes to each. The best matching for the sum is one for the number too, so the ratio lies in [0, largest],
    and its interval takes both errors together.

    Args:
        about: the two columns that name people, `Nodes`, or a curator whose unit they are.
        column: the column whose mean is asked.
        largest: what a value is held to; the least is 0.
        most: how many edges of one person count, in all.
        epsilon: what the answer costs.
        name: what the released number is called.

    >>> print(edge_mean(("caller", "callee"), "minutes", 60, 10, epsilon=1).guarantee.epsilon(0))
    1.0
    """
    unit, half, held = nodes_of(about), positive(epsilon, "epsilon") / 2, positive(largest, "largest")
    total = Measure.calibrated(EdgeSum(unit.ends, most, column, held), epsilon=half, unit=unit, name=f"{name}.sum")
    edges = Measure.calibrated(EdgeSum(unit.ends, most), epsilon=half, unit=unit, name=f"{name}.edges")
    ratio = Ratio(Cell(total.name), Cell(edges.name), Fraction(0), held)
    words = f"mean of {column} over edges, the middle of [0, {held}] without edges"
    return Derived(Together([total, edges]), [Shown(name, ratio)], question=words)


def nodes_of(about: About) -> Nodes:
    """Who is protected: nodes, refused if it is anybody else."""
    unit = about.unit if isinstance(about, Curator) else Unit.of(about)
    if not isinstance(unit, Nodes):
        raise InvalidParameter(f'a graph protects nodes, given as two columns such as ("caller", "callee"), got {unit}')
    return unit
