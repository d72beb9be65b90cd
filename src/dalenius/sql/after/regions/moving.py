"""Sums over frames that move: what a row adds and what leaves is all that changes from one frame to the next."""

from bisect import bisect_left
from collections.abc import Sequence
from fractions import Fraction

from sqlglot import exp

from dalenius.curator.formula import Linear
from dalenius.sql.after.regions.frames import Run
from dalenius.sql.after.regions.region import never_null
from dalenius.sql.after.regions.values import MISSING, CombinedValue, Exact, MadeValue, Value, formula_of

_MANY = 12
"""Frames of fewer rows than this are added up one by one."""


def moving_sums(function: exp.Expr, values: Sequence[Value], frames: Sequence[Run]) -> list[Value] | None:
    """SUM or AVG of public rows over each frame, as one formula each; None where that is no sum of released numbers.

    The sum of a frame is that of the one before, and what has come in, less what has left: the same coefficients,
    since they are fractions.
    """
    if type(function) not in (exp.Sum, exp.Avg) or max((b - a for a, b in frames), default=0) < _MANY:
        return None
    forms = [form for form in map(_linear, values) if form is not None]
    if len(forms) < len(values) or any(value.point is None or value.point is MISSING for value in values):
        return None
    if all(isinstance(value, Exact) for value in values):
        return None
    is_mean, sums, total, results = isinstance(function, exp.Avg), dict[Run, Value](), _Total(), list[Value]()
    points = [float(value.point) if is_mean else value.point for value in values]
    first = behind = 0
    for start, end in frames:
        if start == end:
            results.append(Exact(None))
            continue
        if (start, end) not in sums:
            if start < first or end < behind or start >= behind:
                total, first, behind = _Total(), start, start
            for form in forms[behind:end]:
                total.add(form, 1)
            for form in forms[first:start]:
                total.add(form, -1)
            first, behind = start, end
            form, point = total.form(), sum(points[start:end])
            if is_mean:
                form, point = form.times(Fraction(1, end - start)), point / (end - start)
            sums[start, end] = MadeValue(CombinedValue(form), point)
        results.append(sums[start, end])
    return results


def _linear(value: Value) -> Linear | None:
    formula = formula_of(value) if never_null(value) else None
    return None if formula is None else formula.linear()


class _Total:
    """A sum of sums, its terms in the order of their names."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._terms: list[tuple[str, Fraction]] = []
        self._constant = Fraction(0)

    def add(self, form: Linear, sign: int) -> None:
        """Add a sum, or take it away."""
        self._constant += sign * form.constant
        for term in form.terms:
            place = bisect_left(self._names, term[0])
            if place < len(self._names) and self._names[place] == term[0]:
                factor = self._terms[place][1] + sign * term[1]
                if factor:
                    self._terms[place] = (term[0], factor)
                else:
                    del self._names[place], self._terms[place]
            else:
                self._names.insert(place, term[0])
                self._terms.insert(place, term if sign > 0 else (term[0], -term[1]))

    def form(self) -> Linear:
        """The sum as it is now."""
        return Linear(tuple(self._terms), self._constant)
