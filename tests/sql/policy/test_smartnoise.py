import tomllib

import pyarrow as pa
import pytest

import dalenius
from dalenius.errors import InvalidParameter, UnknownName
from dalenius.sql import Policy, import_smartnoise

METADATA = """
hospital:
  public:
    departments:
      row_privacy: True
      name: {type: string, cardinality: 8}
    visits:
      rows: 300000
      max_ids: 20
      sample_max_ids: True
      censor_dims: False
      use_dpsu: True
      clamp_counts: True
      clamp_columns: False
      patient_id: {type: int, private_id: True}
      department: {type: string, cardinality: 8}
      cost: {type: float, lower: 0.5, upper: 1e4, missing_value: 0, sensitivity: 100}
      age: {type: int, lower: 0, upper: 110, nullable: False}
      urgent: {type: boolean}
      came: {type: datetime}
      odd: {type: unknown}
    patients:
      max_ids: 1
      pid: {type: int, private_id: True}
      weight: {type: float, lower: 0, upper: 200}
engine: postgres
"""


@pytest.fixture
def metadata(tmp_path):
    path = tmp_path / "metadata.yaml"
    path.write_text(METADATA, encoding="utf-8")
    return path


def of(columns, **settings):
    return {"c": {"s": {"t": {**settings, **columns}}}}


def test_terms_with_a_counterpart_are_taken_over(metadata):
    terms = tomllib.loads(import_smartnoise(metadata).text)
    assert (terms["table"], terms["unit"], terms["contributions"]) == ("visits", "patient_id", 20)
    assert terms["columns"] == {
        **{"patient_id": "BIGINT", "department": "VARCHAR", "cost": "DOUBLE", "age": "BIGINT"},
        **{"urgent": "BOOLEAN", "came": "TIMESTAMP"},
    }
    assert terms["bounds"] == {"cost": [0.5, 10000], "age": [0, 110]}
    assert terms["fill"] == {"cost": 0}
    assert "proposed" not in terms
    assert "budget" not in terms


def test_what_has_no_counterpart_is_told_and_stands_in_comments(metadata):
    made = import_smartnoise(metadata)
    for word in (
        "sample_max_ids",
        "censor_dims = False",
        "use_dpsu",
        "clamp_counts",
        "clamp_columns = False",
        "rows of",
    ):
        assert any(note.startswith(word) for note in made.notes), word
    for word in ("sensitivity of cost", "cardinality of department", "nullable of age", "Column odd", "Table patients"):
        assert any(note.startswith(word) for note in made.notes), word
    assert all(f"# - {note}\n" in made.text for note in made.notes)


def test_a_table_of_the_same_people_is_kept_with_its_file(metadata, tmp_path):
    made = import_smartnoise(metadata, sources={"visits": "v.parquet", "Patients": "p.parquet"})
    (tmp_path / "policy.toml").write_text(made.text, encoding="utf-8")
    policy = Policy.load(tmp_path / "policy.toml")
    assert policy.source == "v.parquet"
    assert policy.beside.tables == {"patients": "p.parquet"}
    assert policy.beside.units == {"patients": "pid"}
    assert policy.beside.declared.bounds == {"patients.weight": [0, 200]}
    assert "max_ids of patients differs" in made.text


def test_the_policy_answers_questions(metadata, tmp_path):
    rows = pa.table(
        {
            **{"patient_id": [1, 1, 2], "department": ["a", "a", "b"], "cost": [5.0, None, 99.0]},
            **{"age": [30, 30, 40], "urgent": [True, False, True]},
            "came": pa.array([0, 1, 2], pa.timestamp("us")),
        }
    )
    (tmp_path / "policy.toml").write_text(f"{import_smartnoise(metadata).text}\n[budget]\nepsilon = 1000000\n")
    db = dalenius.connect(rows, policy=tmp_path / "policy.toml", ledger=tmp_path / "l")
    total = float(db.sql("SELECT SUM(cost) FROM visits", epsilon=10**6))
    assert total == pytest.approx(104, abs=6)  # a Laplace law of scale 0.2: by chance in 1 of 10^10 runs


def test_rows_are_the_unit_only_where_the_owner_said_so(metadata):
    assert tomllib.loads(import_smartnoise(metadata, table="DEPARTMENTS").text)["unit"] == "row"
    text = import_smartnoise(of({"a": {"type": "int"}, "b": {"type": "float"}})).text
    terms = tomllib.loads(text)
    assert (terms["unit"], terms["candidates"]) == ("?", ["a"])
    two = of({"a": {"type": "int", "private_id": True}, "b": {"type": "string", "private_id": True}})
    assert tomllib.loads(import_smartnoise(two).text)["candidates"] == ["a", "b"]
    both = import_smartnoise(of({"a": {"type": "int", "private_id": True}}, row_privacy=True))
    assert tomllib.loads(both.text)["unit"] == "row"
    assert "row_privacy protects each row; a is the unit" in both.text


def test_one_contribution_is_what_silence_means_there():
    made = import_smartnoise(of({"a": {"type": "int", "private_id": True}}))
    assert tomllib.loads(made.text)["contributions"] == 1
    assert any("max_ids is left out" in note for note in made.notes)


HOSTILE = 'x"]\nunit = "row"\n#\x85\x1b[2J\u2028\u202e'


def test_hostile_names_stay_names_and_are_escaped():
    columns = {HOSTILE: {"type": "float", "lower": 0, "cardinality": 3}, "a": {"type": "int", "private_id": True}}
    made = import_smartnoise({"c": {"s": {HOSTILE: columns}}})
    terms = tomllib.loads(made.text)
    assert terms["unit"] == "a"
    assert terms["table"] == HOSTILE
    assert set(terms["columns"]) == {HOSTILE, "a"}
    for letter in "\x1b\x85\u2028\u202e":
        assert letter not in made.text
        assert letter not in "".join(made.notes)


def test_a_column_is_never_taken_for_one_of_another_table():
    one = {"a": {"type": "int", "private_id": True}, "u.x": {"type": "float", "lower": 0, "upper": 9}}
    made = import_smartnoise({"c": {"s": {"t": one, "u": one, "v.w": one}}}, sources={"u": "u", "v.w": "v"})
    terms = tomllib.loads(made.text)
    assert "tables" not in terms
    assert set(terms["columns"]) == {"a", "u.x"}


@pytest.mark.parametrize(
    ("columns", "settings", "said"),
    [
        ({"a": {"type": "datetime", "private_id": True}}, {}, "must name people exactly"),
        ({"a": {"type": "int", "private_id": True}}, {"max_ids": 0}, "max_ids of 't'"),
        ({"a": {"type": "int", "private_id": True}}, {"max_ids": True}, "max_ids of 't'"),
        ({"a": {"type": "int", "private_id": True}}, {"row_privacy": "no"}, "row_privacy of 't'"),
        ({"a": {"type": "int", "lower": 5, "upper": 5}}, {"row_privacy": True}, "lower of 'a'"),
        ({"a": {"type": "int", "lower": "nan", "upper": 5}}, {"row_privacy": True}, "lower of 'a'"),
        ({"a": {"type": "int", "lower": [1], "upper": 5}}, {"row_privacy": True}, "lower of 'a'"),
        (
            {"a": {"type": "int"}, "A": {"type": "int"}},
            {"row_privacy": True},
            "must differ in more than upper and lower case",
        ),
    ],
)
def test_terms_that_cannot_be_meant_are_refused(columns, settings, said):
    with pytest.raises(InvalidParameter, match=said):
        import_smartnoise(of(columns, **settings))


def test_unknown_tables_are_named(metadata):
    for given in ({"table": "x"}, {"sources": {"x": "x.csv"}}):
        with pytest.raises(UnknownName, match="no table 'x'"):
            import_smartnoise(metadata, **given)


def test_a_float_that_names_people_is_read_as_whole_numbers():
    made = import_smartnoise(of({"a": {"type": "float", "private_id": True}}, max_ids=2))
    assert tomllib.loads(made.text)["columns"] == {"a": "BIGINT"}
    assert any("whole numbers below 2^53" in note for note in made.notes)
