"""Linear models on Apache Spark, with a proof: estimators of ``pyspark.ml``.

Rows go to partitions by their contents, so that the model is the same, byte for byte, for any number of
executors, in any order of arrival, and after executors are lost. Each round of training is one ordinary
job; what is proved is the gap of the problem of all rows, which ``fenchel verify`` proves again on one
machine.

>>> from fenchel.spark import LinearClassifier  # doctest: +SKIP
>>> model = LinearClassifier(loss="logistic", gap=1e-3).fit(df)  # doctest: +SKIP
>>> model.gap_, model.status_  # doctest: +SKIP
"""

from __future__ import annotations

import atexit
import logging
import os
import shutil
import tempfile
import uuid
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

try:
    from pyspark import StorageLevel
except ImportError:
    raise ImportError("fenchel.spark needs pyspark, which is not installed: pip install pyspark pyarrow pandas scipy") from None
from pyspark.errors import AnalysisException
from pyspark.ml import Estimator, Model
from pyspark.ml.functions import array_to_vector
from pyspark.ml.linalg import VectorUDT
from pyspark.ml.param import Param, Params, TypeConverters
from pyspark.ml.param.shared import HasFeaturesCol, HasLabelCol, HasPredictionCol, HasProbabilityCol, HasRawPredictionCol, HasWeightCol
from pyspark.ml.util import DefaultParamsReader, DefaultParamsWriter, MLReadable, MLReader, MLWritable, MLWriter
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, BooleanType, IntegralType, NumericType, StringType

from . import _ask, _cluster, _executor, _vectors
from ._engine import DataError, EngineError, program
from ._model import Model as File
from ._table import Table

__all__ = ["LinearClassifier", "LinearClassifierModel", "LinearRegressor", "LinearRegressorModel", "PCA", "PCAModel", "evaluate", "verify"]


class _Backend:
    """Partitions in the executors of a Spark application, which get the rows of a table with the first request; see :mod:`fenchel._cluster`."""

    def __init__(self, table: Any, classifies: bool, schema: dict[str, Any] | None = None) -> None:
        self.table, self.classifies, self.schema = table, classifies, schema
        self.sc, self.run = table.sparkSession.sparkContext, uuid.uuid4().hex
        self.blobs: Any = None
        self.handles: Any = None
        self.jobs = 0

    def ingest(self) -> None:
        """Deal the rows of the table (features, and perhaps label and weight) to partitions."""
        _ship(self.sc)
        run, classifies, schema = self.run, self.classifies, self.schema
        self.blobs = self.table.mapInArrow(lambda batches: _executor.split(run, classifies, schema, batches), "bucket int, rows long, nonzeros long, data binary").persist(StorageLevel.DISK_ONLY)  # read once, and again where executors are lost
        counts = {r[0]: (r[1], r[2]) for r in self.blobs.groupBy("bucket").agg(F.sum("rows"), F.sum("nonzeros")).collect()}
        if _executor.FAULT in counts:
            raise DataError(bytes(self.blobs.where(F.col("bucket") == _executor.FAULT).first()["data"]).decode())
        if not counts:
            raise DataError(f"found no rows{' of a weight above 0' if len(self.table.columns) > 2 else ''}, expected some")
        table, self.partitions = _cluster.deal(counts)

        self.handles = self.blobs.rdd.map(lambda r: (table[r[0]], r[3])).partitionBy(self.partitions, lambda k: k).mapPartitionsWithIndex(lambda partition, pairs: _executor.load(run, partition, pairs)).persist(StorageLevel.MEMORY_AND_DISK)
        self.handles.count()

    def map(self, request: bytes, partitions: list[int] | None) -> list[bytes]:
        """Bring a request to partitions, None: all, and return their replies in order."""
        try:
            if self.handles is None:
                self.ingest()
            return self._map(request, partitions)
        except KeyboardInterrupt:
            self.sc.cancelAllJobs()  # as Spark does by itself
            raise
        except DataError:
            raise
        except Exception as e:
            raise _plain(e) from None

    def _map(self, request: bytes, partitions: list[int] | None) -> list[bytes]:
        run, sent = self.run, self.sc.broadcast(request)

        replies: dict[int, bytes] = {}
        missing = partitions
        try:
            for again in range(4):
                self.jobs += 1
                found = dict(self.sc.runJob(self.handles, lambda handles: _executor.answer(run, sent.value, handles), missing))
                replies.update((partition, reply) for partition, reply in found.items() if reply is not None)
                missing = [partition for partition in found if partition not in replies]
                if not missing:
                    return [replies[partition] for partition in (range(self.partitions) if partitions is None else partitions)]
                if again:  # not only was the executor that has the rows busy: they are gone, and are loaded from where they came
                    self.handles.unpersist(blocking=True)
                    self.handles.persist(StorageLevel.MEMORY_AND_DISK)
                    self.handles.count()
            raise EngineError("executors lose the rows of their partitions again and again")
        finally:
            sent.destroy()

    def close(self) -> None:
        """Remove what executors have kept; programs end with their folders."""
        run = self.run

        for held in (self.handles, self.blobs):
            if held is not None:
                held.unpersist()
        if self.blobs is not None:
            tasks = 2 * max(self.sc.defaultParallelism, 1)  # every executor gets some
            self.sc.parallelize(range(tasks), tasks).mapPartitions(lambda tasks: _executor.remove(run, tasks)).count()


def _ship(sc: Any) -> None:
    """Send the package and the program to the executors, once an application."""
    if getattr(sc, "_fenchel_shipped", None):
        return
    folder = tempfile.mkdtemp(prefix="fenchel-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    archive = os.path.join(folder, "fenchel_package.zip")
    here = Path(__file__).parent
    with zipfile.ZipFile(archive, "w") as z:
        for path in here.rglob("*.py"):
            z.write(path, "fenchel/" + str(path.relative_to(here)))
    sc.addPyFile(archive)
    sc.addFile(shutil.copy(program(), os.path.join(folder, _executor.PROGRAM)))
    sc._fenchel_shipped = folder


class _Columns(HasFeaturesCol):
    """Parameters of all estimators, and of their models."""

    inputCols = Param(Params._dummy(), "inputCols", "columns of numbers that are the features, in place of featuresCol", TypeConverters.toListString)
    gap = Param(Params._dummy(), "gap", "proved relative gap to stop at", TypeConverters.toFloat)
    seed = Param(Params._dummy(), "seed", "of what is random: the order in which rows are visited, directions to start from", TypeConverters.toInt)

    def setParams(self, **params: Any) -> Any:
        """Set parameters by their names."""
        for name in params:
            if not self.hasParam(name):
                raise TypeError(f"{type(self).__name__} has no parameter {name}: expected one of {', '.join(p.name for p in self.params)}")
        return self._set(**params)

    def _kind(self, df: Any, param: str, name: str, kinds: tuple[type, ...], expected: str) -> Any:
        """Return the type of a column, which is one of those expected."""
        try:
            kind = df.select(name).schema[0].dataType
        except AnalysisException:
            raise ValueError(f"{param}: found no column {name}, expected one of {', '.join(df.columns)}") from None
        if not isinstance(kind, kinds) or isinstance(kind, ArrayType) and not isinstance(kind.elementType, NumericType):
            raise ValueError(f"{param}: column {name} is {kind.simpleString()}, expected {expected}")
        return kind

    def _features(self, df: Any) -> Any:
        if self.isDefined(self.inputCols):
            names = self.getOrDefault(self.inputCols)
            for name in names:
                self._kind(df, "inputCols", name, (NumericType, BooleanType), "numbers")
            return F.array(*[F.col(n).cast("double") for n in names])
        self._kind(df, "featuresCol", self.getFeaturesCol(), (VectorUDT, ArrayType), "a vector or an array of numbers")
        return F.col(self.getFeaturesCol())


class _Shared(_Columns, HasLabelCol, HasWeightCol, HasPredictionCol):
    """Parameters that both linear estimators, and their models, have."""

    loss = Param(Params._dummy(), "loss", "loss, as in `fenchel list losses`", TypeConverters.toString)
    penalty = Param(Params._dummy(), "penalty", "l2 or elastic-net:ratio=R", TypeConverters.toString)
    C = Param(Params._dummy(), "C", "weight of the losses: lambda = 1/(C n)", TypeConverters.toFloat)
    bias = Param(Params._dummy(), "bias", "free, feature or none", TypeConverters.toString)
    scale = Param(Params._dummy(), "scale", "none, max or std, as of `fenchel train --scale`", TypeConverters.toString)
    textCol = Param(Params._dummy(), "textCol", "column of texts, of which terms are the features, in place of featuresCol", TypeConverters.toString)
    hash = Param(Params._dummy(), "hash", "terms of texts are numbered by a hash of so many bits, as of `fenchel train --hash`", TypeConverters.toInt)
    ngrams = Param(Params._dummy(), "ngrams", "terms of texts: so many words, as in 1..2, or characters within words, as in chars:3..5", TypeConverters.toString)
    termWeights = Param(Params._dummy(), "termWeights", "of terms in a text: counts, or tfidf or sublinear, of which the squares add up to 1; how many texts have a term does not count", TypeConverters.toString)
    maxRounds = Param(Params._dummy(), "maxRounds", "rounds at most, each a job of Spark", TypeConverters.toInt)
    keepDual = Param(Params._dummy(), "keepDual", "whether the model keeps the n dual variables, with which it is verified", TypeConverters.toBoolean)

    def _features(self, df: Any) -> Any:
        if not self.isDefined(self.textCol):
            return super()._features(df)
        if self.isDefined(self.inputCols):
            raise ValueError("textCol, inputCols: found both, expected one of the two")
        self._kind(df, "textCol", self.getOrDefault(self.textCol), (StringType,), "texts")
        return F.col(self.getOrDefault(self.textCol))

    def _schema(self) -> dict[str, Any] | None:
        """Return what makes features of texts, as the reader of tables does of a column of this name; None: they are vectors."""
        if not self.isDefined(self.textCol):
            return None
        names = [self.getOrDefault(self.textCol), self.getLabelCol()]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "texts.csv")
            with open(path, "wb") as file:
                file.write(Table(names, [["one text", "another"], [0, 1]]).csv())
            result: dict[str, Any] | None = _ask.read([path], target=names[1], text=names[:1], hash=self.getOrDefault(self.hash), ngrams=self.getOrDefault(self.ngrams), term_weights=self.getOrDefault(self.termWeights), schema=True)["schema"]
            return result

    def _label(self, df: Any, classifies: bool) -> Any:
        """Return the column of labels."""
        name = self.getLabelCol()
        if not classifies:
            self._kind(df, "labelCol", name, (NumericType, BooleanType), "numbers")
            return F.col(name).cast("double")
        kind = self._kind(df, "labelCol", name, (NumericType, BooleanType, StringType), "numbers, texts or booleans")
        if isinstance(kind, StringType):
            return F.col(name)
        return F.col(name).cast("long") if isinstance(kind, (IntegralType, BooleanType)) else F.col(name).cast("double") + 0.0  # no -0

    def _table(self, df: Any, classifies: bool) -> Any:
        """Return a table of features, label and perhaps weight."""
        _classic(df)
        columns = [self._features(df).alias("features"), self._label(df, classifies).alias("label")]
        if self.isDefined(self.weightCol) and self.getWeightCol():
            self._kind(df, "weightCol", self.getWeightCol(), (NumericType, BooleanType), "numbers")
            columns.append(F.coalesce(F.col(self.getWeightCol()).cast("double"), F.lit(float("nan"))).alias("weight"))
        return df.select(*columns)


class _Estimator(Estimator, _Shared, MLReadable, MLWritable):
    def __init__(self, **params: Any) -> None:
        super().__init__()
        self._setDefault(featuresCol="features", labelCol="label", predictionCol="prediction", penalty="l2", bias="free", gap=1e-3, maxRounds=1000, seed=1, keepDual=True, scale="none", hash=18, ngrams="1", termWeights="tfidf", **self._defaults)
        self.setParams(**params)

    def write(self) -> MLWriter:
        return DefaultParamsWriter(self)

    @classmethod
    def read(cls) -> MLReader:
        return DefaultParamsReader(cls)

    def _spec(self) -> dict[str, Any]:
        spec = {name: self.getOrDefault(name) for name in ("loss", "penalty", "bias", "scale", "C", "gap", "maxRounds", "seed", "keepDual") if self.isDefined(name)}
        for name in ("C", "gap", "maxRounds"):
            if not spec.get(name, 1) > 0:
                raise ValueError(f"{name}={spec[name]}: expected a number above 0")
        return {**spec, "rounds": spec.pop("maxRounds"), "dual": spec.pop("keepDual"), "classes": self._classifies}

    def _fit(self, df: Any) -> Any:
        spec, table = self._spec(), self._table(df, self._classifies)
        if (schema := self._schema()) is not None:
            if spec["scale"] != "none":
                raise ValueError(f"scale={spec['scale']}: found texts, expected none: terms are not scaled")
            spec["schema"] = schema
        return _trained(self, table, self._classifies, spec)


def _classic(df: Any) -> None:
    if type(df).__module__.startswith("pyspark.sql.connect"):
        raise RuntimeError("Spark Connect: found a table of a remote session, which has no RDDs, expected one of a classic session")


def _trained(estimator: Any, table: Any, classifies: bool, spec: dict[str, Any]) -> Any:
    """Return the model of an estimator, trained on the rows of a table."""
    backend = _Backend(table, classifies, spec.get("schema"))
    trace: list[dict[str, Any]] = []

    def progress(event: dict[str, Any]) -> None:
        trace.append(event)
        logging.getLogger("fenchel").info("round %d, output %d: gap %s%s", event["round"], event["output"], event["gap"], " (proved)" if event["proved"] else "")

    try:
        said, file = _cluster.train(backend, spec, progress)
    finally:
        backend.close()
    model = estimator._modelled()(file)
    estimator._copyValues(model)
    model.trace_, model.jobs_ = trace, backend.jobs
    return model


def _plain(error: Exception) -> Exception:
    """Return what an executor said, of an error that Spark wraps in pages of its own."""
    text = str(error)
    if "ModuleNotFoundError: " in text:
        module = text.split("ModuleNotFoundError: ", 1)[1].splitlines()[0]
        return RuntimeError(f"{module} on the executors: expected Python with numpy, pandas, pyarrow and scipy there, which PYSPARK_PYTHON may name")
    for kind in (DataError, EngineError):
        if kind.__name__ + ": " in text:
            return kind(text.split(kind.__name__ + ": ", 1)[1].splitlines()[0].strip())
    return error


class _Filed(Model, _Columns, MLReadable, MLWritable):
    """A model: what it says of itself is that of its file. Its scores are linear, by ``coef_`` and ``intercept_``."""

    def __init__(self, file: File | None = None) -> None:
        super().__init__()
        self._setDefault(featuresCol="features")
        self.trace_: list[dict[str, Any]] = []  # of rounds: output, round, gap, and whether it is proved
        if file is not None:
            self._take(file)

    def save_model(self, path: str) -> None:
        """Write Fenchel's own file, for ``fenchel verify``, ``predict``, ``info`` and others."""
        self.file.save(path)

    def _apply(self, df: Any, answer: Any, kind: str) -> Any:
        """Return a column of what a function makes of the scores of many rows."""
        import pandas as pd

        coef, intercept, features = self.coef_, self.intercept_, self._features(df)
        stored = df.select(features).schema[0].dataType
        vectors = isinstance(stored, VectorUDT)
        if isinstance(stored, StringType):
            sc, name, outputs = df.sparkSession.sparkContext, self.file.part("schema")["columns"][0]["name"], len(intercept)
            _ship(sc)
            sent = sc.broadcast(self.file.data)

            def apply(column: Any) -> Any:
                return answer(_executor.scored(sent.value, name, outputs, column))
        else:

            def apply(column: Any) -> Any:
                return answer(_vectors.scored(column, coef, intercept))

        apply.__annotations__ = {"column": pd.DataFrame if vectors else pd.Series, "return": pd.DataFrame if " " in kind else pd.Series}
        return F.pandas_udf(apply, kind)(F.unwrap_udt(features) if vectors else features)

    def write(self) -> MLWriter:
        return _ModelWriter(self)

    @classmethod
    def read(cls) -> MLReader:
        return _ModelReader(cls)


class _Fitted(_Filed, _Shared):
    def __init__(self, file: File | None = None) -> None:
        super().__init__(file)
        self._setDefault(labelCol="label", predictionCol="prediction")

    def _take(self, file: File) -> None:
        self.file = file
        self.coef_, self.intercept_ = file.weights()
        self.classes_ = file.part("classes")

    @property
    def status_(self) -> str:
        """How training ended."""
        result: str = self._worst()["status"]
        return result

    @property
    def gap_(self) -> float:
        """The relative gap that is proved, of the worst output."""
        return _relative(self._worst())

    def _worst(self) -> dict[str, Any]:
        return max(self.file.part("certificates"), key=_relative)

    def _loss(self) -> str:
        result: str = self.file.part("problem")["loss"].split(":")[0]
        return result


def _relative(c: dict[str, Any]) -> float:
    primal, dual, zero = (float("nan") if c[k] is None else c[k] for k in ("primal", "dual", "zero"))
    return (primal - dual) / max(abs(primal), abs(dual), 1e-12 * abs(zero)) if primal != dual else 0.0


class _ModelWriter(MLWriter):
    def __init__(self, model: _Filed) -> None:
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
        logistic = self._loss() == "logistic"

        def answer(scores: np.ndarray) -> Any:
            import pandas as pd

            raw = np.column_stack([-scores, scores]) if scores.shape[1] == 1 else scores
            best = np.where(np.isnan(raw).any(axis=1), np.nan, raw.argmax(axis=1))
            shares = np.exp(-np.logaddexp(0, -raw)) if logistic else raw
            return pd.DataFrame({"raw": list(raw), "shares": list(shares / shares.sum(axis=1, keepdims=True)), "best": best})

        try:
            values: list[Any] = [float(c) for c in self.classes_]
        except ValueError:
            values = self.classes_
        made = "fenchel_" + self.uid
        out = df.withColumn(made, self._apply(df, answer, "raw array<double>, shares array<double>, best double"))
        known = F.col(made)["best"].isNotNull()
        for name, column in (
            (self.getRawPredictionCol(), array_to_vector(F.col(made)["raw"])),
            (self.getProbabilityCol() if logistic else "", array_to_vector(F.col(made)["shares"])),
            (self.getPredictionCol(), F.array(*[F.lit(v) for v in values])[F.col(made)["best"].cast("int")]),
        ):
            if name:
                out = out.withColumn(name, F.when(known, column))
        return out.drop(made)


class LinearRegressorModel(_Fitted):
    """Numbers by linear scores; of the loss poisson their exponentials."""

    def _transform(self, df: Any) -> Any:
        def answer(scores: np.ndarray) -> Any:
            import pandas as pd

            return pd.Series(scores[:, 0])

        column = self._apply(df, answer, "double")
        return df.withColumn(self.getPredictionCol(), F.exp(column) if self._loss() == "poisson" else column)


class LinearClassifier(_Estimator, HasRawPredictionCol, HasProbabilityCol):
    """Linear classifiers: logistic regression, support vector machines, and others by their loss.

    Parameters
    ----------
    loss : str
        ``logistic``, ``squared-hinge``, ``hinge`` (of which rounds are many) and others.
    featuresCol, inputCols, labelCol, weightCol, predictionCol, rawPredictionCol, probabilityCol : str
        As in ``pyspark.ml``; ``inputCols`` is a list of columns of numbers.
    scale : str
        ``none``, ``max`` (by the largest magnitude) or ``std`` (by the deviation; dense rows are centred too): the penalty is then of weights
        of columns of comparable sizes. Predictions are of rows as they come.
    textCol, hash, ngrams, termWeights
        A column of texts in place of features: its terms are numbered by a hash of ``hash`` bits, as by ``fenchel train --hash``, and nothing is
        counted before. The model has the schema of the column, so that ``fenchel predict`` takes a CSV with it.
    C, penalty, bias, gap, maxRounds, seed, keepDual
        As ``explainParams()`` says.
    """

    _classifies = True
    _defaults = {"rawPredictionCol": "rawPrediction", "probabilityCol": "probability", "loss": "logistic"}

    def _modelled(self) -> type:
        return LinearClassifierModel


class LinearRegressor(_Estimator):
    """Linear regression: ridge, and others by their loss. Parameters as of :class:`LinearClassifier`."""

    _classifies = False
    _defaults = {"loss": "squared"}

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
    """Return what is said of a model by the rows of a table, which go to partitions as for training."""
    classifies = bool(model.classes_)
    backend = _Backend(model._table(df, classifies), classifies, model.file.part("schema"))
    try:
        result: dict[str, Any] = judge(backend, model.file)
        return result
    finally:
        backend.close()


from ._sparkpca import PCA, PCAModel  # noqa: E402  after what it is made of
