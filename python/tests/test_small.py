"""Columns too small for single precision."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

import fenchel


def test_small_columns(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2)) * [1e-50, 1]
    y = (X[:, 0] > 0).astype(int)
    for rows in (X, sp.csr_matrix(X)):
        with pytest.warns(UserWarning, match="column 1: all values are below 1e-30"):
            fenchel.LinearClassifier().fit(rows, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fenchel.LinearClassifier().fit(X * [2.0**160, 1], y)
    np.savez(tmp_path / "x.npz", X=X, y=y)
    with pytest.warns(UserWarning, match="too small for single precision"):
        rows = fenchel.read(tmp_path / "x.npz")
    np.testing.assert_allclose(rows.X / rows.factors, X, rtol=1e-6)
    for name in ("x.npz", "x.svm", "x.csv"):
        (tmp_path / "x.svm").write_text("".join(f"1 1:{a!r} 2:{b!r}\n" for a, b in X.tolist()))
        np.savetxt(tmp_path / "x.csv", X, delimiter=",")
        with pytest.warns(UserWarning, match="rounding to single precision"):
            assert fenchel.read(tmp_path / name, n_features=2).factors is None
