"""Curves that notions are made of: trade-off functions, Rényi divergences, profiles and their inverses."""

__all__: list[str] = []
