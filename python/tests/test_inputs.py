"""What people bring: columns that depend on each other, rows of few dimensions, absent classes, large numbers."""

import os
import pickle

import numpy as np
import pytest

sklearn = pytest.importorskip("sklearn")
from sklearn import decomposition, linear_model, svm  # noqa: E402
from scipy import sparse  # noqa: E402
from sklearn.metrics.pairwise import chi2_kernel  # noqa: E402

import fenchel  # noqa: E402
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


@pytest.mark.filterwarnings("error", "ignore:The `probability` parameter:FutureWarning")
@pytest.mark.parametrize("y", [CLASSES, np.where(X[:, 0] > 1, "d", CLASSES)], ids=["two-remain", "three-remain"])
@pytest.mark.parametrize("how", ["sample_weight", "class_weight", "balanced"])
@pytest.mark.parametrize("make", [
    lambda: fenchel.LinearClassifier("logistic", scale="std"), lambda: fenchel.LinearClassifier("softmax"), lambda: fenchel.KernelClassifier(),
    lambda: fenchel.KernelClassifier(scheme="one-against-one"), lambda: fenchel.KernelClassifier(loss="crammer-singer"), lambda: twins.LinearSVC(fit_intercept=False),
    lambda: twins.LogisticRegression(), lambda: twins.SVC(gamma=0.1, break_ties=True), lambda: twins.SVC(kernel="linear", probability=True, decision_function_shape="ovo"),
    lambda: twins.NuSVC(nu=0.2, gamma=0.1, break_ties=True),
])  # fmt: skip
def test_classes_without_weight(make, how, y):
    """A class of which no row counts is known and never predicted; its rows change nothing."""
    at, classes = y != "b", np.unique(y)
    A, k = np.where(at[:, None], X, 100 * X + 1000), len(classes)
    m, only = make(), make().set_params(class_weight="balanced" if how == "balanced" else None).fit(A[at], y[at])
    m.set_params(class_weight={c: float(c != "b") for c in classes} if how == "class_weight" else only.class_weight)
    w = None if how == "class_weight" else at * 1.0
    m.fit(A, y, w)
    assert list(m.classes_) == list(classes) and m.model_.part("classes") == [c for c in classes if c != "b"]
    scores, p = m.decision_function(A), m.predict(A)
    if type(m) is not twins.LogisticRegression or k > 3:  # of two classes alone it is not multinomial
        np.testing.assert_array_equal(p, only.predict(A))
        np.testing.assert_allclose(m.certificate_.primal, only.certificate_.primal, rtol=1e-4)
    if getattr(m, "decision_function_shape", "") == "ovo":
        assert scores.shape == (200, k * (k - 1) // 2)
        np.testing.assert_allclose(A @ m.coef_.T + m.intercept_, scores, rtol=1e-4, atol=1e-4)
    else:
        assert np.isfinite(scores).all() and (scores[:, 1] < np.delete(scores, 1, axis=1).min(axis=1)).all()
        np.testing.assert_array_equal(classes[scores.argmax(axis=1)], p)
    if hasattr(m, "n_support_"):
        assert m.n_support_[1] == 0 and m.n_support_.sum() == m.dual_coef_.shape[1] and len(m.dual_coef_) == k - 1 and len(m.intercept_) == k * (k - 1) // 2
    elif hasattr(m, "coef_"):
        np.testing.assert_array_equal(A @ m.coef_.T + m.intercept_, scores)
    if hasattr(m, "predict_proba"):
        q = m.predict_proba(A)
        assert q.shape == (200, k) and (q[:, 1] == 0).all()
        np.testing.assert_allclose(q.sum(axis=1), 1)
    else:
        assert fenchel.verify(m, A, y, w).valid
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(m)).decision_function(A), scores)


def test_searches_without_a_class():
    """Searches know a class of which no row counts, and judge by rows that do."""
    at = CLASSES != "b"
    for how in ({"sample_weight": at * 1.0}, {"class_weight": {"a": 1.0, "b": 0.0, "c": 1.0}}, {"sample_weight": at * 1.0, "class_weight": "balanced"}):
        w, weights = how.get("sample_weight"), how.get("class_weight")
        best = fenchel.tune(fenchel.LinearClassifier("logistic", class_weight=weights), X, CLASSES, w, search="C=0.1,1")
        assert len(best.classes_) == 3 and best.predict_proba(X)[:, 1].max() == 0 and fenchel.verify(best, X, CLASSES, w).valid
        cv = twins.LogisticRegressionCV(Cs=[0.1, 1.0], cv=3, class_weight=weights, scoring="neg_log_loss").fit(X, CLASSES, w)
        assert cv.coef_.shape == (3, 5) and cv.predict_proba(X)[:, 1].max() == 0
    theirs = linear_model.LogisticRegression(tol=1e-8, max_iter=10000).fit(X, CLASSES, at * 1.0)
    ours = twins.LogisticRegression(tol=1e-8).fit(X, CLASSES, at * 1.0)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-4)


def test_large_numbers():
    """A finite number that single precision has none for is not called infinite."""
    A = X.copy()
    A[3, 1] = 1e39
    with pytest.raises(ValueError, match=r"row 4: column 2: found 1e\+39, expected a magnitude of at most 3.4e38"):
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


def test_read_tables_as_they_are_meant(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("when,price,code,y\n" + "".join(f"05/0{1 + i % 9}/2024,$1.{i:02d},{-9 if i == 3 else i},{'' if i == 5 else i % 2}\n" for i in range(40)))
    X, y = fenchel.read(path, target="y", missing=["-9"], dates="mdy", skip_unlabelled=True, categorical=["code"])
    assert X.shape[0] == len(y) == 39
    X, y = fenchel.read(path, target="y", missing=["-9"], dates="dmy", skip_unlabelled=True)
    assert X.shape == (39, 3)
    np.testing.assert_allclose(X[:3, 1], [1, 1.01, 1.02], rtol=1e-6)


def test_sparse_rows_for_offsets():
    """A model of columns far from zero says of sparse rows what it says of these dense, and refuses others in one line."""
    X = np.random.RandomState(0).randn(80, 3) + [1.7e9, 0, 0]
    y = X[:, 1] + X[:, 2]
    given = sparse.csr_matrix(X)
    model, bounded = fenchel.LinearRegressor(interval=0.9).fit(X, y), fenchel.LinearRegressor(proved=True).fit(X, y)
    likely, network = fenchel.LinearClassifier(loss="logistic", probabilities="sigmoid").fit(X, y > 0), fenchel.NetworkRegressor().fit(X, y)
    for judge in (model.predict_interval, bounded.proved_interval, likely.predict_proba, network.predict, model.model_.predict):
        assert (judge(given) == judge(X)).all(), judge
    assert fenchel.verify(bounded, given, y).valid
    for ask in (model.model_.predict, lambda rows: fenchel.verify(model, rows, y)):
        for rows in (X[:, :2], given[:, :2], np.column_stack([X, X])):
            with pytest.raises(ValueError, match="found rows of . features, expected 3"):
                ask(rows)


def test_read_like_says_the_offsets(tmp_path):
    """What was subtracted from the columns of an array, as the model has it, is said."""
    X = np.random.RandomState(0).randn(80, 3) + [1.7e9, 0, 0]
    np.save(tmp_path / "x.npy", X)
    model = fenchel.LinearRegressor().fit(X, X[:, 1])
    read = fenchel.read(tmp_path / "x.npy", like=model)
    assert read.offsets is not None
    np.testing.assert_array_equal(read.X, (X - read.offsets).astype(np.float32))
