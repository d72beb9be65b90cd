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
