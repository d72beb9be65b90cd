"""Write the aggregates of the catalog into docs/sql.md, as a table, and into the README, as a list."""

import re
import sys
from itertools import groupby
from pathlib import Path

from dalenius.sql.catalog import CATALOG, VARIANTS, Aggregate

ROOT = Path(__file__).resolve().parent.parent
PAGE, README = ROOT / "docs" / "sql.md", ROOT / "README.md"
HEAD = "| aggregate | bounded how | change | released by |\n|---|---|---|---|\n"
_TABLE = re.compile(re.escape(HEAD) + r"(?:\|.*\n)+")
_LIST = re.compile(r"(?<=| SQL | on DuckDB: ).*?(?=, FILTER, joins to)")


def table() -> str:
    """A row for all aggregates that are bounded in the same way, and one for each variant of theirs."""
    rows = []
    for bounding, several in groupby(CATALOG, key=lambda one: one.bounding):
        group = list(several)
        rows.append((", ".join(f"`{form}`" for one in group for form in one.forms), bounding))
        rows += [VARIANTS[one.name] for one in group if one.name in VARIANTS]
    return HEAD + "".join(f"| {forms} | {how.how} | {how.change} | {how.released} |\n" for forms, how in rows)


def written(page: str) -> str:
    """The page with the catalog's table in the place of its own."""
    return _TABLE.sub(lambda _: table(), page)


def listed(readme: str, catalog: tuple[Aggregate, ...] = CATALOG) -> str:
    """The README with the catalog's names in the place of its own."""
    return _LIST.sub(lambda _: ", ".join(one.name for one in catalog), readme)


def main() -> int:
    """Rewrite both files."""
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    README.write_text(listed(README.read_text(encoding="utf-8")), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
