"""The pages of the mechanisms are those that the catalog makes."""

import importlib
from fractions import Fraction

import pytest

from dalenius.cli.mechanisms import first_of_each
from dalenius.guarantees import Polyline
from dalenius.mechanisms import AdditiveMechanism
from tools.mechanisms_page import IMAGES, PAGES, pages, slug, source

ENTRIES = first_of_each()
LARGEST = 60_000


def test_the_pages_are_up_to_date():
    assert {path.name: path.read_text(encoding="utf-8") for path in PAGES.glob("*.md")} == pages()


def test_every_mechanism_has_a_page_of_its_own():
    names = {slug(entry.mechanism) for entry in ENTRIES}
    assert len(names) == len(ENTRIES)
    assert {path.stem for path in PAGES.glob("*.md")} == names | {"index"}


def test_the_charts_are_there_and_small():
    wanted = {slug(entry.mechanism) for entry in ENTRIES}
    wanted |= {f"{slug(e.mechanism)}-law" for e in ENTRIES if isinstance(e.mechanism, AdditiveMechanism)}
    assert {path.stem for path in IMAGES.glob("*.svg")} == wanted
    assert max(path.stat().st_size for path in IMAGES.glob("*.svg")) < LARGEST


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: slug(entry.mechanism))
def test_the_example_builds_the_mechanism_of_the_catalog(entry):
    names = {"Fraction": Fraction, "Polyline": Polyline}
    for package in ("neighbors", "noise", "mechanisms"):
        names |= vars(importlib.import_module(f"dalenius.{package}"))
    assert eval(source(entry.mechanism), names) == entry.mechanism
