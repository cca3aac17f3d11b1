"""The page of the API."""

import os
import runpy

import pytest

pytest.importorskip("sklearn")
FOLDER = os.path.join(os.path.dirname(__file__), "..")
MADE = runpy.run_path(os.path.join(FOLDER, "api"))


@pytest.mark.every_change
def test_page():
    """api.md is made of the docstrings as they are."""
    with open(os.path.join(FOLDER, "api.md"), encoding="utf-8") as f:
        assert f.read() == MADE["page"](), "python/api.md is not made of these docstrings: python/api > python/api.md"


@pytest.mark.every_change
def test_parameters():
    """Every parameter of every estimator and function is described."""
    for module, things in MADE["public"]():
        for name, thing in things.items():
            _, missing = MADE["parameters"](thing, module.__name__ == "fenchel.sklearn")
            assert not missing, f"{module.__name__}.{name}: nothing says what {', '.join(missing)} is"
            assert thing.__doc__, f"{name} has no docstring"
