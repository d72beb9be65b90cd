"""Prepared tables: how they are made, kept and asked."""

__all__: tuple[str, ...] = ()
