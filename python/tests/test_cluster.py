"""Training on rows in many partitions, by processes of this machine."""

import json
import os
import signal
import subprocess

import numpy as np
import pytest

import fenchel
from fenchel import _ask, _cluster
from fenchel._engine import program


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


class Pressed(_cluster.Local):
    """Ctrl-C is pressed in some requests, when partitions have been asked, of which the first has answered."""

    def __init__(self, requests):
        super().__init__(2)
        self.requests, self.asked = requests, 0

    def map(self, request, partitions):
        self.asked += 1
        if self.asked in self.requests:
            self._worker(1).receive = lambda: os.kill(os.getpid(), signal.SIGINT)
        return super().map(request, partitions)


def interrupted(requests, progress=None):
    X, y = rows()
    backend = Pressed(requests)
    try:
        backend.ingest(batches(X, y, 500))
        return _cluster.train(backend, {"loss": "hinge", "penalty": "l2", "bias": "free", "gap": 1e-9, "dual": True}, progress)
    finally:
        backend.close()


def test_ctrl_c_keeps_what_is_proved():
    said, model = interrupted({20})
    assert said["status"] == "interrupted" and 0 < said["gap"] < 0.9 and said["rounds"] == 16
    assert model.part("certificates")[0]["status"] == "interrupted"


def test_ctrl_c_between_requests():
    def progress(event):
        if event["round"] == 7 and not event["proved"]:
            os.kill(os.getpid(), signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    said, _ = interrupted(set(), progress)
    assert said["status"] == "interrupted" and said["rounds"] == 7 and said["gap"] < 1
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize("requests", [{1}, {2}, {3}, {20, 21}])
def test_ctrl_c_before_there_is_a_model_and_twice(requests):
    with pytest.raises(KeyboardInterrupt):
        interrupted(requests)


def partitioned(X, y, size=300, processes=2, weights=None, numbers=False):
    backend = _cluster.Local(processes)
    each = []
    for lo in range(0, len(X), size):
        part = slice(lo, lo + size)
        data = _ask.Data(X[part])
        if numbers:
            data.numbers = y[part].astype(np.float64)
        else:
            data.codes, data.labels = y[part].astype(np.uint32), ["0", "1"]
        data.weights = None if weights is None else weights[part]
        each.append(data)
    backend.ingest(each)
    return backend


def command(tmp_path, model, X, y, verb):
    model.save(tmp_path / "c.model")
    lines = [f"{t:g} " + " ".join(f"{j + 1}:{x:.9g}" for j, x in enumerate(row)) for t, row in zip(y, X)]
    (tmp_path / "rows.svm").write_text("\n".join(lines) + "\n")
    done = subprocess.run([program(), verb, str(tmp_path / "c.model"), str(tmp_path / "rows.svm"), "--json"], capture_output=True, text=True)
    said = json.loads(done.stdout)
    del said["format_version"]  # of the command line
    return said, done.returncode


def close(a, b):
    if isinstance(a, dict):
        assert a.keys() == b.keys()
        return all(close(a[k], b[k]) for k in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(close, a, b))
    return a == b or isinstance(a, float) and abs(a - b) <= 1e-11 * max(1, abs(a))


@pytest.mark.parametrize("loss, bias", [("logistic", "free"), ("squared-hinge", "none")])
def test_verified_and_evaluated_by_a_cluster(tmp_path, loss, bias):
    X, y = rows()
    backend = partitioned(X, y)
    try:
        _, model = _cluster.train(backend, {"loss": loss, "penalty": "l2", "bias": bias, "gap": 1e-3, "dual": True})
        found, scored = _cluster.verify(backend, model), _cluster.evaluate(backend, model)
    finally:
        backend.close()
    expected, code = command(tmp_path, model, X, y, "verify")
    assert code == 0 and found["valid"] is True and found["rebuilt_dual"] is False
    assert close(found, expected), (found, expected)
    expected, _ = command(tmp_path, model, X, y, "evaluate")
    assert close(scored, expected), (scored, expected)
    assert 0 < scored["error"] < 0.5 and scored["auc"] > 0.5 and ("log_loss" in scored) == (loss == "logistic")


def test_numbers_with_weights_are_evaluated_by_a_cluster():
    X, _ = rows()
    y, weights = X[:, 0] * 2 - 1 + X[:, 1], 1.0 + np.arange(len(X)) % 3
    backend = partitioned(X, y, weights=weights, numbers=True)
    try:
        _, model = _cluster.train(backend, {"loss": "squared", "penalty": "l2", "bias": "free", "gap": 1e-3})
        found, scored = _cluster.verify(backend, model), _cluster.evaluate(backend, model)
    finally:
        backend.close()
    assert found["valid"] is True and found["rebuilt_dual"] is True
    coef, intercept = model.weights()
    predicted = X.astype(np.float64) @ coef[0] + intercept[0]
    assert np.isclose(scored["rmse"], np.sqrt(np.average((predicted - y) ** 2, weights=weights)), rtol=1e-9)


def forged(model, change):
    """Return the model with another byte string of the same length in its file."""
    data = bytearray(model.data)
    change(data)
    return type(model)(bytes(data))


def test_false_claims_are_found_by_a_cluster():
    X, y = rows(600)
    backend, other = partitioned(X, y), partitioned(np.vstack([X[:-1], X[:1]]), np.append(y[:-1], y[0]))
    try:
        _, model = _cluster.train(backend, {"loss": "logistic", "penalty": "l2", "bias": "free", "gap": 1e-3, "dual": True})

        def weights(data):
            data[-3] ^= 0x40

        said = _cluster.verify(backend, forged(model, weights))
        assert said["valid"] is False and "not those that were written" in said["problems"][0]
        said = _cluster.verify(other, model)
        assert said["valid"] is False and any("the data differ" in p for p in said["problems"])
        with pytest.raises(ValueError):
            _cluster.verify(backend, Broken(model.data[:-100]))
        with pytest.raises(ValueError, match="expected verify or evaluate"):
            _cluster._coordinate(backend, {"verb": "guess"}, b"")
    finally:
        backend.close()
        other.close()


class Broken:
    """A model of which a part is missing."""

    def __init__(self, data):
        self.data = data
