"""Tune against fits and folds done one by one, and against the command."""

import json
import subprocess

import numpy as np
import pytest

import fenchel
import fenchel.sklearn as twins
from fenchel import _engine

RNG = np.random.RandomState(0)
X = RNG.randn(160, 5).astype(np.float32)
TWO = np.where(X[:, 0] + 0.7 * RNG.randn(160) > 0, "yes", "no")
THREE = (X[:, 0] > 0.4).astype(int) + (X[:, 1] + 0.5 * RNG.randn(160) > 0)
NUMBERS = X @ np.arange(5.0) + RNG.randn(160)
W = RNG.randint(0, 3, 160).astype(float)


def folds(k):
    """Rows in turn."""
    return [(np.flatnonzero(np.arange(160) % k != f), np.flatnonzero(np.arange(160) % k == f)) for f in range(k)]


@pytest.mark.parametrize("estimator, y, search", [
    (fenchel.LinearClassifier("logistic", gap=1e-8), TWO, {"C": [0.01, 1.0]}), (fenchel.LinearClassifier("softmax", scale="std", gap=1e-8), THREE, {"C": [0.01, 1.0]}),
    (fenchel.LinearClassifier("squared-hinge", class_weight={"yes": 3.0}, gap=1e-8), TWO, {"lam": [0.1, 0.001]}),
    (fenchel.KernelClassifier(gap=1e-7), THREE, {"C": [0.5, 5.0], "gamma": [0.1, 1.0]}), (fenchel.LinearClassifier("logistic", gap=1e-8), TWO, {"class_weight": [None, "balanced"]}),
    (fenchel.LinearRegressor("squared", gap=1e-10), NUMBERS, {"penalty": ["l2", "l1"], "C": [0.1, 10.0]}), (fenchel.KernelRegressor("poly", degree=2, gamma=0.2, coef0=1.0, gap=1e-10), NUMBERS, {"degree": [1, 2]}),
], ids=lambda v: repr(v) if hasattr(v, "fit") else "")  # fmt: skip
@pytest.mark.parametrize("weighted", [False, True])
def test_scores(estimator, y, search, weighted):
    """Scores are those of fits and predictions of each fold."""
    w = W if weighted else np.ones(160)
    best = fenchel.tune(estimator, X, y, w, search=search, folds=folds(3))
    results, classes = best.cv_results_, hasattr(estimator, "class_weight")
    assert len(results["params"]) == np.prod([len(v) for v in search.values()])
    for k, params in enumerate(results["params"]):
        one = type(estimator)(**estimator.get_params()).set_params(**{n: int(v) if n == "degree" else v for n, v in params.items()})
        for f, (learn, judge) in enumerate(folds(3)):
            p = one.fit(X[learn], y[learn], w[learn]).predict(X[judge])
            want = np.average(p == y[judge], weights=w[judge]) if classes else np.sqrt(np.average((p - y[judge]) ** 2, weights=w[judge]))
            assert results[f"split{f}_test_score"][k] == pytest.approx(want, rel=1e-4), (params, f)
    mean = results["mean_test_score"]
    assert mean[best.best_index_] == best.best_score_ == (mean.max() if classes else mean.min())
    assert results["rank_test_score"][best.best_index_] == 1 and (results["gap"] <= estimator.gap).all() and best.stopped_ == ""
    again = type(estimator)(**best.get_params()).fit(X, y, w)
    assert (again.model_.tensor("bias") == best.model_.tensor("bias")).all() and again.status_ == "converged"


def test_command(tmp_path):
    """The defaults, and folds that are dealt out, are those of the command."""
    order = THREE[:60].argsort(kind="stable")  # a file has its classes in the order in which they come
    A, b = X[order], THREE[order]
    path = tmp_path / "rows.svm"
    path.write_text("".join(f"{y} " + " ".join(f"{j + 1}:{v!r}" for j, v in enumerate(map(float, x))) + "\n" for x, y in zip(A, b)))
    for kind, flags in ((fenchel.LinearClassifier, []), (fenchel.KernelClassifier, ["--kernel", "rbf"])):
        estimator = kind(loss="logistic")
        done = subprocess.run([_engine.program(), "tune", str(path), "--seed", "0", "--loss", "logistic", "--json", "-q", *flags], capture_output=True, text=True)
        found = json.loads(done.stdout)
        best = fenchel.tune(estimator, A, b)
        assert len(best.cv_results_["params"]) == len(found["candidates"]) > 5
        assert best.cv_results_["mean_test_score"] == pytest.approx([c["score"] for c in found["candidates"]])
        assert all(c[k] == pytest.approx(v) for c, p in zip(found["candidates"], best.cv_results_["params"]) for k, v in p.items())


def test_kernels():
    """What is chosen of a kernel becomes a kernel of the estimator."""
    best = fenchel.tune(fenchel.KernelClassifier("rbf:gamma=9"), X, TWO, search="kernel:gamma=0.01,0.1")
    assert best.kernel == f"rbf:gamma={best.best_params_['kernel:gamma']:g}" == best.kernel_
    best = fenchel.tune(fenchel.KernelClassifier(C=1.0), X, TWO, search="kernel=linear,rbf", folds=2)
    assert best.kernel in ("linear", "rbf:gamma=auto") and best.score(X, TWO) > 0.6


def test_splits():
    """Groups stay together, times go forward, and splitters of scikit-learn split."""
    groups = np.arange(160) // 20
    rows = np.column_stack([np.eye(8)[groups], X])  # the group says all, of rows that were seen
    y = groups % 2
    assert fenchel.tune(fenchel.LinearClassifier(C=100.0), rows, y, folds=4).best_score_ == 1
    assert fenchel.tune(fenchel.LinearClassifier(C=100.0), rows, y, folds=4, groups=groups).best_score_ < 0.9
    assert len([k for k in fenchel.tune(fenchel.LinearClassifier(), X, TWO, times=np.arange(160), folds=3).cv_results_ if k.startswith("split")]) == 3
    model_selection = pytest.importorskip("sklearn.model_selection")
    splitter = model_selection.ShuffleSplit(4, test_size=0.3, random_state=1)
    best = fenchel.tune(fenchel.LinearClassifier(C=1.0, gap=1e-8), X, TWO, folds=splitter)
    want = model_selection.cross_val_score(fenchel.LinearClassifier(C=1.0, gap=1e-8), X, TWO, cv=splitter)
    assert [best.cv_results_[f"split{f}_test_score"][0] for f in range(4)] == pytest.approx(want)


@pytest.mark.parametrize("error, says, arguments", [
    (TypeError, "LinearSVC", {"estimator": twins.LinearSVC()}), (ValueError, "precomputed", {"estimator": fenchel.KernelClassifier("precomputed")}), (ValueError, "found gamma", {"search": "gamma=1,2"}),
    (ValueError, "unknown score", {"score": "luck"}), (ValueError, "expected a number > 0", {"search": {"C": [-1]}}), (ValueError, "folds=1", {"folds": 1}), (ValueError, "the row 160", {"folds": [([0, 160], [1])]}),
    (ValueError, "found 2 rows to learn from and 0", {"folds": [([0, 1], [])]}), (ValueError, "shape", {"groups": [1, 2]}), (ValueError, "expected one of the two", {"groups": np.zeros(160), "times": np.zeros(160)}),
    (ValueError, "rule", {"rule": "worst"}), (ValueError, "lambda", {"estimator": fenchel.KernelClassifier(), "search": "lambda=1,2"}), (ValueError, "expected one of the two", {"folds": folds(2), "repeats": 2}),
])  # fmt: skip
def test_refused(error, says, arguments):
    with pytest.raises(error, match=says) as e:
        fenchel.tune(**{"estimator": fenchel.LinearClassifier(), "X": X, "y": TWO, **arguments})
    assert "\n" not in str(e.value)


def test_budget():
    """Too short a time for any candidate is a TimeoutError, and the next call goes on."""
    with pytest.raises(TimeoutError, match="before any candidate"):
        fenchel.tune(fenchel.KernelClassifier(gap=1e-12), *fenchel.read("@spirals:n=2000"), max_seconds=1e-6)
    assert fenchel.tune(fenchel.LinearClassifier(), X, TWO, search="C=1").best_params_ == {"C": 1.0}
