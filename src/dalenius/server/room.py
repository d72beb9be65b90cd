"""How much memory and temporary space one question may use: public figures, the same for everyone."""

import re
from dataclasses import dataclass

from dalenius.errors import InvalidParameter

_AMOUNT = re.compile(r"[1-9]\d{0,8}(KB|MB|GB|TB|KiB|MiB|GiB|TiB)")


@dataclass(frozen=True, slots=True)
class Room:
    """The room of one question, which no other question shares.

    A person with n rows in two joined tables makes n² rows of them. Where all questions shared one memory, that person
    could fail the questions of others, who would learn of it for nothing; so each statement has an instance of the
    engine to itself, and fails by its own rows alone: as the one constant sentence, at its moment, after its charge.

    Args:
        memory: such as "2GB"; a machine needs as much for each slot of each data set, and for questions that are late.
        disk: for what does not fit into the memory, in a folder that is removed with it.
    """

    memory: str = "2GB"
    disk: str = "10GB"

    def __post_init__(self) -> None:
        for name in ("memory", "disk"):
            value = getattr(self, name)
            if not isinstance(value, str) or _AMOUNT.fullmatch(value) is None:
                raise InvalidParameter(f"{name} of a question must be like 500MB or 2GB, got {value!r}")

    def of_engine(self) -> dict[str, str | int]:
        """The settings of an engine that keeps questions apart."""
        return {"memory_limit": self.memory, "max_temp_directory_size": self.disk, "instances": "statement"}
