"""The unit and the container file: what they start exists, and what they must not do they do not."""

import configparser
import json
import re
import shlex

import pytest

from tests.docs.test_code_blocks import _exists
from tests.house.tree import ROOT

UNIT = ROOT / "deploy" / "dalenius.service"
CONTAINER = ROOT / "deploy" / "Containerfile"
INSTRUCTIONS = {
    "FROM",
    "WORKDIR",
    "COPY",
    "RUN",
    "USER",
    "VOLUME",
    "EXPOSE",
    "STOPSIGNAL",
    "HEALTHCHECK",
    "ENTRYPOINT",
    "CMD",
}


def unit():
    parsed = configparser.ConfigParser(strict=True, interpolation=None)
    parsed.optionxform = str
    parsed.read_string(UNIT.read_text(encoding="utf-8"))
    return parsed


def instructions():
    text = re.sub(r"\\\n", " ", CONTAINER.read_text(encoding="utf-8"))
    return [line.split(maxsplit=1) for line in text.splitlines() if line and not line.startswith("#")]


def command(words):
    place = words.index("serve")
    return words[place:]


def test_both_start_the_server_with_options_that_exist():
    in_unit = shlex.split(unit()["Service"]["ExecStart"])
    in_container = [
        word
        for part in ("ENTRYPOINT", "CMD")
        for name, rest in instructions()
        if name == part
        for word in json.loads(rest)
    ]
    for words in (in_unit, in_container):
        assert words[0].rpartition("/")[2] == "dalenius"
        assert _exists(command(words))
    assert not _exists(["serve", "--no-such-option"])


def test_the_container_has_known_instructions_and_copies_what_is_there():
    lines = instructions()
    assert {name for name, _ in lines} <= INSTRUCTIONS
    assert lines[0][0] == "FROM"
    for name, rest in lines:
        if name == "COPY":
            *files, _target = rest.split()
            assert all((ROOT / file).exists() for file in files)
    assert next(rest for name, rest in lines if name == "USER") != "root"


@pytest.mark.parametrize("name", ["NoNewPrivileges", "PrivateTmp", "ProtectHome"])
def test_the_unit_lets_the_server_do_little(name):
    service = unit()["Service"]
    assert service[name] == "yes"
    assert (service["ProtectSystem"], service["UMask"], service["User"]) == ("strict", "0077", "dalenius")
