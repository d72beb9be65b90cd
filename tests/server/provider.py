"""A provider of identities for tests: it publishes its keys, checks codes and verifiers, and signs as it is told."""

import base64
import hashlib
import json
import time
from urllib.parse import parse_qs, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

from dalenius.errors import AccessRefused
from dalenius.server import Provider

ISSUER, HOME, SECRET = "https://id.example", "https://ask.example", "a secret of the server"


class LocalProvider:
    """It answers as `oidc.fetched` would; `changes` are made to a token's claims, `signed_by` signs in its place."""

    def __init__(self):
        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.kid, self.codes, self.requests = "k1", {}, []
        self.changes, self.signed_by, self.algorithm, self.headers, self.about = {}, None, "RS256", {}, {}

    def settings(self, **terms):
        return Provider(**{"issuer": ISSUER, "client": "dalenius", "secret": SECRET, "home": HOME} | terms)

    def sign_in(self, place, sub="42"):
        """What somebody's browser does at the provider: the query that it comes back with."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(place).query).items()}
        assert (asked["response_type"], asked["code_challenge_method"]) == ("code", "S256")
        assert asked["redirect_uri"] == f"{HOME}/login/back"
        self.codes["the-code"] = asked | {"sub": sub}
        return {"code": "the-code", "state": asked["state"]}

    def fetch(self, place, body, headers):
        self.requests.append(place)
        if place.endswith("openid-configuration"):
            ends = {name: f"{ISSUER}/{name}" for name in ("authorization_endpoint", "token_endpoint", "jwks_uri")}
            return {"issuer": ISSUER} | ends | self.about
        if place.endswith("jwks_uri"):
            public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self.key.public_key()))
            return {"keys": [public | {"kid": self.kid, "use": "sig"}]}
        assert headers["Authorization"] == "Basic " + base64.b64encode(b"dalenius:a+secret+of+the+server").decode()
        asked = self.codes.pop(body["code"], None)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(body["code_verifier"].encode()).digest()).rstrip(b"=")
        if asked is None or challenge.decode() != asked["code_challenge"]:
            raise AccessRefused("the provider cannot be reached, or does not answer as it should")
        return {"id_token": self.token(asked)}

    def token(self, asked):
        now = int(time.time())
        claims = {"iss": ISSUER, "aud": "dalenius", "sub": asked["sub"], "exp": now + 300, "iat": now}
        claims |= {"nonce": asked["nonce"]} | self.changes
        claims = {name: value for name, value in claims.items() if value is not None}
        return jwt.encode(claims, self.signed_by or self.key, self.algorithm, headers={"kid": self.kid} | self.headers)
