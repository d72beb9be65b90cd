def test_anyone_may_ask_whether_the_server_runs(app):
    from tests.server.hospital import Caller

    answer = Caller(app)("GET", "/api/health")
    assert (answer.status_code, answer.json()["state"]) == (200, "ok")


def test_counters_name_routes_and_never_a_path(caller):
    ann = caller("owner")
    ann("GET", "/api/datasets/secret-name")
    told = ann("GET", "/metrics").text
    assert 'dalenius_requests{route="/api/datasets/{table}",status="404"} 1' in told
    assert "secret-name" not in told
    assert "second" not in told
