"""A notebook in a real kernel, with ipywidgets and without: answers, explanations and charts show as pages."""

import nbformat
import pytest
from nbclient import NotebookClient

from tests.sql.interrupts import AGAIN, ASK, OPEN, TOLD

HIDE = "import sys; sys.modules['ipywidgets'] = None"
CELLS = [
    "import pandas as pd, dalenius\n"
    "wards = ['<b>', 'b', 'b', 'c'] * 50\n"
    "visits = pd.DataFrame({'patient_id': [1, 1, 2, 3] * 50, 'ward': wards, 'cost': [1.5] * 200})",
    "db = dalenius.connect({'visits': visits}, unit='patient_id', contributions=50, bounds={'cost': (0, 2)},\n"
    "    keys={'ward': ['<b>', 'b', 'c']}, columns={'ward': 'VARCHAR'},\n"
    "    budget=dict(epsilon=10), ledger='n.ledger')\ndb",
    "answer = db.sql('SELECT ward, COUNT(*) AS n, AVG(cost) AS c FROM visits GROUP BY ward', epsilon=1)\nanswer",
    "db.explain('SELECT COUNT(*) FROM visits', epsilon=1)",
    "db.budget",
    "answer.guarantee",
    "answer.plot()",
    "dalenius.laplace(42.5, sensitivity=1, epsilon=1)",
    "print(answer)",
    "with db:\n    pass\ntry:\n    db.sql('SELECT COUNT(*) FROM visits', epsilon=1)\n"
    "except dalenius.errors.DaleniusError as e:\n    print('closed')",
]


@pytest.mark.parametrize("widgets", [True, False])
def test_a_notebook_runs_and_shows_tables(tmp_path, widgets):
    """The kernel has no ipywidgets, or is told that it has none: the engine refuses to set its progress bar there."""
    cells = [*([] if widgets else [HIDE]), *CELLS]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    session, answer, explanation, budget, guarantee, chart, noise, printed, closed = notebook.cells[-9:]

    def page(cell):
        return cell.outputs[0].data["text/html"]

    assert "visits" in page(session)
    assert "<td>&lt;b&gt;</td>" in page(answer)
    assert "± 95 %" in page(answer)
    assert "cost" in page(explanation)
    assert "<td>9</td>" in page(budget)
    assert "differential privacy" in page(guarantee)
    assert any("vega" in kind or "html" in kind for kind in chart.outputs[0].data)
    assert "charged to no ledger" in page(noise)
    assert "cost ε = 1" in printed.outputs[0].text
    assert closed.outputs[0].text == "closed\n"


def test_a_kernels_interrupt_in_a_scan_leaves_the_session_usable(tmp_path):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in (OPEN, ASK, AGAIN)])
    where = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(notebook, timeout=120, resources=where, allow_errors=True).execute()
    _, asked, again = notebook.cells
    assert asked.outputs[-1].ename == "KeyboardInterrupt"
    assert again.outputs[0].text == f"{TOLD}\n"
