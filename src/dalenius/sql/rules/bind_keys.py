"""Groups that are public, or are to be found."""

from dataclasses import replace

from sqlglot import exp

from dalenius.errors import UnboundedQuery, UnsupportedQuery
from dalenius.queries import Key
from dalenius.sql.draft import Draft
from dalenius.sql.kinds import Kind
from dalenius.sql.named import LONGEST_KEY, NamedKey
from dalenius.sql.names import CELL
from dalenius.sql.output import KeyColumn
from dalenius.sql.policy import Policy
from dalenius.sql.rows import Typed, row_expression

MOST_CELLS = 1_000_000
_TYPES = {Kind.NUMBER: "DOUBLE", Kind.TEXT: "TEXT", Kind.BOOLEAN: "BOOLEAN"}


def bind_keys(draft: Draft, policy: Policy) -> Draft:
    """Give every row the number of its combination of keys; rows with another go, combinations without rows stay.

    Keys that are to be found stand beside it. A row is in no group where such a key is NULL, NaN, ±∞ or a number of 2⁵³
    and more, or a text of more than 1024 bytes: each row decides for itself.
    """
    assert draft.rows is not None
    group = draft.tree.args.get("group")
    terms = [] if group is None else list(group.expressions)
    read = [row_expression(term, policy) for term in terms]
    if draft.unknown is not None:
        draft = _name_later(draft, terms, read)
    later = {key.place for key in draft.named}
    declared = [place for place in range(len(terms)) if place not in later]
    bound = [_bound(terms[place], read[place]) for place in declared]
    keys = tuple(
        KeyColumn(_name(terms[place]), values, _is_attribute(terms[place], policy))
        for place, (_, values) in zip(declared, bound, strict=True)
    )
    rows, draft = draft.rows, replace(draft, keys=keys)
    assert rows is not None
    if draft.cells > MOST_CELLS:
        raise UnsupportedQuery(f"GROUP BY makes {draft.cells} cells; at most {MOST_CELLS}: group by fewer keys")
    cell, stride = [], draft.cells
    for place, (part, values) in enumerate(bound):
        stride //= len(values)
        alias = f"public{place}"
        here = exp.column("key", table=alias, quoted=True)
        rows = rows.join(
            exp.alias_(key_table(values, part.kind).subquery(), alias, table=True, quoted=True),
            on=exp.EQ(this=part.tree, expression=here),
        )
        index: exp.Expr = exp.column(CELL, table=alias, quoted=True)
        cell.append(index if stride == 1 else exp.Mul(this=index, expression=exp.Literal.number(stride)))
    number: exp.Expr = cell[0] if cell else exp.Literal.number(0)
    for more in cell[1:]:
        number = exp.Add(this=number, expression=more)
    return replace(draft, rows=rows.select(exp.alias_(number, CELL, quoted=True)))


def _is_attribute(term: exp.Expr, policy: Policy) -> bool:
    """Whether all rows of a unit have one value: an expression over nothing but its attributes has."""
    return all(column.name in policy.attributes for column in term.find_all(exp.Column))


def _name_later(draft: Draft, terms: list[exp.Expr], read: list[Typed]) -> Draft:
    """Carry each key that has no public values, under a name of its own."""
    assert draft.rows is not None
    rows, named = draft.rows, []
    for place, (term, part) in enumerate(zip(terms, read, strict=True)):
        if part.values or part.kind not in _TYPES:
            continue
        key = NamedKey(_name(term), place, part.kind)
        named.append(key)
        rows = rows.select(exp.alias_(part.tree, key.column, quoted=True)).where(_is_key(part))
    return replace(draft, rows=rows, named=tuple(named))


def _is_key(part: Typed) -> exp.Expr:
    """Whether a row's value can be a key; not so of NULL, and of NaN, which the engine holds above every number."""
    if part.kind is Kind.NUMBER:
        return exp.LT(this=exp.Abs(this=part.tree.copy()), expression=exp.Literal.number(2**53))
    if part.kind is Kind.TEXT:
        size = exp.Anonymous(this="STRLEN", expressions=[part.tree.copy()])
        return exp.LTE(this=size, expression=exp.Literal.number(LONGEST_KEY))
    return part.tree.copy().is_(exp.null()).not_()


def _bound(term: exp.Expr, part: Typed) -> tuple[Typed, tuple[Key, ...]]:
    if part.kind not in _TYPES:
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
    return term.name if isinstance(term, exp.Column) else term.sql(dialect="duckdb", comments=False)


def key_table(values: tuple[Key, ...], kind: Kind) -> exp.Select:
    """The keys with their numbers. One text that the engine splits: a literal for each would take seconds to parse."""
    written = [value if isinstance(value, str) else _plain(value) for value in values]
    used = frozenset().union(*map(frozenset, written))
    mark = next(letter for letter in map(chr, (ord("|"), 0x1F, *range(0xE000, 0xF8FF))) if letter not in used)
    wrapped = exp.Literal.string(mark.join(written)), exp.Literal.string(mark)
    split: exp.Expr = exp.Anonymous(this="STRING_SPLIT", expressions=list(wrapped))
    if len(written) == 1:
        split = exp.Array(expressions=[wrapped[0]])
    count = exp.Anonymous(this="RANGE", expressions=[exp.Literal.number(len(written))])
    listed = exp.select(
        exp.alias_(exp.Anonymous(this="UNNEST", expressions=[count]), CELL, quoted=True),
        exp.alias_(exp.Anonymous(this="UNNEST", expressions=[split]), "key", quoted=True),
    )
    typed = exp.alias_(exp.cast(exp.column("key", quoted=True), _TYPES[kind]), "key", quoted=True)
    return exp.select(exp.column(CELL, quoted=True), typed).from_(listed.subquery("listed"))


def _plain(value: Key) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value)
