"""Put released columns into the place of grouping keys and aggregates."""

from collections.abc import Callable

from sqlglot import exp

from dalenius.sql.after.blocks import Block, aggregates_of, comparable

Key = Callable[[int], exp.Expr]
Value = Callable[[exp.Expr], exp.Expr]


def replaced(above: exp.Select, keys: list[exp.Expr], sources: list[tuple[str, Block]], key: Key, value: Value) -> None:
    """In every clause of a SELECT above the release: `key` gives the column of a key, `value` that of an aggregate."""
    listed = [comparable(one, sources) for one in keys]
    for name in ("expressions", "where", "qualify", "order", "windows"):
        given = above.args.get(name)
        for node in given if isinstance(given, list) else [] if given is None else [given]:
            _replace(node, listed, sources, key, value)


def _replace(node: exp.Expr, keys: list[exp.Expr], sources: list[tuple[str, Block]], key: Key, value: Value) -> None:
    if isinstance(node, exp.Query):
        return
    for child in list(node.iter_expressions()):
        plain = comparable(child.unnest(), sources)
        outermost = aggregates_of(child)
        if plain in keys:
            child.replace(key(keys.index(plain)))
        elif len(outermost) == 1 and outermost[0] is child:
            child.replace(value(child.copy()))
        else:
            _replace(child, keys, sources, key, value)
