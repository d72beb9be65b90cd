"""The entry of the processes that the tests start: python -m tests.ledger.crash.worker JOB '{"its": "arguments"}'."""

import json
import sys
from collections.abc import Callable
from typing import Any

from tests.ledger.crash import faults, forks, one_key, power, shares, storm

JOBS: dict[str, Callable[..., Any]] = {
    "storm": storm.rage,
    "shares": shares.rage,
    "one_key": one_key.siege,
    "power": power.write_until_killed,
    "groups": power.write_in_groups,
    "full": faults.fill_the_disk,
    "read_only": faults.open_without_rights,
    "fork": forks.fork_inside_a_transaction,
    "die": forks.die_before_the_commit,
}

if __name__ == "__main__":
    sys.stdout.write(json.dumps(JOBS[sys.argv[1]](**json.loads(sys.argv[2]))))
