"""Values of parameters at the ends of their ranges, and what belongs to them, against scikit-learn."""

import numpy as np
import pytest

pytest.importorskip("sklearn")
from sklearn import datasets, decomposition, kernel_ridge, linear_model  # noqa: E402
from sklearn.exceptions import ConvergenceWarning  # noqa: E402
from sklearn.metrics.pairwise import pairwise_kernels, rbf_kernel  # noqa: E402

import fenchel  # noqa: E402
import fenchel.sklearn as twins  # noqa: E402

RNG = np.random.RandomState(0)
X = RNG.randn(150, 6).astype(np.float32).astype(float)
TWO = np.where(X @ RNG.randn(6) + 1.5 * RNG.randn(150) > 0, "y", "n")
THREE = (X[:, 0] + 0.8 * RNG.randn(150) > 0.5).astype(int) + (X[:, 1] + 0.5 * RNG.randn(150) > 0.3)


@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("parameters", [{"C": np.inf}, {"C": np.inf, "fit_intercept": False}, {"penalty": None}], ids=repr)
@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::UserWarning")
def test_logistic_without_penalty(parameters, y):
    for rows in (X, X * [1, 10, 1e-3, 1, 1e3, 1], X + 100):
        rows = rows.astype(np.float32).astype(float)
        ours, theirs = twins.LogisticRegression(**parameters).fit(rows, y), linear_model.LogisticRegression(**parameters, solver="newton-cholesky", tol=1e-12, max_iter=1000).fit(rows, y)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-4)
        assert ours.gap_ <= 1e-8 and fenchel.verify(ours, rows, y).valid
    separable = twins.LogisticRegression(**parameters).fit(X, X[:, 0] > 0)  # there is no best: weights are large, and all rows are right
    assert separable.score(X, X[:, 0] > 0) == 1 and np.abs(separable.coef_).max() > 10


@pytest.mark.parametrize("legacy", [True, False])
@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("parameters", [{}, {"l1_ratios": np.array([0.0, 0.5]), "solver": "saga"}, {"fit_intercept": False, "scoring": "neg_log_loss"}, {"refit": True, "scoring": "matthews_corrcoef"}], ids=repr)
def test_logistic_paths(parameters, y, legacy):
    """Scores and weights of all folds, ratios and C, in both forms, and what is made of them."""
    how = {"refit": False, "Cs": [0.1, 1.0, 10.0], "cv": 3, "tol": 1e-9, "max_iter": 10**4, "solver": "newton-cholesky", "l1_ratios": None, "scoring": None, **parameters, "use_legacy_attributes": legacy}
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        ours, theirs = (c(**how).fit(X, y) for c in (twins.LogisticRegressionCV, linear_model.LogisticRegressionCV))
    for name in ("C_", "scores_", "coefs_paths_", "coef_", "intercept_", "Cs_"):
        found, want = getattr(ours, name), getattr(theirs, name)
        assert type(found) is type(want) or np.ndim(want) == 0
        if isinstance(want, dict):
            assert list(found) == list(want)
            found, want = (np.array(list(d.values())) for d in (found, want))
        assert np.shape(found) == np.shape(want), name
        np.testing.assert_allclose(found, want, rtol=1e-3, atol=1e-3, err_msg=name)
    assert (ours.predict(X) == theirs.predict(X)).mean() > 0.99
    if how["refit"]:
        assert ours.gap_ <= 1e-9
    else:
        assert ours.n_iter_.shape == theirs.n_iter_.shape and np.isnan(ours.gap_) and ours.status_ == "averaged"


def test_covariance_of_batches():
    """The covariance has the variance of all rows; with scikit-learn's noise, which is of its last batch, it is scikit-learn's."""
    for whiten in (False, True):
        ours, theirs = (c(3, batch_size=50, whiten=whiten).fit(X) for c in (twins.IncrementalPCA, decomposition.IncrementalPCA))
        np.testing.assert_allclose(ours.get_precision() @ ours.get_covariance(), np.eye(6), atol=1e-8)
        if not whiten:
            assert np.trace(ours.get_covariance()) == pytest.approx(X.var(axis=0, ddof=1).sum(), rel=1e-6)
        ours.noise_variance_ = theirs.noise_variance_
        np.testing.assert_allclose(ours.get_covariance(), theirs.get_covariance(), atol=1e-5)
        np.testing.assert_allclose(ours.get_precision(), theirs.get_precision(), atol=1e-4)


@pytest.mark.parametrize("kernel", ["polynomial", "poly", "cosine", "laplacian", "linear"])
def test_kernels_by_name(kernel):
    """With all rows as landmarks inner products of images are the kernel."""
    images, K = twins.Nystroem(kernel, n_components=150).fit_transform(X), pairwise_kernels(X, metric=kernel)
    np.testing.assert_allclose(images @ images.T, K, atol=1e-5 * np.abs(K).max())
    if kernel == "polynomial":
        ours, theirs = (c(kernel=kernel).fit(X, X[:, 0] ** 2).predict(X) for c in (twins.KernelRidge, kernel_ridge.KernelRidge))
        np.testing.assert_allclose(ours, theirs, atol=1e-4)


def test_kernels_by_function():
    """A function of two rows, with parameters, and a matrix: as the kernel that they stand for."""
    own = twins.Nystroem(lambda a, b, width: np.exp(-np.square(a - b).sum() / width), n_components=150, kernel_params={"width": 4.0}).fit(X)
    images = own.transform(X[:20])
    np.testing.assert_allclose(images @ images.T, rbf_kernel(X[:20], gamma=0.25), atol=1e-8)
    K = rbf_kernel(X, gamma=0.25)
    given, named = twins.Nystroem("precomputed", n_components=30, random_state=2).fit(K), twins.Nystroem(lambda a, b: rbf_kernel(a[None], b[None], 0.25)[0, 0], n_components=30, random_state=2).fit(X)
    np.testing.assert_allclose(given.transform(K[:5]), named.transform(X[:5]), atol=1e-8)
    assert (given.component_indices_ == named.component_indices_).all()
    with pytest.raises(ValueError, match="Don't pass gamma"):
        twins.Nystroem("precomputed", gamma=1.0).fit(K)


@pytest.mark.parametrize("estimator", [twins.LogisticRegression(max_iter=0), twins.LinearSVC(max_iter=0), twins.LinearSVR(max_iter=0), twins.SVC(max_iter=0), twins.HuberRegressor(max_iter=0)], ids=repr)
def test_no_passes(estimator):
    """No pass leaves weights at zero, which is said."""
    with pytest.warns(ConvergenceWarning):
        estimator.fit(X, TWO if hasattr(estimator, "decision_function") else X[:, 0])
    assert estimator.status_ == "epoch-limit" and np.max(estimator.n_iter_) <= 1 and len(set(estimator.predict(X).tolist())) == 1


def test_verbose(capsys):
    """Progress is printed, of all trainings with a trace, where it is asked for."""
    for verbose in (0, 1):
        twins.LogisticRegression(verbose=verbose).fit(X, TWO)
        printed = capsys.readouterr().out
        assert bool(printed) == bool(verbose)
    assert "LogisticRegression: output 0, epoch" in printed and "proved at least" in printed


def test_jobs(monkeypatch):
    """Numbers of jobs below zero count from all cores, as joblib has it; none of them changes a result."""
    from fenchel import _base

    monkeypatch.setattr(_base.os, "cpu_count", lambda: 8)
    assert [_base.threads_of(n) for n in (None, -1, -2, -8, -20, 1, 3)] == [0, 0, 7, 1, 1, 1, 3]
    fits = [twins.LogisticRegression(n_jobs=n).fit(X, THREE).coef_ for n in (None, 1, 2, -2)]
    assert all((c == fits[0]).all() for c in fits)


def test_mle_of_digits():
    """The most likely number of components of scikit-learn, of rows as they are and centred far away."""
    rows = datasets.load_digits().data[:, 10:30]
    for shift in (0, 1000):
        assert twins.PCA("mle").fit(rows + shift).n_components_ == decomposition.PCA("mle", svd_solver="full").fit(rows).n_components_
