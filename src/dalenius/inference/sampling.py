"""Who was drawn: the sampling unit is the person, and rows of one person are not independent."""

from dalenius.curator import Release
from dalenius.errors import UnprovenClaim

CONTRIBUTIONS = "contributions"
"""The name under which an outcome's notes say how many rows of a person count in full."""


def contributions_of(release: Release) -> int | None:
    """How many rows of one person count in full: 1 where each row is a person; None where the release does not say."""
    if release.unit.column is None:
        return 1
    told = release.outcome.notes.get(CONTRIBUTIONS)
    return told if isinstance(told, int) else None


def check_one_draw(release: Release) -> str:
    """Refuse a release in which one person may count several times; else what is assumed of them, in words."""
    most = contributions_of(release)
    if release.unit.column is None:
        return ""
    if most != 1:
        raise UnprovenClaim(
            f"one {release.unit.column} may own several rows, no independent draws: ask with contributions=1, "
            "so that each person counts once, or use inference.mean, which takes the person as the draw"
        )
    return f"Each {release.unit.column} is taken to stand in one group."
