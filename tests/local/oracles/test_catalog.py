from dalenius.local import oracles
from dalenius.local.oracles import ORACLES, Oracle


def test_every_oracle_is_there_once_with_a_name_of_its_own():
    names = [kind.name for kind in ORACLES]
    assert len(set(names)) == len(names) == 8
    exported = {thing for name in oracles.__all__ if isinstance(thing := getattr(oracles, name), type)}
    assert {kind for kind in exported if issubclass(kind, Oracle) and kind is not Oracle} == set(ORACLES)
