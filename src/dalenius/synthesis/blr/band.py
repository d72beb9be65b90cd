"""Small databases whose answers lie near those of the data: what a family of questions must be able to count."""

from typing import Protocol

from dalenius.noise import Bits


class Band(Protocol):
    """The databases of m rows around one private database, nested by their error.

    The *level* of a small database is max over the questions |count in the data − n · share in the small one|, rounded
    up to whole steps, of which there are `fineness` to a row. One added or changed row moves every count − n · share by
    at most 1, so it moves the level by at most `fineness`: rounding up commutes with adding whole steps.
    """

    @property
    def largest(self) -> int:
        """A level that no small database exceeds."""

    def count(self, level: int) -> int:
        """The base measure of all databases of at most this level: how many they are, or how many sequences."""

    def draw(self, level: int, bits: Bits) -> tuple[int, ...]:
        """One of them, drawn exactly by the base measure: how often it holds each item of the universe."""


class Family(Protocol):
    """A set of counting questions over a finite universe, and the number m of rows of a small database."""

    @property
    def universe(self) -> int:
        """The number of items a row can be."""

    @property
    def questions(self) -> int:
        """The number k of questions."""

    @property
    def rows(self) -> int:
        """The number m of rows of a small database; public, and not chosen by the data."""

    @property
    def fineness(self) -> int:
        """How many steps of the level make a row, which is how far one row moves it."""

    @property
    def databases(self) -> int:
        """The base measure of all small databases."""

    def around(self, histogram: tuple[int, ...], one: int = 1) -> Band:
        """The small databases around the private histogram, whose counts are in steps of 1/one row."""

    def facts(self) -> dict[str, object]:
        """All of it, as JSON holds it."""
