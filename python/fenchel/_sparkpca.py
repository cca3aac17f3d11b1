"""Principal components on Apache Spark; see :mod:`fenchel.spark`."""

from __future__ import annotations

from typing import Any

import numpy as np
from pyspark import keyword_only
from pyspark.ml import Estimator
from pyspark.ml.functions import array_to_vector
from pyspark.ml.linalg import DenseMatrix, DenseVector
from pyspark.ml.param import Param, Params, TypeConverters
from pyspark.ml.param.shared import HasInputCol, HasOutputCol
from pyspark.ml.util import DefaultParamsReader, DefaultParamsWriter, MLReadable, MLReader, MLWritable, MLWriter
from pyspark.sql import functions as F

from ._base import PCACertificate
from ._model import Model as File
from .spark import _classic, _Columns, _Filed, _trained


class _Components(_Columns, HasInputCol, HasOutputCol):
    """Parameters of components, and of their model."""

    k = Param(Params._dummy(), "k", "how many components", TypeConverters.toInt)
    center = Param(Params._dummy(), "center", "yes, no, or auto: if at least one value in twenty is not zero", TypeConverters.toString)
    scale = Param(Params._dummy(), "scale", "none, std, norm, ... as of `fenchel pca --scale`", TypeConverters.toString)

    def getFeaturesCol(self) -> str:
        """Return the column of features: ``inputCol``, where that is given."""
        result: str = self.getInputCol() if self.isSet(self.inputCol) else self.getOrDefault(self.featuresCol)
        return result


class PCA(Estimator, _Components, MLReadable, MLWritable):
    """Principal components of all rows, with a proof of how much more of their variance any others could capture.

    Of up to 2,000 features one job sums up the second moment; of more, tens of jobs multiply some vectors with the rows.

    Parameters
    ----------
    k : int
        How many components.
    featuresCol or inputCol, inputCols, outputCol : str
        Columns; ``inputCols`` is a list of columns of numbers.
    center : "yes", "no" or "auto"
        Whether the mean is taken off: "yes", as ``pyspark.ml.feature.PCA`` does to find components. Sparse rows stay sparse.
    scale, gap, seed
        As the parameters' documentation says.
    """

    @keyword_only  # type: ignore[untyped-decorator]  # pyspark's, which may be absent
    def __init__(self, *, k: int | None = None, inputCol: str | None = None, outputCol: str = "pca", featuresCol: str | None = None, inputCols: list[str] | None = None, center: str = "yes", scale: str = "none", gap: float = 1e-3, seed: int = 1) -> None:
        super().__init__()
        self._setDefault(featuresCol="features", outputCol="pca", center="yes", scale="none", gap=1e-3, seed=1)
        self._set(**{name: v for name, v in self._input_kwargs.items() if v is not None})

    def write(self) -> MLWriter:
        return DefaultParamsWriter(self)

    @classmethod
    def read(cls) -> MLReader:
        return DefaultParamsReader(cls)

    def _modelled(self) -> type:
        return PCAModel

    def _fit(self, df: Any) -> "PCAModel":
        _classic(df)
        if not self.isDefined(self.k) or self.getOrDefault(self.k) < 1:
            raise ValueError(f"k={self.getOrDefault(self.k) if self.isDefined(self.k) else None}: expected a number of components of at least 1")
        if not 0 < self.getOrDefault(self.gap) < 1:
            raise ValueError(f"gap={self.getOrDefault(self.gap)}: expected a number above 0 and below 1")
        spec = {name: self.getOrDefault(name) for name in ("k", "center", "scale", "gap", "seed")}
        result: 'PCAModel' = _trained(self, df.select(self._features(df).alias("features")), False, {"components": spec})
        return result


class PCAModel(_Filed, _Components):
    """Components: ``components_`` (k x features), and what is proved of them.

    ``transform`` adds a vector of coordinates, of rows of which ``mean_`` is taken off as scikit-learn does it (``pyspark.ml`` does not).
    """

    def __init__(self, file: File | None = None) -> None:
        super().__init__(file)
        self._setDefault(outputCol="pca")

    def _take(self, file: File) -> None:
        self.file = file
        self.components_, values = file.tensor("components"), np.maximum(file.tensor("eigenvalues"), 0)
        scale, n, proof = file.tensor("scale"), max(file.part("data")["rows"], 2), file.part("proof")
        self.mean_ = file.tensor("mean")
        if self.mean_ is None:
            self.mean_ = np.zeros(self.components_.shape[1])
        self.scale_ = np.ones_like(self.mean_) if scale is None else scale
        self.coef_ = self.components_ * self.scale_
        self.intercept_ = -self.coef_ @ self.mean_
        self.explained_variance_ = values * (n / (n - 1))
        self.explained_variance_ratio_ = values / proof["total"]
        captured, upper = proof["captured"], proof["upper"]
        self.gap_ = (upper - captured) / upper if upper else 0.0
        self.status_ = proof["status"]
        self.certificate_ = PCACertificate(captured, upper, proof["total"], self.gap_, proof["failure_probability"])

    @property
    def pc(self) -> DenseMatrix:
        """The components as columns, as ``pyspark.ml.feature.PCAModel`` has them."""
        return DenseMatrix(self.components_.shape[1], len(self.components_), self.components_.ravel())

    @property
    def explainedVariance(self) -> DenseVector:
        """The shares of the variance, as ``pyspark.ml.feature.PCAModel`` has them."""
        return DenseVector(self.explained_variance_ratio_)

    def _transform(self, df: Any) -> Any:
        def answer(scores: np.ndarray) -> Any:
            import pandas as pd

            known = ~np.isnan(scores).any(axis=1)
            return pd.Series([list(z) if there else None for z, there in zip(scores, known)], dtype=object)

        made = "fenchel_" + self.uid
        out = df.withColumn(made, self._apply(df, answer, "array<double>"))
        return out.withColumn(self.getOutputCol(), F.when(F.col(made).isNotNull(), array_to_vector(F.col(made)))).drop(made)
