"""What a column's or a table's name tells of people: whether it names them, an event, or something else.

Names are public, so whoever opens a table may be warned by them. They are words of several languages, as people write
them: `patient_id`, `PatientID`, `KundenNr`, `n_client`, `customers`.
"""

import re
import unicodedata
from collections.abc import Iterable
from enum import IntEnum

from dalenius.sql.policy.person_words import (
    ATTRIBUTES,
    DURABLE,
    ENDS,
    EVENTS,
    LETTERS,
    MEASURES,
    MODIFIED,
    NAMES,
    NUMBER_WORDS,
    NUMBERS_WITHIN,
    OTHERS,
    PAIRED,
    PEOPLE,
    PLURALS,
    ROLES,
    SERVING,
    SMALL_WORDS,
    STEMS,
    TEXTS,
    TRACES,
    WITHIN,
)


class Person(IntEnum):
    """How surely a name is that of a column which names people; more is surer."""

    NO = 0
    NUMBER = 1
    """A number or code of something that the name does not tell: id, code, key."""
    TRACE = 2
    """What people leave: an address of a computer, a card, a session, a name."""
    ROLE = 3
    """Somebody who serves the people that a table is about: a doctor, a manager."""
    PERSON = 4
    """Whom a table is about: a patient, a customer, a pupil."""


def words_of(name: str) -> tuple[str, ...]:
    """The words of a name, without accents and in small letters: `PatientID`, `patient-id` and `patient_id` are one."""
    plain = _plain(name)
    plain = re.sub(r"([a-zа-яα-ω])([A-ZА-ЯΑ-Ω])", r"\1 \2", plain)
    plain = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1 \2", plain)
    plain = re.sub(r"([^\W\d_a-zA-Z]+)([a-zA-Z])", r"\1 \2", plain)  # 患者ID
    return tuple(re.sub(r"[\W\d_]+", " ", plain.lower()).split())


def _plain(name: str) -> str:
    """Without accents."""
    decomposed = unicodedata.normalize("NFKD", name.translate(LETTERS))
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))


_STEMS, _WITHIN, _NUMBERS_WITHIN = (tuple(map(_plain, some)) for some in (STEMS, WITHIN, NUMBERS_WITHIN))


def person_of(name: str) -> Person:
    """How surely a column of this name names people, each by a value of their own.

    `patient_id` does; `patient_age`, `user_agent` and `customer_order_id` have a word that says they are about
    something else. A word before the person narrows who it is, where a number follows: `billing_customer_id`.
    """
    words = words_of(name)
    joined = "".join(words)
    if joined in OTHERS or _is_plural(words):
        return Person.NO
    kinds = [Person.TRACE if word in NAMES else _kind_of_word(word) for word in words]
    people = [place for place, kind in enumerate(kinds) if kind is not None and kind >= Person.TRACE]
    if people:
        kinds = [
            Person.NO if kind is None and _is_allowed(place, words, kinds, people[-1]) else kind
            for place, kind in enumerate(kinds)
        ]
    if not words or None in kinds:
        return max(_whole(joined), _whole("_".join(words)))
    # a person's trace is a trace, and who serves a person is a role
    return next(
        (kind for kind in (Person.TRACE, Person.ROLE) if kind in kinds), max(kind or Person.NO for kind in kinds)
    )


def _is_allowed(place: int, words: tuple[str, ...], kinds: list[Person | None], person: int) -> bool:
    """Whether an unknown word only narrows the person: one before it with a number behind, or how that is written."""
    if place > person:
        return words[place] in MODIFIED
    numbered = any(kind is Person.NUMBER for kind in kinds[person:]) or _has_number_end(words[person])
    return numbered and words[place] not in MEASURES


def _has_number_end(word: str) -> bool:
    """Whether a word ends in one for a number: customerid, kundennummer."""
    return any(word.endswith(end) and len(word) > len(end) + 2 for end in NUMBER_WORDS)


def _is_plural(words: tuple[str, ...]) -> bool:
    """Whether a column holds how many there are: employees, Kunden."""
    if len(words) != 1 or words[0] in NUMBER_WORDS:
        return False
    return words[0] in PLURALS or (words[0] not in PEOPLE and words[0].endswith("s") and words[0][:-1] in PEOPLE)


def _whole(name: str) -> Person:
    """A name that is one known word only when its parts are put together: IPAddress, remote_addr."""
    return Person.TRACE if name in TRACES else Person.PERSON if name in PEOPLE else Person.NO


def _kind_of_word(word: str) -> Person | None:
    """What a word alone says of who is named; None if it says that something else is."""
    if word in EVENTS and word not in PEOPLE:
        return None
    if not word.isascii():
        if word.startswith(_STEMS) or any(part in word for part in _WITHIN):
            return Person.PERSON
        if any(part in word for part in _NUMBERS_WITHIN):
            return Person.NUMBER
    for words, kind in ((PEOPLE, Person.PERSON), (ROLES, Person.ROLE), (TRACES, Person.TRACE)):
        if word in words or any(stem in words for stem in _stems(word)):
            return kind
    if word in NUMBER_WORDS:
        return Person.NUMBER
    return Person.NO if word in SMALL_WORDS else None


def _stems(word: str) -> Iterable[str]:
    """The word without an ending: patientid, kundennummer, customers."""
    for end in ENDS:
        if word.endswith(end) and len(word) - len(end) >= 2:
            stem = word[: -len(end)]
            yield stem
            if len(end) > 1:
                yield from (stem[: -len(more)] for more in ("s", "n", "en") if stem.endswith(more) and len(stem) > 4)


def may_serve(name: str) -> bool:
    """Whether whom a name tells of may also be somebody who serves others: an employee, a driver."""
    return any(word in SERVING or any(stem in SERVING for stem in _stems(word)) for word in words_of(name))


def names_role(table: str) -> bool:
    """Whether a table's rows are people who serve others: doctors, teachers."""
    return any(_kind_of_word(word) is Person.ROLE for word in words_of(table))


def is_paired(name: str) -> bool:
    """Whether a name tells of one of two people that a row is between: a caller, a recipient."""
    return any(word in PAIRED for word in words_of(name))


def is_durable(name: str) -> bool:
    """Whether a trace stays with a person: an e-mail address, a telephone number, an account; not a device."""
    return any(word in DURABLE or any(stem in DURABLE for stem in _stems(word)) for word in words_of(name))


def may_be_text(name: str) -> bool:
    """Whether a name without a number may be the heading of a text: subject, contact."""
    return not is_number(name) and bool(set(words_of(name)) & TEXTS)


def is_event(name: str) -> bool:
    """Whether a name is that of an event or a row: visit_id, order_no, index."""
    words = words_of(name)
    events = [word for word in words if word in EVENTS or any(stem in EVENTS for stem in _stems(word))]
    return bool(events) and person_of(name) < Person.ROLE


def is_number(name: str) -> bool:
    """Whether a name is that of a number or code by which something is called."""
    words = words_of(name)
    known = PEOPLE | ROLES | EVENTS | TRACES
    if any(part in word for word in words if not word.isascii() for part in _NUMBERS_WITHIN):
        return True
    return bool(set(words) & NUMBER_WORDS) or any(
        (word.endswith(end) and word[: -len(end)] in known) or word.endswith(("nummer", "uuid"))
        for word in words
        for end in ("id", "nr", "no", "key", "code")
    )


def is_table_of_people(name: str) -> bool:
    """Whether a table of this name has one row for each person: patients, customers, employees.

    Not customer_orders, which has a word for events.
    """
    words = words_of(name)
    if _is_plural(words):
        return True
    people = any(_kind_of_word(word) in (Person.PERSON, Person.ROLE) for word in words)
    about = any(
        word in ("survey", "respondents", "umfrage", "befragung", "enquete", "encuesta", "census") for word in words
    )
    events = any(word in EVENTS or any(stem in EVENTS for stem in _stems(word)) for word in words)
    return (people and not events) or about


def is_attribute(name: str) -> bool:
    """Whether a column is what a survey asks of a person: age, sex, income."""
    return any(word in ATTRIBUTES or any(stem in ATTRIBUTES for stem in _stems(word)) for word in words_of(name))


def same_thing(column: str, table: str) -> bool:
    """Whether a column names rows of a table by the table's own name: customer_id and customers, Kunde and kunden."""
    singular = {stem for word in words_of(table) for stem in (word, *_stems(word))}
    return any(word in singular or any(stem in singular for stem in _stems(word)) for word in words_of(column))
