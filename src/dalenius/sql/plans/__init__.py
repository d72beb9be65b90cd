"""Compiled queries as plans that a curator releases."""

__all__: tuple[str, ...] = ()
