"""A SELECT from synthetic tables: which columns it is about, and whether it is a table of counts."""

from dataclasses import dataclass

from sqlglot import exp


@dataclass(frozen=True, slots=True)
class SyntheticQuestion:
    """What a SELECT asks of synthetic tables."""

    tables: tuple[str, ...]
    """The tables, in lower case."""
    columns: frozenset[str] | None
    """The columns that it names, in lower case; None for all of them."""
    keys: tuple[tuple[int, str], ...] = ()
    """Where it is a table of counts: the place of each key in the answer, and its column."""
    count: int | None = None
    """The place of the count; None where it is no table of counts."""


def read_question(tree: exp.Expr) -> SyntheticQuestion:
    """The tables and columns of a SELECT, and its counts if it is `SELECT keys, COUNT(*) … GROUP BY keys`."""
    inner = {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
    tables = tuple(dict.fromkeys(t.name.lower() for t in tree.find_all(exp.Table) if t.name.lower() not in inner))
    stars = [star for star in tree.find_all(exp.Star) if not isinstance(star.parent, exp.Count)]
    using = [name for join in tree.find_all(exp.Join) for name in join.args.get("using") or ()]
    names = None if stars else frozenset(part.name.lower() for part in (*tree.find_all(exp.Column), *using))
    keys, count = _counts(tree)
    return SyntheticQuestion(tables, names, keys, count)


def _counts(tree: exp.Expr) -> tuple[tuple[tuple[int, str], ...], int | None]:
    none: tuple[tuple[tuple[int, str], ...], None] = ((), None)
    said = {name for name, value in tree.args.items() if value}
    group = tree.args.get("group")
    if not isinstance(tree, exp.Select) or said - {"kind", "expressions", "from", "from_", "group", "order", "limit"}:
        return none
    if group is None or {name for name, value in group.args.items() if value} != {"expressions"}:
        return none
    if len(list(tree.find_all(exp.Select))) != 1 or len(list(tree.find_all(exp.Table))) != 1:
        return none
    keys, counts = [], []
    for place, part in enumerate(tree.expressions):
        plain = part.this if isinstance(part, exp.Alias) else part
        if type(plain) is exp.Column:
            keys.append((place, plain.name.lower()))
        elif type(plain) is exp.Count and isinstance(plain.this, exp.Star):
            counts.append(place)
        else:
            return none
    grouped = [part.name.lower() if type(part) is exp.Column else "" for part in group.expressions]
    if len(counts) != 1 or len(keys) != len(grouped) or {name for _, name in keys} != set(grouped):
        return none
    return tuple(keys), counts[0]
