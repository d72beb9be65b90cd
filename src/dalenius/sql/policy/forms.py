"""The form of each of the owner's terms: what is told by name, and what is a text, in Python and in a file."""

from collections.abc import Mapping
from typing import Any

from dalenius.calls import check_mapping, shown
from dalenius.errors import InvalidParameter
from dalenius.neighbors import Unit

_BY_NAME = {
    "bounds": "{'amount': (0, 200)}",
    "limits": "{'amount': (0, 5000)}",
    "keys": "{'category': ['food', 'toys']}",
    "fill": "{'amount': 0}",
    "descriptions": "{'amount': 'what was paid, in euros'}",
    "columns": "{'amount': 'DOUBLE'}",
    "tables": "{'patients': 'patients.parquet'}",
    "public": "{'cities': 'cities.csv'}",
    "references": "{'items.order_id': 'orders.id'}",
    "units": "{'patients': 'id'}",
    "formats": "{'visits': {'delimiter': ';'}}",
    "weight": "{'column': 'w', 'most': 50}",
    "settings": "{'memory_limit': '2GB'}",
}
_TEXTS = ("table", "source")


def check_forms(terms: Mapping[str, Any]) -> None:
    """Refuse terms in a form that means nothing: a list in place of a dictionary, a Python type in place of SQL's."""
    for name, example in _BY_NAME.items():
        check_mapping(terms.get(name), name, example)
    if odd := [name for name, kind in (terms.get("columns") or {}).items() if not isinstance(kind, str)]:
        raise InvalidParameter(
            f"columns must be like {{'amount': 'DOUBLE'}}, each type by its name in SQL; that of {odd[0]!r} is no text"
        )
    for name in _TEXTS:
        if not isinstance(terms.get(name), str | None) or terms.get(name) == "":
            raise InvalidParameter(f"{name} must be a text, got {shown(terms[name])}")
    if not isinstance(terms.get("unit"), str | Unit | list | tuple | None):
        raise InvalidParameter(f'unit must be "row", a column\'s name or a Unit, got {shown(terms["unit"])}')
