"""What a construct is called, as the analyst would say it."""

from sqlglot import exp

from dalenius.sql.engine import language


def word(node: exp.Expr) -> str:
    """Its name in SQL, for a refusal."""
    if isinstance(node, exp.Anonymous | exp.AnonymousAggFunc | exp.Command):
        return node.name.upper()
    if isinstance(node, exp.Column | exp.Star):
        return "*" if node.find(exp.Star) else "a column with a schema"
    if isinstance(node, exp.Subquery | exp.Select | exp.Exists):
        return "a subquery"
    return node.sql_name() if isinstance(node, exp.Func) else node.key.upper()


def written(node: exp.Expr, functions: str = "upper") -> str:
    """An aggregate as it may be written, without the names of tables; functions in capitals, or small letters."""
    plain = node.copy()
    for column in list(plain.find_all(exp.Column)):
        column.set("table", None)
        column.this.set("quoted", not column.name.isidentifier())
    return language.shown(plain, functions)
