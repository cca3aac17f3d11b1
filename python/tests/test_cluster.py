"""Training on rows in many places, by processes of this machine."""

import os
import signal

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


class Pressed(_cluster.Local):
    """Ctrl-C is pressed in some requests, when places have been asked, of which the first has answered."""

    def __init__(self, requests):
        super().__init__(2)
        self.requests, self.asked = requests, 0

    def map(self, request, places):
        self.asked += 1
        if self.asked in self.requests:
            self._worker(1).receive = lambda: os.kill(os.getpid(), signal.SIGINT)
        return super().map(request, places)


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
