"""Graphs of ONNX, and pages by the program: ONNX Runtime says what the estimators say."""

import numpy as np
import pytest

import fenchel
import fenchel.sklearn as twins

onnxruntime = pytest.importorskip("onnxruntime")
RNG = np.random.RandomState(0)
X = RNG.randn(150, 4)
TWO = np.where(X[:, 0] + 0.5 * RNG.randn(150) > 0, "yes", "no")
THREE = np.digitize(X[:, 0] + X[:, 1] ** 2, [0, 1.5])
NUMBERS = X @ np.arange(4.0) + RNG.randn(150)


def _run(path, **inputs):
    """Return the outputs of a graph by their names."""
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    types = {i.name: np.float64 if "double" in i.type else np.float32 if "float" in i.type else object for i in session.get_inputs()}
    return dict(zip([o.name for o in session.get_outputs()], session.run(None, {k: np.asarray(v, types[k]) for k, v in inputs.items()})))


@pytest.mark.parametrize("estimator, y", [
    (fenchel.LinearClassifier("logistic"), TWO), (fenchel.LinearRegressor(), NUMBERS), (fenchel.KernelClassifier(), THREE), (fenchel.KernelRegressor(), NUMBERS),
    (twins.LogisticRegression(), THREE), (twins.LinearSVC(), TWO), (twins.Ridge(), NUMBERS), (twins.SVR(), NUMBERS), (twins.SGDClassifier("log_loss"), THREE), (fenchel.NetworkClassifier((5,), max_epochs=20), THREE),
])  # fmt: skip
def test_predictors(estimator, y, tmp_path):
    """Scores are those of the estimator and of the loaded model, to 1e-6, and labels are the same."""
    estimator.fit(X, y)
    estimator.to_onnx(tmp_path / "m.onnx")
    found = _run(tmp_path / "m.onnx", x=X)
    if y is NUMBERS:
        np.testing.assert_allclose(found["prediction"].ravel(), estimator.predict(X), rtol=1e-6, atol=1e-6)
    else:
        np.testing.assert_allclose(np.squeeze(found["scores"]), estimator.decision_function(X), rtol=1e-6, atol=1e-6)
        np.testing.assert_array_equal(found["label"], estimator.predict(X))
        if hasattr(estimator, "predict_proba"):
            np.testing.assert_allclose(found["probabilities"], estimator.predict_proba(X), rtol=1e-6, atol=1e-6)
    estimator.model_.save(tmp_path / "m.model")
    fenchel.load(tmp_path / "m.model").to_onnx(tmp_path / "again.onnx")
    assert (tmp_path / "again.onnx").read_bytes() == (tmp_path / "m.onnx").read_bytes()


@pytest.mark.parametrize("estimator", [fenchel.PCA(2), twins.PCA(2, whiten=True), twins.TruncatedSVD(2), twins.IncrementalPCA(2)])
def test_components(estimator, tmp_path):
    """Coordinates along components are those of transform."""
    estimator.fit(X).to_onnx(tmp_path / "p.onnx")
    np.testing.assert_allclose(_run(tmp_path / "p.onnx", x=X)["coordinates"], estimator.transform(X), rtol=1e-6, atol=1e-6)
    estimator.model_.save(tmp_path / "p.model")
    fenchel.load(tmp_path / "p.model").to_onnx(tmp_path / "again.onnx")
    assert (tmp_path / "again.onnx").read_bytes() == (tmp_path / "p.onnx").read_bytes()


def test_table(tmp_path):
    """The graph of a model of a table has an input for each column."""
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"size": X[:, 0], "city": RNG.choice(["Rome", "Bonn", "Oslo"], 150), "gap": np.where(X[:, 1] > 1, np.nan, X[:, 1])})
    model = fenchel.LinearRegressor(C=100, gap=1e-9).fit(frame, NUMBERS)
    model.to_onnx(tmp_path / "t.onnx")
    found = _run(tmp_path / "t.onnx", **{name: frame[[name]] for name in frame})
    np.testing.assert_allclose(found["prediction"].ravel(), model.predict(frame), rtol=1e-6, atol=1e-6)


def test_refused(tmp_path):
    """What a graph cannot hold, and what has no model, is said in a line, and no file is left."""
    several = twins.Ridge().fit(X, np.column_stack([NUMBERS, -NUMBERS]))
    texts = fenchel.LinearRegressor(gap=0.1).fit([f"word{k % 7} and others" for k in range(150)], NUMBERS)
    for one, words in [(several, "found a Ridge, expected"), (twins.Ridge(), "found a Ridge, expected"), (fenchel.KernelPCA(2).fit(X), "found components of the kernel"), (texts, "found texts")]:
        with pytest.raises((TypeError, ValueError), match=words) as told:
            one.to_onnx(tmp_path / "no.onnx")
        assert "\n" not in str(told.value) and not list(tmp_path.iterdir())
