"""Plans of a fit: what is released, at which price, and how the budget is shared."""

__all__: list[str] = []
