import html
import re

from tests.server.hospital import COUNT

HOSTILE = "<img src=x onerror=alert(1)>"


def test_a_question_is_saved_found_again_and_forgotten(visitor, ledger):
    ann, bob = visitor(name="ann"), visitor(name="bob")
    ann.post("/tables/visits/save", title="Wards", sql=COUNT, epsilon="0.1", delta="")
    page = ann.get("/tables/visits").text
    assert ">Wards</a>" in page
    assert "epsilon=0.1" in page
    assert ">Wards</a>" not in bob.get("/tables/visits").text
    mark = re.search('name="question" value="([0-9a-f]+)"', page)[1]
    bob.post("/tables/visits/forget", question=mark)
    assert ">Wards</a>" in ann.get("/tables/visits").text
    ann.post("/tables/visits/forget", question=mark)
    assert ">Wards</a>" not in ann.get("/tables/visits").text
    assert ledger.entries("visits") == []


def test_titles_and_texts_are_shown_as_text(visitor):
    ann = visitor(name="ann")
    ann.post("/tables/visits/save", title=HOSTILE, sql=f"SELECT '{HOSTILE}'", epsilon='"><b>', delta="")
    page = ann.get("/tables/visits").text
    assert HOSTILE not in page
    assert '"><b>' not in page
    assert html.escape(HOSTILE, quote=False) in page


def test_an_empty_question_is_refused(visitor):
    assert visitor().post("/tables/visits/save", title="x", sql=" ", epsilon="", delta="").status_code == 400
