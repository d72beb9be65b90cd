import pyarrow as pa
import pyarrow.compute as pc
import pytest

from dalenius.sql.engine.duckdb.arrow_columns import engine_type, plain, unread_type
from dalenius.sql.types.column_types import is_read

READ = [
    *(pa.int8(), pa.uint64(), pa.float16(), pa.float32(), pa.float64(), pa.bool_(), pa.string(), pa.large_string()),
    *(pa.string_view(), pa.date32(), pa.date64(), pa.timestamp("s"), pa.timestamp("ns"), pa.decimal128(38, 2)),
    *(pa.decimal32(5, 2), pa.decimal256(30, 2), pa.uuid(), pa.bool8(), pa.dictionary(pa.int8(), pa.string())),
    *(pa.run_end_encoded(pa.int32(), pa.int64()), pa.dictionary(pa.uint64(), pa.timestamp("us"))),
]
UNREAD = [
    *(pa.null(), pa.binary(), pa.decimal256(50, 2), pa.duration("s"), pa.month_day_nano_interval(), pa.time32("s")),
    *(pa.list_(pa.decimal128(5, 2)), pa.struct([("a", pa.int8())]), pa.json_()),
    *(pa.opaque(pa.int32(), "a", "b"), pa.map_(pa.string(), pa.int8()), pa.dictionary(pa.int8(), pa.binary())),
]


def broken(kind, *texts):
    size = pa.large_binary() if kind == pa.large_string() else pa.binary()
    return pa.Array.from_buffers(kind, len(texts), pa.array(texts, size).buffers())


@pytest.mark.parametrize("kind", READ, ids=str)
def test_types_that_are_read_have_a_type_of_the_engine(kind):
    assert is_read(engine_type(kind))
    assert len(plain(pa.chunked_array([], kind))) == 0


@pytest.mark.parametrize("kind", UNREAD, ids=str)
def test_other_types_have_a_name_alone(kind):
    assert engine_type(kind) is None
    assert not set(unread_type(kind)) & set("<>()[]:")


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
def test_a_text_that_is_not_utf8_is_null_and_no_other(kind):
    assert plain(broken(kind, b"a", b"\xff", b"b", b"caf\xc3", b"c")).to_pylist() == ["a", None, "b", None, "c"]


def test_rows_of_a_dictionary_do_not_hang_on_its_other_entries():
    held = pa.DictionaryArray.from_arrays(
        pa.array([0, 1, 2, None, 9, -1]), broken(pa.string(), b"a", b"\xff", b"b"), safe=False
    )
    assert plain(held).to_pylist() == ["a", None, "b", None, None, None]


def test_runs_are_undone():
    held = pc.run_end_encode(pa.array(["a", "a", None, "b"]))
    assert plain(held.slice(1)).to_pylist() == ["a", None, "b"]


def test_digits_and_days_that_do_not_fit_are_null():
    numbers = pa.array([1, 10**10], pa.decimal128(38, 0)).buffers()
    digits = pa.Array.from_buffers(pa.decimal128(5, 0), 2, numbers)
    assert [None if one is None else int(one) for one in plain(digits).to_pylist()] == [1, None]
    wide = pa.Array.from_buffers(pa.date64(), 3, pa.array([0, 2**62, 86_400_000 * 2**31], pa.int64()).buffers())
    assert plain(wide).cast(pa.int32()).to_pylist() == [0, None, None]
    assert plain(pa.array([0.5], pa.float16())).type == pa.float32()


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "+02:00"])
def test_a_time_with_a_zone_is_the_same_moment_in_utc(zone):
    for unit in ("s", "ms", "us", "ns"):
        assert engine_type(pa.timestamp(unit, zone)) == engine_type(pa.timestamp(unit))
        far = pa.array([0, 2**63 - 1, -(2**63) + 1], pa.int64()).view(pa.timestamp(unit, zone))
        read = plain(far)
        assert read.type == pa.timestamp(unit)
        assert read.combine_chunks().view(pa.int64()).to_pylist() == [0, 2**63 - 1, -(2**63) + 1]
