"""Qualify names: every column gets its table."""

from sqlglot import exp

from dalenius.errors import UnknownName, UnsupportedQuery
from dalenius.sql.policy.policy import Policy
from dalenius.sql.text.quoted import keep_words, pointing, words_of
from dalenius.sql.types.engine_names import SOURCE
from dalenius.sql.types.similar_names import did_you_mean


def qualify_names(query: exp.Expr, policy: Policy) -> exp.Expr:
    """Replace every column by the policy's own spelling, quoted, and the table by the engine's name for it.

    A number in GROUP BY or ORDER BY means that column of the SELECT; a name that is an alias there, what it stands for.
    An undeclared name is refused. No identifier of the analyst's is left afterwards but the names of the answer.
    """
    tree = query.copy()
    table = tree.args["from_"].this
    if table.name.lower() != policy.table.lower():
        meant = did_you_mean(table.name, [policy.table])
        refused = UnknownName(f"there is no table {table.name!r}{meant}; there is {policy.table!r}")
        refused.about = words_of(table)
        raise refused
    _expand(tree, policy)
    known = {table.alias_or_name.lower()}
    for column in list(tree.find_all(exp.Column)):
        if column.table and column.table.lower() not in known:
            raise UnknownName(f"there is no table {column.table!r} in this query; there is {policy.table!r}")
        _qualify(column, policy)
    table.replace(exp.table_(SOURCE, quoted=True))
    return tree


@pointing
def _qualify(column: exp.Expr, policy: Policy) -> None:
    named = exp.column(policy.column(column.name), table=SOURCE, quoted=True)
    column.replace(keep_words(named, column))


def _expand(tree: exp.Expr, policy: Policy) -> None:
    selected = {term.alias.lower(): term.this for term in tree.expressions if isinstance(term, exp.Alias)}
    columns = {name.lower() for name in policy.columns}
    group, order, having = (tree.args.get(name) for name in ("group", "order", "having"))
    for term in [] if group is None else list(group.expressions):
        _position(term, tree)
    for term in [] if order is None else list(order.expressions):
        _position(term.this, tree)
    for place, hidden in ((group, columns), (having, columns), (order, set())):
        for column in [] if place is None else list(place.find_all(exp.Column)):
            name = column.name.lower()
            if not column.table and name in selected and name not in hidden:
                column.replace(exp.paren(selected[name].copy(), copy=False))
    for term in [] if group is None else list(group.expressions):
        if isinstance(term, exp.Paren):
            term.replace(term.unnest())


def _position(term: exp.Expr, tree: exp.Expr) -> None:
    if not isinstance(term, exp.Literal) or term.is_string:
        return
    place = str(term.this)
    if not place.isdigit() or not 1 <= int(place[:9]) <= len(tree.expressions):
        raise UnsupportedQuery(f"GROUP BY and ORDER BY count the columns of the SELECT from 1, got {place[:20]}")
    term.replace(tree.expressions[int(place[:9]) - 1].unalias().copy())
