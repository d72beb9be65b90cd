"""What FROM means: tables, joins and subqueries, each with the unit of its rows."""

__all__: tuple[str, ...] = ()
