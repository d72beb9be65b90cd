"""More folders, each said in a line: files, their columns by what they hold, and who must be protected."""

import csv
import hashlib
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

ROWS = 300
Value = Callable[[int, Random], object]


def row(place: int, _: Random) -> int:
    """New in every row."""
    return place + 1


def code(start: str) -> Value:
    """New in every row, as a text."""
    return lambda place, _: f"{start}{place + 1:05d}"


def some(most: int, start: int = 0) -> Value:
    """One of `most` numbers."""
    return lambda _, draw: start + draw.randint(1, most)


def named(most: int, start: str) -> Value:
    """One of `most` texts."""
    return lambda _, draw: f"{start}{draw.randint(1, most):05d}"


def hashed(most: int) -> Value:
    """One of `most` digests."""
    return lambda _, draw: hashlib.sha256(str(draw.randint(1, most)).encode()).hexdigest()


def fresh_uuid(_: int, draw: Random) -> uuid.UUID:
    """New in every row, as a UUID."""
    return uuid.UUID(int=draw.getrandbits(128))


def choice(*values: str) -> Value:
    """One of a few texts."""
    return lambda _, draw: draw.choice(values)


def number(_: int, draw: Random) -> float:
    """An amount."""
    return round(draw.uniform(0, 900), 2)


def comma(_: int, draw: Random) -> str:
    """An amount with a decimal comma."""
    return f"{draw.uniform(0, 900):.2f}".replace(".", ",")


def day(_: int, draw: Random) -> str:
    """A date."""
    return f"2023-{draw.randint(1, 12):02d}-{draw.randint(1, 28):02d}"


def seldom(value: Value) -> Value:
    """NULL in two rows of five."""
    return lambda place, draw: value(place, draw) if draw.random() < 0.6 else ""


@dataclass(frozen=True)
class MadeFolder:
    """CSV files by name, each with its columns; the unit that is right, or None where the owner must be asked."""

    files: dict[str, dict[str, Value]]
    right: str | None
    many: bool = True
    delimiter: str = ","
    unprotected: tuple[str, ...] = ()

    def write(self, folder: Path) -> None:
        """The files."""
        for name, columns in self.files.items():
            draw = Random(name)
            with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as opened:
                written = csv.writer(opened, delimiter=self.delimiter)
                written.writerow(columns)
                written.writerows([value(place, draw) for value in columns.values()] for place in range(ROWS))


SEX = choice("F", "M")
MADE_FOLDERS = {
    "patients with a birthday of their own": MadeFolder(
        {
            "patients": {
                "patient_id": code("P"),
                "dob": lambda place, _: f"{1930 + place // 12}-{1 + place % 12:02d}-01",
            },
            "visits": {"visit_id": row, "patient_id": named(ROWS, "P"), "dob": day, "cost": number},
            "prescriptions": {"rx_id": row, "visit_id": some(ROWS), "dob": day, "drug": choice("a", "b")},
        },
        "patient_id",
    ),
    "a web log with cookies, sessions and users": MadeFolder(
        {
            "access": {
                "request_id": fresh_uuid,
                "cookie_id": hashed(90),
                "session_id": named(200, "s"),
                "user_id": seldom(some(40)),
                "status": choice("200", "404"),
            }
        },
        "user_id",
    ),
    "accounts and transactions": MadeFolder(
        {
            "accounts": {"account_id": row, "client_id": some(120), "kind": choice("giro", "savings")},
            "transactions": {"trans_id": row, "account_id": some(ROWS), "amount": number},
        },
        "client_id",
    ),
    "pupils, grades and classes": MadeFolder(
        {
            "pupils": {"pupil_id": row, "class_id": some(12)},
            "grades": {"pupil_id": some(ROWS), "subject": choice(*"abcdefghij"), "grade": some(6)},
            "classes": {"class_id": row, "teacher": code("T")},
        },
        "pupil_id",
    ),
    "staff with managers": MadeFolder(
        {
            "staff": {
                "employee_id": row,
                "manager_id": some(20),
                "department": choice("IT", "HR"),
                "salary": some(90000),
            }
        },
        "employee_id",
        many=False,
        unprotected=("staff.manager_id",),
    ),
    "calls between subscribers": MadeFolder(
        {
            "subscribers": {"subscriber_id": row, "plan": choice("A", "B")},
            "calls": {"call_id": row, "caller_id": some(200), "callee_id": some(200), "seconds": some(900)},
        },
        None,
    ),
    "messages between people": MadeFolder(
        {"messages": {"message_id": row, "sender_id": some(50), "recipient_id": some(50), "length": some(500)}}, None
    ),
    "households with members": MadeFolder(
        {
            "members": {"person_id": row, "household_id": some(ROWS), "member_no": some(5), "age": some(95)},
            "households": {"household_id": row, "region": choice("N", "S")},
        },
        "household_id",
    ),
    "devices with an owner": MadeFolder(
        {
            "devices": {"device_id": code("d"), "owner_id": some(90), "model": choice("x1", "x2")},
            "telemetry_2024-01": {"reading_id": row, "device_id": named(ROWS, "d"), "temperature": number},
            "telemetry_2024-02": {"reading_id": row, "device_id": named(ROWS, "d"), "temperature": number},
        },
        "owner_id",
    ),
    "German admissions": MadeFolder(
        {"Aufnahmen": {"Fallnummer": row, "Patientennummer": some(80), "Station": choice("A", "B"), "Kosten": comma}},
        "Patientennummer",
        delimiter=";",
    ),
    "Spanish sales": MadeFolder(
        {"ventas": {"id_venta": row, "id_cliente": some(80), "id_tienda": some(9), "importe": comma}},
        "id_cliente",
        delimiter=";",
    ),
    "French absences": MadeFolder(
        {"absences": {"num": row, "matricule": named(60, "M"), "motif": choice("maladie", "congé"), "jours": some(20)}},
        "matricule",
        delimiter=";",
    ),
    "Japanese visits": MadeFolder(
        {"診療": {"診療ID": row, "患者ID": some(80), "科": choice("内科", "外科"), "点数": some(900)}}, "患者ID"
    ),
    "Russian orders": MadeFolder(
        {"заказы": {"номер_заказа": row, "номер_клиента": some(80), "сумма": number}}, "номер_клиента"
    ),
    "bookings with UUIDs": MadeFolder(
        {"bookings": {"id": fresh_uuid, "client_uuid": hashed(70), "hotel_uuid": hashed(15), "nights": some(9)}},
        "client_uuid",
    ),
    "hashed addresses": MadeFolder(
        {"opens": {"open_id": row, "email_sha256": hashed(70), "campaign": choice("c1", "c2")}}, "email_sha256"
    ),
    "a row's number that is called like a customer": MadeFolder(
        {"store": {"customer_visit_id": row, "loyalty_card": named(80, "LC"), "spent": number}}, "loyalty_card"
    ),
    "one row an address": MadeFolder(
        {"signups": {"email": code("u@"), "plan": choice("free", "pro"), "made": day}}, None
    ),
    "drivers and riders": MadeFolder(
        {"trips": {"trip_id": fresh_uuid, "driver_id": some(20), "rider_id": some(200), "fare": number}},
        "rider_id",
        unprotected=("trips.driver_id",),
    ),
    "authors refer to users": MadeFolder(
        {
            "users": {"id": row, "username": code("nick"), "joined": day},
            "posts": {"id": row, "author_id": some(ROWS), "thread_id": some(60), "score": some(50)},
        },
        "author_id",
    ),
    "telephones and their devices": MadeFolder(
        {"cdr": {"cdr_id": row, "msisdn": some(80, 46700000000), "imei": some(90, 35 * 10**13), "cell_id": some(40)}},
        "msisdn",
    ),
    "a narrowed name": MadeFolder(
        {"hits": {"hitId": row, "fullVisitorId": named(80, ""), "visitId": some(150), "page": choice("/a", "/b")}},
        "fullVisitorId",
    ),
    "workers by their names": MadeFolder(
        {"shifts": {"shift": row, "worker": named(40, "Worker "), "site": choice("A", "B"), "hours": some(9)}}, "worker"
    ),
    "animals, their owners and treatments": MadeFolder(
        {
            "animals": {"chip": code("C"), "species": choice("dog", "cat"), "owner": named(90, "OW")},
            "treatments": {"nr": row, "chip": named(ROWS, "C"), "price": number},
        },
        "owner",
    ),
    "a census by the number of the household": MadeFolder(
        {"usa": {"YEAR": choice("2019"), "SERIAL": some(90), "PERNUM": some(5), "AGE": some(99), "SEX": SEX}}, None
    ),
    "stations without people": MadeFolder({"air": {"station": named(20, "S"), "hour": day, "pm10": some(80)}}, None),
}
