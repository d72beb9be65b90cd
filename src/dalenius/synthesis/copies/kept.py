"""What a copy keeps of the columns that a question is about, in sentences."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from dalenius.synthesis.data.attributes import Cells

if TYPE_CHECKING:
    from dalenius.synthesis.copies.copy import Copy


def not_kept(copy: "Copy", columns: frozenset[str] | None) -> tuple[str, ...]:
    """Why an answer about these columns, named in lower case (None for all), may be off; nothing from data."""
    domain, bound = copy.domain, copy.marginals.contributions
    named = {place for place, name in enumerate(domain.names) if columns is None or name.lower() in columns}
    sentences = []
    if named and not any(named <= set(table) for table in copy.marginals.tables):
        sentences.append(
            f"{_listed(domain.names[place] for place in sorted(named))} were not measured together: of what they have "
            "in common nothing is proved"
        )
    fine = [domain.names[place] for place in sorted(named) if isinstance(domain.attributes[place], Cells)]
    if fine:
        sentences.append(f"{_listed(fine)}: drawn evenly within declared bins, nothing finer is kept")
    if bound is not None and columns is not None and bound.column.lower() in columns:
        sentences.append(f"{bound.column} numbers synthetic people: which rows are one person's is not kept")
    return tuple(sentences)


def _listed(names: Iterable[str]) -> str:
    every = list(names)
    return every[0] if len(every) == 1 else f"{', '.join(every[:-1])} and {every[-1]}"
