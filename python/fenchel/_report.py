"""Pages about models: how good they are, what is proved, what they go by."""

from __future__ import annotations

import html
from typing import Any

from . import _ask
from ._base import threads_of
from ._model import Model
from ._verify import own_data

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
