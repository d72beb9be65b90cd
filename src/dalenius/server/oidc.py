"""Sign-in at a provider of identities: OpenID Connect's authorization code with PKCE.

What is checked, and why: *state* (the answer belongs to a request of this browser), *PKCE* (a stolen code is useless
without the verifier), *nonce* (the token was made for this request), the token's *signature* under the provider's
published keys, its *issuer*, *audience* and *end*. Only signatures with public keys are taken: a token that names
another algorithm, or none, is refused. State, nonce and verifier stay in the browser's own cookie, sealed here.
"""

import base64
import hashlib
import hmac
import json
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode, urlsplit

from dalenius.errors import AccessRefused, InvalidParameter
from dalenius.server.outbound import is_safe, sent

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA")
MINUTES = 10
"""How long somebody may take at the provider."""
_LEEWAY, _KEEP = 60, 3600

Fetch = Callable[[str, Mapping[str, str] | None, Mapping[str, str]], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Provider:
    """Where people sign in.

    Args:
        issuer: the provider's address, exactly as its tokens name it.
        client: the name of this server at the provider.
        secret: the server's password there.
        home: the address of this server as browsers see it, such as https://ask.example.
        claim: what somebody is known by: "sub", or "email" where the provider says that it was verified.
    """

    issuer: str
    client: str
    secret: str = field(repr=False)
    home: str
    claim: str = "sub"

    def __post_init__(self) -> None:
        for name, address in (("issuer", self.issuer), ("home", self.home)):
            if not is_safe(address):
                raise InvalidParameter(f"the {name} must be an https address, got {address!r:.100}")
        if not self.client or not self.secret:
            raise InvalidParameter("a provider needs the name and the secret of this server there")
        if self.claim not in ("sub", "email"):
            raise InvalidParameter(f"people are known by sub or email, got {self.claim!r:.30}")

    @property
    def back(self) -> str:
        """Where the provider sends people back to."""
        return self.home.rstrip("/") + "/login/back"


@dataclass(slots=True)
class SignIn:
    """Requests to one provider, whose addresses and keys are kept for an hour."""

    provider: Provider
    fetch: Fetch = field(default_factory=lambda: fetched)
    _kept: dict[str, tuple[float, dict[str, Any]]] = field(default_factory=dict)

    def begin(self, now: float) -> tuple[str, str]:
        """The address to send somebody to, and the cookie that must come back with them."""
        words = {word: secrets.token_urlsafe(32) for word in ("state", "nonce", "verifier")}
        challenge = hashlib.sha256(words["verifier"].encode()).digest()
        asked = {
            "response_type": "code",
            "client_id": self.provider.client,
            "redirect_uri": self.provider.back,
            "scope": "openid" if self.provider.claim == "sub" else "openid email",
            "state": words["state"],
            "nonce": words["nonce"],
            "code_challenge": _plain64(challenge),
            "code_challenge_method": "S256",
        }
        place = self._endpoint("authorization_endpoint")
        joint = "&" if urlsplit(place).query else "?"
        return f"{place}{joint}{urlencode(asked)}", self._sealed(words | {"end": int(now) + 60 * MINUTES})

    def finish(self, cookie: str, given: Mapping[str, str], now: float) -> str:
        """The identity of who came back; AccessRefused, with a reason that holds nothing of the token."""
        words = self._opened(cookie, now)
        if not _same(given.get("state", ""), words["state"]):
            raise AccessRefused("this answer belongs to no sign-in that was begun in this browser")
        if given.get("iss", self.provider.issuer) != self.provider.issuer:
            raise AccessRefused("another provider answered")
        if not given.get("code"):
            raise AccessRefused("the provider did not let you in")
        claims = self._claims(self._token(given["code"], words["verifier"]), words["nonce"])
        return f"{self.provider.issuer}|{self._known_by(claims)}"

    def _token(self, code: str, verifier: str) -> str:
        body = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self.provider.back,
            "code_verifier": verifier,
        }
        both = ":".join(urlencode({"": word})[1:] for word in (self.provider.client, self.provider.secret))
        headers = {"Authorization": "Basic " + base64.b64encode(both.encode()).decode()}
        token = self.fetch(self._endpoint("token_endpoint"), body, headers).get("id_token")
        if not isinstance(token, str):
            raise AccessRefused("the provider gave no token that says who came")
        return token

    def _claims(self, token: str, nonce: str) -> dict[str, Any]:
        import jwt

        try:
            header = jwt.get_unverified_header(token)
            if header.get("alg") not in ALGORITHMS:
                raise AccessRefused("the provider's token is not signed as it must be")
            claims: dict[str, Any] = jwt.decode(
                token,
                self._key(header.get("kid")),
                algorithms=[header["alg"]],
                audience=self.provider.client,
                issuer=self.provider.issuer,
                leeway=_LEEWAY,
                options={"require": ["exp", "iat", "iss", "aud", "sub"]},
            )
        except (jwt.PyJWTError, ValueError, TypeError):
            raise AccessRefused(
                "the provider's token is not valid here: its signature, issuer, audience or end"
            ) from None
        if not _same(str(claims.get("nonce", "")), nonce):
            raise AccessRefused("the provider's token was made for another sign-in")
        if claims.get("azp", self.provider.client) != self.provider.client:
            raise AccessRefused("the provider's token was made for another server")
        if isinstance(claims["aud"], list) and len(claims["aud"]) > 1 and "azp" not in claims:
            raise AccessRefused("the provider's token does not say which server it was made for")
        return claims

    def _key(self, kid: str | None) -> Any:
        import jwt

        for fresh in (False, True):  # a provider changes its keys: an unknown one is looked for once more
            keys = jwt.PyJWKSet.from_dict(self._document(self._endpoint("jwks_uri"), fresh)).keys
            fitting = [key for key in keys if key.public_key_use in (None, "sig") and kid in (None, key.key_id)]
            if len(fitting) == 1:
                return fitting[0].key
        raise AccessRefused("the provider's token is signed with a key that it does not publish")

    def _known_by(self, claims: Mapping[str, Any]) -> str:
        value = claims.get(self.provider.claim)
        if self.provider.claim == "email" and claims.get("email_verified") is not True:
            raise AccessRefused("the provider has not verified your e-mail address")
        if not isinstance(value, str) or not value or value.splitlines() != [value]:
            raise AccessRefused(f"the provider does not say your {self.provider.claim}")
        return value

    def _endpoint(self, name: str) -> str:
        about = self._document(self.provider.issuer.rstrip("/") + "/.well-known/openid-configuration", fresh=False)
        place = about.get(name)
        if about.get("issuer") != self.provider.issuer or not isinstance(place, str) or not self._is_its_own(place):
            raise AccessRefused("the provider does not say where to sign in")
        return place

    def _is_its_own(self, place: str) -> bool:
        """Whether a provider may name an address: one elsewhere names none of this machine's own services."""
        return is_safe(place) and urlsplit(place).scheme in ("https", urlsplit(self.provider.issuer).scheme)

    def _document(self, place: str, fresh: bool) -> dict[str, Any]:
        """A document of the provider's, kept for an hour; a fresh one at most once a minute."""
        at, kept = self._kept.get(place, (-float("inf"), {}))
        age = time.monotonic() - at
        if age > _KEEP or (fresh and age > 60):
            kept = self.fetch(place, None, {})
            self._kept[place] = (time.monotonic(), kept)
        return kept

    def _sealed(self, words: Mapping[str, Any]) -> str:
        text = _plain64(json.dumps(words).encode())
        return f"{text}.{self._mark(text)}"

    def _opened(self, cookie: str, now: float) -> dict[str, str]:
        text, _, mark = cookie.partition(".")
        if not _same(mark, self._mark(text)):
            raise AccessRefused("no sign-in was begun in this browser")
        words: dict[str, Any] = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
        if words["end"] <= now:
            raise AccessRefused("the sign-in took too long: begin again")
        return words

    def _mark(self, text: str) -> str:
        """Under the server's secret at the provider, which all servers of one home share."""
        key = hashlib.sha256(b"dalenius sign-in " + self.provider.secret.encode()).digest()
        return hmac.digest(key, text.encode(), "sha256").hex()


def fetched(place: str, body: Mapping[str, str] | None, headers: Mapping[str, str]) -> dict[str, Any]:
    """A JSON document of the provider's."""
    data = None if body is None else urlencode(body).encode()
    try:
        document = json.loads(sent(place, data, {"Accept": "application/json", **headers}))
    except (OSError, ValueError):
        raise AccessRefused("the provider cannot be reached, or does not answer as it should") from None
    if not isinstance(document, dict):
        raise AccessRefused("the provider cannot be reached, or does not answer as it should")
    return document


def _plain64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _same(one: str, other: str) -> bool:
    return bool(other) and hmac.compare_digest(one.encode(), other.encode())
