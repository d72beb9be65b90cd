"""Who was drawn: the sampling unit is the person, and rows of one person are not independent."""

from dalenius.curator import Release
from dalenius.errors import UnprovenClaim

CONTRIBUTIONS = "contributions"
"""The name under which an outcome's notes say how many rows of a person count in full."""


def contributions_of(release: Release) -> int | None:
    """How many rows of one person count in full: 1 where each row is a person; None where the release does not say."""
    if release.unit.column is None:
        return 1
    contributions = release.outcome.notes.get(CONTRIBUTIONS)
    return contributions if isinstance(contributions, int) else None


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


def person_question(release: Release, contributions: int) -> str:
    """What is assumed of people with several rows, and the question that says more of them."""
    person = release.unit.column
    return (
        f"Rows of one {person} are not independent: the interval holds for whatever up to {contributions} rows they "
        f"have. Totals of each {person} may give a narrower one: SELECT AVG(s)/AVG(c), VARIANCE(s), VARIANCE(c) FROM "
        f"(SELECT {person}, SUM(x) AS s, COUNT(*) AS c FROM … GROUP BY {person}) AS totals, with CLAMP for bounds."
    )
