"""Privacy notions, one a file: definition, composition, group rule and amplification of each."""

__all__: list[str] = []
