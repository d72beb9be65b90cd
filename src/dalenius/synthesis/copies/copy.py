"""A private synthetic copy of a table."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dalenius.calls import named_arguments
from dalenius.curator import Measured, Outcome, Release
from dalenius.errors import InvalidParameter
from dalenius.escape import escaped
from dalenius.ledger import canonical
from dalenius.numerics import Number, probability
from dalenius.synthesis.copies.kept import not_kept
from dalenius.synthesis.copies.marginal import Marginal, marginal_of
from dalenius.synthesis.copies.report import CopyReport, report_of
from dalenius.synthesis.copies.rows import SyntheticRows, unit_column
from dalenius.synthesis.data.domain import Domain
from dalenius.synthesis.data.marginals import Marginals
from dalenius.synthesis.data.measure import NOTE
from dalenius.synthesis.model.choice import chosen_mixture
from dalenius.synthesis.model.evidence import NoisyTable, NoisyTables
from dalenius.synthesis.model.mixture import Mixture, MixtureSettings, Shape
from dalenius.synthesis.model.public_coins import PublicCoins
from dalenius.synthesis.model.sampling import drawn_rows

MOST_ROWS = 50_000_000
SYNTHETIC = "a synthetic copy: its rows are nobody's"


class Copy(Release):
    """Released tables, and the rows that are drawn from a model of them: all of it costs nothing more  [A Prop 3.1].

    The model and every draw are functions of the release, so the copy is the same whenever it is read again.

    >>> Copy.__mro__[1].__name__
    'Release'
    """

    form: ClassVar[str] = "synthetic copy"

    @property
    def value(self) -> dict[str, list[Any]]:
        """The columns of as many synthetic rows as there are noisy rows."""
        return self.sample().columns

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the copy."""
        return self.domain.names

    @property
    def rows(self) -> int:
        """The noisy number of rows that the tables agree on; those of people with many count as the bound says."""
        return max(0, round(self._tables.rows))

    def sample(self, rows: int | None = None, draw: int = 0) -> SyntheticRows:
        """Synthetic rows, for nothing.

        `rows`: how many; by default the noisy number of rows. `draw`: another number is another draw from the model.

        >>> # copy.sample(1000).to_pandas()
        """
        size = self.rows if rows is None else rows
        if isinstance(size, bool) or not isinstance(size, int) or not 0 <= size <= MOST_ROWS:
            raise InvalidParameter(f"rows must be a whole number from 0 to {MOST_ROWS}, got {rows!r}")
        levels, coins = self._levels(size, draw)
        decoded: dict[str, list[Any]] = {}
        for place, attribute in enumerate(self.domain.attributes):
            decoded[attribute.name] = attribute.decode(levels[:, place], coins)
        bound = self.marginals.contributions
        if bound is not None:
            decoded = {bound.column: unit_column(size, bound.most)} | decoded
        return SyntheticRows(decoded)

    def counts(self) -> tuple[NDArray[np.int64], ...]:
        """The counts of the rows of `sample()` in each measured table, flat."""
        levels, _ = self._levels(self.rows, 0)
        plain = replace(self.marginals, contributions=None)
        return tuple(plain.counted(levels, None))

    def marginal(self, columns: Sequence[str], level: Number = "0.95") -> Marginal:
        """The counts of one column, or of several: as measured, with an interval for each cell, where they were.

        `columns`: their names, in any order. `level`: the probability with which each cell's interval holds. Of a table
        that was not measured the model's counts are given, without intervals: nothing is proved of them.
        """
        if isinstance(columns, str):
            raise InvalidParameter(f"columns must be a list of names, got {columns!r}")
        return marginal_of(self, tuple(columns), probability(level, "level"))

    def report(self, level: Number = "0.95") -> CopyReport:
        """What the copy keeps, with the error of each table, and what it does not."""
        return report_of(self, probability(level, "level"))

    def told(self, level: Number) -> dict[str, list[Any]]:
        """The columns of the copy and how many levels each has; rows are `sample`, counts `marginal`."""
        return {"column": list(self.columns), "levels": list(self.domain.sizes)}

    @property
    def warnings(self) -> tuple[str, ...]:
        """That its rows are synthetic."""
        return (SYNTHETIC,)

    def not_kept(self, columns: frozenset[str] | None = None) -> tuple[str, ...]:
        """What a question about these columns, in lower case, cannot rely on; None for all of them."""
        return not_kept(self, columns)

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

    @property
    def domain(self) -> Domain:
        """The columns and their levels."""
        return self.marginals.domain

    @cached_property
    def marginals(self) -> Marginals:
        """Which tables were measured."""
        return Marginals.from_facts(self.outcome.notes[NOTE])

    @property
    def model(self) -> Mixture:
        """The mixture that rows are drawn from."""
        return self._fitted[0]

    @property
    def settings(self) -> MixtureSettings:
        """How it was fitted: chosen from the release itself."""
        return self._fitted[1]

    @escaped
    def __repr__(self) -> str:
        names = ", ".join(self.columns)
        return f"synthetic copy of {self.rows} rows: {names}\n{len(self._measured)} tables measured, {self.guarantee}"

    def _levels(self, size: int, draw: int) -> tuple[NDArray[np.int64], PublicCoins]:
        """The level of each row drawn in each column, and the coins that are left to draw values with."""
        coins = PublicCoins(f"{self._seed} sample {size} {draw}")
        codes, labels = drawn_rows(self.model, self._shape, size, coins, self._impossible)
        if self.marginals.target is not None:
            codes = np.insert(codes, self.marginals.target, labels, axis=1)
        return codes, coins

    @cached_property
    def _fitted(self) -> tuple[Mixture, MixtureSettings]:
        return chosen_mixture(self._tables, PublicCoins(f"{self._seed} model"))

    @cached_property
    def _seed(self) -> str:
        return canonical(self.outcome.to_dict()).hex()

    @cached_property
    def _tables(self) -> NoisyTables:
        return noisy_tables(self.outcome, self.marginals)

    @property
    def _measured(self) -> tuple[Measured, ...]:
        return tuple(column for column in self.outcome.columns if isinstance(column, Measured))

    @property
    def _shape(self) -> Shape:
        return self._tables.shape

    @property
    def _impossible(self) -> Any:
        return self._tables.impossible


@named_arguments
def copy_of(release: Release) -> Copy:
    """The copy that a release of tables is."""
    if NOTE not in release.outcome.notes:
        raise InvalidParameter("this release holds no tables of a copy: release what synthesis.plan makes")
    return Copy(release.outcome, release.receipt)


def modelled(marginals: Marginals) -> list[int]:
    """The columns of the mixture: all but the label."""
    return [place for place in range(len(marginals.domain.names)) if place != marginals.target]


def noisy_tables(outcome: Outcome, marginals: Marginals) -> NoisyTables:
    """The released tables in rows, by levels and labels."""
    domain, places = marginals.domain, modelled(marginals)
    if marginals.target is not None and not places:
        places = [marginals.target]
    tables = []
    for table, column in zip(marginals.tables, outcome.columns, strict=True):
        assert isinstance(column, Measured)
        cells = column.floats().reshape(marginals.shape(table))
        if marginals.target is None:
            cells = cells[..., None]
        columns = tuple(places.index(place) for place in table if place != marginals.target)
        variance = float(column.mechanism.noise.variance) * float(column.lattice.step) ** 2
        tables.append(NoisyTable(columns, np.asarray(cells, np.float64), variance))
    attributes = [domain.attributes[place] for place in places]
    shape = Shape(tuple(a.size for a in attributes), tuple(a.ordered for a in attributes))
    labels = 1 if marginals.target is None else domain.sizes[marginals.target]
    kept = [(places.index(i), places.index(j), cells) for i, j, cells in domain.impossible if {i, j} <= set(places)]
    return NoisyTables(shape, labels, tables, kept)
