from dalenius.server.api.health import _label


def test_anyone_may_ask_whether_the_server_runs(app):
    from tests.server.hospital import Caller

    answer = Caller(app)("GET", "/api/health")
    assert (answer.status_code, answer.json()["state"]) == (200, "ok")


def test_counters_name_routes_and_never_a_path(caller):
    ann = caller("owner", datasets=("visits", "staff"))
    ann("GET", "/api/datasets/secret-name")
    told = ann("GET", "/metrics").text
    assert 'dalenius_requests{route="/api/datasets/{table}",status="404"} 1' in told
    assert "secret-name" not in told
    assert "second" not in told


def test_who_owns_only_some_of_the_tables_does_not_see_what_is_counted_of_all(caller):
    """Whether an answer was late may hang on a row: it is counted, and another owner has not paid for it."""
    for name in ("visits", "staff"):
        assert caller("owner", datasets=(name,))("GET", "/metrics").status_code == 403


def test_charges_are_counted_by_data_set_and_free_repeats_and_refusals_are_none(caller):
    owner, ann = caller("owner", datasets=("visits", "staff")), caller(name="ann")
    for epsilon in ("0.1", "0.1", "0.2", "99999"):
        ann.ask(epsilon=epsilon)
    told = owner("GET", "/metrics").text
    assert 'dalenius_charges{dataset="visits"} 2\n' in told
    assert 'dalenius_charges{dataset="staff"} 0\n' in told


def test_a_name_cannot_end_the_label_that_it_stands_in():
    assert _label('a"} 1\nx{b="\\') == 'a\\"} 1\\\\nx{b=\\"\\\\'
