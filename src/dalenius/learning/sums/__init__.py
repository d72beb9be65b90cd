"""Sums over clipped rows, and the losses whose bounds they rest on."""

__all__: list[str] = []
