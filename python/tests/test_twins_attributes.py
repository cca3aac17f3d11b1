"""Attributes, deprecations and metadata that the twins have as scikit-learn does."""

import warnings

import numpy as np
import pytest

import fenchel
import fenchel.sklearn as twins

sklearn = pytest.importorskip("sklearn")
from sklearn import config_context, kernel_approximation, linear_model  # noqa: E402
from sklearn.decomposition import KernelPCA  # noqa: E402
from sklearn.metrics import f1_score, get_scorer, make_scorer, roc_auc_score  # noqa: E402
from sklearn.metrics.pairwise import rbf_kernel  # noqa: E402
from sklearn.model_selection import GroupKFold, KFold  # noqa: E402

RNG = np.random.RandomState(0)
X = RNG.randn(90, 4)
THREE = np.digitize(X[:, 0] + 0.5 * RNG.randn(90), [-0.5, 0.5])
TWO = THREE > 0
NUMBERS = X @ [1.0, -2.0, 0.5, 0.0] + 0.1 * RNG.randn(90)
NEW = RNG.randn(7, 4)


def _scipy_sparse():
    return pytest.importorskip("scipy.sparse").csr_matrix(X)


@pytest.mark.parametrize("make, words", [
    (lambda: twins.RidgeCV(gcv_mode="svd").fit(_scipy_sparse(), NUMBERS), "'svd' mode"), (lambda: twins.LogisticRegression("l2").fit(X, TWO), "'penalty' was deprecated"),
    (lambda: twins.LogisticRegression(l1_ratio=None).fit(X, TWO), "'l1_ratio=None'"), (lambda: twins.LogisticRegressionCV(Cs=2, l1_ratios=None, scoring="accuracy", use_legacy_attributes=True).fit(X, TWO), "'l1_ratios=None'"),
    (lambda: twins.LogisticRegressionCV(Cs=2, l1_ratios=(0,), scoring="accuracy").fit(X, TWO), "use_legacy_attributes"), (lambda: twins.SVC(probability=False).fit(X, TWO), "`probability` parameter"),
    (lambda: twins.SVC().fit(X, TWO).probA_, "`probA_`"), (lambda: twins.SGDRegressor(power_t=-1.0).fit(X, NUMBERS), "`power_t`"),
    (lambda: twins.enet_path(X, NUMBERS, n_alphas=2), "'n_alphas'"), (lambda: twins.lasso_path(X, NUMBERS, alphas=None), "'alphas=None'"),
])  # fmt: skip
def test_announced(make, words):
    """What scikit-learn gives up is announced once, at the line of the caller."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        make()
    found = [w for w in seen if w.category is FutureWarning]
    assert len(found) == 1 and words in str(found[0].message) and found[0].filename == __file__


@pytest.mark.filterwarnings("ignore:.penalty. was:FutureWarning", "ignore:Inconsistent")
def test_overruled():
    """Parameters that another overrules are warned of, and defaults are not."""
    for how, words in [({"penalty": None, "C": 4.0}, "ignore the C"), ({"penalty": "l1", "l1_ratio": 0.5, "solver": "saga"}, "only used when penalty is 'elasticnet'"), ({"penalty": "l1", "solver": "saga"}, "Inconsistent values")]:
        with pytest.warns(UserWarning, match=words):
            twins.LogisticRegression(**how).fit(X, TWO)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        twins.LogisticRegression(l1_ratio=1).fit(X, TWO)
        twins.LogisticRegressionCV(Cs=2, l1_ratios=(0, 0.5), scoring="neg_log_loss", use_legacy_attributes=False).fit(X, TWO)


@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("refit", [True, False])
def test_paths_of_folds(y, intercept, refit):
    """The search of the engine tells the weights and passes of every fold, ratio and C: those of a fit to the rows of the fold."""
    folds = list(KFold(3, shuffle=True, random_state=0).split(X))
    how = {"tol": 1e-7, "fit_intercept": intercept}
    ratios = np.array([0, 0.5])
    cv = twins.LogisticRegressionCV(Cs=[0.1, 3.0], l1_ratios=ratios, cv=folds, scoring="accuracy", use_legacy_attributes=False, refit=refit, **how).fit(X, y)
    assert cv.coefs_paths_.shape == (3, 2, 2, 1 if y is TWO else 3, 4 + intercept) and cv.n_iter_.shape == (3, 2, 2) and cv.n_iter_.min() >= 1
    for f, (train, _) in enumerate(folds):
        for r, ratio in enumerate(ratios):
            for c, C in enumerate((0.1, 3.0)):
                one = twins.LogisticRegression(C=C, l1_ratio=ratio, **how).fit(X[train], y[train])
                np.testing.assert_allclose(cv.coefs_paths_[f, r, c, :, :4], one.coef_, atol=1e-3)
                if intercept:
                    np.testing.assert_allclose(cv.coefs_paths_[f, r, c, :, 4], one.intercept_, atol=1e-3)
    theirs = linear_model.LogisticRegressionCV(Cs=[0.1, 3.0], l1_ratios=ratios, cv=folds, scoring="accuracy", use_legacy_attributes=False, refit=refit, solver="saga", max_iter=5000, **how).fit(X, y)
    np.testing.assert_allclose(cv.coef_, theirs.coef_, atol=2e-3)


def test_folds_without_a_class():
    """Folds that lack a class know it, as scikit-learn's do: it has no weights there, and its probability is 0."""
    y = np.repeat([0, 1, 2], 30)
    A = X + 0.5 * y[:, None]
    how = {"Cs": [0.1, 10.0], "cv": KFold(3), "scoring": "neg_brier_score", "l1_ratios": (0,), "use_legacy_attributes": False, "tol": 1e-7}
    for weights in (None, 1.0 + RNG.rand(90)):
        ours, theirs = (m.LogisticRegressionCV(**how).fit(A, y, weights) for m in (twins, linear_model))
        assert all((ours.coefs_paths_[f, 0, :, f, :4] == 0).all() for f in range(3)) and (ours.coefs_paths_[0, 0, :, 1:, :4] != 0).all()
        np.testing.assert_allclose(ours.scores_, theirs.scores_, atol=5e-3)
        assert ours.C_ == theirs.C_ and ours.coef_.all()


def test_score_is_of_scoring():
    """LogisticRegressionCV scores as it was told to, with weights."""
    how = {"Cs": [1.0], "l1_ratios": (0,), "use_legacy_attributes": True}
    weights = RNG.rand(90)
    cv = twins.LogisticRegressionCV(scoring="roc_auc", **how).fit(X, TWO)
    assert cv.score(X, TWO, sample_weight=weights) == roc_auc_score(TWO, cv.decision_function(X), sample_weight=weights)
    cv = twins.LogisticRegressionCV(scoring=make_scorer(f1_score), **how).fit(X, TWO)
    assert cv.score(X, TWO) == f1_score(TWO, cv.predict(X))


def test_routing():
    """Groups reach the folds, and weights the scorer if it asks for them, with metadata routing; without it they are refused."""
    groups = RNG.randint(0, 6, 90)
    for one in (twins.LassoCV(cv=GroupKFold(3)), twins.ElasticNetCV(cv=GroupKFold(3)), twins.RidgeCV(cv=GroupKFold(3))):
        with pytest.raises(ValueError, match="enable_metadata_routing=True"):
            one.fit(X, NUMBERS, groups=groups)
        with config_context(enable_metadata_routing=True):
            found = one.fit(X, NUMBERS, groups=groups).alpha_
        given = type(one)(cv=list(GroupKFold(3).split(X, NUMBERS, groups))).fit(X, NUMBERS)
        assert found == given.alpha_
    weights = np.where(np.arange(90) % 2, 20.0, 1.0)
    with config_context(enable_metadata_routing=True):
        seen = [twins.LogisticRegressionCV(Cs=[0.01, 1.0], l1_ratios=(0,), use_legacy_attributes=False, scoring=get_scorer("accuracy").set_score_request(sample_weight=asked)).fit(X, TWO, sample_weight=weights) for asked in (False, True)]
        assert not np.allclose(seen[0].scores_, seen[1].scores_)
        with pytest.raises(TypeError, match="not routed"):
            seen[0].score(X, TWO, sample_weight=weights)


def test_several_labels():
    """Rows of several labels are a problem for each, as of scikit-learn."""
    Y = np.column_stack([TWO, X[:, 1] > 0, NUMBERS > 1]).astype(int)
    for name in ("RidgeClassifier", "RidgeClassifierCV"):
        ours, theirs = getattr(twins, name)().fit(X, Y), getattr(linear_model, name)().fit(X, Y)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-4, atol=1e-5)
        np.testing.assert_array_equal(ours.predict(NEW), theirs.predict(NEW))
        assert ours.score(X, Y) == theirs.score(X, Y) and list(ours.classes_) == [0, 1, 2]
        np.testing.assert_array_equal(ours.fit(X, THREE).predict(NEW), theirs.fit(X, THREE).predict(NEW))
    weighted = [m.RidgeClassifier(class_weight="balanced").fit(X, Y) for m in (twins, linear_model)]
    np.testing.assert_allclose(weighted[0].coef_, weighted[1].coef_, rtol=1e-4, atol=1e-5)


def test_alphas_are_checked():
    """Values of alpha that are none are refused by their place."""
    for one, words in [(twins.RidgeCV(alphas=(1, -1)), r"alphas\[1\] == -1, must be > 0"), (twins.LassoCV(alphas=(1, -1)), r"alphas\[1\] == -1, must be >= 0"), (twins.RidgeCV(alphas=(0, 1)), r"alphas\[0\] == 0, must be > 0")]:
        with pytest.raises(ValueError, match=words):
            one.fit(X, NUMBERS)
    with pytest.raises(TypeError, match=r"alphas\[1\] must be an instance of float, not str"):
        twins.RidgeClassifierCV(alphas=(1, "1")).fit(X, TWO)


def test_paths_with_weights():
    """A path takes weights of rows, and refuses what the solver knows nothing of."""
    weights = RNG.randint(1, 4, 90)
    found = twins.lasso_path(X, NUMBERS, alphas=3, sample_weight=weights, tol=1e-8)
    repeated = twins.lasso_path(np.repeat(X, weights, axis=0), np.repeat(NUMBERS, weights), alphas=3, tol=1e-8)
    for a, b in zip(found[:2], repeated[:2]):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)
    with pytest.raises(ValueError, match="Unexpected parameters in params: found fit_intercept, normalize"):
        twins.enet_path(X, NUMBERS, normalize=True, fit_intercept=True)


def test_beginnings_of_descent():
    """Weights to begin at must have the shape of those that are found."""
    for y, coef, bias in ((TWO, (4,), ()), (THREE, (3, 4), (3,))):
        twins.SGDClassifier().fit(X, y, coef_init=np.zeros(coef), intercept_init=np.zeros(bias))
        for how in ({"coef_init": np.zeros(5)}, {"intercept_init": np.zeros(2)}, {"coef_init": np.zeros((4, 3))}):
            with pytest.raises(ValueError, match="does not match dataset"):
                twins.SGDClassifier().fit(X, y, **how)
    with pytest.raises(ValueError, match="early_stopping should be False"):
        twins.SGDClassifier(early_stopping=True).partial_fit(X, TWO, [False, True])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("gamma", [0.3, "scale"])
def test_sampled_features(gamma, dtype):
    """Random features are those of scikit-learn, to the bit of their weights; the rows of a Nystroem map are those that it says."""
    A = X.astype(dtype)
    ours, theirs = (m.RBFSampler(gamma=gamma, n_components=12, random_state=3).fit(A) for m in (twins, kernel_approximation))
    np.testing.assert_allclose(ours.random_weights_, theirs.random_weights_, rtol=1e-6)
    np.testing.assert_array_equal(ours.random_offset_, theirs.random_offset_)
    assert ours.random_weights_.dtype == ours.transform(A).dtype == dtype
    np.testing.assert_allclose(ours.transform(A), theirs.transform(A), rtol=1e-4, atol=1e-5)
    drawn = twins.Nystroem(gamma=0.3, n_components=9, random_state=1).fit(A)
    np.testing.assert_array_equal(drawn.components_, A[drawn.component_indices_].astype(np.float32))
    assert len(set(drawn.component_indices_.tolist())) == 9


def test_components_of_functions():
    """Components of a function of two rows and of the kernel's matrix are those of its name, proved, and take new rows."""
    named = fenchel.KernelPCA(3, gamma=0.2).fit(X)
    matrix = fenchel.KernelPCA(3, kernel="precomputed").fit(rbf_kernel(X, gamma=0.2))
    function = fenchel.KernelPCA(3, kernel=lambda a, b: np.exp(-0.2 * ((a - b) ** 2).sum())).fit(X)
    for one, new, rows in ((matrix, rbf_kernel(NEW, X, gamma=0.2), rbf_kernel(X, gamma=0.2)), (function, NEW, X)):
        np.testing.assert_allclose(one.eigenvalues_, named.eigenvalues_, rtol=1e-6)
        np.testing.assert_allclose(np.abs(one.transform(new)), np.abs(named.transform(NEW)), rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(one.transform(rows), one.eigenvectors_ * np.sqrt(one.eigenvalues_), rtol=1e-5, atol=1e-5)
        assert one.gap_ < 1e-6 and fenchel.verify(one, rows).valid and not fenchel.verify(one, rows + 0.01 * np.eye(*rows.shape)).valid
        with pytest.raises(ValueError, match="function or a matrix"):
            one.inverse_transform(one.transform(new))
    indefinite = X @ X.T - 30 * np.outer(TWO - 0.5, TWO - 0.5)
    np.testing.assert_allclose(twins.KernelPCA(2, kernel="precomputed").fit(indefinite).eigenvalues_, KernelPCA(2, kernel="precomputed").fit(indefinite).eigenvalues_, rtol=1e-5)
    for wrong, words in [(indefinite, "significant negative eigenvalues"), (X, "must be a square matrix"), (X @ RNG.randn(4, 90), "not symmetric")]:
        with pytest.raises(ValueError, match=words):
            twins.KernelPCA(kernel="precomputed").fit(wrong)
    with pytest.raises(ValueError, match="Cannot fit_inverse_transform"):
        twins.KernelPCA(kernel="precomputed", fit_inverse_transform=True).fit(X @ X.T)
    assert twins.KernelPCA(kernel="rbf").fit(X).gamma_ == 0.25


def test_probabilities_of_one_row():
    """A class of one row has probabilities, with a warning: no model that was trained without the row knows the class."""
    A, y = np.vstack([X, [[4.0] * 4]]), np.append(TWO.astype(int), 2)
    with pytest.warns(UserWarning, match="found one row of the class 2"):
        p = twins.SVC(probability=True, kernel="linear").fit(A, y).predict_proba(A)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert (p[:-1, :2].argmax(axis=1) == y[:-1]).mean() > 0.8
