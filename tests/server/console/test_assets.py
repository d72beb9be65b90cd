import pytest

from dalenius.server.console.assets import FILES
from tests.server.console.visitor import Visitor


@pytest.mark.parametrize(("name", "kind"), FILES.items())
def test_a_file_has_its_type(app, name, kind):
    answer = Visitor(app).get(f"/static/{name}")
    assert (answer.status_code, answer.headers["content-type"].partition(";")[0]) == (200, kind)


@pytest.mark.parametrize("name", ["..%2Fcookie.py", "base.html", "%2e%2e/app.py", "console.css%00"])
def test_there_are_no_other_files(app, name):
    assert Visitor(app).get(f"/static/{name}").status_code == 404


def test_no_page_asks_another_host_for_anything_or_holds_a_script(app, visitor):
    olga = visitor("owner")
    for path in ("/login", "/", "/tables/visits", "/tables/visits/govern", "/nothing"):
        text = olga.get(path).text
        assert "http://" not in text
        assert "https://" not in text
        assert text.count("<script") == 1
        assert " on" + "click" not in text
        assert "style=" not in text
