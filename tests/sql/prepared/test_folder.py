import json
import os

import pytest

from dalenius.errors import InvalidParameter
from dalenius.noise import Bits
from dalenius.sql.prepared.folder import Sidecar, facts_of, signature

FACTS = b"a statement and the bytes of its data"


@pytest.fixture
def sidecar(tmp_path):
    return Sidecar(tmp_path / "people.prepared", Bits())


def written(sidecar, content=b"rows", facts=FACTS):
    return sidecar.write(facts, lambda place: place.write_bytes(content) and None, Bits())


def test_what_was_sealed_is_found_again_by_whoever_has_the_key(sidecar):
    table = written(sidecar)
    assert Sidecar(sidecar.folder, Bits()).sealed(FACTS) == table
    assert table.read_bytes() == b"rows"


def test_a_table_that_is_damaged_foreign_or_made_from_other_facts_is_not_sealed(sidecar, tmp_path):
    assert sidecar.sealed(FACTS) is None  # none was made
    table = written(sidecar)
    assert sidecar.sealed(b"other data") is None
    table.write_bytes(b"rowz")
    assert sidecar.sealed(FACTS) is None
    other = Sidecar(tmp_path / "other", Bits())
    stolen = written(other)
    (sidecar.folder / stolen.name).write_bytes(b"rows")
    (sidecar.folder / stolen.name).chmod(0o600)
    (sidecar.folder / "seal").write_bytes((other.folder / "seal").read_bytes())
    assert sidecar.sealed(FACTS) is None  # another key made that seal
    assert other.sealed(FACTS) == stolen


@pytest.mark.parametrize(
    "seal", [b"", b"[]", b"{}", b'{"table": 1, "seal": 2}', b"\xff", b'{"table": "no", "seal": ""}']
)
def test_an_odd_seal_is_no_seal(sidecar, seal):
    written(sidecar)
    (sidecar.folder / "seal").write_bytes(seal)
    assert sidecar.sealed(FACTS) is None


def test_a_seal_cannot_name_a_file_elsewhere(sidecar, tmp_path):
    table = written(sidecar)
    told = json.loads((sidecar.folder / "seal").read_bytes())
    (tmp_path / "elsewhere").write_bytes(b"rows")
    (sidecar.folder / "seal").write_text(json.dumps({**told, "table": "../elsewhere"}))
    assert sidecar.sealed(FACTS) is None
    (sidecar.folder / "link").symlink_to(table)
    (sidecar.folder / "seal").write_text(json.dumps({**told, "table": "link"}))
    assert sidecar.sealed(FACTS) is None


def test_everything_is_its_owners_alone(sidecar):
    written(sidecar)
    assert sidecar.folder.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o077 for path in sidecar.folder.iterdir()} == {0}
    (sidecar.folder / "key").chmod(0o640)
    with pytest.raises(InvalidParameter, match="owner's alone"):
        Sidecar(sidecar.folder, Bits())


def test_a_damaged_key_is_refused(sidecar):
    (sidecar.folder / "key").write_bytes(b"short")
    with pytest.raises(InvalidParameter, match="damaged"):
        Sidecar(sidecar.folder, Bits())


def test_a_build_that_fails_leaves_the_table_before(sidecar):
    table = written(sidecar)

    def build(place):
        place.write_bytes(b"half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sidecar.write(b"later", build, Bits())
    assert sidecar.sealed(FACTS) == table
    assert [path for path in sidecar.folder.iterdir() if path.suffix == ".duckdb"] == [table]


def test_a_new_table_takes_the_place_of_the_old(sidecar):
    old = written(sidecar)
    new = written(sidecar, b"new rows", b"new facts")
    assert sidecar.sealed(b"new facts") == new
    assert not old.exists()


def test_facts_are_the_statement_and_every_byte(tmp_path):
    path = tmp_path / "people.duckdb"
    path.write_bytes(b"1")
    told = [facts_of("s", "t", (str(path),)), facts_of("t", "s", (str(path),))]
    path.write_bytes(b"2")
    told.append(facts_of("s", "t", (str(path),)))
    (tmp_path / "people.duckdb.wal").write_bytes(b"3")
    told.append(facts_of("s", "t", (str(path),)))
    assert len(set(told)) == 4


def test_a_file_that_is_touched_has_another_signature(tmp_path):
    path = tmp_path / "file"
    assert signature((str(path),)) == (None,)
    path.write_bytes(b"1")
    before, told = signature((str(path),)), path.stat()
    path.write_bytes(b"2")
    os.utime(path, ns=(told.st_atime_ns, told.st_mtime_ns))  # the time of change of its inode cannot be set back
    assert signature((str(path),)) != before
