"""The owner's view of a copy: how far its tables are from the private ones, with intervals."""

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalenius.calls import named_arguments
from dalenius.curator import Release
from dalenius.curator.answer.outcome import aligned
from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.escape import escaped
from dalenius.ledger import canonical
from dalenius.numerics import Number
from dalenius.synthesis.comparison.plan import CompareTables
from dalenius.synthesis.copies.copy import Copy
from dalenius.synthesis.data.measure import scale_of

if TYPE_CHECKING:
    import pandas as pd

_SHOWN = 12


@dataclass(frozen=True, slots=True, repr=False)
class Comparison:
    """Total variation between the private and the synthetic rows in each measured table, with intervals."""

    release: Release
    rows: int
    columns: tuple[tuple[str, ...], ...]
    """The columns of each table."""

    def table(self, level: Number = "0.95") -> dict[str, list[Any]]:
        """For each table its distance, a share of the rows, and ends that hold it with probability `level`."""
        names = [" × ".join(columns) for columns in self.columns]
        scale = 1 / (2 * max(self.rows, 1))
        ends = self.release.interval(level)["distance"]
        return {
            "table": names,
            "distance": [max(0.0, value * scale) for value in self.release.value["distance"]],
            "distance_lower": [max(0.0, low * scale) for low, _ in ends],
            "distance_upper": [max(0.0, high * scale) for _, high in ends],
        }

    def to_pandas(self, level: Number = "0.95") -> "pd.DataFrame":
        """One row for each table; needs pandas."""
        import pandas as pd

        return pd.DataFrame(self.table(level))

    @escaped
    def __repr__(self) -> str:
        columns = self.table()
        order = np.argsort(columns["distance"])[::-1][:_SHOWN].tolist()
        worst = {name: [values[place] for place in order] for name, values in columns.items()}
        mean = float(np.mean(columns["distance"]))
        return "\n".join([f"mean distance {mean:.4f} over {len(self.columns)} tables; the farthest:", *aligned(worst)])


@named_arguments
def compare(db: Any, copy: Copy, *, epsilon: Number, delta: Number | None = None, key: str | None = None) -> Comparison:
    """How far a copy is from the private rows, table by table: paid from the budget, and for the owner alone.

    `db`: the session or curator that the copy was made from, opened without `analyst`. `copy`: what `fit` gave.
    `epsilon`, `delta`: the price; a tenth of the copy's is plenty, since a distance is one number for a whole table.
    `key`: names the release.
    """
    if not isinstance(copy, Copy):
        raise InvalidParameter("compare takes a copy of one table, as fit gives it")
    if getattr(db, "analyst", None) is not None:
        raise UnprovenClaim("real against synthetic is for the owner: an analyst sees copy.report(), which is free")
    marginals, rows = copy.marginals, copy.rows
    name = hashlib.sha256(canonical(copy.outcome.to_dict())).hexdigest()
    plan = CompareTables(marginals, copy.counts(), name, *scale_of(epsilon, delta), db.unit)
    columns = tuple(tuple(copy.domain.names[place] for place in table) for table in marginals.tables)
    return Comparison(db.release(plan, key), rows, columns)
