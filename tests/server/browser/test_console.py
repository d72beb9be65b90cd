"""The console in a real browser: analysts ask, owners govern, on a wide screen and on a phone."""

import os
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from dalenius.ledger import Ledger
from dalenius.sql import connect
from tests.house.tree import ROOT
from tests.server.hospital import COUNT, rows
from tests.server.process import POLICY, Server

pytestmark = pytest.mark.browser

CHROMIUM = "/usr/bin/chromium"
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]
AXE = ROOT / ".build" / "axe" / "node_modules" / "axe-core" / "axe.min.js"
PICTURES = os.environ.get("DALENIUS_PICTURES")


@pytest.fixture(scope="module")
def hospital(tmp_path_factory):
    """A server, and keys of its ledger by role."""
    folder = tmp_path_factory.mktemp("console")
    pq.write_table(rows(300), folder / "visits.parquet")
    (folder / "policy.toml").write_text(POLICY + "[bounds]\ncost = [0, 100]\n")
    connect(policy=folder / "policy.toml", ledger=folder / "x.ledger")
    ledger = Ledger.open(folder / "x.ledger")
    ledger.share("visits", "ann", "0.5")
    server = Server(folder, after="1").start()
    yield server.url, {role: ledger.create_key(name, role, ["visits"])[0] for role, name in NAMES.items()}, ledger
    server.stop()


NAMES = {"analyst": "ann", "owner": "olga"}


@pytest.fixture(scope="module")
def chromium():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


class Visitor:
    """Somebody at a browser, who is signed in; every request that leaves for another host is counted."""

    def __init__(self, chromium, url, secret, width=1200, dark=False):
        self.context = chromium.new_context(
            viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light", bypass_csp=False
        )
        self.page, self.foreign, self.errors = self.context.new_page(), [], []
        self.page.on("request", lambda one: None if one.url.startswith(url) else self.foreign.append(one.url))
        self.page.on("console", lambda one: self.errors.append(one.text) if one.type == "error" else None)
        self.page.on("pageerror", lambda one: self.errors.append(str(one)))
        if secret is None:
            return
        self.page.goto(url)
        self.page.fill("#key", secret)
        self.page.click("text=Sign in >> nth=-1")
        self.page.wait_for_selector("h1:has-text('Tables')")

    def picture(self, name):
        if PICTURES:
            self.page.screenshot(path=str(Path(PICTURES) / f"{name}.png"), full_page=True)

    def check(self):
        """Nothing serious for somebody who cannot see, no foreign request, no error, no sideways scrolling."""
        wide = self.page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
        assert not wide
        found = self.page.evaluate(AXE.read_text(encoding="utf-8") + "\n; axe.run()")
        serious = [(one["id"], one["nodes"][0]["html"]) for one in found["violations"] if one["impact"] in SERIOUS]
        assert serious == []
        assert (self.foreign, self.errors) == ([], [])


SERIOUS = ("serious", "critical")


def test_an_analyst_sees_the_price_spends_and_sees_the_answer_again_for_nothing(hospital, chromium):
    url, secrets, ledger = hospital
    ann = Visitor(chromium, url, secrets["analyst"])
    page = ann.page
    ann.check()
    ann.picture("tables")
    page.click("text=visits")
    page.fill("#sql", COUNT)
    page.fill("#epsilon", "0.1")
    page.click("text=Explain")
    assert "Spend ε = 0.1" in page.inner_text("button.spend")
    ann.check()
    ann.picture("explained")
    page.click("button.spend")
    page.wait_for_selector("table.answer")
    page.wait_for_load_state("networkidle")
    assert page.evaluate("document.querySelector('img.chart').naturalWidth") > 100
    ann.check()
    ann.picture("answer")
    shown = page.inner_text("table.answer")
    assert len(ledger.entries("visits")) == 1
    page.click("text=Back to the question")
    page.click("text=Explain")
    assert "for nothing" in page.inner_text("button.spend")
    page.click("button.spend")
    page.wait_for_selector("table.answer")
    assert page.inner_text("table.answer") == shown
    assert len(ledger.entries("visits")) == 1
    with page.expect_download() as download:
        page.click("text=Download csv")
    assert Path(download.value.path()).read_text(encoding="utf-8").startswith("ward,n,n_lower,n_upper")


def test_a_refusal_keeps_the_question_and_a_picked_one_is_written_out(hospital, chromium):
    url, secrets, _ = hospital
    ann = Visitor(chromium, url, secrets["analyst"])
    page = ann.page
    page.goto(f"{url}/tables/visits")
    page.fill("#sql", "SELECT * FROM visits")
    page.fill("#epsilon", "0.1")
    page.click("text=Explain")
    page.wait_for_selector(".refused")
    assert page.input_value("#sql") == "SELECT * FROM visits"
    ann.errors.clear()  # the browser notes the status 400 of the page itself
    ann.check()
    page.select_option("#what", "mean")
    page.select_option("#column", "cost")
    page.select_option("#by", "ward")
    page.click("text=Write the SQL")
    page.wait_for_selector("#sql")
    assert 'AVG("cost")' in page.input_value("#sql")
    page.fill("#sql", "")
    page.type("#sql", "SELECT wa")
    page.keyboard.press("Tab")
    assert page.input_value("#sql") == "SELECT ward"


def test_an_owner_approves_a_request_and_changes_a_share(hospital, chromium):
    url, secrets, ledger = hospital
    ann, olga = (Visitor(chromium, url, secrets[role]) for role in ("analyst", "owner"))
    ann.page.goto(f"{url}/tables/visits")
    ann.page.fill("#sql", "SELECT AVG(cost) AS mean FROM visits")
    ann.page.fill("#epsilon", "3")
    ann.page.click("text=Explain")
    ann.page.click("text=Ask the owner")
    ann.page.wait_for_selector(".said")
    olga.page.goto(f"{url}/tables/visits/govern")
    olga.check()
    olga.picture("govern")
    olga.page.click("button:has-text('Approve')")
    olga.page.wait_for_selector("text=No open request.")
    ann.page.click("text=Explain")
    ann.page.click("button.spend")
    ann.page.wait_for_selector("table.answer")
    olga.page.fill("#analyst", "ann")
    olga.page.fill("#share-epsilon", "0.7")
    olga.page.click("text=Give, raise or lower")
    olga.page.wait_for_selector("td:has-text('ε = 0.7')")
    assert str(ledger.shares("visits")["ann"].epsilon) == "7/10"
    olga.page.click("text=Verify the chain")
    olga.page.wait_for_selector("text=is whole")


@pytest.mark.parametrize("dark", [False, True])
def test_every_page_fits_a_phone_by_day_and_by_night(hospital, chromium, dark):
    url, secrets, _ = hospital
    olga = Visitor(chromium, url, secrets["owner"], width=360, dark=dark)
    paths = ["", "/tables/visits", "/tables/visits/govern", "/tables/visits/history", "/tables/visits/dashboards"]
    paths += ["/tables/visits/govern/policy", "/public"]
    for path in paths:
        name = path.rpartition("/")[2] or "tables"
        olga.page.goto(url + path)
        olga.check()
        olga.picture(f"phone-{name}-{'dark' if dark else 'light'}")


def test_a_dashboard_waits_for_a_yes_and_is_read_by_everybody_once_it_is_published(hospital, chromium):
    url, secrets, ledger = hospital
    olga = Visitor(chromium, url, secrets["owner"])
    page = olga.page
    page.goto(f"{url}/tables/visits/dashboards")
    page.fill("#title", "Wards at a glance")
    page.click("text=Make a dashboard")
    page.wait_for_selector("text=No question yet")
    place = page.url
    for sql, title in ((COUNT, "Visits"), ("SELECT ward, AVG(cost) AS mean FROM visits GROUP BY ward", "Mean cost")):
        page.goto(f"{url}/tables/visits")
        page.fill("#sql", sql)
        page.fill("#epsilon", "1.5")
        page.click("text=Explain")
        page.fill("#title", title)
        page.select_option("#dashboard", label="Wards at a glance")
        page.click("button:text-is('Save')")
        page.wait_for_selector(f"h2:has-text('{title}')")
    before = len(ledger.entries("visits"))
    olga.check()
    olga.picture("dashboard-waiting")
    assert "2 of 2 questions wait" in page.inner_text("#waiting")
    page.click("button:has-text('Spend ε = 3 and show them')")
    page.wait_for_selector("table.answer >> nth=1")
    page.wait_for_load_state("networkidle")
    assert len(ledger.entries("visits")) == before + 2
    page.reload()
    assert len(ledger.entries("visits")) == before + 2
    page.click("button:text-is('Publish')")
    page.wait_for_selector("text=the public page")
    page.wait_for_load_state("networkidle")
    olga.check()
    olga.picture("dashboard")
    for name, width, dark in (("wide", 1200, False), ("phone", 360, True)):
        stranger = Visitor(chromium, url, None, width=width, dark=dark)
        stranger.page.goto(place.replace("/tables/visits/dashboards", "/public"))
        stranger.page.wait_for_load_state("networkidle")
        assert stranger.page.locator("table.answer").count() == 2
        assert "differential privacy" in stranger.page.inner_text("main")
        assert stranger.page.evaluate("document.querySelector('img.chart').naturalWidth") > 100
        stranger.check()
        stranger.picture(f"public-{name}")
    with stranger.page.expect_download() as download:
        stranger.page.click("text=csv >> nth=0")
    assert "privacy" in Path(download.value.path()).read_text(encoding="utf-8").splitlines()[0]


def test_everybody_asks_once_the_owner_opens_it(hospital, chromium):
    url, secrets, ledger = hospital
    stranger, olga = Visitor(chromium, url, None), Visitor(chromium, url, secrets["owner"])
    assert stranger.page.goto(f"{url}/ask/visits").status == 404
    stranger.errors.clear()
    olga.page.goto(f"{url}/tables/visits/govern")
    olga.page.fill("#public-daily", "0.2")
    olga.page.fill("#public-epsilon", "1")
    olga.page.click("text=Open it to everybody")
    olga.page.wait_for_selector("text=ask without a key")
    page = stranger.page
    page.goto(f"{url}/ask/visits")
    page.fill("#sql", "SELECT COUNT(*) AS n FROM visits")
    page.fill("#epsilon", "0.15")
    page.click("text=Explain")
    stranger.check()
    stranger.picture("public-ask")
    page.click("button.spend")
    page.wait_for_selector("table.answer")
    stranger.check()
    assert ledger.entries("visits")[-1].analyst == "public"
    page.fill("#sql", "SELECT SUM(cost) AS total FROM visits")
    page.click("text=Explain")
    page.wait_for_selector("text=it does not fit")
    page.click("button.spend")
    page.wait_for_selector(".refused:has-text('a day')")


def test_history_and_saved_questions_and_the_policy_are_read(hospital, chromium):
    url, secrets, _ = hospital
    olga = Visitor(chromium, url, secrets["owner"])
    olga.page.goto(f"{url}/tables/visits/govern/policy")
    olga.page.wait_for_selector("h1:has-text('The policy in words')")
    olga.check()
    olga.picture("policy")
    ann = Visitor(chromium, url, secrets["analyst"])
    ann.page.goto(f"{url}/tables/visits/history")
    ann.check()
    ann.picture("history")
    ann.page.click("text=Show the answer, for nothing >> nth=0")
    ann.page.wait_for_selector("table.answer")
    ann.check()


def test_the_editor_completes_names_without_a_foreign_word(hospital, chromium):
    url, secrets, _ = hospital
    ann = Visitor(chromium, url, secrets["analyst"])
    page = ann.page
    page.goto(f"{url}/tables/visits")
    page.type("#sql", "SELECT co")
    assert page.inner_text(".completions").split() == ["cost", "COUNT(*)"]
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    assert page.input_value("#sql") == "SELECT COUNT(*)"
    page.type("#sql", " FROM vi")
    page.keyboard.press("Escape")
    assert page.locator(".completions li").count() == 0
    ann.check()


def test_a_page_weighs_little(hospital, chromium):
    import gzip

    import httpx

    url, secrets, _ = hospital
    with httpx.Client(base_url=url, follow_redirects=True) as client:
        client.post("/login", data={"key": secrets["owner"]})
        parts = ["/tables/visits/govern", "/static/console.css", "/static/console.js", "/tables/visits/spending.svg"]
        weight = sum(len(gzip.compress(client.get(path).content)) for path in parts)
    assert weight <= 350_000


def test_every_page_with_all_that_it_loads_stays_under_its_weight(hospital, chromium):
    import gzip

    url, secrets, ledger = hospital
    olga = Visitor(chromium, url, secrets["owner"])
    pages = [f"/public/{one.id}" for one in ledger.published("visits")]
    for path in ["/", "/tables/visits", "/tables/visits/govern", *pages]:
        loaded = []
        olga.page.on("response", lambda answer, loaded=loaded: loaded.append(len(gzip.compress(answer.body()))))
        olga.page.goto(url + path)
        olga.page.wait_for_load_state("networkidle")
        assert 0 < sum(loaded) <= 350_000
    assert olga.foreign == []
