"""Groups that are public, or are to be found."""

from dataclasses import replace

from sqlglot import exp

from dalenius.errors import UnboundedQuery, UnsupportedQuery
from dalenius.queries import Key
from dalenius.sql.engine import Dialect, language
from dalenius.sql.planner.output import KeyColumn
from dalenius.sql.planner.stages import FinalRows
from dalenius.sql.planner.unknown_keys import LONGEST_KEY, KeySearch, UnknownKey, UnknownKeys
from dalenius.sql.policy.policy import Policy
from dalenius.sql.rows import Typed, row_expression
from dalenius.sql.types.engine_names import CELL
from dalenius.sql.types.kinds import Kind

MOST_CELLS = 1_000_000
_KINDS = frozenset({Kind.NUMBER, Kind.TEXT, Kind.BOOLEAN})


def bind_keys(final: FinalRows, policy: Policy) -> FinalRows:
    """Give every row the number of its combination of keys; rows with another go, combinations without rows stay.

    Keys that are to be found stand beside it. A row is in no group where such a key is NULL, NaN, ±∞ or a number of 2⁵³
    and more, or a text of more than 1024 bytes: each row decides for itself.
    """
    group = final.question.tree.args.get("group")
    terms = [] if group is None else list(group.expressions)
    read = [row_expression(term, policy) for term in terms]
    if final.question.search is not None:
        final = _find_later(final, final.question.search, terms, read)
    later = set() if final.unknown is None else {key.place for key in final.unknown.keys}
    declared = [place for place in range(len(terms)) if place not in later]
    bound = [_bound(terms[place], read[place]) for place in declared]
    keys = tuple(
        KeyColumn(_name(terms[place]), values, _is_attribute(terms[place], policy))
        for place, (_, values) in zip(declared, bound, strict=True)
    )
    rows, final = final.rows, replace(final, keys=keys)
    if final.cells > MOST_CELLS:
        raise UnsupportedQuery(f"GROUP BY makes {final.cells} cells; at most {MOST_CELLS}: group by fewer keys")
    cell, stride = [], final.cells
    for place, (part, values) in enumerate(bound):
        stride //= len(values)
        alias = f"public{place}"
        here = exp.column("key", table=alias, quoted=True)
        rows = rows.join(
            _aliased(final.dialect.key_frame(values, part.kind), alias),
            on=exp.EQ(this=part.tree, expression=here),
            copy=False,
        )
        index: exp.Expr = exp.column(CELL, table=alias, quoted=True)
        cell.append(index if stride == 1 else exp.Mul(this=index, expression=exp.Literal.number(stride)))
    number: exp.Expr = cell[0] if cell else exp.Literal.number(0)
    for more in cell[1:]:
        number = exp.Add(this=number, expression=more)
    return replace(final, rows=rows.select(exp.alias_(number, CELL, quoted=True, copy=False), copy=False))


def _aliased(frame: exp.Query, alias: str) -> exp.Expr:
    return exp.alias_(frame.subquery(copy=False), alias, table=True, quoted=True, copy=False)


def _is_attribute(term: exp.Expr, policy: Policy) -> bool:
    """Whether all rows of a unit have one value: an expression over nothing but its attributes has."""
    return all(column.name in policy.attributes for column in term.find_all(exp.Column))


def _find_later(final: FinalRows, search: KeySearch, terms: list[exp.Expr], read: list[Typed]) -> FinalRows:
    """Carry each key that has no public values, under a name of its own."""
    rows, unknown = final.rows, []
    for place, (term, part) in enumerate(zip(terms, read, strict=True)):
        if part.values or part.kind not in _KINDS:
            continue
        key = UnknownKey(_name(term), place, part.kind)
        unknown.append(key)
        rows = rows.select(exp.alias_(part.tree, key.column, quoted=True)).where(_is_key(part, final.dialect))
    return replace(final, rows=rows, unknown=UnknownKeys(tuple(unknown), search) if unknown else None)


def _is_key(part: Typed, dialect: Dialect) -> exp.Expr:
    """Whether a row's value can be a key; not so of NULL, and of NaN, which the engine holds above every number."""
    if part.kind is Kind.NUMBER:
        return exp.LT(this=exp.Abs(this=part.tree.copy()), expression=exp.Literal.number(2**53))
    if part.kind is Kind.TEXT:
        size = dialect.bytes_of(part.tree.copy())
        return exp.LTE(this=size, expression=exp.Literal.number(LONGEST_KEY))
    return part.tree.copy().is_(exp.null()).not_()


def _bound(term: exp.Expr, part: Typed) -> tuple[Typed, tuple[Key, ...]]:
    if part.kind not in _KINDS:
        raise UnsupportedQuery(f"GROUP BY a {part.kind.value} has no rule: group by its parts, such as MONTH(d)")
    if not part.values:
        shown = term.name if isinstance(term, exp.Column) else "an expression"
        named = f"keys={{{term.name!r}: [...]}}" if isinstance(term, exp.Column) else "keys= for its columns"
        raise UnboundedQuery(
            f"GROUP BY {shown} needs public keys: the owner declares {named}, or group by CASE with values written out"
            ", or give delta= to find keys that enough units share"
        )
    return part, part.values


def _name(term: exp.Expr) -> str:
    return term.name if isinstance(term, exp.Column) else language.written(term)
