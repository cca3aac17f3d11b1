"""Components of rows in many partitions, and scaled columns, by processes of this machine."""

import subprocess

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import dump_svmlight_file
from test_cluster import rows, trained

import fenchel
from fenchel import _ask, _cluster
from fenchel._engine import program


def found(X, size, processes, **spec):
    backend = _cluster.Local(processes)
    try:
        backend.ingest(_ask.Data(X[lo : lo + size]) for lo in range(0, X.shape[0], size))
        return _cluster.train(backend, {"components": {"k": 3, "center": "yes", "gap": 1e-3, "seed": 1, **spec}})
    finally:
        backend.close()


@pytest.mark.parametrize("spec", [{}, {"method": "krylov", "scale": "std"}])
def test_components(spec):
    X = rows()[0] * np.arange(1, 21, dtype=np.float32) + 5
    said, model = found(X, 1500, 1, **spec)
    order = np.random.default_rng(1).permutation(len(X))
    _, again = found(X[order], 333, 3, **spec)
    assert model.data == again.data
    assert said["status"] == "converged" and said["gap"] <= 1e-3
    one = fenchel.PCA(3, gap=1e-6, scale=spec.get("scale", "none")).fit(X)
    captured = model.part("proof")["captured"]
    assert abs(captured - one.certificate_.captured) <= 1e-3 * captured
    if not spec:
        assert np.allclose(np.abs(model.tensor("components") @ one.components_.T), np.eye(3), atol=1e-4)


def test_components_of_sparse_rows():
    X = sparse.random(2000, 3000, 0.01, "csr", np.float32, random_state=0)
    said, model = found(X, 700, 2, center="auto", k=2)
    assert said["status"] == "converged" and said["method"] == "krylov" and model.part("problem")["center"] is False
    assert 5 < said["jobs"] < 100
    values = np.linalg.svd(X.toarray(), compute_uv=False)[:2] ** 2 / 2000
    proof = model.part("proof")
    assert proof["captured"] <= values.sum() * (1 + 1e-6) and values.sum() <= proof["upper"] * (1 + 1e-6)


def test_components_refused():
    X = rows(300)[0]
    with pytest.raises(ValueError, match="k = 21: expected 1 to 20"):
        found(X, 100, 2, k=21)
    with pytest.raises(ValueError, match="a cluster knows"):
        found(X, 100, 2, method="power")


@pytest.mark.parametrize("scale", ["std", "max"])
def test_scaled(scale, tmp_path):
    X, y = rows()
    X = X * np.arange(1, 21, dtype=np.float32) ** 2 + 100
    said, model = trained(X, y, 400, 3, scale=scale, gap=1e-4)
    assert said["status"] == "converged"
    size = X.std(axis=0) if scale == "std" else np.abs(X).max(axis=0)
    Z = (X - X.mean(axis=0)) / size if scale == "std" else X / size
    one = fenchel.LinearClassifier(loss="logistic", gap=1e-7).fit(Z, y)
    w, b = model.weights()
    assert np.allclose(X @ w[0] + b[0], one.decision_function(Z), atol=0.05)
    model.save(tmp_path / "c.model")
    dump_svmlight_file(X, y, str(tmp_path / "rows.svm"), zero_based=False)
    check = subprocess.run([program(), "verify", str(tmp_path / "c.model"), str(tmp_path / "rows.svm")], capture_output=True, text=True)
    assert check.returncode == 0, check.stdout
