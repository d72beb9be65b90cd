"""Tiny made-up tables in the shape of TPC-H and the Join Order Benchmark, by remainders: the same in every run."""

from datetime import date, timedelta

import pyarrow as pa

FIRST_DAY = date(1992, 1, 1)
SEGMENTS = ["AUTOMOBILE", "BUILDING", "FURNITURE", "HOUSEHOLD", "MACHINERY"]
PRIORITIES = ["1-URGENT", "2-HIGH", "3-MEDIUM", "4-NOT SPECIFIED", "5-LOW"]
MODES = ["AIR", "AIR REG", "FOB", "MAIL", "RAIL", "SHIP", "TRUCK"]
REGIONS = ["AFRICA", "AMERICA", "ASIA", "EUROPE"]
NATIONS = ["KENYA", "BRAZIL", "CHINA", "FRANCE", "EGYPT", "CANADA", "INDIA", "GERMANY"]  # of region n % 4
CUSTOMERS, ORDERS, LINES, SUPPLIERS, PARTS = 60, 240, 720, 8, 16


def whole(values):
    return pa.array(values, pa.int64())


def day(n):
    return FIRST_DAY + timedelta(days=n % 2400)


def customer():
    numbers = range(1, CUSTOMERS + 1)
    return pa.table(
        {
            "c_custkey": whole(numbers),
            "c_nationkey": whole([n % 8 for n in numbers]),
            "c_phone": [f"{10 + n % 8}-{100 + n}" for n in numbers],
            "c_acctbal": [float(n * 379 % 5000 - 900) for n in numbers],
            "c_mktsegment": [SEGMENTS[n // 2 % 5] for n in numbers],
        }
    )


def orders():
    numbers = range(1, ORDERS + 1)
    return pa.table(
        {
            "o_orderkey": whole(numbers),
            "o_custkey": whole([1 + (n * n + n // 5) % 45 for n in numbers]),  # a quarter never ordered
            "o_orderstatus": ["FOP"[n % 3] for n in numbers],
            "o_orderdate": [day(n * 10 + n % 7) for n in numbers],
            "o_orderpriority": [PRIORITIES[n * 7 % 5] for n in numbers],
            "o_shippriority": whole([0 for _ in numbers]),
            "o_comment": ["special requests" if n % 6 == 0 else "as usual" for n in numbers],
        }
    )


def lineitem():
    numbers = range(1, LINES + 1)
    ordered = {n: day(n * 10 + n % 7) for n in range(1, ORDERS + 1)}
    order = [1 + n * 7 % ORDERS for n in numbers]
    return pa.table(
        {
            "l_orderkey": whole(order),
            "l_partkey": whole([1 + n * 5 % PARTS for n in numbers]),
            "l_suppkey": whole([1 + (n * 5 % PARTS + n // 240 % 2 * 3) % SUPPLIERS for n in numbers]),
            "l_quantity": [float(1 + n * 11 % 50) for n in numbers],
            "l_extendedprice": [float(900 + n * 137 % 4000) for n in numbers],
            "l_discount": [n % 11 / 100 for n in numbers],
            "l_tax": [n % 9 / 100 for n in numbers],
            "l_returnflag": ["ANR"[n * 2 % 3] for n in numbers],
            "l_linestatus": [["F", "O"][n // 3 % 2] for n in numbers],
            "l_shipdate": [ordered[o] + timedelta(days=1 + n % 120) for n, o in zip(numbers, order, strict=True)],
            "l_commitdate": [ordered[o] + timedelta(days=30 + n % 60) for n, o in zip(numbers, order, strict=True)],
            "l_receiptdate": [ordered[o] + timedelta(days=5 + n % 130) for n, o in zip(numbers, order, strict=True)],
            "l_shipmode": [MODES[n * 3 % 7] for n in numbers],
            "l_shipinstruct": ["DELIVER IN PERSON" if n % 2 else "NONE" for n in numbers],
        }
    )


def public_tables():
    suppliers, parts = range(1, SUPPLIERS + 1), range(1, PARTS + 1)
    pairs = [(part, 1 + (part - 1 + shift) % SUPPLIERS) for part in parts for shift in (0, 3)]
    return {
        "region": pa.table({"r_regionkey": whole(range(4)), "r_name": REGIONS}),
        "nation": pa.table(
            {
                "n_nationkey": whole(range(8)),
                "n_name": NATIONS,
                "n_regionkey": whole([n % 4 for n in range(8)]),
            }
        ),
        "supplier": pa.table(
            {
                "s_suppkey": whole(suppliers),
                "s_name": [f"Supplier {n}" for n in suppliers],
                "s_nationkey": whole([n % 8 for n in suppliers]),
            }
        ),
        "part": pa.table(
            {
                "p_partkey": whole(parts),
                "p_name": [("green" if n % 3 else "red") + f" part {n}" for n in parts],
                "p_brand": [f"Brand#{1 + n % 3}" for n in parts],
                "p_type": [("PROMO" if n % 4 == 0 else "ECONOMY") + " STEEL" for n in parts],
                "p_size": whole([1 + n % 15 for n in parts]),
                "p_container": ["MED BOX" if n % 2 else "SM CASE" for n in parts],
            }
        ),
        "partsupp": pa.table(
            {
                "ps_partkey": whole([part for part, _ in pairs]),
                "ps_suppkey": whole([supplier for _, supplier in pairs]),
                "ps_availqty": whole([part * 37 % 60 for part, _ in pairs]),
                "ps_supplycost": [float(10 + part * 13 % 90) for part, _ in pairs],
            }
        ),
    }


def tpch():
    """The first table, others of its people, and public ones."""
    return customer(), {"orders": orders(), "lineitem": lineitem()}, public_tables()


def films():
    """The same for people and films."""
    people, parts = range(1, 41), range(1, 201)
    name = pa.table(
        {"id": whole(people), "name": [f"Person {n}" for n in people], "gender": ["fm"[n % 2] for n in people]}
    )
    private = {
        "cast_info": pa.table(
            {
                "person_id": whole([1 + n * n % 37 for n in parts]),
                "movie_id": whole([1 + n * 3 % 20 for n in parts]),
                "note": ["(voice)" if n % 3 else "(uncredited)" for n in parts],
            }
        ),
        "aka_name": pa.table(
            {"person_id": whole([n for n in people if n % 4]), "aka": [f"P. {n}" for n in people if n % 4]}
        ),
    }
    public = {
        "title": pa.table(
            {
                "id": whole(range(1, 21)),
                "production_year": whole([1995 + n for n in range(20)]),
                "kind": [["movie", "episode", "video"][n % 3] for n in range(20)],
            }
        ),
        "movie_keyword": pa.table(
            {
                "movie_id": whole([1 + n % 20 for n in range(60)]),
                "keyword_id": whole([1 + n // 3 % 4 for n in range(60)]),
            }
        ),
        "keyword": pa.table({"id": whole(range(1, 5)), "word": ["sequel", "hero", "love", "war"]}),
    }
    return name, private, public
