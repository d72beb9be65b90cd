"""How far computed numbers may be off: a statement evaluated over all that the noise of its tables leaves possible."""

__all__: tuple[str, ...] = ()
