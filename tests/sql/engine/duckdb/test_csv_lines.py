import pytest

from dalenius.errors import InvalidParameter
from dalenius.sql.engine.duckdb.csv_lines import REFUSED, check_csv

PROPER = [
    *(b"", b"u,x\n", b"u,x", b"u,x\n1,2\n\n3,4", b'u,x\n"a","b"\n', b'"u","x"\r\n"a ""b""",2\r\n', b'u,x\n"",""\n'),
    *(b'\xef\xbb\xbf"u",x\n1,2\n', b'u,x\n"two\nlines",2\n', b'u,x\n1,"two\r\n\r\nlines"', b'u,x\n1,"a,b\n,c"\r3,4\n'),
    *(b"u,x\n1\n1,2,3\n", b"u,x\n\xff\xfe,2\n", b"u,x\n\0,2\n", b'u,x\n1,""""\n', b'u,x\n1,"\n"\n', b"u\n\n\n"),
]
IMPROPER = [
    *(
        b'u,x\n1,"open\n2,3\n',
        b'u,x\n1,a"b\n',
        b'u,x\n1,"a"b\n',
        b'u,x\n1, "a"\n',
        b'u,x\n1,"a" \n',
        b'u,x\n1,"a"""\n3,"',
    ),
    *(
        b'u,x\n1,"a\nb",3\n4,5\n',
        b'u,x\n"a\nb"\n4,5\n',
        b'u,x\n1,"a\n2,b\n3,"c"\n',
        b'u,x\n"',
        b'u,x\n1,"open\n3,","\n',
    ),
]


@pytest.mark.parametrize("text", PROPER)
def test_what_a_writer_makes_passes_and_lines_that_harm_nobody_else_do(tmp_path, text):
    (tmp_path / "t.csv").write_bytes(text)
    check_csv(tmp_path / "t.csv", ",")


@pytest.mark.parametrize("text", IMPROPER)
def test_a_quote_that_could_hide_rows_is_refused_in_one_sentence(tmp_path, text):
    (tmp_path / "t.csv").write_bytes(text)
    with pytest.raises(InvalidParameter) as refusal:
        check_csv(tmp_path / "t.csv", ",")
    assert str(refusal.value) == REFUSED


def test_fields_are_told_apart_by_the_files_own_separator(tmp_path):
    (tmp_path / "t.tsv").write_bytes(b'u\tx\n1\t"a\nb"\n')
    check_csv(tmp_path / "t.tsv", "\t")
    with pytest.raises(InvalidParameter):
        check_csv(tmp_path / "t.tsv", ",")
