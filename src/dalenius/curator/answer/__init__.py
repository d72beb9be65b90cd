"""Answers: what a plan released, with its noise, spread and bias."""

__all__: list[str] = []
