"""Numbers with their nouns, as a sentence has them."""


def counted(number: int, one: str, many: str) -> str:
    """A number and what it counts.

    >>> counted(1, "person", "people"), counted(1200, "person", "people")
    ('1 person', '1,200 people')
    """
    return f"{number:,} {one if number == 1 else many}"


def counted_people(number: int) -> str:
    """A number of people."""
    return counted(number, "person", "people")


def counted_rows(number: int) -> str:
    """A number of rows."""
    return counted(number, "row", "rows")
