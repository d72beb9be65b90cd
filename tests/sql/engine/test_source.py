from dalenius.sql.engine.source import COARSE_TIME, Source
from dalenius.sql.types.column_types import is_read


def test_a_source_reads_nothing_but_what_it_names():
    source = Source("SELECT 1", "t")
    assert (source.paths, source.before, source.tables, source.unread, source.unit) == ((), (), {}, {}, None)
    assert not source.rowwise_view


def test_times_of_milliseconds_have_no_rule():
    assert not is_read(COARSE_TIME)
