"""Regression by losses other than squares under the names and with the parameters of scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _ask
from .._base import Certificate, ConvergenceWarning
from .._warn import told
from ..linear import Linear, Regressor
from ._common import checked, limit
from ._linear import unpenalised

__all__ = ["HuberRegressor", "PoissonRegressor", "QuantileRegressor"]


class Straight(Regressor, Linear):
    """What the twins of linear regressors share that have one target."""

    n_jobs = None
    max_iter: int | None = None
    tol, warm_start = 1e-6, False
    alpha: float
    fit_intercept: bool

    def _posed(self, X: Any, weights: np.ndarray | None, **problem: Any) -> dict[str, Any]:
        """Return the spec of a problem, without a penalty if alpha is 0."""
        checked(self)
        if not 0 <= self.alpha < np.inf:
            raise ValueError(f"alpha={self.alpha!r}: expected a finite number >= 0")
        spec = {**problem, "bias": "free" if self.fit_intercept else "none", "scaling": "none", "gap": max(self.tol / 100, 1e-12), **limit(self.max_iter)}
        return {**spec, **unpenalised(X, weights, self.fit_intercept)} if self.alpha == 0 else spec

    def _asked(self) -> float:
        return self.tol

    def _learn(self, data: Any, task: str, init: Any = None) -> None:
        before = getattr(self, "model_", None)
        same = self.warm_start and before is not None and before.part("data")["features"] == data.X.shape[1]
        super()._learn(data, task, before if same else init)

    def _shape(self) -> None:
        self.coef_, self.intercept_ = self.coef_[0], float(self.intercept_[0]) if self.fit_intercept else 0.0


class QuantileRegressor(Straight):
    """Twin of ``sklearn.linear_model.QuantileRegressor``: the mean of max(q (y_i - f_i), (q - 1)(y_i - f_i)) with the weights of
    the rows, + alpha |w|_1.

    ``solver`` and ``solver_options`` change nothing. ``alpha=0`` is as of :class:`LinearRegression`, with a penalty of about
    1e-14 of the squares of X.

    Attributes
    ----------
    coef_ : array of shape (n_features,)
    intercept_ : float
    n_iter_, gap_, certificate_, status_, model_

    Examples
    --------
    >>> from fenchel.sklearn import QuantileRegressor
    >>> QuantileRegressor(alpha=0.01).fit([[0.0], [1.0], [2.0], [3.0]], [1.0, 3.0, 50.0, 7.0]).coef_.round(3)
    array([2.])
    """

    def __init__(self, *, quantile: float = 0.5, alpha: float = 1.0, fit_intercept: bool = True, solver: str = "highs", solver_options: Any = None) -> None:
        self.quantile = quantile
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.solver_options = solver_options

    def _spec(self, X: Any, weights: np.ndarray | None) -> dict[str, Any]:
        if not 0 < self.quantile < 1:
            raise ValueError(f"quantile={self.quantile!r}: expected a number between 0 and 1")
        return self._posed(X, weights, loss=f"quantile:tau={float(self.quantile)!r}", penalty="l1", **{"lambda": self.alpha or None})


class PoissonRegressor(Straight):
    """Twin of ``sklearn.linear_model.PoissonRegressor``: the mean of exp(f_i) - y_i f_i with the weights of the rows, + alpha |w|^2/2.

    ``tol / 100`` is the relative duality gap to be proved, of half the mean deviance and the penalty. ``solver`` and ``verbose``
    change nothing. ``alpha=0`` is as of :class:`QuantileRegressor`.

    Attributes
    ----------
    coef_ : array of shape (n_features,)
    intercept_ : float
    n_iter_, gap_, certificate_, status_, model_

    Examples
    --------
    >>> from fenchel.sklearn import PoissonRegressor
    >>> PoissonRegressor(alpha=1e-3).fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 9.0]).predict([[3.0]]).round(0)
    array([27.])
    """

    loss = "poisson"

    def __init__(
        self, *, alpha: float = 1.0, fit_intercept: bool = True, solver: str = "lbfgs", max_iter: int = 100, tol: float = 1e-4, warm_start: bool = False,
        verbose: bool | int = 0,
    ) -> None:  # fmt: skip
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.verbose = verbose

    def _spec(self, X: Any, weights: np.ndarray | None) -> dict[str, Any]:
        return self._posed(X, weights, loss="poisson", penalty="l2", **{"lambda": self.alpha or None})

    def _learn(self, data: Any, task: str, init: Any = None) -> None:
        if (data.numbers < 0).any():
            raise ValueError("Some value(s) of y are out of the valid range of the loss 'HalfPoissonLoss': expected numbers >= 0")
        super()._learn(data, task, init)
        self._typed(data.X.dtype)

    def _get_loss(self) -> Any:
        """Return the loss as scikit-learn's functions of linear models with a loss take it."""
        from sklearn._loss import HalfPoissonLoss

        return HalfPoissonLoss()

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return D^2, the share of the deviance of the mean that is explained."""
        y = np.asarray(y, np.float64).ravel()

        def deviance(mean: np.ndarray) -> float:
            terms = np.where(y > 0, y * np.log(np.where(y > 0, y, 1) / mean), 0) - y + mean
            return float(np.average(terms, weights=sample_weight))

        return 1 - deviance(self.predict(X)) / deviance(np.full(len(y), np.average(y, weights=sample_weight)))


    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = True
        return tags


class HuberRegressor(Straight):
    """Twin of ``sklearn.linear_model.HuberRegressor``: sum_i s_i (scale + H((y_i - f_i) / scale) scale) + alpha |w|^2, with
    H(z) = z^2 up to ``epsilon`` and 2 epsilon |z| - epsilon^2 beyond, minimised over weights and ``scale`` together.

    For a given scale the problem is that of the engine's loss huber, with a proved gap; the least objective is a convex function of the
    scale with a slope of at most the number of rows. ``gap_`` is that of both together: three scales with their bounds bound
    it from below everywhere. ``model_`` and :func:`fenchel.verify` are about the problem of ``scale_``.

    Attributes
    ----------
    coef_ : array of shape (n_features,)
    intercept_, scale_ : float
    outliers_ : array of bool of shape (n_samples,)
    n_iter_, gap_, certificate_, status_, model_

    Examples
    --------
    >>> from fenchel.sklearn import HuberRegressor
    >>> HuberRegressor().fit([[0.0], [1.0], [2.0], [3.0], [4.0]], [1.0, 3.1, 5.0, 6.9, 90.0]).coef_.round(1)
    array([2.1])
    """

    def __init__(
        self, *, epsilon: float = 1.35, max_iter: int = 100, alpha: float = 1e-4, warm_start: bool = False, fit_intercept: bool = True, tol: float = 1e-5,
    ) -> None:  # fmt: skip
        self.epsilon = epsilon
        self.max_iter = max_iter
        self.alpha = alpha
        self.warm_start = warm_start
        self.fit_intercept = fit_intercept
        self.tol = tol

    def _spec(self, X: Any, weights: np.ndarray | None) -> dict[str, Any]:
        if not 1 <= self.epsilon < np.inf:
            raise ValueError(f"epsilon={self.epsilon!r}: expected a finite number >= 1")
        scale = self._scale
        spec = self._posed(X, weights, loss=f"huber:delta={float(self.epsilon * scale)!r}", penalty="l2", C=1 / (scale * self.alpha) if self.alpha else None)
        return {**spec, "gap": max(self.tol / 1000, 1e-13)}

    _begin: Any
    scale_: float

    def _at(self, data: Any, scale: float) -> tuple[float, float, float]:
        """Return, for one row, bounds of the least objective of a scale, lower and upper, and its slope there; the model is the next to begin with."""
        self._scale = scale
        answer, stopped = _ask.fit(data, dict(self._spec(data.X, data.weights), task="regression"), self._begin)
        self._begin = answer["model"]
        if stopped:
            raise KeyboardInterrupt
        z = self._residuals(data, *self._begin.weights()) / scale
        found = Certificate.of(answer["certificate"])
        return scale + 2 / scale * found.dual, scale + 2 / scale * found.primal, 1 - float(np.average(np.minimum(z * z, self.epsilon**2), weights=data.weights))

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "HuberRegressor":
        """Train on X of shape (n_samples, n_features), y and ``sample_weight`` of shape (n_samples,)."""
        super().fit(X, y, sample_weight)
        self.outliers_ = np.abs(np.asarray(y).ravel() - self.predict(X)) > self.scale_ * self.epsilon
        return self

    @staticmethod
    def _residuals(data: Any, coef: np.ndarray, intercept: np.ndarray) -> np.ndarray:
        result: np.ndarray = data.numbers - np.asarray(data.X @ coef.reshape(-1)).ravel() - float(np.ravel(intercept)[0])
        return result

    def _learn(self, data: Any, task: str, init: Any = None) -> None:
        if self.fit_intercept:
            data.centred()
        spread = float(np.sqrt(np.average((data.numbers - np.average(data.numbers, weights=data.weights)) ** 2, weights=data.weights))) or 1.0
        self._begin = getattr(self, "model_", None) if self.warm_start else None
        width = 4 * float(np.sqrt(max(self.tol / 1000, 1e-13)))
        scale = self._root(data, spread, 1e-7 * spread, width / 8)
        lower = self._below(data, scale, width)
        self._scale = scale
        super()._learn(data, task, self._begin)
        self.scale_ = scale
        primal = scale + 2 / scale * self.certificate_.primal
        lower = min(lower, primal)
        gap = (primal - lower) / max(primal, abs(lower))
        self.certificate_ = Certificate(primal, lower, gap, primal - lower, gap)
        self.gap_ = gap
        if self.status_ == "converged" and not gap <= self.tol:
            self.status_ = "stalled"
            told(f"HuberRegressor: proved is a relative gap of {gap:.3g} of weights and scale together, above the {self.tol:.3g} asked for", ConvergenceWarning)
        del self._begin, self._scale

    def _root(self, data: Any, scale: float, least: float, exact: float) -> float:
        """Return the scale at which the slope is zero, at least the one that single precision allows: by secants inside of brackets, in logarithms."""
        u, low, high, before = np.log(scale), np.log(least), np.inf, None
        for _ in range(60):
            slope = self._at(data, float(np.exp(u)))[2]
            if abs(slope) <= exact or high - low <= exact:
                break
            low, high = (low, u) if slope > 0 else (u, high)
            step = -slope * (u - before[0]) / (slope - before[1]) if before is not None and slope != before[1] else np.log(1 - slope) / 2
            before = u, slope
            u = u + step if low < u + step < high else (low + high) / 2 if np.isfinite(high) else u + 1
        return float(np.exp(u))

    def _below(self, data: Any, scale: float, width: float) -> float:
        """Return a lower bound of the objective at all scales, NaN where none is found: with bounds at three scales of which the one between is lowest, a convex
        function is above the other two outside of these, and between them above the lines through two of them. Its slope is at most 1."""
        low, high, _ = self._at(data, scale)
        bound, room = float("nan"), 1e-14 * abs(high)  # for the rounding of this arithmetic
        for _ in range(8):
            left, right = (self._at(data, scale * (1 + side)) for side in (-width, width))
            if right[0] >= high:
                bound = min(2 * low - left[1], 2 * low - right[1] if left[0] >= high else low - scale)
            if left[0] >= high and right[0] >= high:
                break
            width = min(2 * width, 0.5)
        return bound - room
