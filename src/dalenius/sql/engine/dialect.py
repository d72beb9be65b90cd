"""What an engine must be able to say: every piece of SQL that engines write differently, each named once.

The statements that answer questions are made of these pieces (see `statements`), so that a rule on which a proof rests,
such as a row's weight, stands in one place. Pieces take and give text in the engine's own SQL: outside of `engine`
there are trees alone. What the proofs ask of each piece stands in docs/theory/engines.md.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import lru_cache

from sqlglot import exp, parse_one

from dalenius.queries import Key
from dalenius.sql.types.kinds import Kind


@lru_cache(maxsize=128)
def _parsed(text: str, dialect: str) -> exp.Expr:
    return parse_one(text, dialect=dialect)


class Dialect(ABC):
    """The SQL of one engine."""

    name: str
    """What sqlglot calls it."""

    def text(self, tree: exp.Expr) -> str:
        """The tree as the engine reads it."""
        return str(tree.sql(dialect=self.name))

    def parse(self, text: str) -> exp.Expr:
        """A statement that was written in the engine's SQL, as a tree of the caller's own.

        Statements are filled into few frames, which hold bounds and names of parts alone: most were read before.
        """
        return _parsed(text, self.name).copy()

    def quoted(self, name: str) -> str:
        """A name, whatever its letters are."""
        return self.text(exp.to_identifier(name, quoted=True))

    def literal(self, value: str) -> str:
        """A text, whatever its letters are."""
        return self.text(exp.Literal.string(value))

    @abstractmethod
    def row_weight(self, full: int, most: int, rows: str) -> str:
        """The weight of each of a unit's `rows`: least(full, ⌊most / rows⌋), so that all weigh at most `most`."""

    @abstractmethod
    def wide(self, value: str) -> str:
        """A whole number in a type whose sums and products cannot overflow: 128 bits or more."""

    @abstractmethod
    def narrow(self, value: str) -> str:
        """A whole number of 64 bits."""

    @abstractmethod
    def held(self, total: str) -> str:
        """A wide sum, held inside 64 bits: never an error, whatever the sum is."""

    @abstractmethod
    def root_above(self, square: str) -> str:
        """A whole number that is at least 2²⁰ times the root of a column of squares, whatever floats round."""

    @abstractmethod
    def divided(self, value: str, by: str) -> str:
        """A wide number divided by another, rounded toward zero."""

    @abstractmethod
    def is_nan(self, value: str) -> str:
        """Whether a number is NaN."""

    def is_counted(self, value: str) -> str:
        """Whether a number is neither NULL nor NaN, as a condition of a WHERE: NULL is as good as false there."""
        return f"{value} IS NOT NULL AND NOT {self.is_nan(value)}"

    @abstractmethod
    def hash_order(self, values: Sequence[str]) -> str:
        """A number that these values of one row decide, and no other row: the order of a unit's groups and values."""

    @abstractmethod
    def cell_set(self) -> str:
        """The set of the cells of a group of rows, cell numbers below 63, as one number."""

    @abstractmethod
    def size_of_set(self, column: str) -> str:
        """How many cells such a set holds."""

    @abstractmethod
    def in_set(self, column: str) -> str:
        """Whether such a set holds the number in "cell"."""

    @abstractmethod
    def numbers(self, count: int) -> str:
        """A SELECT of the whole numbers from 0 below `count`, as "cell"."""

    def short_cell(self, cells: int) -> str:
        """The number in "cell", which is below `cells`, in the narrowest type that the engine has for it."""
        return '"cell"'

    @abstractmethod
    def place(self, column: str, low: float, per: float, last: int) -> str:
        """The place of a number on a grid from `low` on, `per` places a unit, held between 0 and `last`. Total."""

    def short_place(self, column: str, low: float, per: float, last: int) -> str:
        """The same place, where `last` is below 2¹⁶, in the words and the type that the engine is fastest with."""
        return self.place(column, low, per, last)

    @abstractmethod
    def key_frame(self, values: tuple[Key, ...], kind: Kind) -> exp.Select:
        """The public keys, as "key", with their numbers from 0 on, as "cell". NULL, if it is one, is the last."""

    @abstractmethod
    def bytes_of(self, value: exp.Expr) -> exp.Expr:
        """The size of a text in bytes."""

    @abstractmethod
    def kept_rows(self, columns: Mapping[str, str], unit: str, most: int, key: str) -> exp.Query:
        """At most `most` rows of each unit, chosen by a keyed hash of each row's content and of the unit's other rows.

        `columns` are the names and types of what is kept of "source"; `key` is secret, and written in hexadecimal.
        """
