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
    (TypeError, "HuberRegressor", {"estimator": twins.HuberRegressor()}), (ValueError, "precomputed", {"estimator": fenchel.KernelClassifier("precomputed")}), (ValueError, "found gamma", {"search": "gamma=1,2"}),
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


def test_times():
    """Times are one order, however they are written; what is none is refused with its row."""
    rng, n = np.random.RandomState(3), 60
    at = rng.permutation(n)
    rows, y = np.column_stack([at % 7, at % 5]).astype(float), at.astype(float)
    day = np.datetime64("2023-01-05") + 23 * at

    def scores(times):
        found = fenchel.tune(fenchel.LinearRegressor(C=1.0), rows, y, times=times, folds=3, search="").cv_results_
        return [found[f"split{f}_test_score"][0] for f in range(3)]

    want = scores(at)
    assert want[0] < want[1] < want[2]
    written = [f"{d.day}.{d.month}.{d.year}" for d in day.tolist()]
    for times in (list(map(str, at)), at / 10, day, day.astype("M8[ns]"), day.tolist(), written, [f"{d.month}/{d.day}/{d.year}" for d in day.tolist()]):
        assert scores(times) == want, times
    pandas = pytest.importorskip("pandas")
    assert scores(pandas.Series(day).dt.tz_localize("Europe/Berlin")) == want
    for times, says in (
        (np.where(at == 3, np.nan, at), "found none in row"), ([None if i == 3 else d for i, d in zip(at, written)], "found none in row"), (np.where(at == 3, np.datetime64("NaT"), day), "found none in row"),
        (["soon" if i == 3 else d for i, d in zip(at, written)], f'row {int(np.flatnonzero(at == 3)[0]) + 1}: found the time "soon"'),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=says):
            scores(times)


def test_usual_scores():
    """The score that is not asked for suits the rarest class and the loss, and is said."""
    rare = np.arange(160) % 20 == 0
    for estimator, y, name in (
        (fenchel.LinearClassifier(C=1.0), rare, "auc"), (fenchel.LinearClassifier("logistic", C=1.0), rare, "logloss"), (fenchel.LinearClassifier(C=1.0), TWO, "accuracy"),
        (fenchel.LinearRegressor("quantile:tau=0.9", C=1.0), NUMBERS, "pinball"), (fenchel.LinearRegressor("absolute", C=1.0), NUMBERS, "mae"), (fenchel.LinearRegressor("poisson", C=1.0), np.round(NUMBERS) ** 2, "deviance"),
    ):  # fmt: skip
        best = fenchel.tune(estimator, X, y, search="", folds=2)
        assert best.scored_by_.split(",")[0] == name and ("," in best.scored_by_) == (name != "accuracy")
    metrics = pytest.importorskip("sklearn.metrics")
    for estimator, y, score, want in (
        (fenchel.LinearClassifier("logistic", C=1.0, gap=1e-8), TWO, "ap", lambda y, m, A: metrics.average_precision_score(y == "yes", m.decision_function(A))),
        (fenchel.LinearRegressor("quantile:tau=0.9", C=1.0, gap=1e-8), NUMBERS, "pinball", lambda y, m, A: metrics.mean_pinball_loss(y, m.predict(A), alpha=0.9)),
        (fenchel.LinearRegressor("poisson", C=1.0, gap=1e-8), np.round(np.abs(NUMBERS)), "deviance", lambda y, m, A: metrics.mean_poisson_deviance(y, m.predict(A))),
    ):  # fmt: skip
        found = fenchel.tune(estimator, X, y, search="", folds=folds(3), score=score).cv_results_
        for f, (learn, judge) in enumerate(folds(3)):
            one = type(estimator)(**estimator.get_params()).fit(X[learn], y[learn])
            assert found[f"split{f}_test_score"][0] == pytest.approx(want(y[judge], one, X[judge]), rel=2e-3)


def test_scale_of_folds():
    """gamma="scale" is that of the rows that each fold learns from."""
    rows = X * np.where(np.arange(160) % 3 == 0, 9, 1)[:, None] + 1000
    estimator = fenchel.KernelClassifier("rbf", C=1.0, loss="logistic", gap=1e-7)
    found = fenchel.tune(estimator, rows, TWO, W + 1, search="bias=free", folds=folds(3)).cv_results_
    for f, (learn, judge) in enumerate(folds(3)):
        one = fenchel.KernelClassifier("rbf", C=1.0, loss="logistic", gap=1e-7).fit(rows[learn], TWO[learn], W[learn] + 1)
        assert found[f"split{f}_test_score"][0] == pytest.approx(np.average(one.predict(rows[judge]) == TWO[judge], weights=W[judge] + 1))


def test_groups_of_probabilities():
    """Sigmoids are fitted to folds that keep groups whole: new groups are not told with certainty."""
    rng = np.random.RandomState(1)
    centre, groups = rng.randn(30, 3), np.repeat(np.arange(30), 8)
    rows, y = centre[groups] + 0.01 * rng.randn(240, 3), groups % 2
    new = rng.randn(200, 3)
    alone, whole = (twins.SVC(C=100.0, gamma=3.0, probability=True, random_state=1).fit(rows, y, groups=g).predict_proba(new) for g in (None, groups))
    assert np.abs(alone - 0.5).mean() > 0.2 > 2 * np.abs(whole - 0.5).mean()
    with pytest.raises(ValueError, match="expected probability=True"):
        twins.SVC().fit(rows, y, groups=groups)


def test_twins():
    """Twins and estimators of scikit-learn are judged as its GridSearchCV judges the twins, under the names of their parameters."""
    pytest.importorskip("sklearn")
    from sklearn import linear_model, svm
    from sklearn.model_selection import GridSearchCV, KFold

    rng = np.random.RandomState(0)
    A = rng.randn(120, 5).astype(np.float32).astype(float)
    numbers, labels = A @ rng.randn(5) + rng.randn(120), (A[:, 0] + rng.randn(120) > 0).astype(int) + (A[:, 1] > 1)
    for estimator, y, search, scoring in (
        (twins.LinearSVC(), labels > 0, {"C": [0.01, 1.0, 10.0]}, "accuracy"), (svm.SVC(), labels, {"C": [0.1, 10.0], "gamma": [0.01, 0.1]}, "accuracy"), (linear_model.LogisticRegression(), labels, {"C": [0.01, 1.0]}, "accuracy"),
        (linear_model.Ridge(), numbers, {"alpha": [0.1, 1.0, 100.0]}, "neg_root_mean_squared_error"), (twins.Lasso(), numbers, {"alpha": [0.01, 0.1]}, "neg_root_mean_squared_error"),
        (linear_model.SGDClassifier("modified_huber"), labels > 0, {"alpha": [0.01, 10.0]}, "accuracy"), (twins.LinearSVR(loss="squared_epsilon_insensitive"), numbers, {"C": [0.001, 1.0]}, "neg_root_mean_squared_error"),
    ):  # fmt: skip
        folds = KFold(4, shuffle=True, random_state=1)
        best = fenchel.tune(estimator, A, y, search=search, folds=folds, score={"accuracy": "accuracy"}.get(scoring, "rmse"))
        grid = GridSearchCV(getattr(twins, type(estimator).__name__)(**estimator.get_params()), search, cv=folds, scoring=scoring).fit(A, y)
        assert type(best) is type(grid.best_estimator_) and best.best_params_ == grid.best_params_ and best.get_params() == grid.best_estimator_.get_params()
        np.testing.assert_allclose(best.cv_results_["mean_test_score"], np.abs(grid.cv_results_["mean_test_score"]), rtol=1e-4)
        assert fenchel.verify(best, A, y).valid
    assert fenchel.tune(twins.SVC(gamma=0.1), A, labels, search="C=0.1,1").best_params_["C"] in (0.1, 1.0)
    with pytest.raises(ValueError, match="expected a dict"):
        fenchel.tune(twins.Ridge(), A, numbers, search="alpha=1,2")
    assert fenchel.tune(twins.Lasso(), A, numbers).best_score_ < numbers.std()


def test_pipelines_and_searches():
    """Steps are fitted to the rows of each fold; a search gives its grid and its folds."""
    pytest.importorskip("sklearn")
    from sklearn.model_selection import GridSearchCV, cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    A = X * np.linspace(1, 50, X.shape[1])
    pipe = make_pipeline(StandardScaler(), twins.SVC())
    best = fenchel.tune(pipe, A, TWO, search={"svc__C": [0.1, 1.0]}, folds=4)
    assert best.best_score_ == pytest.approx(max(cross_val_score(pipe.set_params(svc__C=c), A, TWO, cv=4).mean() for c in (0.1, 1.0)))
    assert best.score(A, TWO) > 0.5 and best.best_params_["svc__C"] in (0.1, 1.0)
    found = fenchel.tune(GridSearchCV(twins.SVC(gamma=0.1), {"C": [0.1, 1.0]}, cv=3), A, TWO)
    assert isinstance(found, twins.SVC) and "split2_test_score" in found.cv_results_ and "split3_test_score" not in found.cv_results_
    with pytest.raises(ValueError, match="svc__C"):
        fenchel.tune(pipe, A, TWO, search="C=1,2")
