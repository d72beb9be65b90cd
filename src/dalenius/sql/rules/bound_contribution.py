"""The one aggregation, in which no unit counts for more than its share."""

import math
from collections.abc import Callable
from dataclasses import replace

from sqlglot import exp, parse_one

from dalenius.neighbors import Metric
from dalenius.queries import ONE, WEIGHTS
from dalenius.sql.draft import Draft
from dalenius.sql.group import Group
from dalenius.sql.policy import Policy
from dalenius.sql.shares import WEIGHT_BITS, Share

# where rows are units, each counts as it is
_WHOLE = 'SELECT "cell", {parts} FROM (SELECT *, 1 AS "n" FROM "terms") AS "terms" GROUP BY "cell"'
# one cell: a unit's rows are summed before they are weighted
_SINGLE = """
    SELECT 0 AS "cell", {parts}
    FROM (SELECT COUNT(*) AS "n", 1 AS "g", LEAST({one}, {most} // COUNT(*)) AS "w", {sums}
          FROM "terms" GROUP BY "unit") AS "owned"
"""
# several cells: a weight for each unit, joined to its rows
_JOINED = """
    WITH "rows" AS (SELECT * FROM "terms"),
         "units" AS (SELECT "unit", LEAST({one}, {most} // COUNT(*)) AS "w" FROM "rows" GROUP BY "unit")
    SELECT "cell", {parts} FROM (SELECT *, 1 AS "n" FROM "rows") AS "rows" JOIN "units" USING ("unit") GROUP BY "cell"
"""
# people in a few cells: a unit's cells are the bits of a number, which tells in one pass how many it is in
_BITS = """
         "marked" AS (SELECT "mask", LEAST({one}, {most_cells} // BIT_COUNT("mask")) AS "g" FROM "units"),
         "people" AS (SELECT "cell", SUM("g") AS "people" FROM "marked", (SELECT UNNEST(RANGE({cells})) AS "cell")
                      AS "cells" WHERE ("mask" >> "cell") & 1 = 1 GROUP BY "cell")
"""
_MASK = 'BIT_OR(CAST(1 AS BIGINT) << CAST("cell" AS BIGINT)) AS "mask"'
_PEOPLE = f"""
    WITH "units" AS (SELECT {_MASK} FROM "terms" GROUP BY "unit"), {_BITS}
    SELECT "cell", {{parts}} FROM "people" GROUP BY "cell"
"""
_MARKED = f"""
    WITH "rows" AS (SELECT * FROM "terms"),
         "units" AS (SELECT "unit", LEAST({{one}}, {{most}} // COUNT(*)) AS "w", {_MASK} FROM "rows" GROUP BY "unit"),
         {_BITS}
    SELECT "cell", {{parts}} FROM (SELECT *, 1 AS "n" FROM "rows") AS "rows" JOIN "units" USING ("unit")
    JOIN "people" USING ("cell") GROUP BY "cell"
"""
_MOST_BITS = 62
# people in many cells: each unit's cells are counted one by one
_PAIRED = """
    WITH "pairs" AS (SELECT "unit", "cell", COUNT(*) AS "n", {sums} FROM "terms" GROUP BY "unit", "cell"),
         "units" AS (SELECT "unit", LEAST({one}, {most} // CAST(SUM("n") AS BIGINT)) AS "w",
                            {presence} AS "g" FROM "pairs" GROUP BY "unit")
    SELECT "cell", {parts} FROM "pairs" JOIN "units" USING ("unit") GROUP BY "cell"
"""
# the same in ℓ2: {above} is at least 2²⁰ times the root of the squares' sum, whatever floats round
_SPREAD = """
    WITH "pairs" AS (SELECT "unit", "cell", COUNT(*) AS "n", {sums} FROM "terms" GROUP BY "unit", "cell"),
         "sizes" AS (SELECT "unit", SUM(CAST("n" AS HUGEINT) * "n") AS "s", CAST(COUNT(*) AS HUGEINT) AS "c"
                     FROM "pairs" GROUP BY "unit"),
         "units" AS (SELECT "unit",
                            CASE WHEN "s" <= {square} THEN {one}
                                 ELSE CAST({root} // {above_rows} AS BIGINT) END AS "w",
                            CASE WHEN "c" <= {square_cells} THEN {one}
                                 ELSE CAST({root_cells} // {above_cells} AS BIGINT) END AS "g" FROM "sizes")
    SELECT "cell", {parts} FROM "pairs" JOIN "units" USING ("unit") GROUP BY "cell"
"""
_ABOVE = 'CAST(FLOOR(SQRT(CAST("{}" AS DOUBLE)) * 1048576.000001e0) + 1 AS HUGEINT)'


def bound_contribution(draft: Draft, policy: Policy) -> Draft:
    """Sum whole rows, or integer row weights least(2²⁰, T·2²⁰ // n) where n is the unit's number of final rows.

    A row adds at most R in ℓ1 over all parts (see `shares`), so a unit with n rows adds at most
    n·least(2²⁰, ⌊T·2²⁰/n⌋)·R ≤ T·2²⁰·R over all parts and cells, whatever its rows are, and moves nobody else's weight
    [G complaints count]. Then 2⁻²⁰ of it is kept, rounded toward zero part by part, which leaves at most T·R. Its
    presence in g of the cells adds g·least(2²⁰, ⌊G·2²⁰/g⌋) ≤ G·2²⁰ to COUNT(DISTINCT unit), G the lesser of T and the
    number of cells that a unit can be in: keys that are its attributes leave it one. Is that all, it adds 1. n counts
    final rows: those that pass WHERE, with declared keys and a unit; whether a value of theirs is NULL does not matter.

    No row can make it overflow: a weighted sum is at most T·2²⁰·R < 2⁶³ by the choice of R, sums are of 128 bits.
    """
    if draft.named or not draft.shares:
        return draft  # `bound_groups` sums over keys that are to be found
    if policy.unit.column is None or policy.contributions is None:
        tree = filled(_WHOLE, draft, lambda share, part: part)
        return replace(draft, statement=tree, groups=_groups(draft, 1, weighted=False))
    if draft.norm is Metric.L2 and draft.reach > 1:
        return _spread(draft, policy.contributions)
    template, most = _template(draft), policy.contributions
    most_cells = min(most, draft.reach) * ONE
    presence = "1" if draft.reach == 1 else f"LEAST({ONE}, {most_cells} // COUNT(*))"
    terms = {"most": most * ONE, "presence": presence, "most_cells": most_cells, "cells": draft.cells}
    statement = filled(template, draft, _marked if template in (_PEOPLE, _MARKED) else weighted, **terms)
    return replace(draft, statement=statement, groups=_groups(draft, most, weighted=True))


def _spread(draft: Draft, most: int) -> Draft:
    """Weights of least(2²⁰, ⌊T·2²⁰/‖n‖₂⌋), n the unit's numbers of final rows in each of the cells.

    The parts of a cell are at most R·n in ℓ1 there, hence in ℓ2, so those of all cells are at most R·‖n‖₂, and weighted
    T·2²⁰·R; rounding each toward zero makes none larger  [G sensitivity]. A unit with T rows or fewer has ‖n‖₂ ≤ T and
    counts in full, one whose rows are spread over cells counts for more of them than T. Presence in c cells has norm
    √c: times least(2²⁰, ⌊√G·2²⁰/√c⌋) it is √G·2²⁰ at most. A unit that can be in one cell has nothing to gain.

    The root is taken in floats: √s·(2²⁰ + 10⁻⁶), rounded, is above √s·2²⁰, since 10⁻⁶/2²⁰ is more than 2⁻⁵¹. With s
    below 2⁸⁶ nothing overflows: a weighted part is at most T·2²⁰·R < 2⁶³, as in ℓ1.
    """
    cells = min(most, draft.reach)
    statement = filled(
        _SPREAD,
        draft,
        weighted,
        square=most**2,
        square_cells=cells,
        root=most << 2 * WEIGHT_BITS,
        root_cells=math.isqrt(cells << 4 * WEIGHT_BITS),
        above_rows=_ABOVE.format("s"),
        above_cells=_ABOVE.format("c"),
    )
    groups = []
    for share in draft.shares:
        group = _group(share, draft, most, weighted=True)
        square = cells * ONE**2 if share.people else group.steps**2
        groups.append(replace(group, square=square))
    return replace(draft, statement=statement, groups=tuple(groups))


def _template(draft: Draft) -> str:
    people = [share.people for share in draft.shares]
    if draft.cells == 1:
        return _SINGLE
    if not any(people):
        return _JOINED
    if draft.cells > _MOST_BITS or draft.reach == 1:
        return _PAIRED
    return _PEOPLE if all(people) else _MARKED


def whole_groups(draft: Draft, most: int) -> tuple[Group, ...]:
    """What holds where a unit has at most `most` rows, none of which needs a weight."""
    return _groups(draft, most, weighted=False)


def _groups(draft: Draft, most: int, *, weighted: bool) -> tuple[Group, ...]:
    return tuple(_group(share, draft, most, weighted) for share in draft.shares)


def _group(share: Share, draft: Draft, most: int, weighted: bool) -> Group:
    times, lattice = most, share.lattice
    if share.people:
        times = min(most, draft.reach)
    if share.plain and weighted and not (share.people and draft.reach == 1):
        times, lattice = times * ONE, WEIGHTS
    steps, single = times * share.most, draft.cells == 1 and len(share.parts) == 1
    # in a single cell a unit adds something between `low` and `high`, and its change moves that no further
    change = times * (share.high - share.low) if single else 2 * steps
    return Group(share.question, share.names, steps, min(change, 2 * steps), lattice, draft.weight, people=share.people)


def weighted(share: Share, part: exp.Expr) -> exp.Expr:
    """What a unit's rows in a cell add to a part, by the unit's weight "w", or "g" for people."""
    if share.people:
        return exp.column("g", quoted=True)
    # the product fits in 63 bits, whatever the width of its factors
    product = exp.cast(exp.Mul(this=exp.column("w", quoted=True), expression=exp.paren(part)), "BIGINT")
    if share.plain:
        return product
    if share.low < 0:  # // rounds toward zero; of what is never negative so does >>, which the engine does faster
        return exp.IntDiv(this=product, expression=exp.Literal.number(ONE))
    return exp.BitwiseRightShift(this=product, expression=exp.Literal.number(WEIGHT_BITS))


def _marked(share: Share, part: exp.Expr) -> exp.Expr:
    """As `weighted`, with the people of a cell in one number, which every row of the cell repeats."""
    return exp.Max(this=exp.column("people", quoted=True)) if share.people else weighted(share, part)


def filled(template: str, draft: Draft, of: Callable[[Share, exp.Expr], exp.Expr], **terms: object) -> exp.Expr:
    """A template with the draft's final rows as its "terms", and the sums and parts that its shares are made of."""
    parts, sums = [], []
    for place, share in enumerate(draft.shares):
        for name, part in share.parts:
            added = of(share, numbered(part, place))
            total = added if isinstance(added, exp.AggFunc) else exp.Sum(this=added)
            text = total.sql(dialect="duckdb")
            parts.append(f"{held(f'COALESCE({text}, 0)')} AS {_quoted(name)}")
        sums += [f"{_summed(name, place)} AS {_quoted(f'{name}{place}')}" for name, _ in share.terms]
    text = template.format(parts=", ".join(parts) or "0 AS none", sums=", ".join(sums) or "0 AS none", one=ONE, **terms)
    tree = parse_one(text, dialect="duckdb")
    for table in list(tree.find_all(exp.Table)):
        if table.name == "terms":
            table.replace(exp.alias_(_terms(draft).subquery(), "terms", table=True, quoted=True))
    return tree


def _terms(draft: Draft) -> exp.Select:
    """The final rows with the whole-number terms of each share."""
    assert draft.rows is not None
    kept = [name for name in draft.rows.named_selects if name in ("cell", "unit", *(k.column for k in draft.named))]
    columns: list[exp.Expr] = [exp.column(name, quoted=True) for name in kept]
    wholes, terms = list(columns), list(columns)
    for place, share in enumerate(draft.shares):
        if share.whole is not None:
            wholes.append(exp.alias_(numbered(share.whole, place), f"a{place}", quoted=True))
            terms.append(exp.column(f"a{place}", quoted=True))
        terms += [exp.alias_(numbered(term, place), f"{name}{place}", quoted=True) for name, term in share.terms]
    inner = exp.select(*wholes).from_(exp.alias_(draft.rows.subquery(), "final", table=True, quoted=True))
    if len(wholes) == len(columns):
        return draft.rows
    return exp.select(*terms).from_(exp.alias_(inner.subquery(), "wholes", table=True, quoted=True))


def numbered(tree: exp.Expr, place: int) -> exp.Expr:
    """A share's own names, told apart from other shares'."""
    if isinstance(tree, exp.Column):
        return tree.copy() if tree.name in ("n", "w", "g") else exp.column(f"{tree.name}{place}", quoted=True)
    copy = tree.copy()
    for column in list(copy.find_all(exp.Column)):
        if column.name != "n":
            column.replace(exp.column(f"{column.name}{place}", quoted=True))
    return copy


def _summed(name: str, place: int) -> str:
    """A term over a unit's rows; the engine counts faster than it adds ones.

    A count is multiplied by as much as 2³⁰ before it is weighted: in 128 bits, for a join can give a unit 2³³ rows.
    """
    counted = f"CAST(COUNT({_quoted(f'a{place}')}) AS HUGEINT)"
    return counted if name == "c" else f"SUM({_quoted(f'{name}{place}')})"


def held(total: str) -> str:
    """A sum over rows, held inside 64 bits."""
    return f"CAST(GREATEST(LEAST({total}, {2**63 - 1}), {-(2**63) + 1}) AS BIGINT)"


def _quoted(name: str) -> str:
    return exp.to_identifier(name, quoted=True).sql(dialect="duckdb")
