"""Probabilities of calibrators, and intervals and sets with coverage."""

import numpy as np
import pytest

from fenchel import KernelClassifier, KernelRegressor, LinearClassifier, LinearRegressor


def rows(n, seed, classes=0):
    r = np.random.default_rng(seed)
    X = r.normal(size=(n, 4))
    noise = r.normal(size=n)
    score = X[:, 0] - 0.5 * X[:, 1] + noise
    return X, np.digitize(score, np.linspace(-1, 1, classes - 1) if classes > 2 else [0.0]) if classes else score


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("way", ["sigmoid", "isotonic", "temperature", "auto"])
def test_probabilities(way, classes):
    X, y = rows(600, 1, classes)
    Z, t = rows(2000, 2, classes)
    plain = LinearClassifier("softmax" if classes > 2 else "logistic").fit(X, y).predict_proba(Z)
    for c in (LinearClassifier("softmax" if classes > 2 else "squared-hinge", probabilities=way), KernelClassifier(gamma=0.1, loss="squared-hinge", probabilities=way)):
        p = c.fit(X, y).predict_proba(Z)
        assert p.shape == (2000, classes) and np.allclose(p.sum(axis=1), 1)
        loss, least = (-np.log(q[np.arange(2000), t]).mean() for q in (p, plain))
        assert loss < least + 0.12


@pytest.mark.parametrize("make", [LinearRegressor, lambda **k: KernelRegressor(gamma=0.1, **k)])
def test_intervals(make):
    covered, draws = 0.0, 10
    for seed in range(draws):
        X, y = rows(200, seed)
        Z, t = rows(500, 100 + seed)
        lower, upper = make(interval=0.9).fit(X, y).predict_interval(Z).T
        assert (lower < upper).all()
        covered += ((lower <= t) & (t <= upper)).mean() / draws
    assert 0.87 < covered < 0.94


@pytest.mark.parametrize("classes", [2, 3])
def test_sets(classes):
    covered, draws = 0.0, 10
    for seed in range(draws):
        X, y = rows(200, seed, classes)
        Z, t = rows(500, 100 + seed, classes)
        held = LinearClassifier("logistic", interval=0.9).fit(X, y).predict_set(Z)
        assert held.shape == (500, classes) and held.dtype == bool
        covered += held[np.arange(500), t].mean() / draws
    assert 0.86 < covered < 0.95


def test_what_was_not_asked_for():
    X, y = rows(60, 1, 2)
    c = LinearClassifier().fit(X, y)
    assert not hasattr(c, "predict_proba") and not hasattr(c, "predict_set") and not hasattr(LinearRegressor(), "predict_interval")
    assert not hasattr(KernelClassifier(), "predict_proba")
    with pytest.raises(ValueError, match="unknown calibrator"):
        LinearClassifier(probabilities="magic").fit(X, y)
    with pytest.raises(ValueError, match="rows with weights"):
        LinearClassifier(interval=0.9).fit(X, y, sample_weight=np.full(60, 2.0))
