"""The server of bench/server.py, in a process of its own: `server_process.py FOLDER PORT SECONDS`."""

import sys
from fractions import Fraction
from pathlib import Path

from dalenius.server import Catalog, Room, Settings, create_app, serve


def main() -> None:
    folder, port, after = Path(sys.argv[1]), int(sys.argv[2]), Fraction(sys.argv[3])
    catalog = Catalog.open([folder / "policy.toml"], folder / "x.ledger", Room())
    # nothing waits for a slot or its moment: what is measured is the work, not the schedule
    open_to_all = Settings(
        *(after, 256, 10_000),
        requests_per_second=10**6,
        burst=10**6,
    )
    serve(create_app(catalog, open_to_all), port=port)


if __name__ == "__main__":
    main()
