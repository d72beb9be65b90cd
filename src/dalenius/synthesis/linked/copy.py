"""A private synthetic copy of two linked tables."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from dalenius.curator import Measured, Outcome, Release
from dalenius.errors import InvalidParameter
from dalenius.escape import escaped, terminal
from dalenius.ledger import canonical
from dalenius.numerics import Number
from dalenius.synthesis.copies.copy import MOST_ROWS, SYNTHETIC, Copy
from dalenius.synthesis.copies.kept import not_kept
from dalenius.synthesis.copies.marginal import Marginal
from dalenius.synthesis.copies.rows import SyntheticRows
from dalenius.synthesis.data.measure import NOTE as TABLES
from dalenius.synthesis.linked.plan import NOTE
from dalenius.synthesis.linked.tables import Linked
from dalenius.synthesis.model.public_coins import PublicCoins
from dalenius.synthesis.model.rows_given import rows_given
from dalenius.synthesis.model.sampling import drawn_rows


class LinkedCopy(Release):
    """Released tables of persons and of their rows, and two synthetic tables that join on the persons' numbers.

    Kept, each with its noise: pairs of parent columns, and of each with how many rows a person has; pairs of child
    columns; pairs of a parent with a child column. Not kept: what two rows of one person have in common beyond the
    parent columns, and their order. No synthetic person has more rows than the bound. All of it costs nothing more
    [A Prop 3.1].
    """

    form: ClassVar[str] = "linked synthetic copy"

    @property
    def value(self) -> dict[str, dict[str, list[Any]]]:
        """The columns of both tables, by the tables' names."""
        return {name: rows.columns for name, rows in self.sample().items()}

    @cached_property
    def people(self) -> Copy:
        """The copy of persons alone, with the number of rows of each: its tables have intervals."""
        return self._part(0)

    @cached_property
    def joined(self) -> Copy:
        """The copy of child rows joined with their persons: its tables have intervals."""
        return self._part(1)

    def sample(self, people: int | None = None, draw: int = 0) -> dict[str, SyntheticRows]:
        """Both tables, for nothing.

        `people`: how many synthetic persons; by default the noisy number of them. `draw`: another number is another
        draw from the models.

        >>> # copy.sample()["visits"].to_pandas()
        """
        size = self.people.rows if people is None else people
        if isinstance(size, bool) or not isinstance(size, int) or not 0 <= size <= MOST_ROWS // self.linked.bound.most:
            raise InvalidParameter(f"people must be a whole number, with at most {MOST_ROWS} rows, got {people!r}")
        linked, coins = self.linked, PublicCoins(f"{self._seed} sample {size} {draw}")
        codes, _ = drawn_rows(self.people.model, self.people.marginals.domain.shape, size, coins)
        own, times = codes[:, :-1], codes[:, -1]
        rows = rows_given(self.joined.model, self.joined.marginals.domain.shape, own, times, coins)
        key = linked.bound.column
        parents: dict[str, list[Any]] = {key: list(range(size))}
        children: dict[str, list[Any]] = {key: np.repeat(np.arange(size), times).tolist()}
        for table, domain, levels in ((parents, linked.parents, own), (children, linked.children, rows)):
            for place, attribute in enumerate(domain.attributes):
                table[attribute.name] = attribute.decode(levels[:, place], coins)
        return {linked.parent: SyntheticRows(parents), linked.child: SyntheticRows(children)}

    def marginal(self, columns: Sequence[str], level: Number = "0.95") -> Marginal:
        """The counts of columns named `table.column`: of persons where all are the parent's, else of their rows."""
        mine, prefix = tuple(columns), f"{self.linked.parent}."
        if mine and all(name.startswith(prefix) for name in mine):
            return self.people.marginal([name.removeprefix(prefix) for name in mine], level)
        return self.joined.marginal(mine, level)

    def report(self, level: Number = "0.95") -> str:
        """What the copy keeps, with the error of its tables, and what it does not."""
        linked = self.linked
        text = "\n".join(
            (
                f"persons ({linked.parent}, and how many {linked.child} each has):",
                _indented(str(self.people.report(level))),
                f"rows ({linked.child}, each with its person's columns):",
                _indented(str(self.joined.report(level))),
                f"linked: {linked.child} follow from the columns of {linked.parent}; what two rows of one person have "
                "in common beyond these, and their order, is not kept",
                f"no synthetic person has more than {linked.bound.most} {linked.child}",
            )
        )
        return terminal(text, lines=True)

    def told(self, level: Number) -> dict[str, list[Any]]:
        """The columns of both tables and how many levels each has; rows are `sample`, counts `marginal`."""
        domain = self.joined.domain
        return {"column": list(domain.names), "levels": list(domain.sizes)}

    @property
    def warnings(self) -> tuple[str, ...]:
        """That its rows are synthetic."""
        return (SYNTHETIC,)

    def not_kept(self, columns: frozenset[str] | None = None) -> tuple[str, ...]:
        """What a question about these columns, in lower case, cannot rely on; None for all of them."""
        names = self.joined.domain.names
        wanted = frozenset(
            name.lower() for name in names if columns is None or name.partition(".")[2].lower() in columns
        )
        sentences = not_kept(self.joined, wanted)
        linked = f"what two {self.linked.child} of one person have in common beyond {self.linked.parent} is not kept"
        return (*sentences, linked) if columns is None or self.linked.bound.column.lower() in columns else sentences

    def accuracy(self, beta: Number) -> dict[str, float]:
        """For each table: with probability 1 − beta the noise of a cell is within this many rows  [D Def 2.1]."""
        return {column.name: float(column.accuracy(beta)) for column in self._measured}

    def interval(self, level: Number, joint: bool = False) -> dict[str, tuple[tuple[float, float], ...]]:
        """For each table, ends for each cell: of one cell at `level`, or of all cells of all tables at once."""
        cells = sum(len(column.cells) for column in self._measured) if joint else 1
        return {column.name: column.interval(level, cells) for column in self._measured}

    @property
    def bias(self) -> None:
        """Nothing is known of what the contribution bound has cut off."""
        return None

    @cached_property
    def linked(self) -> Linked:
        """Which columns of which tables."""
        return Linked.from_facts(self.outcome.notes[NOTE])

    @escaped
    def __repr__(self) -> str:
        linked = self.linked
        title = f"synthetic copy of {linked.parent} and {linked.child}, at most {linked.bound.most} of each"
        return f"{title}\n{self.guarantee}"

    @cached_property
    def _seed(self) -> str:
        return canonical(self.outcome.to_dict()).hex()

    @property
    def _measured(self) -> tuple[Measured, ...]:
        return tuple(column for column in self.outcome.columns if isinstance(column, Measured))

    def _part(self, number: int) -> Copy:
        people, joined = self.linked.people, self.linked.joined
        cut = len(people.tables)
        columns = self.outcome.columns[:cut] if number == 0 else self.outcome.columns[cut:]
        facts = (people, joined)[number].facts()
        return Copy(Outcome(columns, notes={TABLES: facts}), self.receipt)


def linked_copy_of(release: Release) -> LinkedCopy:
    """The copy that a release of linked tables is."""
    if NOTE not in release.outcome.notes:
        raise InvalidParameter("this release holds no tables of a linked copy")
    return LinkedCopy(release.outcome, release.receipt)


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())
