"""Requests: what an estimator has, as fields of a frame, and answers as Python objects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable

import numpy as np

from . import _engine
from ._arrays import Writer, column_offsets, is_sparse, put_rows, warn_small
from ._model import Model
from ._warn import told


@dataclass
class Data:
    """Rows with what belongs to them."""

    X: Any  # an array, a sparse matrix or a Table
    numbers: np.ndarray | None = None  # targets; of several a column each
    codes: np.ndarray | None = None  # or places in labels
    labels: list[str] | None = None
    weights: np.ndarray | None = None
    names: list[str] | None = None
    offsets: np.ndarray | None = None  # to be subtracted from the columns
    kept: np.ndarray | None = None  # which rows of the caller's these are, None: all
    everything: Any = None  # the rows of the caller, those left out among them
    groups: np.ndarray | None = None  # of the rows, by their places, for folds
    times: list[str] | None = None  # of the rows, as a table has them, for folds
    gaps: np.ndarray | None = None  # rows and features of numbers that are missing

    def centred(self) -> "Data":
        """Have the engine get columns that are far from zero without their means, for
        problems of which the solution does not depend on that."""
        if not hasattr(self.X, "fields"):  # the reader of tables does so itself
            self.offsets = column_offsets(self.X)
        return self

    def gapped(self) -> "Data":
        """Replace NaN by the means of their columns, and note which numbers were missing."""
        self.X, self.gaps = gapped(self.X)
        return self

    def split(self, groups: Any, times: Any) -> "Data":
        """Have folds keep groups whole, or times in order: both of the rows of the caller."""
        if groups is not None:
            places = np.unique(self._of_rows(groups), return_inverse=True)[1].reshape(-1).astype(np.uint32)
            self.groups = places if self.kept is None else places[self.kept]
        if times is not None:
            texts = _times(self._of_rows(times))
            self.times = texts if self.kept is None else [texts[i] for i in self.kept]
        return self

    def _of_rows(self, values: Any) -> np.ndarray:
        values, rows = np.asarray(values), self.everything.shape[0]
        if values.shape != (rows,):
            raise ValueError(f"found groups or times of shape {values.shape}, expected ({rows},)")
        result: np.ndarray = values
        return result

    def fields(self, writer: Writer, double: bool = False) -> dict[str, Any]:
        """Write the arrays; with ``double`` rows of float64 stay so."""
        if table := hasattr(self.X, "fields"):
            fields: dict[str, Any] = {"table": self.X.fields(writer, self.numbers if self.codes is None else self.codes)}
        else:
            warn_small(self.X)
            fields = {"x": put_rows(writer, self.X, self.offsets, double)}
        if not table and self.names is not None and len(set(self.names)) == len(self.names):
            fields["names"] = self.names
        if self.numbers is not None:
            fields["numbers"] = writer.put(np.ravel(self.numbers, order="F"), np.float64)
            if self.numbers.ndim == 2:
                fields["targets"] = self.numbers.shape[1]
        if self.codes is not None:
            fields["codes"], fields["labels"] = writer.put(self.codes, np.uint32), self.labels
        if self.weights is not None:
            fields["weights"] = writer.put(self.weights, np.float64)
        if self.groups is not None:
            fields["groups"] = writer.put(self.groups, np.uint32)
        if self.gaps is not None:
            fields["gaps"] = writer.put(self.gaps, np.uint32)
        if self.times is not None:
            fields["times"] = self.times
        return fields


def gapped(X: Any) -> tuple[Any, np.ndarray | None]:
    """Return an array with NaN replaced by the means of their columns, and the rows and columns of these; None: there are none."""
    with np.errstate(over="ignore", invalid="ignore"):
        if is_sparse(X) or not np.isnan(X.sum()) or not (gone := np.isnan(X)).any():  # the sum takes a third of the time
            return X, None
    known = np.maximum((~gone).sum(axis=0), 1)
    means = np.where(gone, 0, X).sum(axis=0, dtype=np.float64) / known
    return np.where(gone, means, X).astype(X.dtype), np.argwhere(gone).astype(np.uint32)


def _times(values: np.ndarray) -> list[str]:
    """Return times as the program reads a column of a table."""
    if values.dtype.kind == "M":
        texts = np.where(np.isnat(values), "", np.datetime_as_string(values)).tolist()
    else:
        texts = [_time(v) for v in values.tolist()]
    if "" in texts:
        raise ValueError(f"times: found none in row {texts.index('') + 1}, expected a number, a date or a time in every row")
    result: list[str] = texts
    return result


def _time(value: Any) -> str:
    if value is None or value != value:
        return ""
    if hasattr(value, "isoformat"):
        result: str = value.isoformat()
        return result
    return repr(value) if isinstance(value, (int, float)) else str(value)


def _modelled(answer: dict[str, Any], memory: Any) -> dict[str, Any]:
    answer["model"] = Model(memory.read(answer["model"], np.uint8).tobytes())
    return answer


def fit(data: Data, spec: dict[str, Any], init: Model | None = None) -> tuple[dict[str, Any], bool]:
    """Train; the answer has the model, and whether Ctrl-C ended it."""

    def build(writer: Writer) -> dict[str, Any]:
        fields = {"data": data.fields(writer, double=True), "spec": _finite(spec)}
        if init is not None:
            fields["from"] = {"key": init.key, "bytes": writer.raw(init.data)}
        return fields

    return _engine.ask("fit", build, _modelled)


def online(data: Data, loss: str, init: Model | None) -> tuple[dict[str, Any], bool]:
    """Learn rows that are seen once, or go on with them from a model."""

    def build(writer: Writer) -> dict[str, Any]:
        fields = {"data": data.fields(writer), "loss": loss}
        if init is not None:
            fields["from"] = {"key": init.key, "bytes": writer.raw(init.data)}
        return fields

    return _engine.ask("stream", build, _modelled)


def _finite(spec: dict[str, Any]) -> dict[str, Any]:
    """Leave out what is None, and refuse what no number can be."""
    out = {}
    for key, value in spec.items():
        if value is None:
            continue
        if isinstance(value, (float, np.floating)):
            value = float(value)
            if not np.isfinite(value):
                raise ValueError(f"{key}={value}: expected a finite number")
        elif isinstance(value, np.integer):
            value = int(value)
        out[key] = value
    return out


def _with_model(verb: str, model: Model, build: Any, read: Any) -> Any:
    """Ask about a model that the engine may have already; its bytes go over if it does not."""
    for send in (False, True):

        def fields(writer: Writer) -> dict[str, Any]:
            named: dict[str, Any] = {"key": model.key}
            if send:
                named["bytes"] = writer.raw(model.data)
            return {"model": named, **build(writer)}

        try:
            result, stopped = _engine.ask(verb, fields, read)
        except _engine.UnknownModel:
            continue
        if stopped:
            raise KeyboardInterrupt
        return result
    raise _engine.EngineError("the engine did not take a model")


def scores(
    model: Model, X: Any, offsets: np.ndarray | None, threads: int, probabilities: bool = False, predictions: bool = False, bounds: bool = False, interval: bool = False,
) -> np.ndarray:
    """Return the scores of rows, float64, rows x outputs; or probabilities, rows x classes; or what is predicted: numbers, or
    positions of classes, rows x 1; or ``bounds``: the lowest and the highest score of each output by exact optima, and 1 where
    the class is sure; with ``interval`` both ends of intervals, rows x 2, or rows x classes, 1 where a class is in the set."""

    def read(answer: dict[str, Any], memory: Any) -> tuple[np.ndarray, list[str]]:
        return memory.read(answer["scores"], np.float64).reshape(X.shape[0], answer["outputs"]), answer.get("warnings", [])

    def rows(writer: Writer) -> dict[str, Any]:
        return {"table": X.fields(writer)} if hasattr(X, "fields") else {"x": put_rows(writer, X, offsets)}

    found, doubts = _with_model("score", model, lambda w: {**rows(w), "threads": threads, "probabilities": probabilities, "predictions": predictions, "bounds": bounds, "interval": interval}, read)
    for text in doubts:
        told(text)
    result: np.ndarray = found
    return result


def about(verb: str, model: Model, data: Data, **fields: Any) -> dict[str, Any]:
    """Ask for what is true of a model and rows; an answer may have a model of its own."""

    def read(answer: dict[str, Any], memory: Any) -> dict[str, Any]:
        return _modelled(answer, memory) if "model" in answer else answer

    result: dict[str, Any] = _with_model(verb, model, lambda w: {"data": data.fields(w, double=model.precision == "float64"), **fields}, read)
    return result


def about_components(verb: str, model: Model, data: Data, **fields: Any) -> dict[str, Any]:
    """Ask for what is true of components and rows."""
    return _plainly(verb, lambda w: {"model": {"key": "", "bytes": w.raw(model.data)}, "data": data.fields(w, double=model.precision == "float64"), **fields})


def report(model: Model, data: Data, test: Data | None, **fields: Any) -> str:
    """Ask for a page about a model."""
    if model.metadata.get("kind") == "pca":
        page: str = about_components("pca-report", model, data, **fields)["html"]
        return page
    judges: Callable[[Writer], dict[str, Any]] = (lambda w: {}) if test is None else (lambda w: {"test": test.fields(w)})
    page = _with_model("report", model, lambda w: {"data": data.fields(w, double=model.precision == "float64"), **judges(w), **fields}, lambda answer, memory: answer["html"])
    return page


def onnx(model: Model) -> bytes:
    """Ask for a graph of ONNX that says what a model does."""
    graph: bytes = _with_model("onnx", model, lambda w: {}, lambda answer, memory: memory.read(answer["graph"], np.uint8).tobytes())
    return graph


def along_components(verb: str, model: Model, X: Any, width: int, offsets: np.ndarray | None = None, gaps: np.ndarray | None = None, **fields: Any) -> np.ndarray:
    """Ask for the coordinates of rows, or for the rows of coordinates."""

    def build(writer: Writer) -> dict[str, Any]:
        where = {} if gaps is None else {"gaps": writer.put(gaps, np.uint32)}
        return {"model": {"key": "", "bytes": writer.raw(model.data)}, "x": put_rows(writer, X, offsets), **where, **_finite(fields)}

    result, stopped = _engine.ask(verb, build, lambda answer, memory: memory.read(answer["numbers"], np.float64).reshape(X.shape[0], width))
    if stopped:
        raise KeyboardInterrupt
    returned: np.ndarray = result
    return returned


def audit(file: bytes, data: Data, **fields: Any) -> dict[str, Any]:
    """Ask how good the model in the bytes of a file of another program is."""
    return _plainly("audit", lambda w: {"model": {"key": "", "bytes": w.raw(file)}, "data": data.fields(w), **_finite(fields)})


def tune(data: Data, spec: dict[str, Any], folds: Any, **how: Any) -> dict[str, Any]:
    """Ask which parameters predict held-out rows best; ``folds`` is a number or pairs of rows. With ``weights`` the answer has those of the linear models of all
    candidates x folds, with the bias behind the weights of each output, and their passes, "epochs"."""

    def build(writer: Writer) -> dict[str, Any]:
        fields = {"data": data.fields(writer), "spec": _finite(spec), **_finite(how)}
        if isinstance(folds, int):
            return {**fields, "folds": folds}
        parts = [np.asarray(part) for pair in folds for part in pair]
        rows = np.concatenate(parts) if parts else np.empty(0)
        return {**fields, "given": {"rows": writer.put(rows.astype(np.uint32), np.uint32), "counts": [len(p) for p in parts]}}

    def read(answer: dict[str, Any], memory: Any) -> dict[str, Any]:
        if "weights" in answer:
            answer["weights"] = memory.read(answer["weights"], np.float64)
        return answer

    return _plainly("tune", build, read)


def leave_out(data: Data, spec: dict[str, Any], C: list[float]) -> np.ndarray:
    """Ask what ridge regression predicts for each row from all others, for each C: values of C x rows."""

    def build(writer: Writer) -> dict[str, Any]:
        return {"data": data.fields(writer, double=True), "spec": _finite(spec), "C": C}

    result, stopped = _engine.ask("leave-out", build, lambda answer, memory: memory.read(answer["numbers"], np.float64).reshape(len(C), -1))
    if stopped:
        raise KeyboardInterrupt
    returned: np.ndarray = result
    return returned


def certify(data: Data, spec: dict[str, Any], coef: np.ndarray, intercept: np.ndarray) -> dict[str, Any]:
    """Ask how far linear predictors are from the best of a problem."""
    return _plainly(
        "certify", lambda w: {"data": data.fields(w, double=True), "spec": _finite(spec), "weights": w.put(np.atleast_2d(coef), np.float64), "bias": w.put(np.atleast_1d(intercept), np.float64)}
    )


def _plainly(verb: str, build: Any, read: Any = lambda answer, memory: answer) -> dict[str, Any]:
    answer, stopped = _engine.ask(verb, build, read)
    if stopped:
        raise KeyboardInterrupt
    result: dict[str, Any] = answer
    return result


def components(data: Data, spec: dict[str, Any], stream: bool = False, init: Model | None = None) -> tuple[dict[str, Any], bool]:
    """Find principal components, or go on with those of a stream."""

    def build(writer: Writer) -> dict[str, Any]:
        fields = {"data": data.fields(writer, double=not stream), "spec": _finite(spec)}
        if init is not None:
            fields["from"] = {"key": "", "bytes": writer.raw(init.data)}
        return fields

    return _engine.ask("pca-learn" if stream else "pca", build, _modelled)


def make_map(X: Any, kernel: str, spec: str, seed: int, threads: int) -> tuple[int, Any, list[int]]:
    """Make a map that approximates a kernel by landmarks: the number of features, its landmarks, and which rows these are."""

    def read(answer: dict[str, Any], memory: Any) -> tuple[int, Any, list[int]]:
        return answer["features"], read_rows(answer["landmarks"], memory), answer["pivots"]

    result, stopped = _engine.ask("map", lambda w: {"x": put_rows(w, X), "kernel": kernel, "map": spec, "seed": seed, "threads": threads}, read)
    if stopped:
        raise KeyboardInterrupt
    returned: tuple[int, Any, list[int]] = result
    return returned


def images(X: Any, kernel: str, spec: str, seed: int, cols: int, landmarks: Any, threads: int) -> np.ndarray:
    """Return the images of rows by a map, float32, rows x features."""

    def build(writer: Writer) -> dict[str, Any]:
        fields = {"x": put_rows(writer, X), "kernel": kernel, "map": spec, "seed": seed, "cols": cols, "threads": threads}
        if landmarks is not None:
            fields["landmarks"] = put_rows(writer, landmarks)
        return fields

    def read(answer: dict[str, Any], memory: Any) -> np.ndarray:
        result: np.ndarray = memory.read(answer["images"], np.float32).reshape(X.shape[0], answer["features"])
        return result

    result, stopped = _engine.ask("images", build, read)
    if stopped:
        raise KeyboardInterrupt
    returned: np.ndarray = result
    return returned


def read_rows(fields: dict[str, Any], memory: Any) -> Any:
    """Return rows of an answer: an array, or a CSR matrix of scipy."""
    values = memory.read(fields["values"], np.float32)
    if fields.get("starts") is None:
        return values.reshape(fields["rows"], fields["cols"])
    from scipy.sparse import csr_matrix

    starts, indices = memory.read(fields["starts"], np.int64), memory.read(fields["indices"], np.uint32)
    small = np.int32 if len(values) < 2**31 and fields["cols"] < 2**31 else np.int64
    return csr_matrix((values, indices.astype(small), starts.astype(small)), shape=(fields["rows"], fields["cols"]))


def read(sources: list[str], like: Model | None = None, **options: Any) -> dict[str, Any]:
    """Read files, as a model does or not: rows and what belongs to them."""

    def take(answer: dict[str, Any], memory: Any) -> dict[str, Any]:
        answer["x"] = read_rows(answer["x"], memory)
        for name, dtype in (("weights", np.float64), ("numbers", np.float64), ("codes", np.uint32)):
            answer[name] = memory.read(answer[name], dtype) if answer.get(name) is not None else None
        return answer

    fields = {"sources": sources, **_finite(options)}
    if like is not None:
        result: dict[str, Any] = _with_model("read", like, lambda w: fields, take)
        return result
    answer, stopped = _engine.ask("read", lambda w: fields, take)
    if stopped:
        raise KeyboardInterrupt
    result = answer
    return result
