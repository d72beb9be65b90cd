from dalenius.server.signed_out import SignedOut


def test_it_says_nothing():
    assert str(SignedOut()) == ""
