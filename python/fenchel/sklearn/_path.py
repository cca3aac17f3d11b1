"""Lasso and elastic net along alpha, and with alpha chosen by cross-validation, as scikit-learn does."""

from __future__ import annotations

import numbers
import warnings
from typing import Any

import numpy as np

from .. import _ask
from .._arrays import is_sparse
from .._base import FLOATS, row_weights, threads_of, validate_data
from .._tune import problem, splits
from .._warn import told
from ._common import Routed, adopt, alphas_of, checked
from ._linear import ElasticNet, Lasso, LinearNumbers

__all__ = ["ElasticNetCV", "LassoCV", "enet_path", "lasso_path"]


def grid(X: Any, y: np.ndarray, weights: np.ndarray | None, centred: bool, ratio: float, eps: float, number: int, positive: bool) -> np.ndarray:
    """Return values of alpha, geometric, from the least that makes all weights zero down to eps times it."""
    if ratio == 0:
        raise ValueError("Automatic alpha grid generation is not supported for l1_ratio=0. Please supply a grid by providing your estimator with the appropriate `alphas=` argument.")
    w = np.ones(len(y)) if weights is None else weights
    pulled = w * (y - w @ y / w.sum()) if centred else w * y
    slopes = np.asarray(X.T @ pulled)
    most = max(0.0, float((slopes if positive else np.abs(slopes)).max())) / (w.sum() * ratio)
    least = np.finfo(float).resolution
    return np.full(number, least) if most <= least else np.geomspace(most, most * eps, num=number)


class PathCV(Routed, LinearNumbers):
    """What the twins share that choose alpha by folds: the engine trains all values of alpha on all of them."""

    warm_start = False
    alphas: Any
    eps: float
    cv: Any
    positive: bool

    def _single(self, ratio: float, alpha: float) -> Any:
        """Return the twin without a choice."""
        names = ("fit_intercept", "max_iter", "tol", "copy_X", "positive", "random_state", "selection")
        one = ElasticNet(alpha, **{name: getattr(self, name) for name in names}, l1_ratio=ratio) if hasattr(self, "l1_ratio") else Lasso(alpha, **{name: getattr(self, name) for name in names})
        one.n_jobs = self.n_jobs
        return one

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> Any:
        """Choose alpha and train with it: X of shape (n_samples, n_features), y and ``sample_weight`` of shape (n_samples,); ``params``, as groups, are for the folds, with
        metadata routing."""
        from sklearn.model_selection import check_cv

        checked(self)
        dealt = self._routed("fit", sample_weight, params)[0]
        rows, y = validate_data(self, X, y, accept_sparse="csr", dtype=FLOATS, y_numeric=True)
        weights = row_weights(None if isinstance(sample_weight, numbers.Number) else sample_weight, rows)
        ratios = np.atleast_1d(getattr(self, "l1_ratio", 1.0)).astype(float).tolist()
        if isinstance(self.alphas, numbers.Integral):
            alphas = np.array([grid(rows, y, weights, self.fit_intercept, r, self.eps, int(self.alphas), self.positive) for r in ratios])
        else:
            alphas = np.tile(np.sort(alphas_of(self.alphas, True))[::-1], (len(ratios), 1))
        folds = list(check_cv(self.cv).split(rows, y, **dealt))
        paths = np.stack([self._errors(rows, y, weights, folds, r, a) for r, a in zip(ratios, alphas)])  # ratios x folds x alphas
        best = np.unravel_index(paths.mean(axis=1).argmin(), alphas.shape)
        self.mse_path_, self.alpha_ = np.squeeze(np.moveaxis(paths, 2, 1)), float(alphas[best])
        self.alphas_ = alphas[0] if len(ratios) == 1 or not isinstance(self.alphas, numbers.Integral) else alphas
        if hasattr(self, "l1_ratio"):
            self.l1_ratio_ = ratios[best[0]]
        return adopt(self, self._single(ratios[best[0]], self.alpha_).fit(X, y, weights))

    def _errors(self, X: Any, y: np.ndarray, weights: Any, folds: Any, ratio: float, alphas: np.ndarray) -> np.ndarray:
        """Return the mean squared error of each fold and alpha, by one search of the engine."""
        positive, where = np.unique(alphas[alphas > 0], return_inverse=True)
        out = np.empty((len(folds), len(alphas)))
        if len(positive):
            data, spec = problem(self._single(ratio, float(positive[0])), X, y, weights, "")
            spec.pop("lambda")
            answer = _ask.tune(data, spec, splits(folds, data, y), search=f"lambda={','.join(map(repr, positive.tolist()))}", score="rmse")
            if reason := next((c["reason"] for c in answer["candidates"] if c["reason"]), ""):
                raise ValueError(reason)
            out[:, alphas > 0] = np.square(np.array([c["scores"] for c in answer["candidates"]], float).T)[:, where]
        for k in np.flatnonzero(alphas == 0):
            for f, (train, test) in enumerate(folds):
                one = self._single(ratio, 0.0).fit(X[train], y[train], None if weights is None else weights[train])
                out[f, k] = np.average((y[test] - one.predict(X[test])) ** 2, weights=None if weights is None else weights[test])
        return out


    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = False
        return tags


class LassoCV(PathCV):
    """Twin of ``sklearn.linear_model.LassoCV``; it needs scikit-learn, whose folds it takes. The engine trains all values of
    alpha on all folds. ``n_jobs`` are threads; ``precompute``, ``copy_X``, ``selection`` and ``verbose`` change nothing.

    Attributes
    ----------
    alpha_ : float
    alphas_ : array of shape (n_alphas,)
    mse_path_ : array of shape (n_alphas, n_folds)
    coef_, intercept_, dual_gap_, n_iter_, gap_, certificate_, status_, model_
        As of :class:`Lasso`.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel.sklearn import LassoCV
    >>> X = np.arange(20.0)[:, None]
    >>> LassoCV(cv=2).fit(X, 2 * X.ravel()).coef_.round(1)
    array([2.])
    """

    def __init__(
        self, *, eps: float = 1e-3, alphas: Any = 100, fit_intercept: bool = True, precompute: Any = "auto", max_iter: int = 1000, tol: float = 1e-4,
        copy_X: bool = True, cv: Any = None, verbose: bool | int = False, n_jobs: int | None = None, positive: bool = False, random_state: Any = None,
        selection: str = "cyclic",
    ) -> None:  # fmt: skip
        self.eps = eps
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.max_iter = max_iter
        self.tol = tol
        self.copy_X = copy_X
        self.cv = cv
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.positive = positive
        self.random_state = random_state
        self.selection = selection


class ElasticNetCV(PathCV):
    """Twin of ``sklearn.linear_model.ElasticNetCV``, as :class:`LassoCV`; ``l1_ratio`` may be several.

    Attributes
    ----------
    alpha_, l1_ratio_ : float
    alphas_ : array of shape (n_alphas,) or (n_l1_ratios, n_alphas)
    mse_path_ : array of shape (n_l1_ratios, n_alphas, n_folds), or without the first
    coef_, intercept_, dual_gap_, n_iter_, gap_, certificate_, status_, model_
        As of :class:`ElasticNet`.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel.sklearn import ElasticNetCV
    >>> X = np.arange(20.0)[:, None]
    >>> ElasticNetCV(cv=2).fit(X, 2 * X.ravel()).coef_.round(1)
    array([2.])
    """

    def __init__(
        self, *, l1_ratio: Any = 0.5, eps: float = 1e-3, alphas: Any = 100, fit_intercept: bool = True, precompute: Any = "auto", max_iter: int = 1000,
        tol: float = 1e-4, cv: Any = None, copy_X: bool = True, verbose: bool | int = 0, n_jobs: int | None = None, positive: bool = False, random_state: Any = None,
        selection: str = "cyclic",
    ) -> None:  # fmt: skip
        self.l1_ratio = l1_ratio
        self.eps = eps
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.max_iter = max_iter
        self.tol = tol
        self.cv = cv
        self.copy_X = copy_X
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.positive = positive
        self.random_state = random_state
        self.selection = selection


def enet_path(
    X: Any, y: Any, *, l1_ratio: float = 0.5, eps: float = 1e-3, n_alphas: Any = "deprecated", alphas: Any = "warn", precompute: Any = "auto", Xy: Any = None, copy_X: bool = True,
    coef_init: Any = None, verbose: Any = False, return_n_iter: bool = False, positive: bool = False, check_input: bool = True, **params: Any,
) -> tuple[Any, ...]:  # fmt: skip
    """Twin of ``sklearn.linear_model.enet_path``: weights without intercept for each alpha, from the largest, each fit begun at
    the last. ``params`` are ``tol``, ``max_iter`` and ``sample_weight``; ``precompute``, ``Xy``, ``copy_X``, ``coef_init`` and ``verbose`` change
    nothing, nor do ``random_state``, ``selection`` and ``do_screening`` among ``params``.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
    y : array of shape (n_samples,)
        Targets of two dimensions are in scikit-learn one problem with a penalty of groups, which is refused.
    alphas : int or array, optional
        How many, or which; 100 of them down to ``eps`` times the largest.

    Returns
    -------
    alphas : array of shape (n_alphas,)
    coefs : array of shape (n_features, n_alphas)
    dual_gaps : array of shape (n_alphas,)
    n_iters : list of int
        With ``return_n_iter``.

    Examples
    --------
    >>> from fenchel.sklearn import enet_path
    >>> alphas, coefs, gaps = enet_path([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0], alphas=[0.1, 1.0])
    >>> alphas, coefs.round(3)
    (array([1. , 0.1]), array([[1.769, 2.495]]))
    """
    _announce(n_alphas, alphas)
    if unknown := set(params) - {"tol", "max_iter", "sample_weight", "random_state", "selection", "do_screening"}:
        raise ValueError(f"Unexpected parameters in params: found {', '.join(sorted(unknown))}")
    weights = params.pop("sample_weight", None)
    one = ElasticNet(l1_ratio=l1_ratio, fit_intercept=False, warm_start=True, positive=positive, **{k: v for k, v in params.items() if k != "do_screening"})
    X, y = validate_data(one, X, y, accept_sparse="csr", dtype=FLOATS, y_numeric=True)
    number = next((v for v in (n_alphas, alphas) if isinstance(v, numbers.Integral)), 100)
    values = grid(X, y, row_weights(weights, X), False, l1_ratio, eps, int(number), positive) if alphas is None or isinstance(alphas, (str, numbers.Integral)) else np.sort(np.asarray(alphas, float))[::-1]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "all rows of the training data")  # as the largest alpha asks for
        fits = [(one.set_params(alpha=float(a)).fit(X, y, weights).coef_, one.dual_gap_, one.n_iter_) for a in values]
    coefs = np.stack([c for c, _, _ in fits], axis=-1)
    return (values, coefs, np.array([g for _, g, _ in fits]), *([[n for _, _, n in fits]] if return_n_iter else []))


def _announce(n_alphas: Any, alphas: Any) -> None:
    """Warn of parameters that scikit-learn gives up."""
    if n_alphas != "deprecated":
        told("'n_alphas' was deprecated in 1.9 and will be removed in 1.11 of scikit-learn. 'alphas' now accepts an integer value which removes the need to pass 'n_alphas'.", FutureWarning)
    elif alphas is None:
        told("'alphas=None' is deprecated and will be removed in 1.11 of scikit-learn. Set 'alphas=100' to silence this warning.", FutureWarning)


def lasso_path(X: Any, y: Any, *, eps: float = 1e-3, n_alphas: Any = "deprecated", alphas: Any = "warn", **params: Any) -> tuple[Any, ...]:
    """Twin of ``sklearn.linear_model.lasso_path``: :func:`enet_path` with ``l1_ratio=1``, which has its parameters.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
    y : array of shape (n_samples,)

    Returns
    -------
    alphas, coefs, dual_gaps : arrays of shape (n_alphas,), (n_features, n_alphas), (n_alphas,)

    Examples
    --------
    >>> from fenchel.sklearn import lasso_path
    >>> lasso_path([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0], alphas=[0.1])[1].round(3)
    array([[2.54]])
    """
    return enet_path(X, y, l1_ratio=1.0, eps=eps, n_alphas=n_alphas, alphas=alphas, **params)
