"""What a construct is called, as the analyst would say it."""

from sqlglot import exp

from dalenius.sql.engine import language
from dalenius.sql.text.quoted import name_of

_OPERATORS = {
    **{
        "dpipe": "||",
        "add": "+",
        "sub": "-",
        "mul": "*",
        "div": "/",
        "mod": "%",
        "intdiv": "//",
        "eq": "=",
        "neq": "<>",
    },
    **{"bitwiseand": "&", "bitwiseor": "|", "bitwiseleftshift": "<<", "bitwiserightshift": ">>", "bitwisexor": "XOR"},
    **{"ilike": "ILIKE", "regexplike": "REGEXP_MATCHES", "ignorenulls": "IGNORE NULLS", "withingroup": "WITHIN GROUP"},
    **{"bracket": "[…]", "array": "[…]", "tuple": "(…, …)", "column": "a column", "literal": "a literal"},
}
"""What constructs are called that the parser has other names for."""


def word(node: exp.Expr) -> str:
    """Its name in SQL, for a refusal."""
    if isinstance(node, exp.Anonymous | exp.AnonymousAggFunc | exp.Command):
        return node.name.upper()
    if isinstance(node, exp.Column | exp.Star):
        return "*" if node.find(exp.Star) else "a column with a schema"
    if isinstance(node, exp.Subquery | exp.Select | exp.Exists):
        return "a subquery"
    if isinstance(node, exp.Func):
        return name_of(node) or node.sql_name()
    return _OPERATORS.get(node.key, node.key.upper())


def written(node: exp.Expr, functions: str = "upper") -> str:
    """An aggregate as it may be written, without the names of tables; functions in capitals, or small letters."""
    plain = node.copy()
    for column in list(plain.find_all(exp.Column)):
        column.set("table", None)
        column.this.set("quoted", not column.name.isidentifier())
    return language.shown(plain, functions)
