from sqlglot import exp

from dalenius.errors import UnsupportedQuery
from dalenius.sql.engine import Dialect


class SQLiteDialect(Dialect):
    """What SQLite lacks (wide sums, LEAST, FLOOR, a hash) are functions that the engine registers."""

    name = "sqlite"

    def text(self, tree):
        """A quotient of whole numbers is exact: sqlglot would write one of doubles."""
        return super().text(
            tree.copy().transform(
                lambda node: (
                    exp.Anonymous(this="INT_DIV", expressions=[node.this, node.expression])
                    if isinstance(node, exp.IntDiv)
                    else node
                )
            )
        )

    def row_weight(self, full, most, rows):
        return f"LEAST({full}, CAST({most} / {rows} AS INTEGER))"

    def wide(self, value):
        return f"CAST({value} AS INTEGER)"

    def narrow(self, value):
        return f"CAST({value} AS INTEGER)"

    def held(self, total):
        return total  # the registered SUM holds it

    def is_nan(self, value):
        return f"ISNAN({value})"

    def hash_order(self, values):
        return f"HASH_OF({', '.join(values)})"

    def cell_set(self):
        return 'CELL_SET("cell")'

    def size_of_set(self, column):
        return f"SET_SIZE({column})"

    def in_set(self, column):
        return f'({column} >> "cell") & 1 = 1'

    def numbers(self, count):
        return " UNION ALL ".join(f'SELECT {number} AS "cell"' for number in range(count))

    def key_frame(self, values, kind):
        rows = [
            exp.select(exp.alias_(exp.Literal.number(place), "cell", quoted=True)).select(
                exp.alias_(exp.convert(value), "key", quoted=True)
            )
            for place, value in enumerate(values)
        ]
        listed = rows[0] if len(rows) == 1 else exp.union(*rows, distinct=False)
        return exp.select(exp.column("cell", quoted=True), exp.column("key", quoted=True)).from_(
            listed.subquery("listed")
        )

    def bytes_of(self, value):
        return exp.Anonymous(this="OCTET_LENGTH", expressions=[value])

    def root_above(self, square):
        raise UnsupportedQuery("this engine answers COUNT and SUM in ℓ1")

    def divided(self, value, by):
        raise UnsupportedQuery("this engine answers COUNT and SUM in ℓ1")

    def place(self, column, low, per, last):
        raise UnsupportedQuery("this engine answers COUNT and SUM")

    def kept_rows(self, columns, unit, most, key):
        raise UnsupportedQuery("this engine prepares no tables")
