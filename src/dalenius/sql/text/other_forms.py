"""Other ways to write what the language has: each becomes the form that the rules know, so nothing is left to prove.

`GROUP BY ALL` and `ORDER BY ALL` name the columns of the SELECT; `APPROX_COUNT_DISTINCT`, `APPROX_QUANTILE`,
`QUANTILE_DISC` and their like ask what their exact kin ask, and a private answer is never nearer than its noise; a list
of levels asks for as many quantiles, one column each; `HISTOGRAM(x)` counts the rows of each x, one row each;
`DISTINCT ON` takes the first row of each key, as a window that numbers them does; `GROUPING_ID` is `GROUPING`;
`postgres_forms` has what PostgreSQL writes. A column is still called by what was written.
"""

from collections.abc import Callable

from sqlglot import exp

from dalenius.errors import UnsupportedQuery
from dalenius.sql.text.grouped_values import read_as_keys
from dalenius.sql.text.postgres_forms import as_format, without_schemas
from dalenius.sql.text.quoted import keep_words, name_of, words_of
from dalenius.sql.text.written_series import write_out

_LEVELS = (exp.PercentileCont, exp.PercentileDisc, exp.Quantile, exp.ApproxQuantile)
_MOST_LEVELS = 100
_HISTOGRAM = "HISTOGRAM"


def usual_forms(tree: exp.Expr) -> None:
    """Replace other forms by the usual ones, in every SELECT of a tree."""
    write_out(tree)
    without_schemas(tree)
    for select in list(tree.find_all(exp.Select)):
        _count_each_value(select)
        _list_levels(select)
        _first_of_each(select)
    for pattern in tree.find_all(exp.RegexpLike, exp.SimilarTo):
        _refuse_sign(pattern)
    for equality in list(tree.find_all(exp.EQ, exp.NEQ)):
        _member(equality)
    for node in list(tree.find_all(*_KIN)):
        _replace(node, _KIN[type(node)](node))
    for node in list(tree.find_all(exp.Anonymous)):
        if (kin := _BY_NAME.get(node.name.upper())) is not None and node.expressions:
            _replace(node, kin(node))
    for select in list(tree.find_all(exp.Select)):
        _name_all(select)
        read_as_keys(select)


def _refuse_sign(node: exp.Expr) -> None:
    """Refuse signs between a text and a pattern, which databases read in two ways."""
    if not (name_of(node) or "").startswith("REGEXP_"):
        refused = UnsupportedQuery(
            "~ and SIMILAR TO mean all of a text in some databases and a part of it in others: write "
            "REGEXP_MATCHES(text, pattern) for a part, or REGEXP_FULL_MATCH(text, pattern)"
        )
        refused.about = words_of(node)
        raise refused


def _replace(node: exp.Expr, kin: exp.Expr) -> None:
    keep_words(kin, node)
    if isinstance(node.parent, exp.Select) and node.arg_key == "expressions" and not isinstance(kin, exp.WithinGroup):
        kin = exp.alias_(kin, _called(node), quoted=True, copy=False)
    node.replace(kin)


def _called(node: exp.Expr) -> str:
    """What a column without AS is called: as it was written."""
    inner = node.expressions[0] if isinstance(node, exp.Anonymous) else node.args.get("this")
    name = (name_of(node) or node.key).lower()
    return f"{name}_{inner.name}" if isinstance(inner, exp.Column) else name


def _distinct(node: exp.Expr) -> exp.Expr:
    _only(node, "this")
    return exp.Count(this=exp.Distinct(expressions=[node.this.copy()]), big_int=True)


def _quantile(node: exp.Expr) -> exp.Expr:
    _only(node, "this", "quantile", "expression")
    level = node.args.get("quantile") or node.args.get("expression")
    if level is None:  # inside of WITHIN GROUP
        return exp.PercentileCont(this=node.this.copy())
    return exp.PercentileCont(this=node.this.copy(), expression=level.copy())


def _grouping(node: exp.Expr) -> exp.Expr:
    if not node.expressions:
        refused = UnsupportedQuery("GROUPING_ID names the keys that it is of: write GROUPING_ID(a, b)")
        refused.about = words_of(node)
        raise refused
    return exp.Grouping(expressions=[key.copy() for key in node.expressions])


def _only(node: exp.Expr, *known: str) -> None:
    if any(value for name, value in node.args.items() if name not in known):
        raise UnsupportedQuery(f"{name_of(node) or node.key.upper()} takes no further options")


_KIN: dict[type[exp.Expr], Callable[[exp.Expr], exp.Expr]] = {
    **{exp.ApproxDistinct: _distinct, exp.ToChar: as_format, exp.GroupingId: _grouping},
    **{exp.ApproxQuantile: _quantile, exp.Quantile: _quantile, exp.PercentileDisc: _quantile},
}
_BY_NAME: dict[str, Callable[[exp.Expr], exp.Expr]] = {
    "MEAN": lambda node: exp.Avg(this=_single(node)),
    **dict.fromkeys(("FSUM", "SUMKAHAN", "KAHAN_SUM"), lambda node: exp.Sum(this=_single(node))),
    "WAVG": lambda node: exp.Anonymous(this="WEIGHTED_AVG", expressions=[one.copy() for one in node.expressions]),
    "FAVG": lambda node: exp.Avg(this=_single(node)),
    **dict.fromkeys(("APPROX_PERCENTILE", "RESERVOIR_QUANTILE", "PERCENTILE"), lambda node: _pair(node)),
}


def _single(node: exp.Expr) -> exp.Expr:
    if len(node.expressions) != 1:
        raise UnsupportedQuery(f"{node.name.upper()} takes one expression and nothing else")
    return node.expressions[0].copy()  # type: ignore[no-any-return]


def _pair(node: exp.Expr) -> exp.Expr:
    if len(node.expressions) != 2:
        raise UnsupportedQuery(f"{node.name.upper()} takes a value and a level")
    return exp.PercentileCont(this=node.expressions[0].copy(), expression=node.expressions[1].copy())


def _list_levels(select: exp.Select) -> None:
    """A quantile at a list of levels, as one column for each level."""
    terms: list[exp.Expr] = []
    for term in select.expressions:
        terms += _with_levels(term)
    if any(new is not old for new, old in zip(terms, select.expressions, strict=False)):
        select.set("expressions", terms)


def _with_levels(term: exp.Expr) -> list[exp.Expr]:
    node = term.unalias()
    inner = node.this if isinstance(node, exp.WithinGroup) else node
    if not isinstance(inner, _LEVELS):
        return [term]
    place = "this" if isinstance(node, exp.WithinGroup) else "quantile" if inner.args.get("quantile") else "expression"
    listed = inner.args.get(place)
    if not isinstance(listed, exp.Array):
        return [term]
    if not 1 <= len(listed.expressions) <= _MOST_LEVELS:
        raise UnsupportedQuery(f"a list of levels holds 1 to {_MOST_LEVELS} of them")
    columns = []
    for level in listed.expressions:
        one = node.copy()
        (one.this if isinstance(one, exp.WithinGroup) else one).set(place, level.copy())
        value = one.expression.expressions[0].this if isinstance(one, exp.WithinGroup) else one.this
        name = (name_of(inner) or inner.key).lower()
        called = term.alias or (f"{name}_{value.name}" if isinstance(value, exp.Column) else name)
        columns.append(exp.alias_(keep_words(one, node), f"{called}_{level.name}", quoted=True, copy=False))
    return columns


def _member(node: exp.Expr) -> None:
    """Read x = ANY (…) as x IN (…), and x <> ALL (…) as NOT IN, of a query or a list: SQL says that they are."""
    asked = node.expression.unnest()
    if not isinstance(asked, exp.Any if isinstance(node, exp.EQ) else exp.All):
        return
    inner = asked.this.unnest() if isinstance(asked.this, exp.Paren) else asked.this
    if isinstance(inner, exp.Array | exp.Tuple):
        among = exp.In(this=node.this.copy(), expressions=[one.copy() for one in inner.expressions])
    elif isinstance(inner, exp.Query):
        query = inner if isinstance(inner, exp.Subquery) else inner.subquery()
        among = exp.In(this=node.this.copy(), query=query.copy())
    else:
        return
    keep_words(among, node)
    node.replace(among if isinstance(node, exp.EQ) else exp.Not(this=exp.paren(among)))


def _first_of_each(select: exp.Select) -> None:
    """SELECT DISTINCT ON (k) … ORDER BY k, x as the row of each k that a window numbers 1."""
    distinct, order = select.args.get("distinct"), select.args.get("order")
    on = None if distinct is None else distinct.args.get("on")
    if on is None or order is None or select.args.get("qualify"):
        return
    keys = on.expressions if isinstance(on, exp.Tuple) else [on.unnest()]
    by = [term for term in order.expressions if term.this not in keys]
    if not by or any(isinstance(one, exp.Literal) for one in (*keys, *(term.this for term in by))):
        return
    number = exp.Window(
        this=exp.RowNumber(),
        partition_by=[key.copy() for key in keys],
        order=exp.Order(expressions=[term.copy() for term in by]),
    )
    select.set("distinct", None)
    select.set("qualify", exp.Qualify(this=exp.EQ(this=number, expression=exp.Literal.number(1))))


def _count_each_value(select: exp.Select) -> None:
    """HISTOGRAM(x) as the rows of each x: `SELECT x, COUNT(*) … GROUP BY x`."""
    counted = [term for term in select.expressions if _is_histogram(term.unalias())]
    if not counted:
        return
    term = counted[0]
    call = term.unalias()
    refused = UnsupportedQuery(
        "HISTOGRAM(x) counts the rows of each x, and stands beside grouped columns alone: for bins of your own write "
        "SELECT FLOOR(x / 10) * 10 AS bin, COUNT(*) … GROUP BY bin"
    )
    refused.about = words_of(call)
    others = [one for one in select.expressions if one is not term]
    if len(call.expressions) != 1 or any(one.find(exp.AggFunc, exp.Anonymous) for one in others):
        raise refused
    value = call.expressions[0]
    name = term.alias or "histogram"
    count = exp.alias_(keep_words(exp.Count(this=exp.Star(), big_int=True), call), name, quoted=True, copy=False)
    select.set(
        "expressions",
        [part for one in select.expressions for part in ((value.copy(), count) if one is term else (one,))],
    )
    if select.args.get("group") is None:
        select.set("group", exp.Group(expressions=[]))
    if not select.args["group"].args.get("all"):
        select.args["group"].append("expressions", value.copy())


def _is_histogram(node: exp.Expr) -> bool:
    return isinstance(node, exp.Anonymous) and node.name.upper() == _HISTOGRAM


def _name_all(select: exp.Select) -> None:
    """GROUP BY ALL: each column without an aggregate; ORDER BY ALL: each column, from the first."""
    group, order = select.args.get("group"), select.args.get("order")
    if group is not None and group.args.get("all") and not group.expressions:
        keys = [term.unalias().copy() for term in select.expressions if _is_key(term)]
        select.set("group", exp.Group(expressions=keys) if keys else None)
    if order is None:
        return
    terms = order.expressions
    if len(terms) == 1 and isinstance(terms[0].this, exp.Var) and terms[0].this.name.upper() == "ALL":
        listed = []
        for place in range(1, len(select.expressions) + 1):
            one = terms[0].copy()
            one.set("this", exp.Literal.number(place))
            listed.append(one)
        order.set("expressions", listed)


def _is_key(term: exp.Expr) -> bool:
    """Whether a column is grouped by: it reads rows, and aggregates none."""
    return term.find(exp.Column) is not None and term.find(exp.AggFunc, exp.Window, exp.Subquery) is None
