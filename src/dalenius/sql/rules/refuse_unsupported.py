"""The closed grammar: what has no rule is refused."""

from sqlglot import exp

from dalenius.errors import UnsupportedQuery
from dalenius.sql.draft import Draft
from dalenius.sql.policy import Policy

LANGUAGE = "ask SELECT key, COUNT(*) FROM table GROUP BY key, or SELECT COUNT(*) FROM table"
_CLAUSES = {
    "where": "WHERE",
    "joins": "JOIN",
    "having": "HAVING",
    "order": "ORDER BY",
    "limit": "LIMIT",
    "offset": "OFFSET",
    "distinct": "DISTINCT",
    "with_": "WITH",
    "qualify": "QUALIFY",
    "windows": "WINDOW",
    "laterals": "LATERAL",
    "sample": "TABLESAMPLE",
    "into": "INTO",
    "locks": "FOR UPDATE",
}
_KNOWN = frozenset({"expressions", "from_", "group"})


def refuse_unsupported(draft: Draft, policy: Policy) -> Draft:
    """Let through exactly SELECT of plain columns and COUNT(*), FROM one table, GROUP BY plain columns."""
    tree = draft.tree
    if not isinstance(tree, exp.Select):
        raise UnsupportedQuery(f"{_word(tree)} is not a question that can be answered privately; {LANGUAGE}")
    for clause, value in tree.args.items():
        if value and clause not in _KNOWN:
            raise UnsupportedQuery(f"{_CLAUSES.get(clause, clause.upper())} has no sensitivity rule; {LANGUAGE}")
    _refuse_source(tree.args.get("from_"))
    for term in tree.expressions:
        _refuse_term(term.this if isinstance(term, exp.Alias) else term)
    _refuse_group(tree.args.get("group"))
    return draft


def _refuse_source(source: exp.Expr | None) -> None:
    table = None if source is None else source.this
    if not isinstance(table, exp.Table) or not isinstance(table.this, exp.Identifier):
        raise UnsupportedQuery(f"FROM takes the name of one table and nothing else; {LANGUAGE}")
    if any(value for name, value in table.args.items() if name not in ("this", "alias")):
        raise UnsupportedQuery(f"FROM takes a table's name alone, with neither schema nor options; {LANGUAGE}")
    alias = table.args.get("alias")
    if alias is not None and alias.args.get("columns"):
        raise UnsupportedQuery(f"a table's alias cannot rename its columns; {LANGUAGE}")


def _refuse_term(term: exp.Expr) -> None:
    if isinstance(term, exp.Count) and isinstance(term.this, exp.Star) and not term.expressions:
        if any(term.this.args.values()):
            raise UnsupportedQuery(f"COUNT(*) takes no EXCLUDE, REPLACE or RENAME; {LANGUAGE}")
        return
    if not _is_plain_column(term):
        raise UnsupportedQuery(f"{_word(term)} has no sensitivity rule; {LANGUAGE}")


def _refuse_group(group: exp.Expr | None) -> None:
    if group is None:
        return
    if any(value for name, value in group.args.items() if name != "expressions"):
        raise UnsupportedQuery(f"GROUP BY takes one column: no ALL, ROLLUP, CUBE or GROUPING SETS; {LANGUAGE}")
    for term in group.expressions:
        if not _is_plain_column(term):
            raise UnsupportedQuery(f"GROUP BY takes a column, got {_word(term)}; {LANGUAGE}")


def _is_plain_column(term: exp.Expr) -> bool:
    return (
        isinstance(term, exp.Column)
        and isinstance(term.this, exp.Identifier)
        and not term.args.get("db")
        and not term.args.get("catalog")
    )


def _word(term: exp.Expr) -> str:
    """What a construct is called, as the analyst would say it."""
    if isinstance(term, exp.Count):
        return "COUNT of anything but *"
    if isinstance(term, exp.Anonymous | exp.Command):
        return term.name.upper()
    if isinstance(term, exp.Column | exp.Star):
        return "*" if term.find(exp.Star) else "a column with a schema"
    return term.sql_name() if isinstance(term, exp.Func) else term.key.upper()
