"""Count rows by key, to choose the most frequent."""

from dataclasses import dataclass
from typing import Any

from dalenius.curator import Chosen
from dalenius.escape import escaped
from dalenius.mechanisms import GumbelNoisyMax, Mechanism, TopK
from dalenius.mechanisms.exponential import ExponentialChoice
from dalenius.mechanisms.permute_and_flip import Flips
from dalenius.neighbors import Metric, Sensitivity, Unit
from dalenius.queries import ONE, Contributions, Count, Key, Keys, Table

ERROR = "rows"


@dataclass(frozen=True, slots=True)
class Frequent:
    """The utility of a public key: how many rows have it, or the sum of their weights.

    An added unit lowers no utility, so under ADD_REMOVE monotone mechanisms fit. `places` is how many keys are chosen,
    None for the best one.
    """

    among: Keys
    contributions: Contributions | None = None
    places: int | None = None

    @property
    def keys(self) -> Keys | None:
        """The places, from the first."""
        return None if self.places is None else Keys("rank", range(1, self.places + 1))

    @property
    def reads(self) -> tuple[str, ...]:
        """Every column that it needs."""
        return self._count.reads

    def evaluate(self, view: Table) -> list[int]:
        """A count for each key."""
        counts: list[int] = self._count.evaluate(view).tolist()
        return counts

    def sensitivity(self, unit: Unit) -> Sensitivity:
        """How far one unit moves any count  [A Ex 3.3, G complaints count]."""
        return self._count.sensitivity(unit, Metric.LINF)

    def chosen(self, name: str, released: Any, mechanism: Mechanism) -> Chosen:
        """The keys of the chosen indices."""
        chosen = [released] if self.places is None else released.tolist()
        return self._column(name, tuple(self.among.values[index] for index in chosen), mechanism)

    def expected(self, name: str, mechanism: Mechanism) -> Chosen:
        """The error beforehand."""
        return self._column(name, (), mechanism)

    def facts(self) -> dict[str, Any]:
        """The keys and what bounds a unit."""
        return {"query": "frequent", "places": self.places, "count": self._count.facts()}

    @escaped
    def __str__(self) -> str:
        most = "the most frequent" if self.places is None else f"the {self.places} most frequent"
        return f"{most} of {self.among}"

    @property
    def _count(self) -> Count:
        return Count(self.among, self.contributions)

    def _column(self, name: str, values: tuple[Key, ...], mechanism: Mechanism) -> Chosen:
        selection = mechanism.selection if isinstance(mechanism, TopK) else mechanism
        scale = None  # noise of another law, such as Laplace's, misses by more than scale · log(k/β)
        if isinstance(selection, ExponentialChoice | GumbelNoisyMax | Flips) and not getattr(selection, "base", None):
            scale = selection.scale / (1 if self.contributions is None else ONE)
        return Chosen(name, values, mechanism.name, len(self.among), scale, ERROR)
