"""Linear models on Apache Spark, with a proof: estimators of ``pyspark.ml``.

Rows go to places by their contents, so that the model is the same, byte for byte, for any number of
executors, in any order of arrival, and after executors are lost. Each round of training is one ordinary
job; what is proved is the gap of the problem of all rows, which ``fenchel verify`` proves again on one
machine.

>>> from fenchel.spark import LinearClassifier  # doctest: +SKIP
>>> model = LinearClassifier(loss="logistic", gap=1e-3).fit(df)  # doctest: +SKIP
>>> model.gap_, model.status_  # doctest: +SKIP
"""

from __future__ import annotations

import os
import shutil
import tempfile
import uuid
import zipfile
from pathlib import Path
from typing import Any, Iterator

import numpy as np
from pyspark import SparkFiles, StorageLevel, keyword_only
from pyspark.ml import Estimator, Model
from pyspark.ml.functions import array_to_vector
from pyspark.ml.linalg import VectorUDT
from pyspark.ml.param import Param, Params, TypeConverters
from pyspark.ml.param.shared import HasFeaturesCol, HasLabelCol, HasPredictionCol, HasProbabilityCol, HasRawPredictionCol, HasWeightCol
from pyspark.ml.util import DefaultParamsReader, DefaultParamsWriter, MLReadable, MLReader, MLWritable, MLWriter
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, DoubleType, NumericType

from . import _ask, _cluster
from ._engine import DataError, program
from ._model import Model as File

__all__ = ["LinearClassifier", "LinearClassifierModel", "LinearRegressor", "LinearRegressorModel", "evaluate", "verify"]

_children: dict[str, _cluster.Child] = {}  # of this Python worker, by run


def _folder(run: str) -> str:
    return os.path.join(SparkFiles.getRootDirectory(), "fenchel-" + run)


def _child(run: str) -> _cluster.Child:
    """Return the program beside this Python worker, which is started if there is none."""
    child = _children.get(run)
    if child is None or child.process.poll() is not None:
        binary = SparkFiles.get(os.path.basename(os.environ.get("FENCHEL_SHIPPED", "fenchel")))
        if os.path.exists(binary):
            os.chmod(binary, 0o755)
        else:
            binary = program()
        child = _children[run] = _cluster.Child("worker", "--folder", _folder(run), binary=binary)
    return child


class _Rows:
    """What Arrow batches of a table hold, as rows of the program."""

    def __init__(self, classes: list[str] | None, cols: int) -> None:
        self.classes, self.cols = classes, cols

    def data(self, batch: Any) -> _ask.Data:
        X = self._features(batch.column(0))
        y = batch.column(1)
        if y.null_count:
            raise ValueError("found rows without a label, expected one in every row")
        data = _ask.Data(X)
        if self.classes is None:
            data.numbers = np.asarray(y.to_numpy(zero_copy_only=False), np.float64)
            if not np.isfinite(data.numbers).all():
                raise ValueError("found a label that is no finite number, expected one in every row")
        else:
            place = {label: k for k, label in enumerate(self.classes)}
            data.codes, data.labels = np.array([place[_label(v)] for v in y.to_pylist()], np.uint32), self.classes
        if batch.num_columns > 2:
            data.weights = np.asarray(batch.column(2).to_numpy(zero_copy_only=False), np.float64)
        return data

    def _features(self, column: Any) -> Any:
        import pyarrow as pa

        if column.null_count:
            raise ValueError("found rows without features, expected them in every row")
        if pa.types.is_struct(column.type):  # a vector of pyspark.ml
            kind = column.field("type").to_numpy(zero_copy_only=False)
            if (kind == 1).all():
                column = column.field("values")
            else:
                return self._sparse(column, kind)
        values = column.flatten().to_numpy(zero_copy_only=False)
        if len(values) != len(column) * self.cols:
            raise ValueError(f"found features of several lengths, expected {self.cols} in every row")
        return _finite(values.reshape(len(column), self.cols))

    def _sparse(self, column: Any, kind: np.ndarray) -> Any:
        from scipy.sparse import csr_matrix

        sizes, indices, values = (column.field(name) for name in ("size", "indices", "values"))
        starts, index, value = [0], [], []
        for i, of in enumerate(kind):
            v = np.asarray(values[i].as_py(), np.float64)
            at = np.arange(len(v)) if of == 1 else np.asarray(indices[i].as_py(), np.int64)
            if (len(v) if of == 1 else sizes[i].as_py()) != self.cols:
                raise ValueError(f"found features of several lengths, expected {self.cols} in every row")
            index.append(at)
            value.append(v)
            starts.append(starts[-1] + len(v))
        return csr_matrix((_finite(np.concatenate(value)), np.concatenate(index), starts), shape=(len(kind), self.cols))


def _finite(values: np.ndarray) -> np.ndarray:
    if not np.isfinite(values).all():
        raise ValueError("found a feature that is no finite number (NaN or infinite), expected finite ones")
    return values


def _label(value: Any) -> str:
    if isinstance(value, float) and value == int(value):
        return str(int(value))
    return str(value)


class _Backend:
    """Places in the executors of a Spark application; see :mod:`fenchel._cluster`."""

    def __init__(self, spark: Any) -> None:
        self.sc, self.run = spark.sparkContext, uuid.uuid4().hex
        self.handles: Any = None
        self.jobs = 0
        self._ship()

    def _ship(self) -> None:
        """Send the package and the program to the executors, once an application."""
        if getattr(self.sc, "_fenchel_shipped", None):
            return
        folder = tempfile.mkdtemp(prefix="fenchel-")
        archive = os.path.join(folder, "fenchel_package.zip")
        here = Path(__file__).parent
        with zipfile.ZipFile(archive, "w") as z:
            for path in here.rglob("*.py"):
                z.write(path, "fenchel/" + str(path.relative_to(here)))
        self.sc.addPyFile(archive)
        binary = shutil.copy(program(), os.path.join(folder, "fenchel"))
        self.sc.addFile(binary)
        self.sc._fenchel_shipped = folder

    def ingest(self, df: Any, rows: _Rows) -> None:
        """Deal the rows of a table (features, label and perhaps weight) to places."""
        run = self.run

        def splitter(batches: Iterator[Any]) -> Iterator[Any]:
            import pyarrow as pa

            for batch in batches:
                if not batch.num_rows:
                    continue
                blobs = _cluster.split(_child(run), rows.data(batch))
                yield pa.RecordBatch.from_arrays([pa.array([b[k] for b in blobs], t) for k, t in enumerate((pa.int32(), pa.int64(), pa.int64(), pa.binary()))], ["bucket", "rows", "nonzeros", "data"])

        blobs = df.mapInArrow(splitter, "bucket int, rows long, nonzeros long, data binary").persist(StorageLevel.MEMORY_AND_DISK)
        try:
            counts = {r[0]: (r[1], r[2]) for r in blobs.groupBy("bucket").agg(F.sum("rows"), F.sum("nonzeros")).collect()}
            if not counts:
                raise DataError("found no rows, expected some")
            table, self.places = _cluster.deal(counts)

            def loader(place: int, pairs: Iterator[Any]) -> Iterator[int]:
                _cluster.load(_child(run), place, [bytes(blob) for _, blob in pairs])
                yield place

            self.handles = blobs.rdd.map(lambda r: (table[r[0]], r[3])).partitionBy(self.places, lambda k: k).mapPartitionsWithIndex(loader).persist(StorageLevel.MEMORY_AND_DISK)
            self.handles.count()
        finally:
            self.blobs = blobs

    def map(self, request: bytes, places: list[int] | None) -> list[bytes]:
        """Bring a request to places, None: all, and return their replies in order."""
        run, sent = self.run, self.sc.broadcast(request)

        def answer(handles: Iterator[int]) -> Iterator[tuple[int, bytes | None]]:
            for place in handles:
                if not os.path.exists(os.path.join(_folder(run), f"place-{place}.fen")):
                    yield place, None
                else:
                    yield place, _cluster.ask(_child(run), place, sent.value)

        try:
            for _ in range(3):
                self.jobs += 1
                replies = dict(self.sc.runJob(self.handles, answer, places))
                if None not in replies.values():
                    return [replies[place] for place in (range(self.places) if places is None else places)]
                self.handles.unpersist(blocking=True)  # rows of some places are gone: they are loaded again, from where they came
                self.handles.persist(StorageLevel.MEMORY_AND_DISK)
                self.handles.count()
            raise RuntimeError("executors lose the rows of their places again and again")
        finally:
            sent.destroy()

    def close(self) -> None:
        """Remove what executors have kept."""
        run = self.run

        def remove(_: Iterator[Any]) -> Iterator[int]:
            child = _children.pop(run, None)
            if child is not None:
                child.close()
            shutil.rmtree(_folder(run), ignore_errors=True)
            yield 0

        if self.handles is not None:
            try:
                self.handles.mapPartitions(remove).count()
            finally:
                self.handles.unpersist()
                self.blobs.unpersist()


class _Shared(HasFeaturesCol, HasLabelCol, HasWeightCol, HasPredictionCol):
    """Parameters that both estimators, and their models, have."""

    inputCols = Param(Params._dummy(), "inputCols", "columns of numbers that are the features, in place of featuresCol", TypeConverters.toListString)
    loss = Param(Params._dummy(), "loss", "loss, as in `fenchel list losses`", TypeConverters.toString)
    penalty = Param(Params._dummy(), "penalty", "l2 or elastic-net:ratio=R", TypeConverters.toString)
    C = Param(Params._dummy(), "C", "weight of the losses: lambda = 1/(C n)", TypeConverters.toFloat)
    bias = Param(Params._dummy(), "bias", "free, feature or none", TypeConverters.toString)
    gap = Param(Params._dummy(), "gap", "proved relative gap to stop at", TypeConverters.toFloat)
    maxRounds = Param(Params._dummy(), "maxRounds", "rounds at most, each a job of Spark", TypeConverters.toInt)
    seed = Param(Params._dummy(), "seed", "of the order in which rows are visited", TypeConverters.toInt)
    keepDual = Param(Params._dummy(), "keepDual", "whether the model keeps the n dual variables, with which it is verified", TypeConverters.toBoolean)

    def _table(self, df: Any, label: Any) -> tuple[Any, int]:
        """Return a table of features, label and perhaps weight, and the number of features."""
        if self.isDefined(self.inputCols):
            names = self.getOrDefault(self.inputCols)
            for name in names:
                if not isinstance(df.schema[name].dataType, NumericType):
                    raise ValueError(f"inputCols: column {name} is {df.schema[name].dataType.simpleString()}, expected numbers")
            features, cols = F.array(*[F.col(n).cast("double") for n in names]), len(names)
        else:
            name = self.getFeaturesCol()
            kind = df.schema[name].dataType
            if not isinstance(kind, (VectorUDT, ArrayType)):
                raise ValueError(f"featuresCol: column {name} is {kind.simpleString()}, expected a vector or an array of numbers")
            first = df.select(name).where(F.col(name).isNotNull()).first()
            if first is None:
                raise DataError("found no rows, expected some")
            features, cols = F.col(name), first[0].size if isinstance(kind, VectorUDT) else len(first[0])
        columns = [features.alias("features"), label.alias("label")]
        if self.isDefined(self.weightCol) and self.getWeightCol():
            columns.append(F.col(self.getWeightCol()).cast("double").alias("weight"))
        return df.select(*columns), cols


class _Estimator(Estimator, _Shared, MLReadable, MLWritable):
    def write(self) -> MLWriter:
        return DefaultParamsWriter(self)

    @classmethod
    def read(cls) -> MLReader:
        return DefaultParamsReader(cls)

    def _fit(self, df: Any) -> Any:
        if df.sparkSession.conf.get("spark.remote", None) is not None or not hasattr(df, "rdd"):
            raise RuntimeError("Spark Connect has no RDDs: found a remote session, expected a classic one")
        label = F.col(self.getLabelCol())
        classes = None
        if self._classifies:
            found = [r[0] for r in df.select(label).distinct().collect()]
            if any(v is None for v in found):
                raise DataError("found rows without a label, expected one in every row")
            if len(found) < 2:
                raise DataError(f"found the labels {sorted(map(str, found))}, expected two classes at least")
            classes = [_label(v) for v in sorted(found)]
        table, cols = self._table(df, label)
        backend = _Backend(df.sparkSession)
        try:
            try:
                backend.ingest(table, _Rows(classes, cols))
            except Exception as e:
                raise _plain(e) from None
            trace: list[dict[str, Any]] = []
            spec = {"loss": self.getOrDefault(self.loss), "penalty": self.getOrDefault(self.penalty), "bias": self.getOrDefault(self.bias), "gap": self.getOrDefault(self.gap),
                    "rounds": self.getOrDefault(self.maxRounds), "seed": self.getOrDefault(self.seed), "dual": self.getOrDefault(self.keepDual)}  # fmt: skip
            if self.isDefined(self.C):
                spec["C"] = self.getOrDefault(self.C)
            said, file = _cluster.train(backend, spec, trace.append)
        finally:
            backend.close()
        model = self._modelled()(file)
        self._copyValues(model)
        model.trace_, model.jobs_ = trace, backend.jobs
        return model


def _plain(error: Exception) -> Exception:
    """Return what an executor said of the data, of an error that Spark wraps in pages of its own."""
    if "ModuleNotFoundError" in str(error):
        module = str(error).split("ModuleNotFoundError: ", 1)[1].splitlines()[0]
        return RuntimeError(f"{module} on the executors: expected Python with numpy, pyarrow and scipy there, which PYSPARK_PYTHON may name")
    for line in str(error).splitlines():
        for kind in ("ValueError: ", "DataError: "):
            if kind in line:
                return DataError(line.split(kind, 1)[1].strip())
    return error


class _Fitted(Model, _Shared, MLReadable, MLWritable):
    """A model: what it says of itself is that of its file."""

    def __init__(self, file: File | None = None) -> None:
        super().__init__()
        self._setDefault(featuresCol="features", labelCol="label", predictionCol="prediction")
        if file is not None:
            self._take(file)

    def _take(self, file: File) -> None:
        self.file = file
        self.coef_, self.intercept_ = file.weights()
        self.classes_ = file.part("classes")

    @property
    def status_(self) -> str:
        """How training ended."""
        return self._worst()["status"]

    @property
    def gap_(self) -> float:
        """The relative gap that is proved, of the worst output."""
        return max(_relative(c) for c in self.file.part("certificates"))

    def _worst(self) -> dict[str, Any]:
        return max(self.file.part("certificates"), key=_relative)

    def save_model(self, path: str) -> None:
        """Write Fenchel's own file, for ``fenchel verify``, ``predict``, ``info`` and others."""
        self.file.save(path)

    def _scores(self, df: Any) -> Any:
        """Return a column of the scores of each row, an array."""
        coef, intercept = self.coef_, self.intercept_

        def score(features: Any) -> list[float] | None:
            if features is None:
                return None
            if hasattr(features, "indices"):
                return [float(s) for s in coef[:, features.indices] @ features.values + intercept]
            return [float(s) for s in coef @ np.asarray(features.toArray() if hasattr(features, "toArray") else features, float) + intercept]

        features = F.array(*[F.col(n).cast("double") for n in self.getOrDefault(self.inputCols)]) if self.isDefined(self.inputCols) else F.col(self.getFeaturesCol())
        return F.udf(score, ArrayType(DoubleType()))(features)

    def write(self) -> MLWriter:
        return _ModelWriter(self)

    @classmethod
    def read(cls) -> MLReader:
        return _ModelReader(cls)


def _relative(c: dict[str, Any]) -> float:
    primal, dual, zero = (float("nan") if c[k] is None else c[k] for k in ("primal", "dual", "zero"))
    return (primal - dual) / max(abs(primal), abs(dual), 1e-12 * abs(zero)) if primal != dual else 0.0


class _ModelWriter(MLWriter):
    def __init__(self, model: _Fitted) -> None:
        super().__init__()
        self.model = model

    def saveImpl(self, path: str) -> None:
        DefaultParamsWriter.saveMetadata(self.model, path, self.sc)
        self.sparkSession.createDataFrame([(bytearray(self.model.file.data),)], "file binary").coalesce(1).write.parquet(path.rstrip("/") + "/data")


class _ModelReader(MLReader):
    def __init__(self, kind: type) -> None:
        super().__init__()
        self.kind = kind

    def load(self, path: str) -> Any:
        metadata = DefaultParamsReader.loadMetadata(path, self.sc)
        model = self.kind(File(bytes(self.sparkSession.read.parquet(path.rstrip("/") + "/data").first()[0])))
        model._resetUid(metadata["uid"])
        DefaultParamsReader.getAndSetParams(model, metadata)
        return model


class LinearClassifierModel(_Fitted, HasRawPredictionCol, HasProbabilityCol):
    """Classes by linear scores; of the losses logistic and softmax with probabilities."""

    def __init__(self, file: File | None = None) -> None:
        super().__init__(file)
        self._setDefault(rawPredictionCol="rawPrediction", probabilityCol="probability")

    def _transform(self, df: Any) -> Any:
        two = len(self.coef_) == 1
        scores = self._scores(df)
        raw = F.array(-scores[0], scores[0]) if two else scores
        out = df.withColumn(self.getRawPredictionCol(), array_to_vector(raw))
        best = F.udf(lambda v: None if v is None else float(np.argmax(v.toArray())), DoubleType())(F.col(self.getRawPredictionCol()))
        try:
            labels = [float(c) for c in self.classes_]
        except ValueError:
            labels = None
        if self.file.part("problem")["loss"].startswith("logistic"):
            shares = F.udf(lambda v: None if v is None else _shares(v.toArray()), ArrayType(DoubleType()))(F.col(self.getRawPredictionCol()))
            out = out.withColumn(self.getProbabilityCol(), array_to_vector(shares))
        chosen = F.array(*[F.lit(x) for x in (labels if labels is not None else self.classes_)])[best.cast("int")]
        return out.withColumn(self.getPredictionCol(), chosen)


def _shares(scores: np.ndarray) -> list[float]:
    p = np.exp(-np.logaddexp(0, -scores))
    return [float(x) for x in p / p.sum()]


class LinearRegressorModel(_Fitted):
    """Numbers by linear scores."""

    def _transform(self, df: Any) -> Any:
        return df.withColumn(self.getPredictionCol(), self._scores(df)[0])


class LinearClassifier(_Estimator, HasRawPredictionCol, HasProbabilityCol):
    """Linear classifiers: logistic regression, support vector machines, and others by their loss.

    Parameters
    ----------
    loss : str
        ``logistic``, ``squared-hinge``, ``hinge`` (of which rounds are many) and others.
    featuresCol, inputCols, labelCol, weightCol, predictionCol, rawPredictionCol, probabilityCol : str
        As in ``pyspark.ml``; ``inputCols`` is a list of columns of numbers.
    C, penalty, bias, gap, maxRounds, seed, keepDual
        As the parameters' documentation says.
    """

    _classifies = True

    @keyword_only
    def __init__(self, *, featuresCol="features", inputCols=None, labelCol="label", weightCol=None, predictionCol="prediction", rawPredictionCol="rawPrediction", probabilityCol="probability",
                 loss="logistic", penalty="l2", C=None, bias="free", gap=1e-3, maxRounds=1000, seed=1, keepDual=True):  # fmt: skip
        super().__init__()
        self._setDefault(featuresCol="features", labelCol="label", predictionCol="prediction", rawPredictionCol="rawPrediction", probabilityCol="probability",
                         loss="logistic", penalty="l2", bias="free", gap=1e-3, maxRounds=1000, seed=1, keepDual=True)  # fmt: skip
        self._set(**{k: v for k, v in self._input_kwargs.items() if v is not None})

    def _modelled(self) -> type:
        return LinearClassifierModel


class LinearRegressor(_Estimator):
    """Linear regression: ridge, and others by their loss. Parameters as of :class:`LinearClassifier`."""

    _classifies = False

    @keyword_only
    def __init__(self, *, featuresCol="features", inputCols=None, labelCol="label", weightCol=None, predictionCol="prediction",
                 loss="squared", penalty="l2", C=None, bias="free", gap=1e-3, maxRounds=1000, seed=1, keepDual=True):  # fmt: skip
        super().__init__()
        self._setDefault(featuresCol="features", labelCol="label", predictionCol="prediction", loss="squared", penalty="l2", bias="free", gap=1e-3, maxRounds=1000, seed=1, keepDual=True)
        self._set(**{k: v for k, v in self._input_kwargs.items() if v is not None})

    def _modelled(self) -> type:
        return LinearRegressorModel


def verify(model: _Fitted, df: Any) -> dict[str, Any]:
    """Recompute what a model claims from the rows it was trained on, without any solver.

    The answer is what ``fenchel verify --json`` says on one machine: ``valid`` is whether everything
    claimed is true, None where that is neither proved nor refuted, for a ``reason``; ``problems`` are the false claims,
    ``found`` and ``claimed`` the objective, the bound and the gap. A model without dual variables (``keepDual=False``) has them
    rebuilt from its predictions.
    """
    return _judged(_cluster.verify, model, df)


def evaluate(model: _Fitted, df: Any) -> dict[str, Any]:
    """Compare a model's predictions with the labels of a table, as ``fenchel evaluate --json`` does on one machine.

    Of classes the answer has ``error``, ``auc`` (of two), ``log_loss`` (of the loss logistic), ``confusion`` and others, of
    numbers ``rmse``, ``mae``, ``r2``; rows count by ``weightCol``. The driver sees a score for each row and output, 8 bytes, and the labels.
    """
    return _judged(_cluster.evaluate, model, df)


def _judged(judge: Any, model: _Fitted, df: Any) -> dict[str, Any]:
    """Return what is said of a model by the rows of a table, which go to places as for training."""
    label = F.col(model.getLabelCol())
    classes = None
    if model.classes_ is not None and len(model.classes_):
        found = [r[0] for r in df.select(label).distinct().collect()]
        if any(v is None for v in found):
            raise DataError("found rows without a label, expected one in every row")
        classes = [_label(v) for v in sorted(found)]
    table, cols = model._table(df, label)
    backend = _Backend(df.sparkSession)
    try:
        try:
            backend.ingest(table, _Rows(classes, cols))
        except Exception as e:
            raise _plain(e) from None
        return judge(backend, model.file)
    finally:
        backend.close()
