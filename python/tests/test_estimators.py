"""scikit-learn's own checks of all estimators."""

import inspect

import numpy as np
import pytest

pytest.importorskip("sklearn")
from sklearn.base import clone  # noqa: E402
from sklearn.utils import estimator_checks as checks  # noqa: E402

import fenchel  # noqa: E402
import fenchel.sklearn as twins  # noqa: E402

OWN = [fenchel.LinearClassifier(), fenchel.LinearRegressor(), fenchel.KernelClassifier(), fenchel.KernelRegressor(), fenchel.OneClass(), fenchel.PCA(), fenchel.IncrementalPCA(), fenchel.KernelPCA()]
NETWORKS = [fenchel.NetworkClassifier((8,), solver="adam:gamma=0.01", max_epochs=50), fenchel.NetworkRegressor((8,), solver="adam:gamma=0.01", max_epochs=50)]
ONLINE = [fenchel.OnlineClassifier(), fenchel.OnlineRegressor()]
OWN = [fenchel.LinearClassifier(), fenchel.LinearRegressor(), fenchel.KernelClassifier(), fenchel.KernelRegressor(), fenchel.OneClass(), *NETWORKS, *ONLINE, fenchel.PCA(), fenchel.IncrementalPCA()]
TWINS = [getattr(twins, name)() for name in twins.__all__ if name != "LogisticRegressionCV" and isinstance(getattr(twins, name), type)] + [twins.LogisticRegressionCV(Cs=2, cv=2)]

TIGHT = [
    fenchel.LinearClassifier(gap=1e-11), fenchel.LinearRegressor(gap=1e-14), fenchel.KernelClassifier(gap=1e-10),
    twins.LinearSVC(tol=1e-12), twins.Ridge(tol=1e-6), twins.Lasso(0.01, tol=1e-12), twins.ElasticNet(0.01, tol=1e-12),
    twins.SVC(gamma="auto", tol=1e-8), twins.NuSVC(gamma="auto", nu=0.1, tol=1e-8), twins.SVR(gamma="auto", tol=1e-8), twins.NuSVR(gamma="auto", tol=1e-8),
    twins.KernelRidge(), twins.RidgeClassifier(tol=1e-6), twins.SGDRegressor(alpha=0.01, tol=1e-12),
]  # fmt: skip


STRICT = {"xfail_strict": True} if "xfail_strict" in inspect.signature(checks.parametrize_with_checks).parameters else {}  # scikit-learn 1.8


@checks.parametrize_with_checks(OWN + TWINS, expected_failed_checks=fenchel.expected_failed_checks, **STRICT)
def test_check_estimator(estimator, check):
    check(estimator)


@pytest.mark.parametrize("estimator", TIGHT, ids=repr)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_weights(estimator):
    """A weight of a row is how often it counts, to nine digits."""
    name = type(estimator).__name__
    checks.check_sample_weight_equivalence_on_dense_data(name, clone(estimator))
    checks.check_sample_weight_equivalence_on_sparse_data(name, clone(estimator))


@pytest.mark.parametrize("loss", ["huber", "absolute", "epsilon-insensitive", "squared-epsilon-insensitive", "poisson"])
@pytest.mark.parametrize("kind", [fenchel.LinearRegressor, fenchel.KernelRegressor])
def test_targets_of_any_size(loss, kind):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(120, 3)).astype(np.float32)
    y = 3e5 * np.exp(X @ [0.1, 0.05, -0.1] + 0.02 * rng.normal(size=120))
    machine = {"kernel": "linear"} if kind is fenchel.KernelRegressor else {}
    if machine and loss == "poisson":
        pytest.skip("machines have no free bias for this loss, and a penalised one is too small")
    assert kind(loss=loss, **machine).fit(X, y).score(X, y) > 0.9
    if loss != "poisson":
        assert kind(loss=loss, C=1e-3, **machine).fit(X, y).score(X, y) < 0.9


@pytest.mark.parametrize("estimator", [fenchel.LinearRegressor(target_log=True, gap=1e-8), fenchel.KernelRegressor("linear", target_log=True, gap=1e-8)])
def test_target_log(estimator):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 2)).astype(np.float32)
    y = np.exp(X @ [1.0, -0.5])
    plain = type(estimator)(**{**estimator.get_params(), "target_log": False}).fit(X, np.log(y))
    model = estimator.fit(X, y)
    np.testing.assert_allclose(model.predict(X), np.exp(plain.predict(X)), rtol=1e-6)
    assert not fenchel.verify(model, X, y).problems
    with pytest.raises(ValueError, match="row 1.*expected a number > 0"):
        estimator.fit(X, -y)


def test_network():
    """A network learns what no linear model does, says its layers, and claims no gap."""
    X, y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array(["a", "b", "b", "a"])
    n = fenchel.NetworkClassifier((6, 3), activation="tanh", solver="adam:gamma=0.02", max_epochs=500).fit(X, y)
    assert n.score(X, y) == 1 and np.isnan(n.gap_) and n.gradient_norm_ > 0
    assert [c.shape for c in n.coefs_] == [(2, 6), (6, 3), (3, 1)] and [b.shape for b in n.intercepts_] == [(6,), (3,), (1,)]
    assert np.allclose(n.predict_proba(X).sum(axis=1), 1)
    for sizes in ((), (3, 0), "a", 2.5):
        with pytest.raises(ValueError, match="expected the units of each hidden layer"):
            fenchel.NetworkClassifier(sizes).fit(X, y)



@pytest.mark.parametrize("make", [lambda: fenchel.LinearRegressor(gap=1e-9), lambda: fenchel.LinearRegressor("huber", gap=1e-6), lambda: fenchel.KernelRegressor(gap=1e-9)])
def test_several_targets(make):
    """Targets of two dimensions are one problem each: the models are those of each alone."""
    random = np.random.default_rng(0)
    X = random.standard_normal((60, 4))
    Y = X @ random.standard_normal((4, 3)) * [1, 10, 100] + random.standard_normal((60, 3))
    several, weights = make().fit(X, Y, sample_weight=np.arange(60) % 3), np.arange(60) % 3
    assert several.predict(X).shape == (60, 3)
    for k in range(3):
        one = make().fit(X, Y[:, k], sample_weight=weights)
        np.testing.assert_allclose(several.predict(X)[:, k], one.predict(X), rtol=0, atol=2e-3 * np.abs(Y[:, k]).max())
    assert several.score(X, Y) == pytest.approx(np.mean([1 - np.mean((Y[:, k] - several.predict(X)[:, k]) ** 2) / np.var(Y[:, k]) for k in range(3)]))
    assert fenchel.verify(several, X, Y, weights).valid
    assert not fenchel.verify(several, X, Y[:, ::-1], weights).valid


def test_smaller_twins():
    """Twins of machines get fewer support vectors, of which the attributes are those of scikit-learn; in pipelines and searches too."""
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X, y = fenchel.read("@spirals:n=300")
    X = X.astype(float)
    full = twins.SVC(gamma=10.0, C=10.0).fit(X, y)
    small = fenchel.sparsify(full, X, y, n_support=15)
    assert len(small.support_) == small.n_support_.sum() <= 15 < len(full.support_) and small.score(X, y) > 0.9 and full.status_ == "converged"
    scores = np.exp(-10 * np.square(X[:, None] - small.support_vectors_).sum(-1)) @ small.dual_coef_[0] + small.intercept_
    np.testing.assert_allclose(small.decision_function(X), scores, atol=1e-6)
    assert (y[small.support_] == np.repeat(small.classes_, small.n_support_)).all()
    pipe = make_pipeline(StandardScaler(), twins.SVC(gamma=5.0, C=10.0))
    for fitted in (pipe.fit(X, y), GridSearchCV(pipe, {"svc__C": [10.0]}, cv=2).fit(X, y)):
        assert fenchel.sparsify(fitted, X, y, n_support=20).score(X, y) > 0.9
    with pytest.raises(ValueError, match="no rows of X"):
        fenchel.sparsify(full, X, y, n_support=10, method="merge")
    with pytest.raises(TypeError, match="expected a KernelClassifier"):
        fenchel.sparsify(twins.LinearSVC().fit(X, y), X, y, n_support=10)
