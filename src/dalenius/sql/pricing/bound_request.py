"""The terms of one question, once it is known how many rows and groups of a unit count."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction

from dalenius.curator import LEFT_OUT, Measure, Outcome
from dalenius.curator.answer import key_types
from dalenius.curator.answer.bias import NOTE, CutOff
from dalenius.curator.answer.outcome import FOUND_KEYS
from dalenius.curator.answer.rounded import radius_above
from dalenius.curator.answer.whole import NOTE as WHOLE
from dalenius.curator.answer.whole import WholeAnswer
from dalenius.errors import InvalidParameter
from dalenius.ledger import Amount, decimal
from dalenius.numerics import float_above
from dalenius.sql.engine import Engine
from dalenius.sql.planner.compile import Compiled
from dalenius.sql.pricing.choose_bounds import (
    Histogram,
    contributions_for,
    contributions_within,
    groups_for,
    together,
    trials_around,
)
from dalenius.sql.pricing.left_out import left_out, null_groups, wider_bounds
from dalenius.sql.pricing.profile import KnownProfile
from dalenius.sql.pricing.request import Request
from dalenius.sql.pricing.rounds import part_of
from dalenius.sql.pricing.sums_per_unit import sum_bound_for
from dalenius.sql.pricing.whole_answer import whole_answer
from dalenius.words import counted_rows

Find = Callable[[Measure[Engine]], Outcome | None]
"""How a histogram is had: released, and paid for if it was not before; or looked up, and None if it was not."""


@dataclass(frozen=True, slots=True)
class BoundRequest:
    """A compiled query, the histograms that were used for it, and those that are missing.

    `chosen` says whether the histogram of rows has decided how many of a unit count.
    """

    request: Request
    compiled: Compiled
    contributions: int | None
    rows: Outcome | None = None
    groups: Outcome | None = None
    missing: tuple[Measure[Engine], ...] = ()
    chosen: bool = False
    profile: KnownProfile = field(default_factory=KnownProfile)
    epsilon: Fraction | None = None
    """What the answer may cost, if it is priced so."""

    def check(self) -> None:
        """Refuse to go on without a histogram."""
        if self.missing:
            raise InvalidParameter(
                f"{self.missing[0].query} is not known yet: ask with sql(…), which pays ε = "
                f"{float(self.request.histogram):g} for it once, or declare it"
            )

    @property
    def surcharge(self) -> Fraction:
        """What is to be paid, once, for the histograms that are missing."""
        return len(self.missing) * self.request.histogram

    @property
    def cut_off(self) -> CutOff | None:
        """What is cut off the query's parts, from the histogram of rows; None where it says nothing of the query."""
        if self.rows is None or self.contributions is None or not self.compiled.plain:
            return None
        compiled = self.compiled
        rows = Histogram.of(self.rows).cut_off(self.contributions)
        capped = None
        if compiled.named and compiled.unknown is not None:
            if self.groups is not None:
                capped = Histogram.of(self.groups).cut_off(compiled.unknown.groups)
            if capped is None and rows is not None:  # a cap that no histogram speaks of
                rows = replace(rows, at_least=True, high=1.0)
        spread = any(group.square is not None for group in compiled.groups)
        both = together(rows, capped, spread or compiled.filtered)
        if both is None:
            return None
        # of sums that are held by themselves or of weights, the histogram of rows does not tell how much is cut off
        parts = [
            (group.people, group.parts)
            for group in compiled.groups
            if not group.scan and not group.person and not group.surveyed
        ]
        cut = tuple(name for people, names in parts if not people for name in names)
        all_people = not compiled.named and compiled.cells <= self.contributions
        whole = tuple(name for people, names in parts if people and all_people for name in names)
        return replace(both, columns=cut, whole=whole)

    @property
    def left_out(self) -> str | None:
        """What the noise of the answer does not tell, in words; from the query, the owner's terms and the profile."""
        held = tuple((one.question, float(one.steps * one.lattice.step)) for one in self.compiled.groups if one.person)
        compiled, cut, policy = self.compiled, self.compiled.grows and not self._counts_all_people, self.request.policy
        if self.request.is_silent:  # the rows of another table count, of which the first table's owner has said nothing
            policy = replace(policy, rows_per_unit=None)
        question = (self.request.text, policy, self.contributions, cut, held, self._clamped)
        surveyed = [group.surveyed for group in compiled.groups] + [False] * len(compiled.ranks)
        return left_out(*question, surveyed, compiled.named, self.request.others, compiled.keys)

    @property
    def _clamped(self) -> dict[str, tuple[int, int]] | None:
        """Released numbers of people with values below and above the bounds of columns."""
        values = self.profile.values
        return None if values is None else {name: (sum(a.cells), sum(b.cells)) for name, (a, b) in values.items()}

    @property
    def _counts_all_people(self) -> bool:
        """Whether people alone are counted, in no more cells than rows of each count: then nobody is left out."""
        compiled, most = self.compiled, self.contributions
        people = all(group.people for group in compiled.groups) and not compiled.ranks and not compiled.modes
        return people and compiled.plain and not compiled.named and most is not None and compiled.cells <= most

    @property
    def whole(self) -> WholeAnswer | None:
        """What the answer needs for intervals of the whole answer, where ceilings and a profile allow one."""
        request = self.request
        return whole_answer(request.text, request.policy, self.compiled, self.contributions, self.profile)

    def with_bias(self, outcome: Outcome) -> Outcome:
        """An outcome with what bounding cut off it, which costs nothing: all of it was released  [A Prop 3.1]."""
        cut, left_out = self.cut_off, self.left_out
        outcome = replace(outcome, notes=outcome.notes | key_types.noted(self.compiled.key_types))
        if self.compiled.named:
            outcome = replace(outcome, notes=outcome.notes | {FOUND_KEYS: True})
        if left_out is not None:
            outcome = replace(outcome, notes=outcome.notes | {LEFT_OUT: left_out})
        if left_out is not None and (ceiled := self.whole) is not None:
            outcome = replace(outcome, notes=outcome.notes | {WHOLE: ceiled.to_dict()})
        if cut is None:
            return outcome
        names = [column.name for column in outcome.columns]
        columns, whole = (tuple(name for name in names if part_of(name) in some) for some in (cut.columns, cut.whole))
        return replace(outcome, notes=outcome.notes | {NOTE: replace(cut, columns=columns, whole=whole).to_dict()})

    def lines(self) -> tuple[str, ...]:
        """What `explain` says of bounding."""
        price = f"ε = {price_to_name(self.request.histogram)}"
        said = [f"first        {one.query}, for {price}, paid once and kept" for one in self.missing]
        if self.missing:
            named = f"profile={price_to_name(self.surcharge)}"
            said.append(f"             name it in the price, {named}, or the owner runs `policy profile`")
            said.append("             until then the numbers above are for one row and one group of each unit")
        elif self.chosen:
            most = self.contributions or 1
            count = "counts" if most == 1 else "count"
            said.append(f"bounds       {counted_rows(most)} of each unit {count} in full, by a released histogram")
        if (cut := self.cut_off) is not None:
            said.append(f"bias         {cut}")
        said += self._other_bounds()
        said += wider_bounds(self.request.text, self.request.policy, self._clamped)
        if (left_out := self.left_out) is not None:
            said.append(f"not told     {left_out}")
            said += self._of_whole()
        request, compiled = self.request, self.compiled
        said += null_groups(request.text, request.policy, compiled.named, request.others, compiled.keys)
        if self.request.hangs_on_today:
            said.append(
                f"today        {self.request.policy.today} in UTC, as the policy declares no as_of: tomorrow this is"
            )
            said.append("             another question, with a price of its own")
        return (*said, *self.profile.lines())

    def _other_bounds(self) -> list[str]:
        """What other contribution bounds would do: a small table of noise, what is cut off, and their sum."""
        if self.rows is None or self.contributions is None or not self.compiled.grows or not self.compiled.plain:
            return []
        laplace = all(group.square is None for group in self.compiled.groups) and self.compiled.asks_numbers
        if self.epsilon is None or not laplace or not Histogram.of(self.rows).total:
            return []
        ceiling = self.request.policy.ceilings.most_rows
        trials = trials_around(self.rows, self.compiled, self.epsilon, self.contributions, ceiling)
        said = ["other T      in rows of a cell: noise of a count (its mean size), rows cut off (estimated), and both"]
        for trial in trials:
            mark = " (planned)" if trial.most == self.contributions else ""
            noise, cut_off, total = (
                radius_above(float_above(one)) for one in (trial.noise, trial.cut_off, trial.total)
            )
            said.append(f"             T = {trial.most}: noise {noise}, cut off {cut_off}, sum {total}{mark}")
        return said

    def _of_whole(self) -> list[str]:
        """Whether the answer will have an interval of the whole answer, and what is missing if not."""
        ceilings = self.request.policy.ceilings
        if self.whole is not None:
            return ["whole        the answer comes with an interval that holds all rows and values up to the ceilings"]
        if ceilings.most_rows is None and not ceilings.limits:
            return []
        return ["whole        no interval of the whole answer: it needs most_rows, limits of every value and a profile"]


def price_to_name(price: Fraction) -> str:
    """A price as a decimal that covers it: who names what was told is not refused for a digit that was cut."""
    return decimal(Amount.cost(price).epsilon)


def bind_request(
    request: Request,
    find: Find,
    look: Find,
    *,
    epsilon: Fraction | None,
    within: Fraction | None = None,
    profile: KnownProfile | None = None,
) -> BoundRequest:
    """Find what nobody declared: the rows of a unit that count, and its groups.

    For an answer at `epsilon`, or for one whose noise stays within `within`. What is needed comes from `find`, and from
    nowhere else; a histogram of rows that is not needed, but tells of the bias, from `look`, which is free.
    """
    known = profile or KnownProfile()
    first = request.compiled(1, 1)
    rows_plan, groups_plan = request.rows, request.groups_of(first)
    # where one row of a unit answers as well as two do, such as how many units there are, no more is needed
    needed = request.is_silent and first.grows
    sum_plans = request.sums_of(first)
    if not needed and groups_plan is None and not sum_plans:
        most = request.declared_rows
        told = None if rows_plan is None else look(rows_plan)
        return BoundRequest(request, first, most, told, profile=known, epsilon=epsilon)
    rows = None if rows_plan is None else (find if needed else look)(rows_plan)
    groups = None if groups_plan is None else find(groups_plan)
    sums = {name: find(plan) for name, plan in sum_plans.items()}
    histograms = (
        (rows_plan, rows, needed),
        (groups_plan, groups, True),
        *((plan, sums[name], True) for name, plan in sum_plans.items()),
    )
    missing = tuple(plan for plan, known, wanted in histograms if wanted and plan is not None and known is None)
    if missing:
        return BoundRequest(request, first, request.declared_rows or 1, missing=missing, profile=known, epsilon=epsilon)
    most, cap = request.declared_rows, None
    if needed and rows is not None:
        most = _contributions(rows, first, epsilon, within, request.most_rows)
    if groups is not None:
        cap = groups_for(groups, first, epsilon or Fraction(1), request.delta)
    limits = tuple(
        (name, sum_bound_for(histogram, request.policy, name, first, epsilon or Fraction(1)))
        for name, histogram in sums.items()
        if histogram is not None
    )
    compiled = request.compiled(most, cap, limits)
    return BoundRequest(request, compiled, most, rows, groups, chosen=needed, profile=known, epsilon=epsilon)


def _contributions(
    rows: Outcome, first: Compiled, epsilon: Fraction | None, within: Fraction | None, ceiling: int | None
) -> int:
    if within is not None and first.groups:
        return contributions_within(rows, first, within, ceiling)
    return contributions_for(rows, first, epsilon or Fraction(1), ceiling)
