"""The page about asking over HTTP: Python and JavaScript are run against a server, R is held to the document."""

import os
import re
import shutil
import subprocess

import pyarrow.parquet as pq
import pytest

from dalenius.ledger import Ledger
from dalenius.sql import connect
from tests.docs.test_code_blocks import PAGES, blocks
from tests.house.tree import ROOT
from tests.server.hospital import hospital, rows
from tests.server.process import POLICY, Server

PAGE = ROOT / "docs" / "how-to" / "ask-over-http.md"
NODE = shutil.which("node")


def written_in(language):
    (body,) = [block.body for block in blocks(PAGE.read_text(encoding="utf-8")) if block.info == language]
    return body


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """A server's address, and a key."""
    folder = tmp_path_factory.mktemp("asked")
    pq.write_table(rows(50), folder / "visits.parquet")
    (folder / "policy.toml").write_text(POLICY)
    ledger = Ledger.open(folder / "x.ledger")
    connect(policy=folder / "policy.toml", ledger=ledger)
    server = Server(folder).start()
    yield server.url, ledger.create_key("ann", "analyst", ["visits"])[0], ledger
    server.stop()


@pytest.mark.skipif(NODE is None, reason="the JavaScript of docs/how-to/ask-over-http.md is not run: no node here")
def test_the_javascript_asks_a_server_once_and_prints_its_answer(served, tmp_path):
    url, secret, ledger = served
    script = tmp_path / "ask.mjs"
    script.write_text(written_in("javascript"))
    done = subprocess.run(
        [NODE, str(script)],
        env=os.environ | {"DALENIUS_URL": url, "DALENIUS_KEY": secret},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert "ward\tn\tn_lower\tn_upper\na\t" in done.stdout
    assert "cost         " in done.stdout
    assert len(ledger.entries("visits")) == 1


def test_the_python_asks_a_server(served, capsys):
    url, secret, _ = served
    text = written_in("text")
    exec(compile(text.replace("https://stats.example.org", url).replace("dk_…", secret), str(PAGE), "exec"), {})
    assert "ward" in capsys.readouterr().out


def test_the_paths_and_fields_of_the_r_are_those_of_the_document(tmp_path):
    document, code = hospital(tmp_path)[0].openapi(), written_in("r")
    assert re.search(r'"api", "datasets", "visits"', code)
    for path in re.findall(r'req_url_path_append\("(\w+)"\)', code):
        assert f"/api/datasets/{{table}}/{path}" in document["paths"]
    fields = set(re.findall(r"(\w+) = ", re.search(r"question <- list\((.*)\)", code)[1]))
    assert fields <= set(document["components"]["schemas"]["PaidQuestion"]["properties"])
    query = document["paths"]["/api/datasets/{table}/query"]["post"]
    assert "Idempotency-Key" in [one["name"] for one in query["parameters"]]
    assert set(re.findall(r"c\(([\d, ]+)\)", code)[0].split(", ")) <= set(query["responses"])
    assert "text/csv" in query["responses"]["200"]["content"]


def test_blocks_of_these_languages_stand_on_this_page_alone():
    others = [page for page in PAGES if page != PAGE]
    assert [
        page for page in others for one in blocks(page.read_text(encoding="utf-8")) if one.info in ("javascript", "r")
    ] == []
