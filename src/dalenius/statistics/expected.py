"""Explain a step whose facts are still to be found."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Expected:
    """How the second step relates to one that can be told now."""

    how: str
    example: object

    def __str__(self) -> str:
        return f"{self.how}:\n\n{self.example}"
