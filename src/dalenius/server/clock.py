"""Time as the server takes it, so that a test can hold it still."""

import asyncio
import time


class Clock:
    """Seconds that never go back."""

    def now(self) -> float:
        """Seconds since some moment."""
        return time.monotonic()

    async def sleep_until(self, moment: float) -> None:
        """Come back at this moment, not before it."""
        while (left := moment - self.now()) > 0:
            await asyncio.sleep(left)
