import base64
import json
import time

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from dalenius.errors import AccessRefused, InvalidParameter
from dalenius.server.oidc import SignIn, fetched
from tests.server.provider import HOME, ISSUER, LocalProvider


@pytest.fixture
def provider():
    return LocalProvider()


def come_back(provider, change=lambda cookie, given: (cookie, given), now=None, **terms):
    door = SignIn(provider.settings(**terms), provider.fetch)
    place, cookie = door.begin(time.time())
    cookie, given = change(cookie, provider.sign_in(place))
    return door.finish(cookie, given, now or time.time())


def test_who_comes_back_is_known_by_issuer_and_subject(provider):
    assert come_back(provider) == f"{ISSUER}|42"


def test_an_address_is_an_identity_only_if_the_provider_has_verified_it(provider):
    provider.changes = {"email": "ann@example.org", "email_verified": True}
    assert come_back(provider, claim="email") == f"{ISSUER}|ann@example.org"
    for verified in (False, "true", None):
        provider.changes = {"email": "ann@example.org", "email_verified": verified}
        with pytest.raises(AccessRefused, match="verified"):
            come_back(provider, claim="email")


@pytest.mark.parametrize(
    "changes",
    [
        {"iss": "https://evil.example"},
        {"aud": "another"},
        {"aud": ["dalenius", "another"]},
        {"aud": None},
        {"exp": 1},
        {"exp": None},
        {"iat": int(time.time()) + 10_000},
        {"nonce": "another"},
        {"nonce": None},
        {"azp": "another"},
        {"sub": None},
        {"sub": "a\nb"},
        {"sub": 42},
    ],
)
def test_a_token_for_somebody_else_somewhere_else_or_another_time_is_refused(provider, changes):
    provider.changes = changes
    with pytest.raises(AccessRefused):
        come_back(provider)


def test_a_token_that_another_key_signed_is_refused(provider):
    provider.signed_by = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    with pytest.raises(AccessRefused, match="signature"):
        come_back(provider)


def test_a_token_that_is_signed_with_no_key_or_the_public_one_is_refused(provider):
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    public = provider.key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    provider.signed_by, provider.algorithm = base64.b64encode(public).decode() * 2, "HS256"
    with pytest.raises(AccessRefused, match="signed as it must"):
        come_back(provider)
    provider.token = lambda asked: ".".join(
        base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode()
        for part in ({"alg": "none"}, {"iss": ISSUER, "sub": "42"}, {})
    )
    with pytest.raises(AccessRefused):
        come_back(provider)


def test_a_key_that_is_not_published_is_looked_for_once_more(provider):
    provider.headers = {"kid": "unknown"}
    with pytest.raises(AccessRefused, match="does not publish"):
        come_back(provider)


def test_an_answer_that_this_browser_did_not_ask_for_is_refused(provider):
    def other_state(cookie, given):
        return cookie, given | {"state": "x"}

    def no_state(cookie, given):
        return cookie, {"code": given["code"]}

    def no_cookie(cookie, given):
        return "", given

    def forged_cookie(cookie, given):
        words = {"state": given["state"], "nonce": "n", "verifier": "v", "end": 10**12}
        return base64.urlsafe_b64encode(json.dumps(words).encode()).decode() + "." + "0" * 64, given

    def other_issuer(cookie, given):
        return cookie, given | {"iss": "https://evil.example"}

    def no_code(cookie, given):
        return cookie, {"state": given["state"], "error": "access_denied"}

    for change in (other_state, no_state, no_cookie, forged_cookie, other_issuer, no_code):
        with pytest.raises(AccessRefused):
            come_back(provider, change)


def test_a_code_without_its_verifier_is_worth_nothing(provider):
    door = SignIn(provider.settings(), provider.fetch)
    victims_place, _ = door.begin(time.time())
    stolen = provider.sign_in(victims_place)
    place, cookie = door.begin(time.time())
    own = provider.sign_in(place)
    provider.codes = {stolen["code"]: provider.codes[stolen["code"]] | {"code_challenge": "the victim's"}}
    with pytest.raises(AccessRefused):
        door.finish(cookie, own | {"code": stolen["code"]}, time.time())


def test_a_sign_in_ends_after_its_minutes(provider):
    with pytest.raises(AccessRefused, match="too long"):
        come_back(provider, now=time.time() + 601)


def test_a_provider_that_names_another_issuer_or_an_open_address_is_refused(provider):
    for about in ({"issuer": "https://evil.example"}, {"token_endpoint": "http://id.example/t"}, {"jwks_uri": 5}):
        provider.about = about
        with pytest.raises(AccessRefused):
            come_back(provider)


def test_documents_are_kept(provider):
    door = SignIn(provider.settings(), provider.fetch)
    for _ in range(3):
        place, cookie = door.begin(time.time())
        door.finish(cookie, provider.sign_in(place), time.time())
    assert sum("configuration" in place for place in provider.requests) == 1
    assert sum("jwks" in place for place in provider.requests) == 1


@pytest.mark.parametrize(
    "terms",
    [
        {"issuer": "http://id.example"},
        {"issuer": "https://user:pass@id.example"},
        {"home": "ftp://x"},
        {"client": ""},
        {"claim": "name"},
    ],
)
def test_a_provider_that_cannot_be_trusted_is_refused(provider, terms):
    with pytest.raises(InvalidParameter):
        provider.settings(**terms)


def test_the_secret_is_in_no_repr(provider):
    assert "a secret" not in repr(provider.settings())
    assert provider.settings().back == f"{HOME}/login/back"


def test_what_does_not_answer_is_one_refusal():
    with pytest.raises(AccessRefused, match="cannot be reached"):
        fetched("http://127.0.0.1:9", None, {})


@pytest.mark.parametrize(
    "place", ["http://127.0.0.1:8080/admin", "http://localhost/x", "http://id.example/x", "file:///x"]
)
def test_a_provider_elsewhere_names_no_service_of_this_machine(provider, place):
    for name in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
        provider.about = {name: place}
        with pytest.raises(AccessRefused, match="where to sign in"):
            come_back(provider)
        assert place not in provider.requests
