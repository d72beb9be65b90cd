"""What a budget allows: filters, odometers, and the least noise or most repetitions that fit into it."""

__all__: list[str] = []
