"""What PostgreSQL has and tools that speak to it write: schemas before names, and `TO_CHAR`.

A table has no schema here, so `main.visits`, as DuckDB writes it, and `public.visits` are `visits`; another schema is
refused. `TO_CHAR(d, 'YYYY-MM')` is `STRFTIME(d, '%Y-%m')` for patterns whose every part has one meaning.
"""

import re

from sqlglot import exp

from dalenius.errors import UnsupportedQuery
from dalenius.sql.text.quoted import words_of

_DEFAULT_SCHEMAS = ("main", "public")
_NUMBERS = {
    **{"YYYY": "%Y", "YY": "%y", "MM": "%m", "DD": "%d", "DDD": "%j", "HH24": "%H", "MI": "%M", "SS": "%S"},
    **{"IYYY": "%G", "IW": "%V", "ID": "%u"},
}
_NAMES = {"Mon": "%b", "Dy": "%a", "FMMonth": "%B", "FMDay": "%A"}
_PARTS = {
    **{**_NUMBERS, **_NAMES, **{part.lower(): form for part, form in _NUMBERS.items()}},
    **{sign: sign for sign in "-/:. ,_"},
}
"""`Month` and `Day` alone are filled with blanks to nine letters, and `HH` has no morning: they have no rule."""
_ONE = re.compile("|".join(map(re.escape, sorted(_PARTS, key=len, reverse=True))) + "|(.)", re.DOTALL)


def without_schemas(tree: exp.Expr) -> None:
    """Take the default schema away from names of tables and of their columns, but for names that WITH gives."""
    given = {one.alias.lower() for one in tree.find_all(exp.CTE)}
    for node in tree.find_all(exp.Table, exp.Column):
        table = node.table if isinstance(node, exp.Column) else node.name
        schema, catalog = node.args.get("db"), node.args.get("catalog")
        if schema is None or catalog or schema.name.lower() not in _DEFAULT_SCHEMAS or table.lower() in given:
            continue
        node.set("db", None)


def as_format(node: exp.Expr) -> exp.Expr:
    """TO_CHAR of a time as STRFTIME."""
    pattern = node.args.get("format")
    if not isinstance(pattern, exp.Literal) or not pattern.is_string or _has_options(node):
        raise _refused(node, "TO_CHAR takes a time and a pattern that is written out: TO_CHAR(d, 'YYYY-MM')")
    if unread := [match[1] for match in _ONE.finditer(pattern.name) if match[1]]:
        raise _refused(
            node,
            f"TO_CHAR has no rule for {''.join(unread)[:20]!r} in a pattern; there are "
            f"{', '.join((*_NUMBERS, *_NAMES))}",
        )
    written = _ONE.sub(lambda match: _PARTS[match[0]], pattern.name)
    return exp.TimeToStr(this=node.this.copy(), format=exp.Literal.string(written))


def _has_options(node: exp.Expr) -> bool:
    return any(value for name, value in node.args.items() if name not in ("this", "format"))


def _refused(node: exp.Expr, reason: str) -> UnsupportedQuery:
    refusal = UnsupportedQuery(reason)
    refusal.about = words_of(node)
    return refusal
