"""Covariance and correlation matrices."""

import itertools
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.calls import named_arguments
from dalenius.curator import Derived, Facts, Measure, NumbersRelease, Plan
from dalenius.curator.formula import Cell, Formula, Held, IfPositive, Minus, Number, Over, Root, Times
from dalenius.errors import InvalidParameter
from dalenius.neighbors import Unit
from dalenius.numerics import Number as Given
from dalenius.queries import CrossMoments, Keys, Table
from dalenius.queries.bounds import Ends, Missing
from dalenius.statistics.about import About, bounded, facts_of, keys_by, missing_rule, public_rows
from dalenius.statistics.given_data import refuse_data
from dalenius.statistics.made import made
from dalenius.statistics.private_contributions import WantedContributions, after_contributions


@named_arguments
def covariance(
    columns: Sequence[str],
    bounds: Sequence[Ends] | Mapping[str, Ends] | None = None,
    *,
    epsilon: Given,
    delta: Given | None = None,
    by: str | Keys | Sequence[str] | None = None,
    missing: Missing | Sequence[Missing] | None = None,
    unit: Unit | str | None = None,
    contributions: WantedContributions = None,
    about: About = None,
    name: str = "covariance",
) -> Plan[Table]:
    """All covariances of columns, each row held in the bounds of its column; a number "name(a, b)" for each pair.

    Sums, and sums of products, of s in [−1, 1]: geometric noise by their ℓ1 sensitivity  [A §3.8], or with δ > 0
    Gaussian noise by ℓ2, which is less from about four columns on and is charged as μ-GDP. They divide by the
    number of rows. The matrix of noisy numbers (`matrix_of`) need not be positive semidefinite.

    Args:
        columns: the names of the columns.
        bounds: (lowest, highest) of each column, in their order, from public knowledge; left out, those declared.
        epsilon: what the answer costs.
        delta: left out for geometric noise; above 0 for Gaussian noise, which is less for many columns.
        by: a column with declared keys, a list of such columns, or Keys: one answer for each key.
        missing: what a row without a number counts as: "drop" leaves it out, "nearest" takes the number in the bounds
            that is nearest to zero, and a number is taken as it is.
        unit: the privacy unit: a Unit, or the column that names a person; by default that of `about`, else each row.
        contributions: contribution bound: if a unit has more rows, each is weighted down so that together they count
            as this many; "private" finds it for a share of ε.
        about: declared facts (bounds, keys, unit, contributions), or a curator that has them.
        name: what the released number is called.

    >>> plan = covariance(["age", "income"], [(0, 100), (0, 90_000)], epsilon=1)
    >>> print(plan.guarantee.epsilon(0))
    1.0
    """
    asked = _asked(columns, bounds, epsilon, delta, by, missing, unit, contributions, about, name)
    return asked(_covariances, "covariances")


@named_arguments
def correlation(
    columns: Sequence[str],
    bounds: Sequence[Ends] | Mapping[str, Ends] | None = None,
    *,
    epsilon: Given,
    delta: Given | None = None,
    by: str | Keys | Sequence[str] | None = None,
    missing: Missing | Sequence[Missing] | None = None,
    unit: Unit | str | None = None,
    contributions: WantedContributions = None,
    about: About = None,
    name: str = "correlation",
) -> Plan[Table]:
    """All correlations of different columns, held in [−1, 1]; 0 where a noisy variance is not above 0.

    Args:
        columns: the names of the columns.
        bounds: (lowest, highest) of each column, in their order, from public knowledge; left out, those declared.
        epsilon: what the answer costs.
        delta: left out for geometric noise; above 0 for Gaussian noise, which is less for many columns.
        by: a column with declared keys, a list of such columns, or Keys: one answer for each key.
        missing: what a row without a number counts as: "drop" leaves it out, "nearest" takes the number in the bounds
            that is nearest to zero, and a number is taken as it is.
        unit: the privacy unit: a Unit, or the column that names a person; by default that of `about`, else each row.
        contributions: contribution bound: if a unit has more rows, each is weighted down so that together they count
            as this many; "private" finds it for a share of ε.
        about: declared facts (bounds, keys, unit, contributions), or a curator that has them.
        name: what the released number is called.

    >>> plan = correlation(["age", "income"], [(0, 100), (0, 90_000)], epsilon=1)
    >>> print(plan.guarantee.epsilon(0))
    1.0
    """
    if len(columns) < 2:
        raise InvalidParameter(f"a correlation needs two columns or more, got {columns!r}")
    asked = _asked(columns, bounds, epsilon, delta, by, missing, unit, contributions, about, name)
    return asked(_correlations, "correlations")


def matrix_of(release: NumbersRelease, columns: Sequence[str], name: str = "covariance") -> NDArray[np.float64]:
    """A release's numbers as a symmetric matrix; a correlation of a column with itself is 1."""
    released = release.value
    names = list(columns)
    matrix = np.eye(len(names))
    for (i, a), (j, b) in itertools.combinations_with_replacement(enumerate(names), 2):
        if i != j or f"{name}({a}, {b})" in released:
            number: Any = released[f"{name}({a}, {b})"]
            matrix[i, j] = matrix[j, i] = float(number)
    return matrix


_Shape = Callable[["_Sums", str], dict[str, Formula]]


class _Sums:
    """Noisy means of s and of products, as formulas."""

    def __init__(self, query: CrossMoments, names: Sequence[str], rows: int | None) -> None:
        self.query = query
        self._cells = dict(zip(query.columns, map(Cell, names), strict=True))
        self.count: Formula = self._cells["count"] if rows is None else Number(Fraction(rows))

    def mean(self, part: str) -> Formula:
        """A sum over the number of rows, held as its true value is."""
        ratio = IfPositive(self.count, Over(self._cells[part], self.count), Number(Fraction(0)))
        return Held(ratio, Fraction(-1), Fraction(1))

    def covariance(self, a: str, b: str) -> Formula:
        """Of two columns of s, in [−1, 1]; a variance in [0, 1]."""
        centered = Minus(self.mean(f"{a}*{b}"), Times(self.mean(a), self.mean(b)))
        return Held(centered, Fraction(-1 if a != b else 0), Fraction(1))

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Each pair of columns, a column with itself too."""
        return list(itertools.combinations_with_replacement(self.query.inputs, 2))

    def half(self, column: str) -> Fraction:
        """Half the width of a column's bounds."""
        return self.query.bounds[self.query.inputs.index(column)].width / 2


def _covariances(sums: _Sums, name: str) -> dict[str, Formula]:
    return {
        f"{name}({a}, {b})": Times(Number(sums.half(a) * sums.half(b)), sums.covariance(a, b)) for a, b in sums.pairs
    }


def _correlations(sums: _Sums, name: str) -> dict[str, Formula]:
    def of(a: str, b: str) -> Formula:
        root = Root(Times(sums.covariance(a, a), sums.covariance(b, b)))
        ratio = IfPositive(root, Over(sums.covariance(a, b), root), Number(Fraction(0)))
        return Held(ratio, Fraction(-1), Fraction(1))

    return {f"{name}({a}, {b})": of(a, b) for a, b in sums.pairs if a != b}


def _asked(
    columns: Sequence[str],
    bounds: Sequence[Ends] | Mapping[str, Ends] | None,
    epsilon: Given,
    delta: Given | None,
    by: str | Keys | Sequence[str] | None,
    missing: Missing | Sequence[Missing] | None,
    unit: Unit | str | None,
    contributions: WantedContributions,
    about: About,
    name: str,
) -> Callable[[_Shape, str], Plan[Table]]:
    refuse_data(columns)
    if delta is not None and not isinstance(contributions, int | None):
        raise InvalidParameter("contributions are found for a pure ε only: leave delta out, or declare contributions")

    def asked(shape: _Shape, question: str) -> Plan[Table]:
        def planned(facts: Facts, budget: Fraction) -> Plan[Table]:
            keys = keys_by(facts, by)
            rule = missing_rule(facts, None) if missing is None else missing
            query = CrossMoments(columns, _bounds(facts, columns, bounds), keys, bounded(facts), rule)
            parts = Measure.calibrated(query, epsilon=budget, unit=facts.unit, name=f"{name}.sum", delta=delta)
            return _derived(parts, query, public_rows(facts, keys), shape, question, name)

        return after_contributions(contributions, facts_of(about, unit), epsilon, planned)

    return asked


def _derived(
    parts: Measure[Table], query: CrossMoments, rows: int | None, shape: _Shape, question: str, name: str
) -> Derived[Table]:
    """A covariance of s errs by at most 6r/n to first order: its slopes are 1, 1, 1 and |2m₁m₂ − p| ≤ 3."""
    formulas = shape(_Sums(query, parts.names, rows), name)
    widest = max(held.width for held in query.bounds) ** 2 / 4
    words = f"{question} of {', '.join(query.inputs)}; a covariance"
    return made(parts, formulas, words, 6 * widest, 4, rows)


def _bounds(facts: Facts, columns: Sequence[str], given: Sequence[Ends] | Mapping[str, Ends] | None) -> list[Ends]:
    if isinstance(columns, str):
        raise InvalidParameter(f"columns must be a list of names, got {columns!r}")
    if given is None or isinstance(given, Mapping):
        return [facts.bounds_of(column, (given or {}).get(column)) for column in columns]
    if isinstance(given, str) or len(given) != len(columns):
        raise InvalidParameter(f"there must be one pair of bounds for each of the {len(columns)} columns")
    return [facts.bounds_of(column, ends) for column, ends in zip(columns, given, strict=True)]
