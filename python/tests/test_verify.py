"""How far models of this package and of others are from the best possible."""

import numpy as np
import pytest

import fenchel
import fenchel.sklearn as twins

RNG = np.random.RandomState(0)
X = RNG.randn(120, 5).astype(np.float32)
TWO = (X[:, 0] + 0.5 * RNG.randn(120) > 0).astype(int)
THREE = RNG.randint(0, 3, 120)
NUMBERS = X @ np.arange(5.0) + RNG.randn(120)


@pytest.mark.parametrize("estimator, y", [
    (fenchel.LinearClassifier(), TWO), (fenchel.LinearClassifier("logistic", scale="std", class_weight="balanced"), THREE), (fenchel.LinearRegressor(), NUMBERS),
    (fenchel.KernelClassifier(), THREE), (fenchel.KernelClassifier(scheme="one-against-one"), THREE), (fenchel.KernelRegressor(), NUMBERS),
    (fenchel.OneClass(), None), (fenchel.PCA(2), None), (twins.SVC(), TWO), (twins.NuSVC(nu=0.3), TWO), (twins.Lasso(0.1), NUMBERS), (twins.TruncatedSVD(2), None),
    (fenchel.KernelClassifier(lambda a, b: a @ b.T), TWO),
])  # fmt: skip
def test_own(estimator, y):
    """What a model claims is true of its rows, and false of others."""
    estimator.fit(X, y)
    found = fenchel.verify(estimator, X, y)
    assert found.valid, found
    assert found.gap == pytest.approx(estimator.gap_, rel=1e-6, abs=1e-12)
    other = X.copy()
    other[3, 2] += 1
    assert not fenchel.verify(estimator, other, y).valid


def test_weights_and_offsets():
    """Verify takes rows as fit did: weights, zeros among them, and columns far from zero."""
    w = RNG.randint(0, 3, 120)
    far = X.astype(np.float64) + [1e6, 0, 0, -1e5, 0]
    for estimator, y in ((fenchel.LinearClassifier(), TWO), (fenchel.KernelRegressor(), NUMBERS)):
        estimator.fit(far, y, sample_weight=w)
        assert fenchel.verify(estimator, far, y, sample_weight=w).valid
        assert not fenchel.verify(estimator, far, y).valid


def test_scikit_learn():
    """The gap of scikit-learn's models: small, and large for weights that are wrong."""
    pytest.importorskip("sklearn")
    from sklearn import linear_model, svm

    for model, y, most in (
        (svm.LinearSVC(tol=1e-8, max_iter=100000), TWO, 1e-5), (svm.LinearSVC(loss="hinge", dual=True, tol=1e-8, max_iter=100000), THREE, 1e-4),
        (linear_model.LogisticRegression(tol=1e-8), TWO, 1e-5), (linear_model.LogisticRegression(l1_ratio=1.0, solver="saga", tol=1e-8, max_iter=10000), TWO, 1e-5),
        (linear_model.LogisticRegression(tol=1e-8, class_weight="balanced"), THREE, 1e-5), (svm.LinearSVC(multi_class="crammer_singer", tol=1e-8, max_iter=100000), THREE, 1e-4),
        (svm.LinearSVC(multi_class="crammer_singer", tol=1e-8, max_iter=100000), TWO, 1e-4),
        (linear_model.Ridge(), NUMBERS, 1e-5), (linear_model.Lasso(0.1, tol=1e-8), NUMBERS, 1e-5), (linear_model.ElasticNet(0.1, tol=1e-8), NUMBERS, 1e-5),
        (svm.SVC(tol=1e-6), TWO, 1e-4), (svm.SVC(tol=1e-6, kernel="poly", coef0=1), THREE, 1e-4), (svm.NuSVC(nu=0.3, tol=1e-8), TWO, 1e-4),
        (svm.SVR(tol=1e-6), NUMBERS, 1e-4), (svm.NuSVR(tol=1e-6), NUMBERS, 1e-4), (svm.OneClassSVM(tol=1e-8), None, 1e-4),
    ):  # fmt: skip
        model.fit(X, y)
        found = fenchel.verify(model, X, y, gap=1e-9)
        assert -1e-12 <= found.gap <= most, (model, found)
        assert found.certificate.dual <= found.certificate.primal
    ridge = linear_model.Ridge().fit(X, NUMBERS)
    ridge.coef_ = ridge.coef_ * 1.5
    assert fenchel.verify(ridge, X, NUMBERS).gap > 0.1


@pytest.mark.parametrize("name, parameters", [
    ("Ridge", {}), ("Ridge", {"alpha": [0.1, 1.0, 10.0]}), ("Lasso", {"alpha": 0.1, "tol": 1e-8}), ("ElasticNet", {"alpha": 0.1, "tol": 1e-8}), ("KernelRidge", {"kernel": "rbf"}),
    ("KernelRidge", {"alpha": np.array([0.1, 1.0, 10.0])}), ("KernelRidge", {"kernel": "precomputed"}), ("KernelRidge", {"kernel": lambda a, b: np.exp(-np.abs(a - b).sum())}),
])  # fmt: skip
def test_targets(name, parameters):
    """One certificate for each target, of estimators of this package and of scikit-learn; what is
    wrong of one is said of that one."""
    sklearn = pytest.importorskip("sklearn")
    from sklearn import kernel_ridge, linear_model

    w = RNG.randint(0, 3, 120)
    several = np.column_stack([NUMBERS, X[:, 0] - X[:, 1] + RNG.randn(120), np.sin(X[:, 2])])
    kernel = parameters.get("kernel")
    A = X.astype(float) @ X.T if kernel == "precomputed" else X
    for home in (twins, kernel_ridge if name == "KernelRidge" else linear_model):
        if callable(kernel) and home is twins:  # of two arrays there
            continue
        for y in (several, several[:, :1], NUMBERS) if np.ndim(parameters.get("alpha", 1)) == 0 else (several,):
            model = getattr(home, name)(**parameters).fit(A, y, sample_weight=w)
            found = fenchel.verify(model, A, y, sample_weight=w, gap=1e-9)
            assert found.valid and -1e-12 <= found.gap <= 1e-5, (home, found)
            assert y.ndim == 1 or len(found.certificate) == y.shape[1]
    wrong = sklearn.base.clone(model).fit(A, several, sample_weight=w)
    coef = wrong.coef_ if hasattr(wrong, "coef_") else wrong.dual_coef_.T
    coef[1] *= 1.5
    gaps = [c.gap for c in fenchel.verify(wrong, A, several, sample_weight=w).certificate]
    assert gaps[1] > 1e-3 and max(gaps[0], gaps[2]) <= 1e-5
    own = getattr(twins, name)(**({} if callable(kernel) else parameters)).fit(A, several)
    assert fenchel.verify(own, A, several[:, [0, 2, 1]]).problems[0].startswith("target 2: ")
    with pytest.raises(ValueError, match="3 targets|found 2 targets, expected 3"):
        fenchel.verify(own, A, several[:, :2])


def test_more_of_scikit_learn():
    """Models that choose a parameter, of other losses and without penalty, pipelines and searches: the gap is small of those that scikit-learn solves, and
    large of weights that are moved."""
    pytest.importorskip("sklearn")
    from sklearn import decomposition, linear_model, svm
    from sklearn.base import clone
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    several, w = np.column_stack([NUMBERS, X[:, 0] - X[:, 1] + RNG.randn(120)]), RNG.randint(0, 3, 120)
    scaled = make_pipeline(StandardScaler(), svm.SVC(tol=1e-6))
    for model, y in (
        (linear_model.LinearRegression(), NUMBERS), (linear_model.Ridge(positive=True, tol=1e-10), NUMBERS), (linear_model.Lasso(0.01, positive=True, tol=1e-8), NUMBERS), (linear_model.LinearRegression(fit_intercept=False), several), (linear_model.RidgeCV(), NUMBERS), (linear_model.RidgeCV(alpha_per_target=True), several),
        (linear_model.LassoCV(tol=1e-8, cv=3), NUMBERS), (linear_model.ElasticNetCV(l1_ratio=[0.3, 0.9], tol=1e-8, cv=3), NUMBERS), (linear_model.RidgeClassifier(class_weight="balanced"), THREE),
        (linear_model.RidgeClassifierCV(), TWO), (svm.LinearSVR(loss="squared_epsilon_insensitive", tol=1e-8, max_iter=10**5), NUMBERS), (linear_model.HuberRegressor(), NUMBERS),
        (linear_model.QuantileRegressor(alpha=0.1), NUMBERS), (linear_model.PoissonRegressor(tol=1e-8), np.abs(NUMBERS)), (linear_model.LogisticRegressionCV(use_legacy_attributes=True, tol=1e-8, l1_ratios=None, scoring=None), THREE),
        (linear_model.SGDClassifier("log_loss", alpha=0.1, tol=None, max_iter=3000), TWO), (linear_model.SGDRegressor("huber", alpha=0.1, tol=None, max_iter=3000), NUMBERS), (scaled, TWO),
        (GridSearchCV(make_pipeline(StandardScaler(), twins.LinearSVC()), {"linearsvc__C": [0.1, 1.0]}, cv=3), TWO),
    ):  # fmt: skip
        for sample_weight in (None, w) if not hasattr(model, "steps") and not hasattr(model, "estimator") else (None,):
            model = clone(model).fit(X, y, **({} if sample_weight is None else {"sample_weight": sample_weight}))
            found = fenchel.verify(model, X, y, sample_weight)
            assert not found.problems and -1e-12 <= found.gap <= (0.01 if "SGD" in str(model) else 1e-4), (model, found)
        if hasattr(model, "coef_"):
            model.coef_ = model.coef_ * 1.5
            assert fenchel.verify(model, X, y, sample_weight).gap > 1e-3, model
    pca = decomposition.PCA(2).fit(X)
    assert 0 <= fenchel.verify(pca, X).gap <= 1e-6
    pca.components_ = pca.components_[::-1] + 0.3
    assert fenchel.verify(pca, X).gap > 1e-3


def test_libraries():
    """Models of the packages of LIBSVM and LIBLINEAR themselves."""
    svmutil = pytest.importorskip("libsvm.svmutil")
    liblinear = pytest.importorskip("liblinear.liblinearutil")
    y = np.where(TWO, 1, -1)
    m = svmutil.svm_train(y, X.astype(float), "-c 2 -g 0.2 -e 1e-6 -q")
    assert fenchel.verify(m, X, y, C=2.0).gap < 1e-4
    m = liblinear.train(y, X.astype(float), "-s 1 -c 2 -e 1e-8 -q")
    assert fenchel.verify(m, X, y, C=2.0).gap < 1e-4


def test_refused():
    pytest.importorskip("sklearn")
    from sklearn import ensemble, linear_model, svm

    for model in (
        ensemble.RandomForestClassifier(n_estimators=2).fit(X, TWO), svm.LinearSVC(class_weight="balanced").fit(X, THREE), svm.SVC(kernel=lambda a, b: a @ b.T).fit(X, TWO),
        linear_model.LogisticRegressionCV(refit=False, use_legacy_attributes=False).fit(X, TWO),
    ):  # fmt: skip
        with pytest.raises(TypeError):
            fenchel.verify(model, X, NUMBERS if not hasattr(model, "classes_") else THREE if len(model.classes_) > 2 else TWO)
    with pytest.raises(ValueError, match="does not know"):
        fenchel.verify(fenchel.LinearClassifier().fit(X, TWO), X, THREE)


def test_evaluate_components():
    """What is said of components on other rows is what numpy says, far from zero and scaled too."""
    for pca in (fenchel.PCA(2), fenchel.PCA(2, scale="std"), fenchel.IncrementalPCA(2)):
        pca.fit(X[:100] + 1e4)
        rows = X[100:] + 1e4
        found = pca.evaluate(rows)
        scale = 1 if pca._scale is None else pca._scale
        centred = (rows - pca.mean_) * scale
        captured = ((centred @ pca.components_.T) ** 2).sum(axis=1)
        best = np.linalg.eigvalsh(centred.T @ centred / len(rows))[-2:].sum()
        assert found["captured"] == pytest.approx(captured.mean(), rel=1e-5) and found["standard_error"] == pytest.approx(captured.std(ddof=1) / len(rows) ** 0.5, rel=1e-4)
        assert found["captured"] + found["missed"] == pytest.approx(best, rel=1e-5) and best * (1 - 1e-5) <= found["upper"] <= best * (1 + 1e-5)
        assert found["captured"] + found["loss"] == pytest.approx(found["total"])
