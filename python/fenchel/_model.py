"""Models as the program writes them: safetensors files, and what is in them."""

from __future__ import annotations

import json
import os
import struct
import tempfile
from typing import Any

import numpy as np

DTYPES = {"F64": np.float64, "F32": np.float32, "I64": np.int64, "U32": np.uint32}


def _umask() -> int:
    """Return the mask of the permissions of new files, which can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def write(path: Any, data: bytes) -> None:
    """Write a file: all of it, or what was there before stays."""
    path = os.path.realpath(path)
    with tempfile.NamedTemporaryFile(dir=os.path.dirname(path), prefix=os.path.basename(path) + ".", delete=False) as file:
        try:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            file.close()
            os.chmod(file.name, os.stat(path).st_mode & 0o777 if os.path.exists(path) else 0o666 & ~_umask())
            os.replace(file.name, path)
        except BaseException:
            file.close()
            os.unlink(file.name)
            raise


def columns_of(schema: dict[str, Any] | None) -> list[dict[str, Any]]:
    """Return the columns that make features, in the order of these; none of a model without a schema."""
    if schema is None:
        return []
    answers = {schema["target"], schema["weight"], *schema.get("further_targets", ())}
    return [c for i, c in enumerate(schema["columns"]) if i not in answers and c.get("kind") != "ignored"]


def moves(schema: dict[str, Any], features: int) -> tuple[np.ndarray, np.ndarray]:
    """Return what each feature was multiplied by, and what was subtracted from it before."""
    factors, offsets, at = np.ones(features), np.zeros(features), 0
    for c in columns_of(schema):
        if (text := c.get("text")) is not None:
            at += 1 << text["hash"] if text.get("hash") else len(text.get("terms", ()))
        elif c.get("category") is not None:
            at += len(c["category"])
        else:
            factors[at], offsets[at] = c.get("factor", 1.0), c.get("offset", 0.0)
            at += c.get("size", 1)
    return factors, offsets


def load(path: Any) -> "Model":
    """Read a model that ``fenchel train`` or ``save`` has written.

    Parameters
    ----------
    path : path of the file

    Returns
    -------
    Model

    Examples
    --------
    >>> import os, tempfile, fenchel
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "m.model")
    ...     fenchel.LinearRegressor(C=1e6, gap=1e-9).fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0]).model_.save(path)
    ...     fenchel.load(path).predict([[3.0]]).round(2)
    array([7.])
    """
    with open(path, "rb") as file:
        data = file.read()
    try:
        return Model(data)
    except (struct.error, LookupError, TypeError, ValueError, AttributeError):
        raise ValueError(f"{os.fspath(path)}: found no model of fenchel, expected a file that fenchel train or save has written") from None


def model_of(given: Any, role: str) -> "Model":
    """Return the model of a path, a Model or a fitted estimator; ``role`` is what errors call it."""
    own = given if isinstance(given, Model) else getattr(given, "model_", None)
    if isinstance(own, Model):
        return own
    if isinstance(given, (str, os.PathLike)):
        return load(given)
    raise TypeError(f"{role}: found a {type(given).__name__}, expected the path of a model, a model of fenchel.load, or a fitted estimator of fenchel with one model")


class Model:
    """The bytes of a model file. ``save`` writes them for the command ``fenchel``.

    >>> from fenchel import LinearRegressor
    >>> model = LinearRegressor().fit([[0.0], [1.0]], [0.0, 1.0]).model_
    >>> model.part("problem")["loss"]
    'squared'
    """

    def __init__(self, data: bytes) -> None:
        self.data = data
        size = struct.unpack("<Q", data[:8])[0]
        header = json.loads(data[8 : 8 + size])
        self._base = 8 + size
        self.metadata: dict[str, str] = header.pop("__metadata__")
        self._tensors = header

    @property
    def key(self) -> str:
        """A digest of all that is in the file."""
        return self.metadata["metadata_digest"]

    @property
    def precision(self) -> str:
        """Return "float64" where the certificate is about rows of that type, "float32" where they were rounded to it."""
        return "float64" if (self.part("data") or {}).get("precision") == "double" else "float32"

    def part(self, name: str) -> Any:
        """Return a part of the metadata, None if there is none."""
        text = self.metadata.get(name)
        return None if text is None else json.loads(text)

    def tensor(self, name: str) -> Any:
        """Return a copy of a tensor, None if there is none."""
        t = self._tensors.get(name)
        if t is None:
            return None
        begin, end = t["data_offsets"]
        return np.frombuffer(self.data[self._base + begin : self._base + end], DTYPES[t["dtype"]]).reshape(t["shape"]).copy()

    def save(self, path: str) -> None:
        """Write the file, for ``fenchel verify``, ``predict``, ``info`` and others: all of it, or
        what was there before stays."""
        write(path, self.data)

    def to_onnx(self, path: Any) -> None:
        """Write a graph of ONNX that says what ``fenchel predict`` does of this model, as ``fenchel convert`` writes it: label, scores and probabilities, prediction, or
        coordinates. Its input is x, of shape (n_samples, n_features), or for a table one for each column, of shape (n_samples, 1). A model that ONNX
        cannot hold is a ValueError."""
        from . import _ask

        write(path, _ask.onnx(self))

    def report(self, path: Any, *data: Any, test: Any = (), name: str = "m.model", **flags: Any) -> None:
        """Write a page about the model, as ``fenchel report MODEL DATA -o path`` does.

        ``data`` are files or patterns, or one table of pandas, polars or pyarrow with the target among its columns: the rows that the model was trained on, of which the page says
        whether its proof holds. ``test`` are such files or a table of other rows, which judge it. ``name`` is in the title; ``flags`` are those of ``fenchel report``, as
        slice="sex" or rows=True. What the program refuses is a ValueError."""
        from ._report import write_report

        write_report(self, path, data, test, name, flags)

    def predict(self, X: Any) -> np.ndarray:
        """Return what ``fenchel predict`` says of rows: labels (numbers where all are, whole ones where all are these), or numbers, of shape (n_samples,), or
        (n_samples, n_targets) of several targets. X is an array or a sparse matrix of shape (n_samples, n_features); of a model of a
        table, a table of pandas, polars or pyarrow, or a list of texts."""
        found, classes = self._scored(X, predictions=True), self.part("classes")
        if classes is None:
            return found[:, 0] if found.shape[1] == 1 else found
        labels = np.array(classes)
        for kind in (np.int64, np.float64):
            try:
                labels = labels.astype(kind)
                break
            except (ValueError, OverflowError):
                pass
        result: np.ndarray = labels[found[:, 0].astype(int)]
        return result

    def decision_function(self, X: Any) -> np.ndarray:
        """Return scores, of shape (n_samples, n_outputs): what ``fenchel predict --scores`` adds."""
        return self._scored(X)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return probabilities of the classes, of shape (n_samples, n_classes), where the model has them."""
        return self._scored(X, probabilities=True)

    def _scored(self, X: Any, **what: bool) -> np.ndarray:
        from . import _ask, _table

        schema, offsets = self.part("schema"), None
        columns = columns_of(schema)
        if schema is not None and not schema.get("array") and not all(c.get("size") for c in columns):  # vectors are rows of features
            X = _table.like(X, lambda: columns[0]["name"])
        else:
            if not hasattr(X, "tocsr"):
                X = np.asarray(X, np.float64)
            if X.ndim != 2:
                raise ValueError(f"found an array of {X.ndim} dimensions, expected rows of features")
            if schema is not None:
                offsets = moves(schema, self.part("data")["features"])[1]
        return _ask.scores(self, X, offsets, 0, **what)

    def weights(self) -> tuple[np.ndarray, np.ndarray]:
        """Return weights, those of a class or target in a row, and biases of a linear model, of features as
        they were before its scaling and offsets."""
        bias = self.tensor("bias")
        w = self.tensor("weights")
        if w is None:
            w = self._sparse_weights(len(bias))
        factor, offset = self.tensor("factor"), self.tensor("offset")
        if factor is not None:
            w = w * factor
            bias = bias - w @ offset
        schema = self.part("schema")
        if schema is not None:
            factors, offsets = moves(schema, w.shape[1])
            w = w * factors
            bias = bias - w @ offsets
        return w, bias

    def _sparse_weights(self, outputs: int) -> np.ndarray:
        w = np.zeros((outputs, self.part("data")["features"]))
        values, indices, starts = (self.tensor("weights." + name) for name in ("values", "indices", "indptr"))
        for k in range(outputs):
            w[k, indices[starts[k] : starts[k + 1]]] = values[starts[k] : starts[k + 1]]
        return w

    def __getstate__(self) -> bytes:
        return self.data

    def __setstate__(self, data: bytes) -> None:
        self.__init__(data)  # type: ignore[misc]

    def __repr__(self) -> str:
        return f"<fenchel model of {len(self.data)} bytes>"
