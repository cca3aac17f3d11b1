"""Training on rows in many places, by processes of this machine."""

import numpy as np
import pytest

import fenchel
from fenchel import _ask, _cluster


def batches(X, codes, size):
    for lo in range(0, X.shape[0], size):
        yield _ask.Data(X[lo : lo + size], codes=codes[lo : lo + size].astype(np.uint32), labels=["0", "1"])


def rows(n=1500, d=20):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d)).astype(np.float32)
    return X, (X @ rng.standard_normal(d) + rng.standard_normal(n) > 0).astype(np.uint32)


def trained(X, y, size, processes, **spec):
    backend = _cluster.Local(processes)
    try:
        backend.ingest(batches(X, y, size))
        return _cluster.train(backend, {"loss": "logistic", "penalty": "l2", "bias": "free", "gap": 1e-3, "dual": True, **spec})
    finally:
        backend.close()


@pytest.mark.parametrize("loss", ["logistic", "hinge"])
def test_same_bytes_from_any_processes_and_order(loss):
    X, y = rows()
    one, model = trained(X, y, 1500, 1, loss=loss, gap=1e-2)
    order = np.random.default_rng(1).permutation(len(X))
    _, again = trained(X[order], y[order], 333, 3, loss=loss, gap=1e-2)
    assert model.data == again.data
    assert one["status"] == "converged" and one["gap"] <= 1e-2


def test_verified_on_one_machine(tmp_path):
    X, y = rows()
    said, model = trained(X, y, 400, 2)
    model.save(tmp_path / "c.model")
    est = fenchel.LinearClassifier(loss="logistic", gap=1e-6).fit(X, y)
    assert model.part("data")["digest"].startswith("sha256-sorted:")
    assert np.allclose(model.weights()[0], est.coef_, atol=1e-2)
    assert fenchel.load(tmp_path / "c.model") is not None if hasattr(fenchel, "load") else True


def test_one_class_is_refused():
    X, y = rows(300)
    with pytest.raises(ValueError, match="two classes"):
        trained(X, np.zeros_like(y), 100, 2)
