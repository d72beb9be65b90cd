"""What a column's or a table's name tells of people: whether it names them, an event, or something else.

Names are public, so whoever opens a table may be warned by them. They are words of several languages, as people write
them: `patient_id`, `PatientID`, `KundenNr`, `n_client`, `customers`.
"""

import re
import unicodedata
from collections.abc import Iterable
from enum import IntEnum


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


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_PEOPLE = _words(
    # English
    "patient person people user customer client member employee student pupil household participant respondent subject "
    "citizen resident voter subscriber donor rider passenger guest visitor tenant policyholder beneficiary claimant "
    "insured applicant worker player learner child mother borrower cardholder cardmember buyer shopper consumer "
    "individual taxpayer traveler traveller inmate prisoner soldier volunteer parishioner enrollee lodger owner holder "
    "family victim offender defendant attendee candidate case_person human caller payer recipient contact lead "
    "panelist "
    "driver colleague personnel athlete resp "
    # abbreviations
    "cust pat pt emp usr hh hhid subj subjid usubjid patid ptid empno custno mbr bene ssn nhs mrn nino sin pesel "
    "cpf cnpj "
    "dni nif nie bsn cpr fnr personnr aadhaar amka oib pidp empi uhid upi indiv ind clt "
    # German
    "kunde kunden patienten patientin mitglied mitglieder mitarbeiter mitarbeitende personal versicherte versicherten "
    "versicherter schueler schuler studierende studenten haushalt haushalte benutzer nutzer teilnehmer burger buerger "
    "bewohner mieter proband probanden personen kaeufer kaufer besteller abonnent spender gast gaste waehler wahler "
    "matrikel matrikelnummer steuerid sozialversicherung versichertennummer klient klienten einwohner "
    # French
    "utilisateur usager adherent membre salarie employe eleve etudiant foyer menage assure abonne personne citoyen nir "
    "beneficiaire habitant locataire donneur passager clients patients matricule acheteur malade individu "
    # Spanish, Portuguese, Italian, Catalan
    "cliente paciente usuario miembro empleado alumno estudiante hogar persona socio asegurado ciudadano afiliado "
    "pessoa funcionario aluno utente cidadao beneficiario paziente membro dipendente studente famiglia assistito "
    "abbonato contribuente codicefiscale fiscale comprador encuestado trabajador inquilino domicilio agregado titular "
    # Dutch
    "klant klanten gebruiker lid leden medewerker werknemer leerling huishouden persoon burger deelnemer bewoner "
    "verzekerde patienten huurder clienten "
    # Nordic
    "kund kunder anvandare bruger bruker medlem anstalld ansat ansatt elev hushall husstand husholdning personnummer "
    "medarbetare pasient pasienter deltagare borger potilas asiakas kayttaja jasen henkilo oppilas asukas tyontekija "
    # Slavic, Turkish, Hungarian, Greek in Latin letters, and Cyrillic
    "pacjent uzytkownik pracownik uczen osoba czlonek pacient uzivatel zakaznik zamestnanec clen korisnik kupac "
    "zaposleni "
    "musteri hasta kullanici uye ogrenci ugyfel beteg felhasznalo dolgozo pacientes pelatis asthenis "
    "пациент клиент пользователь покупатель сотрудник житель человек "
)
_SERVING = _words(
    "employee emp empno worker personnel colleague driver owner holder volunteer contact lead recipient payer caller "
    "mitarbeiter mitarbeitende personal salarie employe empleado funcionario dipendente medewerker werknemer "
    "medarbetare "
    "anstalld ansat ansatt pracownik zamestnanec trabajador family mother child"
)
_ROLES = _words(
    "doctor physician provider nurse clinician surgeon therapist gp practitioner staff agent cashier clerk salesperson "
    "salesman sales_rep seller teacher lecturer instructor professor rep manager supervisor boss operator interviewer "
    "enumerator reviewer author editor approver mentor parent referrer referral referring attending prescriber "
    "caregiver "
    "technician courier officer advisor adviser consultant vendor arzt arztin arzte behandler lehrer vertreter medecin "
    "enseignant medico docente vendedor vendeur venditore arts docent huisarts lekarz lege lakare laege verkaufer "
    "sachbearbeiter interviewerin vorgesetzter chef superviseur creator assignee handler "
)
_TRACES = _words(
    "account acct konto compte cuenta conta conto rekening device ip ipaddress ipaddr addr_ip remote_addr "
    "remoteaddr host_ip "
    "clientip cookie fingerprint phone telephone telefon mobile msisdn imei imsi email mail courriel login username "
    "nickname handle card karte carte tarjeta carta plate licenceplate kennzeichen iban fullname surname lastname "
    "visitorid deviceid adid idfa gaid anonymousid distinctid pid cid uid userhash passport pseudonym "
)
_EVENTS = _words(
    "row index idx line position pos seq sequence visit visite besuch order bestellung auftrag commande pedido ordine "
    "event ereignis transaction transaktion txn trans invoice rechnung facture factura item artikel record rec log "
    "session sitzung request req admission encounter hadm stay claim booking buchung reservation ticket message msg "
    "payment zahlung entry eintrag measurement messung sample probe obs observation episode fall trip fahrt ride call "
    "click hit pageview view purchase sale sales verkauf shipment lieferung delivery document doc file post comment "
    "review rating response answer test result exam prescription rx rezept procedure diagnosis treatment appointment "
    "termin rendezvous loan credit contract vertrag application incident report survey_row batch job task issue "
    "operation movement zakaz bestelling bezoek consulta visita ordre consultation sejour compra acquisto wizyta besok "
    "bon receipt beleg voucher basket cart warenkorb panier meter reading lecture zaehler trace span "
)
_NUMBER_WORDS = _words(
    "id ids no nr num number nummer numero nummero key code uuid guid hash ref fk pk sk token pseudo pseudonymous enc "
    "encrypted anon anonymous anonymised anonymized hashed masked oid cislo numer kod kennung kennziffer nro nbr "
    "identifier "
    "identifiant identificador identifikator nummern rn seqn caseid "
)
_LETTERS = str.maketrans({"ß": "ss", "ø": "o", "ł": "l", "æ": "ae"})
_NAMES = _words("name names fullname nom nombre nome naam navn namn vorname nachname")
_PLURALS = _words("people kunden personen mitglieder leden kunder klanten haushalte gaste")
_OTHERS = _words("useragent clienttype usertype")
_SMALL_WORDS = _words(
    "the of de du la des del di da do der die das den von van le les el los o a n s src source dim fact tbl"
)
_ENDS = tuple(sorted(_NUMBER_WORDS | {"s", "n", "en", "e", "er", "in", "innen", "es", "x"}, key=len, reverse=True))
_ATTRIBUTES = _words(
    "age alter edad eta alder leeftijd sex gender geschlecht sexe sexo sesso kjonn kon birth birthdate birthday dob "
    "geburtsdatum geburtsjahr naissance nacimiento nascita yob income einkommen revenu ingreso salary gehalt wage lohn "
    "education bildung schooling diploma marital familienstand married occupation beruf profession job workclass race "
    "ethnicity religion nationality citizenship smoker smoking bmi height weight children kids employed employment "
    "retired language region zip postcode plz "
)


def words_of(name: str) -> tuple[str, ...]:
    """The words of a name, without accents and in small letters: `PatientID`, `patient-id` and `patient_id` are one."""
    plain = unicodedata.normalize(
        "NFKD", name.replace("ß", "ss").replace("ø", "o").replace("ł", "l").replace("æ", "ae")
    )
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
    plain = re.sub(r"([a-z\u0430-\u044f])([A-Z\u0410-\u042f])", r"\1 \2", plain)
    plain = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1 \2", plain)
    return tuple(re.sub(r"[^a-z\u0430-\u044f]+", " ", plain.lower()).split())


def person_of(name: str) -> Person:
    """How surely a column of this name names people, each by a value of their own.

    `patient_id` does; `patient_age`, `user_agent` and `customer_order_id` have a word that says they are about
    something else.
    """
    words = words_of(name)
    joined = "".join(words)
    if joined in _OTHERS or _is_plural(words):
        return Person.NO
    kinds = set()
    for word in words or (joined,):
        kind = Person.TRACE if word in _NAMES else _kind_of_word(word)
        if kind is None:
            return max(_whole(joined), _whole("_".join(words)))
        kinds.add(kind)
    # a person's trace is a trace, and who serves a person is a role
    return next((kind for kind in (Person.TRACE, Person.ROLE) if kind in kinds), max(kinds, default=Person.NO))


def _is_plural(words: tuple[str, ...]) -> bool:
    """Whether a column holds how many there are: employees, Kunden."""
    if len(words) != 1 or words[0] in _NUMBER_WORDS:
        return False
    return words[0] in _PLURALS or (words[0] not in _PEOPLE and words[0].endswith("s") and words[0][:-1] in _PEOPLE)


def _whole(name: str) -> Person:
    """A name that is one known word only when its parts are put together: IPAddress, remote_addr."""
    return Person.TRACE if name in _TRACES else Person.PERSON if name in _PEOPLE else Person.NO


def _kind_of_word(word: str) -> Person | None:
    """What a word alone says of who is named; None if it says that something else is."""
    if word in _EVENTS and word not in _PEOPLE:
        return None
    for words, kind in ((_PEOPLE, Person.PERSON), (_ROLES, Person.ROLE), (_TRACES, Person.TRACE)):
        if word in words or any(stem in words for stem in _stems(word)):
            return kind
    if word in _NUMBER_WORDS:
        return Person.NUMBER
    return Person.NO if word in _SMALL_WORDS else None


def _stems(word: str) -> Iterable[str]:
    """The word without an ending: patientid, kundennummer, customers."""
    for end in _ENDS:
        if word.endswith(end) and len(word) - len(end) >= 2:
            stem = word[: -len(end)]
            yield stem
            if len(end) > 1:
                yield from (stem[: -len(more)] for more in ("s", "n", "en") if stem.endswith(more) and len(stem) > 4)


def may_serve(name: str) -> bool:
    """Whether whom a name tells of may also be somebody who serves others: an employee, a driver."""
    return any(word in _SERVING or any(stem in _SERVING for stem in _stems(word)) for word in words_of(name))


def is_event(name: str) -> bool:
    """Whether a name is that of an event or a row: visit_id, order_no, index."""
    words = words_of(name)
    events = [word for word in words if word in _EVENTS or any(stem in _EVENTS for stem in _stems(word))]
    return bool(events) and person_of(name) < Person.ROLE


def is_number(name: str) -> bool:
    """Whether a name is that of a number or code by which something is called."""
    words = words_of(name)
    known = _PEOPLE | _ROLES | _EVENTS | _TRACES
    return bool(set(words) & _NUMBER_WORDS) or any(
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
    events = any(word in _EVENTS or any(stem in _EVENTS for stem in _stems(word)) for word in words)
    return (people and not events) or about


def is_attribute(name: str) -> bool:
    """Whether a column is what a survey asks of a person: age, sex, income."""
    return any(word in _ATTRIBUTES or any(stem in _ATTRIBUTES for stem in _stems(word)) for word in words_of(name))


def same_thing(column: str, table: str) -> bool:
    """Whether a column names rows of a table by the table's own name: customer_id and customers, Kunde and kunden."""
    singular = {stem for word in words_of(table) for stem in (word, *_stems(word))}
    return any(word in singular or any(stem in singular for stem in _stems(word)) for word in words_of(column))
