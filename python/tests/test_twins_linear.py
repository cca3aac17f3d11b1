"""Twins of linear models that choose their penalty, or have another loss, against scikit-learn."""

import inspect
import warnings

import numpy as np
import pytest

sklearn = pytest.importorskip("sklearn")
from scipy import sparse  # noqa: E402
from sklearn import linear_model, svm  # noqa: E402
from sklearn.exceptions import ConvergenceWarning  # noqa: E402

import fenchel  # noqa: E402
import fenchel.sklearn as twins  # noqa: E402

RNG = np.random.RandomState(5)
X = RNG.randn(90, 5).astype(np.float32).astype(float)
CLEAN = X @ [1.0, 2.0, 0.0, 0.0, -1.0] + 3 + RNG.randn(90)
NUMBERS = (CLEAN + 30 * (np.arange(90) < 6)).astype(np.float32).astype(float)
TWO, THREE = np.where(CLEAN > 3, "a", "b"), (CLEAN > 2).astype(int) + (CLEAN > 4)
COUNTS = RNG.poisson(np.exp(X @ [0.3, 0.5, 0.0, 0.0, -0.2] + 0.5)).astype(float)
TARGETS = np.column_stack([CLEAN, 3 * X[:, 0] + RNG.randn(90)])
W = RNG.randint(0, 4, 90).astype(float)
ALPHAS = np.logspace(-2, 3, 9)


def both(name, parameters, y, w, rows=X, tight=None):
    theirs = getattr(svm if name == "LinearSVR" else linear_model, name)
    return getattr(twins, name)(**parameters).fit(rows, y, w), theirs(**{**parameters, **(tight or {})}).fit(rows, y, w)


def same(ours, theirs, *names, rtol=1e-5, atol=1e-5):
    for name in names:
        found, want = getattr(ours, name), getattr(theirs, name)
        assert np.shape(found) == np.shape(want), name
        np.testing.assert_allclose(found, want, rtol=rtol, atol=atol, err_msg=name)


@pytest.mark.parametrize("w", [None, W], ids=["", "weighted"])
@pytest.mark.parametrize("y", [CLEAN, TARGETS], ids=["one", "two"])
@pytest.mark.parametrize("parameters", [{}, {"fit_intercept": False}, {"scoring": "neg_mean_absolute_error"}, {"cv": 4}, {"store_cv_results": True}, {"alpha_per_target": True}], ids=repr)
def test_ridge_cv(parameters, y, w):
    """Rows left out in closed form, weighted ones too, have the errors that scikit-learn finds."""
    w = w if w is None or "scoring" not in parameters else w + 1  # of rows of weight zero scikit-learn predicts NaN
    ours, theirs = both("RidgeCV", {"alphas": ALPHAS, **parameters}, y, w)
    same(ours, theirs, "alpha_", "best_score_", "coef_", "intercept_", *(["cv_results_"] if "store_cv_results" in parameters else []))
    assert fenchel.verify(ours, X, y, w).valid and ours.gap_ <= 1e-8
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("w", [None, W], ids=["", "weighted"])
@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("parameters", [{}, {"fit_intercept": False}, {"class_weight": {0: 2.0, "a": 3.0}}, {"cv": 4}, {"store_cv_results": True}], ids=repr)
def test_ridge_classes(parameters, y, w):
    if "class_weight" in parameters:
        parameters = {"class_weight": {"a": 3.0} if y is TWO else {0: 2.0}}
    ours, theirs = both("RidgeClassifierCV", {"alphas": ALPHAS, **parameters}, y, w)
    same(ours, theirs, "alpha_", "best_score_", "coef_", "intercept_", *(["cv_results_"] if "store_cv_results" in parameters else []))
    ours, theirs = both("RidgeClassifier", {k: v for k, v in parameters.items() if k in ("fit_intercept", "class_weight")}, y, w)
    same(ours, theirs, "coef_", "intercept_")
    assert (ours.predict(X) == theirs.predict(X)).all() and fenchel.verify(ours, X, y, w).valid


def test_ridge_accuracy():
    """Of two classes scikit-learn compares a column with itself, and says that all rows are right."""
    scored = twins.RidgeClassifierCV([1.0], scoring="accuracy").fit(X, TWO).best_score_
    one_by_one = [twins.RidgeClassifier(1.0).fit(np.delete(X, i, 0), np.delete(TWO, i)).predict(X[i : i + 1])[0] == TWO[i] for i in range(len(X))]
    assert scored == np.mean(one_by_one) < 1


@pytest.mark.parametrize("w", [None, W], ids=["", "weighted"])
@pytest.mark.parametrize("rows", [X, sparse.csr_matrix(X)], ids=["dense", "sparse"])
@pytest.mark.parametrize("name, parameters", [
    ("LassoCV", {}), ("LassoCV", {"fit_intercept": False, "alphas": 20, "cv": 3}), ("LassoCV", {"alphas": [0.0, 0.1, 1.0, 0.3]}), ("LassoCV", {"positive": True, "alphas": 20}), ("ElasticNetCV", {"positive": True, "fit_intercept": False}), ("ElasticNetCV", {}),
    ("ElasticNetCV", {"l1_ratio": [0.3, 0.9], "alphas": 30}),
])  # fmt: skip
def test_path_cv(name, parameters, rows, w):
    """The error of every alpha on every fold, the grid and the choice are those of scikit-learn."""
    ours, theirs = both(name, {**parameters, "tol": 1e-9}, CLEAN, w, rows)
    same(ours, theirs, "alpha_", "alphas_", "mse_path_", "coef_", "intercept_", *(["l1_ratio_"] if name == "ElasticNetCV" else []))
    assert fenchel.verify(ours, rows, CLEAN, w).valid and ours.gap_ <= 1e-9


@pytest.mark.parametrize("name, parameters", [("lasso_path", {}), ("lasso_path", {"alphas": [0.1, 0.5], "return_n_iter": True}), ("lasso_path", {"positive": True, "alphas": 10}), ("enet_path", {"l1_ratio": 0.4, "eps": 1e-2, "alphas": 30})])
def test_paths(name, parameters):
    ours, theirs = (getattr(module, name)(X, CLEAN, tol=1e-10, **parameters) for module in (twins, linear_model))
    assert len(ours) == len(theirs)
    np.testing.assert_allclose(ours[0], theirs[0])
    np.testing.assert_allclose(ours[1], theirs[1], atol=1e-5)
    assert (ours[2] >= 0).all() and (ours[2] < 1e-8).all()
    with pytest.raises(ValueError, match="l1_ratio=0"):
        twins.enet_path(X, CLEAN, l1_ratio=0)


def concomitant(model, y, w, epsilon=1.35, alpha=1e-4):
    """The objective of HuberRegressor, as scikit-learn writes it."""
    w, z = np.ones(len(y)) if w is None else w, np.abs(y - X @ model.coef_ - model.intercept_) / model.scale_
    return w @ (model.scale_ * (1 + np.where(z < epsilon, z * z, 2 * epsilon * z - epsilon**2))) + alpha * model.coef_ @ model.coef_


@pytest.mark.parametrize("w", [None, W], ids=["", "weighted"])
@pytest.mark.parametrize("parameters", [{}, {"alpha": 1.0}, {"epsilon": 2.5, "fit_intercept": False}, {"alpha": 0.0}], ids=repr)
def test_huber(parameters, w):
    """Weights and scale are the optimum of both, the bound is below any other's objective, and near it."""
    ours, theirs = both("HuberRegressor", {**parameters, "tol": 1e-8}, NUMBERS, w, tight={"tol": 1e-12, "max_iter": 10**4})
    own = {k: v for k, v in parameters.items() if k != "fit_intercept"}
    total = len(X) if w is None else w.sum()
    best, other = (concomitant(m, NUMBERS, w, **own) for m in (ours, theirs))
    assert ours.gap_ <= 1e-8 and ours.certificate_.dual * total <= min(best, other) and best <= other * (1 + 1e-9)
    np.testing.assert_allclose(ours.certificate_.primal * total, best, rtol=1e-9)
    same(ours, theirs, "coef_", "intercept_", "scale_", rtol=2e-5, atol=5e-5)
    assert (ours.outliers_ == theirs.outliers_).mean() > 0.98 and ours.outliers_[:6].all()
    assert fenchel.verify(ours, X, NUMBERS, w).valid


def test_huber_bound():
    """A bound that lies above the objective of any scale would be false: it is not, of any start, and where it is loose it says so."""
    for seed in range(5):
        rng = np.random.RandomState(seed)
        A, y = rng.randn(12, 3).astype(np.float32).astype(float), rng.standard_t(1.5, 12)
        m = twins.HuberRegressor(alpha=0.1, tol=1e-9).fit(A, y)
        for scale in m.scale_ * np.array([0.3, 0.9, 0.99, 0.999, 1.0, 1.001, 1.01, 1.1, 3.0]):
            one = fenchel.LinearRegressor(f"huber:delta={float(1.35 * scale)!r}", C=1 / (scale * 0.1), gap=1e-12).fit(A, y)
            assert scale + 2 / scale * one.certificate_.primal >= m.certificate_.dual
    with pytest.warns(ConvergenceWarning, match="weights and scale together"):
        assert twins.HuberRegressor(epsilon=1.0, tol=1e-8).fit(X, NUMBERS).status_ == "stalled"
    exact = twins.HuberRegressor().fit(X, X @ np.arange(5.0))
    np.testing.assert_allclose(exact.coef_, np.arange(5.0), atol=1e-3)
    assert exact.scale_ < 1e-6 and exact.certificate_.dual <= 1e-4 * np.square(np.arange(5.0)).sum() / 90  # the limit at the scale 0


def pinball(m, w, q, alpha):
    r = NUMBERS - X @ m.coef_ - m.intercept_
    return np.average(np.maximum(q * r, (q - 1) * r), weights=w) + alpha * np.abs(m.coef_).sum()


@pytest.mark.parametrize("w", [None, W], ids=["", "weighted"])
@pytest.mark.parametrize("parameters", [{}, {"alpha": 0.1}, {"quantile": 0.2, "alpha": 0.05, "fit_intercept": False}, {"alpha": 0.0, "quantile": 0.7}], ids=repr)
def test_quantile(parameters, w):
    """Linear programs can have many solutions: what is compared is the objective, and weights where there are some."""
    ours, theirs = both("QuantileRegressor", parameters, NUMBERS, w)
    q, alpha = parameters.get("quantile", 0.5), parameters.get("alpha", 1.0)
    assert pinball(ours, w, q, alpha) == pytest.approx(pinball(theirs, w, q, alpha), rel=2e-8) and ours.gap_ <= 1e-8
    same(ours, theirs, "coef_", rtol=1e-4, atol=1e-4)
    assert fenchel.verify(ours, X, NUMBERS, w).valid


@pytest.mark.parametrize("w", [None, W], ids=["", "weighted"])
@pytest.mark.parametrize("parameters", [{}, {"alpha": 0.01}, {"fit_intercept": False}, {"alpha": 0.0}], ids=repr)
def test_poisson(parameters, w):
    ours, theirs = both("PoissonRegressor", {**parameters, "tol": 1e-10}, COUNTS, w, tight={"solver": "newton-cholesky", "max_iter": 1000})
    same(ours, theirs, "coef_", "intercept_")
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-5)
    assert ours.score(X, COUNTS, w) == pytest.approx(theirs.score(X, COUNTS, w), abs=1e-6) and fenchel.verify(ours, X, COUNTS, w).valid
    with pytest.raises(ValueError, match="out of the valid range"):
        twins.PoissonRegressor().fit(X, -COUNTS)


@pytest.mark.parametrize("w", [None, W], ids=["", "weighted"])
@pytest.mark.parametrize("parameters", [
    {}, {"epsilon": 0.5}, {"loss": "squared_epsilon_insensitive"}, {"loss": "squared_epsilon_insensitive", "epsilon": 0.3, "fit_intercept": False}, {"intercept_scaling": 10.0},
], ids=repr)  # fmt: skip
def test_linear_svr(parameters, w):
    ours, theirs = both("LinearSVR", {**parameters, "tol": 1e-9}, CLEAN, w, tight={"max_iter": 10**7})
    same(ours, theirs, "coef_", "intercept_")
    assert fenchel.verify(ours, X, CLEAN, w).valid


def objective(m, y, loss, penalty, alpha):
    """The objective of SGDClassifier and SGDRegressor, as the manual of scikit-learn writes it."""
    p, v = X @ np.ravel(m.coef_) + np.ravel(m.intercept_)[0], np.ravel(m.coef_)
    z, r = y * p, np.abs(y - p)
    value = {
        "hinge": np.maximum(0, 1 - z), "log_loss": np.logaddexp(0, -z), "squared_hinge": np.maximum(0, 1 - z) ** 2, "modified_huber": np.where(z > -1, np.maximum(0, 1 - z) ** 2, -4 * z),
        "squared_error": r * r / 2, "huber": np.where(r < 0.1, r * r / 2, 0.1 * r - 0.005), "epsilon_insensitive": np.maximum(0, r - 0.1), "squared_epsilon_insensitive": np.maximum(0, r - 0.1) ** 2,
    }  # fmt: skip
    return value[loss].mean() + alpha * {"l2": v @ v / 2, "l1": np.abs(v).sum(), "elasticnet": 0.15 * np.abs(v).sum() + 0.85 * v @ v / 2}[penalty]


@pytest.mark.parametrize("penalty", ["l2", "l1", "elasticnet"])
@pytest.mark.parametrize("loss", ["hinge", "log_loss", "squared_hinge", "modified_huber", "squared_error", "huber", "epsilon_insensitive", "squared_epsilon_insensitive"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_descent(loss, penalty):
    """The objective is that of scikit-learn, which comes near the proved bound, and never below it."""
    signs, how = np.where(TWO == "b", 1.0, -1.0), {"penalty": penalty, "alpha": 0.01}
    cases = [("SGDClassifier", TWO, signs)] + ([] if loss in ("hinge", "log_loss", "squared_hinge", "modified_huber") else [("SGDRegressor", CLEAN, CLEAN)])
    for name, y, numbers in cases:
        rate = "invscaling" if name == "SGDRegressor" or loss.startswith("squared") else "optimal"
        ours, theirs = getattr(twins, name)(loss, tol=1e-7, **how).fit(X, y), getattr(linear_model, name)(loss, tol=None, max_iter=1000, random_state=0, learning_rate=rate, **how).fit(X, y)
        unit = 4 if loss == "modified_huber" else 1
        assert ours.certificate_.primal * unit == pytest.approx(objective(ours, numbers, loss, penalty, 0.01), rel=1e-9)
        other = objective(theirs, numbers, loss, penalty, 0.01)
        assert ours.certificate_.dual * unit <= other <= 1.05 * ours.certificate_.primal * unit
        assert fenchel.verify(ours, X, y).valid and ours.coef_.shape == theirs.coef_.shape and ours.intercept_.shape == theirs.intercept_.shape


def test_descent_without_penalty():
    """alpha=0 and penalty=None are the least squares, and the logistic regression, of no penalty."""
    for how in ({"alpha": 0.0}, {"penalty": None}):
        np.testing.assert_allclose(twins.SGDRegressor(**how).fit(X, CLEAN).coef_, linear_model.LinearRegression().fit(X, CLEAN).coef_, rtol=1e-5)
        theirs = linear_model.LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-10).fit(X, TWO)
        np.testing.assert_allclose(twins.SGDClassifier("log_loss", **how).fit(X, TWO, None, None, None).coef_, theirs.coef_, rtol=1e-4)


def test_partial_fit():
    """Rows in batches, each seen once, of several classes; fit forgets them, and nothing is proved of them."""
    c, r = twins.SGDClassifier("log_loss"), twins.SGDRegressor()
    for _ in range(30):
        for lo in range(0, 90, 30):
            c.partial_fit(X[lo : lo + 30], THREE[lo : lo + 30], classes=[0, 1, 2])
            r.partial_fit(X[lo : lo + 30], CLEAN[lo : lo + 30])
    assert c.score(X, THREE) > twins.SGDClassifier("log_loss").fit(X, THREE).score(X, THREE) - 0.05 and c.t_ == 30 * 90 + 1
    assert r.score(X, CLEAN) > 0.7 and np.isnan(r.gap_) and r.coef_.shape == (5,) and c.coef_.shape == (3, 5)
    np.testing.assert_allclose(c.predict_proba(X).sum(axis=1), 1)
    assert "each row was seen once" in fenchel.verify(r, X, CLEAN).unproved
    assert (r.fit(X, CLEAN).coef_ == twins.SGDRegressor().fit(X, CLEAN).coef_).all()
    for wrong, message in (
        (lambda: twins.SGDClassifier().partial_fit(X, TWO), "first call"), (lambda: twins.SGDClassifier("modified_huber").partial_fit(X, TWO, classes=["a", "b"]), "expected 'hinge' or 'log_loss'"),
        (lambda: c.partial_fit(X, THREE + 1), "expected .0, 1, 2."), (lambda: twins.SGDRegressor().partial_fit(X, CLEAN, W), "weights of rows"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=message):
            wrong()


@pytest.mark.parametrize("name", ["lasso_path", "enet_path"])
def test_signatures(name):
    """What a caller may name of scikit-learn's functions may be named here."""
    ours, theirs = (inspect.signature(getattr(m, name)).parameters for m in (twins, linear_model))
    assert all(ours[n].default == theirs[n].default for n in ours if n in theirs)
    assert name == "lasso_path" or list(ours) == list(theirs)


@pytest.mark.parametrize("estimator", [
    twins.RidgeCV([0.0]), twins.RidgeCV(cv=3, store_cv_results=True), twins.LassoCV(alphas=[-1.0]), twins.ElasticNetCV(l1_ratio=0.0), twins.RidgeClassifier(-1.0),
    twins.HuberRegressor(epsilon=0.5), twins.QuantileRegressor(quantile=1.5), twins.PoissonRegressor(alpha=-1), twins.LinearSVR(loss="squared"), twins.LinearSVR(epsilon=-1.0), twins.LinearSVR(epsilon="a"),
    twins.SGDClassifier(early_stopping=True), twins.SGDClassifier("perceptron"), twins.SGDRegressor(learning_rate="luck"), twins.SGDRegressor("hinge"),
], ids=repr)  # fmt: skip
def test_refused(estimator):
    """What there is not is refused, in one line."""
    with pytest.raises((ValueError, TypeError)) as e:
        estimator.fit(X, TWO if "Classifier" in type(estimator).__name__ else COUNTS)
    assert "\n" not in str(e.value)


def test_warnings_point_here():
    """A warning names the line of the caller, not one of this package or of scikit-learn."""
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    for fit in (twins.LinearSVC(max_iter=1, tol=1e-9).fit, make_pipeline(StandardScaler(), twins.LinearSVC(max_iter=1, tol=1e-9)).fit, twins.RidgeCV(cv=3).fit):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            fit(np.column_stack([X, 1e-50 * X[:, 0]]), NUMBERS if fit.__self__.__class__ is twins.RidgeCV else TWO)
        assert caught and all(w.filename == __file__ for w in caught)
