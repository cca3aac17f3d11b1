"""Columns of vectors and arrays, of Arrow and pandas, as rows of the program: what :mod:`fenchel.spark` reads on executors."""

from __future__ import annotations

from typing import Any, Iterator

import numpy as np

from . import _ask, _table
from ._engine import DataError


def _numbers(column: Any) -> np.ndarray:
    return np.asarray(column.to_numpy(zero_copy_only=False), np.float64)


def table_rows(batch: Any, classifies: bool, schema: dict[str, Any] | None = None) -> Iterator[_ask.Data]:
    """Return the rows of a table of Arrow (features, and perhaps label and weight) as those of the program: the dense ones and the sparse ones; with a ``schema``
    features are texts, of which it makes those of the program."""
    import pyarrow as pa
    import pyarrow.compute as pc

    weights = targets = None
    if batch.num_columns > 2:
        weights = _numbers(batch.column(2))
        wrong = ~(np.isfinite(weights) & (weights >= 0))
        if wrong.any():
            raise DataError(f"found the weight {weights[wrong][0]:g} of a row, expected a number of at least 0 in every row")
        batch, weights = batch.filter(pa.array(weights > 0)), weights[weights > 0]
    X, y = batch.column(0), batch.column(min(1, batch.num_columns - 1))
    if X.null_count or y.null_count:
        raise DataError(f"found a row without {'features' if X.null_count else 'a label'} (null), expected them in every row")
    if batch.num_columns == 1:
        pass
    elif not classifies:
        targets = _numbers(y)
        if not np.isfinite(targets).all():
            raise DataError(f"found the label {targets[~np.isfinite(targets)][0]:g}, expected a finite number in every row")
    else:
        names = y.unique()
        labels, targets = [_spelled(c) for c in names.to_pylist()], pc.index_in(y, value_set=names).to_numpy().astype(np.uint32)
    for rows, part in matrices(*_flat_arrow(X)) if schema is None else [(slice(None), _table.Table([schema["columns"][0]["name"]], [X.to_pylist()], {"schema": schema}))]:
        if schema is None and not np.isfinite(_numbers_of(part)).all():
            raise DataError("found a feature that is no finite number (NaN, infinite or null), expected finite ones")
        data = _ask.Data(part, weights=None if weights is None else weights[rows])
        if targets is None:
            pass
        elif not classifies:
            data.numbers = targets[rows]
        else:
            data.codes, data.labels = targets[rows], labels
        yield data


def _flat_arrow(column: Any) -> tuple[Any, Any, Any, Any, Any]:
    """Return of a column of vectors or arrays of Arrow, without nulls, what :func:`matrices` takes."""
    import pyarrow as pa
    import pyarrow.compute as pc

    values, kind, size, index = column, None, None, None
    if pa.types.is_struct(column.type):  # a vector of pyspark.ml
        kind, size, index, values = (pc.struct_field(column, name) for name in ("type", "size", "indices", "values"))
        kind, size, index = kind.to_numpy(), size.fill_null(0).to_numpy(), index.flatten().to_numpy()
    return kind, size, index, values.flatten().to_numpy(zero_copy_only=False), pc.list_value_length(values).to_numpy()


def flat_pandas(column: Any) -> tuple[Any, Any, Any, Any, Any]:
    """Return of a column of vectors or arrays of pandas, without nulls, what :func:`matrices` takes."""
    if column.ndim == 1:
        return None, None, None, _joined(column), column.map(len).to_numpy(np.int64)
    kind = column["type"].to_numpy(np.int64)
    return kind, column["size"].fillna(0).to_numpy(np.int64), _joined(column["indices"][kind == 0]), _joined(column["values"]), column["values"].map(len).to_numpy(np.int64)


def _joined(column: Any) -> np.ndarray:
    return np.concatenate(list(column)) if len(column) else np.zeros(0)


def _numbers_of(part: Any) -> np.ndarray:
    return np.asarray(part if isinstance(part, np.ndarray) else part.data)


def matrices(kind: Any, size: Any, index: Any, values: np.ndarray, lengths: np.ndarray, cols: int | None = None) -> Iterator[tuple[np.ndarray, Any]]:
    """Return positions and rows of the dense vectors, and of the sparse ones (of kind 0): a row is stored as it comes, whichever rows are beside it."""
    dense = np.ones(len(lengths), bool) if kind is None else kind == 1
    size = lengths if kind is None else np.where(dense, lengths, size)
    cols = int(size[0]) if cols is None and len(size) else cols
    if (size != cols).any():
        raise DataError(f"found rows of {cols} and of {size[size != cols][0]} features, expected one length")
    of = np.repeat(dense, lengths)
    if dense.any():
        yield np.flatnonzero(dense), np.asarray(values[of]).reshape(-1, cols or 0)
    if not dense.all():
        from scipy.sparse import csr_matrix

        starts = np.concatenate([[0], np.cumsum(lengths[~dense])])
        yield np.flatnonzero(~dense), csr_matrix((values[~of], index, starts), shape=(len(starts) - 1, cols))


def scored(features: Any, coef: np.ndarray, intercept: np.ndarray) -> np.ndarray:
    """Return the scores of a column of pandas, NaN where there are no features."""
    there = (features if features.ndim == 1 else features["type"]).notna().to_numpy()
    scores, positions = np.full((len(features), len(intercept)), np.nan), np.flatnonzero(there)
    for rows, X in matrices(*flat_pandas(features[there]), coef.shape[1]):
        scores[positions[rows]] = X @ coef.T + intercept
    return scores


def _spelled(label: Any) -> str:
    """Return a label as the program has it."""
    if label == "" or isinstance(label, float) and not np.isfinite(label):
        raise DataError(f"found the label {label!r}, expected a finite number or a name in every row")
    return str(int(label)) if isinstance(label, float) and label.is_integer() and abs(label) < 2**53 else str(label)
