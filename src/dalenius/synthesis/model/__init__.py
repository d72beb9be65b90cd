"""The mixture of products that a copy is drawn from."""

__all__: list[str] = []
