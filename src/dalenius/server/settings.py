"""What the owner of a server may set; every number is public."""

import ipaddress
from dataclasses import dataclass
from fractions import Fraction

from dalenius.errors import InvalidParameter
from dalenius.server.oidc import Provider

_TAKEN = ("authorization", "cookie", "host", "origin", "forwarded", "x-forwarded-for", "x-forwarded-proto")


@dataclass(frozen=True, slots=True)
class Settings:
    """Limits and times, the same for everyone.

    Args:
        answer_after: seconds from the first reading of rows to the moment at which the answer, or the one constant
            sentence in its place, leaves.
        slots: questions of one data set that may be worked on at a time; a slot is held until its answer leaves.
        queue: questions of one data set that may wait for a slot, at most half of them one analyst's.
        most_bytes: the longest body of a request.
        requests_per_second: how often one key may ask, on average.
        burst: how many requests of one key may come at once.
        wrong_keys_per_minute: wrong keys that one address may try.
        public_per_minute: requests for public pages that one address may make.
        public_questions_per_hour: questions that one address may have answered on a page where everybody may ask.
        proxies: addresses or networks of the proxies that say from where a request came; none by default.
        trusted_header: the header in which these proxies name whom they have signed in.
        provider: where people may sign in to the console besides with a key.
        alerts_go_to: where alerts are sent, in words for the owner's page.
    """

    answer_after: Fraction = Fraction(2)
    slots: int = 2
    queue: int = 32
    most_bytes: int = 1 << 20
    requests_per_second: int = 20
    burst: int = 100
    wrong_keys_per_minute: int = 20
    public_per_minute: int = 120
    public_questions_per_hour: int = 10
    proxies: tuple[str, ...] = ()
    trusted_header: str | None = None
    provider: Provider | None = None
    alerts_go_to: str | None = None

    def __post_init__(self) -> None:
        whole = ("slots", "queue", "most_bytes", "requests_per_second", "burst")
        for name in (*whole, "wrong_keys_per_minute", "public_per_minute", "public_questions_per_hour"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise InvalidParameter(f"{name} must be a whole number of at least 1, got {value!r}")
        self._check_proxies()
        if not 0 < self.answer_after <= 3600:
            raise InvalidParameter(f"answer_after must lie between 0 and 3600 seconds, got {self.answer_after}")

    def _check_proxies(self) -> None:
        for one in self.proxies:
            try:
                ipaddress.ip_network(one)
            except ValueError:
                raise InvalidParameter(f"a proxy is declared by its address or network, got {one!r:.50}") from None
        header = self.trusted_header
        if header is None:
            return
        if not self.proxies:
            raise InvalidParameter("trusted_header is believed of declared proxies alone: name their addresses")
        if not header.isascii() or not header.replace("-", "").isalnum() or header.lower() in _TAKEN:
            raise InvalidParameter(f"trusted_header must name a header of its own, got {header!r:.50}")
