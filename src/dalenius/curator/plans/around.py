"""A plan around another: the same people, keys and columns, released in another way."""

from typing import Generic, TypeVar

from dalenius.curator.plans.plan import ColumnPlan
from dalenius.neighbors import Unit
from dalenius.queries import Keys, View

V = TypeVar("V", bound=View)


class PlanAround(Generic[V]):
    """What the plan inside declares; what the outer one proves of itself is its own to say."""

    __slots__ = ()

    plan: ColumnPlan[V]

    @property
    def unit(self) -> Unit:
        """Who is protected."""
        return self.plan.unit

    @property
    def keys(self) -> Keys | None:
        """The plan's public keys."""
        return self.plan.keys

    @property
    def names(self) -> tuple[str, ...]:
        """What the plan's released columns are called."""
        return self.plan.names
