"""The readers of the program: LIBSVM, CSV, Parquet, ARFF, NPY, NPZ, IDX and caches, on all cores."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _ask, _table
from ._engine import DataError
from ._model import columns_of, model_of
from ._warn import told

__all__ = ["Rows", "read"]


@dataclass
class Rows:
    """What is in files: ``X`` of shape (n_samples, n_features), float32, an array or a CSR
    matrix of scipy; ``y`` of shape (n_samples,), numbers or strings, None if there are no
    targets; ``sample_weight`` and ``feature_names`` or None; ``offsets``, what was subtracted
    from the columns before they were rounded, or None; ``factors``, by what those too small for
    single precision were multiplied then, or None. It unpacks as ``X, y``.

    >>> X, y = Rows(np.zeros((1, 1)), np.ones(1))
    >>> y
    array([1.])
    """

    X: Any
    y: np.ndarray | None = None
    sample_weight: np.ndarray | None = None
    feature_names: list[str] | None = None
    offsets: np.ndarray | None = None
    factors: np.ndarray | None = None

    def __iter__(self) -> Any:
        return iter((self.X, self.y))


def read(*paths: Any, like: Any = None, target: str | None = None, weights: str | None = None, labels: Any = None, ignore: Any = None, n_features: int | None = None,
         categorical: Any = None, numeric: Any = None, text: Any = None, missing: Any = None, dates: str = "", skip_unlabelled: bool = False, **terms: Any) -> Rows:  # fmt: skip
    """Read one or several files as one set of rows.

    Parameters
    ----------
    paths : str, path or DataFrame
        Files, compressed or not, patterns, or a generator such as "@blobs:n=100"; or one table of pandas,
        polars or pyarrow, which is read as its CSV is: texts and categories become features.
    like : path, Model or fitted estimator, optional
        A model, of which the columns of X are then the features, in its order: the table has the model's columns under their names, and the
        target may be absent. What columns are is the model's to say: the other options, but ``weights``, ``labels`` and ``skip_unlabelled``, are refused.
    target, weights : str, optional
        Columns of a table, by name or position.
    labels : path, optional
        A file of one target a row.
    ignore : list of str, optional
        Columns to leave out.
    n_features : int, optional
        Have so many features, as a model has.
    categorical, numeric : list of str, optional
        Columns to take as categories, or as numbers.
    text : list of str, optional
        Columns of texts, of which each word is a feature; those of sentences are by themselves.
    missing : list of str, optional
        What is written where a value is missing, besides "", "NA" and the like.
    dates : "dmy" or "mdy", optional
        The order in dates such as 05/06/2024.
    skip_unlabelled : bool
        Leave out rows that have no target.
    terms
        Which terms of texts are features, as the flags of these names: ngrams ("1..2", "chars:3..5"), words, hash, min_count,
        max_share, term_weights, cross (a list of pairs "a,b").

    Returns
    -------
    Rows

    Examples
    --------
    >>> import fenchel
    >>> X, y = fenchel.read("@blobs:n=100,d=5,classes=2")
    >>> X.shape, len(y)
    ((100, 5), 100)
    """
    columns = {"target": target, "ignore": ignore, "categorical": categorical, "numeric": numeric, "text": text, "missing": missing, "dates": dates, **_table.checked(terms)}
    model = None if like is None else model_of(like, "like")
    if model is not None and (found := [name for name, value in {**columns, "n_features": n_features}.items() if value is not None and value != ""]):
        raise ValueError(f"like: found {', '.join(found)} beside it, expected none: the model says what the columns are")
    ours = [] if model is None else columns_of(model.part("schema"))
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "table.csv")
        if len(paths) == 1 and (table := _table.of(paths[0], needed=True, name=ours[0]["name"] if ours else "text")) is not None:
            paths = (file,)
            with open(file, "wb") as to:
                to.write(table.csv())
        try:
            answer = _ask.read([os.fspath(p) for p in paths], model, weights=weights, labels=None if labels is None else os.fspath(labels), skip_unlabelled=skip_unlabelled, features=n_features, **columns)
        except DataError as e:
            raise DataError(str(e).replace(file, "table")) from None
    for text in answer["warnings"]:
        told(text.replace(file, "table"))
    y = answer["numbers"]
    if y is None and answer["codes"] is not None:
        y = np.asarray(answer["labels"])[answer["codes"]]
    offsets, factors = (None if answer[k] is None else np.asarray(answer[k]) for k in ("offsets", "factors"))
    return Rows(answer["x"], y, answer["weights"], answer["names"], offsets, factors)
