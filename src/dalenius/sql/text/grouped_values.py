"""ANY_VALUE(k), FIRST(k) and LAST(k) of a key that is grouped by: it has one value in a group, and is each of them."""

from sqlglot import exp

from dalenius.sql.text.quoted import keep_words

_ONE_OF = (exp.AnyValue, exp.First, exp.Last)
_PLAIN = ("this",)


def read_as_keys(select: exp.Select) -> None:
    """Replace these by the key; what is no key stays, without the IGNORE NULLS that the parser adds to ANY_VALUE."""
    group = select.args.get("group")
    alone = group is not None and not any(value for name, value in group.args.items() if name != "expressions")
    keys = [_resolved(term, select) for term in group.expressions] if group is not None and alone else []
    places = [*select.expressions, *filter(None, (select.args.get(name) for name in ("having", "order", "qualify")))]
    for node in [one for place in places for one in place.find_all(*_ONE_OF)]:
        outer = node.parent if isinstance(node.parent, exp.IgnoreNulls) else node
        if isinstance(outer.parent, exp.Window | exp.Filter) or node.find_ancestor(exp.Select) is not select:
            continue
        known = any(_same(node.this.unnest(), key) for key in keys) and not _has_options(node)
        kin = node.this.unnest().copy() if known else node.copy()
        if kin == outer:
            continue
        keep_words(kin, node)
        is_term = known and outer.parent is select and outer.arg_key == "expressions"
        outer.replace(exp.alias_(kin, _called(node), quoted=True, copy=False) if is_term else kin)


def _has_options(node: exp.Expr) -> bool:
    return any(value for name, value in node.args.items() if name not in _PLAIN)


def _called(node: exp.Expr) -> str:
    """What a column without AS is called: as it was written."""
    name = node.key if not isinstance(node, exp.AnyValue) else "any_value"
    inner = node.this.unnest()
    return f"{name}_{inner.name}" if isinstance(inner, exp.Column) else name


def _resolved(term: exp.Expr, select: exp.Select) -> exp.Expr:
    """What a term of GROUP BY stands for, where it is the number of a column or its name."""
    shown = select.expressions
    if isinstance(term, exp.Literal) and not term.is_string and str(term.this).isdigit():
        place = int(str(term.this)[:9])
        return shown[place - 1].unalias().unnest() if 1 <= place <= len(shown) else term
    return term.unnest()


def _same(one: exp.Expr, other: exp.Expr) -> bool:
    """Whether two terms are alike; of two columns of one name both may say of which table, and then must agree."""
    if isinstance(one, exp.Column) and isinstance(other, exp.Column):
        tables = {one.table.lower(), other.table.lower()} - {""}
        return one.name.lower() == other.name.lower() and len(tables) < 2
    return one == other
