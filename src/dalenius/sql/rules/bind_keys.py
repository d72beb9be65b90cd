"""Groups that are public."""

from dataclasses import replace

from sqlglot import exp

from dalenius.errors import UnboundedQuery, UnsupportedQuery
from dalenius.queries import Keys
from dalenius.sql.draft import SOURCE, Draft
from dalenius.sql.policy import Policy
from dalenius.sql.rules.refuse_unsupported import LANGUAGE

CELL = "cell"


def bind_keys(draft: Draft, policy: Policy) -> Draft:
    """Give every row the number of its declared key; rows with another key go, keys without rows keep a cell."""
    tree = draft.tree
    group = tree.args.get("group")
    grouped = [] if group is None else [term.name for term in group.expressions]
    name, selected = _select_list(tree, grouped)
    source = exp.table_(SOURCE, quoted=True)
    if not grouped:
        only = exp.alias_(exp.Literal.number(0), CELL, quoted=True)
        return replace(draft, tree=exp.select(only).from_(source), name=name)
    column = grouped[0]
    if column not in policy.keys:
        raise UnboundedQuery(f"GROUP BY {column} needs public keys: the owner declares keys={{{column!r}: [...]}}")
    keys = policy.keys[column]
    rows = (
        exp.select(exp.column(CELL, table="public", quoted=True))
        .from_(source)
        .join(_values(keys, policy.columns[column]), on=_equals(column))
    )
    return replace(draft, tree=rows, keys=Keys(selected, keys.values), name=name)


def _select_list(tree: exp.Expr, grouped: list[str]) -> tuple[str, str]:
    """What the answer calls the count and the key."""
    if len(grouped) > 1:
        raise UnsupportedQuery(f"GROUP BY takes one column, got {len(grouped)}; {LANGUAGE}")
    counts = [term for term in tree.expressions if isinstance(term.unalias(), exp.Count)]
    others = [term for term in tree.expressions if not isinstance(term.unalias(), exp.Count)]
    if len(counts) != 1:
        raise UnsupportedQuery(f"SELECT takes COUNT(*) once, got {len(counts)}; {LANGUAGE}")
    if [term.unalias().name for term in others] != grouped:
        raise UnsupportedQuery(f"SELECT takes COUNT(*) and the column of GROUP BY, each once; {LANGUAGE}")
    name = counts[0].alias or "count"
    selected = others[0].alias_or_name if others else ""
    if name.lower() == selected.lower():
        raise UnsupportedQuery("the columns of an answer need names that differ; write COUNT(*) AS another name")
    return name, selected


def _values(keys: Keys, kind: str) -> exp.Expr:
    rows = [
        exp.Tuple(expressions=[exp.Literal.number(cell), exp.cast(exp.convert(value), kind, dialect="duckdb")])
        for cell, value in enumerate(keys.values)
    ]
    names = [exp.to_identifier(name, quoted=True) for name in (CELL, "key")]
    alias = exp.TableAlias(this=exp.to_identifier("public", quoted=True), columns=names)
    return exp.Values(expressions=rows, alias=alias)


def _equals(column: str) -> exp.Expr:
    return exp.EQ(
        this=exp.column(column, table=SOURCE, quoted=True), expression=exp.column("key", table="public", quoted=True)
    )
