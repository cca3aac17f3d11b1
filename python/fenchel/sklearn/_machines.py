"""Kernel machines under the names and with the parameters of scikit-learn."""

from __future__ import annotations

import numbers
from typing import Any, Callable

import numpy as np

from .. import _ask
from .._arrays import is_sparse
from .._base import FLOATS, NotFittedError, available_if, check_is_fitted, seed_of, spelled, validate_data
from .._warn import told
from ..kernel import Machine, OneClass, votes
from ..linear import Classifier, Regressor
from ._common import Targets, above_zero, limit, refuse

__all__ = ["SVC", "SVR", "KernelRidge", "NuSVC", "NuSVR", "OneClassSVM"]


def none_below_zero(sample_weight: Any) -> Any:
    """Leave out rows of weights below zero, as LIBSVM in scikit-learn does, and refuse what
    leaves nothing to learn."""
    if sample_weight is None:
        return None
    w = np.asarray(sample_weight, np.float64)
    if w.size and not (w > 0).any():
        raise ValueError("Invalid input - all samples have zero or negative weights.")
    return np.maximum(w, 0)


class Twin(Machine):
    """What the twins of LIBSVM's machines share: ``tol / 100`` is the gap to be proved."""

    solver, n_jobs, random_state = "auto", None, None
    tol: float
    max_iter: int
    _coefficients: np.ndarray

    def _stop(self) -> dict[str, Any]:
        (tol, cache) = above_zero(self, "tol", "cache_size")
        return {"bias": "free", "scaling": "none", "gap": tol / 100, **limit(self.max_iter), "cache": max(int(cache * 2**20), 64 << 20), "seed": seed_of(self.random_state)}

    def _asked(self) -> float:
        return self.tol

    def _kernel_of(self, data: _ask.Data) -> str:
        """Return the kernel for all rows, each counted once, as scikit-learn does."""
        if isinstance(self.kernel, str) and self.kernel not in ("linear", "precomputed"):
            self._gamma = self._gamma_of(data.everything)
        return self._kernel(data.everything)

    @property
    def coef_(self) -> np.ndarray:
        """The weights of features of a linear kernel, of shape (n_outputs, n_features)."""
        if self.kernel != "linear":
            raise AttributeError("coef_ is only available when using a linear kernel")
        rows = self._support_rows()
        out = np.asarray(self._coefficients @ rows)
        out = -out if len(self.intercept_) > 1 else out  # of the first class of a pair, as in scikit-learn
        if is_sparse(rows):
            result: np.ndarray = type(self.dual_coef_)(out)
            return result
        out.setflags(write=False)
        return out

    def _support_rows(self) -> Any:
        """Return the support vectors in the order of the model file."""
        return super().support_vectors_


def _going(name: str) -> None:
    told(f"Attribute `{name}` was deprecated in version 1.9 and will be removed in 1.11 of scikit-learn, as the `probability=True` option for SVC and NuSVC.", FutureWarning)


def _probabilistic(estimator: Any) -> bool:
    if estimator.probability is not True:
        raise AttributeError("predict_proba is not available when probability=False")
    return True


class TwinClassifier(Classifier, Twin):
    """What SVC and NuSVC share: several classes are told apart one against one."""

    _of_class: dict[str, float] | None = None
    probability: bool | str
    decision_function_shape: str
    break_ties: bool

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None, times: Any = None) -> Any:
        """Train on X of shape (n_samples, n_features), or the kernel's matrix, with y and
        ``sample_weight`` of shape (n_samples,). With ``probability=True`` the five folds of the
        sigmoids keep ``groups`` whole, or ``times`` in order, as of :func:`fenchel.tune`."""
        refuse(self, probability=("deprecated", False, True), decision_function_shape=("ovr", "ovo"))
        if self.probability != "deprecated":
            kind = type(self).__name__
            told(f"The `probability` parameter was deprecated in 1.9 and will be removed in version 1.11 of scikit-learn. Use `CalibratedClassifierCV({kind}(), ensemble=False)` instead of `{kind}(probability=True)`", FutureWarning)
        if (groups is not None or times is not None) and self.probability is not True:
            raise ValueError("found groups or times, expected probability=True, whose folds they are for")
        self._split = groups, times
        try:
            return super().fit(X, y, none_below_zero(sample_weight))
        finally:
            del self._split

    def _data(self, X: Any, weights: np.ndarray | None, **target: Any) -> _ask.Data:
        result: _ask.Data = super()._data(X, weights, **target).split(*self._split)
        return result

    def _factors(self, classes: np.ndarray, codes: np.ndarray, weights: np.ndarray | None) -> np.ndarray | None:
        """As of all classifiers; for probabilities the engine gets them by class, as the sigmoids
        are of rows that count without them."""
        factors = super()._factors(classes, codes, weights)
        self._of_class = None
        if self.probability is not True or factors is None:
            return factors
        self._of_class = {label: float(factors[codes == k][0]) for k, label in enumerate(spelled(classes))}
        return None if factors.all() else np.sign(factors)  # classes of weight zero have no rows

    def _stop(self) -> dict[str, Any]:
        spec = {**super()._stop(), "probabilities": self.probability is True}
        if self._of_class is not None:
            spec["class_weight"] = {label: w for k, (label, w) in enumerate(self._of_class.items()) if self._counted is None or k in self._counted}
        return spec

    @available_if(_probabilistic)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Return probabilities of shape (n_samples, n_classes), with ``probability=True``: Platt's
        sigmoids of scores of five folds, and of several classes those that suit all pairs best
        (Wu, Lin and Weng 2004), as LIBSVM makes them."""
        check_is_fitted(self)
        if self.model_.part("calibration") is None:
            raise NotFittedError("predict_proba is not available when fitted with probability=False")
        return self._widen(self._scores(X, probabilities=True), 0)

    @available_if(_probabilistic)
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Return logarithms of probabilities, of shape (n_samples, n_classes)."""
        with np.errstate(divide="ignore"):
            result: np.ndarray = np.log(self.predict_proba(X))
            return result

    @property
    def probA_(self) -> np.ndarray:
        """The slopes of the sigmoids 1/(1 + exp(a f + b)) of each output's score f."""
        _going("probA_")
        return self._widen(self._sigmoids()[:, 0] / self._scale, 0, True)  # of scores as decision_function has them

    @property
    def probB_(self) -> np.ndarray:
        """Their offsets b."""
        _going("probB_")
        return self._widen(self._sigmoids()[:, 1], 0, True)

    def _sigmoids(self) -> np.ndarray:
        return np.array((self.model_.part("calibration") or {}).get("platt", np.empty((0, 2))))

    def _unit(self) -> np.ndarray:
        """Return what scores of the model are to be multiplied by, for each output."""
        return np.ones(len(self.intercept_))

    def _shape(self, data: _ask.Data) -> None:
        self._scale = self._unit()
        self._coefficients = self._widen(self.model_.tensor("coefficients").T * self._scale, 0, True).T
        self.intercept_ = self._widen(self.intercept_ * self._scale, -1, True)
        codes = np.asarray(data.codes)[self._local]
        own = codes if self._counted is None else self._counted[codes]
        order = np.lexsort((self.support_, own))
        self._order, self.support_ = order, self.support_[order]
        self.n_support_ = np.bincount(own, minlength=len(self.classes_)).astype(np.int32)
        self.dual_coef_ = self._by_class(own[order], self._coefficients[:, order])
        if is_sparse(data.everything):
            self.dual_coef_ = type(data.everything)(self.dual_coef_)
        if len(self.classes_) > 2:
            self.intercept_ = -self.intercept_
        self.n_iter_ = np.full(len(self.intercept_), self.n_iter_, np.int32)
        self.fit_status_ = int(self.status_ != "converged") if hasattr(self, "status_") else 1
        self.shape_fit_ = data.everything.shape

    def _by_class(self, own: np.ndarray, coefficients: np.ndarray) -> np.ndarray:
        """Return coefficients as LIBSVM has them: for each vector those against the other
        classes, of shape (n_classes - 1, n_support)."""
        k = len(self.classes_)
        if k == 2:
            return coefficients
        out, pair = np.zeros((k - 1, len(own))), 0
        for i in range(k):
            for j in range(i + 1, k):
                out[j - 1, own == i] = -coefficients[pair, own == i]
                out[i, own == j] = -coefficients[pair, own == j]
                pair += 1
        return out

    @property
    def support_vectors_(self) -> Any:
        """The support vectors, ordered by class, of shape (n_support, n_features)."""
        rows = self._support_rows()
        return rows[self._order] if rows.shape[0] else rows

    def decision_function(self, X: Any) -> np.ndarray:
        """Return scores: of shape (n_samples,) for two classes; else of shape (n_samples,
        n_classes), or with "ovo" one for each pair, above 0 for the first of the two."""
        scores = self._widen(self._scores(X) * self._scale, -1, True)
        if scores.shape[1] == 1:
            return scores.ravel()
        return votes(scores, len(self.classes_)) if self.decision_function_shape == "ovr" else -scores

    def predict(self, X: Any) -> np.ndarray:
        """Return the class of each row, of shape (n_samples,): of several the one with the
        most votes, the first among equals unless ``break_ties``."""
        if self.break_ties and self.decision_function_shape == "ovo":
            raise ValueError("break_ties must be False when decision_function_shape is 'ovo'")
        scores = self._widen(self._scores(X) * self._scale, -1, True)
        if scores.shape[1] == 1:
            result: np.ndarray = self.classes_[(scores.ravel() > 0).astype(int)]
            return result
        best = votes(scores, len(self.classes_))
        result = self.classes_[(best if self.break_ties else np.round(best)).argmax(axis=1)]
        return result


class SVC(TwinClassifier):
    """Twin of ``sklearn.svm.SVC``: C sum_i s_i max(0, 1 - y_i f_i) + |w|^2/2.

    ``tol / 100`` is the relative duality gap to be proved, ``max_iter`` a limit of passes.
    ``probability=True`` trains on five folds more, which ``random_state`` deals, for
    :meth:`predict_proba`. ``shrinking`` and ``verbose`` change nothing.

    Attributes
    ----------
    support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_ (linear kernel)
        As of scikit-learn.
    classes_, gap_, certificate_, status_, model_

    Examples
    --------
    >>> from fenchel.sklearn import SVC
    >>> SVC(gamma=1.0, C=10).fit([[0.0], [1.0], [2.0]], [0, 1, 0]).predict([[0.9], [2.1]])
    array([1, 0])
    """

    loss, scheme = "hinge", "one-against-one"

    def __init__(
        self, *, C: float = 1.0, kernel: str | Callable[..., float] = "rbf", degree: float = 3, gamma: str | float | None = "scale", coef0: float = 0.0,
        shrinking: bool = True, probability: bool | str = "deprecated", tol: float = 1e-3, cache_size: float = 200, class_weight: dict[Any, float] | str | None = None,
        verbose: bool | int = False, max_iter: int = -1, decision_function_shape: str = "ovr", break_ties: bool = False, random_state: Any = None,
    ) -> None:  # fmt: skip
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state

    def _spec(self, X: Any, weights: np.ndarray | None) -> dict[str, Any]:
        if isinstance(self.C, numbers.Real) and self.C == np.inf:
            return {**self._stop(), "loss": "hinge", "scheme": self.scheme, "hard_margin": True}
        return {**self._stop(), "loss": "hinge", "scheme": self.scheme, "C": above_zero(self, "C")[0]}


class NuSVC(TwinClassifier):
    """Twin of ``sklearn.svm.NuSVC``: ``nu`` bounds the share of rows beyond the margin.

    Other parameters are those of :class:`SVC`. Scores are in units of the margin, as there.

    Examples
    --------
    >>> from fenchel.sklearn import NuSVC
    >>> NuSVC(gamma=1.0).fit([[0.0], [0.1], [2.0], [2.1]], [0, 0, 1, 1]).predict([[0.2], [1.9]])
    array([0, 1])
    """

    loss, scheme = "hinge", "one-against-one"

    def __init__(
        self, *, nu: float = 0.5, kernel: str | Callable[..., float] = "rbf", degree: float = 3, gamma: str | float | None = "scale", coef0: float = 0.0,
        shrinking: bool = True, probability: bool | str = "deprecated", tol: float = 1e-3, cache_size: float = 200, class_weight: dict[Any, float] | str | None = None,
        verbose: bool | int = False, max_iter: int = -1, decision_function_shape: str = "ovr", break_ties: bool = False, random_state: Any = None,
    ) -> None:  # fmt: skip
        self.nu = nu
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state

    def _spec(self, X: Any, weights: np.ndarray | None) -> dict[str, Any]:
        (nu,) = above_zero(self, "nu")
        return {**self._stop(), "scheme": self.scheme, "nu": nu}

    def _unit(self) -> np.ndarray:
        """One over the margin of each pair."""
        return 1 / np.array(self._margins)


class TwinRegressor(Regressor, Twin):
    """What SVR and NuSVR share."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Train on X of shape (n_samples, n_features), or the kernel's matrix, with y and
        ``sample_weight`` of shape (n_samples,)."""
        return super().fit(X, y, none_below_zero(sample_weight))

    def _shape(self, data: _ask.Data) -> None:
        self._coefficients = self.dual_coef_ = self.model_.tensor("coefficients")
        if is_sparse(data.everything):
            self.dual_coef_ = type(data.everything)(self.dual_coef_)
        self.n_support_ = np.array([len(self.support_)], np.int32)
        self.fit_status_ = int(getattr(self, "status_", "") != "converged")
        self.shape_fit_ = data.everything.shape


class SVR(TwinRegressor):
    """Twin of ``sklearn.svm.SVR``: C sum_i s_i max(0, |y_i - f_i| - epsilon) + |w|^2/2.

    Attributes are those of scikit-learn, and gap_, certificate_, status_, model_.

    Examples
    --------
    >>> from fenchel.sklearn import SVR
    >>> SVR(kernel="linear", C=100, epsilon=0.0).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0]).predict([[3.0]]).round(2)
    array([3.])
    """

    def __init__(
        self, *, kernel: str | Callable[..., float] = "rbf", degree: float = 3, gamma: str | float | None = "scale", coef0: float = 0.0, tol: float = 1e-3,
        C: float = 1.0, epsilon: float = 0.1, shrinking: bool = True, cache_size: float = 200, verbose: bool | int = False, max_iter: int = -1,
    ) -> None:  # fmt: skip
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.C = C
        self.epsilon = epsilon
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter

    def _spec(self, X: Any, weights: np.ndarray | None) -> dict[str, Any]:
        if not isinstance(self.epsilon, (int, float)) or not 0 <= self.epsilon < np.inf:
            raise ValueError(f"epsilon={self.epsilon!r}: expected a number >= 0")
        loss = f"epsilon-insensitive:epsilon={float(self.epsilon)!r}" if self.epsilon > 0 else "absolute"
        return {**self._stop(), "loss": loss, "C": above_zero(self, "C")[0]}


class NuSVR(TwinRegressor):
    """Twin of ``sklearn.svm.NuSVR``: ``nu`` is the share of rows outside of the tube.

    Examples
    --------
    >>> from fenchel.sklearn import NuSVR
    >>> NuSVR(kernel="linear", C=100).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0]).predict([[3.0]]).round(1)
    array([3.])
    """

    def __init__(
        self, *, nu: float = 0.5, C: float = 1.0, kernel: str | Callable[..., float] = "rbf", degree: float = 3, gamma: str | float | None = "scale", coef0: float = 0.0,
        shrinking: bool = True, tol: float = 1e-3, cache_size: float = 200, verbose: bool | int = False, max_iter: int = -1,
    ) -> None:  # fmt: skip
        self.nu = nu
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.tol = tol
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter

    def _spec(self, X: Any, weights: np.ndarray | None) -> dict[str, Any]:
        nu, C = above_zero(self, "nu", "C")
        return {**self._stop(), "nu": nu, "C": C}


class OneClassSVM(OneClass, Twin):
    """Twin of ``sklearn.svm.OneClassSVM``: ``nu`` bounds the share of outliers.

    Examples
    --------
    >>> from fenchel.sklearn import OneClassSVM
    >>> OneClassSVM(gamma=1.0, nu=0.3).fit([[0.0], [0.1], [0.2], [0.1], [5.0]]).predict([[0.1], [9.0]])
    array([ 1, -1])
    """

    def __init__(
        self, *, kernel: str | Callable[..., float] = "rbf", degree: float = 3, gamma: str | float | None = "scale", coef0: float = 0.0, tol: float = 1e-3,
        nu: float = 0.5, shrinking: bool = True, cache_size: float = 200, verbose: bool | int = False, max_iter: int = -1,
    ) -> None:  # fmt: skip
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.nu = nu
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Train on X of shape (n_samples, n_features); ``sample_weight`` has shape
        (n_samples,)."""
        return super().fit(X, y, none_below_zero(sample_weight))

    def _stop(self) -> dict[str, Any]:
        return Twin._stop(self)

    def _asked(self) -> float:
        return self.tol

    def _spec(self, X: Any, weights: np.ndarray | None) -> dict[str, Any]:
        nu, = above_zero(self, "nu")
        return {**self._stop(), "nu": nu}

    def _kernel_of(self, data: _ask.Data) -> str:
        return Twin._kernel_of(self, data)

    def _shape(self, data: _ask.Data) -> None:
        super()._shape(data)
        self._coefficients, self.offset_ = self.dual_coef_, -self.intercept_
        if is_sparse(data.everything):
            self.dual_coef_ = type(data.everything)(self.dual_coef_)
        self.n_support_ = np.array([len(self.support_)], np.int32)
        self.fit_status_ = int(getattr(self, "status_", "") != "converged")
        self.shape_fit_ = data.everything.shape


class KernelRidge(Targets, Regressor, Machine):
    """Twin of ``sklearn.kernel_ridge.KernelRidge``: sum_i s_i (y_i - f_i)^2 + alpha |w|^2,
    without intercept.

    Targets of two dimensions are one problem each, of which ``alpha`` may have one number each.
    Refused: ``kernel_params``, kernels that Fenchel does not have (additive_chi2).

    Attributes
    ----------
    dual_coef_ : array of shape (n_samples,) or (n_samples, n_targets)
    gap_, certificate_, status_, model_

    Examples
    --------
    >>> from fenchel.sklearn import KernelRidge
    >>> KernelRidge(1e-6, kernel="poly", degree=2, gamma=1.0).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 4.0]).predict([[3.0]]).round(2)
    array([9.])
    """

    solver, cache_size, max_epochs, max_seconds, n_jobs, random_state = "auto", 512, None, None, None, None

    def __init__(
        self, alpha: Any = 1, *, kernel: str | Callable[..., float] = "linear", gamma: str | float | None = None, degree: float = 3, coef0: float = 1,
        kernel_params: Any = None,
    ) -> None:  # fmt: skip
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params

    gap = 1e-9

    def _spec(self, X: Any, weights: np.ndarray | None) -> dict[str, Any]:
        refuse(self, kernel_params=None)
        (alpha,) = above_zero(self, "alpha")
        return {**self._stop(), "loss": "squared", "bias": "none", "C": 1 / alpha}

    def _kernel(self, X: Any, weights: Any = None) -> str:
        if self.kernel == "cosine":
            return "normalised(linear)"
        if self.kernel == "polynomial":
            return f"poly:degree={self._degree()},gamma={self._gamma_of(X)!r},coef0={float(self.coef0)!r}"
        return super()._kernel(X)

    def _asked(self) -> float:
        return 1e-4

    def _shape(self, data: _ask.Data) -> None:
        self.dual_coef_ = np.zeros(data.everything.shape[0])
        self.dual_coef_[self.support_] = self.model_.tensor("coefficients")[0]

    def _gather(self, each: list[Any], columns: int) -> None:
        self.dual_coef_ = np.column_stack([e.dual_coef_ for e in each])

    def predict(self, X: Any) -> np.ndarray:
        """Return a number for each row, of shape (n_samples,) or (n_samples, n_targets)."""
        check_is_fitted(self)
        if self.dual_coef_.ndim == 1:
            return super().predict(X)
        X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=FLOATS)
        return np.column_stack([e.predict(X) for e in self.estimators_])
