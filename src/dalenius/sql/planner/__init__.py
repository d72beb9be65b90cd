"""From a parsed query to what is measured: the rules, and the compiled query."""

__all__: tuple[str, ...] = ()
