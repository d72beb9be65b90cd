"""The survey page answers in a browser, and its reports are counted."""

import importlib.util
import shutil
import subprocess
import threading
from http.server import ThreadingHTTPServer

import pytest

from tests.house.tree import ROOT

BROWSER = shutil.which("chromium")


def survey():
    """A fresh copy of the example's server."""
    spec = importlib.util.spec_from_file_location("survey", ROOT / "examples" / "survey" / "serve.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def opened(url, profile):
    flags = "--headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking --disable-sync"
    command = [BROWSER, *flags.split(), "--disable-component-update", f"--user-data-dir={profile}"]
    command += ["--virtual-time-budget=8000", "--dump-dom", url]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout


@pytest.mark.long
@pytest.mark.skipif(BROWSER is None, reason="the survey page is not tried: chromium is not installed")
def test_answers_given_in_a_browser_are_randomized_there_and_counted(tmp_path):
    served = survey()
    server = ThreadingHTTPServer(("127.0.0.1", 0), served.Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        place = f"http://127.0.0.1:{server.server_port}/"
        page = opened(place + "?city=Bern&age=30&word=hello", tmp_path / "one")
        assert page.count(": 1 taken") == 3
        refused = opened(place + "?city=Bern&word=longer than that", tmp_path / "two")
        assert "not one of the protocol's" in refused
        assert refused.count(": 1 taken") == 1
    finally:
        server.shutdown()
        server.server_close()
    counted = {name: (one.reports, one.rejected) for name, one in served.COLLECTOR.aggregators.items()}
    assert counted == {"city": (2, 0), "age": (1, 0), "word": (1, 0)}
    assert "city: 2 reports" in served.told()


def test_the_server_hands_out_what_the_page_asks_for():
    served = survey()
    page = (ROOT / "examples" / "survey" / "index.html").read_text(encoding="utf-8")
    for name in served.PROTOCOLS:
        assert f'data-question="{name}"' in page
    assert served.told().count("no reports yet") == 3
    record = bytes(16) + served.PROTOCOLS["word"].client().randomize("hello")
    assert served.COLLECTOR.take("word", record)["taken"] == 1
