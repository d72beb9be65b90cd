import stat

import pytest

from dalenius.errors import InvalidParameter
from dalenius.ledger.encryption_keys import EncryptionKey, new_encryption_key, read_keys


def test_a_key_comes_back_from_its_file_which_is_its_owners_alone(tmp_path):
    key = new_encryption_key(tmp_path / "key")
    assert stat.S_IMODE((tmp_path / "key").stat().st_mode) == 0o600
    assert read_keys(tmp_path / "key") == read_keys(str(tmp_path / "key")) == (key,)
    assert read_keys([key, tmp_path / "key"]) == (key, key)
    assert new_encryption_key(tmp_path / "other") != key


def test_neither_repr_nor_id_tell_the_secret():
    key = EncryptionKey(b"s" * 32)
    assert "sss" not in repr(key)
    assert key.id not in key.secret.hex()


@pytest.mark.parametrize("content", [b"", b"dalenius-key-1 ", b"dalenius-key-1 c2hvcnQ=", b"\xff" * 60, b"x" * 10_000])
def test_what_is_no_key_is_refused_and_not_repeated(tmp_path, content):
    (tmp_path / "key").touch(mode=0o600)
    (tmp_path / "key").write_bytes(content)
    with pytest.raises(InvalidParameter, match="is no key file") as refusal:
        read_keys(tmp_path / "key")
    assert "c2hv" not in str(refusal.value)


def test_what_cannot_be_a_key_is_refused_by_name(tmp_path):
    new_encryption_key(tmp_path / "key")
    with pytest.raises(InvalidParameter, match="never written over"):
        new_encryption_key(tmp_path / "key")
    with pytest.raises(InvalidParameter, match="cannot be written"):
        new_encryption_key(tmp_path / "nowhere" / "key")
    with pytest.raises(InvalidParameter, match="cannot be read"):
        read_keys(tmp_path / "nothing")
    with pytest.raises(InvalidParameter, match="cannot be read"):
        read_keys("\0")
    for wrong in ([], 5, [5], [b"x"]):
        with pytest.raises(InvalidParameter, match="key must be"):
            read_keys(wrong)
    with pytest.raises(InvalidParameter, match="32 bytes"):
        EncryptionKey(b"short")
    (tmp_path / "key").chmod(0o640)
    with pytest.raises(InvalidParameter, match="read by others"):
        read_keys(tmp_path / "key")
