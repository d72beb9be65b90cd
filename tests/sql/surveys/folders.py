"""Messy folders as owners have them, each with the person that a careful reader would protect."""

import datetime as dt
import gzip
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

ROWS = 400


@dataclass(frozen=True)
class Folder:
    """Files, and who is protected: columns that are right, or None where the owner must be asked."""

    name: str
    write: Callable[[Path, Random], None]
    right: frozenset[str]
    many: bool = True
    asks: bool = False


def _days(place: int) -> dt.date:
    return dt.date(2024, 1, 1) + dt.timedelta(days=place % 366)


def _visits(folder: Path, draw: Random) -> None:
    people = [100_000 + place for place in range(90)]
    pd.DataFrame(
        {"patient_id": people, "sex": [draw.choice("FM") for _ in people], "birth_date": [_days(3 * p) for p in people]}
    ).to_csv(folder / "patients.csv", index=False)
    who = [float(draw.choice(people)) for _ in range(ROWS)]
    who[3] = None
    frame = pd.DataFrame(
        {
            "visit_id": range(ROWS),
            "patient_id": who,
            "visit_date": pd.Series([_days(p) for p in range(ROWS)], dtype="datetime64[s]"),
            "doctor_id": [draw.randrange(12) for _ in range(ROWS)],
            "cost": [draw.lognormvariate(5, 1) for _ in range(ROWS)],
        }
    )
    frame.sample(frac=1, random_state=1).to_parquet(folder / "visits.parquet")


def _events(folder: Path, draw: Random) -> None:
    rows = [
        {"event_id": f"e{p:06d}", "user_id": draw.randrange(60), "kind": draw.choice(["click", "buy"])}
        for p in range(ROWS)
    ]
    (folder / "events.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")


def _survey(folder: Path, draw: Random) -> None:
    pd.DataFrame(
        {
            "respondent_id": range(1, ROWS + 1),
            "age": [draw.randrange(18, 95) for _ in range(ROWS)],
            "region_id": [draw.randrange(9) for _ in range(ROWS)],
            "interviewer_id": [draw.randrange(15) for _ in range(ROWS)],
            "q1": [draw.choice(["yes", "no", "n/a"]) for _ in range(ROWS)],
        }
    ).to_csv(folder / "survey_2024.csv", index=False)


def _anonymous_survey(folder: Path, draw: Random) -> None:
    pd.DataFrame(
        {
            "age": [draw.randrange(18, 95) for _ in range(ROWS)],
            "sex": [draw.choice("FM") for _ in range(ROWS)],
            "income": [draw.randrange(10_000, 90_000) for _ in range(ROWS)],
        }
    ).to_csv(folder / "answers.csv", index=False)


def _orders(folder: Path, draw: Random) -> None:
    """Every key is called id, and the customers' is referred to by another name."""
    customers = pd.DataFrame({"id": range(1, 81), "city": [draw.choice(["Lund", "Umeå"]) for _ in range(80)]})
    orders = pd.DataFrame({"id": range(1, 201), "customer_id": [draw.randrange(1, 81) for _ in range(200)]})
    items = pd.DataFrame(
        {
            "id": range(1, ROWS + 1),
            "order_id": [draw.randrange(1, 201) for _ in range(ROWS)],
            "product_id": [draw.randrange(1, 30) for _ in range(ROWS)],
            "quantity": [draw.randrange(1, 9) for _ in range(ROWS)],
        }
    )
    customers.to_parquet(folder / "customers.parquet", index=False)
    orders.to_parquet(folder / "orders.parquet", index=False)
    items.to_csv(folder / "items.csv", index=False)


def _web_log(folder: Path, draw: Random) -> None:
    lines = ["request_id,time,ip,path,status,user_agent"]
    lines += [
        f"{p},2024-01-{1 + p % 28:02d} 10:00:00,10.0.0.{draw.randrange(50)},/p{draw.randrange(20)},"
        f"{draw.choice([200, 404])},Mozilla/5.0 (X11)"
        for p in range(ROWS)
    ]
    (folder / "access.csv.gz").write_bytes(gzip.compress("\n".join(lines).encode()))


def _european(folder: Path, draw: Random) -> None:
    lines = ["Bestellnr;Kundennummer;Datum;Betrag;Stra\xdfe"]
    lines += [
        f"B{p:05d};{draw.randrange(70):06d};{1 + p % 28:02d}.{1 + p % 12:02d}.2024;"
        f"{draw.randrange(1, 3)}.{draw.randrange(100, 999)},{draw.randrange(10, 99)};M\xfchlweg {p % 7}"
        for p in range(ROWS)
    ]
    (folder / "bestellungen.csv").write_bytes("\r\n".join(lines).encode("latin-1"))


def _labs(folder: Path, draw: Random) -> None:
    """The person's number is called id in both files."""
    people = [f"P{place:03d}" for place in range(60)]
    pd.DataFrame(
        {"id": people, "age": [40] * 60, "sex": ["F"] * 60, "bmi": [draw.uniform(18, 35) for _ in people]}
    ).to_csv(folder / "demographics.csv", index=False)
    pd.DataFrame(
        {"id": [draw.choice(people) for _ in range(ROWS)], "test": ["hb"] * ROWS, "value": [1.5] * ROWS}
    ).to_csv(folder / "labs.csv", index=False)


def _months(folder: Path, draw: Random) -> None:
    for month in ("01", "02", "03"):
        pq.write_table(
            pa.table(
                {
                    "transaktion_id": pa.array(range(100), pa.int64()),
                    "medlem_nr": [draw.choice("abcdefghijklmnopqrst") * 3 for _ in range(100)],
                    "belopp": [draw.uniform(1, 900) for _ in range(100)],
                }
            ),
            folder / f"kop_2024_{month}.parquet",
        )


def _sales(folder: Path, draw: Random) -> None:
    pd.DataFrame(
        {
            "sale_id": range(ROWS),
            "employee_id": [draw.randrange(10) for _ in range(ROWS)],
            "customer_code": [f"C{draw.randrange(90):04d}" for _ in range(ROWS)],
            "customer_type": [draw.choice(["new", "old"]) for _ in range(ROWS)],
            "amount": [draw.uniform(1, 300) for _ in range(ROWS)],
        }
    ).to_excel(folder / "sales.xlsx", index=False)


def _households(folder: Path, draw: Random) -> None:
    """One row a person, several persons a household: whoever protects households protects both."""
    pd.DataFrame(
        {
            "person_id": range(ROWS),
            "household_id": [draw.randrange(120) for _ in range(ROWS)],
            "age": [draw.randrange(95) for _ in range(ROWS)],
            "income": [draw.uniform(0, 90_000) for _ in range(ROWS)],
        }
    ).to_feather(folder / "census.feather")


def _codes(folder: Path, draw: Random) -> None:
    """A number repeats, and nothing tells whose it is."""
    pd.DataFrame(
        {
            "id": range(ROWS),
            "code": [draw.randrange(60) for _ in range(ROWS)],
            "value": [draw.uniform(0, 1) for _ in range(ROWS)],
        }
    ).to_csv(folder / "data.csv", index=False)


def _sensors(folder: Path, draw: Random) -> None:
    pd.DataFrame(
        {"reading_id": range(ROWS), "sensor_id": [draw.randrange(30) for _ in range(ROWS)], "x": [0.5] * ROWS}
    ).to_csv(folder / "readings.csv", index=False)


def _two_people(folder: Path, draw: Random) -> None:
    pd.DataFrame(
        {
            "ride_id": range(ROWS),
            "passenger_id": [draw.randrange(90) for _ in range(ROWS)],
            "client_id": [draw.randrange(90) for _ in range(ROWS)],
        }
    ).to_csv(folder / "rides.csv", index=False)


FOLDERS = (
    Folder("clinical visits", _visits, frozenset({"patient_id"})),
    Folder("events", _events, frozenset({"user_id"})),
    Folder("a survey", _survey, frozenset({"respondent_id"}), many=False),
    Folder("a survey without names", _anonymous_survey, frozenset({"row"}), many=False),
    Folder("orders, items, customers", _orders, frozenset({"customer_id"})),
    Folder("a web log", _web_log, frozenset({"ip"})),
    Folder("a European CSV", _european, frozenset({"Kundennummer"})),
    Folder("laboratory", _labs, frozenset({"id"})),
    Folder("monthly files", _months, frozenset({"medlem_nr"})),
    Folder("sales", _sales, frozenset({"customer_code"})),
    Folder("households", _households, frozenset({"household_id"})),
    Folder("codes", _codes, frozenset(), asks=True),
    Folder("sensors", _sensors, frozenset(), asks=True),
    Folder("two kinds of people", _two_people, frozenset(), asks=True),
)
