import pytest
from starlette.requests import Request

from dalenius.server.address import address_of


@pytest.mark.parametrize(
    ("client", "counted"),
    [
        (("192.0.2.1", 5), "192.0.2.1"),
        (("2001:db8:1:2:3:4:5:6", 5), "2001:db8:1:2::/64"),
        (("2001:db8:1:2:ffff::1", 5), "2001:db8:1:2::/64"),
        (("::ffff:192.0.2.1", 5), "192.0.2.1"),
        (("testclient", 5), "testclient"),
        (None, ""),
    ],
)
def test_limits_count_an_address_or_the_half_that_one_holder_has(client, counted):
    assert address_of(Request({"type": "http", "client": client, "headers": []})) == counted
