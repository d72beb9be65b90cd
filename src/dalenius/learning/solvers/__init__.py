"""Solvers of the optimisation problems inside a fit, with proven distances to the minimum."""

__all__: list[str] = []
