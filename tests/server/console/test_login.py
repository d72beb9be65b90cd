from urllib.parse import urlencode

from tests.server.console.visitor import Visitor


def test_who_is_not_signed_in_is_sent_to_the_page_that_asks_for_a_key(app):
    for path in ("/", "/tables/visits", "/tables/visits/govern", "/tables/nothing"):
        answer = Visitor(app).get(path)
        assert (answer.status_code, answer.headers["location"]) == (303, "/login")


def test_wrong_keys_are_told_in_one_sentence_and_slowed_down_and_lock_nobody_out(app, ledger):
    visitor = Visitor(app)
    answers = [visitor.post("/login", key=f"dk_{number}") for number in range(22)]
    assert [answer.status_code for answer in answers] == [401] * 20 + [429] * 2
    assert len({answer.text for answer in answers[:20]}) == 1
    assert "dk_3" not in answers[3].text
    assert visitor.post("/login", key=ledger.create_key("ann", "analyst", ["visits"])[0]).status_code == 303


def test_signing_out_takes_the_cookie_back(visitor):
    ann = visitor()
    ann.post("/logout")
    assert ann.get("/").status_code == 303


def provided(tmp_path, monkeypatch):
    from dalenius.server.settings import Settings
    from tests.server.hospital import hospital
    from tests.server.provider import LocalProvider

    provider = LocalProvider()
    app, ledger, _ = hospital(tmp_path, settings=Settings(provider=provider.settings()))
    app.state.sign_in.fetch = provider.fetch
    return app, ledger, provider


def round_trip(app, provider, **changes):
    visitor = Visitor(app)
    begun = visitor.get("/login/provider")
    assert begun.status_code == 303
    given = provider.sign_in(begun.headers["location"]) | changes
    return visitor, visitor.get("/login/back?" + urlencode(given))


def test_somebody_signs_in_at_a_provider_and_is_who_an_owner_let_in(tmp_path, monkeypatch):
    app, ledger, provider = provided(tmp_path, monkeypatch)
    assert "Sign in with your organisation" in Visitor(app).get("/login").text
    stranger, refused = round_trip(app, provider)
    assert (refused.status_code, "https://id.example|42" in refused.text) == (403, True)
    assert stranger.get("/").status_code == 303
    ledger.grant_login("https://id.example|42", "ann", "analyst", ["visits"])
    ann, entered = round_trip(app, provider)
    assert 'content="0;url=/"' in entered.text
    assert "visits" in ann.get("/").text
    assert "ann" in ann.get("/").text
    ledger.revoke_key(ledger.login("https://id.example|42").fingerprint)
    assert ann.get("/").status_code == 303


def test_a_sign_in_that_was_not_begun_here_is_refused(tmp_path, monkeypatch):
    app, ledger, provider = provided(tmp_path, monkeypatch)
    ledger.grant_login("https://id.example|42", "ann", "analyst", ["visits"])
    visitor, answer = round_trip(app, provider, state="another")
    assert (answer.status_code, visitor.get("/").status_code) == (403, 303)
    assert Visitor(app).get("/login/back?code=the-code&state=x").status_code == 403


def test_without_a_provider_there_is_no_such_door(app):
    for path in ("/login/provider", "/login/back?code=x&state=y"):
        assert Visitor(app).get(path).status_code == 404


def test_a_copy_of_a_cookie_opens_nothing_after_its_owner_signed_out_on_any_server(tmp_path):
    from dalenius.server import Catalog, create_app
    from tests.server.hospital import hospital

    app, ledger, _ = hospital(tmp_path)
    other = create_app(Catalog(app.state.served.catalog._tables.values(), ledger))
    secret = ledger.create_key("ann", "owner", ["visits"])[0]
    ann, thief, again = Visitor(app, secret), Visitor(app), Visitor(app, secret)
    thief.cookies.update(ann.cookies)
    thief.token = ann.token
    assert thief.get("/").status_code == 200
    ann.post("/logout")
    before = ledger.verify()
    for place in (app, other):
        thief._app = place
        assert thief.get("/").headers["location"] == "/login"
        assert thief.post("/tables/visits/govern/key", name="x", role="owner").headers["location"] == "/login"
    assert ledger.verify() == before
    assert again.get("/").status_code == 200  # another login of the same key goes on


def test_a_sign_out_that_cannot_be_written_down_says_so_and_takes_the_cookie_all_the_same(app, visitor, monkeypatch):
    from dalenius.errors import LedgerUnavailable

    ann = visitor()

    def full(*_):
        raise LedgerUnavailable("full")

    monkeypatch.setattr(type(app.state.served.desk), "end_login", full)
    told = ann.post("/logout")
    assert (told.status_code, "Revoking the key ends it now" in told.text) == (503, True)
    assert ann.get("/").headers["location"] == "/login"


def test_no_other_site_signs_somebody_in(app, ledger):
    import asyncio

    import httpx

    secret = ledger.create_key("mallory", "analyst", ["visits"])[0]

    async def send(site):
        headers = {} if site is None else {"Sec-Fetch-Site": site}
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://server") as client:
            return (await client.post("/login", data={"key": secret}, headers=headers)).status_code

    sites = (None, "same-origin", "cross-site", "same-site")
    assert [asyncio.run(send(site)) for site in sites] == [303, 303, 403, 403]
