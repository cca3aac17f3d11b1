"""Training on Apache Spark, on the cores of this machine."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

try:
    import pandas, pyarrow, pyspark, scipy  # noqa: F401, E401
except ImportError as e:
    pytest.skip(f"Spark is not tested: {e}", allow_module_level=True)
if not (os.environ.get("JAVA_HOME") or shutil.which("java")):
    pytest.skip("Spark is not tested: found no Java, expected version 17", allow_module_level=True)

from pyspark import SparkFiles
from pyspark.ml import Pipeline, PipelineModel
from pyspark.ml.evaluation import BinaryClassificationEvaluator
from pyspark.ml.feature import VectorAssembler
from pyspark.ml.linalg import Vectors
from pyspark.ml.tuning import CrossValidator, ParamGridBuilder
from pyspark.sql import SparkSession
from pyspark.sql.types import ArrayType, DoubleType, StructField, StructType

import fenchel
from fenchel import _engine
from fenchel.spark import LinearClassifier, LinearClassifierModel, LinearRegressor, LinearRegressorModel, evaluate, verify

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def spark():
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.environ["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parent.parent), os.environ.get("PYTHONPATH", "")])
    session = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "2")
    session = session.config("spark.ui.showConsoleProgress", "false").config("spark.sql.adaptive.enabled", "false").getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(autouse=True)
def nothing_left(spark):
    """No run leaves rows or processes behind, whatever became of it."""
    yield
    root = SparkFiles.getRootDirectory()
    assert [f for f in os.listdir(root) if not f.startswith("fenchel-worker") and f.startswith("fenchel-")] == []
    for _ in range(100):
        if not (left := [p for p in Path("/proc").glob("[0-9]*") if root.encode() in _command(p)]):
            return
        time.sleep(0.1)
    raise AssertionError(f"found {[_command(p) for p in left]}, expected no process")


def _command(process):
    try:
        line = (process / "cmdline").read_bytes()
        return line if b"\0worker\0" in line else b""
    except OSError:  # it has ended
        return b""


def rows(n=90, d=4, classes=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)).astype(np.float32).astype(float)
    X[rng.random((n, d)) < 0.3] = 0
    return X, (X @ rng.standard_normal((d, classes)) + 0.5 * rng.standard_normal((n, classes))).argmax(axis=1)


def sparse(x):
    return Vectors.sparse(len(x), [(j, v) for j, v in enumerate(x) if v])


def table(spark, X, y, of=Vectors.dense, **more):
    return spark.createDataFrame([(of(x), l, *extra) for x, l, *extra in zip(X, y, *more.values())], ["features", "label", *more])


def columns(out, *names):
    return [np.array([v.toArray() if hasattr(v, "toArray") else v for v in c]) for c in zip(*[[r[n] for n in names] for r in out.collect()])]


def test_what_rows_may_be(spark):
    X, y = rows()
    of = {
        "dense": table(spark, X, y.tolist()),
        "mixed": table(spark, X, y.tolist(), lambda x: Vectors.dense(x) if x[0] > 0 else sparse(x)),
        "columns": spark.createDataFrame([(*map(float, x), int(l)) for x, l in zip(X, y)], ["a", "b", "c", "d", "label"]),
    }
    found = {}
    for name, df in of.items():
        est = LinearClassifier(C=2.0, **({"inputCols": list("abcd")} if name == "columns" else {}))
        found[name] = model = est.fit(df)
        assert model.status_ == "converged" and model.gap_ <= 1e-3
        raw, probability, prediction = columns(model.transform(df), "rawPrediction", "probability", "prediction")
        scores = X @ model.coef_[0] + model.intercept_[0]
        assert np.allclose(raw, np.column_stack([-scores, scores]))
        assert np.allclose(probability[:, 1], 1 / (1 + np.exp(-scores))) and np.allclose(probability.sum(axis=1), 1)
        assert (prediction == (scores > 0)).all() and (prediction == y).mean() > 0.8
    assert found["dense"].file.data == found["columns"].file.data
    assert np.allclose(found["mixed"].coef_, found["dense"].coef_, atol=0.05)
    trace = found["dense"].trace_
    assert {"round", "output", "gap", "proved"} <= set(trace[0]) and trace[-1]["proved"] and trace[-1]["gap"] == found["dense"].gap_
    assert [e["round"] for e in trace if not e["proved"]] == list(range(1, trace[-1]["round"] + 1))


def test_rows_without_features_have_no_prediction(spark):
    X, y = rows()
    model = LinearClassifier(predictionCol="p", rawPredictionCol="").fit(table(spark, X, y.tolist()))
    kind = StructType([StructField("features", ArrayType(DoubleType()))])
    out = model.transform(spark.createDataFrame([(None,), ([1.0, 2.0, float("nan"), 3.0],), ([1.0, 2.0, 0.0, 3.0],)], kind))
    assert [(r.p, r.probability is None) for r in out.collect()][:2] == [(None, True)] * 2 and out.collect()[2].p in (0.0, 1.0)
    assert out.columns == ["features", "probability", "p"]


@pytest.mark.parametrize(
    "labels, classes, said",
    [
        (["ant", "bee", "Cat"], ["Cat", "ant", "bee"], ["ant", "bee", "Cat"]),
        ([0.5, 1e300, -2.0], ["-2", "0.5", "1e+300"], [0.5, 1e300, -2.0]),
        ([False, True], ["0", "1"], [0.0, 1.0]),
    ],
)
def test_labels(spark, labels, classes, said):
    X, y = rows(classes=len(labels))
    df = table(spark, X, [labels[k] for k in y])
    model = LinearClassifier(loss="squared-hinge", gap=1e-2).fit(df)
    assert model.classes_ == classes
    out = model.transform(df)
    raw, prediction = columns(out, "rawPrediction", "prediction")
    assert "probability" not in out.columns and raw.shape[1] == len(labels)
    scores = X @ model.coef_.T + model.intercept_
    if len(labels) > 2:
        assert np.allclose(raw, scores)
        names = [said[[str(l) for l in labels].index(c)] if c in map(str, labels) else float(c) for c in classes]
        assert prediction.tolist() == [names[k] for k in scores.argmax(axis=1)]
    assert np.mean([p == said[k] for p, k in zip(prediction, y)]) > 0.7


def test_probabilities_of_several_classes(spark):
    X, y = rows(classes=3)
    df = table(spark, X, np.array([10, 9, -1])[y].tolist())
    model = LinearClassifier(gap=1e-2).fit(df)
    probability, prediction = columns(model.transform(df), "probability", "prediction")
    p = 1 / (1 + np.exp(-(X @ model.coef_.T + model.intercept_)))
    assert np.allclose(probability, p / p.sum(axis=1, keepdims=True))
    assert model.classes_ == ["-1", "9", "10"] and (prediction == np.array([-1, 9, 10])[p.argmax(axis=1)]).all()


def test_regression_and_weights(spark):
    X, _ = rows()
    y = X @ [1.0, 2.0, 0.0, -1.0] + 3
    weight = np.arange(len(X)) % 3
    weighted = LinearRegressor(weightCol="weight", gap=1e-8, C=1.0).fit(table(spark, X, y.tolist(), weight=weight.tolist()))
    twice = np.repeat(np.arange(len(X)), weight)
    model = LinearRegressor(gap=1e-8, C=1.0).fit(table(spark, X[twice], y[twice].tolist()))
    assert np.allclose(weighted.coef_, model.coef_, atol=1e-4) and np.allclose(weighted.coef_, [1, 2, 0, -1], atol=0.1)
    (prediction,) = columns(model.transform(table(spark, X, y.tolist())), "prediction")
    assert np.allclose(prediction, X @ model.coef_[0] + model.intercept_[0])
    assert weighted.file.part("data")["rows"] == (weight > 0).sum()


def test_counts(spark):
    X, _ = rows()
    y = np.random.default_rng(1).poisson(np.exp(X @ [0.5, 0.2, 0.0, -0.3]))
    df = table(spark, X, y.tolist())
    model = LinearRegressor(loss="poisson", gap=1e-2).fit(df)
    (prediction,) = columns(model.transform(df), "prediction")
    assert np.allclose(prediction, np.exp(X @ model.coef_[0] + model.intercept_[0]))


def test_same_bytes_and_the_program_agrees(spark, tmp_path):
    X, y = rows(n=220, d=5)
    df = table(spark, X, (2 * y - 1).tolist(), sparse)
    est = LinearClassifier(C=1.0, maxRounds=30)
    models = [est.fit(t) for t in (df.coalesce(1), df.orderBy("label").repartition(7), df.repartition(3))]
    assert models[0].file.data == models[1].file.data == models[2].file.data
    models[0].save_model(str(tmp_path / "c.model"))
    (tmp_path / "c.svm").write_text("".join(f"{2 * l - 1} " + " ".join(f"{j + 1}:{v:.9g}" for j, v in enumerate(x) if v) + "\n" for x, l in zip(X, y)))
    run = [_engine.program(), "verify", str(tmp_path / "c.model"), str(tmp_path / "c.svm")]
    done = subprocess.run(run, capture_output=True, text=True)
    assert done.returncode == 0, done
    (tmp_path / "c.svm").write_text((tmp_path / "c.svm").read_text().replace("-1 ", "+1 ", 1))
    assert subprocess.run(run, capture_output=True).returncode != 0


def test_saved_and_loaded(spark, tmp_path):
    X, y = rows()
    df = table(spark, X, y.tolist())
    est = LinearClassifier(loss="squared-hinge", C=0.5, gap=1e-2, predictionCol="p")
    est.write().overwrite().save(str(tmp_path / "est"))
    again = LinearClassifier.load(str(tmp_path / "est"))
    assert {p.name: v for p, v in again.extractParamMap().items()} == {p.name: v for p, v in est.extractParamMap().items()}
    model = est.fit(df)
    model.write().overwrite().save(str(tmp_path / "model"))
    back = LinearClassifierModel.load(str(tmp_path / "model"))
    assert back.file.data == model.file.data and back.transform(df).collect() == model.transform(df).collect()
    assert back.copy({back.predictionCol: "q"}).transform(df).columns[-1] == "q" and est.copy({est.C: 3.0}).getOrDefault("C") == 3.0
    assert est.getOrDefault("C") == 0.5 and LinearRegressor().setParams(C=2.0).getOrDefault("C") == 2.0
    y = LinearRegressor(gap=1e-2).fit(df)
    y.save(str(tmp_path / "number"))
    assert LinearRegressorModel.load(str(tmp_path / "number")).transform(df).collect() == y.transform(df).collect()


def test_pipeline_and_search(spark, tmp_path):
    X, y = rows(n=80)
    df = spark.createDataFrame([(*map(float, x), int(l)) for x, l in zip(X, y)], ["a", "b", "c", "d", "label"]).repartition(1)
    est = LinearClassifier(gap=1e-2, keepDual=False)
    pipeline = Pipeline(stages=[VectorAssembler(inputCols=list("abcd"), outputCol="features"), est])
    grid = ParamGridBuilder().addGrid(est.C, [1e-6, 1.0]).build()
    search = CrossValidator(estimator=pipeline, estimatorParamMaps=grid, evaluator=BinaryClassificationEvaluator(), numFolds=2, seed=1, parallelism=2)
    best = search.fit(df)
    assert best.avgMetrics[1] > 0.8
    best.bestModel.write().overwrite().save(str(tmp_path / "pipeline"))
    assert PipelineModel.load(str(tmp_path / "pipeline")).transform(df).collect() == best.transform(df).collect()


BAD = {  # features, label, weight; what is said
    "NaN": ([([1.0, float("nan")], 0.0, 1.0), ([1.0, 2.0], 1.0, 1.0)], "no finite number"),
    "large": ([([1.0, 1e300], 0.0, 1.0), ([1.0, 2.0], 1.0, 1.0)], "3.4e38"),
    "null label": ([([1.0, 2.0], None, 1.0), ([1.0, 2.0], 1.0, 1.0)], "without a label"),
    "infinite label": ([([1.0, 2.0], float("inf"), 1.0), ([1.0, 2.0], 1.0, 1.0)], "found the label inf"),
    "no label": ([([1.0, 2.0], float("nan"), 1.0), ([1.0, 2.0], 1.0, 1.0)], "found the label nan"),
    "null features": ([(None, 0.0, 1.0), ([1.0, 2.0], 1.0, 1.0)], "without features"),
    "null feature": ([([1.0, None], 0.0, 1.0), ([1.0, 2.0], 1.0, 1.0)], "no finite number"),
    "lengths": ([([1.0], 0.0, 1.0), ([1.0, 2.0, 3.0], 1.0, 1.0)], "several lengths|of 1 and of 3|of 3 and of 1"),
    "empty": ([], "found no rows"),
    "one class": ([([1.0, 2.0], 1.0, 1.0)] * 3, "two classes"),
    "negative": ([([1.0, 2.0], 0.0, -1.0), ([1.0, 2.0], 1.0, 1.0)], "found the weight -1"),
    "null weight": ([([1.0, 2.0], 0.0, None), ([1.0, 2.0], 1.0, 1.0)], "found the weight nan"),
    "weights zero": ([([1.0, 2.0], 0.0, 0.0), ([1.0, 2.0], 1.0, 0.0)], "no rows of a weight above 0"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_rows_are_told_in_a_line(spark, name):
    bad, said = BAD[name]
    df = spark.createDataFrame(bad, "features array<double>, label double, weight double").repartition(2)
    with pytest.raises(ValueError, match=said) as e:
        LinearClassifier(weightCol="weight").fit(df)
    assert "\n" not in str(e.value), e.value


def test_regressors_want_numbers(spark):
    df = spark.createDataFrame([([1.0], "a", float("inf")), ([2.0], "b", 1.0)], ["features", "label", "number"])
    for params, said in (({}, "labelCol: column label is string, expected numbers"), ({"labelCol": "number"}, "found the label inf, expected a finite number in every row")):
        with pytest.raises(ValueError) as e:
            LinearRegressor(**params).fit(df)
        assert str(e.value) == said


@pytest.mark.parametrize(
    "params, said",
    [
        ({"featuresCol": "x"}, "featuresCol: found no column x, expected one of features, label"),
        ({"labelCol": "y"}, "labelCol: found no column y, expected one of features, label"),
        ({"weightCol": "w"}, "weightCol: found no column w, expected one of features, label"),
        ({"inputCols": ["features"]}, "inputCols: column features is array<double>, expected numbers"),
        ({"featuresCol": "label"}, "featuresCol: column label is bigint, expected a vector or an array of numbers"),
        ({"labelCol": "features"}, "labelCol: column features is array<double>, expected numbers, texts or booleans"),
        ({"loss": "logistics"}, "logistic"),
        ({"loss": "squared"}, "the loss squared is of numbers"),
        ({"penalty": "l1"}, "strongly convex"),
        ({"bias": "some"}, "bias"),
        ({"C": -1.0}, "C=-1.0: expected a number above 0"),
        ({"gap": 0.0}, "gap=0.0: expected a number above 0"),
    ],
)
def test_bad_parameters_are_told_in_a_line(spark, params, said):
    df = spark.createDataFrame([([1.0, 2.0], 0), ([2.0, 1.0], 1)], ["features", "label"])
    with pytest.raises(ValueError) as e:
        LinearClassifier(**params).fit(df)
    assert said in str(e.value) and "\n" not in str(e.value), e.value


def test_unknown_parameters_are_refused():
    with pytest.raises(TypeError, match="^LinearRegressor has no parameter probabilityCol: expected one of [^\n]*$"):
        LinearRegressor(probabilityCol="p")


def test_the_page_runs(spark, tmp_path, monkeypatch):
    page = (Path(__file__).parents[2] / "docs" / "cluster.md").read_text()
    X, y = rows()
    monkeypatch.chdir(tmp_path)
    names = {"df": table(spark, X, y.tolist())}
    exec(page.split("```python\n", 1)[1].split("```", 1)[0], names)
    assert (tmp_path / "spark.model").exists() and names["model"].gap_ <= 1e-3


def test_spark_connect_is_refused():
    class DataFrame:
        pass

    DataFrame.__module__ = "pyspark.sql.connect.dataframe"
    with pytest.raises(RuntimeError, match="^Spark Connect: [^\n]*$"):
        LinearClassifier().fit(DataFrame())


def test_skipped_without_java():
    env = {k: v for k, v in os.environ.items() if k != "JAVA_HOME"}
    env["PATH"] = "/nowhere"
    done = subprocess.run([sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rs", __file__], env=env, cwd=Path(__file__).parent.parent, capture_output=True, text=True)
    assert "found no Java, expected version 17" in done.stdout and "passed" not in done.stdout and done.returncode in (0, 5), done
    made = subprocess.run([sys.executable, "-c", "from fenchel.spark import LinearClassifier; LinearClassifier(C=1.0)"], env=env, cwd=Path(__file__).parent.parent, capture_output=True, text=True)
    assert made.returncode == 0, made  # estimators need none


def test_executors_import_little():
    code = "import sys, fenchel._executor; print(sorted({'pandas', 'scipy', 'sklearn'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parent.parent, capture_output=True, text=True)
    assert done.stdout == "[]\n", done


def test_verified_and_evaluated(spark):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((300, 4))
    y = X @ [1.0, -2, 0.5, 0] + 0.5 * rng.standard_normal(300) > 0
    df = spark.createDataFrame([(Vectors.dense(x), "yes" if t else "no") for x, t in zip(X, y)], ["features", "label"])
    model = LinearClassifier(loss="logistic").fit(df)
    said = verify(model, df.repartition(5))
    assert said["valid"] is True and said["found"]["gap"] <= 1e-3
    assert verify(model, df.limit(299))["valid"] is False
    scored = evaluate(model, df)
    assert scored["rows"] == 300 and np.isclose(scored["accuracy"], np.mean((model.coef_[0] @ X.T + model.intercept_[0] > 0) == y))


def test_vectors_of_parquet_files(spark, tmp_path):
    """Vectors that Spark wrote are rows, dense and sparse ones mixed: those of the LIBSVM text, of which the program makes the same model."""
    rng = np.random.default_rng(7)
    dense, y = np.round(rng.standard_normal((200, 30)) * (rng.random((200, 30)) < 0.2), 6), rng.integers(0, 2, 200)
    rows = [(Vectors.dense(x) if i % 3 else Vectors.sparse(30, [(int(j), float(x[j])) for j in np.flatnonzero(x)]), float(t), f"row {i}") for i, (x, t) in enumerate(zip(dense, y))]
    spark.createDataFrame(rows, ["x", "label", "name"]).repartition(3).sortWithinPartitions("name").write.parquet(str(tmp_path / "rows"))
    files = sorted(map(str, (tmp_path / "rows").glob("*.parquet")))
    order = [int(name.split()[1]) for name in pandas.concat([pandas.read_parquet(f, columns=["name"]) for f in files])["name"]]
    (tmp_path / "rows.svm").write_text("".join(f"{float(y[i])} " + " ".join(f"{j + 1}:{float(dense[i, j])!r}" for j in np.flatnonzero(dense[i])) + "\n" for i in order))
    X, found = fenchel.read(*files, ignore=["name"])
    assert X.format == "csr" and np.array_equal(X.toarray(), dense[order].astype(np.float32)) and np.array_equal(found, y[order])
    ask = [_engine.program(), "train", "-q", "-o"]
    subprocess.run([*ask, tmp_path / "a.model", *files, "--ignore", "name"], check=True, capture_output=True)
    subprocess.run([*ask, tmp_path / "b.model", tmp_path / "rows.svm"], check=True, capture_output=True)
    a, b = fenchel.load(tmp_path / "a.model"), fenchel.load(tmp_path / "b.model")
    for name in ("weights", "bias", "dual"):
        assert np.array_equal(a.tensor(name), b.tensor(name)), name
    assert np.array_equal(a.predict(X), b.predict(X))
