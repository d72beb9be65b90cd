import base64
import hashlib
import hmac

import pytest

from dalenius.errors import InvalidParameter
from dalenius.ledger.keys import check_holder, fingerprint_of, hash_of, scram_verifier


def test_the_verifier_lets_a_client_of_rfc_5802_prove_that_it_holds_the_key():
    secret = "dk_pencil"
    verifier = scram_verifier(secret)
    kind, rounds, keys = verifier.split("$")
    iterations, salt = rounds.split(":")
    stored, server = map(base64.b64decode, keys.split(":"))
    salted = hashlib.pbkdf2_hmac("sha256", secret.encode(), base64.b64decode(salt), int(iterations))
    client = hmac.new(salted, b"Client Key", hashlib.sha256).digest()
    said = b"n=,r=nonce,r=nonce2,s=salt,i=4096,c=biws,r=nonce2"
    proof = bytes(a ^ b for a, b in zip(client, hmac.new(stored, said, hashlib.sha256).digest(), strict=True))
    recovered = bytes(a ^ b for a, b in zip(proof, hmac.new(stored, said, hashlib.sha256).digest(), strict=True))
    assert (kind, hashlib.sha256(recovered).digest()) == ("SCRAM-SHA-256", stored)
    assert server == hmac.new(salted, b"Server Key", hashlib.sha256).digest()


def test_two_verifiers_of_one_key_have_salts_of_their_own():
    assert scram_verifier("dk_pencil") != scram_verifier("dk_pencil")


def test_a_fingerprint_is_a_hash_of_the_hash():
    hashed = hashlib.sha256(b"dk_pencil").hexdigest()
    assert hash_of("dk_pencil") == hashed
    assert fingerprint_of("dk_pencil") == hashlib.sha256(b"dalenius key " + hashed.encode()).hexdigest()[:32]


def test_a_holders_name_is_one_line_and_not_everybodys():
    check_holder("ann")
    for name in ("public", "a\nb"):
        with pytest.raises(InvalidParameter):
            check_holder(name)
