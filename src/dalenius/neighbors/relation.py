"""Relations: what makes two data sets neighbors."""

from enum import Enum

from dalenius.errors import InvalidParameter, MixedRelations


class Relation(Enum):
    """How neighboring data sets differ  [A §4.1].

    The notes print the words in brackets the wrong way round: "bounded" is CHANGE_ONE, "unbounded" is ADD_REMOVE.
    """

    ADD_REMOVE = "add-remove"
    """One unit is added or removed; how many units there are is private."""
    CHANGE_ONE = "change-one"
    """One unit's data are replaced by any other; how many units there are is public."""

    @classmethod
    def of(cls, value: "Relation | str") -> "Relation":
        """The relation, or the one that a text such as "add-remove" names."""
        try:
            return cls(value)
        except ValueError:
            names = ", ".join(repr(member.value) for member in cls)
            raise InvalidParameter(f"relation must be one of {names}, got {value!r}") from None

    def same_as(self, other: "Relation") -> "Relation":
        """This relation, refused if the other one differs."""
        if self is not Relation.of(other):
            raise MixedRelations(
                f"{self.value} and {other.value} guarantees do not add up; convert with .to(Relation.CHANGE_ONE) first"
            )
        return self

    def __repr__(self) -> str:
        return f"Relation.{self.name}"
