"""SQL after the release: what stands above private SELECTs is ordinary SQL over the small tables that they release."""

__all__: tuple[str, ...] = ()
