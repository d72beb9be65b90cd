"""The columns of a copy, and the tables that are measured of them."""

__all__: list[str] = []
