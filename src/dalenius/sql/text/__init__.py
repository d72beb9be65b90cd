"""The analyst's text: parsed, and read as one statement."""

__all__: tuple[str, ...] = ()
