import pytest

from dalenius.sql.policy.person_names import (
    Person,
    is_attribute,
    is_event,
    is_number,
    is_table_of_people,
    may_serve,
    person_of,
    same_thing,
    words_of,
)

PEOPLE = [
    *("patient_id", "PatientID", "customer_id", "CustomerNo", "KundenNr", "Kundennummer", "user_id", "userid"),
    *("MitgliedsNr", "n_client", "num_assure", "USUBJID", "subject_id", "household_id", "respondent", "KlantID"),
    *("Patientennummer", "numero_cliente", "id_paciente", "codice_fiscale", "employee_no", "EmpNo", "Użytkownik"),
    *("fullVisitorId", "billing_customer_id", "order_customer_no", "user_id_v2", "customer_id_x", "患者ID", "顧客番号"),
    *("номер_клиента", "고객번호", "αριθμός_πελάτη", "visit_patient_id"),
    *("potilas_id", "asiakasnumero", "lid_nr", "elev_id", "bene_id", "пациент_id", "élève"),
]
OTHERS = [
    *("visit_id", "order_id", "row_id", "session_id", "hadm_id", "product_id", "department", "customer_type"),
    *("patient_age", "household_size", "member_since", "user_agent", "postal_code", "diagnosis_code", "employees"),
    *("Kunden", "customer_order_id", "encounter_id", "customer_visit_id", "user_session_id", "cost_per_patient_id"),
    *("edad_paciente", "type_client", "診療ID", "номер_заказа"),
]


@pytest.mark.parametrize("name", PEOPLE)
def test_people_are_known_by_name_in_several_languages(name):
    assert person_of(name) is Person.PERSON


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_about_people_or_events_names_nobody(name):
    assert person_of(name) is Person.NO


def test_roles_traces_and_numbers_are_less_than_people():
    assert {person_of(name) for name in ("doctor_id", "manager_id", "arzt_nr", "customer_rep_id")} == {Person.ROLE}
    assert {person_of(name) for name in ("ip", "IPAddress", "client_ip", "email", "customer_name")} == {Person.TRACE}
    assert {person_of(name) for name in ("email_sha256", "loyalty_card", "user_email_md5")} == {Person.TRACE}
    assert {person_of(name) for name in ("id", "ID", "code", "key")} == {Person.NUMBER}
    assert may_serve("employee_id")
    assert not may_serve("customer_id")


def test_events_numbers_and_attributes():
    assert all(map(is_event, ["visit_id", "InvoiceNo", "row_number", "line_no"]))
    assert not any(map(is_event, ["patient_id", "id", "department"]))
    assert all(map(is_number, ["visit_id", "StockCode", "id", "Kundennummer"]))
    assert not any(map(is_number, ["department", "paid", "cost"]))
    assert all(map(is_attribute, ["age", "Geschlecht", "date_of_birth"]))
    assert words_of("HTTPServerID") == ("http", "server", "id")


def test_tables_of_people():
    assert all(map(is_table_of_people, ["patients", "customers", "kunden", "people", "survey_2024", "employees"]))
    assert not any(map(is_table_of_people, ["visits", "customer_orders", "web_log", "items"]))
    assert same_thing("customer_id", "customers")
    assert not same_thing("order_id", "customers")
