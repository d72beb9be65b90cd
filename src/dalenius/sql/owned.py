"""What the owner of a table does with it besides asking: its profile, its prepared copy, and dry runs."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Self

from dalenius.calls import Readable, shown
from dalenius.errors import InvalidParameter
from dalenius.ledger import Ledger
from dalenius.noise import Bits
from dalenius.numerics import Number
from dalenius.progress import working
from dalenius.sql.dummy import dummy_engine
from dalenius.sql.engine import Engine
from dalenius.sql.error_table import EPSILONS, ErrorTable, Size, error_table
from dalenius.sql.plans.sums import QueryExplanation
from dalenius.sql.policy.policy import Policy
from dalenius.sql.prepared.table import Prepared, prepare
from dalenius.sql.pricing.ask import Pricing
from dalenius.sql.pricing.profile import TableProfile, profile_parts
from dalenius.sql.tables.table import QueryTable


class Owned(Readable, ABC):
    """A table with its terms: the part of a session that asks nothing in SQL."""

    _INSTEAD: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("execute", "query", "run", "read_sql"), 'ask by sql("SELECT …", epsilon=…)'),
        **dict.fromkeys(("tables", "columns", "schema", "table", "info"), "describe() tells tables and columns"),
        **dict.fromkeys(("remaining", "spent", "left"), "budget tells what is left"),
        **dict.fromkeys(("count", "sum", "mean", "avg"), 'ask by sql("SELECT COUNT(*) FROM …", epsilon=…)'),
        "choose": "ARG_MAX(candidate, utility) chooses in SQL; a Curator of the data releases statistics.choose(…)",
        **dict.fromkeys(("fetchall", "fetchone", "cursor", "commit"), "dalenius.dbapi.connect gives a cursor"),
    }

    policy: Policy
    _engine: Engine
    _others: Mapping[str, QueryTable]
    _asking: Pricing
    _prepared: Prepared | None

    @abstractmethod
    def _over(self, engine: Engine, ledger: Ledger) -> Self:
        """The same terms over other rows, paid from another ledger."""

    @abstractmethod
    def explain(self, query: str, *args: Any, **terms: Any) -> QueryExplanation:
        """What an answer would cost and how far off it would be."""

    def errors(
        self,
        queries: str | Iterable[str],
        epsilons: Iterable[Number] = EPSILONS,
        *,
        sizes: Size | Sequence[Size] | None = None,
        delta: Number | None = None,
    ) -> ErrorTable:
        """How far off the answers to questions would be at each price; free, by `explain`.

        Args:
            queries: the questions, each one SELECT.
            epsilons: the prices, each for one question by itself.
            sizes: how large the answers are, one for all or one for each question, for errors relative to them: a
                number that you state, or an answer that was released, of which the median cell is taken.
            delta: what each question may spend besides, as in `sql`.

        An example: `print(db.errors(["SELECT COUNT(*) FROM purchases"], [0.1, 1], sizes=5000))`.
        """
        return error_table(partial(self.explain, delta=delta), queries, epsilons, sizes)

    def profile(
        self,
        *,
        epsilon: Number | None = None,
        columns: Iterable[str] | None = None,
        purpose: str | None = None,
    ) -> TableProfile:
        """The table's profile: people by their number of rows, and people with values outside of bounds.

        With `epsilon` it is bought, once for all who ask; without it what was bought is told, for nothing. It tells how
        many rows should count, what bounding cuts off, and, under ceilings, gives intervals of the whole answer.

        Args:
            epsilon: what the profile may cost in all.
            columns: the columns with bounds that it is about; by default those with limits, or all of them.
            purpose: what it is for; it stands in the ledger's log.

        An example: `db.profile(epsilon=0.2)`.
        """
        if epsilon is not None:
            self._asking.buy_profile(profile_parts(self.policy, epsilon, columns, self._engine.dialect), purpose)
        return TableProfile(self._asking.profile())

    def prepare(self, folder: str | Path | None = None, *, new_key: bool = False) -> None:
        """Make, once, a table that holds at most `contributions` rows of each unit, and answer from it where it can.

        It is kept beside the data, or in `folder`, for its owner alone, and made anew when the data or the policy has
        changed. Rows are chosen by a secret key and each unit's own rows; `new_key=True` draws another key and makes
        the table anew, if somebody may have seen the old. Nothing is released or charged, and answers stay.
        """
        with working(f"preparing {self.policy.table}"):
            made = prepare(self._engine, self.policy, folder, Bits(), new_key)
        self._engine.hold(made.view, lambda: made.current)
        self._prepared = made

    def dummy(self, rows: int = 1000) -> Self:
        """The same tables with made-up rows of the declared types, bounds and keys: dry runs, which cost nothing."""
        if not isinstance(rows, int) or isinstance(rows, bool) or rows < 1:
            raise InvalidParameter(f"rows must be a whole number ≥ 1, got {shown(rows)}")
        engine, ledger = dummy_engine(self.policy, self._others, self._engine, rows)
        return self._over(engine, ledger)
