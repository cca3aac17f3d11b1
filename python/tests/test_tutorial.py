"""Every cell of the tutorial runs, one after another as in a notebook."""

import json
from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).resolve().parent.parent / "tutorial.ipynb"


def test_tutorial():
    pytest.importorskip("scipy")
    try:
        import matplotlib

        matplotlib.use("Agg")
    except ImportError:
        pass
    cells = [c for c in json.loads(NOTEBOOK.read_text())["cells"] if c["cell_type"] == "code"]
    assert len(cells) > 5 and all(c["outputs"] == [] for c in cells)
    names = {"__name__": "__main__"}
    for number, cell in enumerate(cells):
        exec(compile("".join(cell["source"]), f"tutorial.ipynb, code cell {number + 1}", "exec"), names)
