"""What an earlier version of the code has answered stays answered, for nothing."""

import json
import shutil

from dalenius.ledger import Ledger
from tests.sql.earlier_answers.ledger import ANSWERS, LEDGER, ask


def test_a_ledger_of_the_first_form_answers_its_questions_for_nothing(tmp_path):
    place = shutil.copy(LEDGER, tmp_path / "earlier.ledger")
    before = Ledger.open(place)
    remaining, entries = before.remaining("purchases"), len(before.entries("purchases"))
    before.verify()
    assert ask(place) == json.loads(ANSWERS.read_text(encoding="utf-8"))
    after = Ledger.open(place)
    assert after.remaining("purchases") == remaining
    assert len(after.entries("purchases")) == entries
    after.verify()
