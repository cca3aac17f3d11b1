"""The types of the package, as mypy reads them."""

import os
import subprocess
import sys

import pytest

pytest.importorskip("mypy")


@pytest.mark.every_change
def test_strict():
    """Nothing is left open that --strict asks for, as pyproject.toml says."""
    run = subprocess.run([sys.executable, "-m", "mypy"], cwd=os.path.join(os.path.dirname(__file__), ".."), capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
