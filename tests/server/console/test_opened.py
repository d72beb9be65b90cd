import pytest


@pytest.mark.parametrize(
    ("role", "asks", "governs"), [("owner", 200, 200), ("analyst", 200, 403), ("viewer", 403, 403)]
)
def test_pages_open_by_role(visitor, role, asks, governs):
    somebody = visitor(role)
    for path in ("", "/history", "/dashboards"):
        assert somebody.get(f"/tables/visits{path}").status_code == asks
    assert somebody.get("/tables/visits/govern").status_code == governs
    assert somebody.get("/tables/staff/history").status_code == 404
