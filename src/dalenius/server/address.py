"""Where a request comes from, as limits count it."""

import ipaddress

from fastapi import Request


def address_of(request: Request) -> str:
    """The address that limits are kept for; of IPv6 the first half, since whoever has one has all of the other half."""
    host = "" if request.client is None else request.client.host[:64]
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv6Address):
        mapped = address.ipv4_mapped
        return str(mapped) if mapped is not None else str(ipaddress.ip_network((address, 64), strict=False))
    return str(address)
