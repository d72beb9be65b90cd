"""A table that can be asked in SQL."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from dalenius.curator import Curator, Explanation, Measure, Plan, Release
from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.ledger import Amount, Ledger
from dalenius.neighbors import Unit
from dalenius.numerics import Number, rational
from dalenius.queries import Key
from dalenius.sql.aggregation import Aggregation
from dalenius.sql.compile import compile_query
from dalenius.sql.engine.duckdb import DuckDB
from dalenius.sql.policy import Ends, Policy


def connect(
    path: str | Path,
    *,
    unit: Unit | str,
    budget: Mapping[str, Number],
    ledger: Ledger | str | Path,
    bounds: Mapping[str, Ends] | None = None,
    keys: Mapping[str, Iterable[Key]] | None = None,
    contributions: int | None = None,
) -> "Session":
    """Open a Parquet file for private questions; its table is named by the file's stem.

    The ledger keeps the budget from now on: opened again with another budget or unit, it refuses.
    """
    if not isinstance(budget, Mapping) or set(budget) - {"epsilon", "delta"} or "epsilon" not in budget:
        raise InvalidParameter("budget must be like dict(epsilon=1, delta=0)")
    engine = DuckDB(path)
    policy = Policy.declare(
        engine.name, engine.columns, unit=unit, keys=keys, bounds=bounds, contributions=contributions
    )
    book = ledger if isinstance(ledger, Ledger) else Ledger.open(ledger)
    book.create(policy.table, budget["epsilon"], budget.get("delta", 0), unit=policy.unit)
    return Session(engine, policy, book)


class Session:
    """A curator that understands SQL: every answer is private for each unit and charged before the data is read."""

    def __init__(self, engine: DuckDB, policy: Policy, ledger: Ledger, analyst: str | None = None) -> None:
        self.policy = policy
        self._curator: Curator[DuckDB] = Curator(
            engine, unit=policy.unit, ledger=ledger, dataset=policy.table, analyst=analyst
        )

    def sql(self, query: str, *, epsilon: Number, delta: Number = 0, key: str | None = None) -> Release:
        """The private answer; the same `key` gives the same answer again for nothing."""
        return self.release(self.plan(query, epsilon=epsilon, delta=delta), key)

    def explain(self, query: str, *, epsilon: Number, delta: Number = 0) -> Explanation:
        """What the answer would cost and how far off it would be; free, and from the policy alone."""
        return self.plan(query, epsilon=epsilon, delta=delta).explain()

    def plan(self, query: str, *, epsilon: Number, delta: Number = 0) -> Measure[DuckDB]:
        """The query as a plan, or a refusal by name."""
        if rational(delta, "delta") != 0:
            raise UnprovenClaim(f"counts over public keys are purely private: delta must be 0, got {delta}")
        aggregation, name = Aggregation.of(compile_query(query, self.policy))
        return _measure(aggregation, name, epsilon)

    def release(self, plan: Plan[DuckDB], key: str | None = None) -> Release:
        """Release any plan over this table."""
        return self._curator.release(plan, key)

    @property
    def budget(self) -> Amount:
        """What may still be spent."""
        return self._curator.budget

    def __repr__(self) -> str:
        return f"Session({self.policy.table!r}, {self.policy.unit}, {self.budget} left)"


def _measure(aggregation: Aggregation, name: str, epsilon: Number) -> Measure[DuckDB]:
    return Measure.calibrated(aggregation, epsilon=epsilon, unit=aggregation.compiled.unit, name=name)
