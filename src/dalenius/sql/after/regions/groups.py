"""GROUP BY above the release: groups by public keys, or by conditions that noise leaves open."""

import itertools
from collections.abc import Sequence

from sqlglot import exp

from dalenius.sql.after.blocks import aggregates_of
from dalenius.sql.after.regions.aggregates import OF_TWO, aggregate, counted
from dalenius.sql.after.regions.distinct import counted_distinct
from dalenius.sql.after.regions.expressions import Expressions
from dalenius.sql.after.regions.rows import HERE, Context, Presence
from dalenius.sql.after.regions.values import Exact, NoRule, Unknown, Value, choices
from dalenius.sql.text.words import word

Group = tuple[tuple[Value, ...], list[tuple[Presence, Context]]]


def grouped(select: exp.Select, rows: list[Context], of: Expressions, places: Sequence[exp.Expr]) -> list[Context]:
    """One row for each group that may be there, with what its aggregates may be."""
    group = select.args.get("group")
    if group is not None and group.args.get("all"):
        keys = [term.unalias() for term in select.expressions if not aggregates_of(term)]
        sets = [tuple(range(len(keys)))]
    else:
        columns = {name.lower() for _, name in rows[0].names} if rows else set[str]()
        keys, sets = _levels(select, group, columns)
    aggregates = {id(n): n for place in places for n in aggregates_of(place) if not isinstance(n, exp.Grouping)}
    results = []
    for level in sets:
        for values, members in _groups([keys[place] for place in level], rows, of, whole=group is None or not level):
            computed = {
                id_: aggregated(node, members, of)
                for id_, node in aggregates.items()
                if not isinstance(node, exp.Grouping)
            }
            known: list[tuple[exp.Expr, Value]] = list(zip((keys[place] for place in level), values, strict=True))
            known += [(keys[place], Exact(None)) for place in range(len(keys)) if place not in level]
            first = members[0][1] if members else None
            presence = _presence([there for there, _ in members], group is None or not level)
            results.append(
                Context(
                    () if first is None else first.names,
                    () if first is None else first.values,
                    presence,
                    computed,
                    known,
                    rows[0].aliases if rows else {},
                )
            )
    return results


def _levels(
    select: exp.Select, group: exp.Expr | None, columns: set[str]
) -> tuple[list[exp.Expr], list[tuple[int, ...]]]:
    """The keys, and the sets of them that rows are grouped by; a column goes before an alias of the same name."""
    if group is None:
        return [], [()]
    keys: list[exp.Expr] = []

    def place(term: exp.Expr) -> int:
        inner = term
        if isinstance(term, exp.Literal) and str(term.this).isdigit():
            inner = select.expressions[int(term.this) - 1].unalias()
        elif isinstance(term, exp.Column) and not term.table and term.name.lower() not in columns:
            aliases = {one.alias.lower(): one.this for one in select.expressions if isinstance(one, exp.Alias)}
            inner = aliases.get(term.name.lower(), term)
        if inner not in keys:
            keys.append(inner)
        return keys.index(inner)

    def ways(term: exp.Expr) -> list[tuple[int, ...]]:
        if isinstance(term, exp.GroupingSets):
            return [way for one in term.expressions for way in ways(one)]
        if isinstance(term, exp.Rollup | exp.Cube):
            parts = [ways(part)[0] for part in term.expressions]
            if isinstance(term, exp.Rollup):
                some = [parts[:size] for size in range(len(parts), -1, -1)]
            else:
                some = [list(c) for size in range(len(parts), -1, -1) for c in itertools.combinations(parts, size)]
            return [tuple(itertools.chain.from_iterable(one)) for one in some]
        if isinstance(term, exp.Tuple):
            return [tuple(place(one) for one in term.expressions)]
        return [(place(term.unnest()),)]

    chosen = itertools.product(*(ways(term) for term in group.expressions))
    return keys, [tuple(sorted(set(itertools.chain.from_iterable(one)))) for one in chosen]


def _groups(keys: Sequence[exp.Expr], rows: list[Context], of: Expressions, whole: bool) -> list[Group]:
    """Rows by the values of keys; a row whose key noise leaves open may be in several groups."""
    if whole:
        return [((), [(row.presence, row) for row in rows])]
    listed = []
    for row in rows:
        options = []
        for key in keys:
            value = of.value(key, row)
            possible = choices(value)
            if possible is None:
                raise NoRule("GROUP BY a number with noise has no rule for regions")
            options.append((value, sorted(possible, key=repr)))
        listed.append(options)
    combined: dict[tuple[object, ...], list[tuple[Presence, Context]]] = {}
    for options in listed:
        for values in itertools.product(*(possible for _, possible in options)):
            combined.setdefault(values, [])
    for row, options in zip(rows, listed, strict=True):
        if all(isinstance(value, Exact) for value, _ in options):  # its one group is looked up: NaN is in none
            own = tuple(value.point for value, _ in options)
            if all(one == one for one in own):
                combined[own].append((row.presence, row))
            continue
        for values, members in combined.items():
            # rows stay members of every group, also of those they cannot be in: what is asked must not depend on noise
            within = all(one in possible for (_, possible), one in zip(options, values, strict=True))
            only = all(possible == [one] for (_, possible), one in zip(options, values, strict=True))
            at = all(value.point == one for (value, _), one in zip(options, values, strict=True))
            presence = row.presence.both(Presence(False, only, within, at))
            members.append((presence, row))
    return [(tuple(map(Exact, values)), members) for values, members in combined.items()]


def _presence(members: Sequence[Presence], whole: bool) -> Presence:
    """A group is there if one of its rows is; without GROUP BY there is one in any case."""
    if whole or any(one.exact and one.sure for one in members):
        return HERE
    return Presence(
        False, any(one.sure for one in members), any(one.possible for one in members), any(one.point for one in members)
    )


def aggregated(node: exp.Expr, members: Sequence[tuple[Presence, Context]], of: Expressions) -> Value:
    """An aggregate of rows that are there or may be."""
    if isinstance(node, exp.Filter):
        kept = []
        for presence, row in members:
            under = presence.under(of.value(node.expression.this, row))
            if under is not None:
                kept.append((under, row))
        return aggregated(node.this, kept, of)
    if isinstance(node, exp.CountIf):
        counting = [presence.under(of.value(node.this, row)) for presence, row in members]
        return counted([one for one in counting if one is not None])
    if isinstance(node, exp.WithinGroup):
        return _within_group(node, members, of)
    inner = node.this
    if isinstance(node, exp.Count) and (inner is None or isinstance(inner, exp.Star)):
        return counted([presence for presence, _ in members])
    if isinstance(inner, exp.Distinct):
        return _distinct(node, inner, members, of)
    values = [(presence, of.value(inner, row)) for presence, row in members]
    by: list[Value] = []
    if isinstance(node, OF_TWO):
        by = [of.value(node.expression, row) for _, row in members]
    return aggregate(node, values, of.region, by)


def _within_group(node: exp.WithinGroup, members: Sequence[tuple[Presence, Context]], of: Expressions) -> Value:
    """PERCENTILE_CONT(p) WITHIN GROUP (ORDER BY x) is QUANTILE_CONT(x, p)."""
    kind, ordered = type(node.this), node.expression.expressions
    if kind not in (exp.PercentileCont, exp.PercentileDisc) or len(ordered) != 1 or ordered[0].args.get("desc"):
        return Unknown(f"{word(node.this)} in this order has no rule for regions")
    values = [(presence, of.value(ordered[0].this, row)) for presence, row in members]
    return aggregate(kind(this=ordered[0].this.copy(), expression=node.this.this.copy()), values, of.region)


def _distinct(
    node: exp.Expr, inner: exp.Distinct, members: Sequence[tuple[Presence, Context]], of: Expressions
) -> Value:
    if not isinstance(node, exp.Count) or len(inner.expressions) != 1:
        return Unknown("DISTINCT values of numbers with noise have no rule for regions but for COUNT")
    return counted_distinct([(presence, of.value(inner.expressions[0], row)) for presence, row in members], of.region)
