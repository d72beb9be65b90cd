"""Rows, features and targets as a fit reads them: checked, bounded and scaled."""

__all__: list[str] = []
