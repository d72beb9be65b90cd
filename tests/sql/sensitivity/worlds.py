"""Many small data sets in one table, told apart by a column, and the exact parts of a compiled query in each."""

import datetime
import math

import numpy as np
import pyarrow as pa
import sqlglot
from sqlglot import exp

PEOPLE = (1, 2, 3)
SCHEMA = pa.schema(
    [
        ("world", pa.int32()),
        ("who", pa.int64()),
        ("k", pa.string()),
        ("j", pa.int32()),
        ("x", pa.float64()),
        ("y", pa.float64()),
        ("f", pa.float32()),
        ("flag", pa.bool_()),
        ("d", pa.date32()),
        ("ts", pa.timestamp("us")),
        ("note", pa.string()),
    ]
)
_ODD = [math.nan, math.inf, -math.inf, 1e308, -1e308, 5e-324, -0.0, None]
_VALUES = {
    "k": ["a", "b", "it's", "undeclared", "", None],
    "j": [0, 1, -7, 5, 2**31 - 1, -(2**31), None],
    "x": [0.0, 1.0, 1.5, -2.5, 6.999, 7.0, 100.0, *_ODD],
    "y": [0.0, 0.25, 1.0, 1 / 3, *_ODD],
    "f": [0.5, 0.1, math.nan, math.inf, None],
    "flag": [True, False, None],
    "d": [datetime.date(2023, 1, 31), datetime.date(2024, 2, 29), datetime.date(1, 1, 1), None],
    "ts": [datetime.datetime(2024, 1, 1, 23), datetime.datetime(1, 1, 1), datetime.datetime(9999, 1, 1), None],
    "note": ["", "1", "nan", "inf", "zz", "2024-01-01", "1e400", "\u00e9\u0000x", None],
}


def rows(random, most, people=(*PEOPLE, None)):
    """Some rows of some people; one of them may own most."""
    size = int(random.integers(0, most + 1))
    heavy = random.random() < 0.5
    owners = [
        people[0] if heavy and random.random() < 0.7 else people[random.integers(len(people))] for _ in range(size)
    ]
    return [(who, *(values[random.integers(len(values))] for values in _VALUES.values())) for who in owners]


def neighbors(random, base):
    """Every data set that lacks a person, then some in which a person is another."""
    without = [[row for row in base if row[0] != person] for person in PEOPLE]
    changed = [[*others, *rows(random, 6, (person,))] for person, others in zip(PEOPLE, without, strict=True)]
    return without, changed


def table(worlds):
    """All data sets as one Arrow table."""
    columns = list(zip(*((place, *row) for place, world in enumerate(worlds) for row in world), strict=True))
    if not columns:
        return SCHEMA.empty_table()
    return pa.table([pa.array(column, kind.type) for column, kind in zip(columns, SCHEMA, strict=True)], schema=SCHEMA)


def in_worlds(statement):
    """The statement with the world carried through every SELECT, GROUP BY, window and join of private tables."""
    tree = sqlglot.parse_one(statement, dialect="duckdb")
    for select in list(tree.find_all(exp.Select)):
        source = select.args.get("from_")
        if source is None or not is_private(source.this, tree):
            continue
        world = exp.column("world", table=source.this.alias_or_name, quoted=True)
        if stands_in_an_expression(select):
            outer = select.parent_select.args["from_"].this.alias_or_name
            there = exp.column("world", table=outer, quoted=True)
            select.where(exp.EQ(this=world, expression=there), copy=False)
            continue
        if not any(isinstance(term, exp.Star) for term in select.expressions):
            select.select(world, copy=False)
        sums = any(total.parent_select is select for total in select.find_all(exp.Sum))
        if select.args.get("group") or (select is tree and sums):
            select.group_by(world.copy(), copy=False)
        for window in select.find_all(exp.Window):
            if window.parent_select is select:
                window.set("partition_by", [*(window.args.get("partition_by") or []), world.copy()])
        for join in select.args.get("joins") or []:
            if not is_private(join.this, tree):
                continue
            if join.args.get("using"):
                join.args["using"].append(exp.to_identifier("world", quoted=True))
            else:
                there = exp.column("world", table=join.this.alias_or_name, quoted=True)
                join.set("on", exp.and_(join.args["on"], exp.EQ(this=world.copy(), expression=there)))
    return tree.sql(dialect="duckdb")


def stands_in_an_expression(select):
    """Whether a SELECT is inside of EXISTS, IN, or a value: there a row sees the rows of its own world."""
    above = select.parent
    if isinstance(above, exp.Exists):
        return True
    return isinstance(above, exp.Subquery) and not isinstance(above.parent, exp.From | exp.Join | exp.CTE)


def is_private(node, tree):
    """Whether a private table is read in it, through the WITH of the statement."""
    named = {cte.alias: cte.this for cte in tree.find_all(exp.CTE)}
    return any(
        is_private(named[table.name], tree)
        if table.name in named
        else table.name == "source" or table.name.startswith("table ")
        for table in node.find_all(exp.Table)
    )


def parts_of(connection, compiled, worlds, statement=None):
    """The exact integers, [world, part, cell]."""
    connection.register("arrived", table(worlds))
    connection.execute('CREATE OR REPLACE TEMP TABLE "source" AS SELECT * FROM arrived')
    return parts_loaded(connection, compiled, len(worlds), statement)


def parts_loaded(connection, compiled, worlds, statement=None):
    """The exact integers of the tables that are there."""
    names = every_part(compiled)
    answer = np.zeros((worlds, len(names), compiled.cells), object)
    scans = [(compiled.scan, compiled.parts), *((group.scan, group.parts) for group in compiled.groups if group.scan)]
    for scan, parts in scans:
        if scan:
            _fill(connection, statement or scan, {names.index(part): part for part in parts}, answer)
    return answer


def every_part(compiled):
    """The parts of the common scan, then of those of their own."""
    return [*compiled.parts, *(part for group in compiled.groups if group.scan for part in group.parts)]


def _fill(connection, statement, parts, answer):
    found = connection.execute(in_worlds(statement)).fetchnumpy()
    cells, places = found.pop("cell"), found.pop("world")
    for part, name in parts.items():
        for place, cell, value in zip(places.tolist(), cells.tolist(), found[name].tolist(), strict=True):
            answer[place, part, cell] = int(value)


def chosen_by(compiled):
    """What quantiles and modes are chosen by."""
    return [*compiled.ranks, *compiled.modes]


def furthest_weights(connection, compiled, worlds, pairs, scans=None):
    """For each choice, the largest ℓ1 distance between the weights of all cells and places of a pair of worlds."""
    connection.register("arrived", table(worlds))
    connection.execute('CREATE OR REPLACE TEMP TABLE "source" AS SELECT * FROM arrived')
    return ranks_loaded(connection, scans or [one.scan for one in chosen_by(compiled)], len(worlds), pairs)


def ranks_loaded(connection, scans, worlds, pairs):
    """The same, of the tables that are there."""
    told = []
    for scan in scans:
        held = [{} for _ in range(worlds)]
        found = connection.execute(in_worlds(scan)).fetchnumpy()
        for world, cell, place, weight in zip(
            *(found[name].tolist() for name in ("world", "cell", "place", "weight")), strict=True
        ):
            held[world][cell, place] = int(weight)
        told.append(max(apart(held[a], held[b]) for a, b in pairs))
    return told


def cells_of(connection, worlds, scan):
    """For each world the number of each cell, by a statement that gives one."""
    connection.register("arrived", table(worlds))
    connection.execute('CREATE OR REPLACE TEMP TABLE "source" AS SELECT * FROM arrived')
    held = [{} for _ in worlds]
    for row in connection.sql(in_worlds(scan)).to_arrow_table().to_pylist():
        (part,) = row.keys() - {"cell", "world"}
        held[row["world"]][row["cell"]] = int(row[part])
    return held


def name_keys(connection, compiled, listed):
    """Keys that were named, the same in every world, as the statements of a plan would find them; none is no use."""
    columns = {key.column: [row[place] for row in listed] for place, key in enumerate(compiled.named)}
    if not listed:
        return False
    connection.register("listed_keys", pa.table({**columns, "place": list(range(len(listed)))}))
    connection.execute('CREATE OR REPLACE TEMP TABLE "named" AS SELECT * FROM listed_keys')
    return True


def apart(one, other):
    """The ℓ1 distance, what is absent 0."""
    return sum(abs(one.get(at, 0) - other.get(at, 0)) for at in one.keys() | other.keys())


def furthest(compiled, answer, pairs):
    """For each group, the largest ℓ1 distance between the two worlds of a pair."""
    places = {name: place for place, name in enumerate(every_part(compiled))}
    return [
        max(
            int(
                abs(
                    answer[a][[places[name] for name in group.parts]]
                    - answer[b][[places[name] for name in group.parts]]
                ).sum()
            )
            for a, b in pairs
        )
        for group in compiled.groups
    ]
