"""Differencing: exact answers over large groups, each harmless, that together give one person away."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction

from dalenius.errors import InvalidParameter, UnknownName
from dalenius.numerics import Number, rational

Row = dict[int, Fraction]
"""A linear equation: the coefficient of each person, those that are not 0; the answer stands at −1."""

_ANSWER = -1


@dataclass(slots=True)
class AnswerLog:
    """A log of exact sums over groups of people, and whose value they determine.

    [A §1.1 differencing, D §1.1 sums differencing]

    A value is determined exactly when its unit vector is a combination of the groups asked: elimination over the
    rationals finds all of them, not only differences of two. With public `bounds` of a value, a sum at its end
    determines everyone in it too.

    Mr. White moves away, and two totals of the town's income differ by his  [S §2.1 income table]:

    >>> town = AnswerLog(["Mr. White", "Ms. Green", "Mr. Black"])
    >>> town.record(["Mr. White", "Ms. Green", "Mr. Black"], 50)
    >>> town.record(["Ms. Green", "Mr. Black"], 49)
    >>> town.exposed()
    {'Mr. White': Fraction(1, 1)}

    How many have the trait, and how many of those who are not Mr. X  [A §1.1 differencing]:

    >>> clinic = AnswerLog(["Mr. X", "A", "B", "C"], bounds=(0, 1))
    >>> clinic.record(["Mr. X", "A", "B", "C"], 3)
    >>> clinic.record(["A", "B", "C"], 2)
    >>> clinic.exposed()
    {'Mr. X': Fraction(1, 1)}
    """

    people: list[Hashable]
    bounds: tuple[Number, Number] | None = None
    _rows: dict[int, Row] = field(default_factory=dict, repr=False)
    _index: dict[Hashable, int] = field(default_factory=dict, repr=False)
    _asked: list[tuple[frozenset[int], Fraction]] = field(default_factory=list, repr=False)

    def __post_init__(self) -> None:
        self._index = {person: k for k, person in enumerate(self.people)}
        if len(self._index) != len(self.people):
            raise InvalidParameter("people must be told apart: two have one name")

    def record(self, group: Iterable[Hashable], answer: Number) -> None:
        """Note the exact sum over a group."""
        members = self._members(group)
        self._asked.append((members, rational(answer, "answer")))
        row: Row = dict.fromkeys(members, Fraction(1))
        row[_ANSWER] = rational(answer, "answer")
        self._add(row)

    def exposed(self) -> dict[Hashable, Fraction]:
        """Everyone whose value the log determines, with that value."""
        if self.bounds is not None:
            self._squeeze()
        solved = {pivot: row for pivot, row in self._rows.items() if all(k in (pivot, _ANSWER) for k in row)}
        return {self.people[k]: solved[k].get(_ANSWER, Fraction(0)) for k in sorted(solved)}

    def would_expose(self, group: Iterable[Hashable]) -> tuple[Hashable, ...]:
        """Who would be determined by one more sum, whatever its answer, who is not yet.

        A refusal that depends on this tells nothing of the values; one that depends on the answer would.
        """
        trial = AnswerLog(list(self.people))
        trial._rows = {
            pivot: {k: value for k, value in row.items() if k != _ANSWER} for pivot, row in self._rows.items()
        }
        before = set(trial.exposed())
        trial.record(group, 0)
        return tuple(person for person in trial.exposed() if person not in before)

    def _members(self, group: Iterable[Hashable]) -> frozenset[int]:
        named = list(group)
        for person in named:
            if person not in self._index:
                raise UnknownName(f"{person!r} is not among the people of this log")
        return frozenset(self._index[person] for person in named)

    def _add(self, row: Row) -> None:
        """Keep the rows in reduced echelon form."""
        for pivot in [k for k in row if k != _ANSWER and k in self._rows]:
            _subtract(row, self._rows[pivot], row.get(pivot, Fraction(0)))
        lead = next((k for k in row if k != _ANSWER), None)
        if lead is None:
            if row.get(_ANSWER):
                raise InvalidParameter("this answer contradicts earlier ones: they are not exact sums of one data set")
            return
        scale = row[lead]
        row = {k: value / scale for k, value in row.items()}
        for other in self._rows.values():
            if lead in other:
                _subtract(other, row, other[lead])
        self._rows[lead] = row

    def _squeeze(self) -> None:
        """A sum at its least or largest determines all in it; repeat until nothing is new."""
        assert self.bounds is not None
        low, high = (rational(end, "bounds") for end in self.bounds)
        changed = True
        while changed:
            changed = False
            known = {k: row.get(_ANSWER, Fraction(0)) for k, row in self._rows.items() if set(row) <= {k, _ANSWER}}
            for members, answer in self._asked:
                left = [k for k in members if k not in known]
                rest = answer - sum((known[k] for k in members if k in known), Fraction(0))
                for end in (low, high):
                    if left and rest == end * len(left):
                        for k in left:
                            self._add({k: Fraction(1), _ANSWER: end})
                        changed = True
                        break
                if changed:
                    break


def _subtract(row: Row, other: Row, times: Fraction) -> None:
    if times == 0:
        return
    for k, value in other.items():
        left = row.get(k, Fraction(0)) - times * value
        if left:
            row[k] = left
        else:
            row.pop(k, None)
