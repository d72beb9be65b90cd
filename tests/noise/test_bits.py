import copy
import multiprocessing
import os
import pickle
import threading
import time

import numpy as np
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, clone

from dalenius.errors import InvalidParameter
from dalenius.noise import Bits
from dalenius.noise import bits as bits_module
from tests.noise.fit import FALSE_ALARM, chi_square
from tests.noise.seeded import SeededBits


def draw(source: Bits) -> bytes:
    return source.octets(32).tobytes()


def in_child(source: Bits) -> bytes:
    """What a forked child draws next."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.write(write, draw(source))
        finally:
            os._exit(0)
    os.waitpid(pid, 0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        return pipe.read()


class Holder(BaseEstimator):
    def __init__(self, bits=None):
        self.bits = bits


def test_two_forked_children_and_their_parent_share_nothing():
    source = Bits()
    draw(source)  # so that there is a pool drawn ahead, which a child must not use
    streams = [in_child(source), in_child(source), draw(source)]
    assert len(set(streams)) == 3
    assert all(len(stream) == 32 for stream in streams)


def test_a_child_forked_while_a_thread_holds_the_lock_still_draws():
    source = Bits()
    with source._lock:
        stream = in_child(source)
    assert len(stream) == 32


def test_children_of_children_share_nothing():
    source = Bits()
    context = multiprocessing.get_context("fork")
    with context.Pool(4) as pool:
        streams = pool.map(draw, [source] * 16)  # each argument is pickled, each worker forked
    assert len({*streams, draw(source)}) == 17


def test_a_source_kept_from_before_the_fork_is_not_the_child_s():
    class Leaky(Bits):
        """A mutant that forgets to look whether it was forked."""

        __slots__ = ()

        def octets(self, size):
            self._owner = (os.getpid(), bits_module._forks)
            return super().octets(size)

    source = Leaky()
    draw(source)
    assert in_child(source) == in_child(
        source
    )  # the mutant leaks; what the test above looks for does occur without the check


@pytest.mark.parametrize(
    "duplicate",
    [copy.copy, copy.deepcopy, lambda b: pickle.loads(pickle.dumps(b)), lambda b: clone(Holder(b)).bits],
    ids=["copy", "deepcopy", "pickle", "clone"],
)
def test_a_duplicate_shares_nothing_with_its_original(duplicate):
    source = Bits()
    draw(source)
    first, second = duplicate(source), duplicate(source)
    assert first is not source
    assert len({draw(first), draw(second), draw(source)}) == 3


def test_what_holds_a_source_can_be_duplicated_too():
    holder = {"bits": Bits(), "again": [Bits()]}
    for other in (copy.deepcopy(holder), pickle.loads(pickle.dumps(holder))):
        assert draw(other["bits"]) != draw(holder["bits"])
        assert draw(other["again"][0]) != draw(holder["again"][0])


def test_threads_that_share_a_source_never_get_the_same_bits():
    source, seen, lock = Bits(), [], threading.Lock()

    def work():
        mine = [source.integer(8) for _ in range(4000)] + source.words(np.uint64, 4000).tolist()
        with lock:
            seen.extend(mine)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(seen)) == len(seen) == 64000  # 64-bit words: a chance repeat has probability below 2e-10


def test_no_request_size_repeats_a_bit():
    source = SeededBits(5)
    parts = [source.octets(size).tobytes() for size in (1, 4095, 4096, 4097, 40000, 1 << 18, 3, (1 << 18) + 1, 100)]
    windows = [part[i : i + 16] for part in parts for i in range(0, len(part) - 15, 16)]
    assert len(set(windows)) == len(windows)


def test_a_new_key_is_taken_after_the_limit(monkeypatch):
    monkeypatch.setattr(bits_module, "REKEY_AFTER", 1 << 16)
    source = SeededBits(1)
    source.octets(1 << 20)
    assert source._rekeys >= 4


def test_bytes_are_uniform_and_neighbors_independent():
    octets = Bits().octets(1 << 22)
    assert chi_square(np.bincount(octets, minlength=256).astype(float), np.full(256, 1 / 256)) > FALSE_ALARM
    pairs = np.bincount(octets[:-1].astype(np.int64) * 256 + octets[1:], minlength=65536).astype(float)
    assert chi_square(pairs, np.full(65536, 2.0**-16)) > FALSE_ALARM
    biased = np.bincount(octets | (octets & 1) << 1, minlength=256).astype(float)  # a mutant: one bit leans on another
    assert chi_square(biased, np.full(256, 1 / 256)) < FALSE_ALARM


def test_without_the_cipher_the_operating_system_gives_every_bit(monkeypatch):
    monkeypatch.setattr(bits_module, "Cipher", None)
    asked = []
    real = os.urandom
    monkeypatch.setattr(os, "urandom", lambda size: asked.append(size) or real(size))
    source = Bits()
    octets = source.octets(100_000)
    assert sum(asked) >= 100_000
    assert stats.kstest(octets / 256, "uniform").statistic < 0.03


def test_repr_shows_no_key():
    assert repr(Bits()) == "Bits()"


def test_negative_sizes_are_refused_by_name():
    with pytest.raises(InvalidParameter, match="size must be ≥ 0, got -1"):
        Bits().words(np.uint64, -1)


def test_a_negative_width_does_not_go_back_to_bits_given_out():
    source = Bits()
    first = source.integer(8)
    for method in (source.integer, source.octets):
        with pytest.raises(InvalidParameter, match="must be ≥ 0"):
            method(-8)
    assert source.integer(8) != first  # equal by chance once in 2⁶⁴


def test_threads_that_come_first_after_a_fork_start_the_source_once():
    class Slow(Bits):
        keys = 0

        def _key(self):
            time.sleep(0.05)
            type(self).keys += 1
            return super()._key()

    source = Slow()
    source._owner = (0, 0)  # what a forked child finds
    threads = [threading.Thread(target=source.integer, args=(8,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Slow.keys == 2  # a second start would have replaced the lock that the first threads hold


def test_a_child_forked_while_a_thread_starts_a_source_still_draws():
    source = Bits()
    with bits_module._starting:
        stream = in_child(source)
    assert len(stream) == 32
