"""Kinds of values, types of columns and the names that the engine's tables have."""

__all__: tuple[str, ...] = ()
