"""Composition theorems of the textbooks, kept to compare with: advanced, moments, central limit."""

__all__: list[str] = []
