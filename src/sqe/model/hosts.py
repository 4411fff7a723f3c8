"""Which addresses and names are this machine's own."""

from __future__ import annotations

import ipaddress


def is_loopback(address: str) -> bool:
    """For an IP address as text. What is not one is not loopback: names are not looked up."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    mapped = parsed.ipv4_mapped if isinstance(parsed, ipaddress.IPv6Address) else None
    return (mapped or parsed).is_loopback


def is_own_machine(host: str) -> bool:
    """For a name or an address. Names other than localhost are not looked up."""
    return host == "localhost" or is_loopback(host)
