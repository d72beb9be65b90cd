"""The owner's terms: unit, budget, bounds and keys, declared in Python or in a file."""

__all__: tuple[str, ...] = ()
