"""A question as a request carries it."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictFloat, StrictInt, StrictStr

from dalenius.sql import LONGEST

Amount = Annotated[StrictStr | StrictInt | StrictFloat, Field(description="A number, or a text such as 0.1 or 1/3.")]


class ServedQuestion(BaseModel):
    """A SELECT, and what it may cost or how far off it may be: the terms of `Session.sql`."""

    model_config = ConfigDict(extra="forbid")

    sql: Annotated[str, Field(max_length=LONGEST)]
    epsilon: Amount | None = None
    delta: Amount | None = None
    groups: StrictInt | Literal["private"] | None = None
    min_units: int = 1
    within: Amount | None = None
    of: Amount | None = None
    confidence: Amount = "0.95"
    max_epsilon: Amount | None = None

    def terms(self) -> dict[str, Any]:
        """The terms by the names that a session has for them."""
        names = ("epsilon", "delta", "groups", "min_units", "within", "of", "confidence", "max_epsilon")
        return {name: getattr(self, name) for name in names}
