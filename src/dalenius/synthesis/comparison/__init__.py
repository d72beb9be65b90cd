"""How far a copy is from the private rows: paid, and for the owner."""

__all__: list[str] = []
