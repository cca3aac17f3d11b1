"""Rows of float64 stay so where the solver reads them, and the certificate is about them."""

import fenchel
import numpy as np
import pytest
from fenchel import check

from scipy import sparse


def rows(n=60, d=4):
    """Rows of which the rounded ones have another solution, in the ninth digit."""
    r = np.random.default_rng(3)
    X = r.normal(size=(n, d))
    return X, X @ [3.0, -1.0, 0.5, 2.0] + r.normal(size=n)


def ridge(X, y, C):
    return np.linalg.solve(X.T @ X + np.eye(X.shape[1]) / C, X.T @ y)


@pytest.mark.parametrize("as_sparse", [False, True])
def test_weights_are_of_the_numbers_as_they_are(as_sparse):
    X, y = rows()
    given = sparse.csr_matrix(X) if as_sparse else X
    model = fenchel.LinearRegressor(C=2.0, bias="none", scale="none", gap=1e-12).fit(given, y)
    assert model.model_.precision == "float64"
    np.testing.assert_allclose(model.coef_, ridge(X, y, 2.0), rtol=1e-13)
    assert fenchel.verify(model, given, y).problems == []
    single = fenchel.LinearRegressor(C=2.0, bias="none", scale="none", gap=1e-12).fit(X.astype(np.float32), y)
    assert single.model_.precision == "float32"
    assert 1e-10 < np.abs(single.coef_ / model.coef_ - 1).max() < 1e-6
    assert any("the data differ" in p for p in fenchel.verify(model, np.nextafter(X, 9), y).problems)
    assert "double precision" in fenchel.verify(model, X.astype(np.float32), y).unproved


@pytest.mark.parametrize("dtype", [bool, int, np.longdouble])
def test_verified_in_the_type_of_training(dtype):
    """Numbers of other types are of float64 in training and in verify, sparse ones too."""
    X, y = rows()
    given = sparse.csr_matrix(np.round(X).astype(dtype))
    assert fenchel.verify(fenchel.LinearRegressor().fit(given, y), given, y).valid


def test_where_rows_are_rounded():
    X, y = rows()
    c = (y > 0).astype(int)
    for model, t in ((fenchel.LinearClassifier(), c), (fenchel.KernelClassifier(), c), (fenchel.LinearRegressor(solver="sdca"), y), (fenchel.PCA(2, method="oja"), None)):
        model.fit(X, t) if t is not None else model.fit(X)
        assert model.model_.precision == "float32", model
    assert fenchel.PCA(2).fit(X).model_.precision == "float64"
    assert fenchel.LinearClassifier(loss="logistic").fit(X, c).model_.precision == "float64"


def test_components_of_the_numbers_as_they_are():
    X, _ = rows()
    found = fenchel.PCA(1, gap=1e-10).fit(X)
    want = np.linalg.eigvalsh(np.cov(X.T, bias=True))[-1]
    assert abs(float(found.model_.tensor("eigenvalues")[0]) / want - 1) < 1e-13
    assert fenchel.verify(found, X).problems == []


def test_second_opinion(tmp_path):
    """fenchel.check computes objective, bound and digest of rows of float64."""
    X, y = rows()
    fenchel.LinearRegressor(gap=1e-9).fit(X, y).model_.save(tmp_path / "m.model")
    np.save(tmp_path / "rows.npy", np.column_stack([X, y]))
    lines = check.check(str(tmp_path / "m.model"), str(tmp_path / "rows.npy"), None)
    assert lines
    np.save(tmp_path / "rows.npy", np.column_stack([X.astype(np.float32), y]))
    with pytest.raises(check.Stop, match="digest"):
        check.check(str(tmp_path / "m.model"), str(tmp_path / "rows.npy"), None)


def test_second_opinion_of_offsets(tmp_path):
    """Of columns that are far from zero the rows are those that the engine got, without their means."""
    X, y = rows()
    fenchel.LinearRegressor(gap=1e-9).fit(X + [1.7e9, 0, 0, 0], y).model_.save(tmp_path / "m.model")
    np.save(tmp_path / "rows.npy", np.column_stack([X + [1.7e9, 0, 0, 0], y]))
    assert check.check(str(tmp_path / "m.model"), str(tmp_path / "rows.npy"), None)


def test_too_large_for_single_precision():
    X, y = rows()
    X[2, 1] = 1e39
    with pytest.raises(ValueError, match="row 3: column 2: found 1e.39, expected a magnitude of at most 3.4e38"):
        fenchel.LinearRegressor(bias="none", scale="none").fit(X, y)
