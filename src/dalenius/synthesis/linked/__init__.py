"""Two tables linked by the people in them: one row for each person, and the rows that belong to each."""

__all__: list[str] = []
