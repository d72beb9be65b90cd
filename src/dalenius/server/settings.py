"""What the owner of a server may set; every number is public."""

from dataclasses import dataclass
from fractions import Fraction

from dalenius.errors import InvalidParameter


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

    def __post_init__(self) -> None:
        whole = ("slots", "queue", "most_bytes", "requests_per_second", "burst")
        for name in (*whole, "wrong_keys_per_minute", "public_per_minute", "public_questions_per_hour"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise InvalidParameter(f"{name} must be a whole number of at least 1, got {value!r}")
        if not 0 < self.answer_after <= 3600:
            raise InvalidParameter(f"answer_after must lie between 0 and 3600 seconds, got {self.answer_after}")
