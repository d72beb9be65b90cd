"""Confirming proposed terms: the owner's word that they may be public, written into the policy's file."""

import re
from collections.abc import Sequence
from pathlib import Path

from dalenius.calls import named_arguments
from dalenius.errors import InvalidParameter
from dalenius.sql.policy import toml as policy_file
from dalenius.sql.policy.policy import Policy

_LINE = re.compile(r"^proposed = \[.*\]\n?", re.MULTILINE)


@named_arguments
def confirm(path: str | Path, terms: Sequence[str] = ()) -> tuple[str, ...]:
    """Take terms from the list of proposed ones, or all of them; what is still proposed is told.

    A term is one of the list, such as `bounds.cost`, or a section of it, such as `bounds`. The rest of the file, with
    its comments, stays as it is.
    """
    proposed = Policy.load(path).proposed
    for term in terms:
        if not any(_covers(term, one) for one in proposed):
            listed = ", ".join(proposed) or "none"
            raise InvalidParameter(f"{term!r} is no proposed term of this policy; proposed are: {listed}")
    kept = tuple(one for one in proposed if terms and not any(_covers(term, one) for term in terms))
    text = Path(path).read_text(encoding="utf-8")
    if len(_LINE.findall(text)) != 1:
        raise InvalidParameter("`proposed = […]` must stand on one line of the policy: change it by hand")
    line = f"proposed = {policy_file.literal(kept)}\n" if kept else ""
    Path(path).write_text(_LINE.sub(lambda _: line, text), encoding="utf-8")
    return kept


def _covers(term: str, proposed: str) -> bool:
    return proposed == term or proposed.startswith(f"{term}.")
