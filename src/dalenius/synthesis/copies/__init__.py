"""Copies: what is made of released tables, and what is said of them."""

__all__: list[str] = []
