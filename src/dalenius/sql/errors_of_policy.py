"""The errors of questions by price, from the owner's terms alone."""

from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from dalenius.calls import named_arguments
from dalenius.numerics import Number
from dalenius.sql.connection import explain
from dalenius.sql.error_table import EPSILONS, ErrorTable, Size, error_table
from dalenius.sql.policy.policy import Policy


@named_arguments
def errors_by_epsilon(
    queries: str | Iterable[str],
    epsilons: Iterable[Number] = EPSILONS,
    *,
    policy: Policy | str | Path,
    sizes: Size | Sequence[Size] | None = None,
    delta: Number | None = None,
    data: Any = None,
) -> ErrorTable:
    """How far off the answers to questions would be at each price, from a policy alone: free, and no row is read.

    Args:
        queries: the questions, each one SELECT.
        epsilons: the prices, each for one question by itself.
        policy: the owner's terms, or the path of the file that has them.
        sizes: how large the answers are, for errors relative to them: one for all, or one for each question. A number
            that you state, or an answer that was released, of which the median cell is taken.
        delta: what each question may spend besides, as in `Session.sql`.
        data: takes the place of the policy's own source, whose columns are read where tables are joined.

    An example: `print(errors_by_epsilon(["SELECT COUNT(*) FROM visits"], policy="policy.toml", sizes=5000))`.
    """
    return error_table(partial(explain, policy=policy, delta=delta, data=data), queries, epsilons, sizes)
