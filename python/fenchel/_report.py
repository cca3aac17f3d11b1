"""Pages about models: how good they are, what is proved, what they go by."""

from __future__ import annotations

import html
import os
import subprocess
import tempfile
from typing import Any

from . import _ask, _table
from ._base import threads_of
from ._engine import program
from ._model import Model
from ._verify import own_data
from ._warn import told

__all__ = ["Report", "report"]


class Report:
    """A page, which a notebook shows: ``html`` is its text, ``save(path)`` writes it."""

    def __init__(self, text: str) -> None:
        self.html = text

    def save(self, path: str) -> None:
        """Write the page, which opens without a network and runs no script."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html)

    def _repr_html_(self) -> str:
        return f'<iframe sandbox srcdoc="{html.escape(self.html)}" width="100%" height="700" style="border: 1px solid #8886"></iframe>'


def report(estimator: Any, X: Any, y: Any = None, sample_weight: Any = None, *, test: tuple[Any, Any] | None = None, name: str = "") -> Report:
    """Return a page about a fitted estimator of this package, as ``fenchel report`` writes it.

    Parameters
    ----------
    estimator : fitted estimator of fenchel
    X, y, sample_weight
        The rows that it was fitted to: then the page says whether its proof holds.
    test : tuple of X and y, optional
        Other rows, which judge it.
    name : str
        In the title, else that of the class.

    Returns
    -------
    Report

    Examples
    --------
    >>> import fenchel
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    >>> page = fenchel.report(fenchel.LinearClassifier().fit(X, y), X, y)
    >>> "What is proved" in page.html
    True
    """
    if not isinstance(getattr(estimator, "model_", None), Model):
        raise TypeError(f"found a {type(estimator).__name__}, expected a fitted estimator of fenchel with one model")
    judges = None if test is None else own_data(estimator, test[0], test[1], None)
    threads = threads_of(getattr(estimator, "n_jobs", None))
    return Report(_ask.report(estimator.model_, own_data(estimator, X, y, sample_weight), judges, name=name or type(estimator).__name__, threads=threads))


def write_report(model: Model, path: Any, data: tuple[Any, ...], test: Any, name: str, flags: dict[str, Any]) -> None:
    """Have the program write a page about a model; see :meth:`Model.report`."""
    with tempfile.TemporaryDirectory() as folder:
        model.save(os.path.join(folder, name))
        judges = test if isinstance(test, (tuple, list)) else (test,)
        command = [program(), "report", name, *_files(data, folder, "rows.csv"), "-o", os.path.abspath(path)]
        command += [word for file in _files(judges, folder, "test.csv") for word in ("--test", file)]
        command += [f"--{flag.replace('_', '-')}={str(value).lower() if isinstance(value, bool) else value}" for flag, value in flags.items()]
        ended = subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, encoding="utf-8", errors="replace")
    said = ended.stderr.strip().splitlines()
    if ended.returncode:
        raise ValueError(said[-1].removeprefix("fenchel: ") if said else f"fenchel report ended with exit code {ended.returncode}")
    for text in said:
        told(text.removeprefix("warning: "))


def _files(data: Any, folder: str, name: str) -> list[str]:
    """Return the paths of files; a table is written to one of that name in the folder."""
    if len(data) == 1 and (table := _table.of(data[0], needed=True)) is not None:
        with open(os.path.join(folder, name), "wb") as file:
            file.write(table.csv())
        return [name]
    if any(not isinstance(d, (str, os.PathLike)) for d in data):
        raise TypeError(f"report: found {', '.join(type(d).__name__ for d in data)}, expected paths of files, or one table of pandas, polars or pyarrow")
    return [d if (d := os.fspath(x)).startswith("@") else os.path.abspath(d) for x in data]
