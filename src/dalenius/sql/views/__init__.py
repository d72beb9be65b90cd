"""Private views: answers that are kept and can be asked again."""

__all__: tuple[str, ...] = ()
