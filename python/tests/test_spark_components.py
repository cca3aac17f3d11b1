"""Principal components and scaled columns on Apache Spark, on the cores of this machine."""

import subprocess

import numpy as np
import pytest

spark_tests = pytest.importorskip("test_spark")  # skips where there is no Spark

from pyspark.ml import Pipeline, PipelineModel  # noqa: E402
from pyspark.ml.feature import PCA as Theirs  # noqa: E402
from pyspark.ml.feature import VectorAssembler  # noqa: E402
from pyspark.ml.linalg import Vectors  # noqa: E402
from sklearn.decomposition import PCA as Reference  # noqa: E402

from fenchel import _engine  # noqa: E402
from fenchel.spark import PCA, LinearClassifier, PCAModel  # noqa: E402

spark, nothing_left = spark_tests.spark, spark_tests.nothing_left
pytestmark = pytest.mark.filterwarnings("ignore")


def table(spark, X, parts):
    return spark.createDataFrame([(Vectors.dense(row) if i % 2 else Vectors.sparse(len(row), range(len(row)), row),) for i, row in enumerate(X.tolist())], ["v"]).repartition(parts)


def test_same_subspace_and_bytes(spark, tmp_path):
    rng = np.random.default_rng(0)
    X = (rng.standard_normal((600, 8)) @ rng.standard_normal((8, 8)) + 3).astype(np.float32).astype(float)
    df = table(spark, X, 3)
    m = PCA(k=3, inputCol="v", outputCol="z").fit(df)
    assert m.file.data == PCA(k=3, inputCol="v", outputCol="z").fit(table(spark, X[::-1], 5)).file.data
    assert m.status_ == "converged" and m.gap_ <= 1e-9 and m.jobs_ == 3
    one, theirs = Reference(3).fit(X), Theirs(k=3, inputCol="v", outputCol="w").fit(df)
    assert np.allclose(np.abs(m.components_ @ one.components_.T), np.eye(3), atol=1e-7)
    assert np.allclose(m.explained_variance_, one.explained_variance_) and np.allclose(m.mean_, one.mean_)
    assert np.allclose(np.abs(m.pc.toArray()), np.abs(theirs.pc.toArray()), atol=1e-7)
    assert np.allclose(m.explainedVariance.toArray(), theirs.explainedVariance.toArray())
    m.write().save(str(tmp_path / "saved"))
    again = PCAModel.load(str(tmp_path / "saved"))
    rows = again.transform(df).collect()
    Z = one.transform(np.array([r.v.toArray() for r in rows])) * np.sign((m.components_ * one.components_).sum(axis=1))
    assert np.allclose([r.z.toArray() for r in rows], Z, atol=1e-5)
    m.save_model(tmp_path / "m.pca")
    np.save(tmp_path / "rows.npy", X.astype(np.float32))
    check = subprocess.run([_engine.program(), "verify", str(tmp_path / "m.pca"), str(tmp_path / "rows.npy")], capture_output=True, text=True)
    assert check.returncode == 0, check.stdout


def test_pipeline_and_missing_rows(spark, tmp_path):
    rng = np.random.default_rng(1)
    rows = [(*map(float, r), float(r[0] > 0)) for r in rng.standard_normal((300, 3)) * [5, 1, 1]]
    df = spark.createDataFrame(rows, ["a", "b", "c", "label"])
    pipe = Pipeline(stages=[VectorAssembler(inputCols=["a", "b", "c"], outputCol="v"), PCA(k=1, inputCol="v", outputCol="z"), LinearClassifier(featuresCol="z")]).fit(df)
    pipe.write().save(str(tmp_path / "pipe"))
    out = PipelineModel.load(str(tmp_path / "pipe")).transform(df).select("label", "prediction").collect()
    assert np.mean([r.label == r.prediction for r in out]) > 0.9
    some = pipe.stages[1].transform(pipe.stages[0].transform(df).selectExpr("if(a > 0, v, null) as v")).collect()
    assert [r.v is None for r in some] == [r.z is None for r in some]


def test_scaled_columns(spark):
    rng = np.random.default_rng(2)
    X = rng.standard_normal((500, 2)) * [1, 1e4] + [0, 1e5]
    df = spark.createDataFrame([(*map(float, x), float(x[0] + (x[1] - 1e5) / 1e4 > 0)) for x in X], ["a", "b", "label"])
    m = LinearClassifier(inputCols=["a", "b"], scale="std").fit(df)
    assert 0.9 < m.coef_[0][0] * X[:, 0].std() / (m.coef_[0][1] * X[:, 1].std()) < 1.1
    assert np.mean([r.label == r.prediction for r in m.transform(df).collect()]) > 0.98


@pytest.mark.parametrize("wrong, says", [({"k": 3}, "k = 3: expected 1 to 2"), ({}, "expected a number of components"), ({"k": 1, "gap": 2.0}, "gap=2.0"), ({"k": 1, "scale": "max"}, "unknown scaling")])
def test_refused(spark, wrong, says):
    df = spark.createDataFrame([(1.0, 2.0), (3.0, 5.0), (2.0, 2.0)], ["a", "b"])
    with pytest.raises(ValueError, match=says):
        PCA(inputCols=["a", "b"], **wrong).fit(df)
