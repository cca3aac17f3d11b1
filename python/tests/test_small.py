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
