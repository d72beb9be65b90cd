"""What the owner says of columns, in words: public, shown to whoever may ask, and read by no plan."""

from collections.abc import Mapping
from typing import Any

from dalenius.errors import InvalidParameter

LONGEST_DESCRIPTION = 1_000


def checked_descriptions(given: Mapping[str, Any] | None) -> dict[str, str]:
    """Sentences by column, each a text that is not too long."""
    for name, words in (given or {}).items():
        if not isinstance(words, str) or not words.strip() or len(words) > LONGEST_DESCRIPTION:
            raise InvalidParameter(
                f"the description of {name!r} must be a text of at most {LONGEST_DESCRIPTION} characters"
            )
    return {name: " ".join(words.split()) for name, words in (given or {}).items()}
