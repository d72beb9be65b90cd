"""A policy read back in words: who is protected, what is public, what the budget means, and what is doubtful."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from dalenius.calls import named_arguments
from dalenius.curator.answer.outcome import shown_above
from dalenius.errors import DaleniusError, InvalidParameter
from dalenius.escape import terminal
from dalenius.guarantees import PureDP, membership_risk
from dalenius.numerics import digits_above, rational
from dalenius.sql.connection import check_source, explain
from dalenius.sql.policy.doubts import listed, unit_doubt
from dalenius.sql.policy.person_names import is_number
from dalenius.sql.policy.policy import Policy
from dalenius.sql.types.column_types import kind_of
from dalenius.sql.types.kinds import Kind
from dalenius.words import counted_rows

_SMALL_SHARE = Fraction(1, 100)
_LARGE_EPSILON, _LARGE_DELTA = 10, Fraction(1, 100_000)
_WIDE = 10**6
_MOST_LINES = 50


@dataclass(frozen=True, slots=True)
class PolicyCheck:
    """What a policy says, question by question what it answers, what is doubtful, and what keeps it from use."""

    words: tuple[str, ...]
    questions: tuple[str, ...]
    doubts: tuple[str, ...]
    faults: tuple[str, ...]

    @property
    def ready(self) -> bool:
        """Whether it may be served: nothing is only proposed, and there is a budget."""
        return not self.faults

    def __str__(self) -> str:
        parts = [*self.words, "", "One question of each kind, at a hundredth of the budget:", *self.questions]
        parts += ["", *(f"doubtful: {doubt}" for doubt in self.doubts)] if self.doubts else []
        parts += ["", *(f"not ready: {fault}" for fault in self.faults)] if self.faults else ["", "ready to be served"]
        return terminal("\n".join(parts), lines=True)


@named_arguments
def check_policy(policy: Policy | str | Path, *, data: Any = None) -> PolicyCheck:
    """Read a policy back, check it against its table if that is there, and try one question of each kind for nothing.

    `policy` holds the owner's terms, or is the path of the file that does; `data` takes the place of its source. For
    the owner: whether a table passes depends on its rows. Raises `InvalidParameter` if it does not.
    """
    terms = policy if isinstance(policy, Policy) else Policy.load(policy)
    words = [*_who(terms), *_ceilings(terms), *_public(terms), *_budget(terms)]
    if data is None and not _is_there(terms, policy):
        words.append("The table is not here, so it was not checked against the policy.")
        return PolicyCheck(tuple(words), (), tuple(_doubts(terms)), tuple(_faults(terms)))
    check_source(policy, data=data)
    words.append("Checked: the table has the declared columns, and no quote that could hide rows.")
    questions = tuple(_tried(policy, data, terms)) if terms.budget is not None else ()
    return PolicyCheck(tuple(words), questions, tuple(_doubts(terms)), tuple(_faults(terms)))


def _is_there(terms: Policy, policy: Any) -> bool:
    if terms.source is None:
        return False
    place = Path(terms.source)
    folder = Path(policy).parent if isinstance(policy, str | Path) and not place.is_absolute() else Path()
    return (folder / place).exists() or any(mark in terms.source for mark in "*?[")


def _who(terms: Policy) -> Iterator[str]:
    tables = ", ".join([terms.table, *terms.beside.tables])
    if terms.unit.column is None:
        yield f"Protects each row of {tables}: a person must own one row at most, or is protected for one of them only."
        return
    yield f"Protects each {terms.unit.column} in {tables}, with all of their rows together."
    if terms.rows_per_unit == "one":
        yield "The owner says that each owns one row; a second row of one counts for nothing."
    elif terms.contributions is None:
        share = float(100 * rational(terms.bounding_share, "bounding_share"))
        yield (
            "How many rows of one count in full is read from the profile: buy it once with `dalenius policy profile`, "
            f"or a question names it in its price, for {share:g} % of the budget."
        )
    else:
        most, count = counted_rows(terms.contributions), "counts" if terms.contributions == 1 else "count"
        yield f"Of each, {most} {count} in full; who owns more counts as much as that together."
    for name, rows in terms.beside.rows_per_unit.items():
        if rows != terms.rows_per_unit:
            yield f"Of {name} the owner says that each owns {'one row' if rows == 'one' else 'many rows'}."


def _ceilings(terms: Policy) -> Iterator[str]:
    most, limits = terms.ceilings.most_rows, terms.ceilings.limits
    if most is not None:
        yield f"Ceiling: nobody owns more than {counted_rows(most)}; who does counts as that many in the whole answer."
    for name, ends in limits.items():
        yield f"Ceiling: {name} lies from {ends[0]} to {ends[1]}; what does not counts as the nearest of them."
    if most is not None or limits:
        yield "With a profile, `dalenius policy profile`, answers have an interval of the whole answer as well."


def _public(terms: Policy) -> Iterator[str]:
    every = {**terms.columns, **terms.beside.columns}
    bounds = {**terms.bounds, **terms.beside.declared.bounds}
    keys = {**{name: one.values for name, one in terms.keys.items()}, **terms.beside.declared.keys}
    yield f"Public: the names and types of {len(every)} columns, {len(bounds)} bounds and {len(keys)} lists of keys."
    yield from _first(
        f"  {name} counts from {ends[0]} to {ends[1]}; what lies outside is clamped" for name, ends in bounds.items()
    )
    for name, bound in terms.sum_bounds.items():
        limit = "a bound that is found by the first such question" if bound.most is None else f"{float(bound.most):g}"
        yield f"  SUM({name}) of one person counts up to {limit}; what lies beyond is cut off"
    if terms.weight is not None:
        yield f"  COUNT, SUM and AVG are of the population: each row counts by {terms.weight}; noise grows with it"
    yield from _first(f"  {name} is shown for {len(tuple(one))} keys, in the data or not" for name, one in keys.items())
    if null_keys := (*terms.null_keys, *terms.beside.declared.null_keys):
        told = ", ".join(null_keys[:_MOST_LINES])
        yield f"  NULL is a group of its own: {told}{', …' if len(null_keys) > _MOST_LINES else ''}"
    if attributes := (*terms.attributes, *terms.beside.declared.attributes):
        told = ", ".join(attributes[:_MOST_LINES])
        yield f"  one value a person: {told}{', …' if len(attributes) > _MOST_LINES else ''}"
    for here, there in terms.beside.references.items():
        yield f"  rows of {here.partition('.')[0]} belong to whom {here} refers to by {there}"
    for name in terms.beside.public:
        yield f"  all rows of {name}"


def _first(lines: Iterable[str]) -> Iterator[str]:
    """The first lines, and how many more there are: a policy of ten thousand columns is still read in a minute."""
    every = list(lines)
    yield from every[:_MOST_LINES]
    if len(every) > _MOST_LINES:
        yield f"  … and {len(every) - _MOST_LINES} more"


def _budget(terms: Policy) -> Iterator[str]:
    if terms.budget is None:
        return
    epsilon, delta = _amounts(terms)
    risk = membership_risk(PureDP(epsilon))
    odds, chance = digits_above(risk.odds_factor, 3), digits_above(100 * risk.chance, 3)
    yield (
        f"Budget: ε = {float(epsilon):g} for all answers together. Whatever is released, the odds that somebody is in "
        f"the data change by a factor of {odds} at most: from even odds to a chance of {chance} %."
    )
    if delta:
        yield f"  δ = {digits_above(delta)}: with at most that probability this may fail for one person."


def _amounts(terms: Policy) -> tuple[Fraction, Fraction]:
    assert terms.budget is not None
    if not {"epsilon"} <= set(terms.budget) <= {"epsilon", "delta"}:
        raise InvalidParameter("budget must be like epsilon = 1, delta = 0")
    return rational(terms.budget["epsilon"], "epsilon"), rational(terms.budget.get("delta", 0), "delta")


def _faults(terms: Policy) -> Iterator[str]:
    if terms.proposed:
        yield f"{listed(terms.proposed)} were taken from rows: read them, then `dalenius policy confirm`"
    if terms.budget is None:
        yield "there is no [budget]: nothing can be asked until one is granted"


def _doubts(terms: Policy) -> Iterator[str]:
    doubt = unit_doubt(terms)
    if doubt is not None:
        yield doubt
    delta = Fraction(0)
    if terms.budget is not None:
        epsilon, delta = _amounts(terms)
        if epsilon > _LARGE_EPSILON:
            factor = math.exp(min(float(epsilon), 700))
            yield f"ε = {float(epsilon):g} is large: it lets odds change by a factor of {factor:.2g}"
        if delta > _LARGE_DELTA:
            yield f"δ = {digits_above(delta)} is large: among many people somebody may be exposed"
    for name, ends in terms.bounds.items():
        if kind_of(terms.columns[name]) is Kind.NUMBER and abs(rational(ends[1], "b") - rational(ends[0], "b")) > _WIDE:
            yield f"bounds of {name} are {ends[0]} to {ends[1]}, and noise grows with them: must they be so wide?"
    own = [name for name in terms.columns if name != terms.unit.column and not is_number(name)]
    bare = [name for name in own if kind_of(terms.columns[name]) is Kind.NUMBER and name not in terms.bounds]
    if bare:
        yield f"{listed(tuple(bare))} have no bounds: SUM and AVG of them are refused unless a question says CLAMP"
    texts = [name for name in own if terms.columns[name] == "VARCHAR" and name not in terms.keys]
    if texts and not delta:
        yield f"{listed(tuple(texts))} have no keys and the budget has no δ: GROUP BY them is refused"
    if terms.unit.column is not None and terms.rows_per_unit is None and terms.contributions is None:
        yield 'rows_per_unit is not said: write "one" or "many"'


def _questions(terms: Policy) -> Iterator[tuple[str, str]]:
    table = _quoted(terms.table)
    yield "a count", f"SELECT COUNT(*) FROM {table}"
    if terms.unit.column is not None:
        yield "a number of people", f"SELECT COUNT(DISTINCT {_quoted(terms.unit.column)}) FROM {table}"
    for name in list(terms.keys)[:1]:
        yield "counts by key", f"SELECT {_quoted(name)}, COUNT(*) FROM {table} GROUP BY {_quoted(name)}"
    numbers = [name for name in terms.bounds if kind_of(terms.columns[name]) is Kind.NUMBER]
    for name in numbers[:1]:
        yield "a sum", f"SELECT SUM({_quoted(name)}) FROM {table}"
        yield "a mean", f"SELECT AVG({_quoted(name)}) FROM {table}"
        yield "a median", f"SELECT MEDIAN({_quoted(name)}) FROM {table}"
    for name in terms.beside.tables:
        yield f"rows of {name}", f"SELECT COUNT(*) FROM {_quoted(name)}"


def _tried(policy: Policy | str | Path, data: Any, terms: Policy) -> Iterator[str]:
    epsilon = _amounts(terms)[0] * _SMALL_SHARE
    for what, query in _questions(terms):
        try:
            explanation = explain(query, policy=policy, epsilon=epsilon, data=data)
        except DaleniusError as refused:
            yield f"  {what}: refused: {refused}"
            continue
        errors = [f"± {shown_above(error)}" for error in explanation.errors.values() if error is not None]
        grows = (
            " for one row of each person; it grows with the number that is found"
            if explanation.notes and errors
            else ""
        )
        yield f"  {what}: {', '.join(errors) if errors else 'the error is shown with the answer'}{grows}"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
