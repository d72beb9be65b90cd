"""What a policy says of the tables beside the first: where they lie, whose their rows are, and their terms."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dalenius.errors import InvalidParameter
from dalenius.sql.policy.by_table import Declared
from dalenius.sql.policy.null_keys import split_nulls
from dalenius.sql.policy.rows_by_table import split_rows_per_unit

_BY_COLUMN = ("keys", "bounds", "fill")
_TEXTS = ("tables", "references", "public", "units")


@dataclass(frozen=True, slots=True)
class BesideTerms:
    """What a policy file says of tables beside the first: where they lie, what refers to what, and their terms.

    `units` names the column of people in a table that calls it otherwise than the first; `columns` are declared types.
    `rows_per_unit` says of a table whether it holds one row of a person or many, where it is not as the first.
    """

    tables: Mapping[str, str] = field(default_factory=dict)
    references: Mapping[str, str] = field(default_factory=dict)
    public: Mapping[str, str] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    columns: Mapping[str, str] = field(default_factory=dict)
    declared: Declared = field(default_factory=lambda: Declared({}, {}, {}))
    rows_per_unit: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def taken(cls, terms: dict[str, Any]) -> "BesideTerms":
        """Taken out of a file's terms, which keep those of the first table."""
        tables = {name: terms.pop(name, {}) for name in _TEXTS}
        for name, given in tables.items():
            if not isinstance(given, Mapping) or not all(isinstance(value, str) for value in given.values()):
                raise InvalidParameter(f'[{name}] of a policy holds texts: name = "file", or "table.column"')
        every = Declared(
            **{name: terms.get(name, {}) for name in _BY_COLUMN},
            attributes=tuple(terms.get("attributes", ())),
            null_keys=split_nulls(None, terms.get("null_keys"))[1],
        )
        if unknown := [name for name in tables["units"] if name not in tables["tables"]]:
            raise InvalidParameter(f"[units] names {unknown[0]!r}, which is none of [tables]")
        columns = terms.get("columns", {})
        apart = {name: kind for name, kind in columns.items() if name.partition(".")[0] in tables["tables"]}
        terms["columns"] = {name: kind for name, kind in columns.items() if name not in apart}
        own = every.without(tables["tables"])
        own_terms = {name: getattr(own, name) for name in (*_BY_COLUMN, "attributes", "null_keys")}
        terms |= {name: value for name, value in own_terms.items() if name in terms}
        first, rows = split_rows_per_unit(terms.pop("rows_per_unit", None), str(terms.get("table", "")))
        if first is not None:
            terms["rows_per_unit"] = first
        return cls(**tables, columns=apart, declared=every.beside(tables["tables"]), rows_per_unit=rows)
