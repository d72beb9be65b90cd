"""Requests made from the OpenAPI document: no answer that the document does not tell, and no failure of the server."""

import asyncio
import collections

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi import checks
from schemathesis.transport.requests import REQUESTS_TRANSPORT

from dalenius.server import Settings
from tests.server.hospital import COUNT, StillClock, hospital

CHECKS = [
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
]
QUESTIONS = [
    COUNT,
    "SELECT AVG(cost) AS m FROM visits WHERE ward = 'a'",
    "SELECT MEDIAN(cost) FROM visits",
    "SELECT ward, n FROM beds",
    f"CREATE PRIVATE VIEW beds AS {COUNT}",
    "SHOW TABLES",
    "DESCRIBE visits",
    "SELECT * FROM visits",
]
MODES = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)


class Document:
    """An app, its document, and a way to send it cases."""

    def __init__(self, folder):
        busy = Settings(requests_per_second=10**6, burst=10**6, wrong_keys_per_minute=10**6, public_per_minute=10**6)
        self.app, ledger, _ = hospital(folder, epsilon=10**6, settings=busy, clock=_Quick())
        self.keys = [ledger.create_key(role, role, ["visits"])[0] for role in ("owner", "analyst", "viewer")]
        ledger.share("visits", "analyst", 10**5)
        ledger.open_to_everybody("visits", 10**5, 1)
        schema = schemathesis.openapi.from_asgi("/openapi.json", self.app)
        self.operations = [result.ok() for result in schema.get_all_operations()]
        self.told = collections.Counter()

    def check(self, loop, case, key):
        """Send a case with a key, and hold what comes back against the document."""
        sent = REQUESTS_TRANSPORT.serialize_case(case, base_url="http://server")
        given = {**sent["headers"], **({} if key is None else {"Authorization": f"Bearer {key}"})}
        headers = {name: str(value).encode("latin-1", "replace") for name, value in given.items()}  # as bytes go out
        body = {"json": sent["json"]} if "json" in sent else {"content": sent.get("data")}
        answer = loop.run_until_complete(self._send(sent, headers, body))
        case.validate_response(answer, checks=CHECKS)
        self.told[case.operation.label, answer.status_code] += 1

    async def _send(self, sent, headers, body):
        transport = httpx.ASGITransport(app=self.app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport) as client:
            return await client.request(sent["method"], sent["url"], params=sent.get("params"), headers=headers, **body)


class _Quick(StillClock):
    async def sleep_until(self, moment):
        self.time = max(self.time, moment)
        await asyncio.sleep(0.01)


REAL = {"sql": st.sampled_from(QUESTIONS), "epsilon": st.just("0.01"), "datasets": st.just(["visits"])}
"""Fields that mean something: made up, they are refused before anything is done."""


def with_real_names(case, chosen):
    """A case about a table that is there, with a question that can be read."""
    if case.path_parameters and "table" in case.path_parameters:
        case.path_parameters["table"] = "visits"
    if isinstance(case.body, dict):
        asks = ("sql", "epsilon") if "sql" in case.body else ()
        case.body |= {name: value for name, value in chosen.items() if name in case.body or name in asks}
    return case


def run(document, operation, mode, most):
    """How many cases of an operation were sent; none where the mode has none."""
    loop, sent = asyncio.new_event_loop(), 0
    keys = st.sampled_from([*document.keys, document.keys[0], None])
    chosen = st.one_of(st.none(), st.fixed_dictionaries(REAL), st.fixed_dictionaries(REAL))

    @settings(max_examples=most, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(operation.as_strategy(mode), chosen, keys)
    def send(case, real, key):
        nonlocal sent
        sent += 1
        document.check(loop, case if real is None else with_real_names(case, real), key)

    try:
        send()
    except Unsatisfiable:
        assert sent == 0
    finally:
        loop.close()
    return sent


def swept(document, wanted):
    """Cases of all operations in turn until so many were sent."""
    sent = 0
    while sent < wanted:
        each = max(5, (wanted - sent) // (2 * len(document.operations)))
        sent += sum(run(document, operation, mode, each) for operation in document.operations for mode in MODES)
    return sent


def test_no_case_of_the_document_fails_the_server_or_gets_a_status_that_is_not_told(tmp_path):
    document = Document(tmp_path)
    assert swept(document, 250) >= 250
    assert {label for label, _ in document.told} == {one.label for one in document.operations}


@pytest.mark.long
def test_ten_thousand_cases_of_the_document(tmp_path):
    document = Document(tmp_path)
    assert swept(document, 10_000) >= 10_000
    answered = {label for label, status in document.told if status < 300}
    assert {"POST /api/datasets/{table}/query", "POST /api/datasets/{table}/explain", "POST /api/keys"} <= answered


def test_a_status_that_the_document_does_not_tell_is_seen(tmp_path):
    document = Document(tmp_path)
    health = next(one for one in document.operations if one.label == "GET /api/health")
    del document.app.openapi()["paths"]["/api/health"]["get"]["responses"]["200"]
    schema = schemathesis.openapi.from_asgi("/openapi.json", document.app)
    (health,) = [one.ok() for one in schema.get_all_operations() if one.ok().label == health.label]
    with pytest.raises((Exception, BaseExceptionGroup), match=r"[Uu]ndocumented"):
        run(document, health, GenerationMode.POSITIVE, 3)
