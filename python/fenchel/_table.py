"""Tables of pandas, polars and pyarrow, and lists of texts, as the CSV of which the program makes features."""

from __future__ import annotations

import csv
import io
import numbers
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from ._arrays import Writer

LISTS = ("text", "categorical", "numeric", "ignore", "missing", "cross")  # options of a table that are lists
OPTIONS = (*LISTS, "dates", "ngrams", "words", "hash", "min_count", "max_share", "term_weights")
SINGLE = ("float32", "Float32", "float", "float[pyarrow]")  # how the libraries call single precision


class Table:
    """Rows of named columns, of which the program makes features: by a schema that follows from them, or by that of a model.

    >>> t = Table(["a", "b"], [["x, y", None], [1.5, 2.0]])
    >>> t.shape, t.csv()
    ((2, 2), b'a,b\\r\\n"x, y",1.5\\r\\n,2.0\\r\\n')
    """

    dtype = np.dtype(object)
    target: list[str] = []  # names of the columns of targets; none: the schema of a model says what the columns are

    def __init__(self, names: list[str], columns: list[list[Any]], options: dict[str, Any] | None = None) -> None:
        self.names, self.columns, self.options = names, columns, options or {}

    @property
    def shape(self) -> tuple[int, int]:
        return len(self), len(self.names)

    def __len__(self) -> int:
        return len(self.columns[0]) if self.columns else 0

    def __getitem__(self, rows: Any) -> "Table":
        rows = np.arange(len(self))[rows].tolist()
        part = Table(self.names, [[c[i] for i in rows] for c in self.columns], self.options)
        part.target = self.target
        return part

    def csv(self, *targets: list[Any]) -> bytes:
        """Return the table, and columns of targets behind its own."""
        text = io.StringIO(newline="")
        writer = csv.writer(text)  # ends lines by CR and LF, and so encloses what has one of these
        writer.writerow(self.names + self.target)
        writer.writerows(zip(*self.columns, *targets))
        return text.getvalue().encode("utf-8", "replace")

    def fields(self, writer: Writer, target: np.ndarray | None = None) -> dict[str, Any]:
        """Write the table, with targets of shape (n_samples,) or (n_samples, n_targets) where it has columns for them."""
        if not self.target or target is None:
            return {**self.options, "csv": writer.raw(self.csv())}
        columns = np.reshape(target, (len(self), -1)).T.tolist()
        return {**self.options, "csv": writer.raw(self.csv(*columns)), "target": ",".join(self.target)}


def of(X: Any, options: dict[str, Any] | None = None, name: str = "text", needed: bool = False) -> Table | None:
    """Return a table, or the column of that name of texts; None of arrays, and, unless a table is ``needed``, of tables that have
    nothing but numbers, none of them missing."""
    if (texts := _texts(X)) is not None:
        own = checked(options)
        return Table([name], [texts], own if any(k in own for k in ("text", "categorical", "numeric")) else {**own, "text": [name]})
    columns = _columns(X)
    if columns is None:
        return None
    kinds = [_kind(c) for _, c in columns]
    if not needed and options is None and all(k == "number" for k in kinds):
        return None
    names, own = [str(n) for n, _ in columns], checked(options)
    asked = [p for k in ("text", "categorical", "numeric", "ignore") for p in own.get(k, ())]
    words = [n for i, (n, kind) in enumerate(zip(names, kinds)) if kind == "category" and not any(n == p or str(i + 1) == p or fnmatchcase(n, p) for p in asked)]
    if words:
        own["categorical"] = [*own.get("categorical", ()), *words]
    return Table(names, [_values(c) for _, c in columns], own)


def checked(options: dict[str, Any] | None) -> dict[str, Any]:
    """Return the options of a table as the program takes them."""
    own = {}
    for key, value in (options or {}).items():
        if key not in OPTIONS:
            raise ValueError(f"table: found the option {key!r}, expected one of {', '.join(OPTIONS)}")
        if value is None or key == "text" and isinstance(value, str) and value == "auto":
            continue
        own[key] = [str(v) for v in ([value] if isinstance(value, (str, int)) else value)] if key in LISTS else value
    return own


def taken(estimator: Any, X: Any, *y: Any, reset: bool = True, **how: Any) -> Any:
    """Do what validate_data does, and let tables pass of which the program makes features."""
    from ._base import validate_data  # executors of a cluster have no use for scikit-learn

    if not getattr(estimator, "_tables", False):
        return validate_data(estimator, X, *y, reset=reset, **how)
    if reset:
        table = of(X, estimator.table)
        estimator._tabular = table is not None
    else:
        table = like(X, lambda: estimator.feature_names_in_[0]) if estimator._tabular else None
    if table is None:
        return validate_data(estimator, X, *y, reset=reset, **how)
    if not y:
        return table
    name = getattr(y[0], "name", None)
    target = validate_data(estimator, "no_validation", *y, reset=reset, **{k: v for k, v in how.items() if k in ("y_numeric", "multi_output")})
    if len(target) != len(table):
        raise ValueError(f"Found input variables with inconsistent numbers of samples: [{len(table)}, {len(target)}]")
    table.target = _targets(table.names, name, target.shape[1] if target.ndim == 2 else 1)
    estimator.n_features_in_, estimator.feature_names_in_ = len(table.names), np.asarray(table.names, object)
    return table, target


def like(X: Any, name: Any) -> Table:
    """Return a table for a model of one; ``name()`` is that of the column of its texts."""
    if isinstance(X, Table):
        return Table(X.names, X.columns)
    table = of(X, needed=True, name=name() if _columns(X) is None else "")
    if table is None:
        raise ValueError(f"found a {type(X).__name__}, expected a table of pandas, polars or pyarrow, or a list of texts, as the model was trained on")
    table.options = {}
    return table


def _targets(names: list[str], name: Any, count: int) -> list[str]:
    """Name the columns of targets as no other is."""
    base = name if isinstance(name, str) and name and "," not in name else "target"
    while any(n == base or n.startswith(base) and n[len(base) :].isdigit() for n in names):
        base += "_"
    return [base] if count == 1 else [f"{base}{k + 1}" for k in range(count)]


def _texts(X: Any) -> list[Any] | None:
    """Return the texts of a list, an array or a series of them; None of anything else."""
    if hasattr(X, "shape") and len(X.shape) != 1 or isinstance(X, (str, bytes, dict)) or hasattr(X, "column_names"):
        return None
    if isinstance(X, (list, tuple)):
        values = list(X)
    elif isinstance(X, np.ndarray) and X.dtype.kind not in "UOT" or not any(hasattr(X, name) for name in ("tolist", "to_list", "to_pylist")):
        return None
    else:
        values = _values(X)
    there = [v for v in values if v is not None and v == v]
    return values if there and all(isinstance(v, str) for v in there) else None


def _columns(X: Any) -> list[tuple[Any, Any]] | None:
    """Return names and columns of a table, None of anything else."""
    if hasattr(X, "iloc") and hasattr(X, "columns"):  # pandas
        return [(n, X.iloc[:, i]) for i, n in enumerate(X.columns)]
    if hasattr(X, "get_columns"):  # polars
        return [(c.name, c) for c in X.get_columns()]
    if hasattr(X, "column_names") and hasattr(X, "to_pylist"):  # pyarrow
        return [(n, X.column(i)) for i, n in enumerate(X.column_names)]
    return None


def _kind(column: Any) -> str:
    """Return "number" of numbers that are all there, "category", or "other"."""
    kind = getattr(column, "dtype", None) if hasattr(column, "dtype") else column.type
    word = str(kind).split("(")[0].split("<")[0].lower()
    if word in ("category", "categorical", "enum", "dictionary"):
        return "category"
    if word == "object":
        values = column.tolist()
        return "number" if all(isinstance(v, numbers.Number) and v == v for v in values) else "other"
    if not word.startswith(("int", "uint", "float", "double", "halffloat", "bool", "decimal", "sparse")):
        return "other"
    if hasattr(column, "isna"):
        return "other" if column.isna().any() else "number"
    gone = column.null_count() if callable(column.null_count) else column.null_count
    if not gone and word.startswith(("float", "double", "halffloat")):
        gone = np.isnan(np.asarray(column)).any()
    return "other" if gone else "number"


def _values(column: Any) -> list[Any]:
    """Return what is in a column; of single precision the shortest numbers that round to it."""
    for name in ("to_pylist", "to_list", "tolist"):
        if hasattr(column, name):
            values = getattr(column, name)()
            break
    kind = str(getattr(column, "dtype", None) or getattr(column, "type", ""))
    return [None if v is None or v != v else float(str(np.float32(v))) for v in values] if kind in SINGLE else values
