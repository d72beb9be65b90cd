import pickle

import pytest
import torch

from dalenius.errors import InvalidParameter
from dalenius.learning.torch.checkpoint import Checkpoint

pytestmark = pytest.mark.torch


def test_what_is_written_is_read(tmp_path):
    made = Checkpoint("run", "a.journal", "token", "start", 7, {"w": torch.arange(3.0)}, {"state": {}}, [{"number": 1}])
    made.write(tmp_path / "a")
    found = Checkpoint.read(tmp_path / "a")
    assert torch.equal(found.module["w"], made.module["w"])
    assert (found.run, found.token, found.rows, found.log) == ("run", "token", 7, [{"number": 1}])
    assert [p.name for p in tmp_path.iterdir()] == ["a"]


class Trap:
    def __reduce__(self):
        return (pytest.fail, ("code of a file was run",))


def test_another_file_is_refused_and_no_code_is_run(tmp_path):
    with pytest.raises(InvalidParameter, match="no checkpoint"):
        Checkpoint.read(tmp_path / "none")
    (tmp_path / "text").write_text("hello")
    (tmp_path / "trap").write_bytes(pickle.dumps(Trap()))
    torch.save({"version": 1}, tmp_path / "part")
    torch.save({"version": 1, "run": Trap()}, tmp_path / "worse")
    for name in ("text", "trap", "part", "worse"):
        with pytest.raises(InvalidParameter, match="is no checkpoint"):
            Checkpoint.read(tmp_path / name)
