"""The private SELECTs of a statement: what each groups by, what is asked of it, and how its columns are called."""

from dataclasses import dataclass, field

from sqlglot import exp

from dalenius.sql.engine import language


@dataclass(frozen=True, slots=True)
class PrivatePart:
    """One private SELECT: the table that it releases, the text that is asked, and how many of its columns are keys."""

    name: str
    select: str
    keys: int
    columns: tuple[str, ...]
    alone: tuple[str, ...] = ()
    """Texts under which the same numbers may have been asked as a question of their own."""


@dataclass(eq=False)
class PartTable:
    """A private SELECT that is being put together."""

    name: str
    rows: exp.Select
    keys: list[exp.Expr]
    values: dict[str, exp.Expr] = field(default_factory=dict)
    written: dict[str, None] = field(default_factory=dict)
    """The SELECTs of the statement that are this one, as they were written."""

    def key(self, place: int) -> exp.Expr:
        """The column of a key."""
        return released_column(self.name, self.key_names[place])

    def value(self, aggregate: exp.Expr) -> exp.Expr:
        """The column of an aggregate; the same aggregate is asked once."""
        plain = _written_out(aggregate)
        text = language.written(plain)
        self.values.setdefault(text, plain)
        return released_column(self.name, text)

    @property
    def key_names(self) -> list[str]:
        """What the keys are called: by what they are, and numbered, for two may be alike."""
        return [f"key {number}" for number in range(1, len(self.keys) + 1)]

    def source(self) -> exp.Expr:
        """The released table, as a FROM names it."""
        return exp.Table(this=exp.to_identifier(self.name, quoted=True))

    def part(self) -> PrivatePart:
        """The SELECT, its aggregates in the order of their texts, whatever order they were asked in."""
        texts = sorted(self.values)
        select = self.rows.copy()
        terms = [exp.alias_(key.copy(), name, quoted=True) for key, name in zip(self.keys, self.key_names, strict=True)]
        terms += [exp.alias_(self.values[text].copy(), text, quoted=True) for text in texts]
        select.set("expressions", terms)
        if self.keys:
            select.set("group", exp.Group(expressions=[key.copy() for key in self.keys]))
        columns, text = (*self.key_names, *texts), language.written(select)
        select.set("expressions", [term.copy() for term in (*self.keys, *self.values.values())])
        return PrivatePart(self.name, text, len(self.keys), columns, (*self.written, language.written(select)))


class PartList:
    """The private SELECTs of a statement so far; those over the same rows and keys are one."""

    def __init__(self, tree: exp.Expr) -> None:
        names = {identifier.name.lower() for identifier in tree.find_all(exp.Identifier)}
        self._prefix = "released"
        while any(name.startswith(self._prefix) for name in names):
            self._prefix = f"_{self._prefix}"
        self._tables: dict[str, PartTable] = {}

    def table(self, rows: exp.Select, keys: list[exp.Expr]) -> PartTable:
        """The SELECT over these rows by these keys."""
        same = " / ".join([language.written(rows), *map(language.written, keys)])
        if same not in self._tables:
            self._tables[same] = PartTable(f"{self._prefix} {len(self._tables) + 1}", rows, keys)
        return self._tables[same]

    def finished(self, outer: exp.Expr) -> tuple[PrivatePart, ...]:
        """The parts in the order of their texts, so that the same ones asked in another order are the same question."""
        read = {table.name for table in outer.find_all(exp.Table)}
        parts = [table.part() for table in self._tables.values() if table.name in read]
        return tuple(sorted(parts, key=lambda part: part.select))


def released_column(table: str, name: str) -> exp.Expr:
    """A column that was released: no rule of tables is left to be asked about it."""
    column = exp.column(name, table=table, quoted=True)
    column.meta["released"] = True
    return column


def _written_out(aggregate: exp.Expr) -> exp.Expr:
    """PERCENTILE_CONT(q) WITHIN GROUP (ORDER BY x) as QUANTILE_CONT(x, q), which a text holds."""
    if not isinstance(aggregate, exp.WithinGroup) or not isinstance(aggregate.this, exp.PercentileCont):
        return aggregate
    order = aggregate.expression
    if not isinstance(order, exp.Order) or len(order.expressions) != 1:
        return aggregate
    (term,) = order.expressions
    level: exp.Expr = aggregate.this.this
    if term.args.get("desc"):
        level = exp.Sub(this=exp.Literal.number(1), expression=exp.paren(level.copy()))
    return exp.PercentileCont(this=term.this.copy(), expression=level.copy())
