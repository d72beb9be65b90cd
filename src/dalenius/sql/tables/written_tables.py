"""Tables that a query writes out, `JOIN (VALUES ('a', 1), ('b', 2)) AS t(k, x) ON t.k = v.k`, as conditions on a row.

A row meets the first written row whose condition holds for it: t.x becomes `CASE WHEN v.k = 'a' THEN 1 WHEN v.k = 'b'
THEN 2 END`, and an inner join keeps rows for which one of them holds. Each row is read once and decides for itself, so
nothing is left to prove. It is the same join where no row can meet two written rows, and that is checked: either the
written values that must be equal to the same expressions differ, or the ranges in which an expression must lie are
apart. Anything else is refused.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from fractions import Fraction

from sqlglot import exp

from dalenius.errors import UnsupportedQuery
from dalenius.sql.engine import language
from dalenius.sql.text.quoted import keep_words, words_of

_MOST_ROWS = 500
_SIDES: dict[type[exp.Expr], tuple[int, bool]] = {
    exp.GT: (0, False),
    exp.GTE: (0, True),
    exp.LT: (1, False),
    exp.LTE: (1, True),
}
_TURNED: dict[type[exp.Expr], type[exp.Expr]] = {exp.LT: exp.GT, exp.LTE: exp.GTE, exp.GT: exp.LT, exp.GTE: exp.LTE}
_End = tuple[Fraction, bool] | None


@dataclass(frozen=True, slots=True)
class WrittenTable:
    """Rows of constants under the names of their columns."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[exp.Expr, ...], ...]

    def value(self, row: int, column: str) -> exp.Expr:
        """One of its values."""
        return self.rows[row][self.columns.index(column.lower())].copy()

    def owns(self, column: exp.Column) -> bool:
        """Whether a name is of one of its columns; one without a table is another's, unless it is called apart."""
        return column.table.lower() == self.name and column.name.lower() in self.columns


def join_written_tables(tree: exp.Expr) -> None:
    """Replace every written table that a SELECT joins, in place."""
    named = dict(_named(tree))
    joins = list(tree.args.get("joins") or [])
    source = tree.args["from_"]
    first = joins[0] if joins else None
    if first is not None and not first.side and _written(source.this, named) and not _written(first.this, named):
        swapped = source.this
        source.set("this", first.this)
        first.set("this", swapped)
    for join in joins:
        table = _written(join.this, named)
        if table is not None:
            _check(join)
            _replace(tree, join, table)
    if named and tree.args.get("with_") is not None:
        used = {one.name.lower() for one in tree.find_all(exp.Table)}
        listed = [
            one for one in tree.args["with_"].expressions if one.alias.lower() not in named or one.alias.lower() in used
        ]
        tree.args["with_"].set("expressions", listed)
        if not listed:
            tree.set("with_", None)


def _named(tree: exp.Expr) -> Iterator[tuple[str, exp.Expr]]:
    """The written tables that WITH names."""
    for one in [] if tree.args.get("with_") is None else tree.args["with_"].expressions:
        inner = one.this
        if not isinstance(inner, exp.Select) or not isinstance(inner.args.get("from_"), exp.From):
            continue
        values = inner.args["from_"].this
        if isinstance(values, exp.Values) and len(inner.expressions) == 1 and inner.expressions[0].is_star:
            alias = one.args["alias"]
            if not alias.args.get("columns"):
                alias = exp.TableAlias(this=alias.this.copy(), columns=values.args["alias"].args.get("columns"))
            yield one.alias.lower(), exp.Values(expressions=values.expressions, alias=alias.copy())


def _written(node: exp.Expr, named: Mapping[str, exp.Expr]) -> WrittenTable | None:
    if isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier) and node.name.lower() in named:
        listed = _written(named[node.name.lower()], {})
        return None if listed is None else WrittenTable(node.alias_or_name.lower(), listed.columns, listed.rows)
    if not isinstance(node, exp.Values):
        return None
    alias = node.args.get("alias") or exp.TableAlias()
    columns = [one.name.lower() for one in alias.args.get("columns") or []]
    rows = [tuple(one.unnest() for one in row.expressions) for row in node.expressions if isinstance(row, exp.Tuple)]
    if (
        not columns
        or not alias.name
        or any(len(row) != len(columns) for row in rows)
        or len(set(columns)) != len(columns)
    ):
        raise _refused(
            node, "a table that is written out has a name, and one for each column: (VALUES ('a', 1)) AS t(k, x)"
        )
    if not 1 <= len(rows) <= _MOST_ROWS or any(value.find(exp.Column, exp.Query) for row in rows for value in row):
        raise _refused(node, f"a table that is written out has 1 to {_MOST_ROWS} rows of constants")
    return WrittenTable(alias.name.lower(), tuple(columns), tuple(rows))


def _check(join: exp.Join) -> None:
    plain = (join.side or "LEFT") == "LEFT" and (join.kind or "INNER") in ("INNER", "OUTER")
    if not plain or join.args.get("on") is None:
        raise _refused(join, "a table that is written out is joined by [LEFT] JOIN (VALUES …) AS t(k, x) ON …")


def _replace(tree: exp.Expr, join: exp.Join, table: WrittenTable) -> None:
    terms = list(_conjuncts(join.args["on"]))
    if not _apart(terms, table):
        raise _refused(
            join.args["on"],
            f"a row could meet several rows of {table.name!r} and count for each: join on values that differ, on "
            "ranges that are apart, or a public table of these rows; or ask SELECT … WHERE … for each of them, with "
            "UNION ALL",
        )
    tests = [_with_values(exp.and_(*(one.copy() for one in terms)), table, row) for row in range(len(table.rows))]
    join.pop()
    if any(one.alias_or_name.lower() == table.name for one in tree.find_all(exp.Table, exp.Subquery)):
        raise _refused(join.this, f"two tables are called {table.name!r}: give one another name with AS")
    for place in [part for name, part in _parts(tree) if name != "joins"]:
        for column in [one for one in place.find_all(exp.Column) if table.owns(one)]:
            _put(column, table, tests)
    for other in tree.args.get("joins") or []:
        for column in [one for one in other.find_all(exp.Column) if table.owns(one)]:
            _put(column, table, tests)
    if not join.side:
        tree.where(exp.paren(exp.or_(*(test.copy() for test in tests))), copy=False)  # type: ignore[attr-defined]


def _parts(tree: exp.Expr) -> list[tuple[str, exp.Expr]]:
    return [
        (name, part)
        for name, value in tree.args.items()
        if name not in ("from_", "with_")
        for part in (value if isinstance(value, list) else [value])
        if isinstance(part, exp.Expr)
    ]


def _put(column: exp.Column, table: WrittenTable, tests: list[exp.Expr]) -> None:
    ifs = [exp.If(this=test.copy(), true=table.value(row, column.name)) for row, test in enumerate(tests)]
    case = keep_words(exp.Case(ifs=ifs), column)
    shown = isinstance(column.parent, exp.Select) and column.arg_key == "expressions"
    column.replace(exp.alias_(case, column.name, quoted=True) if shown else case)


def _with_values(condition: exp.Expr, table: WrittenTable, row: int) -> exp.Expr:
    whole = exp.paren(condition)
    for column in [one for one in whole.find_all(exp.Column) if table.owns(one)]:
        column.replace(table.value(row, column.name))
    return whole


def _conjuncts(condition: exp.Expr) -> Iterator[exp.Expr]:
    inner = condition.unnest()
    if isinstance(inner, exp.And):
        yield from _conjuncts(inner.this)
        yield from _conjuncts(inner.expression)
    else:
        yield inner


def _apart(terms: list[exp.Expr], table: WrittenTable) -> bool:
    """Whether no row fulfils the condition with two written rows."""
    size = range(len(table.rows))
    equal = [column for term in terms if (column := _equal_to(term, table)) is not None]
    ranges = [_ranges(terms, table, row) for row in size]
    for one in size:
        for two in range(one):
            differ = any(_differ(table.value(one, name), table.value(two, name)) for name in equal)
            if not differ and not any(_disjoint(ends, ranges[two].get(of)) for of, ends in ranges[one].items()):
                return False
    return True


def _differ(one: exp.Expr, two: exp.Expr) -> bool:
    """Whether two constants are known to differ: numbers by their value, texts by their letters."""
    numbers = _number(one), _number(two)
    if None not in numbers:
        return numbers[0] != numbers[1]
    return all(isinstance(value, exp.Literal) and value.is_string for value in (one, two)) and one.this != two.this


def _equal_to(term: exp.Expr, table: WrittenTable) -> str | None:
    """The written column that a term holds equal to an expression over a row."""
    if not isinstance(term, exp.EQ):
        return None
    for own, other in ((term.this, term.expression), (term.expression, term.this)):
        if isinstance(own, exp.Column) and table.owns(own) and not any(map(table.owns, other.find_all(exp.Column))):
            return str(own.name)
    return None


def _ranges(terms: list[exp.Expr], table: WrittenTable, row: int) -> dict[str, list[_End]]:
    """The ends between which a written row holds expressions, by their text."""
    ranges: dict[str, list[_End]] = {}
    for term in terms:
        for of, sign, end in _comparisons(term):
            if not isinstance(end, exp.Column) or not table.owns(end) or any(map(table.owns, of.find_all(exp.Column))):
                continue
            number = _number(table.value(row, end.name))
            if number is not None:
                side, closed = _SIDES[sign]
                ranges.setdefault(language.written(of), [None, None])[side] = number, closed
    return ranges


def _comparisons(term: exp.Expr) -> Iterator[tuple[exp.Expr, type[exp.Expr], exp.Expr]]:
    if isinstance(term, exp.Between) and not term.args.get("symmetric"):
        yield term.this, exp.GTE, term.args["low"]
        yield term.this, exp.LTE, term.args["high"]
    elif isinstance(term, exp.GT | exp.GTE | exp.LT | exp.LTE):
        yield term.this, type(term), term.expression
        yield term.expression, _TURNED[type(term)], term.this


def _disjoint(one: list[_End], two: list[_End] | None) -> bool:
    """Whether two ranges have no number in common."""
    return two is not None and (_below(one[1], two[0]) or _below(two[1], one[0]))


def _below(high: _End, low: _End) -> bool:
    if high is None or low is None:
        return False
    return high[0] < low[0] or (high[0] == low[0] and not (high[1] and low[1]))


def _number(value: exp.Expr) -> Fraction | None:
    """A number, or the number of a day that is written out."""
    if isinstance(value, exp.Cast) and value.to.this is exp.DataType.Type.DATE:
        value = value.this
    if isinstance(value, exp.Literal) and value.is_string:
        return _day(str(value.this))
    sign = -1 if isinstance(value, exp.Neg) else 1
    inner = value.this if isinstance(value, exp.Neg) else value
    if not isinstance(inner, exp.Literal) or inner.is_string:
        return None
    try:
        return sign * Fraction(str(inner.this))
    except ValueError:
        return None


def _day(text: str) -> Fraction | None:
    try:
        return Fraction(date.fromisoformat(text).toordinal())
    except ValueError:
        return None


def _refused(node: exp.Expr, why: str) -> UnsupportedQuery:
    refusal = UnsupportedQuery(why)
    refusal.about = words_of(node)
    return refusal
