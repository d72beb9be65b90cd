"""Nobody is signed in."""


class SignedOut(Exception):
    """Nobody is signed in; the browser is sent to the page that asks for a key."""
