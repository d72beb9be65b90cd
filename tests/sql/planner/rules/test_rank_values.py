import math
from dataclasses import replace

import numpy as np
import pyarrow as pa

from dalenius.sql.engine import DuckDB
from dalenius.sql.planner.rules import rank_values
from tests.sql.cases import cases, drafted, policy


@cases(rank_values)
def test_fixture(case):
    (rank,) = drafted(rank_values, case.query, policy(case.unit), case.unknown).ranks
    assert rank.scan == case.expected


def test_a_grid_is_finer_where_there_are_few_cells():
    (one,) = drafted(rank_values, "SELECT MEDIAN(price) FROM purchases", policy()).ranks
    query = "SELECT MEDIAN(price) FROM purchases GROUP BY EXTRACT(doy FROM day), HOUR(at), gift"
    (many,) = drafted(rank_values, query, policy()).ranks
    assert (one.places, many.places) == (2**16, 2**12)


def test_the_statement_that_is_run_gives_what_the_one_that_names_the_question_gives():
    """Over odd numbers, people without a name and people with many rows, alone and beside others."""
    random = np.random.default_rng(7)
    odd = [0.0, -0.0, 3.25, 199.999, 200.0, 1e308, -1e308, math.inf, -math.inf, math.nan, None, 5e-324]
    for rows in (0, 1, 7, 400):
        people = random.choice([None, 1, 2, 2**40, -5], rows).tolist()
        prices = [odd[int(at)] for at in random.integers(0, len(odd), rows)]
        table = pa.table({"user_id": pa.array(people, pa.int64()), "price": pa.array(prices, pa.float64())})
        (rank,) = drafted(rank_values, "SELECT QUANTILE_CONT(price, 0.3) FROM purchases", policy("user_id")).ranks
        assert rank.quick not in ("", rank.scan)
        assert rank.statement == rank.quick
        engine = DuckDB(table, table="purchases")
        first, second = (
            sorted(zip(*(found[name].to_pylist() for name in ("cell", "place", "weight")), strict=True))
            for found in map(engine.fetch, (rank.scan, rank.quick))
        )
        assert first == second
        assert len(first) > 0 or rows < 7


def test_what_is_run_is_no_part_of_what_a_question_is():
    (rank,) = drafted(rank_values, "SELECT MEDIAN(price) FROM purchases", policy("user_id")).ranks
    assert replace(rank, quick="").facts() == rank.facts()
    (cells,) = drafted(
        rank_values, "SELECT MEDIAN(price) FROM purchases GROUP BY gift, category", policy("user_id")
    ).ranks
    assert cells.quick == ""
