"""Plans: what is asked, at which price, and how plans are put together."""

__all__: list[str] = []
