"""A first policy for tables, made for their owner from one look at the data."""

__all__: tuple[str, ...] = ()
