"""What people bring: columns that depend on each other, rows of few dimensions, absent classes, large numbers."""

import os

import numpy as np
import pytest

sklearn = pytest.importorskip("sklearn")
from sklearn import decomposition, linear_model, svm  # noqa: E402
from sklearn.metrics.pairwise import chi2_kernel  # noqa: E402

import fenchel.sklearn as twins  # noqa: E402

RNG = np.random.RandomState(3)
X = RNG.randn(200, 5)
Y = X @ [1.0, 2.0, 3.0, 4.0, 5.0] + 0.1 * RNG.randn(200)
CLASSES = np.array(["a", "b", "c"])[RNG.randint(0, 3, 200)]


def test_dependent_columns():
    """Small weights are found, and said to be one choice of many."""
    A = np.hstack([X, X[:, :2], X[:, [0]] + X[:, [1]]])
    with pytest.warns(UserWarning, match="columns of X depend on each other"):
        ours = twins.LinearRegression().fit(A, Y)
    theirs = linear_model.LinearRegression().fit(A, Y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-3)
    np.testing.assert_allclose(ours.predict(A), theirs.predict(A), atol=1e-4)


@pytest.mark.filterwarnings("error")
def test_gaps_below_rounding():
    """A run ends where the rest of the gap is rounding, and nobody is warned of it."""
    A = RNG.randn(20000, 20)
    model = twins.Ridge().fit(A, A @ RNG.randn(20) + RNG.randn(20000))
    assert model.n_iter_ <= 20 and model.gap_ < 1e-6
    assert twins.LinearRegression().fit(X, Y).gap_ < 1e-6


def test_rows_of_few_dimensions():
    """Components without variance complete those that are there."""
    A = RNG.randn(60, 2) @ RNG.randn(2, 6)
    ours = twins.IncrementalPCA(4).fit(A)
    theirs = decomposition.IncrementalPCA(4).fit(A)
    np.testing.assert_allclose(ours.explained_variance_, theirs.explained_variance_, atol=1e-5)
    np.testing.assert_allclose(ours.components_ @ ours.components_.T, np.eye(4), atol=1e-6)
    np.testing.assert_allclose(ours.inverse_transform(ours.transform(A)), A, atol=1e-4)
    assert twins.IncrementalPCA(5, batch_size=25).fit(RNG.randn(53, 6)).n_components_ == 5


def test_maps():
    """chi2 has gamma 1 where none is given, and names of features are as many as there are."""
    P = np.abs(X)
    images = twins.Nystroem("chi2", n_components=200, random_state=0).fit_transform(P)
    np.testing.assert_allclose(images @ images.T, chi2_kernel(P), atol=1e-5)
    pytest.importorskip("pandas")
    assert twins.RBFSampler(n_components=7).set_output(transform="pandas").fit_transform(X).shape == (200, 7)


@pytest.mark.parametrize("name", ["SVC", "LinearSVC", "LogisticRegression"])
@pytest.mark.parametrize("weights", [{"a": 2, "zzz": 5}, {"zzz": 1}, {"a": 2}, {"a": 2, "b": 1, "c": 1, "zzz": 5}])
def test_weights_of_absent_classes(name, weights):
    """A class that is absent may have a weight where all that are there have one."""
    theirs = getattr(svm if "SVC" in name else linear_model, name)(class_weight=weights)
    try:
        theirs.fit(X, CLASSES)
    except ValueError as e:
        with pytest.raises(ValueError, match=str(e).split("[")[0]):
            getattr(twins, name)(class_weight=weights).fit(X, CLASSES)
    else:
        getattr(twins, name)(class_weight=weights).fit(X, CLASSES)


def test_large_numbers():
    """A finite number that single precision has none for is not called infinite."""
    A = X.copy()
    A[3, 1] = 1e39
    with pytest.raises(ValueError, match=r"row 4, column 2: found 1e\+39, expected a magnitude of at most 3.4e38"):
        twins.LinearSVC().fit(A, CLASSES)


def test_hard_margin():
    """C = inf allows for no error."""
    y = np.where(X[:, 0] > 0, 1, -1)
    model = twins.SVC(C=np.inf, gamma=0.5).fit(X, y)
    assert model.score(X, y) == 1 and model.gap_ < 1e-2
    with pytest.raises(ValueError, match="or a finite C"):
        twins.SVC(C=np.inf, kernel="linear").fit(X, CLASSES)


def test_saved_whole(tmp_path, monkeypatch):
    """A file that cannot be written whole leaves the one that was there, and nothing else."""
    model = twins.Ridge().fit(X, Y).model_
    path = tmp_path / "m.model"
    model.save(path)
    before = path.read_bytes()
    monkeypatch.setattr(os, "fsync", lambda fd: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    model.data = before + b"more"
    with pytest.raises(OSError):
        model.save(path)
    assert path.read_bytes() == before and os.listdir(tmp_path) == ["m.model"]
