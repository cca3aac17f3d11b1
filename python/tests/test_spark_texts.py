"""Texts on Apache Spark: the features are those of ``fenchel train --hash``, and so are the predictions."""

import os
import subprocess

import numpy as np
import pytest

pytest.importorskip("pyspark", reason="Spark is not tested: found no pyspark")
from test_spark import nothing_left, spark  # noqa: E402, F401

from pyspark.ml import Pipeline  # noqa: E402

from fenchel import _engine  # noqa: E402
from fenchel.spark import LinearClassifier, LinearClassifierModel, LinearRegressor, evaluate, verify  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")
RNG = np.random.default_rng(0)
WORDS = "red green blue fast slow good bad new old great small large naïve straße".split()
TEXTS = [f'{" ".join(RNG.choice(WORDS, 9))}, "so" we{RNG.integers(99)}\nsaid' for _ in range(240)]
LABELS = ["yes" if t.count("good") + t.count("new") > t.count("bad") + t.count("old") else "no" for t in TEXTS]


def _csv(path, texts, labels):
    with open(path, "w", newline="", encoding="utf-8") as file:
        file.write("note,label\n" + "".join('"{}",{}\n'.format(t.replace('"', '""'), l) for t, l in zip(texts, labels)))
    return os.fspath(path)


def _said(*arguments, code=0):
    done = subprocess.run([_engine.program(), *map(os.fspath, arguments)], capture_output=True, text=True)
    assert done.returncode == code, done
    return done.stdout


@pytest.mark.parametrize("ngrams, weights", [("1", "tfidf"), ("chars:2..3", "sublinear"), ("1..2", "counts")])
def test_as_the_command_line(spark, tmp_path, ngrams, weights):
    """The same bytes in any order, scores of ``fenchel predict`` from a CSV, and the objective of ``fenchel train --hash``."""
    df = spark.createDataFrame(list(zip(TEXTS, LABELS)), ["note", "label"])
    est = LinearClassifier(textCol="note", hash=12, ngrams=ngrams, termWeights=weights, gap=1e-5)
    models = [est.fit(d) for d in (df.coalesce(1), df.orderBy("note").repartition(7))]
    model, file = models[0], tmp_path / "spark.model"
    assert model.file.data == models[1].file.data and model.status_ == "converged" and model.gap_ <= 1e-5 and model.coef_.shape == (1, 4096)
    model.save_model(file)
    told = [line.split("\t") for line in _said("predict", file, _csv(tmp_path / "t.csv", TEXTS, LABELS), "--scores").splitlines()]
    rows = model.transform(df.coalesce(1)).collect()
    assert [t[0] for t in told] == [r.prediction for r in rows] and np.mean([r.prediction == r.label for r in rows]) > 0.85
    np.testing.assert_array_equal([float(t[1]) for t in told], [r.rawPrediction[1] for r in rows])
    _said("verify", file, tmp_path / "t.csv")
    _said("train", tmp_path / "t.csv", "-o", tmp_path / "m", "--text", "note", "--hash", "12", "--ngrams", ngrams, "--term-weights", weights, "--loss", "logistic", "--gap", "1e-5")
    own = _engine_model(tmp_path / "m")
    ours, theirs = ([c[k] for c in m.part("certificates") for k in ("dual", "primal")] for m in (model.file, own))
    assert ours[0] <= theirs[1] and theirs[0] <= ours[1]
    assert model.file.part("schema") == own.part("schema")
    assert verify(model, df.repartition(3))["valid"] is True and evaluate(model, df)["rows"] == 240
    assert verify(model, df.limit(239))["valid"] is False


def _engine_model(path):
    from fenchel import load

    return load(path)


def test_null_saved_and_weighed(spark, tmp_path):
    """Rows without a text have no prediction; models are saved; numbers, weights and pipelines are as of vectors."""
    df = spark.createDataFrame([(t, float(t.count("good")), 1.0 + i % 2) for i, t in enumerate(TEXTS)], ["note", "label", "w"])
    model = Pipeline(stages=[LinearRegressor(textCol="note", hash=10, weightCol="w")]).fit(df)
    new = spark.createDataFrame([("good good", 1.0), (None, 1.0), ("bad", 0.0), ("", 1.0)], "note string, label double")
    found = [r.prediction for r in model.transform(new).collect()]
    assert found[1] is None and found[0] > found[2] and found[3] == pytest.approx(float(model.stages[0].intercept_[0]))
    one = LinearClassifier(textCol="note", hash=10).fit(df.selectExpr("note", "label > 0 as label"))
    one.write().overwrite().save(os.fspath(tmp_path / "saved"))
    again = LinearClassifierModel.load(os.fspath(tmp_path / "saved"))
    assert [r.prediction for r in again.transform(new).collect()] == [r.prediction for r in one.transform(new).collect()]


@pytest.mark.parametrize("params, said", [
    (dict(textCol="none"), "textCol: found no column none"), (dict(textCol="label"), "textCol: column label is bigint, expected texts"),
    (dict(textCol="note", inputCols=["label"]), "found both"), (dict(textCol="note", scale="std"), "found texts"), (dict(textCol="note", hash=99), "hash"), (dict(textCol="note", ngrams="x"), "ngrams"),
])  # fmt: skip
def test_refused(spark, params, said):
    df = spark.createDataFrame([("a text", 1), ("another", 0)], ["note", "label"])
    with pytest.raises(ValueError, match=said):
        LinearClassifier(**params).fit(df)


def test_null_in_training(spark):
    with pytest.raises(ValueError, match="found a row without features"):
        LinearClassifier(textCol="note").fit(spark.createDataFrame([("a text", 1), (None, 0)], "note string, label int"))
