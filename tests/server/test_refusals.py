import inspect

import pytest

from dalenius import errors
from dalenius.server.refusals import STATUSES

EVERY = [one for _, one in inspect.getmembers(errors, inspect.isclass) if issubclass(one, errors.DaleniusError)]


@pytest.mark.parametrize("error", EVERY)
def test_every_error_has_a_status_and_none_is_of_the_servers_making(error):
    status = next(status for kind, status in STATUSES if issubclass(error, kind))
    assert status in (400, 402, 404, 409) or error is errors.LedgerUnavailable


def test_what_nobody_foresaw_is_not_put_into_words(app, caller, monkeypatch):
    def fail(key):
        raise RuntimeError("patient p17 has flu")

    monkeypatch.setattr(app.state.served.catalog, "tables", fail)
    answer = caller()("GET", "/api/datasets")
    assert answer.status_code == 500
    assert "flu" not in answer.text
    assert "p17" not in str(answer.headers)


def test_a_wrong_body_is_named_by_its_field_and_its_value_is_not_sent_back(caller):
    answer = caller()("POST", "/api/datasets/visits/query", json={"sql": {"secret": "hunter2"}, "epsilon": 1})
    assert (answer.status_code, "sql" in answer.text, "hunter2" in answer.text) == (422, True, False)
