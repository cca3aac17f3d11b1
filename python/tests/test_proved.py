"""What is proved of single predictions, and of the names of the package."""

import numpy as np
import pytest

import fenchel
from fenchel import KernelClassifier, KernelRegressor, LinearClassifier, LinearRegressor


def test_names():
    assert sorted(name for names in fenchel._HOMES.values() for name in names) == sorted(fenchel.__all__)


def rows(classes=2, n=120, seed=0):
    r = np.random.default_rng(seed)
    X = r.normal(size=(n, 4)).astype(np.float32) + 30
    y = (X[:, 0] + X[:, 1] + r.normal(size=n) - 60 > 0).astype(int)
    return X, y if classes == 2 else y + (X[:, 2] > 30.5)


@pytest.mark.parametrize("make", [
    lambda gap: LinearClassifier("hinge", gap=gap, proved=True), lambda gap: LinearClassifier("logistic", bias="none", gap=gap, proved=True),
    lambda gap: KernelClassifier(gap=gap, proved=True), lambda gap: LinearClassifier("softmax", bias="feature", gap=gap, proved=True),
])  # fmt: skip
@pytest.mark.parametrize("classes", [2, 3])
def test_intervals_hold_the_optimum(make, classes):
    X, y = rows(classes)
    loose, best = make(1e-2).fit(X, y), make(1e-10).fit(X, y)
    for rows_ in (X, X[:20] + 1):
        interval, own = loose.proved_interval(rows_), best.proved_interval(rows_)
        assert interval.shape == own.shape and interval.shape[-1] == 2
        assert (own[..., 0] <= interval[..., 1]).all() and (own[..., 1] >= interval[..., 0]).all()
        assert (interval[..., 0] < interval[..., 1]).all()
    assert best.sure_.mean() >= loose.sure_.mean() and best.sure_.any()
    both = loose.sure_ & best.sure_
    assert (loose.predict(X) == best.predict(X))[both].all()


@pytest.mark.parametrize("make", [lambda gap: LinearRegressor(gap=gap, proved=True), lambda gap: KernelRegressor(gap=gap, proved=True), lambda gap: LinearRegressor(gap=gap, target_log=True, proved=True)])
def test_numbers(make):
    X, _ = rows()
    y = np.exp(X[:, 0] / 30)
    loose, best = make(1e-2).fit(X, y), make(1e-10).fit(X, y)
    interval = loose.proved_interval(X)
    assert interval.shape == (len(X), 2)
    p = best.predict(X)
    assert (interval[:, 0] - 1e-6 <= p).all() and (p <= interval[:, 1] + 1e-6).all()


def test_refused():
    X, y = rows()
    with pytest.raises(ValueError, match="train --proved|proved"):
        LinearClassifier().fit(X, y).proved_interval(X)
    with pytest.raises(ValueError, match="not strongly convex"):
        LinearClassifier("logistic", penalty="l1", proved=True).fit(X, y)
