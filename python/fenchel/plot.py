"""Figures of models with matplotlib, which has to be installed. Each returns the axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._base import check_is_fitted

__all__ = ["confusion", "path", "spectrum", "support", "trace"]


def _axes(ax: Any) -> Any:
    if ax is None:
        import matplotlib.pyplot as plt

        _, ax = plt.subplots()
    return ax


def trace(estimator: Any, ax: Any = None) -> Any:
    """Draw how the relative gap fell with the seconds of the solver, one line a class.

    >>> import matplotlib; matplotlib.use("Agg")
    >>> import fenchel, fenchel.plot
    >>> c = fenchel.LinearClassifier().fit([[0.0], [1.0]], [0, 1])
    >>> fenchel.plot.trace(c).get_ylabel()
    'relative gap'
    """
    check_is_fitted(estimator)
    ax = _axes(ax)
    for k in sorted({line["output"] for line in estimator.trace_}):
        lines = [t for t in estimator.trace_ if t["output"] == k and t["gap"]]
        ax.plot([t["seconds"] for t in lines], [t["gap"] for t in lines], marker=".", label=str(k))
    ax.set(xlabel="seconds", ylabel="relative gap", yscale="log")
    return ax


def path(estimator: Any, X: Any, y: Any, parameter: str = "C", values: Any = None, ax: Any = None) -> Any:
    """Draw the weights of a linear model against the values of a parameter: the estimator is
    cloned and fitted on X, y for each.

    >>> import matplotlib; matplotlib.use("Agg")
    >>> import fenchel, fenchel.plot
    >>> X, y = fenchel.read("@linear:n=50,d=3")
    >>> len(fenchel.plot.path(fenchel.LinearRegressor(penalty="l1"), X, y, values=[0.1, 1.0]).lines)
    3
    """
    values = np.logspace(-3, 2, 11) if values is None else np.asarray(values, float)
    ax = _axes(ax)
    weights = []
    for value in values:
        fresh = type(estimator)(**{**estimator.get_params(deep=False), parameter: float(value)})
        weights.append(np.ravel(fresh.fit(X, y).coef_))
    ax.plot(values, np.array(weights))
    ax.set(xlabel=parameter, ylabel="weights", xscale="log")
    return ax


def spectrum(estimator: Any, ax: Any = None) -> Any:
    """Draw the share of the variance along each component, and of all up to it.

    >>> import matplotlib; matplotlib.use("Agg")
    >>> import fenchel, fenchel.plot
    >>> len(fenchel.plot.spectrum(fenchel.PCA(1).fit([[0.0, 1.0], [1.0, 3.0]])).lines)
    1
    """
    check_is_fitted(estimator)
    ax = _axes(ax)
    shares = estimator.explained_variance_ratio_
    at = np.arange(1, len(shares) + 1)
    ax.bar(at, shares, color="0.7")
    ax.plot(at, np.cumsum(shares), marker="o")
    ax.set(xlabel="component", ylabel="share of the variance", ylim=(0, 1.05))
    return ax


def support(estimator: Any, X: Any, y: Any = None, ax: Any = None) -> Any:
    """Draw rows of two features, circles around support vectors, and the boundary.

    >>> import matplotlib; matplotlib.use("Agg")
    >>> import fenchel, fenchel.plot
    >>> X, y = fenchel.read("@spirals:n=60")
    >>> fenchel.plot.support(fenchel.KernelClassifier(gamma=10.0).fit(X, y), X, y).get_xlabel()
    'feature 1'
    """
    check_is_fitted(estimator)
    X = np.asarray(X, float)
    if X.shape[1] != 2:
        raise ValueError(f"found {X.shape[1]} features, expected 2")
    ax = _axes(ax)
    codes = None if y is None else np.unique(y, return_inverse=True)[1]
    ax.scatter(*X.T, c=codes, s=12, cmap="coolwarm")
    if hasattr(estimator, "support_"):
        ax.scatter(*X[estimator.support_].T, s=50, facecolors="none", edgecolors="0.3", linewidths=0.7)
    lo, hi = X.min(axis=0), X.max(axis=0)
    grid = np.stack(np.meshgrid(*(np.linspace(a, b, 100) for a, b in zip(lo, hi))), axis=-1)
    scores = estimator.decision_function(grid.reshape(-1, 2))
    if scores.ndim == 1:
        ax.contour(grid[..., 0], grid[..., 1], scores.reshape(100, 100), levels=[0], colors="k", linewidths=1)
    else:
        ax.contour(grid[..., 0], grid[..., 1], scores.argmax(axis=1).reshape(100, 100), colors="k", linewidths=0.7)
    ax.set(xlabel="feature 1", ylabel="feature 2")
    return ax


def confusion(estimator: Any, X: Any, y: Any, ax: Any = None) -> Any:
    """Draw how many rows of each class (down) are taken for each class (across).

    >>> import matplotlib; matplotlib.use("Agg")
    >>> import fenchel, fenchel.plot
    >>> X, y = [[0.0], [1.0], [2.0]], [0, 1, 1]
    >>> fenchel.plot.confusion(fenchel.LinearClassifier().fit(X, y), X, y).get_ylabel()
    'class'
    """
    check_is_fitted(estimator)
    classes = estimator.classes_
    counts = np.zeros((len(classes), len(classes)), int)
    np.add.at(counts, (np.searchsorted(classes, np.asarray(y)), np.searchsorted(classes, estimator.predict(X))), 1)
    ax = _axes(ax)
    ax.imshow(counts, cmap="Blues")
    for (i, j), n in np.ndenumerate(counts):
        ax.text(j, i, str(n), ha="center", va="center", color="w" if 2 * n > counts.max() else "k")
    ax.set(xlabel="predicted", ylabel="class", xticks=range(len(classes)), yticks=range(len(classes)), xticklabels=classes, yticklabels=classes)
    return ax
