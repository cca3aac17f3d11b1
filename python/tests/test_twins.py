"""Twins against scikit-learn: the same parameters, the same solutions, the same tools."""

import inspect
import pickle

import numpy as np
import pytest

sklearn = pytest.importorskip("sklearn")
import joblib  # noqa: E402
from scipy import sparse  # noqa: E402
from sklearn import datasets, decomposition, kernel_approximation, kernel_ridge, linear_model, svm  # noqa: E402
from sklearn.base import clone  # noqa: E402
from sklearn.metrics import log_loss  # noqa: E402
from sklearn.metrics.pairwise import rbf_kernel  # noqa: E402
from sklearn.model_selection import GridSearchCV, cross_val_score  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402

import fenchel  # noqa: E402
import fenchel.sklearn as twins  # noqa: E402

MODULES = (svm, linear_model, decomposition, kernel_ridge, kernel_approximation)
RNG = np.random.RandomState(1)
X = RNG.randn(150, 6)
TWO = np.where(X @ RNG.randn(6) + 0.5 * RNG.randn(150) > 0, "yes", "no")
THREE = (X[:, 0] + 0.3 * RNG.randn(150) > 0.5).astype(int) + (X[:, 1] > 0.3) * 1
NUMBERS = X @ [1.0, -2.0, 0.0, 0.0, 3.0, 0.5] + 5 + 0.3 * RNG.randn(150)
W = RNG.randint(0, 4, 150).astype(float)


def original(name):
    return next(getattr(m, name) for m in MODULES if hasattr(m, name))


@pytest.mark.parametrize("name", [name for name in twins.__all__ if inspect.isclass(getattr(twins, name))])
def test_signature(name):
    """Parameters have the names, the order and the defaults of scikit-learn."""
    ours, theirs = (inspect.signature(c.__init__).parameters for c in (getattr(twins, name), original(name)))
    if sklearn.__version__.startswith("1.9"):
        assert {n: (p.kind, p.default) for n, p in ours.items()} == {n: (p.kind, p.default) for n, p in theirs.items()}


TIGHT = {"Ridge": 1e-9, "LinearSVC": 1e-9, "LogisticRegression": 1e-9, "Lasso": 1e-9, "ElasticNet": 1e-9, "SVC": 1e-7, "NuSVC": 1e-7, "SVR": 1e-7, "NuSVR": 1e-7, "OneClassSVM": 1e-7}


@pytest.mark.parametrize("name, parameters, y", [
    ("LinearSVC", {"C": 0.5, "max_iter": 10**6}, TWO), ("LinearSVC", {"loss": "hinge", "max_iter": 10**7, "fit_intercept": False}, TWO),
    ("LinearSVC", {"max_iter": 10**6}, THREE), ("LinearSVC", {"max_iter": 10**6, "class_weight": {"yes": 3.0}}, TWO),
    ("LinearSVC", {"max_iter": 10**6, "intercept_scaling": 10, "C": 0.01}, TWO), ("LogisticRegression", {"solver": "liblinear", "intercept_scaling": 0.3, "C": 0.1, "max_iter": 1000}, TWO),
    ("LinearSVC", {"penalty": "l1", "dual": False, "max_iter": 10**6, "C": 0.1}, TWO),
    ("LogisticRegression", {"C": 3.0, "max_iter": 1000}, TWO), ("LogisticRegression", {"solver": "liblinear", "max_iter": 1000}, TWO),
    ("LogisticRegression", {"max_iter": 10**4}, THREE), ("LogisticRegression", {"l1_ratio": 0.7, "C": 0.2, "solver": "saga", "max_iter": 10**5, "class_weight": {0: 2.0}}, THREE),
    ("LinearSVC", {"multi_class": "crammer_singer", "max_iter": 10**6}, THREE), ("LinearSVC", {"multi_class": "crammer_singer", "max_iter": 10**6, "fit_intercept": False, "C": 0.3}, TWO),
    ("LogisticRegression", {"l1_ratio": 0.6, "C": 0.1, "solver": "saga", "max_iter": 10**5}, TWO), ("LogisticRegression", {"class_weight": "balanced", "fit_intercept": False, "max_iter": 1000}, TWO),
    ("LinearRegression", {}, NUMBERS), ("LinearRegression", {"fit_intercept": False}, NUMBERS), ("Ridge", {"alpha": 2.0}, NUMBERS), ("Ridge", {"fit_intercept": False}, NUMBERS), ("Lasso", {"alpha": 0.1}, NUMBERS),
    ("ElasticNet", {"alpha": 0.2, "l1_ratio": 0.3}, NUMBERS), ("Lasso", {"alpha": 0.1, "positive": True}, NUMBERS), ("ElasticNet", {"alpha": 0.05, "l1_ratio": 0.3, "positive": True}, NUMBERS),
    ("Ridge", {"alpha": 2.0, "positive": True}, NUMBERS), ("LinearRegression", {"positive": True}, NUMBERS),
    ("SVC", {"C": 2.0}, TWO), ("SVC", {"kernel": "poly", "degree": 2, "coef0": 1.0}, THREE), ("SVC", {"kernel": "linear", "class_weight": "balanced"}, THREE),
    ("NuSVC", {"nu": 0.3}, TWO), ("NuSVC", {"nu": 0.2, "gamma": 0.1}, THREE), ("SVR", {"epsilon": 0.2, "C": 3.0}, NUMBERS), ("NuSVR", {"nu": 0.4, "C": 3.0}, NUMBERS),
    ("OneClassSVM", {"nu": 0.2}, None), ("KernelRidge", {"kernel": "rbf", "alpha": 0.3}, NUMBERS), ("KernelRidge", {"kernel": "cosine"}, NUMBERS),
    ("KernelRidge", {"kernel": "laplacian", "gamma": 0.2}, NUMBERS),
])  # fmt: skip
@pytest.mark.parametrize("weighted", [False, True])
def test_same_solution(name, parameters, y, weighted):
    """With small tolerances on both sides scores are the same, to the roots of the gaps."""
    tight = {"tol": TIGHT[name]} if name in TIGHT else {}
    if weighted and (name.startswith("Nu") or parameters.get("class_weight") == "balanced"):
        pytest.skip("LIBSVM divides nu by other sums of weights; scikit-learn balances unweighted rows")
    fit = {"sample_weight": W} if weighted else {}
    ours = getattr(twins, name)(**parameters, **tight).fit(X, y, **fit)
    theirs = original(name)(**parameters, **tight).fit(X, y, **fit)
    method = "decision_function" if hasattr(theirs, "decision_function") else "predict"
    np.testing.assert_allclose(getattr(ours, method)(X), getattr(theirs, method)(X), rtol=2e-4, atol=5e-4)
    if method == "decision_function":  # support vectors of one class lie on the boundary
        clear = np.abs(theirs.decision_function(X).reshape(len(X), -1)).min(axis=1) > 1e-3
        assert clear.sum() > 100 and (ours.predict(X) == theirs.predict(X))[clear].all()
    for attribute in ("coef_", "intercept_", "classes_", "offset_"):
        if hasattr(theirs, attribute):
            found, want = getattr(ours, attribute), getattr(theirs, attribute)
            if attribute == "classes_":
                assert (found == want).all()
            else:
                assert np.shape(found) == np.shape(want)
                np.testing.assert_allclose(found, want, rtol=1e-3, atol=2e-3)


@pytest.mark.parametrize("parameters", [{}, {"C": 0.1, "fit_intercept": False}, {"class_weight": "balanced"}], ids=repr)
def test_multinomial(parameters):
    """The one loss of several classes has one solution, which both find to six digits."""
    ours = twins.LogisticRegression(tol=1e-10, max_iter=10**4, **parameters).fit(X, THREE)
    theirs = linear_model.LogisticRegression(tol=1e-12, max_iter=10**4, solver="newton-cholesky", **parameters).fit(X, THREE)
    assert ours.gap_ <= 1e-12 and ours.model_.part("problem")["loss"] == "softmax"
    for name in ("coef_", "intercept_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-5, atol=5e-6)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-5, atol=2e-6)
    with pytest.raises(ValueError, match="does not support multiclass"):
        twins.LogisticRegression(solver="liblinear").fit(X, THREE)


@pytest.mark.parametrize("loss", ["softmax", "crammer-singer"])
def test_joint(loss):
    """Losses of all classes: of two they are the loss of their difference, and kernel
    machines of the linear kernel find what linear ones do."""
    linear = fenchel.LinearClassifier(loss, gap=1e-10).fit(X, THREE)
    machine = fenchel.KernelClassifier("linear", loss=loss, gap=1e-9).fit(X, THREE)
    assert linear.coef_.shape == (3, 6) and linear.decision_function(X).shape == (150, 3)
    np.testing.assert_allclose(machine.decision_function(X), linear.decision_function(X), atol=2e-3)
    both = [c.fit(X, TWO) for c in (fenchel.LinearClassifier(loss, gap=1e-10), fenchel.KernelClassifier("linear", loss=loss, gap=1e-9))]
    assert both[0].coef_.shape == (1, 6) and both[0].intercept_.shape == (1,)
    np.testing.assert_allclose(both[0].decision_function(X), both[1].decision_function(X), atol=2e-3)
    if loss == "softmax":  # |w_2|^2 + |w_1|^2 is half the square of the difference
        two = fenchel.LinearClassifier("logistic", gap=1e-10, C=2.0).fit(X, TWO)
        np.testing.assert_allclose(both[0].predict_proba(X), two.predict_proba(X), atol=1e-4)
        np.testing.assert_allclose(linear.predict_proba(X).sum(axis=1), 1)
    for c, y in ((linear, THREE), (both[0], TWO), (machine, THREE)):
        assert fenchel.verify(c, X, y).valid


@pytest.mark.parametrize("y", [TWO, THREE])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_machine_attributes(kernel, y):
    """Support vectors, their coefficients and their order are those of LIBSVM."""
    ours, theirs = (c(kernel=kernel, tol=1e-7).fit(X, y) for c in (twins.SVC, svm.SVC))
    assert (ours.n_support_ == theirs.n_support_).all()
    assert (ours.support_ == theirs.support_).all()
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-3)
    np.testing.assert_allclose(ours.support_vectors_, theirs.support_vectors_, rtol=1e-6)
    ovo = [c(kernel=kernel, tol=1e-7, decision_function_shape="ovo").fit(X, y).decision_function(X) for c in (twins.SVC, svm.SVC)]
    np.testing.assert_allclose(*ovo, atol=1e-3)


def test_precomputed_and_functions():
    K = rbf_kernel(X, gamma=0.2)
    by_name = twins.SVC(gamma=0.2, tol=1e-7).fit(X, TWO)
    matrix = twins.SVC(kernel="precomputed", tol=1e-7).fit(K, TWO)
    function = twins.SVC(kernel=lambda a, b: rbf_kernel(a, b, gamma=0.2), tol=1e-7).fit(X, TWO)
    for got in (matrix.decision_function(K), function.decision_function(X)):
        np.testing.assert_allclose(got, by_name.decision_function(X), atol=1e-4)
    weighted = [twins.SVC(kernel=k, gamma=0.2, tol=1e-7).fit(A, TWO, sample_weight=W).decision_function(A) for k, A in (("rbf", X), ("precomputed", K))]
    np.testing.assert_allclose(*weighted, atol=1e-4)
    with pytest.raises(ValueError, match="square"):
        twins.SVC(kernel="precomputed").fit(X, TWO)


@pytest.mark.parametrize("solver", ["auto", "full", "covariance_eigh", "arpack", "randomized"])
@pytest.mark.parametrize("shape", [(100, 8), (8, 30)])
def test_pca(solver, shape):
    A = RNG.randn(*shape) * np.linspace(3, 1, shape[1]) + 2
    for whiten in (False, True):
        ours = twins.PCA(4, svd_solver=solver, whiten=whiten).fit(A)
        assert ours.model_.part("problem").get("whiten") == ("sample" if whiten else None)  # what its file says
        theirs = decomposition.PCA(4, svd_solver="full", whiten=whiten).fit(A)
        np.testing.assert_allclose(ours.components_, theirs.components_, atol=2e-4)
        for name in ("explained_variance_", "explained_variance_ratio_", "singular_values_", "mean_", "noise_variance_"):
            np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-4)
        np.testing.assert_allclose(ours.transform(A), theirs.transform(A), atol=2e-3)
        np.testing.assert_allclose(ours.inverse_transform(ours.transform(A)), theirs.inverse_transform(theirs.transform(A)), atol=1e-3)
    assert 0 <= ours.gap_ < 1e-6


def test_pca_sizes():
    """All components, of rows of fewer dimensions too, and a part of the variance."""
    A = RNG.randn(50, 3) @ RNG.randn(3, 6)
    ours, theirs = (c().fit(A) for c in (twins.PCA, decomposition.PCA))
    assert ours.components_.shape == theirs.components_.shape == (6, 6)
    np.testing.assert_allclose(ours.components_ @ ours.components_.T, np.eye(6), atol=1e-6)
    np.testing.assert_allclose(ours.explained_variance_, theirs.explained_variance_, atol=1e-5)
    for share in (0.5, 0.8, 0.99):
        assert twins.PCA(share).fit(X).n_components_ == decomposition.PCA(share).fit(X).n_components_
    np.testing.assert_allclose(twins.PCA(2).fit(X).get_covariance(), decomposition.PCA(2).fit(X).get_covariance(), atol=1e-5)
    np.testing.assert_allclose(twins.PCA(2).fit(X).score(X), decomposition.PCA(2).fit(X).score(X), rtol=1e-5)


@pytest.mark.parametrize("rows", [X, sparse.random(80, 20, 0.2, "csr", random_state=0)])
def test_truncated_svd(rows):
    ours, theirs = twins.TruncatedSVD(3).fit(rows), decomposition.TruncatedSVD(3, algorithm="arpack", random_state=0).fit(rows)
    for name in ("singular_values_", "explained_variance_", "explained_variance_ratio_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-3)
    np.testing.assert_allclose(np.abs((ours.components_ * theirs.components_).sum(axis=1)), 1, atol=1e-4)


def test_missing_numbers():
    """Components of the numbers that are there are near those of all; a row is projected by what it has."""
    rows = RNG.randn(400, 2) @ RNG.randn(2, 8) + 50
    gaps = np.where(RNG.rand(400, 8) < 0.3, np.nan, rows)
    whole, ours = fenchel.PCA(2).fit(rows), fenchel.PCA(2, observed=True).fit(gaps)
    np.testing.assert_allclose(ours.components_.T @ ours.components_, whole.components_.T @ whole.components_, atol=1e-5)
    seen = (~np.isnan(gaps)).sum(axis=1) >= 4
    np.testing.assert_allclose(ours.transform(gaps)[seen], ours.transform(rows)[seen], atol=1e-3)
    np.testing.assert_allclose(ours.inverse_transform(ours.transform(gaps))[seen], rows[seen], atol=1e-3)
    v = fenchel.verify(ours, gaps)
    assert not v.problems and "missing" in v.unproved and np.isnan(ours.gap_)
    turned = fenchel.PCA(2, observed=True, method="grouse", max_epochs=5).fit(gaps)
    np.testing.assert_allclose(turned.components_.T @ turned.components_, whole.components_.T @ whole.components_, atol=1e-2)
    with pytest.raises(ValueError, match="NaN"):
        fenchel.PCA(2).fit(gaps)


def test_pca_mle():
    """The most likely number of components is that of scikit-learn."""
    for rows in (datasets.load_iris().data, datasets.load_wine().data, datasets.load_digits().data[:, 10:40], X, RNG.randn(200, 3) @ RNG.randn(3, 8) + 0.1 * RNG.randn(200, 8)):
        assert twins.PCA("mle").fit(rows).n_components_ == decomposition.PCA("mle", svd_solver="full").fit(rows).n_components_
    with pytest.raises(ValueError, match="only supported if n_samples >= n_features"):
        twins.PCA("mle").fit(X[:4])


def test_incremental_pca():
    ours, theirs = twins.IncrementalPCA(3, batch_size=40).fit(X), decomposition.IncrementalPCA(3, batch_size=40).fit(X)
    np.testing.assert_allclose(ours.components_, theirs.components_ * np.sign((ours.components_ * theirs.components_).sum(axis=1))[:, None], atol=1e-4)
    for name in ("explained_variance_", "explained_variance_ratio_", "singular_values_", "mean_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(ours.var_, theirs.var_, rtol=1e-9)
    parts, theirs = twins.IncrementalPCA(3), decomposition.IncrementalPCA(3)
    for lo in (0, 40, 80):
        parts.partial_fit(X[lo : lo + 40])
        theirs.partial_fit(X[lo : lo + 40])
    assert parts.n_samples_seen_ == 120
    np.testing.assert_allclose(parts.explained_variance_, theirs.explained_variance_, rtol=1e-4)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", "cosine", "laplacian"])
def test_kernel_pca(kernel):
    """Eigenvalues, coordinates and rows made of these are those of scikit-learn, of three sets."""
    for rows in (datasets.load_iris().data, datasets.load_wine().data / 100, datasets.load_digits().data[:200] / 16):
        rows = rows.astype(np.float32).astype(float)
        new, how = rows[::3] * 1.125 + 0.0625, {"gamma": 0.125, "degree": 2, "alpha": 0.5, "fit_inverse_transform": True}
        ours = twins.KernelPCA(4, kernel=kernel, tol=1e-4, **how).fit(rows)
        if kernel == "laplacian":
            theirs = decomposition.KernelPCA(4, kernel=lambda a, b: np.exp(-0.125 * np.abs(a - b).sum())).fit(rows)
        else:
            theirs = decomposition.KernelPCA(4, kernel=kernel, **how).fit(rows)
        np.testing.assert_allclose(ours.eigenvalues_, theirs.eigenvalues_, rtol=1e-8)
        a, b = ours.transform(new), theirs.transform(new.astype(np.float32).astype(float))
        np.testing.assert_allclose(a * np.sign((a * b).sum(axis=0)), b, atol=1e-8 * np.abs(b).max())
        np.testing.assert_allclose(np.abs((ours.eigenvectors_ * theirs.eigenvectors_).sum(axis=0)), 1, atol=1e-8)
        if kernel != "laplacian":
            np.testing.assert_allclose(ours.inverse_transform(a), theirs.inverse_transform(b), atol=1e-5 * np.abs(rows).max())
        v = fenchel.verify(ours, rows)
        assert v.valid and v.certificate.gap <= 1e-4


def test_maps():
    """Inner products of images are nearly the kernel; with all rows as landmarks they are."""
    K = rbf_kernel(X, gamma=0.1)
    images = twins.Nystroem(gamma=0.1, n_components=150).fit_transform(X)
    np.testing.assert_allclose(images @ images.T, K, atol=1e-3)
    images = twins.RBFSampler(gamma=0.1, n_components=4000, random_state=3).fit_transform(X)
    assert np.abs(images @ images.T - K).max() < 0.12 and images.shape == (150, 4000)
    A = sparse.csr_matrix(X)
    m = twins.Nystroem(gamma=0.1, n_components=20, random_state=1).fit(A)
    np.testing.assert_allclose(m.transform(A), twins.Nystroem(gamma=0.1, n_components=20, random_state=1).fit(X).transform(X), atol=1e-5)
    again = pickle.loads(pickle.dumps(m))
    assert (again.transform(A) == m.transform(A)).all()


@pytest.mark.parametrize("form", ["csr_matrix", "csc_matrix", "coo_matrix", "csr_array", "csc_array"])
def test_sparse(form):
    """Sparse rows give the model of dense ones."""
    A = X * (np.abs(X) > 0.7)
    S = getattr(sparse, form)(A)
    for c, y in ((twins.LinearSVC(), TWO), (twins.Ridge(), NUMBERS), (twins.SVC(gamma=0.2), THREE)):
        dense, thin = clone(c).fit(A, y), clone(c).fit(S, y)
        method = "decision_function" if hasattr(c, "decision_function") else "predict"
        np.testing.assert_allclose(getattr(thin, method)(S), getattr(dense, method)(A), atol=1e-3)


def test_tools():
    """Pipelines, grids on several processes, clones, pandas."""
    pandas = pytest.importorskip("pandas")
    pipe = make_pipeline(StandardScaler(), twins.SVC())
    with joblib.parallel_config("multiprocessing"):  # forks, which import nothing again
        grid = GridSearchCV(pipe, {"svc__C": [0.1, 1.0]}, cv=3, n_jobs=2).fit(X, TWO)
    assert grid.best_score_ > 0.7
    assert cross_val_score(twins.LogisticRegression(), X, TWO, cv=3).mean() > 0.7
    table = pandas.DataFrame(X, columns=list("abcdef"))
    p = twins.PCA(2).set_output(transform="pandas").fit(table)
    assert list(p.transform(table).columns) == ["pca0", "pca1"] and list(p.feature_names_in_) == list("abcdef")
    c = twins.LinearSVC().fit(table, TWO)
    assert c.n_features_in_ == 6 and c.model_.part("features") == list("abcdef")
    with pytest.raises(ValueError, match="feature names"):
        c.predict(table[list("fedcba")])


@pytest.mark.parametrize("scoring", ["accuracy", "neg_log_loss", "balanced_accuracy", "matthews_corrcoef"])
@pytest.mark.parametrize("y", [TWO, THREE])
def test_logistic_cv(scoring, y):
    """Scores of each fold, ratio and C are those of scikit-learn."""
    how = {"Cs": [0.01, 0.3, 5.0], "cv": 3, "solver": "newton-cholesky", "l1_ratios": (0,), "scoring": scoring, "tol": 1e-5, "max_iter": 10**3, "class_weight": {"yes": 2.0} if y is TWO else "balanced", "use_legacy_attributes": False}
    ours, theirs = twins.LogisticRegressionCV(**how).fit(X, y), linear_model.LogisticRegressionCV(**how).fit(X, y)
    np.testing.assert_allclose(ours.scores_, theirs.scores_, atol=1e-3)
    assert (ours.C_, ours.l1_ratio_) == (theirs.C_, theirs.l1_ratio_)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=5e-3)


@pytest.mark.parametrize("estimator", [
    twins.LinearSVC(multi_class="all"), twins.LinearSVC(intercept_scaling=0), twins.LogisticRegression(n_jobs=0),
    twins.SVC(probability="yes"), twins.Ridge(alpha=-1), twins.PCA("most"), twins.Nystroem(kernel_params={"a": 1}),
    twins.SVC(C=-1), twins.SVC(gamma=-1.0), twins.SVR(epsilon=-1), twins.KernelRidge(kernel="additive_chi2"), twins.KernelPCA(kernel="sigmoid"), twins.KernelPCA(kernel=min), twins.KernelPCA(151), twins.KernelPCA(kernel_params={"a": 1}), twins.LinearSVC(max_iter=-2), twins.SVC(kernel="nothing"),
    twins.ElasticNet(l1_ratio=2), twins.TruncatedSVD(100), twins.RBFSampler(gamma="auto"), twins.LogisticRegression(solver="luck"), twins.LinearSVC(tol=0),
])  # fmt: skip
def test_refused(estimator):
    """What there is not is refused, in one line."""
    y = NUMBERS if isinstance(estimator, (twins.Ridge, twins.LinearRegression, twins.Lasso, twins.SVR, twins.KernelRidge)) else TWO
    with pytest.raises((ValueError, TypeError)) as e:
        estimator.fit(X, y)
    assert "\n" not in str(e.value)


@pytest.mark.parametrize("estimator", [twins.LinearRegression(), twins.Ridge(0), twins.Lasso(0), twins.ElasticNet(0.0)], ids=repr)
def test_no_penalty(estimator):
    """Least squares alone, of columns of several sizes, far from zero, sparse, and more than rows
    or depending on each other, where the smallest weights are chosen."""
    for A in (X * [1, 10, 1e-3, 1, 1e3, 1], X + 1e4, sparse.csr_matrix(X), np.hstack([X, X[:, :2]]), X[:4]):
        A, y = A.astype(np.float32).astype(np.float64), NUMBERS[: A.shape[0]]
        dense = A.toarray() if sparse.issparse(A) else A
        centred = dense - dense.mean(axis=0)
        best = np.linalg.lstsq(centred, y - y.mean(), rcond=1e-9)[0]  # scikit-learn takes columns of 1e-6 of the largest size for zero
        ours = clone(estimator).fit(A, y)
        np.testing.assert_allclose(ours.predict(A), y.mean() + centred @ best, rtol=1e-5)
        np.testing.assert_allclose(ours.coef_, best, rtol=1e-4, atol=2e-3 * np.abs(best).max() if dense.shape[1] == 8 else 0)
        assert ours.gap_ <= 1e-6


def test_mixed_labels():
    """Labels that have no order are refused in one line, by their types."""
    for mixed in ([0, "a", 1, "b"], [None, "a", "b", "a"], [1.5, "a", 1, 2]):
        for do in (lambda y: twins.SVC().fit(X[:4], y), lambda y: fenchel.verify(twins.SVC().fit(X[:4], [0, 1, 0, 1]), X[:4], y), lambda y: fenchel.tune(fenchel.LinearClassifier(), X[:4], y, search="C=1", folds=2)):
            with pytest.raises(ValueError, match=r"^y: found labels of the types \w+, \w+(, \w+)?, expected numbers alone or strings alone$"):
                do(np.array(mixed, object))
    with pytest.raises(ValueError, match="expected those of the model's classes"):
        fenchel.verify(twins.SVC().fit(X, THREE), X, TWO)


def test_weights_below_zero():
    """Machines leave rows of weights below zero out, as scikit-learn's do."""
    w = np.where(np.arange(150) % 5 == 0, -1.0, 1.0)
    for name, y in (("SVC", TWO), ("SVR", NUMBERS)):
        ours, theirs = (c(tol=1e-7).fit(X, y, sample_weight=w) for c in (getattr(twins, name), original(name)))
        np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-4)
    with pytest.raises(ValueError, match="all samples have zero or negative weights"):
        twins.SVC().fit(X, TWO, sample_weight=-np.ones(150))
    with pytest.raises(ValueError, match="belong to the same class"):
        twins.SVC().fit(X, TWO, sample_weight=(TWO == "yes") * 1.0)


def test_labels():
    """Classes of any kind come back as they are."""
    for classes in (np.array([10, 9, 100]), np.array(["10", "9", "b"]), np.array([1.5, 2.0, -1.0]).astype(int), np.array([True, False]), np.array([" a", "", "z"], object), np.array(["\u00e4", "Z", "a"])):
        y = classes[np.arange(150) % len(classes)]
        c = twins.LinearSVC().fit(X, y)
        assert set(c.predict(X)) <= set(classes) and list(c.classes_) == sorted(set(classes))


def test_warm_start():
    c = twins.LogisticRegression(C=1.0, warm_start=True, tol=1e-8).fit(X, TWO)
    assert c.set_params(C=1.1).fit(X, TWO).gap_ <= 1e-10


@pytest.mark.parametrize("name, parameters", [("SVC", {}), ("NuSVC", {"nu": 0.2}), ("SVC", {"kernel": "linear", "class_weight": "balanced"})])
@pytest.mark.parametrize("y", [TWO, THREE])
def test_probability(name, parameters, y):
    """Probabilities are as good as LIBSVM's on new rows; folds differ, so they are not the same."""
    ours, theirs = (c(probability=True, random_state=0, **parameters).fit(X[:100], y[:100]) for c in (getattr(twins, name), original(name)))
    found, want = ours.predict_proba(X[100:]), theirs.predict_proba(X[100:])
    assert found.shape == want.shape
    np.testing.assert_allclose(found.sum(axis=1), 1)
    assert log_loss(y[100:], found) < log_loss(y[100:], want) + 0.05
    np.testing.assert_allclose(np.exp(ours.predict_log_proba(X[100:])), found)
    if y is TWO:  # the sigmoid is one of the scores
        p = 1 / (1 + np.exp(ours.probA_ * ours.decision_function(X[100:]) + ours.probB_))
        np.testing.assert_allclose(p, found[:, 1], atol=1e-6)
    plain = getattr(twins, name)(**parameters).fit(X, y)
    assert not hasattr(plain, "predict_proba")
    with pytest.raises(ValueError, match="probability=False"):
        plain.set_params(probability=True).predict_proba(X)


@pytest.mark.parametrize("name, nu", [("wine", 0.2), ("breast_cancer", 0.3)])
def test_nu_probability(name, nu):
    """Margins of folds differ in scale, scores in units of them do not: the log loss on new rows is
    that of LIBSVM, up to how folds are dealt."""
    data, losses = getattr(datasets, f"load_{name}")(), np.zeros(2)
    rows = StandardScaler().fit_transform(data.data)
    for seed in range(3):
        order = np.random.RandomState(seed).permutation(len(rows))
        a, b = order[::2], order[1::2]
        for side, module in enumerate((twins, svm)):
            c = module.NuSVC(nu=nu, probability=True, random_state=seed).fit(rows[a], data.target[a])
            losses[side] += log_loss(data.target[b], c.predict_proba(rows[b]))
    assert losses[0] < 1.05 * losses[1], losses


@pytest.mark.parametrize("name, parameters", [
    ("LinearRegression", {}), ("Ridge", {}), ("Ridge", {"alpha": [0.1, 1.0, 10.0]}), ("Ridge", {"fit_intercept": False}), ("Lasso", {"alpha": 0.1, "tol": 1e-8}),
    ("ElasticNet", {"alpha": 0.1, "tol": 1e-8}), ("KernelRidge", {"kernel": "rbf"}), ("KernelRidge", {"alpha": np.array([0.1, 1.0, 10.0])}),
])  # fmt: skip
def test_targets(name, parameters):
    """Targets of two dimensions are one problem each, in arrays as scikit-learn has them."""
    Y = np.column_stack([NUMBERS, X[:, 0] - X[:, 1], np.sin(X[:, 2])])
    for y in (Y, Y[:, :1]) if np.ndim(parameters.get("alpha", 1)) == 0 else (Y,):
        ours, theirs = (c(**parameters).fit(X, y, sample_weight=W) for c in (getattr(twins, name), original(name)))
        assert ours.predict(X).shape == theirs.predict(X).shape
        # Least squares leave nothing of the second: its relative gap is one of roundings.
        assert ours.status_ == "converged" or name == "LinearRegression" or name == "Ridge" and ours.gap_ < 1e-9
        np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=2e-4)
        for attribute in ("coef_", "intercept_", "dual_coef_", "dual_gap_"):
            assert not hasattr(theirs, attribute) or np.shape(getattr(ours, attribute)) == np.shape(getattr(theirs, attribute))
    assert ours.fit(X, NUMBERS).predict(X).shape == NUMBERS.shape if np.ndim(parameters.get("alpha", 1)) == 0 else True
    if "alpha" in parameters and np.ndim(parameters["alpha"]):
        with pytest.raises(ValueError, match="penalties do not correspond: 3 != 2"):
            ours.fit(X, Y[:, :2])
