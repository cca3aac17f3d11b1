"""Every cell of the tutorial runs, one after another as in a notebook, and the example of the README."""

import json
import warnings
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


def test_readme(capsys):
    """The example of README.md runs, and prints what it says."""
    pytest.importorskip("sklearn")
    text = (NOTEBOOK.parent / "README.md").read_text()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn's ConvergenceWarning, as it says
        exec(text.split("```python\n")[1].split("```")[0], {})
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("converged 2.7") and second.startswith("0.07")
