"""From a question and what it may cost to an answer."""

__all__: tuple[str, ...] = ()
