"""What the noise of an answer does not tell: rows beyond the contribution bound, and values that are clamped.

No private interval of the *whole* answer exists without ceilings on what one person can own: docs/theory/whole-error.md
proves it. So an answer says in words what its ± leaves out, from the query, the owner's terms and what was released.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from sqlglot import exp

from dalenius.numerics import digits_above, rational
from dalenius.sql.planner.conditional_aggregates import read_question
from dalenius.sql.planner.output import KeyColumn
from dalenius.sql.planner.unknown_keys import UnknownKey
from dalenius.sql.policy.policy import Policy
from dalenius.sql.tables.table import QueryTable
from dalenius.words import counted_people

_ADDED_UP = (exp.Count, exp.CountIf, exp.Sum, exp.Filter, exp.Window)
_OF_VALUES = (exp.Sum, exp.Avg, exp.Variance, exp.VariancePop, exp.Stddev, exp.StddevPop, exp.StddevSamp)
_REMEMBERED = 64
"""Questions that are asked again and need not be searched again."""


def left_out(
    text: str,
    policy: Policy,
    contributions: int | None,
    grows: bool,
    held: Sequence[tuple[str, float]] = (),
    outside: Mapping[str, tuple[int, int]] | None = None,
    surveyed: Sequence[bool] = (),
    found: Sequence[UnknownKey] = (),
    others: Mapping[str, QueryTable] | None = None,
    keys: Sequence[KeyColumn] = (),
) -> str | None:
    """A sentence for whoever reads the answer; None where nothing is cut off.

    `grows` says whether a second row of a unit counts at all; `held` are sums of a unit with the most that they may be.
    `outside` are released numbers of people with values below and above the bounds of columns: estimates, told as such.
    `surveyed` says of each measurement whether its rows count by the survey weight that the owner declared. `found` are
    keys that nobody declared, of which NULL is none. `others` are the tables beside the first, `keys` the
    groups of the answer.
    """
    parts = []
    if policy.unit.column is not None and contributions is not None and grows and policy.rows_per_unit != "one":
        parts.append(f"rows beyond {contributions} of a {policy.unit.column}")
    if people := _added_up_inside(text, policy.unit.column, policy.contributions):
        parts.append(people)
    parts += [f"what {question} of a {policy.unit.column} has beyond {most:.6g}" for question, most in held]
    if policy.weight is not None and any(surveyed):
        parts.append(f"what weights have beyond {policy.weight.most}, and that the rows are a sample")
    if policy.weight is not None and not all(surveyed):
        parts.append(f"what the rows stand for, where they do not count by {policy.weight.column}")
    if clamped := _clamped(text, policy):
        estimates = [name + _estimate(name, outside or {}) for name in clamped]
        parts.append(f"values outside of the bounds of {', '.join(estimates)}")
    with_null, without_null = _by_null(text, policy, others or {}, keys)
    if without_null:
        parts.append(f"rows whose {' or '.join(without_null)} is NULL or not declared")
    if with_null:
        parts.append(f"rows whose {' or '.join(with_null)} is not declared")
    parts += [
        f"rows whose {key.shown} is NULL, which are in no group (GROUP BY {key.with_null} gives them one)"
        for key in found
        if key.can_be_null
    ]
    return None if not parts else f"± is noise only; not in it: {', and '.join(parts)}"


def wider_bounds(text: str, policy: Policy, outside: Mapping[str, tuple[int, int]] | None) -> list[str]:
    """What bounds as wide as the declared limits would do to sums, for columns whose values are clamped.

    The bounds that hold are the owner's: a profile counts the people beyond them, and not how far their values lie.
    """
    said = []
    for name in _clamped(text, policy):
        column = next((one for one in policy.bounds if one.lower() == name.lower()), None)
        limits = None if column is None else policy.ceilings.limits_of(column)
        if column is None or limits is None:
            continue
        ends = [rational(end, "bounds") for end in policy.bounds[column]]
        most, farthest = (max(map(abs, pair)) for pair in (ends, limits))
        if not most or (limits[0] >= ends[0] and limits[1] <= ends[1]):
            continue
        known = _known_sides(name, outside or {})
        people = "" if known is None else f" of about {counted_people(max(0, known[0]) + max(0, known[1]))}"
        said.append(f"values       {name}: bounds as wide as its limits would clamp no value{people}, and a sum would")
        said.append(f"             have {digits_above(farthest / most, 3)} times the noise; the owner decides")
    return said


def _estimate(name: str, outside: Mapping[str, tuple[int, int]]) -> str:
    """About how many people have such values, where that was released."""
    known = _known_sides(name, outside)
    if known is None:
        return ""
    below, above = (max(0, count) for count in known)
    have = "has" if below == 1 else "have"
    return f" (by estimate {counted_people(below)} {have} some below and {above:,} some above)"


def _known_sides(name: str, outside: Mapping[str, tuple[int, int]]) -> tuple[int, int] | None:
    return next((sides for column, sides in outside.items() if column.lower() == name.lower()), None)


@lru_cache(maxsize=_REMEMBERED)
def _added_up_inside(text: str, unit: str | None, most: int | None) -> str | None:
    """What is beyond the bounds that a subquery's COUNT and SUM of one unit have by the contribution bound."""
    tree = read_question(text)
    inner = [one for one in tree.find_all(exp.Select) if one.parent is not None]
    inside = {
        term.alias.lower()
        for select in inner
        for term in select.expressions
        if term.alias and isinstance(term.unalias(), _ADDED_UP) and _is_by_unit(term.unalias(), select, str(unit))
    }
    groups = [one.args["group"] for one in tree.find_all(exp.Select) if one.args.get("group") and one not in inner]
    read = {
        column.name.lower()
        for place in (*(one for kind in _OF_VALUES for one in tree.find_all(kind)), *groups)
        for column in place.find_all(exp.Column)
        if column.find_ancestor(exp.Anonymous, exp.Least, exp.Case) is None
    }
    if unit is None or most is None or not inside & read:
        return None
    return f"what {', '.join(sorted(inside & read))} of a {unit} has beyond {most} rows"


def _is_by_unit(term: exp.Expr, select: exp.Select, unit: str) -> bool:
    """Whether a term is of each unit on its own."""
    by = term.args.get("partition_by") or [] if isinstance(term, exp.Window) else [select.args.get("group")]
    return any(
        column.name.lower() == unit.lower() for one in by if one is not None for column in one.find_all(exp.Column)
    )


def null_groups(
    text: str,
    policy: Policy,
    found: Sequence[UnknownKey] = (),
    others: Mapping[str, QueryTable] | None = None,
    keys: Sequence[KeyColumn] = (),
) -> list[str]:
    """What `explain` says of columns whose NULL is a group, of those whose NULL could be one, and of keys found."""
    with_null, without_null = _by_null(text, policy, others or {}, keys)
    said = [f"NULL         rows whose {' or '.join(with_null)} is NULL have a group of their own"] if with_null else []
    if without_null:
        listed = ", ".join(f'"{name}"' for name in without_null)
        said.append(f"NULL         rows whose {' or '.join(without_null)} is NULL have no group, unless the owner")
        said.append(f"             declares null_keys = [{listed}]")
    for key in found:
        if key.can_be_null:
            said.append(
                f"NULL         rows whose {key.shown} is NULL are in no group, as NULL is no key that is found:"
            )
            said.append(f"             GROUP BY {key.with_null} gives them one")
    return said


def _by_null(
    text: str, policy: Policy, others: Mapping[str, QueryTable], keys: Sequence[KeyColumn]
) -> tuple[list[str], list[str]]:
    """Columns of which some rows are in no group: first those whose NULL is one, then those whose NULL is none."""
    private = [table for table in others.values() if table.private]
    declared = (*policy.keys, *policy.beside.declared.keys, *(name for table in private for name in table.keys))
    columns = _in_no_group(text, frozenset(name.rpartition(".")[2].lower() for name in declared))
    with_null = (*policy.null_keys, *policy.beside.declared.null_keys, *(n for one in private for n in one.null_keys))
    grouped = (key.name for key in keys if None in key.values)  # by a LEFT JOIN too
    nulls = {name.rpartition(".")[2].lower() for name in (*with_null, *grouped)}
    return [one for one in columns if one.lower() in nulls], [one for one in columns if one.lower() not in nulls]


@lru_cache(maxsize=_REMEMBERED)
def _in_no_group(text: str, declared: frozenset[str]) -> tuple[str, ...]:
    """Columns with declared keys that are grouped by as they are, and of which no condition says what they are."""
    names = []
    for select in read_question(text).find_all(exp.Select):
        group, where = select.args.get("group"), select.args.get("where")
        asked = [] if where is None else list(where.this.flatten() if isinstance(where.this, exp.And) else [where.this])
        known = {column.name.lower() for term in asked for column in term.find_all(exp.Column)}
        for term in [] if group is None else group.expressions:
            column = _selected(term, select)
            if isinstance(column, exp.Column) and column.name.lower() in declared - known:
                names.append(column.name)
    return tuple(dict.fromkeys(names))


def _selected(term: exp.Expr, select: exp.Select) -> exp.Expr:
    """What a term of GROUP BY stands for, where it is the number of a column or its name."""
    if isinstance(term, exp.Literal) and not term.is_string and str(term.this).isdigit():
        place = int(str(term.this))
        return select.expressions[place - 1].unalias() if 1 <= place <= len(select.expressions) else term
    return term


def _clamped(text: str, policy: Policy) -> list[str]:
    """Columns with declared bounds whose values are added up."""
    bounds = {name.rpartition(".")[2].lower() for name in (*policy.bounds, *policy.beside.declared.bounds)}
    return [name for name in _added_up(text) if name.lower() in bounds]


@lru_cache(maxsize=_REMEMBERED)
def _added_up(text: str) -> tuple[str, ...]:
    """Columns whose values a question adds up."""
    tree = read_question(text)
    names = [
        column.name
        for kind in _OF_VALUES
        for aggregate in tree.find_all(kind)
        for column in aggregate.find_all(exp.Column)
    ]
    return tuple(dict.fromkeys(names))
