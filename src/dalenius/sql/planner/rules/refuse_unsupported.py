"""The closed grammar: what has no rule is refused."""

from sqlglot import exp

from dalenius.errors import UnsupportedQuery
from dalenius.sql.catalog import there_are
from dalenius.sql.planner.stages import Question
from dalenius.sql.policy.policy import Policy
from dalenius.sql.rows.read import function_names
from dalenius.sql.text.quoted import point_at, words_of
from dalenius.sql.text.words import word
from dalenius.sql.types.similar_names import did_you_mean

LANGUAGE = "ask SELECT keys and aggregates FROM table WHERE … GROUP BY keys HAVING … ORDER BY … LIMIT n"
_CLAUSES = {
    "joins": "JOIN",
    "distinct": "DISTINCT",
    "with_": "WITH",
    "qualify": "QUALIFY",
    "windows": "WINDOW",
    "laterals": "LATERAL",
    "sample": "TABLESAMPLE",
    "into": "INTO",
    "locks": "FOR UPDATE",
}
_KNOWN = frozenset({"expressions", "from_", "where", "group", "having", "order", "limit", "offset"})
_FORBIDDEN: tuple[tuple[type[exp.Expr], str], ...] = (
    (exp.Subquery, "a subquery"),
    (exp.Select, "a subquery"),
    (exp.Window, "WINDOW"),
    (exp.Filter, "FILTER"),
    (exp.Lambda, "a lambda"),
    (exp.Placeholder, "a parameter"),
    (exp.Parameter, "a parameter"),
)


def refuse_unsupported(question: Question, policy: Policy) -> Question:
    """Let through one SELECT over one table in the clauses that have rules; its expressions are read by later rules."""
    tree = question.tree
    if not isinstance(tree, exp.Select):
        raise UnsupportedQuery(f"{word(tree)} is not a question that can be answered privately; {LANGUAGE}")
    for clause, value in tree.args.items():
        if value and clause not in _KNOWN:
            raise UnsupportedQuery(f"{_CLAUSES.get(clause, clause.upper())} has no sensitivity rule; {LANGUAGE}")
    _refuse_source(tree.args.get("from_"))
    _refuse_group(tree.args.get("group"))
    _refuse_limit(tree)
    _refuse_nodes(tree)
    return question


def _refuse_nodes(tree: exp.Select) -> None:
    node: exp.Expr = tree
    try:
        for node in tree.walk():
            if node is not tree:
                _refuse_node(node)
    except UnsupportedQuery as refusal:
        point_at(refusal, node)
        raise


def _refuse_source(source: exp.Expr | None) -> None:
    table = None if source is None else source.this
    if not isinstance(table, exp.Table) or not isinstance(table.this, exp.Identifier):
        raise UnsupportedQuery(f"FROM takes the name of one table and nothing else; {LANGUAGE}")
    if any(value for name, value in table.args.items() if name not in ("this", "alias")):
        raise UnsupportedQuery(f"FROM takes a table's name alone, with neither schema nor options; {LANGUAGE}")
    alias = table.args.get("alias")
    if alias is not None and alias.args.get("columns"):
        raise UnsupportedQuery(f"a table's alias cannot rename its columns; {LANGUAGE}")


def _refuse_group(group: exp.Expr | None) -> None:
    if group is None:
        return
    if any(value for name, value in group.args.items() if name != "expressions"):
        raise UnsupportedQuery(f"GROUP BY takes expressions: no ALL, ROLLUP, CUBE or GROUPING SETS; {LANGUAGE}")
    for term in group.expressions:
        if isinstance(term, exp.Rollup | exp.Cube | exp.GroupingSets | exp.Tuple):
            raise UnsupportedQuery(f"GROUP BY takes expressions: no ALL, ROLLUP, CUBE or GROUPING SETS; {LANGUAGE}")
        if term.find(exp.AggFunc):
            raise UnsupportedQuery("GROUP BY takes expressions over a row, without aggregates")


def _refuse_limit(tree: exp.Select) -> None:
    for clause in ("limit", "offset"):
        node = tree.args.get(clause)
        if node is not None and not isinstance(node, exp.Limit | exp.Offset):
            raise UnsupportedQuery("LIMIT takes a whole number that is written out")
        if node is not None and any(value for name, value in node.args.items() if name != "expression"):
            raise UnsupportedQuery("LIMIT takes a whole number that is written out")


def _refuse_node(node: exp.Expr) -> None:
    for kind, name in _FORBIDDEN:
        if isinstance(node, kind):
            raise UnsupportedQuery(f"{name} has no sensitivity rule; {LANGUAGE}")
    if isinstance(node, exp.Column) and (not isinstance(node.this, exp.Identifier) or node.args.get("db")):
        raise UnsupportedQuery(f"{word(node)} has no sensitivity rule; {LANGUAGE}")
    if isinstance(node, exp.Star) and isinstance(node.parent, exp.Anonymous):
        meant = did_you_mean(node.parent.name, function_names())
        refused = UnsupportedQuery(f"{word(node.parent)} has no sensitivity rule{meant}; {there_are()}")
        refused.about = words_of(node.parent)
        raise refused
    if isinstance(node, exp.Star) and not isinstance(node.parent, exp.Count):
        raise UnsupportedQuery(f"* has no sensitivity rule; {LANGUAGE}")
